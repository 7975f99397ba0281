# The running time of a release may reveal something about its rows. If the option `dptda.release_time` is set, a
# release returns at the first multiple of that time that suffices.

# Starts a clock before a release reads its rows, or returns NULL without the option. Reports earlier delays here,
# before anything is spent: a handler that stopped the call later would lose a release that was charged. From here on,
# `frame` reads one state of a database (base-state.R).
release_clock <- function(frame = parent.frame()) {
  reading <- read_in_state(frame)
  period <- getOption("dptda.release_time")
  if (is.null(period)) return(NULL)
  good <- is.numeric(period) && !is.object(period) && length(period) == 1 && is.finite(period) && period >= 0.001
  if (!good) {
    stop_dptda("argument", "The option `dptda.release_time` must be NULL or one number of seconds, at least 0.001, ",
               "not ", describe(period), ".")
  }
  if (release_delays$untold) {
    release_delays$untold <- FALSE
    tell_dptda("late", release_delays$late, " of ", count_of(release_delays$releases, "release"), " in this session ",
               "took longer than the option `dptda.release_time` and returned at a later multiple of it.")
  }
  clock <- list2env(list(period = as.double(period), begun = seconds_now(), late = FALSE, over = FALSE),
                    parent = emptyenv())
  # runs if a call ends after a query of a database, even by a handler of a warning
  end <- function() if (reading$seen && !clock$over) end_clock(clock)
  do.call(on.exit, list(as.call(list(end)), add = TRUE), envir = frame)
  clock
}

# Returns the time of a clock that cannot be set back.
seconds_now <- function() .Call(ffi_base_seconds)

# Waits for the next multiple and restarts the clock there. R's own sleep follows the system time, which may be changed,
# so each sleep is short.
wait_for_clock <- function(clock) {
  if (is.null(clock)) return(invisible())
  times <- max(1, ceiling((seconds_now() - clock$begun) / clock$period))
  until <- clock$begun + times * clock$period
  while ((left <- until - seconds_now()) > 0) Sys.sleep(min(left, 0.5))
  clock$begun <- until
  if (times > 1) clock$late <- TRUE
}

# Returns the value of `code`, or raises its error, at the next multiple: the time until an error may depend on the
# rows. A late release has been charged, and is still returned.
on_time <- function(clock, code) {
  if (is.null(clock)) return(code)
  # does not delay an interrupt by the user
  outcome <- withCallingHandlers(tryCatch(list(value = code), error = function(cnd) list(error = cnd)),
                                 interrupt = function(cnd) clock$over <- TRUE)
  clock$over <- TRUE
  end_clock(clock)
  if (is.null(outcome$error)) outcome$value else stop(outcome$error)
}

end_clock <- function(clock) {
  wait_for_clock(clock)
  release_delays$releases <- release_delays$releases + 1
  if (clock$late) {
    release_delays$late <- release_delays$late + 1
    release_delays$untold <- TRUE
  }
}

release_delays <- list2env(list(releases = 0, late = 0, untold = FALSE), parent = emptyenv())

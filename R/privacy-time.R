# How long a release takes may tell of its rows. Where the option `dptda.release_time` gives a time, a release returns
# when a whole number of such times has passed: one, or the least number that is enough.

# A clock, which begins before a release reads its rows, or NULL. What came late earlier is said here, before anything
# is spent: a handler that ended the call afterwards would lose what has been charged. What `frame` reads of a database
# from here on it reads in one state (base-state.R).
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
    tell_dptda("late", "Of ", count_of(release_delays$releases, "release"), " in this session that had to be on time (",
               "option `dptda.release_time`) ", release_delays$late, " came a multiple of it late.")
  }
  clock <- list2env(list(period = as.double(period), begun = seconds_now(), late = FALSE, over = FALSE),
                    parent = emptyenv())
  # what ends a call after a look at a database, be it a handler of a warning
  end <- function() if (reading$seen && !clock$over) end_clock(clock)
  do.call(on.exit, list(as.call(list(end)), add = TRUE), envir = frame)
  clock
}

# Of a clock that nothing sets back.
seconds_now <- function() .Call(ffi_base_seconds)

# Waits for the next multiple, and the clock begins anew there. R's own sleep ends by the system's time, which somebody
# may set: so it is asked for little at once.
wait_for_clock <- function(clock) {
  if (is.null(clock)) return(invisible())
  times <- max(1, ceiling((seconds_now() - clock$begun) / clock$period))
  until <- clock$begun + times * clock$period
  while ((left <- until - seconds_now()) > 0) Sys.sleep(min(left, 0.5))
  clock$begun <- until
  if (times > 1) clock$late <- TRUE
}

# The value of `code`, or the error that ended it, with the next multiple: what fails once the rows are looked at may
# have taken as long as they say. A release that is late has been charged, and is not lost.
on_time <- function(clock, code) {
  if (is.null(clock)) return(code)
  # what a person ends is not held up
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

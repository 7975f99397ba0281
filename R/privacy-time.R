# How long a release takes may tell of its rows. Where the option `dptda.release_time` gives a time, a release returns
# when a whole number of such times has passed: one, or the least number that is enough.

# When a release begins and what it will wait for, or NULL. What came late earlier is said here, before anything is
# spent: a handler that ended the call afterwards would lose what has been charged.
release_clock <- function() {
  period <- getOption("dptda.release_time")
  if (is.null(period)) return(NULL)
  good <- is.numeric(period) && !is.object(period) && length(period) == 1 && is.finite(period) && period > 0
  if (!good) {
    stop_dptda("argument", "The option `dptda.release_time` must be NULL or one positive number of seconds, not ",
               describe(period), ".")
  }
  if (release_delays$untold) {
    release_delays$untold <- FALSE
    tell_dptda("late", "Of ", count_of(release_delays$releases, "release"), " in this session that had to be on time (",
               "option `dptda.release_time`) ", release_delays$late, " came a multiple of it late.")
  }
  list(period = as.double(period), begun = seconds_now())
}

seconds_now <- function() proc.time()[["elapsed"]]

# A release that is late has been charged, and is not lost: it comes with the next multiple.
wait_for_clock <- function(clock) {
  if (is.null(clock)) return(invisible())
  times <- max(1, ceiling((seconds_now() - clock$begun) / clock$period))
  while ((left <- clock$begun + times * clock$period - seconds_now()) > 0) Sys.sleep(left)
  release_delays$releases <- release_delays$releases + 1
  if (times > 1) {
    release_delays$late <- release_delays$late + 1
    release_delays$untold <- TRUE
  }
}

release_delays <- list2env(list(releases = 0, late = 0, untold = FALSE), parent = emptyenv())

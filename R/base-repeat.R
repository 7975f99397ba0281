# Independent repetitions: on the workers of a plan of the package future, in forked processes, or one after the other.
# The numbers are the same in all three ways and with any number of workers.
#
# Runs are dealt out to parts like cards, and each part draws from its own stream. L'Ecuyer's streams are 2^127 draws
# apart, and a draw from the session's stream chooses the first. The session's stream continues after that draw, even
# after an error or an interrupt, so no draw is used twice. Draws from the operating system are unaffected.

# Returns `run(i)` for i = 1..runs as a list. `parts`: the number of streams, and so of workers that can share. `cores`:
# processes to fork without a plan. `tell` receives the number of runs done. With a plan, the objects that `run` uses
# are sent to its workers, and each worker uses one thread; `needs` names objects that `run` uses without naming them.
repeat_runs <- function(runs, run, parts = min(runs, 1000), cores = 1, tell = function(done) NULL, needs = NULL) {
  if (runs == 0) return(list())
  deal <- rep_len(seq_len(parts), runs)
  cards <- unname(split(seq_len(runs), deal))
  streams <- random_streams(length(cards))
  state <- get(".Random.seed", globalenv())
  on.exit(assign(".Random.seed", state, globalenv()))
  done <- if (plan_is_set()) {
    repeat_on_plan(cards, streams, run, tell, needs)
  } else if (cores > 1 && .Platform$OS.type != "windows") {
    repeat_in_forks(cards, streams, run, cores)
  } else {
    repeat_in_turn(cards, streams, run, tell)
  }
  check_parts(done, cards)
  results <- vector("list", runs)
  results[unlist(cards)] <- unlist(done, recursive = FALSE)
  results
}

# A worker that dies returns fewer results, or none.
check_parts <- function(done, cards) {
  complete <- lengths(done) == lengths(cards) & vapply(done, is.list, NA)
  if (!all(complete)) stop_dptda("worker", "A parallel process ended before it returned its results.")
}

repeat_in_turn <- function(cards, streams, run, tell) {
  done <- 0
  one <- function(i) {
    result <- run(i)
    done <<- done + 1
    tell(done)
    result
  }
  Map(function(card, stream) on_stream(card, stream, one), cards, streams)
}

repeat_in_forks <- function(cards, streams, run, cores) {
  part <- function(k) on_stream(cards[[k]], streams[[k]], run)
  # warnings about errors, which are raised below
  done <- suppressWarnings(parallel::mclapply(seq_along(cards), part, mc.cores = cores, mc.set.seed = FALSE))
  failed <- vapply(done, inherits, NA, what = "try-error")
  if (any(failed)) stop(attr(done[[which(failed)[1]]], "condition"))
  done
}

on_stream <- function(card, stream, run) {
  assign(".Random.seed", stream, globalenv())
  lapply(card, run)
}

repeat_on_plan <- function(cards, streams, run, tell, needs) {
  done <- 0
  lost <- function(cnd) {
    stop_dptda("worker", "A worker of the active `future::plan()` did not return its results: ", conditionMessage(cnd),
               parent = cnd)
  }
  # a worker gets several loads, so that a slow one does not keep the others waiting, and an error arrives early
  withCallingHandlers(
    tryCatch(
      future.apply::future_lapply(cards, work_on(run), future.seed = streams, future.scheduling = 4,
                                  future.globals = structure(TRUE, add = needs)),
      # newer versions of future turn the session's interrupt into this. For a killed worker it names the future
      FutureInterruptError = function(cnd) {
        if (is.null(attr(cnd, "uuid", exact = TRUE))) pass_on_interrupt() else lost(cnd)
      },
      FutureError = lost
    ),
    dptda_part_done = function(cnd) {
      done <<- done + cnd$runs
      tell(done)
    }
  )
}

# Builds the function sent to a worker: it carries `run` and its environment, not the calls that led here. A condition
# of class immediateCondition arrives while other workers are busy, if the plan supports that.
work_on <- function(run) {
  force(run)
  function(card) {
    threads <- options(dptda.threads = 1L)
    on.exit(options(threads))
    results <- lapply(card, run)
    part_done <- list(message = "part done", call = NULL, runs = length(card))
    signalCondition(structure(part_done, class = c("dptda_part_done", "immediateCondition", "condition")))
    results
  }
}

# Checks whether the user has a plan other than "in this session, one after the other". Loads the package future only
# if a plan is set or the environment requests one.
plan_is_set <- function() {
  asked <- isNamespaceLoaded("future") || nzchar(Sys.getenv("R_FUTURE_PLAN")) || !is.null(getOption("future.plan"))
  if (!asked || !requireNamespace("future", quietly = TRUE) || inherits(future::plan(), "sequential")) return(FALSE)
  if (requireNamespace("future.apply", quietly = TRUE)) return(TRUE)
  tell_dptda("plan", "Ignoring the active `future::plan()`: package future.apply is not installed.")
  FALSE
}

# Returns states of R's L'Ecuyer generator, one per stream.
random_streams <- function(count) {
  # six nonzero integers
  stream <- c(10407L, as.integer(1 + floor(stats::runif(6) * (.Machine$integer.max - 1))))
  streams <- vector("list", count)
  for (k in seq_len(count)) {
    streams[[k]] <- stream
    stream <- parallel::nextRNGStream(stream)
  }
  streams
}

# Returns a throttled() function of the fraction done. Without a bar, as in a script, it gives one estimate in advance.
# `private`: within a release, whose time may depend on the rows, so that it must not cause a message.
repeat_progress <- function(label, env = parent.frame(), private = FALSE) {
  report <- kernel_progress(label, env)
  silent <- private || !is.null(getOption("dptda.progress")) || !is.null(getOption("dptda.release_time"))
  if (is.null(report)) report <- if (!silent) estimate_once(label)
  if (is.null(report)) return(function(fraction) NULL)
  throttled(report)
}

# Sends one message as soon as at least ten more seconds are expected.
estimate_once <- function(label, clock = function() proc.time()[["elapsed"]]) {
  begun <- clock()
  told <- FALSE
  function(fraction) {
    left <- (clock() - begun) * (1 - fraction) / fraction
    if (told || !is.finite(left) || left < 10) return(invisible())
    told <<- TRUE
    tell_dptda("progress", label, ": about ", if (left < 90) paste(signif(left, 2), "seconds") else
      paste(signif(left / 60, 2), "minutes"), " to go.")
  }
}

# Independent repetitions: on the workers of a plan of the package future, in forked processes, or one after the other.
# The numbers are the same whatever the way, and however many workers there are.
#
# Runs are dealt out to parts like cards, and each part draws from a stream of its own: L'Ecuyer's streams are 2^127
# draws apart, and the first is chosen by a draw from the stream of the session. That stream goes on behind the draw,
# also after an error or an interrupt: no draw is met twice. What draws from the operating system is not concerned.

# `run(i)` for i = 1..runs, as a list. `parts`: how many streams there are, and so how many workers can share. `cores`:
# processes to fork where no plan is set. `tell` hears how many runs are done. Where a plan is set, what `run` uses is
# sent to its workers, and each of them uses one thread; `needs` are names of what it uses without naming it.
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
      # what new versions of future make of an interrupt of the session; where a worker was killed it names the future
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

# What is sent to a worker: this function and what `run` knows, and nothing of the calls that led here. A condition of
# the class immediateCondition arrives while others still work, where the plan can do that.
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

# Whether the user has a plan that is not "in this session, one after the other". The package future is loaded where
# one was set, or where the environment asks for one.
plan_is_set <- function() {
  asked <- isNamespaceLoaded("future") || nzchar(Sys.getenv("R_FUTURE_PLAN")) || !is.null(getOption("future.plan"))
  if (!asked || !requireNamespace("future", quietly = TRUE) || inherits(future::plan(), "sequential")) return(FALSE)
  if (requireNamespace("future.apply", quietly = TRUE)) return(TRUE)
  tell_dptda("plan", "Ignoring the active `future::plan()`: package future.apply is not installed.")
  FALSE
}

# States of R's L'Ecuyer generator, a stream each.
random_streams <- function(count) {
  # six integers, none of which is zero
  stream <- c(10407L, as.integer(1 + floor(stats::runif(6) * (.Machine$integer.max - 1))))
  streams <- vector("list", count)
  for (k in seq_len(count)) {
    streams[[k]] <- stream
    stream <- parallel::nextRNGStream(stream)
  }
  streams
}

# A function of the fraction done, throttled(). Without a bar, as in a script, it gives one estimate in advance.
# `private`: within a release, whose time may depend on the rows, so that no message may follow from it.
repeat_progress <- function(label, env = parent.frame(), private = FALSE) {
  report <- kernel_progress(label, env)
  silent <- private || !is.null(getOption("dptda.progress")) || !is.null(getOption("dptda.release_time"))
  if (is.null(report)) report <- if (!silent) estimate_once(label)
  if (is.null(report)) return(function(fraction) NULL)
  throttled(report)
}

# One message as soon as at least ten more seconds are expected.
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

# Options of every kernel call, besides its own arguments (ffi-call.h).

# `rng`: NULL for a kernel that draws nothing, "os", "R", or `public_key`. At most as many threads as the machine has
# are used.
kernel_options <- function(rng = NULL, progress = NULL) {
  threads <- getOption("dptda.threads", 2L)
  good <- is.numeric(threads) && !is.object(threads) && length(threads) == 1 && is.finite(threads) && threads >= 1 &&
    threads == floor(threads)
  if (!good) {
    stop_dptda("argument", "The option `dptda.threads` must be one integer at least 1, not ",
               describe(threads), ".")
  }
  list(rng, as.integer(min(threads, 1024)), progress)
}

# Any four numbers: planning needs no secret.
public_key <- c(4, 8, 15, 16)

# Evaluates code with R's generator at a seed, and then restores the generator. With `NULL`, uses its current state.
with_seed <- function(seed, code) {
  if (is.null(seed)) return(code)
  seed <- check_count(seed, lower = -2^31 + 1, upper = 2^31 - 1)
  before <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv()) else
    assign(".Random.seed", before, envir = globalenv()))
  set.seed(seed)
  code
}

# A vector of zeros, or an error with a class if memory does not suffice.
new_doubles <- function(n) {
  no_room <- function(cnd) stop_dptda("memory", "There is not enough memory for ", format(n), " numbers.")
  tryCatch(double(n), error = no_room)
}

# A function of the fraction done for a kernel that may take more than two
# seconds, or NULL. The kernel calls it a few times a second, after two
# seconds. Uses progressr if a handler is set, otherwise cli's bar. Under a
# shared bar, it is the next part. If durations are hidden (privacy-time.R), progress is hidden too.
kernel_progress <- function(label, env = parent.frame()) {
  if (!is.null(getOption("dptda.release_time"))) return(NULL)
  if (!is.null(shared_bar$next_part)) return(shared_bar$next_part())
  wanted <- getOption("dptda.progress", interactive() || progressr_listens())
  if (is.function(wanted)) return(wanted)
  if (!isTRUE(wanted)) return(NULL)
  if (progressr_listens()) return(progress_by_progressr(label, env))
  if (requireNamespace("cli", quietly = TRUE)) return(progress_by_cli(label, env))
  NULL
}

# Shows one bar for consecutive kernels and statements: a release of many
# queries takes long even if each query is short. `parts` is the public maximum
# of their number. Each calls kernel_progress() as it begins, and gets its part
# of the bar.
shared_bar <- new.env(parent = emptyenv())

with_shared_bar <- function(label, parts, code) {
  report <- if (is.null(shared_bar$next_part)) kernel_progress(label)
  if (is.null(report)) return(code) # not wanted, or within another's
  on.exit(shared_bar$next_part <- NULL)
  shared_bar$next_part <- part_counter(report, parts)
  code
}

# A function that begins the next part and returns its function of the fraction done.
part_counter <- function(report, parts) {
  # the work of a listener is not a part of it
  alone <- function(fraction) {
    next_part <- shared_bar$next_part
    on.exit(shared_bar$next_part <- next_part)
    shared_bar$next_part <- NULL
    report(fraction)
  }
  between <- throttled(alone)
  begun <- 0
  function() {
    done <- min(begun, parts - 1)
    begun <<- begun + 1
    if (done > 0) between(done / parts)
    function(fraction) alone((done + fraction) / parts)
  }
}

# A statement is also a part, without progress until it ends.
begin_part <- function() if (!is.null(shared_bar$next_part)) invisible(shared_bar$next_part())

# Reports after two seconds, and then five times a second, like kernels.
throttled <- function(report) {
  clock <- function() proc.time()[["elapsed"]]
  due <- clock() + 2
  function(fraction) {
    if (clock() < due) return(invisible())
    due <<- clock() + 0.2
    report(fraction)
  }
}

# Its user has set a handler, which loads it.
progressr_listens <- function() {
  isNamespaceLoaded("progressr") && isTRUE(try(progressr::handlers(global = NA), silent = TRUE))
}

progress_by_progressr <- function(label, env) {
  step <- progressr::progressor(steps = 100, envir = env)
  done <- 0
  function(fraction) {
    now <- floor(100 * fraction)
    if (now > done) step(label, amount = now - done)
    done <<- max(done, now)
  }
}

progress_by_cli <- function(label, env) {
  bar <- cli::cli_progress_bar(label, total = 100, .auto_close = TRUE, .envir = env)
  function(fraction) cli::cli_progress_update(set = 100 * fraction, id = bar, .envir = env)
}

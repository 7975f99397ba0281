# What every kernel call carries beside its own arguments (ffi-call.h).

# `rng`: NULL for a kernel that draws nothing, "os", "R" or `public_key`.
kernel_options <- function(rng = NULL, progress = NULL) {
  list(rng, kernel_threads(), progress)
}

# Any four numbers: planning needs no secret.
public_key <- c(4, 8, 15, 16)

# More threads than the machine has are not used.
kernel_threads <- function() {
  threads <- getOption("dptda.threads", 2L)
  good <- is_plain_numeric(threads) && length(threads) == 1 && is.finite(threads) && threads >= 1 &&
    threads == floor(threads)
  if (!good) {
    stop_dptda("argument", "The option `dptda.threads` must be one whole number of at least 1, not ",
               describe(threads), ".")
  }
  as.integer(min(threads, 1024))
}

# Evaluates code with R's generator at a seed, and leaves the generator as it was found; `NULL`: where it is.
with_seed <- function(seed, code) {
  if (is.null(seed)) return(code)
  seed <- check_count(seed, lower = -2^31 + 1, upper = 2^31 - 1)
  before <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv()) else
    assign(".Random.seed", before, envir = globalenv()))
  set.seed(seed)
  code
}

# A vector of zeros; where R has no room for it, that is an error with a class.
new_doubles <- function(n) {
  no_room <- function(cnd) stop_dptda("memory", "There is not enough memory for ", format(n), " numbers.")
  tryCatch(double(n), error = no_room)
}

# A function of the fraction done for a kernel that may take more than two
# seconds, or NULL. The kernel calls it a few times a second, after two
# seconds. Uses progressr where a handler is set, else cli's bar.
kernel_progress <- function(label, env = parent.frame()) {
  wanted <- getOption("dptda.progress", interactive())
  if (is.function(wanted)) return(wanted)
  if (!isTRUE(wanted)) return(NULL)
  if (requireNamespace("progressr", quietly = TRUE) && isTRUE(try(progressr::handlers(global = NA), silent = TRUE))) {
    return(progress_by_progressr(label, env))
  }
  if (requireNamespace("cli", quietly = TRUE)) return(progress_by_cli(label, env))
  NULL
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

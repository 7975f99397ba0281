# The guarantee object: what a release promises, and what it does not.

#' The guarantee of a release
#'
#' Every private result of this package carries one guarantee object. It says
#' what is protected (unit and neighboring relation), how strongly (measure),
#' by which mechanism, and what remains outside the proof.
#'
#' @param x An object: a release, such as the result of [private_diagram()].
#' @param ... Not used.
#'
#' @return `privacy()` gives an object of class `dptda_guarantee`, or `NULL`
#'   where `x` carries no guarantee. Its fields: `unit`, `relation`, `measure`
#'   (named numbers, `epsilon` or `rho`), `sensitivity`, `mechanism`, `public`
#'   (a list of the public parameters), `sampler` (`"exact"` or `"mcmc"`),
#'   `random` (`"os"` or `"R"`), `inexact` (what is still floating point) and
#'   `ledger`, a data frame with one row a step: `step`, `measure`, `value`.
#'
#'   `format()` gives its three lines, `print()` shows them.
#' @examples
#' circle <- cbind(cos(1:300), sin(1:300))
#' grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.2)
#' release <- private_diagram(circle, grid, epsilon = 1, m0 = 0.1)
#' privacy(release)
#' privacy(release)$ledger
#' @export
privacy <- function(x, ...) UseMethod("privacy")

#' @rdname privacy
#' @export
privacy.default <- function(x, ...) NULL

# Only for rows that were released under it: topology-diagram.R.
#' @rdname privacy
#' @export
privacy.dptda_diagram <- function(x, ...) diagram_guarantee(x)

new_guarantee <- function(measure, sensitivity, mechanism, public, sampler = "exact", random = "os",
                          inexact = character(), step = mechanism,
                          unit = "one row", relation = "replace one row, n public") {
  ledger <- data.frame(step = step, measure = names(measure), value = unname(measure), stringsAsFactors = FALSE)
  structure(
    list(unit = unit, relation = relation, measure = measure, sensitivity = sensitivity, mechanism = mechanism,
         public = public, sampler = sampler, random = random, inexact = inexact, ledger = ledger),
    class = "dptda_guarantee"
  )
}

#' @rdname privacy
#' @export
format.dptda_guarantee <- function(x, ...) {
  c(
    paste0(format_measure(x$measure), " for ", x$unit, " (", x$relation, ")", format_caveats(x)),
    paste0(x$mechanism, ", sensitivity ", format(x$sensitivity, digits = 4), ", sampler: ", x$sampler),
    paste0("randomness: ", c(os = "operating system", R = "R's stream")[[x$random]],
           if (length(x$inexact)) paste0("; still floating point: ", paste(x$inexact, collapse = ", ")))
  )
}

format_measure <- function(measure) {
  value <- format(unname(measure), digits = 6)
  switch(names(measure),
    epsilon = paste0("epsilon = ", value, " differential privacy"),
    rho = paste0("rho = ", value, " zero-concentrated differential privacy")
  )
}

format_caveats <- function(x) {
  caveats <- c(
    if (x$random == "R") "seeded: not private",
    if (x$sampler == "mcmc") "Markov chain: holds only in the limit of infinitely many steps"
  )
  if (length(caveats)) paste0(" -- ", toupper(paste(caveats, collapse = "; "))) else ""
}

#' @rdname privacy
#' @export
print.dptda_guarantee <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}

# A budget that releases spend from.

#' A privacy budget
#'
#' A budget holds a total. Each release that is given `budget = ` spends from
#' it, and is refused, before anything is drawn, when it asks for more than is
#' left. Pure budgets add up epsilons, concentrated ones rhos.
#'
#' A budget is a reference: passing it to a release changes it. What a release
#' costs is taken just before its noise is drawn, and stays taken if the draw
#' is then interrupted.
#'
#' @param epsilon One positive number: the total for pure differential
#'   privacy.
#' @param rho One positive number: the total for zero-concentrated
#'   differential privacy. Exactly one of `epsilon` and `rho` is given.
#' @param x A budget.
#' @param ... Not used.
#'
#' @return An object of class `dptda_budget`. `print()` shows its ledger: one
#'   row a release. `budget$ledger` is that ledger as a data frame with the
#'   columns `step`, `measure`, `value`; `budget$total` and `budget$spent` are
#'   numbers.
#' @examples
#' budget <- privacy_budget(epsilon = 3)
#' circle <- cbind(cos(1:300), sin(1:300))
#' grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.2)
#' first <- private_diagram(circle, grid, epsilon = 1, m0 = 0.1, budget = budget)
#' budget
#' try(private_diagram(circle, grid, epsilon = 2.5, m0 = 0.1, budget = budget))
#' @export
privacy_budget <- function(epsilon = NULL, rho = NULL) {
  measure <- check_measure(epsilon, rho)
  budget <- new.env(parent = emptyenv())
  budget$measure <- names(measure)
  budget$total <- unname(measure)
  budget$spent <- 0
  budget$ledger <- data.frame(step = character(), measure = character(), value = double())
  structure(budget, class = "dptda_budget")
}

# Exactly one of `epsilon` and `rho`, as a named positive number.
check_measure <- function(epsilon, rho) {
  if (is.null(epsilon) == is.null(rho)) {
    stop_argument("epsilon", "or `rho` must be given, one of the two, not ",
                  if (is.null(rho)) "neither" else "both", ".")
  }
  if (is.null(rho)) {
    c(epsilon = check_number(epsilon, 0, open_lower = TRUE))
  } else {
    c(rho = check_number(rho, 0, open_lower = TRUE))
  }
}

# Can the budget pay? A classed error if not; NULL pays for everything.
check_budget <- function(budget, measure, arg = deparse1(substitute(budget))) {
  if (is.null(budget)) return(NULL)
  check_class(budget, "dptda_budget", "privacy_budget()", arg)
  if (budget$measure != names(measure)) {
    stop_dptda("budget", "`", arg, "` is kept in ", budget$measure, " and the release is priced in ", names(measure),
               "; give the release `", budget$measure, "` instead.")
  }
  # a budget of 1 pays for ten releases of 0.1
  if (budget$spent + measure > budget$total * (1 + 1e-12)) {
    stop_dptda("budget", "`", arg, "` has ", budget$measure, " = ", format(max(budget$total - budget$spent, 0)),
               " left and the release asks for ", format(unname(measure)), ".")
  }
  budget
}

spend_budget <- function(budget, step, measure) {
  if (is.null(budget)) return(invisible())
  budget$spent <- budget$spent + unname(measure)
  budget$ledger <- rbind(budget$ledger, data.frame(step = step, measure = names(measure), value = unname(measure)))
  invisible(budget)
}

#' @rdname privacy_budget
#' @export
print.dptda_budget <- function(x, ...) {
  cat("<privacy budget> ", x$measure, ": ", format(x$spent), " of ", format(x$total), " spent\n", sep = "")
  if (nrow(x$ledger)) print(x$ledger, row.names = FALSE)
  invisible(x)
}

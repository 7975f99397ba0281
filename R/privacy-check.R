# Checks whether a budget suffices for several releases, before the first of them is made.

#' Check that a budget suffices for several releases
#'
#' Checks whether a budget can be charged for several planned releases, one after the other. If not, it raises the error
#' of the first release that does not fit. Without this check, the releases before that one are made and their budget is
#' spent.
#'
#' The check uses the budget's own accounting and includes its earlier charges. For example, two releases with
#' `epsilon = 0.6` each fit into a budget of 1, but not together.
#'
#' @param budget A [privacy_budget()].
#' @param x A mechanism ([privacy_price()]), a release or its guarantee ([privacy()]), or a list of these. Names of the
#'   list are used in messages.
#'
#' @return The budget, invisibly.
#'
#' @section Privacy:
#' Nothing is charged, and nothing is reserved. If others charge the same ledger, less may be left when the releases are
#' made. Each release checks again.
#' @seealso [recipe_script()], whose scripts run this check before they read a row.
#' @examples
#' box <- domain_box(c(age = 15), c(age = 50))
#' plan <- list(
#'   age = private_mean(unseen(248), box, epsilon = 0.5),
#'   cases = private_count(unseen(248), epsilon = 0.6)
#' )
#' privacy_check(privacy_budget(epsilon = 1.1), plan)
#' try(privacy_check(privacy_budget(epsilon = 1), plan))
#' @export
privacy_check <- function(budget, x) {
  if (missing(budget)) stop_missing("budget", "a budget, as privacy_budget() makes it")
  check_class(budget, "dptda_budget", "privacy_budget()", "budget")
  if (missing(x)) stop_missing("x", "mechanisms, in a list")
  check_fit(budget, guarantees_of(x))
}

# The guarantees of a mechanism, a release, or all elements of a list.
guarantees_of <- function(x) {
  one <- function(x) {
    if (inherits(x, "dptda_mechanism")) check_mechanism_object(x, "x")$guarantee else as_guarantee(x, "x")
  }
  if (!is.list(x) || is.object(x)) return(list(one(x)))
  if (!length(x)) stop_argument("x", "must have at least one mechanism, not be an empty list.")
  lapply(x, one)
}

# Each may fit alone, but not all together. Earlier charges count.
check_fit <- function(budget, guarantees) {
  refuse_copies(budget_handle(budget, "budget"), "budget")
  account <- detach_copy(charging_account(budget, "budget"))
  for (i in seq_along(guarantees)) {
    account$planned <- i > 1
    new <- of_release(names(guarantees)[i], length(guarantees),
                      price_release(account, "", guarantees[[i]], "budget"))
    account$tally <- add_to_tally(account_tally(account), account, new)
  }
  invisible(budget)
}

# Names the release in an error, if there are several.
of_release <- function(name, count, code) {
  if (count == 1 || !is_one_string(name) || !nzchar(name)) return(code)
  tryCatch(code, dptda_error = function(parent) {
    parent$message <- paste0("Release `", name, "`: ", parent$message)
    stop(parent)
  })
}

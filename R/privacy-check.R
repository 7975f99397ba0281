# Whether a budget reaches for several releases, before the first of them is made.

#' Whether a budget reaches for several releases
#'
#' Asks whether a budget can be charged for several planned releases, one after the other, and raises the error that
#' the first one which does not fit would raise. Releases that are made one by one without asking are
#' charged until one does not fit: what the earlier ones have spent is gone by then.
#'
#' The budget's own accounting is asked, with what it was charged for before: all of the releases may fit where
#' each by itself does, or not.
#'
#' @param budget A [privacy_budget()].
#' @param x A mechanism ([privacy_price()]), a release or its guarantee ([privacy()]), or a list of these. Names of the
#'   list are what messages call them.
#'
#' @return The budget, invisibly.
#'
#' @section Privacy:
#' Nothing is charged, and nothing is kept free: where others charge the same ledger, it may have less once the releases
#' are made. Each of them asks again.
#' @seealso [recipe_script()], whose scripts ask this before they read a row.
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

# Of a mechanism, a release, or of all in a list.
guarantees_of <- function(x) {
  one <- function(x) {
    if (inherits(x, "dptda_mechanism")) check_mechanism_object(x, "x")$guarantee else as_guarantee(x, "x")
  }
  if (!is.list(x) || is.object(x)) return(list(one(x)))
  if (!length(x)) stop_argument("x", "must have at least one mechanism, and is an empty list.")
  lapply(x, one)
}

# Each by itself may fit, and not all of them. What was spent before counts.
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

# An error says of which release it is, where there are several.
of_release <- function(name, count, code) {
  if (count == 1 || !is_one_string(name) || !nzchar(name)) return(code)
  tryCatch(code, dptda_error = function(parent) {
    parent$message <- paste0("Of the release `", name, "`: ", parent$message)
    stop(parent)
  })
}

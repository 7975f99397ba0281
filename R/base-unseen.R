#' Rows without data
#'
#' `unseen()` describes rows by public facts alone: their number, and the kind of people they belong to. A release of
#' such rows returns its mechanism, and nothing is released or charged. For example, you can compute the
#' [privacy cost][privacy_price()] of `private_mean(unseen(248), box, epsilon = 1)`, simulate it, or
#' [audit][audit_mechanism()] it before you have data.
#'
#' Functions with an argument `n`, the number of rows, accept `unseen()` for people with several rows each.
#'
#' @param n One integer: the public number of rows, or of vertices of a graph. With `person`, the number of people. The
#'   number of rows of people is private.
#' @param ... Not used. Later arguments must be named.
#' @param person `NULL`, or a string: the name of the people, as in `person` of [table_rows()].
#' @param rows_of_person `"all"` uses all rows of a person, and all people have the same total weight. `"one"` uses one
#'   row of each person, drawn at random.
#' @param complete `TRUE` or `FALSE`: whether each person has at least one row. For tables with `people`, it is `FALSE`.
#' @param missing `"error"`, or `"omit"` for tables that leave out missing values (`missing` of [table_rows()]).
#' @param in_database `TRUE` or `FALSE`: whether the rows are in a database. Some plans of [private_synthesis()] then
#'   use fewer queries, and some methods need rows in memory.
#'
#' @return An object of class `dptda_unseen`.
#' @seealso [table_rows()]
#' @examples
#' privacy_price(private_count(unseen(500), epsilon = 1))
#' privacy_price(private_count(unseen(500, person = "patient"), epsilon = 1))
#' @export
unseen <- function(n, ..., person = NULL, rows_of_person = c("all", "one"), complete = TRUE,
                   missing = c("error", "omit"), in_database = FALSE) {
  check_no_dots(...)
  if (missing(n)) stop_missing("n")
  if (!is.null(person) && (!is_one_string(person) || !nzchar(person))) {
    stop_argument("person", "must be NULL or a nonempty string, not ", describe(person), ".")
  }
  n <- if (is.null(person)) check_count(n, 0) else check_count(n, 1, max_people)
  take <- check_choice(rows_of_person, c("all", "one"))
  complete <- check_flag(complete)
  if (is.null(person) && (take == "one" || !complete)) {
    stop_argument("person", "must be given if `rows_of_person` or `complete` is given.")
  }
  new_unseen(as.double(n), person, take, complete, check_choice(missing, c("error", "omit")) == "omit",
             check_flag(in_database))
}

# Creates unseen rows. A release adds `columns`, their names if known, and `arg`, its name for these rows.
new_unseen <- function(n, person, take, complete, omit = FALSE, in_database = FALSE) {
  new_result(list(n = n, person = person, rows_of_person = take, complete = complete, omit = omit,
                  in_database = in_database, columns = NULL, arg = NULL), "dptda_unseen")
}

is_unseen <- function(x) inherits(x, "dptda_unseen")

max_people <- 2^31 - 1

define_class("dptda_unseen", "unseen()", person = is_null_or(is_one_string), complete = is_one_flag,
             n = function(x) is_one_number(x) && x >= 0 && x == floor(x), omit = is_one_flag, in_database = is_one_flag,
             rows_of_person = function(x) is_one_string(x) && x %in% c("all", "one"),
             .valid = function(x) is.null(x$person) || x$n >= 1 && x$n <= max_people)

#' @rdname unseen
#' @param x A `dptda_unseen`.
#' @export
print.dptda_unseen <- function(x, ...) {
  check_valid(x, "dptda_unseen")
  if (is.null(x$person)) cat("<rows> ", format_count(x$n), sep = "") else
    cat("<people> ", format_count(x$n), " (`", x$person, "`), ",
        if (x$rows_of_person == "one") "one random row" else "all rows", " of each",
        if (!x$complete) ", some without rows", sep = "")
  cat(if (x$omit) ", missing values left out", ", without data\n", sep = "")
  invisible(x)
}

#' Rows that nobody has seen
#'
#' Stands in the place of rows, and says how many there are and whose they are, without the rows. A release of it is its
#' mechanism: `private_mean(unseen(248), box, epsilon = 1)` has a [price][privacy_price()], and can be simulated and
#' [audited][audit_mechanism()] before there are rows. Nothing is released or charged.
#'
#' Functions that take a number `n` of rows take `unseen()` for people who have many rows each.
#'
#' @param n One whole number: how many rows there are; for a graph, vertices; with `person`, people. It is public; the
#'   number of rows of people is not.
#' @param ... Must be empty: what follows is given by name.
#' @param person `NULL`, or a string: what a person is called, the name of the column in [table_rows()].
#' @param rows_of_person `"all"`: all rows of a person count, and weigh the same together for each person; `"one"`: one
#'   row of each person, drawn at random, is looked at.
#' @param complete `TRUE` or `FALSE`: whether each person has at least one row. It is `FALSE` of tables with `people`.
#' @param missing `"error"`, or `"omit"` for tables that leave missing values out (`missing` of [table_rows()]).
#' @param in_database `TRUE` or `FALSE`: whether the rows are in a database. Some plans of [private_synthesis()] then
#'   ask fewer questions, and some methods need rows in memory.
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
    stop_argument("person", "must be NULL or one string that is not empty, not ", describe(person), ".")
  }
  n <- if (is.null(person)) check_count(n, 0) else check_count(n, 1, max_people)
  take <- check_choice(rows_of_person, c("all", "one"))
  complete <- check_flag(complete)
  if (is.null(person) && (take == "one" || !complete)) {
    stop_argument("person", "must be given where `rows_of_person` or `complete` is.")
  }
  new_unseen(as.double(n), person, take, complete, check_choice(missing, c("error", "omit")) == "omit",
             check_flag(in_database))
}

# A release adds `columns`, their names, where it knows them, and `arg`, what it calls these rows.
new_unseen <- function(n, person, take, complete, omit = FALSE, in_database = FALSE) {
  new_result(list(n = n, person = person, rows_of_person = take, complete = complete, omit = omit,
                  in_database = in_database, columns = NULL, arg = NULL), "dptda_unseen")
}

is_unseen <- function(x) inherits(x, "dptda_unseen")

in_memory_only.dptda_unseen <- function(rows, arg, ...) if (rows$in_database) stop_argument(arg, ...) else rows

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
    cat("<people> ", format_count(x$n), ", each with all rows of one `", x$person, "`",
        if (x$rows_of_person == "one") ", of which one is drawn", if (!x$complete) "; some may have none", sep = "")
  cat(if (x$omit) "; missing values are left out", "; nobody has seen them\n", sep = "")
  invisible(x)
}

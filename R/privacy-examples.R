# Examples of mechanisms, each defined beside its mechanism, in the same file. Audits, tests, and tables loop over all
# of them, so a new release is included once it has an example.

# Methods for the class of a plan return a list of examples: of releases (release_example()), and of steps with their
# own guarantee (step_example()). The first example is the simplest.
example_of <- function(plan) UseMethod("example_of")

# Makes an example of private_<what>(). `settings`: a named list of all arguments after the rows, except `budget` and
# `rng`. `x` and `neighbor`: neighbors that move the statistic as far as possible, or nearly, from audit_neighbors() or
# by hand. `n`: the number of rows, or unseen() rows. `part`: a function for the part of an output that an audit uses
# (audit_mechanism()). `off`: for the exponential mechanism, a function for the error of a result from `x`, in units of
# noise_of(). `note`: distinguishes it from other examples. `slow`: whether audits need fewer runs because each is slow.
release_example <- function(what, note, x, neighbor, settings, n = example_units(x), part = NULL, slow = FALSE,
                            off = NULL) {
  release <- paste0("private_", what)
  new_example(paste0(release, if (nzchar(note)) paste0("(", note, ")")),
              do.call(release, c(list(if (is_unseen(n)) n else unseen(n)),
                                 settings)), x, neighbor, part, slow, release, settings, off)
}

# Returns the number of rows, or the units of rows from table_rows(), which may be people.
example_units <- function(x) if (inherits(x, "dptda_rows")) public_units(x) else NROW(x)

# Makes rows of people from a data frame whose last column identifies the person of each row.
people_example <- function(frame) {
  who <- ncol(frame)
  frame[[who]] <- as.integer(frame[[who]])
  table_rows(frame, person = names(frame)[who])
}

# Makes an example of one step of a release, as a mechanism.
step_example <- function(name, mechanism, x, neighbor, part = NULL) new_example(name, mechanism, x, neighbor, part)

new_example <- function(name, mechanism, x, neighbor, part, slow = FALSE, release = NULL, settings = NULL, off = NULL) {
  list(name = name, mechanism = mechanism, x = x, neighbor = neighbor, part = part, slow = slow, release = release,
       settings = settings, off = off)
}

# Makes a mechanism of a step: a plan whose class ends with "step", with its cost. Its rows are used as they are.
step_mechanism <- function(class, measure, ...) {
  name <- paste("one step of a release:", class[1])
  new_mechanism(public_plan(c(class, "step"), ...), new_guarantee(measure, NA_real_, name, list(), sampler = "exact"))
}

rows_for.step <- function(plan, x) x

result_of.step <- function(plan, drawn) drawn

noise_of.step <- function(plan) noise_lines(character(), character(), double(), double(), double())

# Returns links to all releases in alphabetical order, for the code in help pages.
listed_releases <- function() {
  namespace <- environment(listed_releases)
  known <- grep("^private_", ls(namespace), value = TRUE)
  releases <- Filter(function(name) all(c("budget", "rng") %in% names(formals(get(name, namespace)))), known)
  paste0("[", sort(releases, method = "radix"), "()]", collapse = ", ")
}

#' Examples of all mechanisms, with neighboring data sets
#'
#' `mechanism_examples()` returns one or more examples of each private release, and of steps of releases that deserve
#' their own audit. Each example is a mechanism with two small neighboring data sets that move its statistic as far as
#' possible, or nearly. The audits in `system.file("audits", package = "dptda")` run over all examples.
#'
#' @param pattern `NULL` or a string: return only the examples with this text in their names.
#' @param ... Must be empty.
#' @return A named list with one element per example, a list of:
#'
#'   * `name` and `mechanism` (see [privacy_price()]).
#'   * `x` and `neighbor`: two neighboring data sets.
#'   * `part`: `NULL`, or a function that selects the output that [audit_mechanism()] tests.
#'   * `slow`: `TRUE` if a run takes so long that an audit uses fewer runs.
#'   * For releases only: `release`, the name of the function, and `settings`, a list of its arguments other than the
#'     rows.
#'   * `off`, for releases only: `NULL`, or for selections a function that returns the error of one result from `x`, in
#'     the units that [privacy_price()] uses.
#' @seealso [audit_mechanism()], [privacy_price()]
#' @examples
#' example <- mechanism_examples("private_sum")[[1]]
#' example$mechanism
#' audit_mechanism(example$mechanism, example$x, example$neighbor,
#'               part = example$part)
#' names(mechanism_examples("kmeans"))
#' @export
mechanism_examples <- function(pattern = NULL, ...) {
  check_no_dots(...)
  if (!is.null(pattern) && !is_one_string(pattern)) {
    stop_argument("pattern", "must be NULL or one string, not ", describe(pattern), ".")
  }
  found <- all_examples()
  if (is.null(pattern)) found else found[grepl(pattern, names(found), fixed = TRUE)]
}

# Caches examples for the session. They take seconds to make, and hold no budget.
made_examples <- new.env(parent = emptyenv())

all_examples <- function() {
  if (is.null(made_examples$all)) {
    found <- unlist(lapply(example_classes(), function(class) example_of(public_plan(class))), recursive = FALSE)
    made_examples$all <- stats::setNames(found, vapply(found, `[[`, "", "name"))
  }
  made_examples$all
}

# Returns the classes of plans that have examples, by their methods.
example_classes <- function() {
  sort(sub("^example_of[.]", "", ls(topenv(), pattern = "^example_of[.]")), method = "radix")
}

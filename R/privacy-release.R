#' Arguments that all private releases share
#'
#' Documents the arguments that all functions `private_*()` share. The data come first, then the public arguments, then
#' the cost (`epsilon`, `rho`, or `mu`). All later arguments have a default and must be named.
#'
#' @details
#' # Randomness
#' Releases draw from the operating system's entropy by default, so [set.seed()] does not affect them. Simulations, such
#' as [rmanifold_laplace()] and [nonprivate_chain()], draw from R's stream, so [set.seed()] makes them reproducible.
#'
#' # Planning a release
#' If you pass [unseen()] rows instead of data, the result is the mechanism. Its privacy cost and its noise are computed
#' by [privacy_price()], without data.
#'
#' # Forms of the cost
#' * `epsilon`: the simplest guarantee, without exceptions. Use it for one release, or for a few.
#' * `epsilon` with `delta`: Gaussian noise, which is smaller if one row changes many numbers. Use it if a rule is in
#'   this form.
#' * `mu`: for Gaussian noise, without loss (Dong, Roth, and Su 2022). Use it for many releases of sums, counts, or
#'   clusters.
#' * `rho`: also for many releases. It is better than `mu` if they use exponential mechanisms, as diagrams and quantiles
#'   do.
#'
#' Costs in `rho`, and squares of `mu`, add up. Convert the total once ([privacy_convert()]). For example, a hundred
#' counts with `mu = 0.1` each have `mu = 1` together. Gaussian noise is a normal variate that is rounded to an integer.
#' Rounding adds 1/12 to its variance, in units of one integer.
#'
#' # Choosing delta
#' A `delta` is meaningful only if it is far below 1 / n. A mechanism that publishes one of `n` rows, picked at random,
#' satisfies `delta = 1 / n`. If `delta` is 1 / n or larger, you get a warning of class `dptda_warning_delta` when the
#' mechanism is made, before any budget is spent. [weak_releases] lists all warnings about releases whose guarantee or
#' result will be weak. They depend on public numbers only.
#'
#' # Rows outside the public domain
#' Values outside the declared domain are silently moved into it, because a message about a row would reveal something
#' about that row. For example, with `box = c(15, 50)` an age of 70 becomes 50.
#'
#' # Guarantee and intervals
#' [privacy()] returns the guarantee of a release. `vignette("privacy-model", package = "dptda")` explains what it
#' covers and what it does not.
#'
#' A released number has two intervals. `confint(release)` is for the number that these rows give, and accounts for
#' noise. `confint(release, of = "population")` is for the number behind the rows, and accounts for noise and sampling
#' error, if rows are independent draws ([private_value]). Neither costs any budget.
#' `vignette("population", package = "dptda")` shows both, and how often they hold.
#'
#' # Spelling
#' Choices from a fixed list, such as names of methods, may be in capital letters. Names of columns are case-sensitive.
#'
#' @param epsilon One positive number: the parameter of pure differential privacy. Supply one of `epsilon`, `rho`,
#'   and `mu`.
#' @param rho One positive number: the parameter of zero-concentrated differential privacy, instead of `epsilon`.
#' @param delta `NULL`, or one number in (0, 1), together with `epsilon`: adds Gaussian noise, as little as
#'   (`epsilon`, `delta`)-differential privacy allows. Choose it far below 1 / n. A `delta` of 1 / n or more causes a
#'   warning.
#' @param mu `NULL`, or one positive number, instead of `epsilon`: the parameter of Gaussian differential privacy.
#'   Gaussian noise then has a standard deviation of the sensitivity divided by `mu`.
#' @param ... Not used. Later arguments must be named.
#' @param columns A character vector: the columns to use, if `x` is a data frame, a tibble, or a table of a database
#'   ([table_rows()]). By default (`NULL`), the columns that the public argument (`box`, `levels`, or
#'   `breaks`) names, or all columns if it is unnamed.
#' @param budget `NULL`, or a [privacy_budget()] that is charged for the release.
#' @param rng `"os"` or `"R"`: draws from the operating system's entropy, or from R's stream, which [set.seed()]
#'   controls. A release with `rng = "R"` is not private, and its guarantee states that.
#' @return A release with its guarantee ([privacy()]). A release that is changed loses its guarantee. Numbers are
#'   returned as a [private_value]; results computed from them keep the guarantee ([private_arithmetic]). Diagrams are
#'   returned as a [persistence_diagram()], boxes as a [domain_box()], and graphs as a [private_graph()].
#' @references
#' Dong, J., Roth, A. and Su, W. (2022). Gaussian differential privacy. *Journal
#' of the Royal Statistical Society B* 84, 3-37.
#' @seealso `r listed_releases()`
#' @examples
#' private_count(c(TRUE, FALSE, TRUE), epsilon = 1)
#' try(private_count(c(TRUE, FALSE, TRUE), epsilno = 1))
#' @name private_release
NULL

# Runs a release: public checks by its caller, then this function. `read(x)` checks the rows and returns them as
# statistic_of() takes them. `make(units, rows)` returns the mechanism: `units` are as check_public_units() takes them,
# and only public properties of `rows` are used, such as the names of columns. `place(plan, rows)` is for rows that take
# their final form once the plan exists. `columns`: the columns of unseen rows, evaluated for these only. `once`:
# whether one query returns the statistic, and neither the query nor its cost depends on the number of rows (there is
# no place() then).
#
# For unseen() rows the mechanism is the result: it has a price, and it can be simulated and audited. Code that uses
# `x` before read() runs outside of the single state in which a database is queried.
release <- function(x, budget, rng, read, make, columns = NULL, place = function(plan, rows) rows, once = FALSE,
                    arg = deparse1(substitute(x))) {
  rng <- check_choice(rng, c("os", "R"))
  clock <- release_clock()
  if (is_unseen(x)) {
    if (!is.null(budget)) {
      stop_argument("budget", "must be NULL for unseen() rows: nothing is released, and nothing is charged. ",
                    "Use privacy_check() to check whether a budget suffices.")
    }
    check_valid(x, "dptda_unseen", arg)
    x[c("columns", "arg")] <- list(columns, arg)
    return(make(x, x))
  }
  if (once) count_later()
  rows <- read(x)
  asked <- if (is_counted(rows)) list(rows = rows) else ask_once(rows, make, budget, rng)
  mechanism <- make(public_units(asked$rows), asked$rows)
  draw_release(mechanism, place(mechanism$plan, asked$rows), budget, rng, clock, asked)
}

# Computes the statistic and the number of rows in one query. The mechanism for one row has the same query and cost, so
# the budget is checked first, and a release beyond it reads no row. Later, only public numbers, including this number
# of rows, can stop the release before its charge (base-rows.md). If the noise for one row exceeds the doubles, rows are
# counted first, because for many rows it may not.
ask_once <- function(rows, make, budget, rng) {
  one <- tryCatch(make(1, rows), dptda_error_overflow = function(cnd) NULL)
  if (is.null(one)) return(list(rows = count_now(rows)))
  one$guarantee$random <- rng
  mark <- ask_budget(budget, one$guarantee)
  plan <- plan_without_n(one$plan)
  statistic <- seen_by(statistic_of(plan, rows))
  list(rows = counted_rows(rows), plan = plan, statistic = statistic, mark = mark)
}

# Returns the parts of a plan that a statistic may use before rows are counted. If they differ for the actual number of
# rows, draw_release() computes the statistic again.
plan_without_n <- function(plan) {
  plan[c("n", "unit")] <- list(NULL) # `$n` would match a longer name
  plan
}

# Runs the steps of every release, in one place so that no mechanism can get their order wrong: public checks, check of
# the budget, announcements from public numbers, statistic, charge, noise. After the charge, nothing can fail for a
# public reason. Only these functions charge a budget, which a test enforces.

# Rows enter a mechanism here (privacy-mechanism.R), and its release leaves with its guarantee. `rows`: the argument of
# statistic_of(), such as rows, a graph, or points. All queries of a database use one state of it. `clock`:
# release_clock(), started before the rows were read. `asked`: the result of ask_once(), if it was called.
draw_release <- function(mechanism, rows, budget, rng, clock = NULL, asked = NULL) {
  guarantee <- mechanism$guarantee
  guarantee$random <- rng
  whole <- after_earlier(guarantee, mechanism$earlier) # refuses what cannot be composed, before the charge
  plan <- mechanism$plan
  refuse_other_units(rows, guarantee)
  draw <- function(statistic) {
    if (is.null(mechanism$adaptive)) {
      draw_of(plan, statistic, rng)
    } else {
      draw_by_questions(plan, statistic, mechanism$adaptive, rng)
    }
  }
  known <- !is.null(asked$plan) && identical(asked$plan, plan_without_n(plan))
  mark <- if (known) asked$mark else ask_budget(budget, guarantee)
  announce_weak(mechanism)
  announce(plan)
  on_time(clock, {
    rows <- settle_rows(rows, rng)
    drawn <- in_one_state(rows, function(looked) {
      statistic <- if (known) asked$statistic else statistic_of(plan, rows)
      charge_and_draw(budget, guarantee, statistic, draw, clock, looked)
    })
    attach_guarantee(mark_draw(result_of(plan, drawn), mark), whole)
  })
}

# Checks that the guarantee is for the unit of the rows: a row, or a person with all of their rows.
refuse_other_units <- function(rows, guarantee) {
  refuse_left_out(rows, guarantee)
  if (identical(person_of(rows), guarantee$person)) return(invisible())
  stop_argument("x", "has rows of people, which this release does not support. Without `person` in table_rows(), each ",
                "row is a unit.")
}

# Refuses rows that drop missing values, if the mechanism was made for rows that do not.
refuse_left_out <- function(rows, guarantee) {
  if (is_omitting(rows) && !identical(guarantee$public$missing, "omit")) {
    rows$omit_known <- NULL
    refuse_omitting(rows)
  }
  rows
}

# Marks numbers with their draw, so that using one draw twice does not count as two draws. The mark is 128 random bits
# of the system, drawn before the charge and independent of rows. Values do not suffice, as two draws may be equal.
# Seeded draws get no mark, because it would differ for equal seeds.
mark_draw <- function(x, mark) {
  if (inherits(x, "dptda_private_value")) attr(x, "draw") <- mark
  x
}

# Refuses a release without a budget if the option requires one, even if `budget` is NULL by accident.
refuse_uncharged <- function() {
  wanted <- getOption("dptda.budget", "optional")
  if (identical(wanted, "optional")) return(invisible())
  if (!identical(wanted, "required")) {
    stop_dptda("argument", "The option `dptda.budget` must be \"required\" or \"optional\", not ", describe(wanted),
               ".")
  }
  stop_dptda("budget", "`budget` must not be NULL, because the option `dptda.budget` is \"required\".")
}

# Checks the budget and the source of randomness before rows are used. Returns the mark of the draw.
ask_budget <- function(budget, guarantee) {
  guarantee <- unclass(guarantee) # no method is dispatched
  check_charge(budget, guarantee)
  check_source(guarantee$random)
}

check_charge <- function(budget, guarantee) {
  if (is.null(budget)) refuse_uncharged() else check_budget(budget, guarantee, "budget")
}

# `guarantee`: the guarantee of the result, made before the charge, with all public numbers that the result needs.
# `statistic`: the exact statistic. `draw`: a function of it. `clock`: delays a charge to a file, because the time of
# writing is visible. `looked`: see in_one_state().
charge_and_draw <- function(budget, guarantee, statistic, draw, clock = NULL, looked = function(seen) NULL) {
  guarantee <- unclass(guarantee)
  force(statistic)
  looked(statistic)
  if (!is.null(clock) && is_kept_in_file(budget)) wait_for_clock(clock)
  process <- Sys.getpid()
  spend_budget(budget, guarantee = guarantee)
  drawn <- draw(statistic)
  # a callback may fork and return in both processes, but only one was charged
  if (Sys.getpid() != process) {
    statistic <- drawn <- NULL # a handler of the error sees this frame
    stop_dptda("budget", "A release must end in the process that started it. This is a forked worker of that process.")
  }
  drawn
}

# Checks that kernels can run with the current options and that there is entropy. Returns the mark of a draw.
check_source <- function(rng) {
  options <- kernel_options(rng)
  if (rng == "os") paste(sprintf("%04x", floor(65536 * .Call(ffi_base_draw_units, 8, options))), collapse = "")
}

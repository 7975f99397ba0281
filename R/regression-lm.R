# Private linear and logistic regression: the releases. Columns and their ranges are in regression-design.R, the query
# of the rows in regression-query.R, and the rounds in regression-fit.R.

#' Private linear and logistic regression
#'
#' `private_lm()` fits a linear model, and `private_glm()` a logistic one, under differential privacy. Coefficients come
#' in the units of the data, each with an interval that accounts for sampling error and noise.
#'
#' @details
#' # Public arguments
#' Each numeric variable of the formula, the response included, needs a side of the box, and each factor needs its
#' levels. The first level is the reference, and a value that matches none is in the level `"other"`. Values outside
#' their side are moved into it, silently.
#'
#' Terms may use `:`, `*`, `^`, `-1`, and functions of one row: arithmetic, comparisons, `log()`, `exp()`, `sqrt()`,
#' `abs()`, `pmin()`, `pmax()`, and `I()`. Their ranges follow from those of the variables. If a range is not finite,
#' such as that of `log(income)` for incomes from 0, give the expression a side of its own:
#' `list("log(income)" = c(0, 14))`. Functions that depend on other rows (`scale()`, `poly()`, `cut()`, `.`) are errors.
#'
#' # Method
#' Each of `rounds` rounds adds exact noise to the products of all columns, in the coordinates in which the previous
#' round found them uncorrelated. A filter with a public prior combines the rounds. With all ranges brought to
#' `[-1, 1]`, the prior of a coefficient is normal with standard deviation 1, and 3 for a logistic model. A coefficient
#' is *not learned* if its noise is still above a quarter of this.
#'
#' Rows far from the others get less weight, by their columns and not by their response, and residuals are cut at 2.5 or
#' more standard deviations. If the model is right, neither biases the slopes. A last query moves the intercept to the
#' mean residual. If the model is wrong, the line is that of most rows. `print()` shows how much weight was taken.
#'
#' # Intervals
#' `confint()` accounts for noise only. Its target is what the same weights and cuts give without noise: if the model is
#' wrong, this is not [stats::lm()]. With `of = "population"`, it accounts for sampling error and noise, if the model is
#' right and rows are independent draws. If n is large enough, 15% of the budget measures the products of scores
#' (residual times column), and errors of a linear model may have unequal variances. Otherwise, `print()` says that
#' they must be equal. People with several rows have no interval for the population.
#'
#' There is no pure `epsilon`: its noise for the p^2 / 2 numbers of a round would be several times as large.
#'
#' @param x A data frame, or a table of a database ([table_rows()]), with the variables of `formula`.
#' @param formula A formula such as `hours ~ age * sex`. Public.
#' @param box A public box with a side for each numeric variable: from [domain_box()], or a list of pairs
#'   `c(lower, upper)`, named by variable. `NULL` if the formula has no numeric variable.
#' @param levels `NULL`, or a list of the public levels of each factor, named by variable.
#' @param epsilon,rho One positive number. Supply `epsilon` together with `delta`, `rho`, the parameter of
#'   zero-concentrated differential privacy, or `mu`.
#' @param delta One number in (0, 1), together with `epsilon`. Choose it far below 1 / n.
#' @param rounds An integer from 1 to 20: the number of rounds over the rows.
#' @inheritParams private_release
#' @return An object of class `dptda_private_regression`, a list with:
#'
#' * `coefficients`: one number per column of the model, named as in [stats::lm()].
#' * `noise` and `sampling`: the covariance matrices of noise and of sampling error.
#' * `learned`: a logical vector.
#' * `sigma`, the standard deviation of residuals, and `weight`, the fraction of the rows' weight that shortening left,
#'   are `NA` for logistic models.
#' * `robust`: `TRUE` if sampling errors account for unequal variances.
#' * `n.obs`: the number of rows. If it is private, a noisy estimate.
#'
#' `coef()`, `confint()`, `vcov()`, `predict()`, `summary()`, `tidy()`, and `plot()` work as for other models.
#' @section Privacy:
#' Unit: one row, or one person with all rows ([table_rows()]). Neighbors differ by replacing one unit; the number of
#' units is public, unless rows are left out (`missing = "omit"`).
#'
#' Sensitivity: in standard deviations of the noise, replacing a unit changes the numbers of a round that spends `r` of
#' `rho` by at most `sqrt(2 * r)` in Euclidean norm. This holds for every model of a previous round.
#'
#' Guarantee: exact (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy. Each row is
#' rounded to integers, whose length is bounded in integer arithmetic. Sums and noise are integers, and noise scales are
#' rounded up. Everything else uses released numbers only. All rounds are charged before the first one.
#'
#' Not protected: running time, unless `options(dptda.release_time = )` is set ([dptda-package]). Missing values cause
#' an error before anything is spent, unless [table_rows()] handles them; do not publish its message.
#' @section Implementation:
#' Each round costs `nrow(x) * p^2` operations for `p` coefficients. Databases are read in pieces ([database_rows],
#' section *Large tables*). Proofs: `system.file("proofs", "regression.md", package = "dptda")` and
#' `"regression-query.md"`.
#' @references
#' Wang, Y.-X. (2018). Revisiting differentially private linear regression. *UAI*.
#'
#' Cantoni, E. and Ronchetti, E. (2001). Robust inference for generalized linear models. *Journal of the American
#' Statistical Association* 96, 1022-1030.
#' @seealso [private_covariance()], [private_cor()]
#' @concept regression
#' @examples
#' box <- list(mag = c(3, 8), depth = c(0, 700), stations = c(0, 150))
#' fit <- private_lm(quakes, mag ~ depth + stations, box, epsilon = 4,
#'                   delta = 1e-6)
#' fit
#' confint(fit, of = "population")
#' predict(fit, data.frame(depth = c(100, 500), stations = 50),
#'         interval = "confidence")
#' @export
private_lm <- function(x, formula, box, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, levels = NULL,
                       rounds = 4, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  if (missing(formula)) stop_missing("formula")
  design <- regression_design(formula, check_regression_box(box), levels)
  release_regression(x, design, "gaussian", epsilon, rho, delta, mu, rounds, budget, rng)
}

#' @rdname private_lm
#' @param family A family with one method so far: [stats::binomial()] with the logit link.
#' @param success One value of the response, a logical, text, or numeric column: the public value that counts as a
#'   success. All others do not.
#' @export
private_glm <- function(x, formula, box, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, levels = NULL,
                        family = stats::binomial(), success = TRUE, rounds = 4, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  if (missing(formula)) stop_missing("formula")
  check_regression_family(family)
  design <- regression_design(formula, check_regression_box(box), levels, success)
  release_regression(x, design, "binomial", epsilon, rho, delta, mu, rounds, budget, rng)
}

check_regression_box <- function(box) {
  if (missing(box)) stop_missing("box")
  if (is.null(box)) return(list(lower = double(), upper = double(), columns = character(), classes = NULL))
  check_query_box(box)
}

check_regression_family <- function(family) {
  if (is.function(family)) family <- tryCatch(family(), error = function(e) NULL)
  if (is.character(family)) family <- list(family = family, link = "logit")
  if (!is.list(family) || !identical(family$family, "binomial") || !identical(family$link, "logit")) {
    stop_argument("family", "must be binomial() with the logit link. For other responses, use private_lm().")
  }
}

release_regression <- function(x, design, family, epsilon, rho, delta, mu, rounds, budget, rng) {
  rounds <- check_count(rounds, 1, 20)
  read <- function(x) check_regression_rows(x, design)
  make <- function(units, rows) fit_mechanism(units, design, family, epsilon, rho, delta, mu, rounds)
  release(x, budget, rng, read, make, columns = c(design$numbers, names(design$axes)))
}

# ---- the mechanism ---------------------------------------------------------------------------------------------------

fit_mechanism <- function(n, design, family, epsilon, rho, delta, mu, rounds) {
  units <- check_public_units(n, omit = TRUE)
  cost <- check_query_cost(epsilon, rho, delta, mu)
  spent <- cost$spent[["rho"]]
  # After a single round, residuals have the unit of the box, and are small beside the noise of scores. For people with
  # several rows, there is no interval for the population.
  scores <- family == "gaussian" && rounds > 1 && is.null(units$person)
  planned <- plan_at_one_weight(units, digits_of = regression_digits, plan_at = function(digits) {
    plan <- plan_regression(units$n, design, family, spent, rounds, digits, scores)
    if (is.null(plan)) refuse_much_noise(cost$measure)
    plan
  })
  step <- if (family == "gaussian") "private_lm" else "private_glm"
  rhos <- c(planned$start, vapply(planned$queries, `[[`, 0, "rho"), planned$scores$rho, planned$level)
  public <- c(list(n = units$n, formula = design$formula, rho = spent, queries = rhos[rhos > 0]),
              weight_words(units, planned$weight))
  words <- paste0("rounded Gaussian noise on sums of products in ", count_of(rounds, "round"),
                  if (planned$start > 0) ", on a count of successes",
                  if (!is.null(planned$scores)) ", on products of scores",
                  if (planned$level > 0) ", on a sum of residuals")
  plan <- public_plan(c(step, "regression"), n = units$n, known = units$complete, design = design, family = family,
                      queries = planned$queries, scores = planned$scores, start = planned$start, level = planned$level,
                      digits = planned$digits, weight = planned$weight, units = units_noun(units$person))
  new_mechanism(plan, query_guarantee(cost, words, public, step, person = units$person), adaptive = cost$spent)
}

# Of each query whose noise depends on the weight of a person. Those of short queries are `digits` itself.
regression_digits <- function(plan) {
  vapply(c(plan$queries, if (!is.null(plan$scores)) list(plan$scores)), function(query) query$bits[2], 0)
}

# ---- rows ------------------------------------------------------------------------------------------------------------

# Reads the numeric variables, then the factors.
check_regression_rows <- function(x, design, arg = "x") {
  if (is.matrix(x) && are_names(colnames(x))) x <- as.data.frame(x)
  if (!is_table(x)) {
    stop_argument(arg, "must be a data frame or another table with the variables of `formula`, not ",
                  describe_data(x), ".")
  }
  wanted <- c(design$numbers, names(design$axes))
  refuse_other_columns(wanted, table_columns(x), "formula", arg)
  rows <- check_rows(x, wanted, arg, omit = TRUE)
  group_number_rows(rows, design$axes, length(design$numbers), design$classes)
}

rows_for.regression <- function(plan, x) check_regression_rows(x, plan$design)

statistic_of.regression <- function(plan, rows) {
  design_points(weigh_rows(omit_missing(rows), plan$weight), plan)
}

# The scaled columns and the response of all rows, as the query takes them.
design_points <- function(rows, plan) UseMethod("design_points")

design_points.dptda_memory_rows <- function(rows, plan) {
  design <- plan$design
  numbers <- seq_along(design$numbers)
  factors <- cell_table(design$axes, length(numbers) + seq_along(design$axes))
  points <- row_matrix(rows, numbers)
  if (anyNA(points)) stop_missing_values(rows)
  codes <- if (length(design$axes)) stats::setNames(memory_columns(rows, factors), names(design$axes))
  count <- if (length(numbers)) nrow(points) else length(codes[[1]])
  list(data = design_rows(design, points, codes, count), weight = row_weights(rows))
}

# In a database, rows come in pieces, split by the combination of their levels.
design_points.dptda_database_rows <- function(rows, plan) {
  design <- plan$design
  factors <- cell_table(design$axes, length(design$numbers) + seq_along(design$axes))
  if (!length(design$numbers)) {
    stop_argument("formula", "must have a numeric variable for rows of a database. Use private_table() for factors.")
  }
  if (table_size(factors) > max_factor_cells) {
    stop_argument("levels", "must have at most ", format_count(max_factor_cells), " combinations for rows of a ",
                  "database, not ", format_count(table_size(factors)), ". Read the rows into R.")
  }
  found <- fetch_rows(rows, count_readings(plan), if (length(design$axes)) factors)
  structure(list(pieces = found, design = design, sizes = vapply(design$axes, `[[`, 0, "size")),
            class = "dptda_design")
}

max_factor_cells <- 10000

# The rows of each piece, one combination of levels after the other.
sum_over.dptda_design <- function(x, kernel) {
  sum_over(x$pieces, function(rows) {
    parts <- if (length(x$sizes)) rows$parts else list(list(data = row_points(rows), weight = row_weights(rows)))
    total <- 0
    for (k in seq_along(parts)) {
      if (!nrow(parts[[k]]$data)) next
      codes <- stats::setNames(as.list(arrayInd(k, x$sizes)), names(x$sizes))
      part <- list(data = design_rows(x$design, parts[[k]]$data, codes), weight = parts[[k]]$weight)
      total <- total + kernel(part)
    }
    total
  })
}

# ---- draws and results -----------------------------------------------------------------------------------------------

draw_of.regression <- function(plan, statistic, rng) {
  with_shared_bar("Rounds over the rows", count_readings(plan), fit_regression(statistic, plan))
}

result_of.regression <- function(plan, drawn) {
  design <- plan$design
  map <- data_map(design)
  names <- vapply(design$columns, `[[`, "", "name")
  in_units <- function(covariance) {
    structure(symmetric(map %*% covariance %*% t(map)), dimnames = list(names, names))
  }
  half <- if (is.null(design$response)) NA_real_ else design$response$half
  new_private_release(list(
    coefficients = stats::setNames(in_data_units(design, drawn$model$beta), names),
    noise = in_units(drawn$prior), sampling = in_units(drawn$sampling),
    learned = stats::setNames(sqrt(diag(drawn$prior)) <= prior_sd(plan$family) * learned_share, names),
    sigma = half * drawn$scale_seen, weight = drawn$weight_left, robust = isTRUE(drawn$robust), n.obs = drawn$n,
    family = plan$family, formula = design$formula, design = design
  ), "dptda_private_regression")
}

# A level that no row has keeps 0.25 to 0.4 of its prior, because the filter trusts noisy sums in part.
learned_share <- 0.25

define_class("dptda_private_regression", "private_lm() or private_glm()", coefficients = is_numbers,
             noise = is_numbers, sampling = is_numbers, learned = is.logical, sigma = is_number_or_na,
             weight = is_number_or_na, robust = is_one_flag, n.obs = is_one_number, family = is_one_string,
             formula = is_one_string, design = is.list,
             .valid = function(x) {
               p <- length(x$coefficients)
               identical(dim(x$noise), c(p, p)) && identical(dim(x$sampling), c(p, p)) && length(x$learned) == p
             })

# ---- before anything is spent ----------------------------------------------------------------------------------------

# The noise of a slope in units of its sampling error, for uncorrelated columns. Half of the rows of a binomial response
# count as successes, since the true fraction is private.
noise_ratio <- function(plan, n = plan$n) {
  last <- plan$queries[[length(plan$queries)]]
  if (plan$family == "binomial") return(last$reach * sqrt(2 / last$rho) / sqrt(n / 2))
  last$reach * last$cut * sqrt(2 / last$rho) / sqrt(n)
}

weakness_of.regression <- function(plan) {
  ratio <- noise_ratio(plan)
  if (ratio <= 10) return(NULL)
  weak("no_fit", "noise will be about ", format(ratio, digits = 2), " times as large as the sampling error of a slope",
       least = ceiling(plan$n * (ratio / 10)^2), scales = FALSE)
}

noise_of.regression <- function(plan) {
  lines <- lapply(seq_along(plan$queries), function(k) {
    query <- plan$queries[[k]]
    noise_table(paste0("a product of two columns, round ", k), new_noise("gaussian", query$scale[1], query$unit[1]))
  })
  scores <- plan$scores
  if (!is.null(scores)) {
    lines <- c(lines, list(noise_table("a product of two scores",
                                       new_noise("gaussian", scores$scale[1], scores$unit[1]))))
  }
  do.call(rbind, lines)
}

# Rows at two corners, one of which moves: both features of the row turn.
example_of.private_lm <- function(plan) {
  part <- function(fit) sum(fit$coefficients * c(0.2, 1))
  line <- function(first) data.frame(x = c(first, -1, 1, 1), y = c(1, -1, 1, 1))
  people <- function(rows, first) people_example(data.frame(line(first), who = 1:4)[c(rep(1, rows), 2:4), ])
  example <- function(note, x, neighbor) {
    release_example("lm", note, x, neighbor, list(formula = y ~ x, box = domain_box(c(x = -1, y = -1), c(1, 1)),
                                                  rho = 0.5, rounds = 1), part = part)
  }
  list(example("", line(-1), line(1)), example("people", people(2, -1), people(3, 1)))
}

example_of.private_glm <- function(plan) {
  part <- function(fit) sum(fit$coefficients * c(0.2, 1))
  line <- function(first) data.frame(x = c(first, -1, 1, 1), y = c(TRUE, FALSE, TRUE, TRUE))
  list(release_example("glm", "", line(-1), line(1), list(formula = y ~ x, box = domain_box(c(x = -1), 1), rho = 0.5,
                                                          rounds = 1), part = part))
}

#' Private principal components
#'
#' `private_pca()` releases the principal axes of rows in a public box under differential privacy: the center, the
#' standard deviations along all axes, and the first `rank` axes. Results have the names of [stats::prcomp()].
#'
#' @details
#' # Methods
#' `"covariance"` finds the axes best with many rows, `"ball"` with many columns. `"auto"` predicts the better one from
#' public numbers. See [pca_methods].
#'
#' # Reading the result
#' Standard deviations come from noisy second moments. If they do not differ by more than the noise, noise makes the
#' first ones larger and the last ones smaller. With `"ball"`, rows beyond the radius count less, and rows along the
#' first axes are closer to the radius.
#'
#' Do not rely on the axes without a clear gap. A gap is clear if the standard deviations along the last released
#' axis and the next axis differ by more than twice the noise. Otherwise the space that the axes span may be off by 30
#' degrees or more. Anything computed from the projected rows, such as a [private_diagram()], describes the projection
#' only.
#'
#' @param x A numeric matrix or data frame with one row per point and one column per side of the box. For `"covariance"`
#'   also a database table ([table_rows()]). At least one row. Columns are matched by name if both have names. Rows
#'   outside the box are moved to its nearest point, silently.
#' @param rank An integer from 1 to the number of columns: the number of axes.
#' @param method `"auto"`, `"covariance"`, or `"ball"`: see [pca_methods].
#' @inheritParams private_mixture
#'
#' @return An object of class `dptda_private_pca`, a list:
#'
#' * `rotation`: a matrix with one column of length one per axis. The largest number of each is positive.
#' * `sdev`, `noise`: the standard deviations along all axes, and the standard deviations of their noise.
#' * `center`, `n.obs`, `method`: the center, the public number of rows (or people), and the method.
#' * `gap`: two numbers. `sdev` is the difference between the standard deviations along the last axis and the next one.
#'   `noise` is the difference that may be due to the noise of the release and of drawing so many normal rows. Both are
#'   `NA` if all axes are kept.
#' * `radius`, `held`, `floor` (for `"ball"`): the radius, a lower bound on the fraction of rows within it (with
#'   probability above 0.99, for all data), and the standard deviation below which values may be pure noise.
#' * `doubt`: the reason why nothing is known about the axes, if released and public numbers show this. Noise is then
#'   `NA`.
#' * `heavy`: `TRUE` if the covariance shows heavier tails than those of normal rows, otherwise `NULL`.
#' @section Privacy:
#' Unit: one row, or one person with all rows ([table_rows()]). Neighbors differ by replacing one unit; the number of
#' units is public.
#'
#' Guarantee: exact (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy. The
#' contribution of each row is rounded to integers, and their bounds are enforced in integer arithmetic. Sums and noise
#' are integers, and noise scales are rounded up. The exact exponential mechanism draws a radius from 241 public ones.
#' Everything else uses released numbers only. All rounds are charged before the first one.
#'
#' Not protected: running time, unless `options(dptda.release_time = )` is set ([dptda-package]). Missing values cause
#' an error before anything is spent; do not publish its message. `vignette("privacy-model", package = "dptda")`
#' explains these terms.
#' @references
#' Biswas, S., Dong, Y., Kamath, G. and Ullman, J. (2020). CoinPress: practical private mean and
#' covariance estimation. *Advances in Neural Information Processing Systems* 33.
#' @seealso [pca_methods], [summary.dptda_private_pca()], [domain_pca()], [private_covariance()]. Proofs:
#'   `system.file("proofs", "cluster-pca.md", package = "dptda")` and `cluster-query.md` beside it.
#' @examples
#' X <- matrix(stats::rnorm(50000), ncol = 10) %*% diag(c(3, 2, rep(0.2, 8)))
#' box <- domain_box(rep(-20, 10), rep(20, 10))
#' pca <- private_pca(X, box, rank = 2, epsilon = 1, delta = 1e-6)
#' pca
#' @export
private_pca <- function(x, box, rank, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL,
                        method = c("auto", "covariance", "ball"), budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  box <- check_query_box(box)
  if (missing(rank)) stop_missing("rank", "the number of axes to release")
  method <- check_choice(method, c("auto", "covariance", "ball"))
  read <- function(x) check_point_rows(x, columns, box)
  make <- function(units, rows) {
    if (are_in_database(rows) && method == "auto") method <- "covariance"
    if (method == "ball") ball_rows(rows)
    pca_mechanism(units, box, rows$columns, rank, epsilon, rho, delta, mu, method)
  }
  release(x, budget, rng, read, make, columns = check_public_columns(columns, box))
}

# `box` and `columns` were checked, by the rows or by a query at each.
pca_mechanism <- function(n, box, columns, rank, epsilon, rho, delta, mu, method) {
  units <- check_public_units(n, exact = TRUE)
  rank <- check_count(rank, 1, length(box$lower))
  cost <- check_query_cost(epsilon, rho, delta, mu)
  inner <- if (method != "ball") {
    suppressWarnings(covariance_with(NULL, units, columns, box, cost, NULL), "dptda_warning_delta")
  }
  ball_cost <- with_choices(cost, ball_shares[["radius"]])
  ball <- if (method != "covariance") ball_plan(units, length(box$lower), ball_cost)
  if (method == "auto") {
    method <- if (covariance_error(inner$plan) < ball_error(ball)) "covariance" else "ball"
  }
  if (method == "ball") return(ball_mechanism(units, box, columns, rank, ball_cost, ball))
  public <- c(inner$guarantee$public, list(rank = rank, method = method))
  plan <- public_plan(c("private_pca", "pca_covariance"), n = units$n, columns = columns, box = box, rank = rank,
                      units = units_noun(units$person), inner = inner$plan)
  guarantee <- query_guarantee(cost, inner$guarantee$mechanism, public, "private_pca", person = units$person)
  new_mechanism(plan, guarantee, adaptive = cost$spent)
}

ball_mechanism <- function(units, box, columns, rank, cost, ball) {
  public <- c(list(n = units$n, box = box, rank = rank, method = "ball", rho = cost$spent[["rho"]],
                   rounds = ball$rounds, queries = ball$rhos, tail = ball$tail),
              weight_words(units, ball$weight))
  words <- paste0("rounded Gaussian noise on sums within a ball in ", count_of(ball$rounds + 1, "round"),
                  ", exponential mechanism on radii")
  plan <- public_plan(c("private_pca", "pca_ball"), n = units$n, columns = columns, box = box, rank = rank,
                      units = units_noun(units$person), ball = ball)
  new_mechanism(plan, query_guarantee(cost, words, public, "private_pca", person = units$person), adaptive = cost$spent)
}

#' Methods of private principal components
#'
#' Describes the methods `"covariance"` and `"ball"` of [private_pca()], and how `"auto"` chooses between them.
#'
#' # Covariance
#' `"covariance"` is [private_covariance()]. Its noise adapts to the size of the rows in each direction. With many rows,
#' it finds the axes best. With many columns, noise hides every direction and it finds nothing.
#'
#' # Ball
#' `"ball"` uses one noise scale for all directions. It finds a center and a radius that contains most rows, moves rows
#' beyond the radius to it, and releases mean and second moments. Its noise grows with the size of the rows but hardly
#' with the number of columns, so it is better for many columns. Columns must be in comparable units, as for
#' [stats::prcomp()]. Rows must be in memory.
#'
#' `"ball"` spends a tenth of its budget on radii, a fifth on one to four centers, and the rest on second moments. It
#' reads the rows twice for each of them, `nrow(x) * ncol(x)^2` operations. The radius contains 95% of the rows, or
#' fewer (down to half) if the noise of this number is larger. If the noise is half of the rows, nothing is found. There
#' is then a warning of class `dptda_warning_no_fit` before anything is spent ([weak_releases]), and `print()`,
#' `summary()`, and `plot()` state this instead of a gap.
#'
#' # Choice
#' `"auto"` predicts the noise of both methods from public numbers (rows, columns, budget) and the assumption that the
#' box is a hundred times as large as the rows. `inst/simulations/principal-components.R` shows when each is better. For
#' a table in a database, `"auto"` is `"covariance"`.
#'
#' @references
#' Dwork, C., Talwar, K., Thakurta, A. and Zhang, L. (2014). Analyze Gauss: optimal bounds for privacy-preserving
#' principal component analysis. *ACM Symposium on Theory of Computing*, 11-20.
#' @seealso [private_pca()]
#' @examples
#' X <- matrix(stats::rnorm(50000), ncol = 10) %*% diag(c(3, 2, rep(0.2, 8)))
#' box <- domain_box(rep(-20, 10), rep(20, 10))
#' private_pca(X, box, rank = 2, rho = 0.1, method = "ball")
#' private_pca(X, box, rank = 2, rho = 0.1, method = "covariance")
#' @name pca_methods
NULL

# ---- which method ----------------------------------------------------------------------------------------------------

# The approximate error of a plane: the norm of the noise divided by the variance along its axes. Measured in
# inst/simulations/principal-components.R. The noise of a covariance is the noise of a direction in the plane times that
# of a direction outside it, which is guessed to be a fourth as long. If a round leaves more than `most_left` of a
# variance, its coordinates are not found.
covariance_error <- function(plan) {
  first <- plan$queries$global[[1]]
  dimension <- length(plan$box$lower)
  if (!is.null(weakness_of(plan)) || least_left(first, dimension, plan$n) > most_left) return(Inf)
  spectral_noise(covariance_noise(plan), dimension) / 4
}

most_left <- 0.35

# Assumes the guessed size of the rows in the box, and a squared radius of six times the variance along an axis.
ball_error <- function(ball) {
  if (ball$tail >= most_tail) return(Inf)
  left <- guessed_size * center_noise(ball$n, ball$dimension, sum(ball$rhos), ball$rounds)^ball$rounds
  6 * (1 + left)^2 * spectral_noise(product_noise(ball), ball$dimension)
}

# The approximate norm of a symmetric matrix of independent noise, with standard deviation `sd` off the diagonal and
# sqrt(2) times that on it.
spectral_noise <- function(sd, dimension) 2 * sd * sqrt(dimension)

# That standard deviation for the last query of a covariance, in coordinates in which the rows are standard.
covariance_noise <- function(plan) {
  last <- plan$queries$global[[length(plan$queries$global)]]
  last$sd[2] / sqrt(2) / (plan$n * last$kappa)
}

# ---- the release -----------------------------------------------------------------------------------------------------

rows_for.private_pca <- function(plan, x) check_point_rows(x, if (is_table(x)) plan$columns, plan$box, arg = "x")

weakness_of.pca_covariance <- function(plan) weakness_of(plan$inner)

weakness_of.pca_ball <- function(plan) {
  ball <- plan$ball
  if (ball$tail < most_tail) return(NULL)
  weak("no_fit", "nothing is learned: the noise in the number of rows within a radius is at least half of all rows",
       least = floor(ball$n * ball$tail / most_tail) + 1)
}

statistic_of.pca_covariance <- function(plan, rows) statistic_of(plan$inner, rows)

statistic_of.pca_ball <- function(plan, rows) weigh_rows(ball_rows(rows), plan$ball$weight)

ball_rows <- function(rows) {
  in_memory_only(rows, "method", "must be \"covariance\" for a database table. Other methods need rows in memory.")
}

draw_of.pca_covariance <- function(plan, statistic, rng) draw_of(plan$inner, statistic, rng)

draw_of.pca_ball <- function(plan, statistic, rng) draw_ball(statistic, plan$ball, plan$box)

noise_of.pca_covariance <- function(plan) noise_of(plan$inner)

noise_of.pca_ball <- function(plan) {
  ball <- plan$ball
  unit <- 2^-ball$bits[1] / sqrt(ball$dimension) / (plan$n * ball$weight) # of a radius
  rbind(noise_table("a coordinate of a center, in radii", new_noise("gaussian", ball$center_scale, unit)),
        noise_table("a product of two columns, in squares of the radius",
                    new_noise("gaussian", min(ball$scale[-seq_len(ball$dimension)]), unit * 2^-ball$bits[1] /
                                sqrt(ball$dimension))))
}

result_of.pca_covariance <- function(plan, drawn) {
  made <- result_of(plan$inner, drawn)
  noise <- covariance_noise(plan$inner)
  norm <- spectral_noise(sqrt(noise^2 + 1 / plan$n), length(made$center))
  new_private_pca(plan, unname(made$cov), unname(made$center), method = "covariance",
                  noise = function(sdev) noise * sdev / sqrt(2),
                  between = function(high, low) norm * high * low, doubt = covariance_doubt(made),
                  heavy = if (!is.null(made$far)) is_heavy(made$far))
}

result_of.pca_ball <- function(plan, drawn) {
  noise <- product_noise(plan$ball) * drawn$radius^2
  dimension <- length(drawn$center)
  new_private_pca(plan, drawn$cov, drawn$center, method = "ball",
                  noise = function(sdev) sqrt(2) * noise / (2 * pmax(sdev, sqrt(noise))),
                  between = function(high, low) spectral_noise(sqrt(noise^2 + (high * low)^2 / plan$n), dimension),
                  radius = drawn$radius, held = plan$ball$held, floor = sqrt(spectral_noise(noise, dimension)),
                  doubt = ball_doubt(plan$ball))
}

# The reason why nothing is known about the axes, from public and released numbers, or NULL. Noise around a variance
# that was never found, or of rows within a radius that may contain none, gives no information about the rows.
ball_doubt <- function(ball) {
  if (ball$held == 0) "nothing is learned: noise chose the radius, so axes and deviations may not describe any row"
}

covariance_doubt <- function(made) {
  if (isFALSE(made$settled)) "not converged: axes may be far off, and deviations many times too large"
}

# `noise`: function from standard deviations along axes to their noise; `between`: function of two of them, for the
# noise between their axes in units of a variance. It includes sampling noise of n normal rows, 1 / n per entry.
# `floor`: the deviation that noise alone may show, if all noise has one size. `doubt`: why noise is unknown.
# `heavy`: whether tails are heavier than normal.
new_private_pca <- function(plan, cov, center, method, noise, between, radius = NULL, held = NULL, floor = NULL,
                            doubt = NULL, heavy = NULL) {
  e <- eigen(cov, symmetric = TRUE)
  shown <- seq_len(plan$rank)
  sdev <- sqrt(pmax(e$values, 0))
  rotation <- apply(e$vectors[, shown, drop = FALSE], 2, function(v) v * sign(v[which.max(abs(v))]))
  rotation <- matrix(rotation, ncol = plan$rank, dimnames = list(plan$columns, paste0("PC", shown)))
  fields <- list(rotation = rotation, sdev = sdev, center = structure(center, names = plan$columns), n.obs = plan$n,
                 noise = noise(sdev), gap = gap_of_axes(sdev, plan$rank, between),
                 method = method)
  if (!is.null(doubt)) {
    fields$noise[] <- NA_real_
    fields$gap[["noise"]] <- NA_real_
  }
  fields$radius <- radius
  fields$held <- held
  if (is.null(doubt)) fields$floor <- floor
  fields$doubt <- doubt
  if (isTRUE(heavy)) fields$heavy <- TRUE
  new_private_release(fields, "dptda_private_pca")
}

# The difference of the variances is (high - low) (high + low).
gap_of_axes <- function(sdev, rank, between) {
  if (rank == length(sdev)) return(c(sdev = NA_real_, noise = NA_real_))
  high <- sdev[rank]
  low <- sdev[rank + 1]
  c(sdev = high - low, noise = if (high > 0) between(high, low) / (high + low) else Inf)
}

define_class("dptda_private_pca", "private_pca()", rotation = function(x) is.matrix(x) && is.double(x) && !anyNA(x),
             sdev = is_numbers, center = is_numbers, n.obs = is_one_number, noise = is.double,
             gap = function(x) is.double(x) && identical(names(x), c("sdev", "noise")),
             method = is_one_string, radius = is_null_or(is_one_number),
             held = is_null_or(is_one_number), floor = is_null_or(is_one_number),
             doubt = is_null_or(is_one_string), heavy = is_null_or(is_one_flag),
             .valid = function(x) {
               nrow(x$rotation) == length(x$center) && ncol(x$rotation) >= 1 && ncol(x$rotation) <= length(x$sdev) &&
                 length(x$sdev) == length(x$center) && length(x$noise) == length(x$sdev) &&
                 is.null(x$held) == is.null(x$radius)
             })

# Rows lie at right angles about the middle, equally many in each of four places, so that center and radius hardly vary.
# One row turns by a right angle: nearly the largest change of moments. All axes are kept, so that an audit sees them.
# In the covariance, a row farther out has more effect, up to the length at which rows are shortened.
example_of.private_pca <- function(plan) {
  turned <- function(pca) {
    S <- pca$rotation %*% (pca$sdev^2 * t(pca$rotation))
    size <- max(sum(diag(S)), 1e-300)
    (S[2, 2] - S[1, 1]) / size + 0.2 * (pca$center[[2]] - pca$center[[1]]) / sqrt(size)
  }
  example <- function(note, x, neighbor, method) {
    # rows of people are columns of a data frame; a mechanism takes their names from the box
    lower <- if (note == "people") c(X1 = -1, X2 = -1) else c(-1, -1)
    box <- domain_box(lower, c(1, 1))
    release_example("pca", note, x, neighbor, list(box = box, rank = 2, rho = 0.5, method = method), part = turned,
                    slow = method == "covariance")
  }
  cross <- function(first, length) {
    rows <- length * cbind(c(1, -1, 0, 0), c(0, 0, 1, -1))[rep_len(1:4, 400), ]
    rows[1, ] <- first
    rows
  }
  crowd <- function(rows, first) {
    people_example(data.frame(cross(first, 0.97)[c(rep(1, rows - 1), 1:400), ], who = c(rep(1, rows - 1), 1:400)))
  }
  list(example("", cross(c(0.97, 0), 0.97), cross(c(0, 0.97), 0.97), "ball"),
       example("people", crowd(2, c(0.97, 0)), crowd(1, c(0, 0.97)), "ball"),
       example("covariance", cross(c(0.95, 0), 0.5), cross(c(0, 0.95), 0.5), "covariance"))
}

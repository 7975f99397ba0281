# The mean curve of people's persistence diagrams. Each person's curve becomes a short vector of nonnegative integers,
# so the sum is bounded whatever computed the diagrams. Proof: inst/proofs/diagram-curve.md.

#' Private mean curve of persistence diagrams
#'
#' Releases the mean curve of many people's persistence diagrams, one diagram per person, under differential privacy.
#' For example, the diagrams describe the gait of 200 patients, and the curve is their mean
#' [landscape][curve_landscape()].
#'
#' `curve_radius()` proposes a radius from public look-alikes of the diagrams, such as diagrams of an earlier study.
#'
#' @details
#' # Radius
#' The length of a curve is its root mean square over the levels. Longer curves than `radius` are shortened to it.
#' Noise grows in proportion to the radius, so a radius that is too large costs accuracy, and one that is too small
#' lowers the mean. `curve_radius()` returns the quantile 1 - 1.4 / sqrt(n epsilon) of the lengths of public curves: 0.9
#' for 200 people and `epsilon = 1`. For Gaussian noise, it uses the `epsilon` with noise of the same size. Do not
#' compute a radius from the private diagrams.
#'
#' # Smoothing
#' The released curve is a sum of `smooth` cosines, which follow the mean curve as closely as possible. By default,
#' their number grows with `n` and the budget, from 3 to 16. With `epsilon`, few cosines also have less noise.
#'
#' # Accuracy
#' A useful picture (error below a quarter of the curve) took 100 to 160 people at `epsilon = 1`, twice as many at 0.5,
#' and half as many at 2. The intervals of `confint()` hold at all levels together. They are for the mean of curves that
#' were shortened and smoothed. `of = "population"` also accounts for the sampling of people. It is approximate: the
#' released mean square of the curves gives the total variance, and a model distributes it over levels and cosines.
#'
#' # Diagrams that fail
#' Diagrams are computed from each person's own data, by public settings. Anything that is not a diagram, or has no
#' points in the dimension of the curve, counts as the curve zero, without a message, because a message about one
#' person would reveal something. Try `each` on made-up rows first: if it always fails, the release is only noise.
#' [diagram_curve()], which is not private, refuses such elements of a list.
#'
#' @param x A list of persistence diagrams, one per person, in any form of [as_dptda_diagram()]. Or [table_rows()] with
#'   `person`, together with `each`.
#' @param diagrams A list of public diagrams, or one diagram: curves as long as its curve.
#' @param curve A curve from [curve_landscape()], [curve_betti()], or [curve_life()] (public), of at most 1,024 values.
#' @param radius One positive number (public): the largest length of a curve, in the units of its values.
#' @param each `NULL`, or a function of a data frame with the rows of one person, which returns the diagram of that
#'   person. It must use nothing else that is private. An error counts as the curve zero, and warnings are not shown.
#'   Each call starts with the same random numbers, whatever the seed of the session, which is not changed.
#' @param smooth `NULL`, or one integer (public): the number of cosines.
#' @param n One integer, or [unseen()] people: how many there will be.
#' @inheritParams private_release
#'
#' @return `private_curve()`: an object of class `dptda_private_curve`, a list of public fields.
#'
#' * `grid` and `value`: the levels, and the values of the released curve.
#' * `coefficients`: the same curve in cosines, in units of lengths.
#' * `square`: the released mean square of the curves' lengths.
#' * `noise`: a list of `kind` (`"laplace"`, with a density that falls with the length of the coefficients, or
#'   `"gaussian"`) and `scale`, in units of lengths.
#' * `smooth`, `curve`, `radius`, and `n`.
#'
#' `curve_radius()`: one number.
#'
#' Methods: [plot()][plot.dptda_private_curve].
#'
#' @section Privacy:
#' Unit: one person with one diagram, i.e. one row of a table with one row per person. With [table_rows()], one person
#' with all of their rows. Neighbors differ by replacing one person. The number of people is public.
#'
#' Sensitivity: sqrt(2) times `radius` / `n` in the length of the mean curve, and about 1.001 of it with cosines. The
#' mean square is released in the same draw. With Gaussian noise it adds nothing to the noise of the curve, and with
#' `epsilon`, as much as one more cosine.
#'
#' Guarantee: `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy,
#' exact: curves become integers before they are summed, and noise is added in integers.
#'
#' Not protected: the running time of `each`, unless `options(dptda.release_time = )` is set ([dptda-package]), and what
#' `each` prints, writes, signals to handlers of yours, or changes in the session. It must not call [setTimeLimit()] or
#' restarts of yours.
#' @references
#' Bubenik, P. (2015). Statistical topological data analysis using persistence
#' landscapes. *Journal of Machine Learning Research* 16, 77-102.
#'
#' Hardt, M. and Talwar, K. (2010). On the geometry of differential privacy.
#' *ACM Symposium on Theory of Computing*, 705-714.
#' @seealso [diagram_curve()] for curves without privacy, [private_diagram()] for one diagram of many people's points.
#'   Proofs: `diagram-curve.md` in `system.file("proofs", package = "dptda")`.
#' @examples
#' # one loop per person, which is born and dies at different levels
#' loops <- function(n) lapply(seq_len(n), function(i) {
#'   persistence_diagram(1, stats::runif(1, 0.1, 0.3), stats::runif(1, 0.7, 1))
#' })
#' curve <- curve_landscape(c(0, 1.2), dimension = 1)
#' radius <- curve_radius(loops(60), curve, n = 500, epsilon = 1)
#' release <- private_curve(loops(500), curve, radius = radius, epsilon = 1)
#' release
#' plot(release)
#'
#' # the diagram of each person's own rows
#' walks <- data.frame(x = stats::rnorm(400), y = stats::rnorm(400),
#'                     patient = rep(1:20, each = 20))
#' grid <- domain_grid(domain_box(c(-3, -3), c(3, 3)), by = 0.5)
#' private_curve(table_rows(walks, person = "patient"), curve, radius = radius,
#'               epsilon = 5, each = function(own) {
#'                 dtm_persistence(own, grid, m0 = 0.2, clip = 2)
#'               })
#' @order 1
#' @export
private_curve <- function(x, curve, radius, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, each = NULL,
                          smooth = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x", "a list of persistence diagrams")
  if (missing(curve)) stop_missing("curve", "such as curve_landscape(c(0, 2), dimension = 1)")
  curve <- check_released_curve(curve)
  if (missing(radius)) stop_missing("radius", "curve_radius() finds one from public diagrams")
  radius <- check_curve_radius(radius)
  cost <- check_cost(epsilon, rho, delta, mu)
  if (!is.null(each) && !is.function(each)) {
    stop_argument("each", "must be NULL or a function, not ", describe(each), ".")
  }
  read <- function(x) read_own_diagrams(x, each)
  make <- function(units, rows) {
    units <- check_curve_people(units)
    if (is.null(units$person) != is.null(each)) {
      stop_argument("each", if (is.null(each)) "must be given with table_rows(): a function that returns" else
        "must be NULL without table_rows(person = ), because it returns", " the diagram of one person's rows.")
    }
    curve_mechanism(units, curve, radius, cost, smooth)
  }
  release(x, budget, rng, read, make)
}

check_released_curve <- function(curve) {
  curve <- check_curve(curve)
  if (curve$size <= max_released_size) return(curve)
  stop_argument("curve", "must have at most ", format_count(max_released_size), " values here. Use size = 64.")
}

max_released_size <- 1024

# Powers of the radius, and scales of noise in its units, must be doubles with all digits.
check_curve_radius <- function(radius, arg = "radius") {
  radius <- check_number(radius, 0, arg = arg, open_lower = TRUE)
  if (radius >= 2^-400 && radius <= 2^400) return(radius)
  stop_argument(arg, "must be between 2^-400 and 2^400, not ", format(radius), ".")
}

check_curve_people <- function(units, arg = "x") {
  units <- check_public_units(units, 1, arg = arg)
  if (units$n > 2^30) stop_argument(arg, "must have at most 2^30 people.")
  if (identical(units$take, "one")) {
    stop_argument("rows_of_person", "must be \"all\" here, because a diagram is of all rows of a person.")
  }
  units
}

# ---- the public part ---------------------------------------------------------------------------------------------

# Fields of the plan. Curves have integers of at most 2^bits in steps of the radius / 2^bits, and the sum of their
# squares is at most 4^bits. `kind` of noise, with `scale` in steps: on the sum of the curves for "gaussian", and on
# `map` times the sum for "laplace". The last number of the statistic is the sum of squares, divided by 2^bits, times
# `weight`.
curve_mechanism <- function(units, curve, radius, cost, smooth) {
  n <- units$n
  smooth <- if (is.null(smooth)) min(default_smooth(n, cost), curve$size) else check_count(smooth, 1, curve$size)
  map <- cosine_map(curve$size, smooth)
  # `map` times a sum is then below 2^53
  bits <- min(curve_bits, 40 - ceiling(log2(n)))
  l2_squared <- 2 * 4^bits + 2^bits
  plan <- public_plan("private_curve", n = n, person = units$person, take = units$take, curve = curve,
                      radius = radius, smooth = smooth, bits = bits, map = map, cost = cost)
  if (is_pure(cost)) {
    stretch <- max(rowSums(abs(tcrossprod(map))))
    plan$kind <- "laplace"
    plan$weight <- min(floor(sqrt(stretch)), map_steps)
    plan$scale <- norm_scale(stretch * l2_squared, cost$spent)
    plan$sensitivity <- sqrt(stretch * l2_squared) * curve_unit(plan)
    if (is.na(plan$scale)) stop_argument("epsilon", "must be larger, because the noise would exceed its range.")
  } else {
    plan$kind <- "gaussian"
    plan$weight <- 1
    plan$scale <- noise_scale(cost$spent, l1 = NULL, l2_squared = l2_squared)
    plan$sensitivity <- sqrt(l2_squared) * curve_unit(plan)
  }
  new_mechanism(plan, curve_guarantee(plan))
}

curve_bits <- 20

# One step of the noisy sum in the length of the mean curve.
curve_unit <- function(plan) plan$radius / 2^plan$bits / plan$n / if (plan$kind == "laplace") map_steps else 1

# The first cosines of the discrete cosine transform of curves of `size` values, one per row, in steps of 1/4096.
cosine_map <- function(size, smooth) {
  waves <- outer(seq_len(smooth) - 1, (seq_len(size) - 0.5) / size, function(j, t) cos(pi * j * t))
  round(map_steps * waves / sqrt(rowSums(waves^2)))
}

map_steps <- 2^12

# The epsilon with noise of the same size: with m cosines, its squared length is 2 m (m + 1) / (n epsilon)^2 or
# 2 m / (n mu)^2 of the radius.
epsilon_of_size <- function(n, cost) {
  if (is_pure(cost)) return(cost$spent[[1]])
  mu <- sqrt(2 * cost$spent[[1]])
  m <- 3
  for (i in 1:20) m <- smooth_rule(n * mu * sqrt(m + 1))
  mu * sqrt(m + 1)
}

smooth_rule <- function(people) max(3, min(16, 1.3 * people^0.3))

default_smooth <- function(n, cost) round(smooth_rule(n * epsilon_of_size(n, cost)))

curve_guarantee <- function(plan) {
  noise <- if (plan$kind == "laplace") "K-norm noise on cosines of" else "rounded Gaussian noise on"
  public <- c(list(n = plan$n), if (is.null(plan$person)) list(row = "one diagram"),
              list(curve = curve_title(plan$curve), range = plan$curve$range, size = plan$curve$size,
                   radius = plan$radius, smooth = plan$smooth, bits = plan$bits,
                   scale = plan$scale * curve_unit(plan)))
  new_guarantee(plan$cost$measure, plan$sensitivity, paste(noise, "a mean curve, with its mean square"),
                public = public, sampler = "exact", step = "private_curve", spent = plan$cost$known,
                person = plan$person)
}

# ---- rows --------------------------------------------------------------------------------------------------------

# One diagram per person: `diagrams`, or rows of people and a function that makes a diagram of them. `missing` is
# "omit" for rows that this release refuses.
read_own_diagrams <- function(x, each) {
  refuse_database(x, "x")
  if (!inherits(x, "dptda_rows")) return(own_diagrams(check_own_diagrams(x)))
  check_valid(x, "dptda_rows", "x")
  if (is.null(x$person)) {
    stop_argument("x", "must be table_rows() with `person`, because one row alone does not have a diagram.")
  }
  structure(list(n = x$n, person = x$person, take = x$take, complete = x$complete, missing = x$missing, rows = x,
                 each = each), class = "dptda_own_diagrams")
}

own_diagrams <- function(diagrams, person = NULL) {
  structure(list(n = length(diagrams), person = person, take = if (!is.null(person)) "all", complete = TRUE,
                 diagrams = diagrams), class = "dptda_own_diagrams")
}

# A mechanism holds no function, so people's diagrams come without their rows.
rows_for.private_curve <- function(plan, x) own_diagrams(check_own_diagrams(x), person = plan$person)

# A table of all people's points would be read as the diagram of one person.
check_own_diagrams <- function(x) {
  refuse_groups(x, "x")
  if (inherits(x, "dptda_diagram_curves")) {
    stop_argument("x", "must be a list of persistence diagrams, not their curves.")
  }
  if (is_one_diagram(x)) {
    stop_argument("x", "must be a list with one persistence diagram per person, not one diagram. If a table holds the ",
                  "points of all people, pass split(points, factor(points$person, people)), with all `people`, also ",
                  "those without points.")
  }
  if (is.list(x) && holds_parts(names(x))) {
    stop_argument("x", "must be a list with one persistence diagram per person. Its elements are the columns or parts ",
                  "of diagrams, as if c(a, b) was used for list(a, b).")
  }
  check_diagrams(x, "x")
}

# Whether all names of a list are names of columns of diagrams, or of parts of phutil's, maybe after unlist().
holds_parts <- function(names) {
  are <- function(known) grepl(paste0("(^|[.])(", known, ")$"), names, ignore.case = TRUE, useBytes = TRUE)
  any(are("dimension|pairs")) && all(are("dimension|birth|death|pairs|metadata"))
}

# The diagrams of the first `people`, by default of all. Nothing that `each` gets depends on the rows of others: neither
# row numbers, nor levels of factors, nor attributes of columns, nor random numbers.
diagrams_of_rows <- function(rows, each, people = Inf) {
  data <- if (is.matrix(rows$data)) lapply(seq_len(ncol(rows$data)), function(j) rows$data[, j]) else rows$data
  data <- lapply(unclass(data), own_column)
  names(data) <- if (is.null(rows$columns)) paste0("x", seq_along(data)) else rows$columns
  part <- function(column, own) {
    values <- column$values[own]
    attributes(values) <- column$kept
    values
  }
  parts <- split(seq_along(rows$owner), rows$owner)
  for_each_person(lapply(parts[seq_len(min(people, length(parts)))], function(own) {
    value_of_person(each(structure(lapply(data, part, own), row.names = .set_row_names(length(own)),
                                   class = "data.frame")))
  }))
}

# Values without attributes, and those of the classes of base R. Other classes may keep facts about all rows, and their
# methods may fail.
own_column <- function(column) {
  if (is.factor(column)) column <- as.character.factor(column)
  class <- c(intersect(oldClass(column), c("Date", "POSIXct", "difftime", "integer64")), "other")
  kept <- switch(class[1], Date = , integer64 = list(class = class[1]),
                 POSIXct = list(class = c("POSIXct", "POSIXt"), tzone = attr(column, "tzone", exact = TRUE)),
                 difftime = list(class = "difftime", units = attr(column, "units", exact = TRUE)))
  attributes(column) <- NULL
  list(values = column, kept = kept)
}

# The curves of people without a diagram are zero, so they are left out of the sums.
statistic_of.private_curve <- function(plan, rows) {
  diagrams <- if (is.null(rows$each)) rows$diagrams else diagrams_of_rows(rows$rows, rows$each)
  cut <- own_curves(plan, diagrams)
  sums <- colSums(cut)
  squares <- plan$weight * sum(floor(rowSums(cut^2) / 2^plan$bits))
  c(if (plan$kind == "laplace") as.vector(plan$map %*% sums) else sums, squares)
}

# The cut curves of people, one per row. Anything that is not a diagram has the curve zero.
own_curves <- function(plan, diagrams) cut_values(plan, curve_values(diagrams, plan$curve, lenient = TRUE))

cut_values <- function(plan, values) {
  cut_curves(values / sqrt(plan$curve$size), plan$radius, c(plan$bits, curve_bits)[1])
}

# Cuts curves, one per row of `V`, to integers w >= 0 with sum(w^2) <= 4^bits, in steps of radius / 2^bits. `V` holds
# any doubles, divided by the root of the number of columns: the length of a row is the root mean square of a curve.
cut_curves <- function(V, radius, bits = curve_bits) {
  .Call(ffi_diagram_curve_cut, V, as.double(radius), as.integer(bits), kernel_options())
}

# ---- noise -------------------------------------------------------------------------------------------------------

draw_of.private_curve <- function(plan, statistic, rng) as.vector(draw_curves(plan, statistic, 1, rng))

draws_of.private_curve <- function(plan, statistic, runs, rng) t(draw_curves(plan, statistic, runs, rng))

# One column per draw, in steps.
draw_curves <- function(plan, statistic, draws, rng) {
  if (plan$kind == "laplace") return(add_norm_noise(statistic, plan$scale, draws, rng))
  matrix(add_noise(rep(statistic, draws), plan$scale, "gaussian", rng), length(statistic))
}

noise_of.private_curve <- function(plan) {
  shown <- shown_curve_noise(plan)
  sd <- shown$scale * if (plan$kind == "laplace") sqrt(plan$smooth + 2) else 1
  off <- curve_noise_band(shown, plan$curve$size, plan$smooth, 0.95)
  noise_lines("the mean curve, at all levels", c(laplace = "Laplace", gaussian = "rounded Gaussian")[[plan$kind]],
              shown$scale, sd, off)
}

shown_curve_noise <- function(plan) list(kind = plan$kind, scale = plan$scale * curve_unit(plan))

# The root mean square of the noise on the curve, against the radius.
weakness_of.private_curve <- function(plan) {
  away <- curve_noise_length(shown_curve_noise(plan), plan$smooth)
  weak_noise(plan$n, plan$n * away / plan$radius, "the noise changes the curve by about ", format(away, digits = 2),
             ", and curves are at most ", format(plan$radius, digits = 3), " long")
}

curve_noise_length <- function(noise, smooth) {
  noise$scale * sqrt(smooth * if (noise$kind == "laplace") smooth + 2 else 1)
}

# The distance within which noise stays at all levels with this probability, in units of the values. `variance`: of
# the sampling error, or 0, and how it is distributed over the levels. By 20,000 draws with a fixed seed, or more
# for levels near 1.
curve_noise_band <- function(noise, size, smooth, level, variance = 0, over = rep(1, size)) {
  draws <- max(20000, ceiling(100 / (1 - level)))
  map <- cosine_map(size, smooth)
  basis <- if (noise$kind == "laplace") t(map) %*% solve(tcrossprod(map)) * map_steps else qr.Q(qr(t(map)))
  shares <- 1 / seq_len(smooth)
  spread <- sqrt(variance * shares / sum(shares))
  off <- with_seed(1, {
    normal <- matrix(stats::rnorm(draws * (smooth + 1)), draws)
    if (noise$kind == "laplace") normal <- normal / sqrt(rowSums(normal^2)) * stats::rgamma(draws, smooth + 1)
    list(noise = noise$scale * normal[, seq_len(smooth), drop = FALSE],
         sampling = if (variance > 0) matrix(rep(spread, each = draws) * stats::rnorm(draws * smooth), draws))
  })
  far <- double(draws)
  for (place in seq_len(size)) {
    one <- off$noise %*% basis[place, ]
    if (variance > 0) one <- one + sqrt(over[place]) * off$sampling %*% basis[place, ]
    far <- pmax(far, abs(as.vector(one)))
  }
  unname(stats::quantile(far, level)) * sqrt(size)
}

# ---- the result --------------------------------------------------------------------------------------------------

result_of.private_curve <- function(plan, drawn) {
  size <- plan$curve$size
  noisy <- as.vector(if (plan$kind == "laplace") drawn[seq_len(plan$smooth)] else plan$map %*% drawn[seq_len(size)])
  step <- plan$radius / 2^plan$bits / plan$n
  smoothed <- as.vector(t(plan$map) %*% solve(tcrossprod(plan$map), noisy))
  fields <- list(
    grid = curve_grid(plan$curve), value = smoothed * step * sqrt(size),
    coefficients = noisy * step / map_steps,
    square = drawn[length(drawn)] / plan$weight * step * plan$radius, noise = shown_curve_noise(plan),
    smooth = plan$smooth, curve = plan$curve, radius = plan$radius, n = plan$n
  )
  if (!is.null(plan$person)) fields$person <- plan$person
  new_private_release(fields, "dptda_private_curve")
}

define_class(
  "dptda_private_curve", "private_curve()", grid = is_numbers, value = is_numbers, coefficients = is_numbers,
  square = is_one_number, noise = function(x) is.list(x) && is_one_string(x$kind) && is_one_number(x$scale),
  smooth = is_one_number, curve = is_made("dptda_curve"), radius = is_one_number, n = is_one_number,
  person = is_null_or(is_one_string),
  .valid = function(x) {
    x <- unclass(x)
    length(x$grid) == x$curve$size && length(x$value) == x$curve$size && length(x$coefficients) == x$smooth
  }
)

# The neighbor of a person without points has a bar over the whole range. Its curve is constant and longer than the
# radius, so it moves the first cosine and the mean square by 1 / sqrt(2) of the sensitivity each. Bars over one half of
# the range each have the same square. Curves of two values move few numbers, which shows more to an audit.
example_of.private_curve <- function(plan) {
  bar <- function(birth, death) persistence_diagram(1, birth, death)
  nothing <- persistence_diagram()
  mean_of <- function(note, x, neighbor, size, ...) {
    curve <- curve_betti(c(0, 1), dimension = 1, size = size)
    release_example("curve", note, x, neighbor, list(curve = curve, radius = 0.5, ...), length(x))
  }
  pair <- function(note, size, ...) mean_of(note, list(nothing, nothing), list(nothing, bar(0, 1)), size, ...)
  halves <- function(note, ...) mean_of(note, list(bar(0, 0.5)), list(bar(0.5, 1)), 2, ...)
  list(pair("", 64, epsilon = 2, smooth = 1), pair("rho", 2, rho = 0.5), pair("mu", 2, mu = 1),
       pair("delta", 2, epsilon = 1, delta = 1e-6), halves("halves of the range", epsilon = 2),
       halves("halves of the range, rho", rho = 0.5))
}

# ---- the radius --------------------------------------------------------------------------------------------------

#' @rdname private_curve
#' @order 2
#' @export
curve_radius <- function(diagrams, curve, n, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL) {
  check_no_dots(...)
  diagrams <- check_diagrams(diagrams)
  if (missing(curve)) stop_missing("curve", "such as curve_landscape(c(0, 2), dimension = 1)")
  curve <- check_released_curve(curve)
  if (missing(n)) stop_missing("n")
  n <- check_curve_people(n, "n")$n
  cost <- check_cost(epsilon, rho, delta, mu)
  lengths <- sqrt(rowMeans(curve_values(diagrams, curve)^2))
  people <- max(n * epsilon_of_size(n, cost), 9) # fewer would take less than half of the lengths
  radius <- unname(stats::quantile(lengths, 1 - 1.4 / sqrt(people)))
  if (radius > 0) return(radius)
  stop_argument("diagrams", "must have curves that are not zero. Do their points lie in the range and dimension of ",
                "`curve`?")
}

#' Private persistence diagram
#'
#' Releases a persistence diagram under differential privacy: which connected components, loops, and cavities a point
#' cloud has, and how persistent they are. The diagram is an exact draw from the exponential mechanism. No Markov chain
#' is run, so the guarantee does not depend on convergence.
#'
#' @details
#' # Released diagram
#' The true diagram belongs to the sublevel sets of the distance to the empirical measure ([distance_to_measure()]),
#' evaluated on a public grid. On public landmarks ([domain_landmarks()]), it belongs to a filtered simplicial complex
#' instead. Points near the diagonal are noise or minor features. A point far from the diagonal is evidence of a real
#' feature.
#'
#' # Settings and results
#' All settings are public, so choose them without the data ([diagram_settings]). [feature_evidence()] returns a lower
#' confidence bound on the number of features, at no privacy cost. `print()` and `plot()` show it.
#'
#' # Preprocessing
#' Do not standardize the data with [scale()]: it changes every row by numbers computed from all rows, so no guarantee
#' would hold. Data that still have its attributes are refused. Use [domain_rescale()], which needs only the public box,
#' and lists other steps that use all rows (such as `prcomp()`). They leave no trace, but void the guarantee as well.
#'
#' @param x A numeric matrix or data frame with one row per point (for one column, a vector), rows from [table_rows()],
#'   or bins from [bin_points()]. Columns are matched to the box or landmarks by name if both have names. Points
#'   outside the box are moved to the nearest point of the box.
#' @param grid The public domain: a grid from [domain_grid()], or landmarks from [domain_landmarks()] or
#'   [landmarks_from()] for data with more than four columns or in another metric space.
#' @param delta Must be `NULL`: the exponential mechanism satisfies pure `epsilon`-differential privacy.
#' @param m0 One number in (0, 1]: the fraction of rows over which distances are averaged. The `ceiling(m0 * n)`
#'   nearest rows count.
#' @param r One number, at least 1: the exponent of the mean distance.
#' @param clip One positive number (public), in the units of the data: distances above it are set to it. The
#'   default, `Inf`, truncates nothing.
#' @param max_dimension An integer: the highest homology dimension to release, together with all lower ones. It is at
#'   most the dimension of the grid minus 1. On landmarks it is at most 3, and less for many landmarks. By default 1
#'   (components and loops), or 0 for data on a line.
#' @param dimensions Distinct integers, instead of `max_dimension`: exactly which dimensions to release. Dimensions left
#'   out cost no accuracy.
#' @param max_points An integer from 0 to 20: the largest number of points per dimension.
#' @param learn_points If `TRUE` (the default), the number of points is drawn together with their positions, within the
#'   same budget. If `FALSE`, exactly `max_points` points are released per dimension.
#' @param essential `"drop"` (the default) omits the component that never dies, because every data set has one. `"cap"`
#'   keeps it, with the largest possible value as its death.
#' @param utility `"max"` scores a diagram by its largest bottleneck distance over the dimensions, `"sum"` by their
#'   sum. `"sum"` needs more noise for the same `epsilon`. By default, `"max"` with `epsilon` and `"sum"` with `rho`.
#' @inheritParams private_release
#'
#' @return A `dptda_diagram` ([persistence_diagram()]): a data frame with the columns `dimension`, `birth`, and `death`
#'   (in the units of the data), ordered by dimension and decreasing persistence. [privacy()] returns its guarantee.
#'   Coordinates are integer multiples of a public step, `privacy(x)$public$step`.
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Each person must have a row. All people weigh the same, and `m0` is a
#' fraction of the people. Neighbors differ by replacing one unit; their number is public.
#'
#' Sensitivity of the score: [diagram_sensitivity()] with `"max"`; that times the number of dimensions with `"sum"`.
#'
#' Guarantee: `epsilon`-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy, as computed. Rows are moved to
#' a public lattice one by one (for non-Euclidean metrics, each distance is rounded to it). Everything after that is
#' integer arithmetic. With `r` other than 1 or 2, distances are computed in doubles with a proven error bound, which is
#' added to the sensitivity.
#'
#' Public: the grid, the number of units, and every argument except `x`.
#'
#' Not protected: running time (unless `options(dptda.release_time = )` is set, see [dptda-package]) and memory. Missing
#' values cause an error before anything is drawn. Do not publish this message; it depends on the data.
#'
#' @section Implementation:
#' See [diagram_settings]. The proof is in `system.file("proofs", "diagram-private.md", package = "dptda")`.
#'
#' @references
#' Kang, T., Kim, S., Sohn, J. and Awan, J. (2024). Differentially private
#' topological data analysis. *Journal of Machine Learning Research* 25, 1-42.
#' @seealso [power_diagram()], [plan_private_diagram()], [plot.dptda_diagram()], [nonprivate_chain()]
#' @examples
#' # two circles in a public box
#' angle <- seq(0, 2 * pi, length.out = 1001)[-1]
#' X <- rbind(1.5 * cbind(cos(angle), sin(angle)) + 1.5,
#'            cbind(cos(angle), sin(angle)) - 1.5)
#' grid <- domain_grid(domain_box(c(-3.5, -3.5), c(3.5, 3.5)), by = 0.1)
#'
#' release <- private_diagram(X, grid, epsilon = 2, m0 = 0.1, clip = 1.6)
#' release
#' privacy(release)
#' plot(release)
#' @export
private_diagram <- function(x, grid, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, m0, r = 1, clip = Inf,
                            max_dimension = NULL, dimensions = NULL, max_points = 10, learn_points = TRUE,
                            essential = c("drop", "cap"), utility = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  check_domain(grid)
  # checks public arguments before it reads the points
  dimensions <- check_released(dimensions, max_dimension, grid)
  cost <- check_diagram_cost(epsilon, rho, delta, mu)
  m0 <- check_m0(m0)
  make <- function(units, rows) {
    mechanism <- diagram_mechanism(units, grid, cost, m0, r, clip, dimensions, max_points, learn_points, essential,
                                   utility)
    if (!is_unseen(rows)) domain_tell_cost(grid, rows, mechanism$plan$k, dimensions)
    mechanism
  }
  release(x, budget, rng, read = function(x) domain_cloud(grid, x, "x"), make)
}

# Makes the mechanism. Domain, cost, and dimensions are checked already.
diagram_mechanism <- function(n, grid, cost, m0, r, clip, dimensions, max_points, learn_points, essential, utility) {
  plan <- check_diagram_plan(n, grid, cost, m0, r, clip, dimensions, max_points, learn_points, essential, utility)
  rehearse_draws(plan)
  plan$public <- release_parameters(plan)
  new_mechanism(structure(plan, class = "private_diagram"), diagram_guarantee(plan), earlier = privacy(grid))
}

rows_for.private_diagram <- function(plan, x) {
  if (inherits(x, "dptda_diagram")) assumed_logical(plan, x) else domain_cloud(plan$grid, x, "x")
}

# Represents rows by the diagram that they are assumed to have, for studies.
assumed_logical <- function(plan, diagram) {
  whole <- whole_steps(plan, split_diagram(as.data.frame(diagram), plan$dimensions))
  structure(list(total = plan$n, diagrams = whole), class = "assumed_logical")
}

statistic_of.private_diagram <- function(plan, rows) {
  if (inherits(rows, "assumed_logical")) rows$diagrams else true_diagrams(plan, weigh_rows(rows, plan$weight))
}

# Draws a matrix with the columns draw, dimension, birth, and death.
draw_of.private_diagram <- function(plan, statistic, rng) draw_steps(plan, statistic, 1, rng)

draws_of.private_diagram <- function(plan, statistic, runs, rng) {
  points <- draw_steps(plan, statistic, runs, rng)
  lapply(unname(split(seq_len(nrow(points)), factor(points[, "draw"], seq_len(runs)))), function(own) {
    points[own, , drop = FALSE]
  })
}

# The scale of the noise. A diagram at bottleneck distance d from the true one is exp(-d / scale) times as likely, up to
# a factor that depends on the number of points.
noise_of.private_diagram <- function(plan) {
  quantity <- vapply(plan$groups, function(group) {
    paste0("dimension ", paste(group$dimensions, collapse = ", "), ", in bottleneck distance")
  }, "")
  noise_lines(quantity, "exponential mechanism", 1 / vapply(plan$groups, `[[`, 0, "rate"))
}

result_of.private_diagram <- function(plan, drawn) {
  points <- in_units(drawn, plan)
  new_diagram(
    as.integer(points[, "dimension"]), unname(points[, "birth"]), unname(points[, "death"]),
    software = "exponential mechanism, exact", parameters = plan$public
  )
}

# Checks all arguments that a release and the comparison chain share. Returns `plan` and `cloud`.
release_setup <- function(x, grid, epsilon, rho, m0, r, clip, dimensions, max_points, learn_points, essential,
                          utility, delta = NULL, mu = NULL) {
  cost <- check_diagram_cost(epsilon, rho, delta, mu)
  cloud <- domain_cloud(grid, x, "x")
  plan <- check_diagram_plan(public_units(cloud), grid, cost, m0, r, clip, dimensions, max_points,
                             learn_points, essential, utility)
  domain_tell_cost(grid, cloud, plan$k, dimensions)
  if (is_of_people(cloud)) cloud <- weigh_rows(settle_rows(cloud, "R"), plan$weight)
  list(cloud = cloud, plan = plan)
}

check_diagram_cost <- function(epsilon, rho, delta = NULL, mu = NULL) {
  cost <- check_cost(epsilon, rho, delta, mu, takes = c("epsilon", "rho", "mu"),
                     because = "a diagram is drawn by an exponential mechanism")
  with_choices(cost, 1)
}

# Returns the public part for `n` rows or people: the plan, and the settings of the true diagrams.
check_diagram_plan <- function(n, grid, cost, m0, r, clip, dimensions, max_points, learn_points, essential, utility) {
  plan <- diagram_plan(
    n, grid, cost,
    m0 = check_m0(m0),
    r = check_number(r, 1),
    clip = check_number(clip, 0, open_lower = TRUE, finite = FALSE),
    dimensions = dimensions,
    max_points = check_count(max_points, 0, most_points),
    learn_points = check_flag(learn_points),
    utility = check_utility(utility, cost)
  )
  c(list(grid = grid), plan, list(essential = check_choice(essential, c("drop", "cap"))))
}

# The true diagrams by dimension, in integer steps. They are private and never leave the release.
true_diagrams <- function(plan, cloud) domain_diagrams(plan$grid, cloud, plan, plan$essential)

# The settings that a release and its guarantee record.
release_parameters <- function(plan) {
  c(
    plan[c("n", "m0", "r", "clip", "bound", "step", "steps", "dimensions", "max_points", "learn_points", "utility")],
    list(essential = plan$essential, grid = domain_to_keep(plan$grid)),
    weight_words(plan, plan$weight)
  )
}

diagram_guarantee <- function(plan) {
  new_guarantee(
    measure = plan$measure,
    sensitivity = plan$sensitivity * if (plan$utility == "sum") length(plan$dimensions) else 1,
    mechanism = paste0("exponential mechanism on persistence diagrams (", plan$utility,
                       " of bottleneck distances), in integers",
                       domain_facts(plan$grid)$origin),
    public = plan$public, sampler = "exact", step = "private_diagram", bounded_range = TRUE,
    times = length(plan$groups), spent = plan$known, person = plan$person
  )
}

# The pairs come from audit_neighbors(). Two numbers with m0 = 1 attain the sensitivity in bottleneck distance. Four
# points of a square with m0 = 1/2 move the diagram by 0.604 of a possible 0.707. If all rows share one point and one
# leaves it, the birth of the first class moves from zero to the sensitivity. With r = 3 this is a twentieth of the
# clip, and powers in units of such a clip overflow.
example_of.private_diagram <- function(plan) {
  diagram <- function(note, x, neighbor, grid, ...) {
    release_example("diagram", note, x, neighbor, list(grid = grid, ..., essential = "cap"))
  }
  interval <- domain_grid(domain_box(0, 1), by = 0.05)
  unit_square <- domain_grid(domain_box(c(0, 0), c(1, 1)), by = 0.1)
  line <- function(note, ...) diagram(note, matrix(c(0, 0)), matrix(c(0, 1)), interval, ..., m0 = 1, max_dimension = 0)
  square <- function(note, ...) {
    shared <- rbind(c(0, 0), c(1, 0), c(1, 1))
    diagram(note, rbind(shared, c(0, 0)), rbind(shared, c(0, 1)), unit_square, ..., m0 = 0.5)
  }
  c(list(
    line("max, number learned", epsilon = 6),
    line("max, one point", epsilon = 6, learn_points = FALSE, max_points = 1),
    line("max, r = 500", epsilon = 6, r = 500),
    diagram("r = 3, tiny clip", matrix(double(8000)), matrix(rep(c(0, 0.05), c(7999, 1))), interval, m0 = 1, r = 3,
            clip = 1e-105,
            max_dimension = 0, learn_points = FALSE, max_points = 1, epsilon = 1),
    square("max, two dimensions", epsilon = 6, utility = "max"),
    square("sum, two dimensions", epsilon = 6, utility = "sum"),
    square("sum, two points in each dimension", epsilon = 6, utility = "sum", learn_points = FALSE, max_points = 2),
    line("rho, number learned", rho = 4.5),
    square("rho, two dimensions", rho = 4.5),
    line("mu, number learned", mu = 3),
    people_on_a_line(interval)
  ), landmark_examples())
}

# Example with two people. One leaves the other's point and has more rows. With m0 = 1, half of all weight moves there.
people_on_a_line <- function(interval) {
  at <- function(x, who) people_example(data.frame(x, who))
  settings <- list(grid = interval, epsilon = 6, m0 = 1, max_dimension = 0, essential = "cap")
  release_example("diagram", "people", at(c(0, 0, 0), c(1, 2, 1)), at(c(0, 1, 1, 1), c(1, 2, 2, 2)), settings)
}

# Examples with four landmarks on a ring or six of an octahedron, and all rows in their center. If one row leaves it,
# all vertices, births, and deaths rise by 19/20 of the sensitivity. With a metric that is a function of two points,
# they rise by the whole sensitivity.
landmark_examples <- function() {
  octahedron <- rbind(diag(3), -diag(3))
  square <- octahedron[-c(3, 6), ]
  stay <- matrix(0, 200, 3)
  on <- function(note, points, metric = "euclidean", ...) {
    landmark_example(note, domain_landmarks(points, metric), stay, replace(stay, 1, 1e9), 200, clip = 20, ...)
  }
  list(
    on("components", square, epsilon = 6, dimensions = 0),
    on("loops alone", square, epsilon = 6, dimensions = 1),
    on("components and loops, max", square, epsilon = 6, dimensions = 0:1, utility = "max", learn_points = TRUE,
       max_points = 5),
    on("components and loops, sum", square, epsilon = 6, dimensions = 0:1, utility = "sum"),
    on("components and loops, rho", square, rho = 4.5, dimensions = 0:1, learn_points = TRUE, max_points = 5),
    on("voids alone", octahedron, epsilon = 6, dimensions = 2),
    on("a function", square, far_is_infinite, epsilon = 6, dimensions = 0:1)
  )
}

landmark_example <- function(note, landmarks, x, neighbor, n, clip, ..., learn_points = FALSE, max_points = 1) {
  settings <- list(grid = landmarks, ..., m0 = 1, clip = clip, learn_points = learn_points, max_points = max_points,
                   essential = "cap")
  release_example("diagram", paste0("landmarks, ", note), x, neighbor, settings, n)
}

far_is_infinite <- function(x, y) if (y[1] > 5) Inf else if (all(y == 0)) 0 else sqrt(sum((x - y)^2))

#' Settings and sampling of a private diagram
#'
#' Describes how to choose the settings of [private_diagram()], and how a diagram is drawn.
#'
#' @details
#' # Choosing settings
#' All settings are public, so choose them without looking at the data.
#'
#' * `m0` is the fraction of the data over which distances are averaged. A larger `m0` means less noise (with an `r` of
#'   1, the sensitivity is proportional to `1 / m0`) but less detail.
#' * `clip` truncates distances. Below the diagonal of the box, a smaller `clip` means proportionally less noise, but
#'   features that die above it are lost.
#' * `max_points` limits the points per dimension. With `learn_points = TRUE`, a generous limit costs almost nothing.
#'
#' [power_diagram()] computes in advance how persistent a feature must be to show up. [plan_private_diagram()]
#' compares settings on public look-alike data.
#'
#' If dimension 0 has more highly persistent points than `max_points`, loops show better when released without
#' dimension 0 (`dimensions = 1`). `clip` must be at least 2^-400 of the largest coordinate of the grid. An `epsilon`
#' above 1024 is treated as 1024, and one below about 1e-12 is refused. At least 99.99% of `epsilon` is used if the
#' lattice has room for it. In the coordinates of a release `x`, the sensitivity is `privacy(x)$public$steps` steps.
#'
#' Seeded releases (`rng = "R"`) are not private: with `parallel::mclapply(mc.set.seed = FALSE)`, two workers even draw
#' the same noise.
#'
#' # Sampling
#' First, the radius of a ball around the true diagram is drawn. Its probability is proportional to the weight that the
#' mechanism loses at that radius times the number of lattice diagrams in a cover of the ball. Then a diagram is drawn
#' from the cover. If it lies in the ball, it is accepted with probability 1 over the number of ways in which it can
#' arise. All arithmetic uses integers of up to 128 bits and coins with rational probabilities.
#'
#' Setup takes milliseconds, and a draw usually takes microseconds. If up to 20 points crowd together, counting the ways
#' in which a draw can arise may take seconds. Computing the true diagram takes longer. On a large grid, a message of
#' class `dptda_message_cost` estimates its time in advance, from public numbers and for rows that do not crowd together
#' (for the worst case, see [distance_to_measure()]). The proof is in
#' `system.file("proofs", "diagram-private.md", package = "dptda")`.
#' @seealso [private_diagram()], [domain_grid()]
#' @examples
#' # twice the fraction of rows: half the sensitivity
#' grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.1)
#' diagram_sensitivity(1000, grid, m0 = 0.1, clip = 1.5)
#' diagram_sensitivity(1000, grid, m0 = 0.2, clip = 1.5)
#' @name diagram_settings
NULL

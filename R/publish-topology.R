# Tables by their shape: the private variant of publication through a latent space and its persistence diagram.
#
#   moments   the mean and the covariance of the vectors of rows (publish-moments.R), which give the plane: spent
#   diagram   the private diagram of the rows in the plane, on a public grid: spent
#   mixture   a private mixture of the rows in the plane: spent
#   cloud     points drawn from the mixture, moved until their diagram is near the private one: post-processing
#   decoder   from the plane to codes, by the regression that the moments give: post-processing
#
# Proof: inst/proofs/publish-topology.md.

#' Private synthetic data by topological data analysis
#'
#' Makes [private_synthesis()] draw points of a plane whose persistence diagram is close to a private one, and decode
#' rows from these points. Use it for tables whose shape in the plane is of interest.
#'
#' # Algorithm
#' 1. Each row is projected to a plane: the first two principal directions of noisy second moments.
#' 2. A private persistence diagram ([private_diagram()]) and a private mixture ([private_mixture()]) of the projected
#'    rows are released.
#' 3. Points are drawn from the mixture and moved until their diagram is close to the private one.
#' 4. Codes are drawn at these points. Over the points, their probabilities have the means that a regression on the
#'    plane gives.
#'
#' Every step that uses rows spends a part of the budget. In the published method, the decoder was trained without
#' privacy. Two directions express little of a table, so AIM had more accurate margins on Adult and Poker-Hand at every
#' `epsilon` that was tried.
#'
#' `model$distance` in the result holds the bottleneck distances between the diagram of the points and the private one,
#' before and after the points were moved. It is `NULL` without a diagram.
#'
#' # The decoder "autoencoder"
#' With `decoder = "autoencoder"`, a small network replaces the principal directions. It is trained on noisy sums of
#' clipped gradients. It was less accurate (`vignette("replicate-alipourjeddi", package = "dptda")`). With a few hundred
#' rows, the noise of its training hides everything, and a message of class `dptda_message_noise` reports this before
#' any budget is spent.
#'
#' A budget with `epsilon` and `delta` that does not use basic composition counts at one Renyi order. The training then
#' has enough noise to satisfy the guarantee at this order as well.
#'
#' # Databases and people
#' For a table in a database, the linear decoder lets the database compute the position of each row in the plane. The
#' mixture reads these positions into R, in pieces, in each round. The diagram uses these positions rounded to a grid
#' eight times as fine as its own; in memory, positions are not rounded. If the columns have more than 2^18 cells
#' together, they are counted in several tables, and the noise of the moments is up to 1.41 times the noise in memory. A
#' row of a view that draws random numbers may then have several values. The autoencoder needs rows in memory, and is
#' refused before any budget is spent.
#'
#' If people have several rows, the method uses one row per person: set `rows_of_person = "one"` in [table_rows()].
#'
#' @param ... Not used. Later arguments must be named.
#' @param shares Three numbers named `moments`, `diagram`, and `mixture`: relative fractions of the budget. For the
#'   autoencoder, they divide the budget that its training leaves. If `diagram` is 0, there is no diagram, and points
#'   stay where the mixture drew them.
#' @param scale `NULL`, or a character vector: the names of columns with a single coordinate instead of one for each
#'   level. `NULL` chooses columns of numbers and ordered columns with more than 50 cells.
#' @param side One number from 0.1 to 100: half the side of the box in the plane, where variances are about one.
#' @param size An integer from 2 to 200: the number of grid points per side for the diagram.
#' @param m0,clip,max_points One number each, as for [private_diagram()]: `m0` above 0 and at most 1, `clip` from 2^-20
#'   to 1000, and `max_points` an integer, at least 0.
#' @param k,rounds Integers, as for [private_mixture()]: `k` from 1 to 200 components and `rounds` from 1 to 1000.
#' @param cloud An integer from 1 to 1e5: the number of points that are moved.
#' @param steps An integer from 0 to 1e7: the number of annealing steps that move the points. With 0, the diagram is
#'   charged but moves nothing.
#' @param temperature Two numbers from 1e-6 to 1e6: the temperatures at the beginning and the end of the annealing.
#' @param decoder A string: `"linear"`, or `"autoencoder"`, which needs `epsilon` with `delta`.
#' @param hidden An integer from 1 to 1000, for the autoencoder: the width of the layers on either side of the plane.
#' @param batch `NULL`, or an integer, at least 1: the number of rows in a training step. `NULL` is 1.2 times the square
#'   root of the number of rows.
#' @param passes One number from 0.001 to 1000: the number of rows in all training steps together, divided by the number
#'   of rows in the table.
#' @param length One number from 1e-6 to 1e6: the length to which gradients are clipped.
#' @param learning One number above 0 and at most 1: the learning rate.
#' @return A method: an object of class `c("synthesis_topology", "dptda_method")`, the list of its settings.
#' @section Budget:
#' The method takes `rho`, `mu`, or `epsilon` with `delta`, and divides it by `shares`. The autoencoder takes `epsilon`
#' with `delta` only, and 70% of it is for its training.
#' @references
#' Alipourjeddi, N. and Miri, A. (2024). Preserving privacy in high-dimensional data publishing.
#' @seealso [private_synthesis()], `system.file("proofs", "publish-topology.md", package = "dptda")` and
#' `"publish-autoencoder.md"`
#' @examples
#' smokes <- stats::runif(2000) < 0.3
#' people <- data.frame(smokes,
#'                      coughs = stats::runif(2000) < ifelse(smokes, 0.6, 0.1))
#' schema <- table_schema(smokes = schema_logical(), coughs = schema_logical())
#' quick <- synthesis_topology(size = 16, cloud = 100, steps = 200)
#' private_synthesis(people, schema, rho = 1, method = quick)
#' @export
synthesis_topology <- function(..., shares = c(moments = 0.5, diagram = 0.2, mixture = 0.3), scale = NULL, side = 3,
                               size = 32, m0 = 0.05, clip = 1, max_points = 6, k = 12, rounds = 6, cloud = 800,
                               steps = 6000, temperature = c(0.005, 0.0002), decoder = c("linear", "autoencoder"),
                               hidden = 16, batch = NULL, passes = 5, length = 1, learning = 0.01) {
  check_no_dots(...)
  new_method(
    "synthesis_topology",
    shares = check_shares(shares), scale = check_scale_columns(scale), side = check_number(side, 0.1, 100),
    size = check_count(size, 2, 200), m0 = check_number(m0, 0, 1, open_lower = TRUE), 
    clip = check_number(clip, 2^-20, 1000),
    max_points = check_count(max_points, 0, most_points), k = check_count(k, 1, max_components),
    rounds = check_count(rounds, 1, 1000), cloud = check_count(cloud, 1, 1e5), steps = check_count(steps, 0, 1e7),
    temperature = check_temperature(temperature), decoder = check_choice(decoder, c("linear", "autoencoder")),
    hidden = check_count(hidden, 1, 1000), batch = if (!is.null(batch)) check_count(batch, 1),
    passes = check_number(passes, 0.001, 1000), length = check_number(length, 1e-6, 1e6),
    learning = check_number(learning, 0, 1, open_lower = TRUE)
  )
}

define_method("synthesis_topology", synthesis_topology)

check_shares <- function(shares) {
  good <- is_numbers(shares) && identical(names(shares), c("moments", "diagram", "mixture")) && all(shares >= 0) &&
    all(shares[c("moments", "mixture")] > 0) && is.finite(sum(shares))
  if (!good) {
    stop_argument("shares", "must be positive numbers named moments, diagram, and mixture (diagram may be 0), ",
                  "not ", describe(shares), ".")
  }
  shares
}

check_temperature <- function(temperature) {
  if (!is_numbers(temperature) || length(temperature) != 2 || !all(temperature >= 1e-6 & temperature <= 1e6)) {
    stop_argument("temperature", "must be two numbers from 1e-6 to 1e6, not ", describe(temperature), ".")
  }
  temperature
}

# `columns`: the columns of the schema, if known.
check_scale_columns <- function(scale, columns = scale) {
  if (is.null(scale)) return(NULL)
  if (!is.character(scale) || anyNA(scale) || !all(scale %in% columns)) {
    stop_argument("scale", "must be NULL or column names of `schema`, not ", describe(scale), ".")
  }
  scale
}

method_cost.synthesis_topology <- function(method, epsilon, rho, delta = NULL, mu = NULL) {
  if (method$decoder == "linear") {
    cost <- check_cost(epsilon, rho, delta, mu, takes = c("delta", "rho", "mu"),
                       because = "method \"topology\" adds Gaussian noise")
    shares <- method$shares / sum(method$shares)
    mixture <- mixture_shares(method$k, TRUE)[["choice"]]
    return(with_choices(cost, shares[["diagram"]] + shares[["mixture"]] * mixture))
  }
  cost <- check_cost(epsilon, rho, delta, mu, takes = "delta",
                     because = "training the decoder \"autoencoder\" has no known guarantee of another form")
  with_choices(cost, 1)
}

#' @exportS3Method
method_mechanism.synthesis_topology <- function(method, domain, cost, rng, order = NULL) {
  check_scale_columns(method$scale, names(domain$sizes))
  refuse_people(domain_units(domain), "`method = \"topology\"`")
  if (method$decoder == "autoencoder") return(autoencoder_mechanism(method, domain, cost, order))
  plan <- plan_topology(domain, cost, method)
  words <- paste0("rounded Gaussian noise on sums and products of encoded rows, ",
                  if (has_diagram(plan)) "exponential mechanism on their diagram in a plane, ",
                  "private mixture of the rows in a plane")
  public <- synthesis_public(domain, 1, method = "topology", box = plan$box, grid = plan$diagram$grid, m0 = plan$m0,
                             clip = plan$clip, k = plan$k, rho = plan$parts)
  synthesis_mechanism("topology", plan, domain, synthesis_guarantee(domain, cost, plan$parts, words, public))
}

statistic_of.synthesis_topology <- function(plan, rows) topology_statistic(rows, plan)

draw_of.synthesis_topology <- function(plan, statistic, rng)
  list(model = draw_topology(statistic, plan, rng), steps = topology_steps(plan))

# Plans from public numbers, with all checks that can fail.
plan_topology <- function(domain, cost, options) {
  n <- domain$n
  check_decoded(domain, book_width(domain$schema, options$scale))
  parts <- split_cost(cost, options$shares / sum(options$shares))
  rho <- vapply(parts, function(part) part_measure(cost, part)[["rho"]], 0)
  moments <- plan_moments(n, domain$schema, rho[["moments"]], options$scale, is_one_reading(domain))
  if (is.null(moments)) {
    stop_argument(names(cost$measure)[1], "is too small, or the data have too many rows, to place sums on a lattice.")
  }
  c(plan_shape(domain, cost, rho, options), list(parts = parts, moments = moments))
}

topology_steps <- function(plan) shape_steps(plan, plan$parts, plan$moments$scale[["product"]] /
                                             4^plan$moments$book$bits)

# Returns the sums, and the coded rows for the steps that depend on the plane.
topology_statistic <- function(source, plan) UseMethod("topology_statistic")

topology_statistic.default <- function(source, plan) list(sums = moment_sums(source, plan$moments$book), coded = source)

draw_topology <- function(statistic, plan, rng) {
  book <- plan$moments$book
  plane <- find_plane(draw_moments(statistic$sums, plan$moments, rng), book, 2)
  X <- plane_places(statistic$coded, plane, book, plan$side)
  shape_model(X, plan, rng, function(places) linear_decoder(plane, book, places))
}

# The first principal directions of the vectors. `loads` are the directions times the standard deviations along them,
# which a regression on the places adds to the mean. `project` maps a vector to its place, with unit variances. No
# variance is taken below the level of noise.
find_plane <- function(moments, book, dimension) {
  e <- eigen(moments$covariance, symmetric = TRUE)
  edge <- max(2 * moments$noise * sqrt(book$width), 4^-book$bits)
  kept <- seq_len(min(book$width, dimension))
  sd <- sqrt(pmax(e$values[kept], edge))
  directions <- matrix(0, book$width, dimension) # zero beyond the number of coordinates
  directions[, kept] <- e$vectors[, kept]
  sd <- c(sd, rep(1, dimension - length(kept)))
  list(mean = moments$mean, loads = directions * rep(sd, each = book$width), project = directions /
       rep(sd, each = book$width),
       second = diag(moments$covariance) + moments$mean^2)
}

# Rows in the plane, in the form that queries take.
plane_places <- function(coded, plane, book, side) UseMethod("plane_places")

plane_places.default <- function(coded, plane, book, side) project_codes(unit_codes(coded), plane, book, side)

# Maps each row separately to the plane: the sum of one number for each code, in the order of the columns, clamped to
# the box.
project_codes <- function(codes, plane, book, side) {
  sums <- lapply(plane_tables(plane, book), function(one) {
    sum <- double(nrow(codes))
    for (j in seq_along(one$tables)) sum <- sum + one$tables[[j]][codes[, j] + 1L]
    pmin(pmax(sum - one$center, -side), side)
  })
  matrix(unlist(sums), nrow(codes))
}

# For each axis of the plane: one number for each code of each column, and the center subtracted from their sum.
plane_tables <- function(plane, book) {
  center <- colSums(plane$mean * plane$project)
  lapply(seq_len(ncol(plane$project)), function(i) {
    numbers <- function(column, places) colSums(t(column$whole) * plane$project[places, i]) / 2^book$bits
    list(center = center[i], tables = Map(numbers, book$columns, book$places))
  })
}

# Noise on sums and products of rows, in their own units.
noise_of.synthesis_topology <- function(plan) {
  scale <- plan$moments$scale[c("sum", "product")]
  noise_table(c("sums of encoded rows", "products of encoded rows"),
              new_noise("gaussian", unname(scale), 2^(-plan$moments$book$bits * 1:2)))
}

example_of.synthesis_topology <- function(plan) {
  list(shape_example("topology", 50, rho = 1, method = synthesis_topology(size = 8, cloud = 20, steps = 10)))
}

example_of.synthesis_autoencoder <- function(plan) {
  settings <- synthesis_topology(decoder = "autoencoder", size = 8, cloud = 20, steps = 10, hidden = 1, batch = 100,
                                 passes = 1, k = 1, rounds = 1)
  list(shape_example("topology, autoencoder", 200, epsilon = 4, delta = 1e-3, method = settings))
}

# Tables by their shape: the private variant of publication through a latent space and its persistence diagram.
#
#   moments   the mean and the covariance of the vectors of rows (publish-moments.R), paid; from them the plane
#   diagram   the private diagram of the rows in the plane, on a public grid, paid
#   mixture   a private mixture of the rows in the plane, paid
#   cloud     points drawn from the mixture and moved until their diagram is near the private one: of what was released alone
#   decoder   from the plane to codes, by the regression that the moments give: of what was released alone
#
# Proof: inst/proofs/publish-topology.md.

# `decoder`: how a place in the plane becomes a tuple of codes. `shares`: what of the budget each step gets; where the diagram
# gets nothing, there is none, and the cloud stays as it was drawn from the mixture. `side`:
# half the side of the public box of the plane, where variances are about one; `size`: of the grid there; `m0`, `clip`,
# `max_points`: of the diagram; `k0`, `rounds`: of the mixture; `cloud`: how many points are moved, in how many `steps`,
# from the first to the last `temperature`; `scale`: which columns have one coordinate and not one for each level (NULL:
# numbers, and ordinal ones of more than 50 cells).
topology_defaults <- function() {
  list(
    shares = c(moments = 0.5, diagram = 0.2, mixture = 0.3), scale = NULL, side = 3, size = 32, m0 = 0.05, clip = 1, max_points = 6,
    k0 = 12, rounds = 6, cloud = 800, steps = 6000, temperature = c(0.005, 0.0002),
    decoder = "linear", hidden = 16, batch = NULL, passes = 5, length = 1, learning = 0.01
  )
}

topology_mechanism <- function(domain, spent, options, rng, order = NULL) {
  settings <- options$topology
  if (settings$decoder == "autoencoder") return(autoencoder_mechanism(domain, spent, settings, order))
  plan <- plan_topology(domain, spent, settings)
  words <- paste0("discrete Gaussian noise on sums and products of encoded rows, ",
                  if (has_diagram(plan)) "exponential mechanism on their diagram in a plane, ", "private mixture of the rows in a plane")
  public <- synthesis_public(domain, method = "topology", box = plan$box, grid = plan$diagram$grid, m0 = plan$m0, clip = plan$clip,
                             k0 = plan$k0, rho = plan$parts)
  synthesis_mechanism("topology", plan, domain, synthesis_guarantee(spent, plan$parts, words, public))
}

statistic_of.synthesis_topology <- function(plan, rows) topology_statistic(rows, plan)

draw_of.synthesis_topology <- function(plan, seen, rng) list(model = draw_topology(seen, plan, rng), steps = topology_steps(plan))

# Public settings, all of them checked: by their names, `given` has those that are not as they are by default.
topology_options <- function(given, columns) {
  known <- topology_defaults()
  named <- is.list(given) && !is.object(given) && (length(given) == 0 || are_names(names(given)) && all(names(given) %in% names(known)))
  if (!named) {
    stop_argument("topology", "must be a list with the names ", paste0("`", names(known), "`", collapse = ", "), ", or some of them.")
  }
  known[names(given)] <- given
  in_topology <- function(name, check, ...) check(known[[name]], ..., arg = paste0("topology$", name))
  numbers <- function(x, good, words, arg) {
    if (!is_numbers(x) || !good(x)) stop_argument(arg, "must be ", words, ", not ", describe(x), ".")
    x
  }
  shared <- function(x) {
    identical(names(x), names(topology_defaults()$shares)) && all(x >= 0) && all(x[c("moments", "mixture")] > 0) && is.finite(sum(x))
  }
  falling <- function(x) length(x) == 2 && all(x >= 1e-6 & x <= 1e6)
  list(
    shares = in_topology("shares", numbers, shared, "positive numbers named moments, diagram and mixture, of which that of the diagram may be 0"),
    scale = check_scale_columns(known$scale, columns),
    side = in_topology("side", check_number, 0.1, 100),
    size = in_topology("size", check_count, 2, 200),
    m0 = in_topology("m0", check_number, 0, 1, open_lower = TRUE),
    clip = in_topology("clip", check_number, 2^-20, 1000),
    max_points = in_topology("max_points", check_count, 0, most_points),
    k0 = in_topology("k0", check_count, 1, max_components),
    rounds = in_topology("rounds", check_count, 1, 1000),
    cloud = in_topology("cloud", check_count, 1, 1e5),
    steps = in_topology("steps", check_count, 0, 1e7),
    temperature = in_topology("temperature", numbers, falling, "two numbers from 1e-6 to 1e6"),
    decoder = in_topology("decoder", check_choice, c("linear", "autoencoder")),
    hidden = in_topology("hidden", check_count, 1, 1000),
    batch = if (!is.null(known$batch)) in_topology("batch", check_count, 1),
    passes = in_topology("passes", check_number, 0.001, 1000),
    length = in_topology("length", check_number, 1e-6, 1e6),
    learning = in_topology("learning", check_number, 0, 1, open_lower = TRUE)
  )
}

check_scale_columns <- function(scale, columns) {
  if (is.null(scale)) return(NULL)
  if (!is.character(scale) || !all(scale %in% columns)) stop_argument("topology$scale", "must be NULL or names of columns of `schema`.")
  scale
}

max_coordinates <- 1000
max_decoded <- 1e4

check_decoded <- function(domain, coordinates) {
  if (coordinates > max_coordinates) {
    stop_argument("schema", "would give rows of ", format_count(coordinates), " coordinates; with `method = \"topology\"` at most ",
                  format_count(max_coordinates), " are possible.")
  }
  if (sum(domain$sizes) > max_decoded) {
    stop_argument("schema", "has ", format_count(sum(domain$sizes)), " cells; with `method = \"topology\"` at most ",
                  format_count(max_decoded), " are possible.")
  }
}

# Everything that is public, and that can fail.
plan_topology <- function(domain, spent, options) {
  n <- domain$n
  check_topology(domain, spent)
  check_decoded(domain, book_width(domain$schema, options$scale))
  parts <- split_budget(spent, options$shares / sum(options$shares))
  rho <- vapply(parts, function(part) part_measure(spent, part)[["rho"]], 0)
  moments <- plan_moments(n, domain$schema, rho[["moments"]], options$scale, is_one_reading(domain))
  if (is.null(moments)) {
    stop_argument(names(spent$measure)[1], "is so small, or `data` so long, that sums of rows would have no lattice.")
  }
  c(plan_shape(domain, spent, rho, options), list(parts = parts, moments = moments))
}

check_topology <- function(domain, spent) {
  if (is_pure(spent)) stop_argument("delta", "must be given with `epsilon` where `method` is \"topology\", which has Gaussian noise.")
}

# Diagram and mixture of points of the plane.
plan_shape <- function(domain, spent, rho, options) {
  n <- domain$n
  box <- domain_box(rep(-options$side, 2), rep(options$side, 2))
  mixture <- mixture_plan(n, 2, options$k0, list(measure = spent$measure, rho = rho[["mixture"]]), options$rounds, TRUE, FALSE)
  c(options, list(n = n, box = box, sizes = domain$sizes, mixture = mixture, rho_mixture = rho[["mixture"]],
                  diagram = plan_plane_diagram(n, box, rho[["diagram"]], options)))
}

# The mechanism of private_diagram() on the plane; without rho the grid alone.
plan_plane_diagram <- function(n, box, rho, options) {
  grid <- domain_grid(box, size = options$size)
  if (rho == 0) return(list(grid = grid))
  mechanism <- check_mechanism(n, grid, c(rho = rho), m0 = options$m0, r = 1, clip = options$clip, dimensions = c(0, 1),
                               max_points = options$max_points, learn_points = TRUE, utility = "max")
  rehearse_draws(mechanism)
  list(grid = grid, mechanism = mechanism, essential = "drop")
}

has_diagram <- function(plan) !is.null(plan$diagram$mechanism)

topology_steps <- function(plan) shape_steps(plan, plan$parts, plan$moments$scale[["product"]] / 4^plan$moments$book$bits)

# The lines of `steps`: what was done first, with noise of this scale, then diagram (where there is one) and mixture.
shape_steps <- function(plan, rho, scale) {
  epsilon <- if (has_diagram(plan)) plan$diagram$mechanism$groups[[1]]$epsilon else NA
  steps <- data.frame(step = names(rho), columns = c(paste(names(plan$sizes), collapse = ", "), "plane", "plane"),
                      scale = c(scale, NA, NA), epsilon = c(NA, epsilon, NA), rho = unname(rho))
  steps <- steps[has_diagram(plan) | steps$step != "diagram", ]
  row.names(steps) <- NULL
  steps
}

# What the rows give: the sums, and coded rows themselves for what depends on the plane.
topology_statistic <- function(source, plan) UseMethod("topology_statistic")

topology_statistic.default <- function(source, plan) list(sums = moment_sums(source, plan$moments$book), coded = source)

draw_topology <- function(seen, plan, rng) {
  book <- plan$moments$book
  plane <- find_plane(draw_moments(seen$sums, plan$moments, rng), book, 2)
  X <- plane_places(seen$coded, plane, book, plan$side)
  shape_model(X, plan, rng, function(places) linear_decoder(plane, book, places))
}

# From here on rows are points of the plane: what is released of them, and the model. `decoder`: a function of places
# there.
shape_model <- function(X, plan, rng, decoder) {
  diagram <- if (has_diagram(plan)) draw_plane_diagram(plane_cloud(X, plan), plan$diagram, rng)
  # a step of this release: what it may spend is a part of what was paid
  questions <- open_questions(X, c(rho = plan$rho_mixture), rng)
  mixture <- to_data_units(draw_mixture(questions$ask, plan$box, plan$mixture, plan$n, rng), plan$box, NULL)
  questions$close()
  cloud <- anneal_cloud(mixture, diagram, plan, rng)
  places <- blur_cloud(cloud$cloud[rep(seq_len(plan$cloud), 2), , drop = FALSE], plan$diagram$grid, rng)
  structure(c(list(sizes = plan$sizes, grid = plan$diagram$grid, mixture = mixture), list(diagram = diagram), cloud,
              list(decoder = decoder(places))),
            class = "dptda_topology_model")
}

define_class("dptda_topology_model", "private_synthesis()", grid = is_made("dptda_grid"), mixture = is_made("dptda_mixture"),
             diagram = is_null_or(is_made("dptda_diagram")), cloud = is_number_matrix, distance = is_null_or(is_number_matrix),
             sizes = function(x) is.integer(x) && is_numbers(x) && length(x) > 0 && are_names(names(x)),
             .whole = function(x) {
               ncol(x$cloud) == 2 && nrow(x$cloud) > 0 && are_moderate(x$cloud) && length(x$grid$axes) == 2 && fits_sizes(x$decoder, x$sizes)
             })

# The first principal directions of the vectors: `loads` are these times the standard deviations along them, what a
# regression on the places adds to the mean; `project` brings a vector to its place, where variances are one. No
# variance is taken for less than noise alone brings about.
find_plane <- function(moments, book, dimension) {
  e <- eigen(moments$covariance, symmetric = TRUE)
  edge <- max(2 * moments$noise * sqrt(book$width), 4^-book$bits)
  kept <- seq_len(min(book$width, dimension))
  sd <- sqrt(pmax(e$values[kept], edge))
  directions <- matrix(0, book$width, dimension) # of fewer coordinates nothing is across
  directions[, kept] <- e$vectors[, kept]
  sd <- c(sd, rep(1, dimension - length(kept)))
  list(mean = moments$mean, loads = directions * rep(sd, each = book$width), project = directions / rep(sd, each = book$width),
       second = diag(moments$covariance) + moments$mean^2)
}

# Rows in the plane, as looks take them.
plane_places <- function(coded, plane, book, side) UseMethod("plane_places")

plane_places.default <- function(coded, plane, book, side) project_codes(coded$codes, plane, book, side)

# Rows in the plane, each by itself: the sum of one number for each of its codes, in the order of the columns, moved
# into the box.
project_codes <- function(codes, plane, book, side) {
  sums <- lapply(plane_tables(plane, book), function(one) {
    sum <- double(nrow(codes))
    for (j in seq_along(one$tables)) sum <- sum + one$tables[[j]][codes[, j] + 1L]
    pmin(pmax(sum - one$center, -side), side)
  })
  matrix(unlist(sums), nrow(codes))
}

# By axis of the plane: the number of each code of each column, and what is taken off their sum.
plane_tables <- function(plane, book) {
  center <- colSums(plane$mean * plane$project)
  lapply(seq_len(ncol(plane$project)), function(i) {
    numbers <- function(column, places) colSums(t(column$whole) * plane$project[places, i]) / 2^book$bits
    list(center = center[i], tables = Map(numbers, book$columns, book$places))
  })
}

# What the diagram takes.
plane_cloud <- function(X, plan) UseMethod("plane_cloud")

plane_cloud.default <- function(X, plan) list(points = X, weights = NULL, total = nrow(X), binned = FALSE)

draw_plane_diagram <- function(cloud, setup, rng) {
  setup$cloud <- cloud
  points <- in_units(draw_steps(setup$mechanism, true_diagrams(setup), 1, rng), setup$mechanism)
  new_diagram(as.integer(points[, "dimension"]), unname(points[, "birth"]), unname(points[, "death"]),
              engine = "exponential mechanism, exact", parameters = list(essential = "drop"))
}

# Points drawn from the mixture, and as many steps of annealing: the places that are proposed are draws too. Without a
# diagram there are no steps.
anneal_cloud <- function(mixture, diagram, plan, rng) {
  steps <- if (is.null(diagram)) 0 else plan$steps
  draws <- .Call(ffi_cluster_draw, mixture$weights, unname(mixture$means), as.double(mixture$covariances),
                 as.double(plan$cloud + steps), kernel_options(rng))$X
  draws <- unname(clamp_to_box(draws, plan$box))
  if (is.null(diagram)) return(list(cloud = draws, distance = NULL))
  start <- seq_len(plan$cloud)
  moved <- anneal(
    draws[start, , drop = FALSE], draws[-start, , drop = FALSE], 1 + floor(plan$cloud * draw_uniform(plan$steps, rng)),
    draw_uniform(plan$steps, rng), plan$diagram$grid, plan$m0, plan$clip, diagram, plan$temperature
  )
  list(cloud = moved$points, distance = rbind(start = moved$start, end = moved$distance))
}

anneal <- function(start, proposal, which, coin, grid, m0, clip, diagram, temperature) {
  targets <- split_diagram(diagram, seq_along(grid$axes) - 1)
  .Call(ffi_publish_anneal, start, proposal, which, coin, grid$axes, as.double(neighbor_count(nrow(start), m0)), clip, targets,
        temperature, kernel_options(progress = kernel_progress("Annealing")))
}

# By half a step of the grid, which does not see it.
blur_width <- function(grid) vapply(grid$axes, function(axis) (axis[2] - axis[1]) / 2, 0)

blur_cloud <- function(places, grid, rng) {
  places + rep(blur_width(grid), each = nrow(places)) * stats::qnorm(draw_uniform(length(places), rng))
}

#' @exportS3Method
draw_codes.dptda_topology_model <- function(model, nsim, rng) {
  # where a row is in the plane is a point of the cloud, blurred
  layers <- decoder_layers(model$decoder)
  progress <- if (nsim > 1e6) kernel_progress("Drawing rows")
  .Call(ffi_publish_decode, model$cloud, blur_width(model$grid), layers$back, layers$back_shift, layers$slope, layers$shift,
        unname(model$sizes), nsim, kernel_options(rng, progress))
}

# Columns have to do with each other by the place of a row: those whose probabilities change with it.
#' @exportS3Method
model_pairs.dptda_topology_model <- function(model) {
  parts <- decoder_probabilities(model$decoder, seq_along(model$sizes), model$cloud)
  moved <- which(vapply(parts, function(part) is_moved(t(part)), NA))
  pairs <- if (length(moved) > 1) utils::combn(moved, 2) else matrix(0L, 2, 0)
  distinct_pairs(pairs[1, ], pairs[2, ])
}

# The mean over the cloud of the products of the probabilities of the columns: given its place, the columns of a row are
# independent.
#' @exportS3Method
model_margin.dptda_topology_model <- function(model, columns) {
  joint <- matrix(1, nrow(model$cloud), 1)
  for (part in decoder_probabilities(model$decoder, columns, model$cloud)) {
    fast <- rep(seq_len(ncol(joint)), ncol(part))
    joint <- joint[, fast, drop = FALSE] * part[, rep(seq_len(ncol(part)), each = ncol(joint)), drop = FALSE]
  }
  colMeans(joint)
}

# The shape of rows in a plane, for any decoder from the plane to codes. Releases their diagram and their mixture,
# then moves points drawn from the mixture until their diagram is near the private one. The result is the model.

max_coordinates <- 1000
max_decoded <- 1e4

check_decoded <- function(domain, coordinates) {
  if (coordinates > max_coordinates) {
    stop_argument("schema", "would give rows of ", format_count(coordinates),
                  " coordinates. With `method = \"topology\"`, at most ",
                  format_count(max_coordinates), " are possible.")
  }
  if (sum(domain$sizes) > max_decoded) {
    stop_argument("schema", "has ", format_count(sum(domain$sizes)), " cells. With `method = \"topology\"`, at most ",
                  format_count(max_decoded), " are possible.")
  }
}

# Plans the diagram and the mixture of points of the plane.
plan_shape <- function(domain, cost, rho, options) {
  n <- domain$n
  box <- domain_box(rep(-options$side, 2), rep(options$side, 2))
  own <- new_cost(cost$measure, c(rho = rho[["mixture"]]))
  mixture <- mixture_plan(n, 2, options$k, own, options$rounds, TRUE, FALSE)
  c(unclass(options), list(n = n, box = box, sizes = domain$sizes, mixture = mixture, rho_mixture = rho[["mixture"]],
                  diagram = plan_plane_diagram(n, box, rho[["diagram"]], options)))
}

# The plan of private_diagram() on the plane. Without rho, only the grid.
plan_plane_diagram <- function(n, box, rho, options) {
  grid <- domain_grid(box, size = options$size)
  if (rho == 0) return(list(grid = grid))
  plan <- diagram_plan(n, grid, new_cost(c(rho = rho)), m0 = options$m0, r = 1, clip = options$clip, dimensions = c(0,
                                                                                                                    1),
                               max_points = options$max_points, learn_points = TRUE, utility = "max")
  rehearse_draws(plan)
  c(list(grid = grid), plan, list(essential = "drop"))
}

has_diagram <- function(plan) !is.null(plan$diagram$groups)

# The lines of `steps`: the first step, with noise of this scale, then diagram (if there is one) and mixture.
shape_steps <- function(plan, rho, scale) {
  epsilon <- if (has_diagram(plan)) plan$diagram$groups[[1]]$epsilon else NA
  steps <- data.frame(step = names(rho), columns = c(paste(names(plan$sizes), collapse = ", "), "plane", "plane"),
                      scale = c(scale, NA, NA), epsilon = c(NA, epsilon, NA), rho = unname(rho))
  steps <- steps[has_diagram(plan) | steps$step != "diagram", ]
  row.names(steps) <- NULL
  steps
}

# Releases diagram and mixture of rows that are points of the plane, and builds the model. `decoder`: a function of
# places in the plane.
shape_model <- function(x, plan, rng, decoder) {
  diagram <- if (has_diagram(plan)) draw_plane_diagram(plane_cloud(x, plan), plan$diagram, rng)
  # a step of this release, which uses a part of the budget already spent
  questions <- open_questions(x, c(rho = plan$rho_mixture), rng)
  mixture <- to_data_units(draw_mixture(questions$ask, plan$box, plan$mixture, plan$n, rng), plan$box, NULL)
  questions$close()
  cloud <- anneal_cloud(mixture, diagram, plan, rng)
  places <- blur_cloud(cloud$cloud[rep(seq_len(plan$cloud), 2), , drop = FALSE], plan$diagram$grid, rng)
  new_result(c(list(sizes = plan$sizes, grid = plan$diagram$grid, mixture = mixture), list(diagram = diagram), cloud,
               list(decoder = decoder(places))),
             "dptda_topology_model")
}

define_class("dptda_topology_model", "private_synthesis()", grid = is_made("dptda_grid"),
             mixture = is_made("dptda_mixture"),
             diagram = is_null_or(is_made("dptda_diagram")), cloud = is_number_matrix,
             distance = is_null_or(is_number_matrix),
             sizes = function(x) is.integer(x) && is_numbers(x) && length(x) > 0 && are_names(names(x)),
             .valid = function(x) {
               ncol(x$cloud) == 2 && nrow(x$cloud) > 0 && are_moderate(x$cloud) && length(x$grid$axes) == 2 &&
                 fits_sizes(x$decoder, x$sizes)
             })

# The points for the diagram.
plane_cloud <- function(x, plan) UseMethod("plane_cloud")

plane_cloud.default <- function(x, plan) list(points = x, weights = NULL, total = nrow(x), binned = FALSE)

draw_plane_diagram <- function(cloud, plan, rng) {
  points <- in_units(draw_steps(plan, true_diagrams(plan, cloud), 1, rng), plan)
  new_diagram(as.integer(points[, "dimension"]), unname(points[, "birth"]), unname(points[, "death"]),
              software = "exponential mechanism, exact", parameters = list(essential = "drop"))
}

# Draws points from the mixture, and one proposal for each annealing step, also from the mixture. Without a diagram
# there are no steps.
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
  .Call(ffi_publish_anneal, start, proposal, which, coin, grid$axes, as.double(neighbor_count(nrow(start), m0)), clip,
        targets,
        temperature, kernel_options(progress = kernel_progress("Annealing")))
}

# Blurs by half a step of the grid, which the grid does not resolve.
blur_width <- function(grid) vapply(grid$axes, function(axis) (axis[2] - axis[1]) / 2, 0)

blur_cloud <- function(places, grid, rng) {
  places + rep(blur_width(grid), each = nrow(places)) * stats::qnorm(draw_uniform(length(places), rng))
}

#' @exportS3Method
draw_codes.dptda_topology_model <- function(model, nsim, rng) {
  # the place of a row in the plane is a blurred point of the cloud
  layers <- decoder_layers(model$decoder)
  progress <- if (nsim > 1e6) kernel_progress("Drawing rows")
  .Call(ffi_publish_decode, model$cloud, blur_width(model$grid), layers$back, layers$back_shift, layers$slope,
        layers$shift,
        unname(model$sizes), nsim, kernel_options(rng, progress))
}

# Columns are associated through the place of a row if their probabilities change with it.
#' @exportS3Method
model_pairs.dptda_topology_model <- function(model) {
  parts <- decoder_probabilities(model$decoder, seq_along(model$sizes), model$cloud)
  moved <- which(vapply(parts, function(part) is_moved(t(part)), NA))
  pairs <- if (length(moved) > 1) utils::combn(moved, 2) else matrix(0L, 2, 0)
  distinct_pairs(pairs[1, ], pairs[2, ])
}

# Averages the products of the columns' probabilities over the cloud. Given its place, the columns of a row are
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

# Half of the rows are in each of two opposite cells, and one row moves to the other. Noise hides most of this.
# `part`: the means of the mixture in the plane.
shape_example <- function(note, rows, ...) {
  codes <- matrix(rep(0:1, rows), 2 * rows, 2)
  settings <- list(schema = logical_schema(2), ...)
  release_example("synthesis", note, logical_table(codes), logical_table(replace(codes, c(1, 2 * rows + 1), 1)),
                  settings,
                  slow = TRUE,
                  part = function(fit) as.double(unlist(fit$model$mixture$means)))
}

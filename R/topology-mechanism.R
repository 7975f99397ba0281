# The public side of the mechanism on persistence diagrams: everything that can
# be worked out before the data are looked at. Shared by the release, by its
# planning and by the comparison chain, so that all three mean the same thing.

# How many points a released dimension may have; DPT_COVER_MOST in the core.
most_points <- 20

check_mechanism <- function(n, grid, measure, m0, r, clip, max_dimension, max_points, learn_points, utility) {
  sides <- length(grid$axes)
  if (max_dimension > sides - 1) {
    stop_argument("max_dimension", "must be at most ", sides - 1, " on a grid of ", sides, " dimension",
                  if (sides > 1) "s", ", not ", format(max_dimension), ".")
  }
  check_resolution(grid, clip)
  sensitivity <- computed_sensitivity(n, grid, m0, r, clip)
  list(
    n = n, k = neighbor_count(n, m0), m0 = m0, r = r, clip = clip,
    sensitivity = sensitivity,
    bound = diagram_bound(grid, clip),
    measure = measure,
    dimensions = seq.int(0, max_dimension),
    max_points = as.integer(max_points),
    learn_points = learn_points,
    utility = utility,
    groups = mechanism_groups(measure, sensitivity, diagram_bound(grid, clip), max_dimension + 1, utility)
  )
}

# Dimensions that are drawn with one radius, and the rate a of their density
# exp(-a max d_B). The utility "max" draws all together. The utility "sum"
# makes them independent: each has its share of epsilon (its sensitivity is
# added up over the dimensions) or of rho. Beyond 2^40 steps over the range
# the lattice of the release shows no more, and a smaller rate is as private.
mechanism_groups <- function(measure, sensitivity, bound, dimensions, utility) {
  epsilon <- mechanism_epsilon(measure, dimensions, utility)
  rate <- min(epsilon / (2 * sensitivity), 2^40 / bound)
  if (utility == "max") {
    list(list(dimensions = seq_len(dimensions) - 1, rate = rate))
  } else {
    lapply(seq_len(dimensions) - 1, function(dimension) list(dimensions = dimension, rate = rate))
  }
}

# The epsilon of each exponential mechanism; one of epsilon is also
# (epsilon^2 / 8)-zero-concentrated.
mechanism_epsilon <- function(measure, dimensions, utility) {
  parts <- if (utility == "max") 1 else dimensions
  if (names(measure) == "rho") sqrt(8 * unname(measure) / parts) else unname(measure) / parts
}

# "max" is better for epsilon, "sum" for rho; a choice of the user is obeyed.
check_utility <- function(utility, measure) {
  if (is.null(utility)) return(if (names(measure) == "rho") "sum" else "max")
  check_choice(utility, c("max", "sum"))
}

# `draws` exact draws given the true diagrams, a list of two-column matrices
# by dimension: a matrix with the columns draw, dimension, birth, death.
draw_mechanism <- function(mechanism, diagrams, draws, rng) {
  draw_group <- function(group) {
    drawn <- .Call(
      ffi_topology_private_draws, diagrams[group$dimensions + 1], mechanism$bound, group$rate,
      mechanism$max_points, mechanism$learn_points, draws, kernel_options(rng)
    )
    points <- drawn$points
    points[, 2] <- group$dimensions[points[, 2] + 1]
    points
  }
  points <- do.call(rbind, lapply(mechanism$groups, draw_group))
  dimnames(points) <- list(NULL, c("draw", "dimension", "birth", "death"))
  points
}

# The kernel refuses some settings, by public numbers: it is asked before
# anything is paid, for no draws given no points.
rehearse_draws <- function(mechanism) {
  nowhere <- rep(list(matrix(0, 0, 2)), length(mechanism$dimensions))
  invisible(draw_mechanism(mechanism, nowhere, 0, public_key))
}

# A data frame of points as the list of matrices that the kernels take, by
# birth: the bottleneck distance is faster on sorted points.
split_diagram <- function(diagram, dimensions) {
  lapply(dimensions, function(dimension) {
    points <- diagram[diagram$dimension == dimension, ]
    by_birth <- order(points$birth)
    cbind(points$birth[by_birth], points$death[by_birth])
  })
}

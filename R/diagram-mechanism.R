# The public part of the mechanism on persistence diagrams: all results that do not need the data.
# The release, its planning, and the comparison chain share it, so that all three use the same definitions.

# Largest number of points of a released dimension. Equals DPT_LATTICE_MOST in the core.
most_points <- 20

# `n`: the number of rows or people.
diagram_plan <- function(n, grid, cost, m0, r, clip, dimensions, max_points, learn_points, utility) {
  units <- check_public_units(n, 1, exact = TRUE)
  lattice <- distance_lattice(n, grid, m0, r, clip, units)
  epsilon <- min(plan_epsilon(cost$spent, length(dimensions), utility), most_epsilon)
  steps <- lattice_steps_of(lattice, epsilon, names(cost$measure))
  levels <- lattice_largest(lattice, steps)
  step <- lattice_step(lattice, steps)
  list(
    n = units$n, person = units$person, take = units$take, weight = lattice$weight, k = lattice$k, m0 = m0, r = r,
    clip = clip, sensitivity = lattice$sensitivity,
    lattice = lattice, steps = steps, levels = levels, step = step,
    bound = levels * step,
    measure = cost$measure, known = cost$known,
    dimensions = dimensions,
    max_points = as.integer(max_points),
    learn_points = learn_points,
    utility = utility,
    groups = plan_groups(epsilon, lattice$sensitivity, dimensions, utility)
  )
}

# Cap of epsilon. A larger value would have no visible effect on the lattice, and the cap is at least as private.
most_epsilon <- 1024

# K, the number of steps per sensitivity. With it the weights use 99.99% of epsilon if possible, and all values fit in
# 31 bits.
lattice_steps_of <- function(lattice, epsilon, arg) {
  most <- lattice_most_steps(lattice)
  if (most < 1) {
    stop_argument("m0", "must leave at most 2^31 nearest rows, not ", format(lattice$k), ".")
  }
  planned <- tryCatch(
    .Call(ffi_diagram_private_plan, lattice$ratio, epsilon, kernel_options()),
    dptda_error_argument = function(cnd) {
      stop_argument(arg, "is too small: noise of ", format(signif(2 / epsilon, 2)),
                    " times the sensitivity would need a lattice of ",
                    "more than 2^31 steps.")
    }
  )
  min(planned, most)
}

# Groups of dimensions that are drawn with one radius. Each has its epsilon and the rate a of its distribution, which
# falls like exp(-a max d_B). The utility "max" draws all dimensions together. The utility "sum" makes them
# independent: each gets an equal share of epsilon or rho, since costs add up over dimensions.
plan_groups <- function(epsilon, sensitivity, dimensions, utility) {
  group <- function(taken) list(dimensions = taken, epsilon = epsilon, rate = epsilon / (2 * sensitivity))
  if (utility == "max") list(group(dimensions)) else lapply(dimensions, group)
}

# Returns the epsilon of each exponential mechanism. With `rho`, it uses that an epsilon mechanism is also
# (epsilon^2 / 8)-zero-concentrated. The quotient and the root may round up, by less than 2^-52 together. Subtracting
# 2^-51 makes up for this and for its own rounding, so that the costs add up to at most the measure.
# Halves and quarters are exact doubles.
plan_epsilon <- function(spent, dimension_count, utility) {
  parts <- if (utility == "max") 1 else dimension_count
  if (names(spent) == "epsilon" && parts %in% c(1, 2, 4)) return(unname(spent) / parts)
  quotient <- if (names(spent) == "rho") sqrt(8 * unname(spent) / parts) else unname(spent) / parts
  quotient * (1 - 2^-51)
}

# Chooses the utility: "max" is better for epsilon, "sum" for rho and mu. The user may choose the other one.
check_utility <- function(utility, cost) {
  if (is.null(utility)) return(if (is_pure(cost)) "max" else "sum")
  check_choice(utility, c("max", "sum"))
}

# Makes `draws` exact draws. `diagrams` is a list with one two-column matrix per dimension: integer births and deaths
# in steps. Returns a matrix with the columns draw, dimension, birth, and death.
draw_steps <- function(plan, diagrams, draws, rng) {
  draw_group <- function(group) {
    taken <- diagrams[match(group$dimensions, plan$dimensions)]
    drawn <- .Call(
      ffi_diagram_private_draws, taken, plan$levels, plan$steps, group$epsilon, plan$max_points,
      plan$learn_points, draws, kernel_options(rng)
    )
    points <- drawn$points
    points[, 2] <- group$dimensions[points[, 2] + 1]
    points
  }
  points <- do.call(rbind, lapply(plan$groups, draw_group))
  dimnames(points) <- list(NULL, c("draw", "dimension", "birth", "death"))
  points
}

# Makes the same draws with diagrams and results in units of the data.
draw_plan <- function(plan, diagrams, draws, rng) {
  in_units(draw_steps(plan, whole_steps(plan, diagrams), draws, rng), plan)
}

whole_steps <- function(plan, diagrams) {
  lapply(diagrams, function(points) pmin(pmax(round(points / plan$step), 0), plan$levels))
}

in_units <- function(points, plan) {
  levels <- c("birth", "death")
  points[, levels] <- points[, levels] * plan$step
  points
}

# Checks the settings before anything is spent: the kernel refuses some, based on public numbers alone.
# It is called for zero draws from empty diagrams.
rehearse_draws <- function(plan) {
  nowhere <- rep(list(matrix(0, 0, 2)), length(plan$dimensions))
  invisible(draw_steps(plan, nowhere, 0, public_key))
}

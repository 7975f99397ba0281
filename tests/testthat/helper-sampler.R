# Draws from the distribution exp(-rate max d_B) on [0, bound], on a lattice of 2^24 levels, which is too fine for any
# test to detect. `diagrams` is a list of two-column matrices. K makes epsilon about one, so that the weights use all of
# it. The number of proposals is visible only here.
drawn_diagrams_of <- function(diagrams, bound, rate, most, learn = FALSE, draws = 1, rng = "R") {
  levels <- 2^24
  step <- bound / levels
  K <- min(max(round(1 / (2 * rate * step)), 1), 2^24)
  whole <- lapply(diagrams, function(points) round(`storage.mode<-`(points, "double") / step))
  drawn <- .Call(ffi_diagram_private_draws, whole, levels, K, min(2 * rate * K * step, 1024), as.integer(most), learn,
                 draws, kernel_options(rng))
  colnames(drawn$points) <- c("draw", "dimension", "birth", "death")
  points <- as.data.frame(drawn$points)
  points[c("birth", "death")] <- points[c("birth", "death")] * step
  list(points = points, acceptance = draws / drawn$proposals)
}

# Makes a mechanism with given rates on [0, 1], without rows: `groups` as in plan_groups(), without epsilon.
ideal_plan <- function(groups, most, learn) {
  K <- 2^12
  step <- 2^-22
  groups <- lapply(groups, function(group) c(group, epsilon = 2 * group$rate * K * step))
  list(bound = 1, levels = 2^22, steps = K, step = step, max_points = most, learn_points = learn, groups = groups,
       dimensions = sort(unlist(lapply(groups, `[[`, "dimensions"))))
}

# Splits the points by draw, into a list of two-column matrices.
split_draws <- function(points, draws, dimension = 0) {
  points <- points[points$dimension == dimension, ]
  lapply(split(points[c("birth", "death")], factor(points$draw, seq_len(draws))), as.matrix)
}

# Computes the bottleneck distance of the one-point diagrams (b, d), vectors, from D.
distance_of_one <- function(b, d, D) {
  persistence <- D[, 2] - D[, 1]
  distance <- pmax((d - b) / 2, max(persistence, 0) / 2)
  for (i in seq_len(nrow(D))) {
    rest <- max(persistence[-i], 0) / 2
    distance <- pmin(distance, pmax(abs(b - D[i, 1]), abs(d - D[i, 2]), rest))
  }
  distance
}

# Computes the same for diagrams of two points, as vectors.
distance_of_two <- function(b1, d1, b2, d2, D) {
  half <- (D[, 2] - D[, 1]) / 2
  distance <- pmax((d1 - b1) / 2, (d2 - b2) / 2, max(half))
  edge <- function(b, d, i) pmax(abs(b - D[i, 1]), abs(d - D[i, 2]))
  for (i in seq_len(nrow(D))) {
    rest <- max(half[-i], 0)
    distance <- pmin(distance, pmax(edge(b1, d1, i), (d2 - b2) / 2, rest), pmax(edge(b2, d2, i), (d1 - b1) / 2, rest))
    for (j in seq_len(nrow(D))[-i]) {
      distance <- pmin(distance, pmax(edge(b1, d1, i), edge(b2, d2, j), max(half[-c(i, j)], 0)))
    }
  }
  distance
}

# Makes the midpoints of a fine square mesh of the triangle 0 <= birth <= death <= bound. Cells on the diagonal count
# half, at the center of their upper half.
triangle_mesh <- function(bound, cells) {
  step <- bound / cells
  mesh <- expand.grid(i = seq_len(cells), j = seq_len(cells))
  mesh <- mesh[mesh$j >= mesh$i, ]
  on_diagonal <- mesh$i == mesh$j
  data.frame(
    birth = (mesh$i - ifelse(on_diagonal, 2 / 3, 1 / 2)) * step,
    death = (mesh$j - ifelse(on_diagonal, 1 / 3, 1 / 2)) * step,
    weight = ifelse(on_diagonal, 1, 2) / cells^2
  )
}

reference_diagram <- cbind(c(.3, .5, .8, 1, .4, 2), c(2, 1.6, 1.1, 1.05, .5, 2.1))

# Computes the bottleneck distance by trying every candidate value. For each, one matching must cover the long points of
# each side (Mendelsohn and Dulmage).
slow_bottleneck <- function(P, D) {
  covers <- function(from, to, t) {
    owner <- rep(0, nrow(to))
    augment <- function(i) {
      for (j in seq_len(nrow(to))) {
        if (tried[j] || max(abs(from[i, ] - to[j, ])) > t) next
        tried[j] <<- TRUE
        if (owner[j] == 0 || augment(owner[j])) {
          owner[j] <<- i
          return(TRUE)
        }
      }
      FALSE
    }
    for (i in seq_len(nrow(from))) {
      if (from[i, 2] - from[i, 1] <= 2 * t) next
      tried <- rep(FALSE, nrow(to))
      if (!augment(i)) return(FALSE)
    }
    TRUE
  }
  P <- unname(P)
  D <- unname(D)
  values <- c(0, abs(outer(P[, 1], D[, 1], "-")), abs(outer(P[, 2], D[, 2], "-")), (P[, 2] - P[, 1]) / 2,
              (D[, 2] - D[, 1]) / 2)
  values <- sort(unique(values)) * (1 + 1e-12)
  low <- 1
  high <- length(values)
  while (low < high) {
    middle <- (low + high) %/% 2
    if (covers(P, D, values[middle]) && covers(D, P, values[middle])) high <- middle else low <- middle + 1
  }
  values[low]
}

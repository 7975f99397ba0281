# Private k-means, the slow way and from the side of who attacks it.

kmeans_box <- function(D) domain_box(rep(-1, D), rep(1, D))

# A budget as methods get it.
spent_rho <- function(rho) list(measure = c(rho = rho), epsilon = NA_real_, rho = rho, delta = 0)
spent_epsilon <- function(epsilon) list(measure = c(epsilon = epsilon), epsilon = epsilon, rho = NA_real_, delta = 0)

# Whole numbers of rows, one column a row.
slow_lattice <- function(X, box, bits) {
  apply(X, 1, function(x) {
    place <- 2 * ((pmin(pmax(x, box$lower), box$upper) - box$lower) / (box$upper - box$lower)) - 1
    floor(pmin(pmax(place, -1), 1) * 2^bits + 0.5)
  }, simplify = FALSE)
}

slow_image <- function(q, lattice) {
  if (is.null(lattice$matrix)) return(q)
  pmin(pmax(floor(as.vector(lattice$matrix %*% q) / 2^lattice$shift), -2^lattice$bits), 2^lattice$bits)
}

# Corners, their surroundings, the middle, and places of the box.
hostile_rows <- function(n, D) {
  one <- function() {
    corner <- sample(c(-1, 1), D, TRUE)
    switch(sample(4, 1), corner, corner * (1 - 10^stats::runif(1, -6, 0)), stats::runif(D, -1, 1), double(D))
  }
  t(matrix(replicate(n, one()), D))
}

# Three groups in the box.
kmeans_groups <- function(n, D = 2) {
  withr::with_seed(1, {
    centers <- matrix(stats::runif(3 * D, -0.8, 0.8), 3)
    centers[sample(3, n, TRUE), , drop = FALSE] + matrix(stats::rnorm(n * D, sd = 0.05), n)
  })
}

is_fit <- function(fit, D, k) {
  identical(dim(fit$centers), c(as.integer(D), as.integer(k))) && all(abs(fit$centers) <= 1) &&
    length(fit$size) == k && all(fit$size >= 0 & is.finite(fit$size))
}

# Makes rows at corners, at landmarks, on ties, and at the limits of doubles.
hostile_point <- function(P, box) {
  d <- ncol(P)
  low <- if (is.null(box)) apply(P, 2, min) - 1 else box$lower
  high <- if (is.null(box)) apply(P, 2, max) + 1 else box$upper
  switch(sample(8, 1),
    P[sample(nrow(P), 1), ], ifelse(runif(d) < 0.5, low, high), low + (high - low) * runif(d), rnorm(d, sd = 3),
    sample(c(-Inf, Inf), d, TRUE), sample(c(-1, 1), d, TRUE) * .Machine$double.xmax,
    sample(c(-1e300, 1e-320, 0), d, TRUE),
    colMeans(P[sample(nrow(P), 2, TRUE), , drop = FALSE])
  )
}
hostile_cloud <- function(n, P, box = NULL) matrix(replicate(n, hostile_point(P, box)), n, ncol(P), byrow = TRUE)

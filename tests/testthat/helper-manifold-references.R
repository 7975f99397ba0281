# Logarithms and means to 60 digits, made by tools/mean-references.py. Each case is list(manifold, points, logs, mean).
# Points are the columns of a matrix, and logs start at the first point (small sets only). References are list(high,
# low).
read_references <- function(file = "manifold-references.csv") {
  rows <- utils::read.csv(test_path(file))
  numbers <- lapply(strsplit(rows$numbers, " "), as.numeric)
  lapply(split(seq_len(nrow(rows)), rows$case), function(these) {
    manifold <- read_manifold(rows$manifold[these[1]])
    columns <- function(role) do.call(cbind, lapply(numbers[these[rows$role[these] == role]], fill_matrix, manifold))
    list(manifold = manifold, points = columns("point"),
         logs = list(high = columns("log high"), low = columns("log low")),
         mean = list(high = columns("mean high"), low = columns("mean low")))
  })
}

read_manifold <- function(text) {
  words <- strsplit(text, " ")[[1]]
  numbers <- as.list(as.numeric(words[-1]))
  if (words[1] == "spd_log") return(do.call(manifold_spd, c(numbers, "log-euclidean")))
  do.call(get(paste0("manifold_", words[1]), asNamespace("dptda")), numbers)
}

# Fills a matrix. A symmetric one may be given by its lower triangle.
fill_matrix <- function(numbers, manifold) {
  if (length(numbers) == manifold$size) return(numbers)
  full <- diag(manifold$shape[1])
  full[lower.tri(full, diag = TRUE)] <- numbers
  full[upper.tri(full)] <- t(full)[upper.tri(full)]
  c(full)
}

at_origin <- function(P, manifold, center) {
  normal_points(normal_coordinates(P, manifold, center), manifold, origin_of(manifold))
}

# Computes the length of a small ambient vector at x, in the metric of the manifold. Parts that are not tangent also
# count, except in hyperbolic spaces.
small_length <- function(v, x, manifold) {
  if (manifold$kind == "hyperbolic") { # by the space part, which the boost along x shrinks in one direction
    length <- sqrt(sum(x[-1]^2))
    radial <- if (length > 0) x[-1] / length else c(1, 0 * x[-(1:2)])
    part <- sum(radial * v[-1])
    return(sqrt(sum((v[-1] - part * radial)^2) + part^2 / (1 + length^2)))
  }
  if (manifold$kind == "grassmann") { # across the subspace
    basis <- matrix(x, manifold$shape[1])
    v <- matrix(v, manifold$shape[1])
    return(norm(v - basis %*% crossprod(basis, v), "F"))
  }
  if (manifold$kind == "shapes") { # across the rotations of the shape
    z <- complex_landmarks(x)
    w <- complex_landmarks(v)
    return(sqrt(sum(Mod(w - z * sum(Conj(z) * w) / sum(Mod(z)^2))^2)))
  }
  if (manifold$kind == "spd") {
    root <- t(chol(matrix(x, manifold$shape[1])))
    return(norm(t(solve(root, t(solve(root, matrix(v, nrow(root)))))), "F"))
  }
  if (manifold$kind == "spd_log") { # the differential of the logarithm
    spectrum <- eigen(matrix(x, manifold$shape[1]), symmetric = TRUE)
    l <- log(spectrum$values)
    half <- outer(l, l, "-") / 2
    ratio <- exp(outer(l, l, "+") / 2) * ifelse(abs(half) < 1e-8, 1, sinh(half) / half)
    return(norm(crossprod(spectrum$vectors, matrix(v, length(l)) %*% spectrum$vectors) / ratio, "F"))
  }
  sqrt(sum(v^2) / if (manifold$kind == "rotation") 2 else 1)
}

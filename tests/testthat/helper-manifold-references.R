# Logarithms and means to 60 digits, made by tools/mean-references.py: a list of
# cases, each list(manifold, points, logs, mean), points the columns of a
# matrix, logs those from the first point. References are list(high, low).
read_references <- function() {
  rows <- utils::read.csv(test_path("manifold-references.csv"))
  numbers <- lapply(strsplit(rows$numbers, " "), as.numeric)
  lapply(split(seq_len(nrow(rows)), rows$case), function(these) {
    columns <- function(role) do.call(cbind, numbers[these[rows$role[these] == role]])
    words <- strsplit(rows$manifold[these[1]], " ")[[1]]
    maker <- get(words[1], asNamespace("dptda"))
    list(manifold = do.call(maker, as.list(as.numeric(words[-1]))), points = columns("point"),
         logs = list(high = columns("log high"), low = columns("log low")),
         mean = list(high = columns("mean high"), low = columns("mean low")))
  })
}

# The length of a small ambient vector at x, in the metric of the manifold;
# what is not tangent counts too, but for hyperbolic spaces.
small_length <- function(v, x, manifold) {
  if (manifold$kind == "hyperbolic") {
    v <- v + x * sum(c(-1, rep(1, length(x) - 1)) * v * x)
    return(sqrt(abs(sum(v[-1]^2) - v[1]^2)))
  }
  if (manifold$kind == "grassmann") { # across the subspace
    basis <- matrix(x, manifold$shape[1])
    v <- matrix(v, manifold$shape[1])
    return(norm(v - basis %*% crossprod(basis, v), "F"))
  }
  if (manifold$kind == "spd") {
    root <- t(chol(matrix(x, manifold$shape[1])))
    return(norm(t(solve(root, t(solve(root, matrix(v, nrow(root)))))), "F"))
  }
  sqrt(sum(v^2) / if (manifold$kind == "rotation") 2 else 1)
}

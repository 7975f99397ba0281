# Oracle: from the definition. All cliques up to one dimension more, each with the latest of its vertices and edges and
# cut at the cap; the boundary matrix in their order, columns of it added modulo 2 until no two end in the same row.
slow_edges <- function(values, lengths, whole) {
  half <- (outer(values, values, `+`) + lengths) / 2
  pmax(outer(values, values, pmax), if (whole) floor(half) else half)
}

# The vertices of each simplex, and its level.
slow_simplices <- function(values, lengths, cap, largest, whole) {
  level <- slow_edges(values, lengths, whole)
  diag(level) <- values
  sets <- unlist(lapply(seq_len(min(largest + 1, length(values))), function(size) {
    utils::combn(length(values), size, simplify = FALSE)
  }), recursive = FALSE)
  at <- vapply(sets, function(set) min(max(level[set, set]), cap), 0)
  by <- order(at, lengths(sets))
  list(sets = sets[by], level = at[by])
}

reduce_slowly <- function(simplices) {
  keys <- vapply(simplices$sets, paste, "", collapse = " ")
  columns <- lapply(simplices$sets, function(set) {
    if (length(set) == 1) return(integer())
    sort(match(vapply(seq_along(set), function(i) paste(set[-i], collapse = " "), ""), keys))
  })
  owner <- integer(length(columns))
  for (j in seq_along(columns)) {
    while (length(columns[[j]]) && owner[low <- max(columns[[j]])]) {
      other <- columns[[owner[low]]]
      columns[[j]] <- c(setdiff(columns[[j]], other), setdiff(other, columns[[j]]))
    }
    if (length(columns[[j]])) owner[max(columns[[j]])] <- j
  }
  # rows of pairs: the simplex that gives birth, and the one that ends it or 0
  births <- which(lengths(columns) == 0)
  cbind(births, owner[births], deparse.level = 0)
}

in_order <- function(dimension, birth, death) {
  by <- order(dimension, birth, death)
  data.frame(dimension = as.integer(dimension), birth = as.double(birth), death = as.double(death))[by, , drop = FALSE]
}

slow_pairs <- function(values, lengths, cap, dimensions, whole = FALSE) {
  simplices <- slow_simplices(values, lengths, cap, max(dimensions) + 1, whole)
  pairs <- reduce_slowly(simplices)
  dimension <- lengths(simplices$sets)[pairs[, 1]] - 1
  birth <- simplices$level[pairs[, 1]]
  ends <- pairs[, 2] > 0
  death <- rep(Inf, length(ends))
  death[ends] <- simplices$level[pairs[ends, 2]]
  first <- dimension == 0 & !ends
  kept <- dimension %in% dimensions & birth < death & !first
  found <- in_order(dimension[kept], birth[kept], death[kept])
  rownames(found) <- NULL
  list(found = found, essential = if (0 %in% dimensions) birth[first])
}

pairs_of <- function(...) {
  pairs <- rips_pairs(...)
  list(found = data.frame(pairs[c("dimension", "birth", "death")]), essential = pairs$essential)
}

symmetric <- function(x, L) {
  m <- matrix(0, L, L)
  m[lower.tri(m)] <- x
  m + t(m)
}

# Cases of all kinds: vertices that are born early or late, lengths of a metric or not, ties, slack taken off.
random_case <- function(kind, L) {
  pairs <- L * (L - 1) / 2
  points <- matrix(stats::rnorm(2 * L), ncol = 2)
  euclidean <- as.matrix(stats::dist(points))
  few <- function(n, most) as.double(sample(0:most, n, replace = TRUE))
  switch(kind,
    ties = list(values = few(L, 3), lengths = symmetric(few(pairs, 6), L), cap = 4),
    zeros = list(values = double(L), lengths = symmetric(few(pairs, 8), L), cap = sample(c(2, 5), 1)),
    equal = list(values = rep(1, L), lengths = symmetric(rep(3, pairs), L), cap = sample(c(1, 2, 3), 1)),
    late = list(values = few(L, 12), lengths = symmetric(few(pairs, 20), L), cap = 9),
    metric = list(values = abs(stats::rnorm(L)), lengths = unname(euclidean), cap = sample(c(1.5, Inf), 1)),
    slack = list(values = abs(stats::rnorm(L)) / 5, lengths = unname(pmax(euclidean - .5, 0)), cap = 1.5),
    circle = {
      angle <- sort(stats::runif(L, 0, 2 * pi))
      list(values = stats::runif(L) / 20, lengths = unname(as.matrix(stats::dist(cbind(cos(angle), sin(angle))))),
           cap = sample(c(.8, 2), 1))
    },
    sphere = {
      points <- points / 3
      points <- cbind(points, stats::rnorm(L))
      list(values = double(L), lengths = unname(as.matrix(stats::dist(points / sqrt(rowSums(points^2))))),
           cap = sample(c(.9, 3), 1))
    },
    octahedron = {
      far <- outer(seq_len(L), seq_len(L), function(i, j) (i + 1) %/% 2 == (j + 1) %/% 2 & i != j)
      list(values = few(L, 3), lengths = symmetric(few(pairs, 2), L) + 12 * far, cap = sample(c(3, 20), 1))
    }
  )
}
kinds <- c("ties", "zeros", "equal", "late", "metric", "slack", "circle", "sphere", "octahedron")

test_that("pairs are those of a reduction of the boundary matrix", {
  skip_if_not_installed("ripserr")
  set.seed(1)
  seen <- integer(3)
  for (kind in kinds) for (time in 1:40) {
    L <- if (time > 8 && kind == "octahedron") 6 else sample(if (time <= 8) 1:4 else 5:9, 1)
    case <- random_case(kind, L)
    whole <- all(c(case$values, case$lengths) %% 1 == 0) && time %% 2 == 0
    dimensions <- if (L < 8) 0:2 else list(0:1, 0:2, 2)[[sample(3, 1)]]
    expected <- slow_pairs(case$values, case$lengths, case$cap, dimensions, whole)
    expect_identical(pairs_of(case$values, case$lengths, case$cap, dimensions, whole), expected)
    seen <- seen + tabulate(expected$found$dimension + 1, 3)
  }
  # there was something to be found
  expect_true(all(seen > c(500, 60, 15)))
})

test_that("pairs are those of GUDHI", {
  skip_if_not_installed("ripserr")
  references <- utils::read.csv(test_path("rips-references.csv"))
  expect_identical(nrow(references), 12L)
  numbers <- function(words) scan(text = words, quiet = TRUE)
  for (i in seq_len(nrow(references))) {
    case <- references[i, ]
    values <- numbers(case$values)
    pairs <- matrix(numbers(case$pairs), 3)
    expected <- in_order(pairs[1, ], pairs[2, ], pairs[3, ])
    lengths <- symmetric(numbers(case$lengths), length(values))
    for (whole in c(TRUE, FALSE)) {
      found <- pairs_of(values, lengths, case$cap, 0:2, whole)
      expect_equal(found$found, expected, ignore_attr = TRUE, tolerance = 0)
      expect_identical(found$essential, min(values))
    }
  }
})

test_that("edge values are those of the definition, in the order of a dist", {
  set.seed(2)
  for (kind in kinds) for (L in c(1, 2, 7)) for (whole in c(FALSE, TRUE)) {
    case <- random_case(if (whole) "ties" else kind, L)
    level <- slow_edges(case$values, case$lengths, whole)
    expect_identical(rips_edges(case$values, case$lengths, whole), as.double(level[lower.tri(level)]))
    # above the cone, one vertex is joined to all others
    cone <- if (L > 1) min(apply(`diag<-`(level, -Inf), 1, max)) else -Inf
    expect_identical(rips_levels(case$values, case$lengths, whole)$cone, cone)
  }
  expect_identical(rips_edges(c(-1, -2), symmetric(0, 2), TRUE), -1)
  expect_identical(rips_edges(c(-1, -2), symmetric(2, 2), TRUE), -1)
  expect_identical(rips_edges(c(-1, -4), symmetric(4, 2), TRUE), -1)
  # the sum of three numbers that doubles have no room for
  most <- 2^52
  expect_identical(rips_edges(c(most - 1, most - 2), symmetric(most, 2), TRUE), most + (most - 4) / 2)
})

test_that("half sums are rounded so that nothing moves further than a value", {
  set.seed(3)
  for (time in 1:300) {
    L <- sample(2:8, 1)
    K <- sample(5, 1)
    values <- as.double(sample(0:20, L, replace = TRUE))
    moved <- values + sample(-K:K, L, replace = TRUE)
    lengths <- symmetric(sample(0:30, L * (L - 1) / 2, replace = TRUE), L)
    expect_lte(max(abs(rips_edges(values, lengths, TRUE) - rips_edges(moved, lengths, TRUE))), K)
  }
})

test_that("no scale is too small, too large or too fine", {
  skip_if_not_installed("ripserr")
  set.seed(4)
  for (kind in c("ties", "late", "circle", "octahedron")) for (time in 1:6) {
    case <- random_case(kind, 7)
    expected <- pairs_of(case$values, case$lengths, case$cap, 0:2)
    # powers of two, which change no digit
    for (scale in 2^c(-990, 990)) {
      scaled <- pairs_of(scale * case$values, scale * case$lengths, scale * case$cap, 0:2)
      scaled$found[2:3] <- scaled$found[2:3] / scale
      expect_identical(scaled, lapply(expected, function(x) if (is.numeric(x)) x * scale else x))
    }
    # levels that differ in the last of forty digits, one in single precision
    base <- 2^40
    fine <- function(whole) {
      values <- base + case$values * 2
      lengths <- round(case$lengths * 4) * (1 - diag(7))
      cap <- base + 2 * case$cap
      list(pairs_of(values, lengths, cap, 0:2, whole), slow_pairs(values, lengths, cap, 0:2, whole))
    }
    if (kind != "circle") for (found in list(fine(TRUE), fine(FALSE))) expect_identical(found[[1]], found[[2]])
  }
  # four points on a square: its loop is as long as one step of the lattice
  square <- symmetric(c(0, 1, 0, 0, 1, 0) * 2, 4)
  expect_identical(pairs_of(rep(2^40, 4), square, 2^50, 1, TRUE)$found,
                   data.frame(dimension = 1L, birth = 2^40, death = 2^40 + 1))
  # one bit of a double
  next_to <- 1 + .Machine$double.eps
  square <- symmetric(c(1, next_to, 1, 1, next_to, 1), 4) * 2
  expect_identical(pairs_of(double(4), square, Inf, 1)$found, data.frame(dimension = 1L, birth = 1, death = next_to))
})

test_that("nothing is found where nothing is", {
  skip_if_not_installed("ripserr")
  one <- pairs_of(3, matrix(0, 1, 1), 5, 0:2)
  expect_identical(one, list(found = data.frame(dimension = integer(), birth = double(), death = double()),
                             essential = 3))
  expect_identical(pairs_of(3, matrix(0, 1, 1), 2, 0)$essential, 2)
  expect_null(rips_pairs(c(1, 2), symmetric(3, 2), 5, 1)$essential)
  expect_identical(names(rips_pairs(c(1, 2), symmetric(3, 2), 5, 1)), c("dimension", "birth", "death"))
  for (L in 2:4) {
    expect_identical(nrow(pairs_of(double(L), symmetric(rep(1, L * (L - 1) / 2), L), 9, 2)$found), 0L)
    # all are late, or every edge is
    expect_identical(nrow(pairs_of(rep(9, L), symmetric(rep(1, L * (L - 1) / 2), L), 9, 0:2)$found), 0L)
    expect_identical(pairs_of(double(L), symmetric(rep(20, L * (L - 1) / 2), L), 9, 0:2)$found,
                     data.frame(dimension = integer(L - 1), birth = double(L - 1), death = rep(9, L - 1)))
  }
  # a loop that the cap ends, and one that infinite lengths leave open
  square <- symmetric(c(1, Inf, 1, 1, Inf, 1), 4)
  for (cap in c(2, Inf)) {
    expect_identical(pairs_of(double(4), square, cap, 1)$found, data.frame(dimension = 1L, birth = .5, death = cap))
  }
})

test_that("the order of the vertices does not matter", {
  skip_if_not_installed("ripserr")
  set.seed(5)
  for (kind in kinds) for (L in c(5, 30)) {
    case <- random_case(kind, L)
    by <- sample(L)
    expect_identical(rips_pairs(case$values[by], case$lengths[by, by], case$cap, 0:2),
                     rips_pairs(case$values, case$lengths, case$cap, 0:2))
  }
})

test_that("components without births are those of single linkage", {
  set.seed(6)
  X <- matrix(stats::rnorm(6000), ncol = 3)
  distances <- stats::dist(X)
  merges <- stats::hclust(distances, "single")$height
  pairs <- rips_pairs(double(2000), unname(as.matrix(distances)), 10, 0)
  expect_identical(pairs, list(dimension = integer(1999), birth = double(1999), death = sort(merges) / 2,
                               essential = 0))
  cap <- stats::median(merges) / 2
  expect_identical(rips_pairs(double(2000), unname(as.matrix(distances)), cap, 0)$death, pmin(sort(merges) / 2, cap))
})

test_that("diagrams move no further than the values", {
  skip_if_not_installed("ripserr")
  set.seed(7)
  diagram <- function(values, case, whole) {
    pairs <- rips_pairs(values, case$lengths, case$cap, 0:2, whole)
    persistence_diagram(c(pairs$dimension, 0L), c(pairs$birth, pairs$essential), c(pairs$death, case$cap))
  }
  closest <- 0
  for (kind in setdiff(kinds, "zeros")) for (time in 1:25) {
    whole <- kind %in% c("ties", "equal", "late", "octahedron") && time > 5
    case <- random_case(kind, sample(4:14, 1))
    case$cap <- min(case$cap, 30)
    L <- length(case$values)
    size <- if (whole) sample(3, 1) else stats::runif(1)
    moved <- pmax(case$values + if (whole) sample(-size:size, L, replace = TRUE) else stats::runif(L, -size, size), 0)
    moved[1] <- case$values[1] + size
    before <- diagram(case$values, case, whole)
    after <- diagram(moved, case, whole)
    for (dimension in 0:2) {
      away <- bottleneck_distance(before, after, dimension = dimension)
      expect_lte(away, size * (1 + 1e-12))
      closest <- max(closest, away / size)
    }
  }
  expect_gt(closest, .99)
})

test_that("a grid cut into triangles has the diagram of a grid", {
  skip_if_not_installed("ripserr")
  set.seed(8)
  for (time in 1:12) {
    extents <- sample(2:7, 2, replace = TRUE)
    values <- matrix(if (time %% 2) stats::runif(prod(extents)) else sample(0:9, prod(extents), replace = TRUE) / 10,
                     extents[1])
    cap <- if (time %% 3) .8 else 2
    at <- expand.grid(x = seq_len(extents[1]) - 1, y = seq_len(extents[2]) - 1)
    apart <- abs(outer(at$x, at$x, `-`)) + abs(outer(at$y, at$y, `-`))
    side <- pmax(abs(outer(at$x, at$x, `-`)), abs(outer(at$y, at$y, `-`)))
    # diagonals join vertices of even sum
    even <- outer((at$x + at$y) %% 2 == 0, (at$x + at$y) %% 2 == 0, `&`)
    lengths <- ifelse(apart <= 1 | (side == 1 & even), 0, 9)
    grid <- grid_persistence(pmin(values, cap), triangulation = "alternating", essential = "cap", cap = cap)
    pairs <- rips_pairs(as.double(values), lengths, cap, 0:1)
    found <- in_order(c(pairs$dimension, 0L), c(pairs$birth, pairs$essential), c(pairs$death, cap))
    found <- found[found$birth < found$death, ]
    expect_equal(found, in_order(grid$dimension, grid$birth, grid$death), ignore_attr = TRUE, tolerance = 0)
  }
})

test_that("ranks keep the order of what they stand for, to the last bit", {
  x <- c(3, 1 + .Machine$double.eps, 1, -0, 3, 0, 5e-324, -2, Inf)
  found <- rank_levels(x)
  expect_identical(found$ranks, c(6, 5, 4, 2, 6, 2, 3, 1, 7))
  expect_identical(found$levels[found$ranks], x)
})

test_that("there are not more points than can be told apart", {
  # the ranks of their edges are exact in single precision
  expect_lte(choose(rips_most, 2), 2^24)
  expect_gt(choose(rips_most + 2, 2), 2^24)
  refuse <- function(count, dimensions) {
    expect_error(check_rips_size(count, dimensions, "points"), "`points` ", class = "dptda_error_argument")
  }
  for (dimensions in list(1, 0:2, 3)) expect_silent(check_rips_size(rips_most, dimensions, "points"))
  expect_silent(check_rips_size(1e5, 0, "points"))
  refuse(rips_most + 1, 1)
  refuse(rips_most, 8)
  refuse(2000, c(0, 9))
  expect_silent(check_rips_size(40, 38, "points"))
})

test_that("what it costs grows with the points and with the dimensions", {
  for (dimensions in list(0, 0:1, 2, 0:3, 4, 5)) {
    costs <- vapply(c(50, 500, 2000), rips_cost, c(seconds = 0, bytes = 0), dimensions)
    expect_true(all(diff(t(costs)) > 0))
    expect_true(all(rips_cost(500, c(dimensions, max(dimensions) + 1)) > rips_cost(500, dimensions)))
  }
  expect_false(is_long(rips_cost(2000, 1)))
  expect_true(is_long(rips_cost(2000, 2)))
})

test_that("what computes loops is asked for before it is needed", {
  absent <- check_ripserr
  environment(absent) <- list2env(list(requireNamespace = function(...) FALSE), parent = environment(check_ripserr))
  old <- check_ripserr
  environment(old) <- list2env(list(requireNamespace = function(...) TRUE, getNamespaceVersion = function(...) "0.3.0"),
                               parent = environment(check_ripserr))
  for (check in list(absent, old)) {
    for (dimensions in list(1, 0:1, 2)) {
      expect_error(check(dimensions, "dimensions"), "`dimensions` above 0 needs the package ripserr",
                   class = "dptda_error_package")
    }
    expect_silent(check(0, "dimensions"))
  }
  # components need nothing
  expect_length(rips_pairs(c(1, 2), symmetric(3, 2), 5, 0)$birth, 1)
  skip_if_not_installed("ripserr")
  expect_silent(check_ripserr(0:2, "dimensions"))
})

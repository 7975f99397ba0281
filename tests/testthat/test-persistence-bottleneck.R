# Oracles: the definition over all partial matchings for a few points, and an
# augmenting-path decision over the sorted costs for more.
gap <- function(x, y) pmax(abs(outer(x$birth, y$birth, "-")), abs(outer(x$death, y$death, "-")))
exits <- function(x) 0.5 * abs(x$death - x$birth)

best_matching <- function(x, y) {
  costs <- gap(x, y)
  serve <- function(i, free) {
    if (i > nrow(x)) return(max(0, exits(y)[free]))
    ways <- vapply(free, function(j) max(costs[i, j], serve(i + 1, setdiff(free, j))), 0)
    min(ways, max(exits(x)[i], serve(i + 1, free)))
  }
  serve(1, seq_len(nrow(y)))
}

covers_slowly <- function(costs, exit, t) {
  owner <- integer(ncol(costs))
  place <- function(i) {
    for (j in which(costs[i, ] <= t)) if (!seen[j]) {
      seen[j] <<- TRUE
      if (owner[j] == 0 || place(owner[j])) {
        owner[j] <<- i
        return(TRUE)
      }
    }
    FALSE
  }
  for (i in which(exit > t)) {
    seen <- logical(ncol(costs))
    if (!place(i)) return(FALSE)
  }
  TRUE
}
within_slowly <- function(x, y, t) {
  costs <- gap(x, y)
  covers_slowly(costs, exits(x), t) && covers_slowly(t(costs), exits(y), t)
}
bisected <- function(x, y) {
  candidates <- sort(unique(c(0, gap(x, y), exits(x), exits(y))))
  low <- 1
  high <- length(candidates)
  while (low < high) {
    middle <- (low + high) %/% 2
    if (within_slowly(x, y, candidates[middle])) high <- middle else low <- middle + 1
  }
  candidates[low]
}

# `grid`: coordinates on a lattice, so that ties and points on the diagonal abound.
random_diagram <- function(n, grid = NULL, scale = 1, dimension = 0L) {
  birth <- stats::runif(n)
  persistence <- scale * stats::runif(n)
  if (!is.null(grid)) {
    birth <- round(birth * grid)
    persistence <- round(persistence * grid)
  }
  persistence_diagram(rep(dimension, n), birth, birth + persistence)
}
distance <- function(x, y) bottleneck_distance(x, y, dimension = 0)
decide <- function(x, y, t, what = ffi_test_bottleneck_within) {
  x <- x[order(x$birth), ]
  y <- y[order(y$birth), ]
  .Call(what, x$birth, x$death, y$birth, y$death, t, kernel_options())
}
flip <- function(x) persistence_diagram(x$dimension, -x$birth, -x$death, sublevel = FALSE)

test_that("few points: the definition over all matchings", {
  set.seed(1)
  for (i in 1:150) {
    grid <- list(NULL, 4, 2)[[i %% 3 + 1]]
    x <- random_diagram(sample(0:4, 1), grid)
    y <- random_diagram(sample(0:4, 1), grid)
    expect_identical(distance(x, y), best_matching(x, y))
  }
})

test_that("more points: the decision over sorted costs, on both sides of the small kernel's limit", {
  set.seed(2)
  for (i in 1:60) {
    grid <- list(NULL, NULL, 15, 3)[[i %% 4 + 1]]
    n <- sample(c(5, 20, 31:35, 60), 2, replace = TRUE)
    x <- random_diagram(n[1], grid, c(1, 0.1)[i %% 2 + 1])
    y <- random_diagram(n[2], grid)
    expect_identical(distance(x, y), bisected(x, y))
    expect_identical(distance(x[order(x$birth), ], y[order(y$birth), ]), distance(x, y))
  }
})

test_that("the kernel for many points agrees where chains are long, sizes differ and costs coincide", {
  set.seed(3)
  line <- function(b) persistence_diagram(0, b, b + 1e3)
  pairs <- list(
    list(line(1:40), line(1:40 + 0.5)), list(line(1:40), line(c(1:20, 20:39))),
    list(line(rep(0, 40)), line(rep(1, 40))), list(line(rep(0, 40)), line(rep(1, 36))),
    list(line(stats::runif(40)), line(stats::runif(40))),
    list(random_diagram(80, 5), random_diagram(36, 5)), list(random_diagram(36), random_diagram(90)),
    list(random_diagram(50, scale = 1e-9), random_diagram(50)), list(random_diagram(40, 1), random_diagram(40, 1)),
    list(persistence_diagram(0, rep(0, 40), 10 + 1:40), persistence_diagram(0, rep(1, 35), 11 + 1:35))
  )
  for (pair in pairs) {
    expect_identical(distance(pair[[1]], pair[[2]]), bisected(pair[[1]], pair[[2]]))
    expect_identical(distance(pair[[2]], pair[[1]]), bisected(pair[[1]], pair[[2]]))
  }
})

test_that("the distance is where the decision changes", {
  set.seed(4)
  for (n in list(c(3, 5), c(12, 50), c(40, 40), c(20, 400), c(300, 300))) for (grid in list(NULL, 30)) {
    x <- random_diagram(n[1], grid)
    y <- random_diagram(n[2], grid)
    d <- distance(x, y)
    expect_true(decide(x, y, d))
    expect_true(decide(x, y, d * (1 + 1e-12) + 1e-300))
    expect_false(decide(x, y, d * (1 - 1e-12)))
    expect_identical(decide(x, y, d, ffi_test_bottleneck_covers) && decide(y, x, d, ffi_test_bottleneck_covers), TRUE)
  }
})

test_that("covering agrees with the oracle at every kind of threshold", {
  set.seed(5)
  for (i in 1:80) {
    x <- random_diagram(sample(0:45, 1), list(NULL, 6)[[i %% 2 + 1]])
    y <- random_diagram(sample(0:60, 1), list(NULL, 6)[[i %% 2 + 1]])
    costs <- c(0, gap(x, y), exits(x))
    t <- sample(costs, 1)
    expect_identical(decide(x, y, t, ffi_test_bottleneck_covers), covers_slowly(gap(x, y), exits(x), t))
  }
})

test_that("it is a metric up to points on the diagonal, and every permutation gives the same", {
  set.seed(6)
  for (n in c(4, 40, 120)) {
    x <- random_diagram(n)
    y <- random_diagram(n + 3)
    z <- random_diagram(max(1, n %/% 2))
    expect_identical(distance(x, y), distance(y, x))
    expect_lte(distance(x, z), distance(x, y) + distance(y, z))
    expect_identical(distance(x, x[sample(n), ]), 0)
    expect_identical(distance(x[sample(n), ], y[sample(n + 3), ]), distance(x, y))
    on_diagonal <- persistence_diagram(0, c(x$birth, 7, 7), c(x$death, 7, 7))
    expect_identical(distance(x, on_diagonal), 0)
    moved <- persistence_diagram(0, x$birth - 2^-6, x$death + 2^-7)
    expect_lte(distance(x, moved), 2^-6 + 1e-15)
    expect_gt(distance(x, moved), 0)
    twice <- function(d) persistence_diagram(0, 2 * d$birth, 2 * d$death)
    expect_identical(distance(twice(x), twice(y)), 2 * distance(x, y))
  }
})

test_that("empty, single, repeated and diagonal points", {
  none <- persistence_diagram()
  one <- persistence_diagram(0, 1, 3)
  expect_identical(distance(none, none), 0)
  expect_identical(distance(none, one), 1)
  expect_identical(distance(one, one), 0)
  expect_identical(distance(none, persistence_diagram(0, rep(1, 100), rep(1, 100))), 0)
  three <- persistence_diagram(0, c(1, 1, 1), c(3, 3, 3))
  expect_identical(distance(one, three), 1)
  expect_identical(distance(three, three[c(1, 1, 1), ]), 0)
  many <- persistence_diagram(0, rep(1, 50), rep(3, 50))
  expect_identical(distance(many, many), 0)
  expect_identical(distance(many, many[-1, ]), 1)
  expect_identical(distance(many, none), 1)
})

test_that("infinite deaths are matched among themselves by birth", {
  x <- persistence_diagram(0, c(0, 5, 1), c(Inf, Inf, 2))
  y <- persistence_diagram(0, c(4, 1), c(Inf, Inf))
  expect_identical(distance(x, y), 1)
  expect_identical(distance(x, y[1, ]), Inf)
  expect_identical(distance(x, persistence_diagram()), Inf)
  set.seed(7)
  a <- stats::runif(60)
  b <- stats::runif(60)
  essential <- function(birth) persistence_diagram(0, birth, rep(Inf, 60))
  expect_identical(distance(essential(a), essential(b)), max(abs(sort(a) - sort(b))))
})

test_that("infinite births are a kind of their own", {
  x <- persistence_diagram(0, c(-Inf, -Inf, -Inf, 1), c(Inf, 4, 2, 3))
  y <- persistence_diagram(0, c(-Inf, -Inf, -Inf), c(2.5, Inf, 4))
  expect_identical(distance(x, y), 1)
  expect_identical(distance(x[-4, ], y), 0.5)
  expect_identical(distance(x[-1, ], y), Inf)
  expect_identical(distance(flip(x), flip(y)), 1)
})

test_that("superlevel diagrams are turned round, and never compared with sublevel ones", {
  set.seed(8)
  for (n in c(3, 50)) {
    x <- random_diagram(n)
    y <- random_diagram(n)
    expect_identical(distance(flip(x), flip(y)), distance(x, y))
  }
  expect_identical(distance(persistence_diagram(0, c(3, 2), c(-Inf, 1), sublevel = FALSE),
                            persistence_diagram(0, 2.5, -Inf, sublevel = FALSE)), 0.5)
  expect_identical(distance(flip(x), persistence_diagram()), max(exits(x)))
  expect_identical(distance(persistence_diagram(0, 1, 1), flip(x)), max(exits(x)))
  expect_error(distance(flip(x), x), "`y`", class = "dptda_error_argument")
})

test_that("dimensions are kept apart, and whatever can be a diagram is accepted", {
  x <- persistence_diagram(c(0, 1), c(0, 0), c(1, 4))
  y <- persistence_diagram(1, 0, 3)
  expect_identical(bottleneck_distance(x, y, dimension = 0), 0.5)
  expect_identical(bottleneck_distance(x, y, dimension = c(1, 0, 7)), c(1, 0.5, 0))
  expect_identical(bottleneck_distance(as.matrix(x), list(diagram = as.matrix(y)), dimension = 1), 1)
  expect_identical(bottleneck_distance(x, y, dimension = integer()), numeric())
})

test_that("bad input gets a classed error", {
  x <- persistence_diagram(0, 0, 1)
  expect_error(bottleneck_distance(x, x), "`dimension`", class = "dptda_error_argument")
  expect_error(bottleneck_distance(x, x, 0), "must be named", class = "dptda_error_argument")
  expect_error(bottleneck_distance(x, x, tol = 0, dimension = 0), class = "dptda_error_argument")
  expect_error(bottleneck_distance(x, x, dimension = -1), "`dimension`", class = "dptda_error_argument")
  expect_error(bottleneck_distance(x, x, dimension = "a"), "`dimension`", class = "dptda_error_argument")
  expect_error(bottleneck_distance("x", x, dimension = 0), "`x`", class = "dptda_error_argument")
  expect_error(bottleneck_distance(x, NULL, dimension = 0), "`y`", class = "dptda_error_argument")
  expect_error(bottleneck_distance(x, data.frame(dimension = 0, birth = NA_real_, death = 1), dimension = 0), "`y`",
               class = "dptda_error_argument")
})

test_that("extreme magnitudes are compared exactly and end", {
  set.seed(9)
  x <- persistence_diagram(0, rep(0, 60), 10^stats::runif(60, -300, 300))
  y <- persistence_diagram(0, rep(0, 60), 10^stats::runif(60, -300, 300))
  expect_identical(distance(x, y), bisected(x, y))
  # a persistence beyond all doubles has a half that is one
  whole <- persistence_diagram(0, -.Machine$double.xmax, .Machine$double.xmax)
  expect_identical(distance(whole, persistence_diagram()), .Machine$double.xmax)
  expect_identical(distance(persistence_diagram(), persistence_diagram(0, -2^1023, 1.5 * 2^1023)), 1.25 * 2^1023)
})

test_that("it leaves no memory behind", {
  expect_identical(.Call(ffi_test_live_blocks), 0)
})

test_that("TDA and phutil agree", {
  set.seed(10)
  x <- random_diagram(60)
  y <- random_diagram(45)
  if (requireNamespace("TDA", quietly = TRUE)) {
    expect_equal(TDA::bottleneck(as.matrix(x), as.matrix(y), dimension = 0), distance(x, y), tolerance = 1e-12)
  }
  skip_if_not_installed("phutil")
  expect_equal(phutil::bottleneck_distance(phutil::as_persistence(x), phutil::as_persistence(y)), distance(x, y),
               tolerance = 1e-6)
})

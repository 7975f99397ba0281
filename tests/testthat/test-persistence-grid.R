# ---- the oracle: every cell of the complex, the boundary matrix reduced column by column ----

# Cells as sorted vertex numbers.
grid_cells <- function(extents, triangulation) {
  d <- length(extents)
  corners <- as.matrix(expand.grid(rep(list(0:1), d)))
  steps <- cumprod(c(1, extents[-d]))
  all_faces <- function(at) {
    if (triangulation == "cubical") {
      return(lapply(seq_len(2^d), function(i) which(apply(corners, 1, function(corner) all(corner <= corners[i, ])))))
    }
    odd <- rowSums(at) %% 2 == 1
    around <- lapply(which(odd), function(i) which(rowSums(abs(sweep(corners, 2, corners[i, ]))) <= 1))
    subsets <- function(simplex) {
      sizes <- lapply(seq_along(simplex), function(k) utils::combn(length(simplex), k, simplify = FALSE))
      lapply(unlist(sizes, recursive = FALSE), function(chosen) simplex[chosen])
    }
    unlist(lapply(c(around, list(which(!odd))), subsets), recursive = FALSE)
  }
  cells_at <- function(base) {
    at <- sweep(corners, 2, base, "+")
    inside <- apply(at, 1, function(point) all(point < extents))
    faces <- Filter(function(face) all(inside[face]), all_faces(at))
    lapply(faces, function(face) sort(drop(1 + at[face, , drop = FALSE] %*% steps)))
  }
  bases <- as.matrix(expand.grid(lapply(extents, function(n) seq_len(n) - 1)))
  unique(unlist(apply(bases, 1, cells_at, simplify = FALSE), recursive = FALSE))
}

slow_pairs <- function(values, triangulation = "cubical") {
  cells <- grid_cells(if (is.null(dim(values))) length(values) else dim(values), triangulation)
  dimension <- if (triangulation == "cubical") round(log2(lengths(cells))) else lengths(cells) - 1
  value <- vapply(cells, function(cell) max(values[cell]), 0)
  sorted <- order(value, dimension)
  cells <- cells[sorted]
  dimension <- dimension[sorted]
  value <- value[sorted]
  names <- vapply(cells, paste, "", collapse = " ")
  pivot_owner <- integer(length(cells))
  columns <- vector("list", length(cells))
  for (i in seq_along(cells)) {
    lower <- which(dimension == dimension[i] - 1)
    column <- lower[vapply(cells[lower], function(cell) all(cell %in% cells[[i]]), NA)]
    while (length(column) && pivot_owner[max(column)]) {
      other <- columns[[pivot_owner[max(column)]]]
      column <- c(setdiff(column, other), setdiff(other, column))
    }
    columns[[i]] <- column
    if (length(column)) pivot_owner[max(column)] <- i
  }
  births <- which(pivot_owner > 0)
  essential <- setdiff(which(lengths(columns) == 0), births)
  pairs <- data.frame(dimension = dimension[c(births, essential)], birth = value[c(births, essential)],
                      death = c(value[pivot_owner[births]], rep(Inf, length(essential))))
  pairs <- pairs[pairs$birth < pairs$death, ]
  pairs[order(pairs$dimension, pairs$birth - pairs$death, pairs$birth), ]
}

plain <- function(x) {
  x <- data.frame(dimension = as.double(x$dimension), birth = x$birth, death = x$death)
  row.names(x) <- NULL
  x
}

expect_oracle <- function(values, triangulation = "cubical") {
  slow <- plain(slow_pairs(values, triangulation))
  expect_identical(plain(grid_persistence(values, max_dimension = 5, triangulation = triangulation)), slow)
  expect_identical(plain(grid_pairs(values, 5, triangulation = triangulation, plane = FALSE)), slow)
}

# The same diagram, whatever the order of equal rows.
as_multiset <- function(x) {
  x <- plain(x)
  x <- x[order(x$dimension, x$birth, x$death), ]
  row.names(x) <- NULL
  x
}

random_array <- function(extents, kind) {
  n <- prod(extents)
  values <- switch(kind,
    noise = stats::runif(n), counts = sample(0:3, n, TRUE), binary = sample(0:1, n, TRUE), constant = rep(2, n),
    monotone = seq_len(n), masked = ifelse(stats::runif(n) < .2, Inf, stats::rnorm(n)),
    signed_zero = sample(c(-0, 0, 1), n, TRUE)
  )
  array(as.double(values), extents)
}
kinds <- c("noise", "counts", "binary", "constant", "monotone", "masked", "signed_zero")

# A sum of a few waves.
smooth_array <- function(extents, waves = 4) {
  at <- as.matrix(expand.grid(lapply(extents, function(n) seq(0, 1, length.out = n))))
  wave <- function(i) stats::rnorm(1) * sin(at %*% stats::rnorm(length(extents), sd = 8) + stats::runif(1, 0, 6))
  array(rowSums(vapply(seq_len(waves), wave, numeric(nrow(at)))), extents)
}

test_that("cubical diagrams are those of the slow reduction, in one to four dimensions, with ties", {
  set.seed(1)
  shapes <- list(1, 2, 8, c(1, 1), c(1, 6), c(5, 1), c(4, 5), c(2, 2, 2), c(3, 3, 3), c(4, 1, 3), c(4, 3, 2),
                 c(2, 3, 2, 2))
  for (shape in shapes) for (kind in kinds) expect_oracle(random_array(shape, kind))
})

test_that("alternating diagrams are those of the slow reduction", {
  set.seed(2)
  shapes <- list(1, 6, c(1, 5), c(4, 5), c(5, 4), c(2, 2, 2), c(3, 3, 3), c(3, 1, 4), c(4, 3, 2))
  for (shape in shapes) for (kind in kinds) expect_oracle(random_array(shape, kind), "alternating")
})

test_that("large plateaus agree with the slow reduction", {
  values <- matrix(1, 8, 8)
  values[2:4, 2:4] <- 0
  values[3, 3] <- 2
  values[6:7, 5:7] <- 2
  expect_oracle(values)
  expect_oracle(values, "alternating")
  block <- array(1, c(4, 4, 4))
  block[2:3, 2:3, 2:3] <- 3
  block[1, , ] <- 0
  expect_oracle(block)
})

test_that("the engine for the plane agrees with the general one", {
  set.seed(3)
  for (shape in list(c(60, 41), c(2, 300), c(300, 2), 500)) {
    for (values in list(random_array(shape, "noise"), random_array(shape, "counts"), random_array(shape, "masked"),
                        smooth_array(shape))) {
      for (sublevel in c(TRUE, FALSE)) {
        expect_identical(grid_pairs(values, 1, sublevel), grid_pairs(values, 1, sublevel, plane = FALSE))
      }
    }
  }
})

test_that("a smaller max_dimension gives the same rows, and a larger one no more", {
  set.seed(4)
  for (values in list(random_array(c(12, 13), "counts"), random_array(c(7, 8, 6), "noise"),
                      random_array(c(4, 5, 4, 4), "noise"))) {
    full <- plain(grid_persistence(values))
    for (highest in seq(0, length(dim(values)) + 1)) {
      expect_identical(plain(grid_persistence(values, max_dimension = highest)), full[full$dimension <= highest, ])
    }
  }
})

test_that("permuting or reflecting the axes changes nothing (cubical)", {
  set.seed(5)
  for (kind in c("noise", "counts")) {
    values <- random_array(c(6, 7, 5), kind)
    diagram <- as_multiset(grid_persistence(values))
    expect_identical(as_multiset(grid_persistence(aperm(values, c(3, 1, 2)))), diagram)
    expect_identical(as_multiset(grid_persistence(values[6:1, , 5:1])), diagram)
    image <- random_array(c(20, 31), kind)
    diagram <- as_multiset(grid_persistence(image))
    expect_identical(as_multiset(grid_persistence(t(image))), diagram)
    expect_identical(as_multiset(grid_persistence(image[20:1, ])), diagram)
  }
})

test_that("axes of one vertex change nothing", {
  set.seed(6)
  image <- random_array(c(9, 11), "noise")
  flat <- grid_persistence(image, max_dimension = 3)
  expect_identical(plain(grid_persistence(array(image, c(9, 1, 11)), max_dimension = 3)), plain(flat))
  expect_identical(plain(grid_persistence(array(image, c(1, 9, 11, 1)), max_dimension = 3)), plain(flat))
})

test_that("superlevel diagrams are sublevel diagrams of the negated values, turned round", {
  set.seed(7)
  for (values in list(random_array(c(9, 8), "counts"), random_array(c(5, 4, 6), "noise"))) {
    below <- grid_persistence(-values)
    above <- grid_persistence(values, sublevel = FALSE)
    expect_false(attr(above, "sublevel"))
    expect_true(all(above$birth > above$death))
    expect_identical(as_multiset(data.frame(dimension = above$dimension, birth = -above$birth, death = -above$death)),
                     as_multiset(below))
  }
})

test_that("the Euler characteristic of every sublevel set is that of the classes alive in it", {
  set.seed(8)
  for (triangulation in c("cubical", "alternating")) {
    values <- random_array(c(5, 6, 4), "noise")
    cells <- grid_cells(dim(values), triangulation)
    sign <- if (triangulation == "cubical") (-1)^round(log2(lengths(cells))) else (-1)^(lengths(cells) - 1)
    entry <- vapply(cells, function(cell) max(values[cell]), 0)
    diagram <- grid_persistence(values, triangulation = triangulation)
    for (level in c(.2, .5, .8, 1)) {
      alive <- diagram$birth <= level & diagram$death > level
      expect_equal(sum((-1)^diagram$dimension[alive]), sum(sign[entry <= level]))
    }
  }
})

test_that("diagrams are stable: they move no more than the values", {
  skip_if_not(exists("bottleneck_distance"), "bottleneck_distance() is absent")
  set.seed(9)
  for (shape in list(40, c(12, 12), c(6, 6, 6))) {
    values <- smooth_array(shape)
    for (size in c(1e-3, .05, .5)) {
      moved <- values + stats::runif(length(values), -size, size)
      for (dimension in seq_along(shape) - 1) {
        distance <- bottleneck_distance(grid_persistence(values), grid_persistence(moved), dimension = dimension)
        expect_lte(distance, max(abs(values - moved)) + 1e-12)
      }
    }
  }
})

test_that("alternating diagrams are TDA's", {
  skip_if_not_installed("TDA")
  set.seed(10)
  for (shape in list(30, c(15, 14), c(14, 15), c(6, 7, 5), c(5, 5, 8))) {
    values <- random_array(shape, "noise")
    for (sublevel in c(TRUE, FALSE)) {
      theirs <- TDA::gridDiag(FUNvalues = values, sublevel = sublevel, maxdimension = length(shape) - 1)$diagram
      ours <- grid_persistence(values, sublevel = sublevel, triangulation = "alternating", essential = "cap")
      expect_identical(as_multiset(ours),
                       as_multiset(data.frame(dimension = theirs[, "dimension"], birth = theirs[, "Birth"],
                                              death = theirs[, "Death"])))
    }
  }
})

test_that("a circle and a sphere are seen for what they are", {
  x <- seq(-1.5, 1.5, length.out = 41)
  ring <- outer(x, x, function(x, y) abs(sqrt(x^2 + y^2) - 1))
  expect_identical(sum(grid_persistence(ring)$dimension == 1 & grid_persistence(ring)$death > .9), 1L)
  at <- as.matrix(expand.grid(x[c(TRUE, FALSE)], x[c(TRUE, FALSE)], x[c(TRUE, FALSE)]))
  shell <- array(abs(sqrt(rowSums(at^2)) - 1), c(21, 21, 21))
  tall <- subset(as.data.frame(grid_persistence(shell)), death - birth > .5)
  expect_identical(tall$dimension, c(0L, 2L))
})

test_that("essential classes are kept, dropped or capped", {
  values <- matrix(c(0, 3, 1, 3, 5, 3, 2, 3, .5), 3)
  expect_identical(grid_persistence(values)$death[1], Inf)
  expect_identical(grid_persistence(values, sublevel = FALSE)$death, -Inf)
  dropped <- grid_persistence(values, essential = "drop")
  expect_identical(plain(dropped), plain(grid_persistence(values)[-1, ]))
  expect_identical(grid_persistence(values, essential = "cap")$death[1], 5)
  expect_identical(grid_persistence(values, sublevel = FALSE, essential = "cap")$death, 0)
  expect_identical(grid_persistence(values, essential = "cap", cap = 2.6)$death, c(2.6, 3, 3, 3, 5))
  expect_identical(nrow(grid_persistence(values, essential = "cap", cap = -1)), nrow(dropped))
  expect_identical(nrow(grid_persistence(matrix(1, 3, 3), essential = "cap")), 0L)
  expect_identical(nrow(grid_persistence(matrix(1, 3, 3))), 1L)
})

test_that("infinite values mask a part of the grid", {
  values <- matrix(0, 7, 7)
  values[3:5, 3:5] <- Inf
  values[4, 4] <- 1
  diagram <- grid_persistence(values)
  expect_identical(plain(diagram), data.frame(dimension = c(0, 0, 1), birth = c(0, 1, 0), death = Inf))
  expect_identical(grid_persistence(values, essential = "cap")$death, c(1, 1))
  expect_identical(nrow(grid_persistence(array(Inf, c(3, 3)), essential = "cap")), 0L)
  expect_identical(nrow(grid_persistence(array(Inf, c(3, 3)))), 0L)
  values[1, 1] <- -Inf
  expect_identical(grid_persistence(values)$birth[1], -Inf)
})

test_that("the result is a diagram that says how it was made", {
  diagram <- grid_persistence(matrix(c(0, 2, 1, 3), 2), essential = "cap", cap = 4, triangulation = "alternating")
  expect_s3_class(diagram, "dptda_diagram")
  expect_named(diagram, c("dimension", "birth", "death"))
  expect_type(diagram$dimension, "integer")
  expect_identical(attr(diagram, "software"), "grid")
  expect_identical(attr(diagram, "parameters"),
                   list(triangulation = "alternating", essential = "cap", cap = 4, max_dimension = 1))
  expect_true(attr(diagram, "sublevel"))
  expect_null(attr(diagram, "privacy"))
})

test_that("integer arrays and vectors are accepted", {
  expect_identical(plain(grid_persistence(c(3L, 1L, 2L, 0L))), plain(grid_persistence(c(3, 1, 2, 0))))
  expect_identical(grid_persistence(c(3, 1, 2, 0))$dimension, c(0L, 0L))
})

test_that("the result does not depend on the number of threads", {
  set.seed(11)
  values <- random_array(c(20, 21, 22), "noise")
  one <- withr::with_options(list(dptda.threads = 1), grid_pairs(values, 2))
  two <- withr::with_options(list(dptda.threads = 2), grid_pairs(values, 2))
  expect_identical(one, two)
})

test_that("an interrupt stops the kernels soon and leaks nothing", {
  set.seed(12)
  for (run in list(list(random_array(c(3000, 3000), "noise"), TRUE), list(random_array(rep(90, 3), "noise"), TRUE),
                   list(random_array(c(1500, 1500), "noise"), FALSE))) {
    for (limit in c(.02, .1)) {
      # each takes more than a second to its end
      stopped <- within_time(limit, grid_pairs(run[[1]], 2, plane = run[[2]]))
      expect_match(conditionMessage(stopped), "time limit")
      expect_identical(.Call(ffi_test_live_blocks), 0)
    }
  }
})

test_that("dtm_persistence() is the distance to a measure and its diagram", {
  skip_if_not(exists("distance_to_measure") && exists("domain_grid"), "distance_to_measure() is absent")
  set.seed(13)
  angle <- stats::runif(200, 0, 2 * pi)
  X <- cbind(cos(angle), sin(angle))
  grid <- domain_grid(domain_box(c(-1.5, -1.5), c(1.5, 1.5)), size = c(31, 31))
  values <- distance_to_measure(X, grid, .1, r = 2, clip = 1.2)
  expect_identical(dtm_persistence(X, grid, .1, r = 2, clip = 1.2, essential = "drop"),
                   grid_persistence(values, max_dimension = 1, essential = "drop"))
  expect_identical(dtm_persistence(X, grid, .1, max_dimension = 0, triangulation = "alternating"),
                   grid_persistence(distance_to_measure(X, grid, .1), max_dimension = 0, triangulation = "alternating"))
})

test_that("bad input gets a classed error that names the argument", {
  values <- matrix(1:4, 2)
  bad <- function(code) expect_error(code, class = "dptda_error_argument")
  bad(grid_persistence("a"))
  bad(grid_persistence(NULL))
  bad(grid_persistence(factor(1:3)))
  bad(grid_persistence(data.frame(a = 1:3)))
  bad(grid_persistence(matrix(TRUE, 2, 2)))
  bad(grid_persistence(numeric(0)))
  bad(grid_persistence(matrix(0, 0, 3)))
  bad(grid_persistence(array(0, c(2, 2, 2, 2, 2))))
  bad(grid_persistence(c(1, NA)))
  bad(grid_persistence(c(1, NaN)))
  bad(grid_persistence(values, 1))
  bad(grid_persistence(values, max_dimension = -1))
  bad(grid_persistence(values, max_dimension = 1.5))
  bad(grid_persistence(values, max_dimension = NA))
  bad(grid_persistence(values, sublevel = NA))
  bad(grid_persistence(values, triangulation = "freudenthal"))
  bad(grid_persistence(array(1, c(2, 2, 2, 2)), triangulation = "alternating"))
  bad(grid_persistence(values, essential = "no"))
  bad(grid_persistence(values, essential = "cap", cap = "a"))
  bad(grid_persistence(values, essential = "cap", cap = NA_real_))
  message_of <- function(code) conditionMessage(tryCatch(code, error = identity))
  expect_identical(message_of(grid_persistence(c(1, NA))), "`values` must not contain missing values.")
  expect_identical(message_of(grid_persistence("a")), "`values` must be a numeric array, not a character vector.")
})

# Curves against their definitions, written slowly; against TDA; invariants; hostile diagrams.

# The values of one diagram by the definition, one grid value at a time.
curve_oracle <- function(birth, death, curve) {
  kept <- !is.na(birth) & is.finite(death)
  birth <- birth[kept]
  death <- death[kept]
  clip <- function(x) pmin(pmax(x, curve$range[1]), curve$range[2])
  falls <- birth > death
  low <- clip(pmin(birth, death))
  high <- clip(pmax(birth, death))
  step <- diff(curve$range) / curve$size
  vapply(curve$range[1] + step * (seq_len(curve$size) - .5), function(t) {
    alive <- ifelse(falls, low < t & t <= high, low <= t & t < high)
    if (curve$kind == "betti") return(sum(alive))
    if (curve$kind == "landscape") {
      tents <- sort(pmax(pmin(t - low, high - t), 0), decreasing = TRUE)
      return(if (length(tents) < curve$level) 0 else tents[curve$level])
    }
    total <- sum(high - low)
    sum((high - low)[alive]) / if (!curve$normalize) 1 else if (total > 0) total else 1
  }, 0)
}

# `kinds`: all curves on a range.
all_curves <- function(range, dimension = 1, size = 64) {
  list(curve_landscape(range, dimension, size = size), curve_landscape(range, dimension, level = 2, size = size),
       curve_landscape(range, dimension, level = 5, size = size), curve_betti(range, dimension, size = size),
       curve_life(range, dimension, size = size), curve_life(range, dimension, normalize = FALSE, size = size))
}

random_diagram <- function(n, falls = FALSE) {
  ends <- cbind(stats::rnorm(n), stats::rnorm(n))
  low <- pmin(ends[, 1], ends[, 2])
  high <- pmax(ends[, 1], ends[, 2])
  data.frame(dimension = sample(0:2, n, TRUE), birth = if (falls) high else low, death = if (falls) low else high)
}

test_that("curves equal their definitions", {
  set.seed(1)
  for (size in c(2, 7, 64, 200)) {
    for (falls in c(FALSE, TRUE)) {
      diagrams <- lapply(c(0, 1, 2, 9, 60), random_diagram, falls = falls)
      for (curve in all_curves(c(-1.3, .9), size = size)) {
        values <- curve_values(diagrams, curve)
        expected <- t(vapply(diagrams, function(x) {
          own <- x[x$dimension == 1, ]
          curve_oracle(own$birth, own$death, curve)
        }, double(size)))
        expect_equal(values, expected, tolerance = 1e-13)
      }
    }
  }
})

test_that("ties, points on grid values and at the ends of the range are those of the definition", {
  # half of these numbers are grid values, and the others ends of cells
  places <- expand.grid(birth = seq(-1, 5) / 8, death = seq(-1, 5) / 8)
  for (curve in all_curves(c(0, .5), size = 2)) {
    for (i in seq_len(nrow(places))) {
      x <- cbind(dimension = 1, birth = places$birth[i], death = places$death[i])
      expect_identical(drop(curve_values(list(x), curve)), curve_oracle(x[, 2], x[, 3], curve))
    }
    x <- cbind(dimension = 1, birth = c(0, 0, 0, .125), death = .5)
    expect_equal(drop(curve_values(list(x), curve)), curve_oracle(x[, 2], x[, 3], curve))
  }
})

test_that("landscapes are TDA's", {
  skip_if_not_installed("TDA")
  set.seed(2)
  x <- cbind(dimension = sample(0:1, 40, TRUE), birth = stats::runif(40), death = 0)
  x[, 3] <- x[, 2] + stats::runif(40) * (1 - x[, 2])
  for (dimension in 0:1) {
    for (level in c(1, 2, 7, 30)) {
      curve <- diagram_curve(x, curve_landscape(c(0, 1), dimension, level = level))
      expected <- drop(TDA::landscape(x, dimension, level, curve$grid))
      expect_lt(max(abs(drop(as.matrix(curve)) - expected)), 1e-12)
    }
  }
})

test_that("the grid holds the midpoints of equal cells, and mirrored diagrams have mirrored curves", {
  expect_equal(diagram_curve(matrix(0, 0, 3), curve_betti(c(-1, 3), 0, size = 4))$grid, c(-.5, .5, 1.5, 2.5))
  set.seed(3)
  for (curve in all_curves(c(-1.1, .7), size = 61)) {
    x <- random_diagram(30)
    other <- transform(x, birth = -birth, death = -death)
    mirror <- do.call(paste0("curve_", curve$kind), c(list(c(-.7, 1.1), 1, size = 61),
                                                      Filter(Negate(is.null), curve[c("level", "normalize")])))
    expect_identical(curve_values(list(other), mirror), curve_values(list(x), curve)[, 61:1, drop = FALSE])
  }
})

test_that("curves do not depend on threads, other diagrams, or the order of points", {
  set.seed(4)
  diagrams <- lapply(stats::rpois(3000, 8), random_diagram)
  diagrams[[7]] <- random_diagram(20000)
  for (curve in all_curves(c(-1, 1))) {
    withr::with_options(list(dptda.threads = 1L), one <- curve_values(diagrams, curve))
    withr::with_options(list(dptda.threads = 4L), expect_identical(curve_values(diagrams, curve), one))
    expect_identical(curve_values(diagrams[5:8], curve), one[5:8, ])
    turned <- lapply(diagrams[1:7], function(x) x[rev(seq_len(nrow(x))), ])
    expect_equal(curve_values(turned, curve), one[1:7, ], tolerance = 1e-13)
  }
})

test_that("values have the bounds that the help page states", {
  set.seed(5)
  diagrams <- lapply(1:200, function(i) random_diagram(30))
  curves <- all_curves(c(-1, 1))
  for (curve in curves) expect_gte(min(curve_values(diagrams, curve)), 0)
  expect_lte(max(curve_values(diagrams, curves[[1]])), 1)
  expect_lte(max(curve_values(diagrams, curves[[5]])), 1)
  # the longest bar has the largest norm of a landscape, and of a normalized life curve
  norm <- function(x, curve) sqrt(mean(curve_values(list(x), curve)^2))
  bar <- cbind(1, -1, 1)
  expect_equal(norm(bar, curve_landscape(c(-1, 1), 1)) / 2, sqrt(1 / 12), tolerance = 1e-3)
  expect_identical(norm(bar, curves[[5]]), 1)
})

test_that("points that never die or have missing values are left out, and others are clipped", {
  odd <- data.frame(dimension = c(0, 0, 0, NA, 0, 0, 1, NaN, Inf),
                    birth = c(0, NA, .25, 0, -Inf, NaN, 0, 0, 0),
                    death = c(Inf, .5, NA, 1, .5, NaN, 1, 1, 1))
  kept <- data.frame(dimension = 0, birth = 0, death = .5)
  for (curve in all_curves(c(0, 1), 0)) {
    expect_identical(curve_values(list(odd), curve), curve_values(list(kept), curve))
    expect_identical(curve_values(list(as.matrix(odd)), curve), curve_values(list(kept), curve))
  }
  # superlevel: from the largest level down, a class that never dies ends at -Inf
  down <- function(birth, death) cbind(dimension = 0, birth, death)
  curve <- curve_betti(c(0, 1), 0, size = 2)
  expect_identical(drop(curve_values(list(down(c(Inf, 1), c(.5, -Inf))), curve)), c(0, 1))
  expect_identical(drop(curve_values(list(down(1e300, -1e300)), curve)), c(1, 1))
  expect_true(all(curve_values(list(cbind(0, -5, -4), cbind(0, 4, 5), cbind(0, .5, .5)), curve) == 0))
})

test_that("all forms of diagrams are read alike", {
  x <- cbind(dimension = c(0, 1, 1), birth = c(0, .125, .5), death = c(1, .75, .625))
  named <- x[, 3:1]
  colnames(named) <- c("Death", "Birth", "Dimension")
  forms <- list(x, unname(x), named, as.data.frame(x), as.data.frame(named), as_dptda_diagram(x),
                list(diagram = structure(x, class = "diagram")), structure(x, class = "diagram"),
                structure(list(pairs = list(x[1, 2:3, drop = FALSE], x[2:3, 2:3])), class = "persistence"),
                transform(as.data.frame(x), dimension = as.integer(dimension), more = "a"))
  for (dimension in 0:2) {
    values <- curve_values(forms, curve_landscape(c(0, 1), dimension))
    expect_identical(values, values[rep(1, length(forms)), ])
    expect_identical(curve_values(forms, curve_landscape(c(0, 1), dimension), lenient = TRUE), values)
    alone <- lapply(forms[-10], function(form) as.matrix(diagram_curve(form, curve_landscape(c(0, 1), dimension))))
    expect_identical(do.call(rbind, alone), values[-10, ])
  }
})

test_that("what is not a diagram has the curve zero where people's data must not fail", {
  good <- cbind(0, 0, 1)
  hostile <- structure(list(), class = "hostile_diagram")
  registerS3method("as_dptda_diagram", "hostile_diagram", function(x, ...) {
    warning("rows")
    stop("rows")
  }, asNamespace("dptda"))
  bad <- list(NULL, NA, 1, "a", mean, quote(x), globalenv(), list(), list(diagram = 1), list(diagram = NULL), hostile,
              matrix("a", 1, 3), matrix(0, 2, 2), matrix(0, 0, 0), matrix(list(), 0, 3), data.frame(),
              data.frame(dimension = 0, birth = "a", death = 1),
              data.frame(dimension = factor(0), birth = 0, death = 1),
              structure(list(dimension = 0:1, birth = 0, death = 1), class = "data.frame"),
              structure(list(), class = c("dptda_diagram", "data.frame")),
              structure(list(1, 0, 1), names = c("\xff", "birth", "death"), class = "data.frame"),
              structure(list(pairs = 3), class = "persistence"), structure(1, class = "persistence"),
              structure(list(pairs = list("a")), class = "persistence"), array(0, c(1, 3, 2)), Sys.time(), 1i, raw(3))
  curve <- curve_betti(c(0, 1), 0)
  expect_no_warning(values <- curve_values(c(bad, list(good)), curve, lenient = TRUE))
  expect_identical(values, rbind(matrix(0, length(bad), 64), 1))
  # another class may fail by itself, and R cannot read one of the names
  for (x in bad[-c(11, 21)]) expect_error(curve_values(list(good, x), curve), class = "dptda_error_argument")
  expect_identical(dim(curve_values(list(), curve, lenient = TRUE)), c(0L, 64L))
  expect_refusals({
    diagram_curve(list(good, "a"), curve)
    diagram_curve(list(), curve)
    diagram_curve("a", curve)
    diagram_curve(list(good), "landscape")
  })
})

test_that("one table of many diagrams, and columns in a doubtful order, are refused", {
  curve <- curve_betti(c(0, 1), 0, size = 4)
  points <- data.frame(dimension = 0, birth = c(0, 0.5), death = c(0.5, 1))
  expect_identical(as.matrix(diagram_curve(points, curve)), matrix(1, 1, 4))
  people <- cbind(points, person = c("b", "a"))
  expect_identical(unname(as.matrix(diagram_curve(split(people, people$person), curve))),
                   rbind(c(0, 0, 1, 1), c(1, 1, 0, 0)))
  # birth, death, dimension, as in Python
  other <- cbind(c(0, 0.2), c(0.5, 1), 0)
  expect_refusals({
    diagram_curve(people, curve)
    diagram_curve(data.matrix(people[4:1]), curve)
    diagram_curve(list(unname(as.matrix(points)), other), curve)
    curve_radius(people, curve, n = 100, epsilon = 1)
  })
  # directions that differ within a diagram
  mixed <- data.frame(dimension = 1, birth = c(0.2, 0.5), death = c(0.9, -1))
  expect_error(diagram_curve(list(points, mixed), curve_betti(c(0, 1), 1)), "\\[\\[2\\]\\]` has points that die above",
               class = "dptda_error_argument")
  # lists of TDA: flat ones are one diagram per element, and those with locations are refused
  tda <- function(...) list(diagram = as.matrix(points), ...)
  flat <- c(tda(), tda(), tda())
  expect_identical(nrow(as.matrix(diagram_curve(flat, curve))), 3L)
  expect_equal(without_weak(private_curve(flat, curve, 1, epsilon = 1))$n, 3)
  flat[1] <- list(NULL)
  expect_equal(without_weak(private_curve(flat, curve, 1, epsilon = 1))$n, 3)
  located <- c(tda(birthLocation = 1), tda(birthLocation = 1))
  expect_error(diagram_curve(located, curve), "one element per diagram", class = "dptda_error_argument")
  message <- "must be a list with one persistence diagram per person"
  phutil <- list(pairs = list(cbind(0, 1)), metadata = list())
  for (x in list(points, people, as.matrix(points), as_dptda_diagram(points), tda(), located,
                 list(diagram = NULL), sapply(1:3, function(i) points), as.list(points), c(points, points), phutil,
                 unlist(list(a = points, b = points), recursive = FALSE), c(phutil, phutil),
                 structure(list(Birth = 0, Death = 1, Dimension = 0), class = "homology"))) {
    expect_error(private_curve(x, curve, 1, epsilon = 1), message, class = "dptda_error_argument")
    expect_error(private_curve_test(x, 1:2, curve, 1, epsilon = 1), message, class = "dptda_error_argument")
  }
  names <- list(birth = points, death = points)
  expect_equal(without_weak(private_curve(names, curve, 1, epsilon = 1))$n, 2)
  # one person's columns in a doubtful order are the curve zero, and not a wrong one
  expect_true(all(curve_values(list(other), curve, lenient = TRUE) == 0))
})

test_that("methods of one person's class change no other person's curve, and nothing is heard of them", {
  registerS3method("as_dptda_diagram", "dptda_test_rows", function(x, ...) {
    draws <- attr(x, "draws")
    if (draws == 1) {
      RNGkind("Wichmann-Hill")
      message("rows")
      stop(structure(class = c("custom", "condition"), list(message = "rows", call = NULL)))
    }
    warning("rows")
    persistence_diagram(0, 0, mean(stats::runif(1 + draws)[1 + draws] + 1))
  }, asNamespace("dptda"))
  person <- function(draws) structure(list(1), class = "dptda_test_rows", draws = draws)
  curve <- curve_betti(c(0, 2), 0)
  values <- function(x) curve_values(x, curve, lenient = TRUE)
  set.seed(3)
  before <- .Random.seed
  kinds <- RNGkind()
  expect_silent(first <- values(list(person(0), person(2), person(0))))
  expect_gt(sum(first[3, ]), 0)
  expect_identical(first[1, ], first[3, ])
  expect_silent(other <- values(list(person(1), person(9), person(0))))
  expect_identical(other[3, ], first[3, ])
  expect_true(all(other[1, ] == 0))
  expect_identical(.Random.seed, before)
  expect_identical(RNGkind(), kinds)
})

test_that("settings are checked and printed", {
  expect_refusals({
    curve_landscape(dimension = 1)
    curve_betti(c(0, 1))
    curve_betti(c(1, 0), 1)
    curve_betti(c(0, Inf), 1)
    curve_betti(c(0, 5e-324), 1)
    curve_betti(c(0, 1), 1.5)
    curve_landscape(c(0, 1), 1, level = 0)
    curve_life(c(0, 1), 1, normalize = NA)
    curve_life(c(0, 1), 1, size = 1)
    curve_life(c(0, 1), 1, sise = 10)
  })
  expect_snapshot({
    curve_landscape(c(0, 2), 1, level = 2)
    curve_betti(c(0, 1e6), 0, size = 1000)
    curve_life(c(-1, 1), 1)
    curve_life(c(0, 1), 1, normalize = FALSE)
    as.data.frame(curve_life(c(0, 1), 1))
  })
})

test_that("results have a mean, a table, names, and are clustered like other rows", {
  set.seed(6)
  diagrams <- list(a = random_diagram(9), b = random_diagram(9), c = random_diagram(0))
  curves <- diagram_curve(diagrams, curve_life(c(-1, 1), 1))
  values <- as.matrix(curves)
  expect_identical(rownames(values), c("a", "b", "c"))
  expect_identical(mean(curves), colMeans(values))
  table <- as.data.frame(curves)
  expect_named(table, c("diagram", "grid", "value"))
  expect_identical(nrow(table), 192L)
  expect_identical(table$value[table$diagram == "b"], unname(values["b", ]))
  expect_identical(as.data.frame(diagram_curve(unname(diagrams), curves$curve))$diagram[1:3], c(1L, 1L, 1L))
  expect_null(privacy(curves))
  expect_snapshot(curves)
  box <- domain_box(rep(0, 64), rep(1, 64))
  expect_s3_class(private_pca(values, box, rank = 1, rho = 1), "dptda_private_pca")
  expect_refusals({
    private_pca(curves, box, rank = 1, rho = 1)
    plot(curves, group = 1:2)
  })
})

positive_numbers <- function(...) {
  given <- list(
    shape = 1, dimension = 1, exp = function(x, v) x * exp(v / x), log = function(x, y) x * log(y / x),
    basis = function(x) matrix(x), curvature = c(0, 0), injectivity_radius = Inf, homogeneous = TRUE
  )
  do.call(manifold_custom, utils::modifyList(given, list(...)))
}

test_that("points are taken in every form, and given back in that of the manifold", {
  A <- matrix(c(2, 0.3, 0.3, 1), 2)
  many <- array(c(A, diag(2), 3 * diag(2)), c(2, 2, 3))
  rows <- t(matrix(many, 4))
  listed <- lapply(1:3, function(i) many[, , i])
  expected <- manifold_distance(many, A, manifold_spd(2))
  expect_length(expected, 3)
  expect_identical(manifold_distance(rows, A, manifold_spd(2)), expected)
  expect_identical(manifold_distance(listed, A, manifold_spd(2)), expected)
  expect_identical(manifold_distance(as.data.frame(rows), A, manifold_spd(2)), expected)
  expect_identical(dim(manifold_log(A, many, manifold_spd(2))), c(2L, 2L, 3L))
  expect_identical(dim(manifold_log(A, diag(2), manifold_spd(2))), c(2L, 2L))
  expect_identical(dim(manifold_log(A, listed[1], manifold_spd(2))), c(2L, 2L, 1L))

  X <- rbind(c(0, 0, 1), c(0, 1, 0))
  expect_identical(manifold_distance(as.data.frame(X), X[1, ], manifold_sphere(2)),
                   manifold_distance(X, X[1, ], manifold_sphere(2)))
  expect_identical(dim(manifold_log(X[1, ], X, manifold_sphere(2))), c(2L, 3L))
  expect_null(dim(manifold_log(X[1, ], X[2, ], manifold_sphere(2))))
  expect_identical(manifold_distance(1:3, 2, manifold_euclidean(1)), c(1, 0, 1))
  expect_identical(dim(manifold_distance(matrix(numeric(), 0, 3), X, manifold_sphere(2), pairwise = TRUE)), c(0L, 2L))
  expect_identical(manifold_distance(matrix(numeric(), 0, 3), X[1, ], manifold_sphere(2)), numeric())

  both <- manifold_product(where = manifold_euclidean(2), turn = manifold_rotation(2))
  points <- list(where = rbind(c(0, 0), c(1, 1)), turn = array(diag(2), c(2, 2, 2)))
  tangents <- manifold_log(list(c(0, 0), diag(2)), points, both)
  expect_named(tangents, c("where", "turn"))
  expect_identical(lapply(tangents, dim), list(where = c(2L, 2L), turn = c(2L, 2L, 2L)))
  expect_equal(manifold_distance(points, list(c(0, 0), diag(2)), both), c(0, sqrt(2)))
  expect_identical(lapply(manifold_exp(list(c(0, 0), diag(2)), list(c(1, 0), matrix(0, 2, 2)), both), dim),
                   list(where = NULL, turn = c(2L, 2L)))
})

test_that("one point stands for many, in every place", {
  set.seed(1)
  M <- manifold_sphere(3)
  X <- matrix(stats::rnorm(40), 10)
  X <- X / sqrt(rowSums(X^2))
  o <- X[10, ]
  repeated <- X[rep(10, 10), ]
  V <- manifold_log(o, X, M)
  expect_identical(V, manifold_log(repeated, X, M))
  expect_equal(manifold_exp(o, V, M), X, tolerance = 1e-12)
  expect_equal(manifold_exp(o, V[1, ], M), X[1, ], tolerance = 1e-12)
  expect_identical(manifold_inner(o, V, V[3, ], M), manifold_inner(repeated, V, V[rep(3, 10), ], M))
  expect_identical(manifold_transport(o, X, V[2, ], M), manifold_transport(repeated, X, V[rep(2, 10), ], M))
  expect_equal(manifold_distance(o, X, M), manifold_distance(X, o, M))
  all_pairs <- manifold_distance(X, manifold = M, pairwise = TRUE)
  expect_equal(all_pairs, manifold_distance(X, X, M, pairwise = TRUE), tolerance = 1e-12)
  expect_identical(all_pairs, t(all_pairs))
  expect_equal(all_pairs[, 10], manifold_distance(X, o, M))
})

test_that("results do not depend on the number of threads", {
  set.seed(2)
  X <- matrix(stats::rnorm(6000), ncol = 3)
  X <- X / sqrt(rowSums(X^2))
  run <- function(threads) {
    withr::with_options(list(dptda.threads = threads), {
      list(manifold_distance(X[1:300, ], manifold = manifold_sphere(2), pairwise = TRUE),
           manifold_log(X, X[2000:1, ], manifold_sphere(2)))
    })
  }
  expect_identical(run(1), run(2))
})

test_that("clamping moves what is outside along the geodesic, and nothing else", {
  set.seed(3)
  for (M in list(manifold_sphere(2), manifold_hyperbolic(2), manifold_euclidean(3))) {
    center <- manifold_exp(c(1, rep(0, M$size - 1)), c(0, 0.3, rep(0, M$size - 2)), M)
    V <- matrix(stats::rnorm(50 * M$size), 50)
    X <- manifold_clamp(t(apply(V, 1, function(v) {
      w <- v - if (M$kind == "sphere") sum(v * center) * center else 0
      if (M$kind == "hyperbolic") w[1] <- sum(w[-1] * center[-1]) / center[1]
      manifold_exp(center, w, M)
    })), M, center, 1e3)
    clamped <- manifold_clamp(X, M, center, 0.7)
    before <- manifold_distance(X, center, M)
    inside <- before <= 0.7
    expect_true(any(inside) && any(!inside))
    expect_identical(clamped[inside, ], X[inside, ])
    expect_equal(manifold_distance(clamped, center, M), pmin(before, 0.7), tolerance = 1e-10)
    # on the geodesic: the distances add up
    expect_equal(manifold_distance(clamped, center, M) + manifold_distance(clamped, X, M), before, tolerance = 1e-8)
  }
  expect_equal(manifold_distance(manifold_clamp(c(0, 0, -1), manifold_sphere(2), c(0, 0, 1), 0.5), c(0, 0, 1),
                                 manifold_sphere(2)), 0.5)
})

test_that("a manifold of the user's works like one of the package", {
  M <- positive_numbers()
  expect_equal(manifold_distance(c(1, 2, 3), exp(2), M), abs(2 - log(1:3)), tolerance = 1e-12)
  expect_equal(manifold_exp(2, manifold_log(2, 5, M), M), 5, tolerance = 1e-12)
  expect_equal(manifold_inner(2, 3, 4, M), 3, tolerance = 1e-12)
  expect_equal(manifold_clamp(c(1, 100), M, 1, 2), c(1, exp(2)), tolerance = 1e-12)
  expect_error(manifold_transport(1, 2, 1, M), class = "dptda_error_argument")
  with_transport <- positive_numbers(transport = function(x, y, v) v * y / x, distance = function(x, y) abs(log(x / y)))
  expect_equal(manifold_transport(1, 2, 1, with_transport), 2, tolerance = 1e-12)
  expect_equal(manifold_distance(1, 5, with_transport), log(5))
  projected <- positive_numbers(project = function(x) if (x > 0) x else NaN)
  expect_error(manifold_distance(-1, 2, projected), class = "dptda_error_argument")

  # the sphere again, as the user would write it: matrices, tangents, a product
  own <- manifold_custom(
    shape = 3, dimension = 2, curvature = c(1, 1), injectivity_radius = pi, homogeneous = TRUE,
    exp = function(x, v) { l <- sqrt(sum(v^2)); if (l == 0) x else cos(l) * x + sin(l) * v / l },
    log = function(x, y) { w <- y - sum(x * y) * x; l <- sqrt(sum(w^2)); if (l == 0) 0 * x else acos(sum(x * y)) *
                          w / l },
    basis = function(x) qr.Q(qr(cbind(x, diag(3))))[, 2:3]
  )
  set.seed(4)
  X <- matrix(stats::rnorm(30), 10)
  X <- X / sqrt(rowSums(X^2))
  expect_equal(manifold_distance(X, manifold = own, pairwise = TRUE),
               manifold_distance(X, manifold = manifold_sphere(2), pairwise = TRUE), tolerance = 1e-10)
  expect_equal(manifold_log(X[1, ], X, own), manifold_log(X[1, ], X, manifold_sphere(2)), tolerance = 1e-10)
  pair <- manifold_product(own, M)
  expect_equal(manifold_distance(list(X, 1:10), list(X[1, ], 1), pair),
               sqrt(manifold_distance(X, X[1, ], own)^2 + log(1:10)^2), tolerance = 1e-10)
})

test_that("what a user's function gives back is checked, and its errors pass through", {
  bad <- positive_numbers(exp = function(x, v) "one")
  expect_error(manifold_exp(1, 1, bad), "`exp` of a manifold must return 1 number", class = "dptda_error_argument")
  bad <- positive_numbers(log = function(x, y) c(1, 2))
  expect_error(manifold_distance(1, 1, bad), class = "dptda_error_argument")
  bad <- positive_numbers(basis = function(x) stop("mine"))
  expect_error(manifold_distance(1, 1, bad), "mine")
  bad <- positive_numbers(basis = function(x) matrix(0))
  expect_error(manifold_exp(1, 1, bad), class = "dptda_error_argument")
  expect_identical(.Call(ffi_test_live_blocks), 0)
})

test_that("bad input is an error that shows no value", {
  M <- manifold_sphere(2)
  pole <- c(0, 0, 1)
  bad <- function(expr) expect_error(expr, class = "dptda_error_argument")
  bad(manifold_distance(c(1, 1, 0), pole, M))
  bad(manifold_distance(c(1, NA, 0), pole, M))
  bad(manifold_distance(c(Inf, 0, 0), pole, M))
  bad(manifold_distance("north", pole, M))
  bad(manifold_distance(factor(1:3), pole, M))
  bad(manifold_distance(diag(2), pole, M))
  bad(manifold_distance(pole, manifold = M))
  bad(manifold_distance(pole, pole))
  bad(manifold_distance(pole, pole, "sphere"))
  bad(manifold_exp(pole, c(0, 0, 1), M))
  bad(manifold_exp(pole, c(0, Inf, 0), M))
  bad(manifold_exp(diag(3), cbind(0, 1, 0)[c(1, 1), ], M))
  bad(manifold_inner(pole, c(0, 0, 1), c(1, 0, 0), M))
  bad(manifold_distance(list(diag(2), diag(3)), diag(2), manifold_spd(2)))
  bad(manifold_distance(diag(3), diag(2), manifold_spd(2)))
  bad(manifold_distance(list(1, 2, 3), list(1, diag(2)), manifold_product(manifold_euclidean(1), manifold_spd(2))))
  bad(manifold_distance(list(1:2, diag(2)), list(1, diag(2)), manifold_product(manifold_euclidean(1), manifold_spd(2))))
  bad(manifold_clamp(pole, M, center = diag(3), radius = 1))
  bad(manifold_clamp(pole, M, center = pole, radius = -1))
  message <- tryCatch(manifold_distance(c(0.123456, 1, 0), pole, M), error = conditionMessage)
  expect_no_match(message, "123")
  # a relative error of 1e-9 is rounding, and repaired
  expect_equal(manifold_distance(pole * (1 + 1e-9), pole, M), 0, tolerance = 1e-15)
  for (make in list(
    function() manifold_sphere(0), function() manifold_sphere(2, -1), function() manifold_hyperbolic(2, 1), function()
      manifold_spd(0), function() manifold_rotation(1),
    function() manifold_grassmann(2, 2), function() manifold_grassmann(0, 2), function()
      manifold_shapes(2), function() manifold_shapes(3.5), function() manifold_product(), function()
      manifold_product(1),
    function() positive_numbers(exp = 1), function() positive_numbers(shape = 1:3), function()
      positive_numbers(curvature = 1),
    function() positive_numbers(dimension = 2)
  )) bad(make())
})

test_that("manifolds print what they are", {
  expect_snapshot({
    manifold_sphere(2)
    manifold_spd(3)
    manifold_grassmann(2, 5)
    manifold_product(position = manifold_euclidean(3), orientation = manifold_rotation(3))
  })
  expect_identical(manifold_rotation(3)$injectivity_radius, pi)
  expect_identical(manifold_spd(3)$curvature, c(-0.5, 0))
})

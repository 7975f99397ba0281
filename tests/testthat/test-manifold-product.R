pieces <- list(manifold_sphere(2, 3), manifold_hyperbolic(2, -4), manifold_euclidean(1), manifold_sphere(1, 0.5))
flat_product <- do.call(manifold_product, pieces)
nested <- manifold_product(manifold_product(manifold_sphere(2, 3), manifold_hyperbolic(2, -4)),
                           manifold_product(manifold_euclidean(1), manifold_sphere(1, 0.5)))

test_that("a product does what its factors do, one by one", {
  set.seed(1)
  X <- random_points(30, flat_product)
  Y <- random_points(30, flat_product)
  U <- random_tangents(X, flat_product)
  each <- function(f, ...) unname(Map(f, ..., pieces))
  plain <- function(points) unname(points)
  expect_equal(plain(manifold_exp(X, U, flat_product)), each(manifold_exp, X, U), tolerance = 1e-14)
  expect_equal(plain(manifold_log(X, Y, flat_product)), each(manifold_log, X, Y), tolerance = 1e-14)
  expect_equal(plain(manifold_transport(X, Y, U, flat_product)), each(manifold_transport, X, Y, U), tolerance = 1e-14)
  squares <- Reduce(`+`, lapply(each(manifold_distance, X, Y), `^`, 2))
  expect_equal(manifold_distance(X, Y, flat_product), sqrt(squares), tolerance = 1e-14)
  expect_equal(manifold_inner(X, U, U, flat_product), Reduce(`+`, each(manifold_inner, X, U, U)), tolerance = 1e-14)
})

test_that("nesting changes the form of points and nothing else", {
  set.seed(2)
  X <- random_points(30, flat_product)
  Y <- random_points(30, flat_product)
  U <- random_tangents(X, flat_product)
  nest <- function(points) list(points[1:2], points[3:4])
  expect_identical(unlist(manifold_log(nest(X), nest(Y), nested)), unlist(manifold_log(X, Y, flat_product)))
  expect_identical(unlist(manifold_transport(nest(X), nest(Y), nest(U), nested)),
                   unlist(manifold_transport(X, Y, U, flat_product)))
  expect_equal(manifold_distance(nest(X), nest(Y), nested), manifold_distance(X, Y, flat_product), tolerance = 1e-14)
  facts <- c("size", "dimension", "curvature", "injectivity_radius", "threshold", "reach", "homogeneous", "exact")
  expect_equal(nested[facts], flat_product[facts], tolerance = 1e-15)
  expect_identical(log_jacobian(1:6 / 9, nested), log_jacobian(1:6 / 9, flat_product))
})

test_that("the Jacobian is the product of the factors'", {
  V <- rbind(1:6 / 7, c(0, 0, 0, 5, 2, 1), c(3 * pi, 0, 0, 0, 0, 0), c(0, 0, 0, 0, 0, -2))
  of_factors <- log_jacobian(V[, 1:2], pieces[[1]]) + log_jacobian(V[, 3:4], pieces[[2]]) +
    log_jacobian(V[, 6], pieces[[4]])
  expect_equal(log_jacobian(V, flat_product), of_factors, tolerance = 1e-15)
  expect_identical(of_factors[3:4], c(-Inf, -Inf))
})

test_that("proposals near the threshold are those of the factors", {
  M <- flat_product
  expect_identical(.Call(ffi_test_manifold_drift, M, kernel_options()), c(0, 0, 2, 0, 0))
  from_drift <- function(l) .Call(ffi_test_manifold_from_drift, M, matrix(l), kernel_options("R"))
  l <- c(0.5, 1, 0.7, -3, 1.2)
  found <- from_drift(l)
  expect_identical(found$v[c(1, 2, 5, 6)], l[c(1, 2, 4, 5)])
  expect_equal(sqrt(sum(found$v[3:4]^2)), 0.7, tolerance = 1e-14)
  expect_equal(found$log_accept, log_jacobian(l[1:2], pieces[[1]]) + log1p(-exp(-4 * 0.7)), tolerance = 1e-14)
  expect_identical(from_drift(c(0, 0, -1, 0, 0))$log_accept, -Inf)
  expect_identical(from_drift(c(0, 0, 1, 0, 2))$log_accept, -Inf)
})

test_that("the facts follow from those of the factors", {
  facts <- function(...) {
    M <- manifold_product(...)
    c(M$dimension, M$curvature, M$injectivity_radius, M$threshold, M$reach)
  }
  # dimension, curvature below and above, injectivity radius, threshold, reach
  expect_equal(facts(manifold_sphere(2, 2)), c(2, 1 / 4, 1 / 4, 2 * pi, 0, 2 * pi))
  expect_equal(facts(manifold_sphere(2, 2), manifold_sphere(3)), c(5, 0, 1, pi, 0, sqrt(5) * pi))
  expect_equal(facts(manifold_hyperbolic(2, -4)), c(2, -4, -4, Inf, 2, Inf))
  expect_equal(facts(manifold_hyperbolic(2, -4), manifold_hyperbolic(3)), c(5, -4, 0, Inf, sqrt(8), Inf))
  expect_equal(facts(manifold_hyperbolic(2, -4), manifold_sphere(2)), c(4, -4, 1, pi, 2, Inf))
  expect_equal(facts(manifold_euclidean(2), manifold_sphere(1)), c(3, 0, 0, pi, 0, Inf))
})

test_that("one manifold of the user's takes away what it does not have", {
  line <- manifold_custom(
    shape = 1, dimension = 1, exp = function(x, v) x + v, log = function(x, y) y - x, basis = function(x) matrix(1),
    curvature = c(0, 0), injectivity_radius = 3
  )
  M <- manifold_product(manifold_sphere(2), line)
  expect_false(M$exact)
  expect_false(M$homogeneous)
  expect_equal(M$injectivity_radius, 3)
  expect_equal(manifold_distance(list(c(0, 0, 1), 1), list(c(0, 0, -1), 5), M), sqrt(pi^2 + 16), tolerance = 1e-12)
})

test_that("subspaces in a product have the basis that depends on them alone", {
  M <- manifold_product(manifold_euclidean(1), manifold_grassmann(1, 3))
  forward <- manifold_exp(list(1, matrix(c(0, 0.6, 0.8))), list(0, matrix(0, 3, 1)), M)
  backward <- manifold_exp(list(1, -matrix(c(0, 0.6, 0.8))), list(0, matrix(0, 3, 1)), M)
  expect_equal(forward, backward, tolerance = 1e-15)
})

test_that("one bad factor makes a bad point", {
  M <- manifold_product(manifold_sphere(2), manifold_euclidean(1))
  expect_error(manifold_distance(list(c(0, 0, 2), 1), list(c(0, 0, 1), 1), M), class = "dptda_error_argument")
  expect_error(manifold_distance(list(c(0, 0, 1), NaN), list(c(0, 0, 1), 1), M), class = "dptda_error_argument")
  expect_error(manifold_distance(list(c(0, 0, 1)), list(c(0, 0, 1), 1), M), class = "dptda_error_argument")
})

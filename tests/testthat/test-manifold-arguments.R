# What users do wrong, and odd but right forms. Errors name the argument, say
# what it must be, and never show data.

pole <- c(0, 0, 1)
line <- function(..., exp = function(x, v) x + v, log = function(x, y) y - x, basis = function(x) matrix(1),
                 curvature = c(0, 0), injectivity_radius = Inf) {
  manifold_custom(shape = 1, dimension = 1, exp = exp, log = log, basis = basis, curvature = curvature,
                  injectivity_radius = injectivity_radius, ...)
}

test_that("manifold_custom() names each argument that is missing or wrong", {
  f <- function(x, y) x
  argument <- "dptda_error_argument"
  expect_error(manifold_custom(), "`exp` must be given", class = argument)
  expect_error(manifold_custom(1, 1, f), "`log` must be given", class = argument)
  expect_error(manifold_custom(1, 1, f, f), "`basis` must be given", class = argument)
  expect_error(manifold_custom(exp = f, log = f, basis = f), "`shape` must be given", class = argument)
  expect_error(manifold_custom(1, 1, f, f, f), "`curvature` must be given", class = argument)
  expect_error(manifold_custom(1, 1, f, f, f, curvature = c(0, 0)), "`injectivity_radius` must be given",
               class = argument)
  expect_error(line(curvature = c(Inf, Inf)), "`curvature`", class = argument)
  expect_error(line(curvature = c(-Inf, -Inf)), "`curvature`", class = argument)
  expect_error(line(name = NULL), "`name` must be one string", class = argument)
  expect_error(manifold_custom(1e10, 1, f, f, f, curvature = c(0, 0), injectivity_radius = 1), "`shape`",
               class = argument)
})

test_that("a projection that knows no nearest point is a point off the manifold", {
  lost <- line(project = function(x) NA_real_)
  expect_error(manifold_distance(1, 2, lost), "`x` must be on the manifold", class = "dptda_error_argument")
})

test_that("data frames without rows are no points", {
  empty <- data.frame(a = double(), b = double(), c = double())
  expect_identical(manifold_distance(pole, empty, manifold_sphere(2)), double())
  expect_error(frechet_mean(empty, manifold_sphere(2)), "at least one point", class = "dptda_error_argument")
})

test_that("the elements of a product may have the names of its factors, in their order", {
  pair <- manifold_product(from = manifold_euclidean(2), to = manifold_euclidean(2))
  expect_equal(manifold_distance(list(from = c(0, 0), to = c(1, 0)), list(c(0, 0), c(0, 0)), pair), 1)
  expect_error(manifold_distance(list(to = c(0, 0), from = c(1, 0)), list(c(0, 0), c(0, 0)), pair),
               "`x` must have its elements in the order", class = "dptda_error_argument")
  expect_error(manifold_distance(list(c(0, 0)), list(c(0, 0), c(0, 0)), pair), "not a list of 1",
               class = "dptda_error_argument")
})

test_that("the radius offered in place of one that is too large is never zero", {
  tiny <- manifold_sphere(2, 1e-12)
  expect_error(frechet_sensitivity(10, tiny, 1e-12), "`radius` must be below 7.85398e-13",
               class = "dptda_error_argument")
  expect_gt(frechet_sensitivity(10, tiny, 7.85398e-13), 0)
})

test_that("no number of points is too large for a classed error", {
  expect_error(rmanifold_laplace(2^31, manifold_sphere(2), pole, 1), "`n` must be", class = "dptda_error_argument")
  expect_error(rmanifold_uniform(2^40, manifold_sphere(2)), "`n` must be", class = "dptda_error_argument")
})

test_that("a ball far from the location is reached", {
  set.seed(1)
  X <- rmanifold_laplace(200, manifold_sphere(2), pole, 1e-2, support = "ball", center = -pole, radius = 0.1)
  expect_true(all(manifold_distance(X, -pole, manifold_sphere(2)) <= 0.1 + 1e-12))
  # next to the antipode the density is that of the distance to it, from the edge inward
  expect_gt(min(manifold_distance(X, -pole, manifold_sphere(2))), 0.02)
  X <- rmanifold_laplace(10, manifold_spd(2), diag(2), 0.5, support = "ball", center = 1e10 * diag(2), radius = 1)
  expect_true(all(manifold_distance(X, 1e10 * diag(2), manifold_spd(2)) <= 1 + 1e-9))
})

test_that("any epsilon gives a release", {
  X <- array(diag(2), c(2, 2, 5))
  release <- private_frechet_mean(X, manifold_spd(2), diag(2), radius = 1, epsilon = 1e300)
  expect_equal(release$value, diag(2), tolerance = 1e-6)
})

test_that("products and manifolds of one's own are printed within the width", {
  long <- manifold_product(a = manifold_sphere(2), manifold_spd(4), manifold_hyperbolic(2), manifold_grassmann(1, 2),
                           manifold_rotation(3))
  withr::local_options(width = 60)
  shown <- capture.output(print(long))
  expect_true(all(nchar(shown) <= 60))
  expect_no_match(shown, "[(,] *:")
})

test_that("plot_ellipsoids() names colors and limits that are none", {
  withr::local_pdf(NULL)
  tensors <- array(diag(2), c(2, 2, 3))
  argument <- "dptda_error_argument"
  expect_error(plot_ellipsoids(tensors, NULL, "red"), "must be named", class = argument)
  expect_error(plot_ellipsoids(tensors, palette = "no color"), "`palette` must be colors", class = argument)
  expect_error(plot_ellipsoids(tensors, border = "no color"), "`border` must be colors", class = argument)
  expect_error(plot_ellipsoids(tensors, xlim = "a"), "`xlim` must be two", class = argument)
  expect_error(plot_ellipsoids(tensors, ylim = c(NA, 1)), "`ylim` must be two", class = argument)
  expect_silent(plot_ellipsoids(tensors, border = NA, xlim = c(0, 3), palette = c("white", "black")))
})

test_that("a ball that double precision cannot resolve is refused, with a radius that does", {
  X <- stats::rWishart(3, 6, diag(2) / 6)
  for (radius in c(30, 1e-20)) {
    message <- tryCatch(private_frechet_mean(X, manifold_spd(2), diag(2), radius, epsilon = 1),
                        dptda_error_argument = conditionMessage)
    offered <- as.numeric(sub(".*Use ([^ ]+) instead.*", "\\1", message))
    expect_s3_class(private_frechet_mean(X, manifold_spd(2), diag(2), offered, epsilon = 1),
                    "dptda_private_frechet_mean")
  }
})

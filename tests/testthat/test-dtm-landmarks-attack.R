# What a hostile reader found about landmarks: each of these was seen to fail.

release <- function(X, landmarks, ..., m0 = 0.2, clip = 1, dimensions = 0) {
  private_diagram(X, landmarks, epsilon = 1, m0 = m0, clip = clip, dimensions = dimensions, ...)
}

euclid <- function(x, y) sqrt(sum((x - y)^2))
corners <- rbind(c(0, 0), c(1, 0), c(0, 1), c(1, 1))
far <- 77

# a function of two points that does something else where a row is far away
odd_metric <- function(act) {
  force(act)
  function(x, y) {
    if (any(abs(y) == far)) act(y)
    euclid(x, y)
  }
}
no_error <- function(message) structure(class = c("odd", "condition"), list(message = message, call = NULL))
with_far_row <- rbind(corners, corners, c(far, far), corners)

# numbers with the distance of their logarithms
logarithms <- function(act = function(y) NULL) {
  manifold_custom(
    shape = 1, dimension = 1, exp = function(x, v) x * exp(v / x), log = function(x, y) x * log(y / x),
    basis = function(x) matrix(x), curvature = c(0, 0), injectivity_radius = Inf,
    distance = function(x, y) {
      if (isTRUE(y < 0)) act(y)
      abs(log(y / x))
    }
  )
}

test_that("a manifold of the user's own says nothing of a row", {
  skip_on_cran()
  X <- c(1, 2, 3, -far, 4, 5)
  # log(-77) warns
  expect_silent(release(X, domain_landmarks(c(1, 2, 4), logarithms())))
  expect_silent(release(X, domain_landmarks(c(1, 2, 4), logarithms(function(y) warning("row ", y)))))
  expect_silent(release(X, domain_landmarks(c(1, 2, 4), logarithms(function(y) message("row ", y)))))
})

test_that("a function of the user says nothing of a row", {
  for (act in list(function(y) message("row ", y[1]), function(y) warning("row ", y[1]), function(y)
                   stop("row ", y[1]))) {
    expect_silent(release(with_far_row, domain_landmarks(corners, odd_metric(act))))
  }
  # what handlers of errors and of warnings are not asked about
  expect_silent(release(with_far_row, domain_landmarks(corners, odd_metric(function(y) warning(no_error("row"))))))
  escaped <- tryCatch({
    release(with_far_row, domain_landmarks(corners, odd_metric(function(y) stop(no_error("row")))))
    FALSE
  }, condition = function(condition) TRUE)
  expect_false(escaped)
})

test_that("what was said of a row cannot be asked for later", {
  try(stop("before"), silent = TRUE)
  before <- geterrmessage()
  release(with_far_row, domain_landmarks(corners, odd_metric(function(y) stop("a row with ", y[1]))))
  expect_no_match(geterrmessage(), "a row with 77", fixed = TRUE)
  release(c(1, 2, -far), domain_landmarks(c(1, 2, 4), logarithms(function(y) stop("a number like ", y))), m0 = 0.5)
  expect_no_match(geterrmessage(), "a number like -77", fixed = TRUE)
})

test_that("a release has no more than the release", {
  holds_rows <- function(x) grepl("ROWSTHATAREPRIVATE", rawToChar(serialize(x, NULL, ascii = TRUE)), fixed = TRUE)
  analysis <- function(metric_of) {
    secret <- "ROWSTHATAREPRIVATE"
    release(corners, metric_of(), m0 = 0.5)
  }
  by_function <- analysis(function() {
    secret <- "ROWSTHATAREPRIVATE"
    domain_landmarks(corners, function(x, y) sqrt(sum((x - y)^2)))
  })
  expect_false(holds_rows(by_function))
  expect_false(holds_rows(privacy(by_function)))
})

test_that("rows that scale() made are refused whatever the metric", {
  landmarks <- domain_landmarks(corners, euclid)
  expect_error(release(scale(corners), landmarks), class = "dptda_error_argument")
  expect_error(distance_to_measure(scale(corners), landmarks, m0 = 0.5), class = "dptda_error_argument")
})

test_that("columns are matched by name whatever the metric", {
  set.seed(1)
  X <- matrix(stats::runif(20), 10, dimnames = list(NULL, c("a", "b")))
  points <- corners
  colnames(points) <- c("a", "b")
  landmarks <- domain_landmarks(points, euclid)
  expect_identical(distance_to_measure(X[, 2:1], landmarks, m0 = 0.3), distance_to_measure(X, landmarks, m0 = 0.3))
  colnames(X) <- c("b", "c")
  expect_error(distance_to_measure(X, landmarks, m0 = 0.3), class = "dptda_error_argument")
})

test_that("products with an unbounded factor are metrics", {
  pose <- manifold_product(position = manifold_euclidean(2), direction = manifold_sphere(1))
  expect_identical(manifold_diameter(pose), Inf)
  X <- list(corners, rbind(c(1, 0), c(0, 1), c(-1, 0), c(0, -1)))
  landmarks <- domain_landmarks(X, pose)
  expect_s3_class(release(X, landmarks, m0 = 0.5), "dptda_diagram")
  expect_identical(distance_to_measure(X, landmarks, m0 = 0.25), double(4))
})

test_that("landmarks of a product can be chosen", {
  torus <- manifold_product(manifold_sphere(1), manifold_sphere(1))
  angle <- 2 * pi * (1:8) / 8
  circle <- cbind(cos(angle), sin(angle))
  expect_s3_class(landmarks_from(list(circle, circle), 4, torus), "dptda_landmarks")
})

test_that("a row that is no point of the manifold is near no landmark", {
  at <- function(points, manifold, row) distance_to_measure(row, domain_landmarks(points, manifold), m0 = 1, clip = 3)
  expect_identical(at(diag(3), manifold_sphere(2), matrix(0, 1, 3)), rep(3, 3))
  lines <- list(matrix(c(1, 0, 0)), matrix(c(0, 1, 0)))
  expect_identical(at(lines, manifold_grassmann(1, 3), list(matrix(0, 3, 1))), rep(pi / 2, 2))
  # not definite, and not near: it counts as the clip where that is large as well
  broken <- distance_to_measure(list(-diag(2)), domain_landmarks(list(diag(2)), manifold_spd(2)), m0 = 1, clip = 1e4)
  expect_identical(broken, 1e4)
})

test_that("no scale of the landmarks is too small or too large", {
  skip_if_not_installed("ripserr")
  angle <- 2 * pi * (1:12) / 12
  X <- cbind(cos(angle), sin(angle))
  loops <- function(scale) {
    diagram <- as.data.frame(dtm_persistence(X * scale, domain_landmarks(X * scale), m0 = 0.05, clip = 2 * scale))
    sum(diagram$dimension == 1)
  }
  expect_identical(vapply(2^c(0, -600, -800, 600, 900), loops, 0L), rep(1L, 5))
  expect_identical(nrow(as.matrix(landmarks_from(X * 2^-600, 5))), 5L)
})

test_that("a clip is not lost beside the coordinates", {
  # no row is at the first landmark; all are a million away on the first axis
  landmarks <- domain_landmarks(rbind(c(1e20, 0), c(1e20, 1)))
  X <- matrix(c(1e20 + 1e6, 0), 10, 2, byrow = TRUE)
  expect_identical(distance_to_measure(X, landmarks, m0 = 0.5, clip = 1), c(1, 1))
  expect_identical(distance_to_measure(c(1, 2, 3), domain_landmarks(matrix(1e20)), m0 = 0.5, clip = 1), 1)
  expect_s3_class(release(c(1, 2, 3), domain_landmarks(matrix(1e20)), m0 = 0.5), "dptda_diagram")
})

test_that("other exponents are refused where their rounding is not known", {
  # inst/proofs/dtm-sensitivity.md, "Computed values", counts up to 300 columns
  landmarks <- domain_landmarks(matrix(0:1, 2, 1100))
  X <- matrix(0.5, 10, 1100)
  expect_error(release(X, landmarks, r = 3), class = "dptda_error_argument")
})

test_that("what is wrong with landmarks is said in an error of a class", {
  refused <- function(...) expect_error(..., class = "dptda_error_argument")
  refused(domain_landmarks(matrix(NA_real_, 2, 2)))
  refused(domain_landmarks(matrix(NaN, 2, 2), euclid))
  refused(domain_landmarks(matrix(0, 2, 0)))
  refused(landmarks_from(matrix(0, 0, 2), 2))
  refused(landmarks_from(matrix(NA_real_, 2, 2), 2))
  refused(landmarks_from(corners, 3, function(x, y) if (sum(x, y) > 2) NaN else euclid(x, y)))
  refused(landmarks_from(corners, 3, map = function(x) x * NA))
})

test_that("released landmarks that were changed do not become public ones", {
  landmarks <- attach_guarantee(domain_landmarks(corners), privacy_declare(epsilon = 1))
  part <- landmarks
  part$points <- part$points[1:3, ]
  spent <- function(landmarks) privacy(release(corners, landmarks, m0 = 0.5))$measure
  expect_equal(spent(landmarks), c(epsilon = 2))
  # either the guarantee stays or the release is refused
  expect_true(identical(tryCatch(spent(part), dptda_error = function(condition) c(epsilon = 2)), c(epsilon = 2)))
})

test_that("R's time limit is heard within a function of the user, and nothing is spent", {
  slow <- function(x, y) {
    for (i in 1:3000) s <- sqrt(sum((x - y)^2))
    s
  }
  set.seed(1)
  landmarks <- domain_landmarks(matrix(stats::rnorm(10), 5), slow)
  budget <- privacy_budget(epsilon = 1)
  X <- matrix(stats::rnorm(2000), 1000)
  stopped <- within_time(0.3, release(X, landmarks, budget = budget))
  expect_match(conditionMessage(stopped), "time limit")
  expect_identical(budget$spent, 0)
})

test_that("no message of an error of the user is looked into, whatever it is made of", {
  messages <- list(c("one", "two"), character(), function() "x", NULL, NA_character_, list("x"), quote(x))
  for (message in messages) {
    odd <- structure(class = c("simpleError", "error", "condition"), list(message = message, call = NULL))
    m <- odd_metric(function(y) stop(odd))
    expect_silent(release(with_far_row, domain_landmarks(corners, m)))
  }
  like_a_limit <- odd_metric(function(y) stop("reached elapsed time limit, row ", y[1], call. = FALSE))
  expect_silent(release(with_far_row, domain_landmarks(corners, like_a_limit)))
})

test_that("a plan holds no more than its numbers", {
  holds_rows <- function(x) grepl("ROWSTHATAREPRIVATE", rawToChar(serialize(x, NULL, ascii = TRUE)), fixed = TRUE)
  planned <- function() {
    secret <- "ROWSTHATAREPRIVATE"
    landmarks <- domain_landmarks(corners, function(x, y) sqrt(sum((x - y)^2)))
    expect_true(holds_rows(landmarks))
    expect_output(print(landmarks), "Do not publish")
    plan_private_diagram(corners, 4, landmarks, epsilon = 1, m0 = 0.5, clip = 1, dimensions = 0, draws = 2)
  }
  expect_false(holds_rows(planned()))
})

test_that("landmarks made of any release carry its guarantee", {
  drawn <- private_diagram(corners, domain_grid(domain_box(c(0, 0), c(1, 1)), size = 3), epsilon = 1, m0 = 0.5,
                           learn_points = FALSE, max_points = 2)
  expect_equal(privacy(domain_landmarks(drawn))$measure, c(epsilon = 1))
})

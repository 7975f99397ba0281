bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)

cube <- function() domain_box(c(x = -2, y = -2, z = -2), c(x = 2, y = 2, z = 2))
ring <- function(n = 3000) {
  angle <- 2 * pi * seq_len(n) / n
  cbind(x = cos(angle), y = sin(angle), z = 0) + 0.05 * cbind(sin(7 * angle), cos(11 * angle), sin(13 * angle))
}
ring_mixture <- function(..., epsilon = 1, delta = 1e-6) {
  private_mixture(ring(), cube(), k = 5, epsilon = epsilon, delta = delta, rounds = 2, ...)
}
one_diagram <- function(landmarks, ..., epsilon = 0.5) {
  private_diagram(ring(), landmarks, epsilon, m0 = 0.05, clip = 0.5, dimensions = 0, ...)
}
three <- function() as_mixture(list(weights = c(2, 1, 1), means = rbind(c(0, 0), c(3, 0), c(0, 9)),
                                    covariances = list(diag(2), diag(2), diag(c(4, 1e-4)))))

test_that("the ledger of a diagram has the release of its landmarks, and adds up; the budget is charged the diagram", {
  set.seed(1)
  budget <- privacy_budget(epsilon = 10, delta = 0.01, composition = "basic")
  mixture <- ring_mixture(budget = budget)
  before <- budget$spent
  landmarks <- landmarks_from(mixture, 30)
  expect_identical(budget$spent, before)
  expect_identical(privacy(landmarks), privacy(mixture))
  diagram <- one_diagram(landmarks, budget = budget)
  expect_equal(budget$spent - before, c(epsilon = 0.5, delta = 0))
  expect_equal(budget$ledger$value, c(1, 1e-6, 0.5))
  guarantee <- privacy(diagram)
  expect_equal(guarantee$measure, c(epsilon = 1.5, delta = 1e-6))
  ledger <- guarantee$ledger
  expect_identical(unique(ledger$step), c("private_mixture", "private_diagram"))
  for (measure in c("epsilon", "delta")) {
    expect_equal(sum(ledger$value[ledger$measure == measure]), guarantee$measure[[measure]])
  }
  expect_match(guarantee$mechanism, "landmarks of the release before it in the ledger", fixed = TRUE)
  expect_output(print(landmarks), "origin released: epsilon = 1, delta = 1e-06")
  expect_equal(guarantee$random, "os")
  # what is said of the diagram is said by its own epsilon
  public <- domain_landmarks(as.matrix(landmarks)[TRUE, ], slack = landmarks$slack)
  expect_identical(released_plan(diagram)$groups,
                   diagram_plan(3000, public, new_cost(c(epsilon = 0.5)), 0.05, 1, 0.5, 0, 10, TRUE, "max")$groups)
  expect_s3_class(feature_evidence(diagram), "dptda_evidence")
  # the next diagram on the same landmarks composes with both: the mixture is in each of them
  expect_equal(privacy(one_diagram(landmarks, epsilon = 0.25))$measure, c(epsilon = 1.25, delta = 1e-6))
})

test_that("a private clustering gives landmarks with its guarantee, and any measures add up", {
  set.seed(2)
  for (case in list(list(epsilon = 1, delta = NULL), list(epsilon = 1, delta = 1e-6), list(rho = 0.2, delta = NULL))) {
    clusters <- do.call(private_kmeans, c(list(ring(), cube(), 4, covariance = TRUE), case))
    landmarks <- landmarks_from(clusters, 20)
    expect_identical(privacy(landmarks), privacy(clusters))
    expect_identical(privacy(landmarks_from(as_mixture(clusters), 20)), privacy(clusters))
    diagram <- one_diagram(landmarks)
    alone <- privacy(one_diagram(domain_landmarks(as.matrix(landmarks)[1:20, ])))
    expect_identical(privacy(diagram)$measure, privacy_compose(clusters, alone)$measure)
    expect_identical(privacy(diagram)$ledger, privacy_compose(clusters, alone)$ledger)
    by_rho <- private_diagram(ring(), landmarks, rho = 0.1, m0 = 0.05, clip = 0.5, dimensions = 0)
    expect_identical(utils::tail(privacy(by_rho)$ledger$step, 1), "private_diagram")
    if (!is.null(case$rho)) expect_equal(privacy(by_rho)$measure, c(rho = 0.3))
  }
  bad(landmarks_from(private_kmeans(ring(), cube(), 4, epsilon = 1), 20))
})

test_that("guarantees of unlike units and relations are refused before anything is spent", {
  places <- domain_landmarks(ring(30))
  for (earlier in list(privacy_declare(epsilon = 1, relation = "add_remove"),
                       privacy_group(privacy_declare(epsilon = 1), 3))) {
    budget <- privacy_budget(epsilon = 1)
    expect_error(one_diagram(attach_guarantee(places, earlier), budget = budget), class = "dptda_error_relation")
    expect_identical(budget$spent, 0)
    expect_identical(nrow(budget$ledger), 0L)
  }
})

test_that("landmarks whose places were changed are taken for nothing, since their cost would not be counted", {
  set.seed(3)
  landmarks <- landmarks_from(ring_mixture(), 20)
  moved <- landmarks
  moved$points[1, 1] <- moved$points[1, 1] * (1 + 2^-52)
  fewer <- landmarks
  fewer$points <- fewer$points[-1, ]
  turned <- landmarks
  turned$points <- turned$points[20:1, ]
  for (changed in list(moved, fewer, turned)) {
    expect_null(privacy(changed))
    expect_error(one_diagram(changed), "its cost would not be counted", class = "dptda_error_argument")
    expect_output(print(changed), "origin released, then changed")
  }
  # the points as a matrix have it too, and so have landmarks made of that; what is picked from it is the user's word
  expect_identical(privacy(domain_landmarks(as.matrix(landmarks), slack = 1)), privacy(landmarks))
  expect_null(privacy(domain_landmarks(as.matrix(landmarks)[-1, ])))
  # slack is public, and is given where landmarks are made: what is written into them is content
  wider <- landmarks
  wider$slack <- 2 * wider$slack
  expect_null(privacy(wider))
})

test_that("a guarantee goes into a file and comes back", {
  set.seed(4)
  landmarks <- landmarks_from(ring_mixture(), 20)
  file <- withr::local_tempfile()
  saveRDS(landmarks, file)
  again <- readRDS(file)
  expect_identical(again, landmarks)
  expect_identical(privacy(again), privacy(landmarks))
  expect_equal(privacy(one_diagram(again))$measure, c(epsilon = 1.5, delta = 1e-6))
})

test_that("the stamp of a seed carries over, either way", {
  set.seed(5)
  seeded <- landmarks_from(ring_mixture(rng = "R"), 20)
  diagram <- one_diagram(seeded)
  expect_identical(privacy(diagram)$random, "R")
  expect_output(print(privacy(diagram)), "SEEDED: NOT PRIVATE")
  unseeded <- landmarks_from(ring_mixture(), 20)
  expect_identical(privacy(one_diagram(unseeded, rng = "R"))$random, "R")
  expect_identical(privacy(one_diagram(unseeded))$random, "os")
})

test_that("landmarks are drawn from the components of the model, keep names, and a seed repeats them", {
  set.seed(6)
  mixture <- ring_mixture()
  set.seed(7)
  landmarks <- landmarks_from(mixture, 40)
  set.seed(7)
  expect_identical(landmarks_from(mixture, 40), landmarks)
  expect_identical(dim(as.matrix(landmarks)), c(40L, 3L))
  expect_identical(colnames(as.matrix(landmarks)), c("x", "y", "z"))
  expect_gt(landmarks$slack, 0)
  expect_identical(anyDuplicated(as.matrix(landmarks)), 0L)
  # columns of rows go by these names
  expect_identical(distance_to_measure(ring()[, 3:1], landmarks, 0.05, clip = 1),
                   distance_to_measure(ring(), landmarks, 0.05, clip = 1))
  # narrow axes stay narrow, and what weighs too little is left out
  public <- as.matrix(landmarks_from(three(), 200, least_weight = 0.3))
  expect_lt(max(abs(public)), 8)
  expect_lt(max(public[, 2]), 6)
  expect_gt(max(as.matrix(landmarks_from(three(), 200))[, 2]), 8)
  one <- as_mixture(list(weights = 1, means = rbind(c(1, 2)), covariances = list(diag(c(1, 1e-4)))))
  points <- as.matrix(landmarks_from(one, 50))
  expect_lt(max(abs(points[, 2] - 2)), 0.01)
  expect_null(privacy(landmarks_from(one, 5)))
  expect_identical(landmarks_from(one, 1)$slack, 0)
})

test_that("thinning takes the farthest of all that were taken, and public points are taken as they are", {
  line <- cbind(c(0, 1, 2, 10, 4))
  expect_identical(as.vector(as.matrix(landmarks_from(line, 3))), c(0, 10, 4))
  expect_setequal(as.vector(as.matrix(landmarks_from(line, 5))), line)
  expect_identical(as.vector(as.matrix(landmarks_from(line[c(1, 1, 2, 2, 1), , drop = FALSE], 5))), c(0, 1))
  # slack: two times the median distance to the fifth neighbor
  set.seed(8)
  P <- matrix(rnorm(60), 20)
  landmarks <- landmarks_from(P, 20)
  fifth <- apply(as.matrix(dist(as.matrix(landmarks))), 1, function(row) sort(row)[6])
  expect_equal(landmarks$slack, 2 * median(fifth))
  expect_identical(landmarks_from(P, 20, slack = 0.25)$slack, 0.25)
  expect_identical(landmarks_from(as.data.frame(P), 4, box = domain_box(rep(-1, 3), rep(1, 3)))$box$upper, c(1, 1, 1))
})

test_that("landmarks of a release can be taken to the space of a metric", {
  set.seed(9)
  sphere <- manifold_sphere(2)
  landmarks <- landmarks_from(ring_mixture(), 20, sphere)
  expect_equal(rowSums(as.matrix(landmarks)^2), rep(1, 20))
  expect_equal(privacy(landmarks)$measure, c(epsilon = 1, delta = 1e-6))
  squared <- landmarks_from(three(), 10, manifold_euclidean(1), map = function(P) rowSums(P^2))
  expect_true(all(as.matrix(squared) >= 0))
  city <- landmarks_from(three(), 10, function(x, y) sum(abs(x - y)))
  expect_identical(dim(as.matrix(city)), c(10L, 2L))
})

test_that("what cannot be is refused by a classed error", {
  bad(landmarks_from(), regexp = "`model`")
  for (model in list(NULL, "a", mean, NA, persistence_diagram(0, 0, 1), scale(diag(3)), cbind(NA, 1), cbind(Inf, 1),
                     matrix(0, 0, 2))) {
    bad(landmarks_from(model, 1))
  }
  for (size in list(0, -1, 1.5, NA, "a", 5001, c(1, 2), NULL)) bad(landmarks_from(diag(3), size), regexp = "`size`")
  for (slack in list(-1, NA, "a", Inf)) bad(landmarks_from(diag(3), 2, slack = slack), regexp = "`slack`")
  for (least in list(-1, 0.5, 1, NA, "a")) {
    bad(landmarks_from(three(), 2, least_weight = least), regexp = "`least_weight`")
  }
  bad(landmarks_from(diag(3), 2, box = 1), regexp = "`box`")
  bad(landmarks_from(diag(3), 2, box = domain_box(0, 1)))
  for (map in list(1, "a", function(P) NULL, function(P) stop("no"), function(P) P[0, ], function(P)
                   replace(P, 1, NA))) bad(landmarks_from(three(), 2, map = map))
  for (metric in list("manhattan", mean, function(x, y) NaN, function(x, y) stop("no"), function(x, y) -1)) {
    bad(landmarks_from(diag(3), 2, metric), regexp = "`metric`")
  }
})

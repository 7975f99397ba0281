# Frechet means for people who have many points: weighted points against copies of them, a search for the person who
# moves the mean most, and what may not be seen. Seeds are fixed, and nothing here is left to chance.

bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)

north <- c(0, 0, 1)

cap_points <- function(n, radius) {
  v <- matrix(stats::rnorm(2 * n), n)
  v <- v / sqrt(rowSums(v^2)) * radius * sqrt(stats::runif(n))
  manifold_exp(north, cbind(v, 0), manifold_sphere(2))
}

# What noise is added to, in the units of a person.
statistic_for <- function(mechanism, x) {
  seen <- statistic_of(mechanism$plan, settle_rows(rows_for(mechanism$plan, x), "R"))
  own <- mechanism$plan$mean
  if (own$statistic == "mean") seen else seen * own$unit
}

test_that("weighted points have the mean of as many copies", {
  set.seed(411)
  many <- c(1, 2, 15, 16, 700, 1025, 2049, 3)
  who <- rep(seq_along(many), many)
  of <- unseen(8, person = "person")
  plane <- matrix(stats::rnorm(2 * sum(many)), ncol = 2)
  flat <- manifold_euclidean(2)
  for (cost in list(list(epsilon = 1), list(rho = 1))) {
    mechanism <- do.call(private_frechet_mean, c(list(as_unseen(of), flat, c(0, 0), 2), cost))
    own <- mechanism$plan$mean
    expect_identical(own$weight, 1024)
    points <- weigh_rows(rows_for(mechanism$plan, table_rows(plane, person = who)), 1024)
    expect_identical(c(rowsum(points$weights, who)), rep(1024, 8))
    copies <- points$points[, rep(seq_along(who), points$weights)]
    expect_identical(statistic_of(mechanism$plan, rows_for(mechanism$plan, table_rows(plane, person = who))),
                     plan_statistic(own, copies))
  }
  # curved: within the error that is known beforehand
  X <- cap_points(sum(many), 0.6)
  mechanism <- private_frechet_mean(as_unseen(of), manifold_sphere(2), north, 0.6, epsilon = 1, method = "intrinsic")
  points <- weigh_rows(rows_for(mechanism$plan, table_rows(X, person = who)), 1024)
  mean <- statistic_for(mechanism, table_rows(X, person = who))
  copies <- X[rep(seq_along(who), points$weights), ]
  exact <- frechet_mean(copies, manifold_sphere(2))
  # the statistic is about the origin of the manifold, an isometry away
  own <- mechanism$plan$mean
  there <- normal_points(row_coordinates(mechanism$plan, matrix(exact$point)), manifold_sphere(2), own$origin)
  expect_lte(manifold_distance(c(mean), c(there), manifold_sphere(2)), own$error + exact$error + 1e-12)
})

test_that("no person moves a mean by more than the sensitivity", {
  set.seed(412)
  ratio <- c()
  for (N in c(3, 5)) for (radius in c(0.4, 0.75)) {
    for (manifold in list(manifold_sphere(2), manifold_hyperbolic(2))) {
      sphere <- manifold$kind == "sphere"
      center <- if (sphere) north else c(1, 0, 0)
      mechanism <- private_frechet_mean(unseen(N, person = "person"), manifold, center, radius, epsilon = 100,
                                          method = "intrinsic")
      bound <- mean_sensitivity(N, manifold, radius, "sharp")
      rim <- function(n, angles = stats::runif(n, 0, 2 * pi)) {
        v <- if (sphere) cbind(cos(angles), sin(angles), 0) else cbind(0, cos(angles), sin(angles))
        manifold_exp(center, v * radius, manifold)
      }
      spread <- function(m) matrix(rim(m), ncol = 3)
      person <- function() {
        m <- sample(c(1, 2, 1023, 1025, 2049), 1)
        if (stats::runif(1) < 0.5) spread(m) else matrix(rim(1), 1)[rep(1, m), , drop = FALSE]
      }
      mean_of <- function(people) {
        who <- rep(seq_along(people), vapply(people, nrow, 0L))
        statistic_for(mechanism, table_rows(do.call(rbind, people), person = who))
      }
      for (time in 1:12) {
        people <- lapply(seq_len(N), function(i) person())
        if (time == 1) people <- rep(list(matrix(rim(1, 0), 1)), N)
        changed <- people
        changed[[1]] <- if (time == 1) matrix(rim(1, pi), 1) else person()
        moved <- manifold_distance(c(mean_of(people)), c(mean_of(changed)), manifold)
        ratio <- c(ratio, moved / bound)
      }
    }
  }
  expect_lte(max(ratio), 1 + 1e-9)
  expect_gte(max(ratio), 0.5)
  # flat: attained, in whole numbers
  flat <- manifold_euclidean(1)
  mechanism <- private_frechet_mean(unseen(4, person = "person"), flat, 0, 1, rho = 1)
  sums <- vapply(c(-1, 1), function(end) {
    statistic_of(mechanism$plan, rows_for(mechanism$plan, table_rows(matrix(c(rep(end, 1025), 0, 0, 0)),
                                                                     person = rep(1:4, c(1025, 1, 1, 1)))))
  }, 0)
  own <- mechanism$plan$mean
  expect_lte(diff(sums)^2, own$weight^2 * floor(own$l2_squared))
  expect_gte(diff(sums)^2, own$weight^2 * floor(own$l2_squared) * (1 - 1e-4))
})

test_that("one point of each person is as plain points are", {
  set.seed(413)
  X <- cap_points(40, 0.6)
  for (method in c("intrinsic", "tangent", "ambient")) for (cost in list(list(epsilon = 5), list(rho = 1))) {
    settings <- c(list(manifold_sphere(2), north, 0.6), cost, method = method)
    plain <- do.call(private_frechet_mean, c(list(unseen(40)), settings))
    people <- do.call(private_frechet_mean, c(list(unseen(40, person = "who")), settings))
    expect_identical(people$guarantee$person, "who")
    # the steps of sums are 2^-36 of the radius and not 2^-40
    expect_equal(people$guarantee$sensitivity, plain$guarantee$sensitivity, tolerance = 1e-9)
    expect_equal(statistic_for(people, table_rows(X, person = 1:40)), statistic_for(plain, X), tolerance = 1e-9)
    one <- do.call(private_frechet_mean, c(list(unseen(40, person = "who", rows_of_person = "one")), settings))
    expect_identical(one$plan$mean$weight, 1)
    expect_identical(statistic_for(one, table_rows(X, person = 1:40, rows_of_person = "one")), statistic_for(plain, X))
    release <- do.call(private_frechet_mean, c(list(table_rows(X, person = rep(1:20, 2), rows_of_person = "one")),
                                               settings))
    expect_identical(release$n, 20)
  }
})

test_that("matrices come with people, in a list, in an array or row by row", {
  set.seed(414)
  who <- rep(c("a", "b", "c"), c(1, 4, 7))
  A <- lapply(seq_along(who), function(i) crossprod(matrix(stats::rnorm(8), 4)) / 4)
  rows <- table_rows(A, person = list(who = who))
  expect_output(print(rows), "<rows> 3 people (`who`) in memory", fixed = TRUE)
  drawn <- function(x) {
    set.seed(8)
    private_frechet_mean(x, manifold_spd(2), diag(2), 1, epsilon = 5, rng = "R")
  }
  released <- drawn(rows)
  expect_output(print(released), "3 people (`who`), symmetric positive", fixed = TRUE)
  expect_identical(drawn(table_rows(simplify2array(A), person = who))$value, released$value)
  expect_identical(drawn(table_rows(t(vapply(A, c, double(4))), person = who))$value, released$value)
  expect_identical(drawn(table_rows(A))$value, drawn(A)$value) # plain rows
  expect_identical(drawn(table_rows(rev(A), person = rev(who)))$coordinates, released$coordinates)
  product <- manifold_product(manifold_spd(2), manifold_euclidean(1))
  both <- cbind(t(vapply(A, c, double(4))), seq_along(A) / 12)
  release <- private_frechet_mean(table_rows(both, person = who), product, list(diag(2), 0), 1, epsilon = 5)
  expect_length(release$value, 2)
  landmarks <- domain_landmarks(A[1:3], manifold_spd(2))
  release <- private_diagram(rows, landmarks, epsilon = 5, m0 = 0.5, clip = 1, dimensions = 0)
  expect_identical(privacy(release)$person, "who")
  bad(table_rows(A, person = who[-1]))
  bad(table_rows(c(A, list(diag(3))), person = c(who, "a")), regexp = "list of matrices")
  mean_of <- function(x) private_frechet_mean(x, manifold_spd(2), diag(2), 1, epsilon = 5)
  bad(mean_of(table_rows(both, person = who)), "numbers in each row")
  bad(mean_of(table_rows(A, person = who, people = 5)), "people")
})

test_that("nothing that is seen depends on how many points there are", {
  set.seed(415)
  X <- cap_points(30, 0.6)
  who <- rep(1:6, 5)
  shown <- function(X, who, ...) {
    set.seed(9)
    release <- private_frechet_mean(table_rows(X, person = list(who = who)), manifold_sphere(2), north, 0.6, ...,
                                    rng = "R")
    list(release$coordinates, privacy(release), utils::capture.output(print(release))[2], release$noise, release$n)
  }
  for (cost in list(list(epsilon = 3), list(rho = 1))) {
    first <- do.call(shown, c(list(X, who), cost))
    turned <- sample(30)
    expect_identical(do.call(shown, c(list(X[turned, ], who[turned]), cost))[2:5], first[2:5])
    expect_identical(do.call(shown, c(list(X[1:17, ], who[1:17]), cost))[2:5], first[2:5])
    expect_match(first[[3]], "6 people (`who`)", fixed = TRUE)
  }
  # in whole numbers the order is no matter at all
  flat <- function(rows) {
    set.seed(9)
    private_frechet_mean(table_rows(X[rows, ], person = who[rows]), manifold_euclidean(3), double(3), 1, rho = 1,
                         rng = "R")$coordinates
  }
  expect_identical(flat(turned), flat(1:30))
})

test_that("what is planned for people is planned for as many points", {
  of <- unseen(1000, person = "patient")
  sphere <- manifold_sphere(2)
  expect_identical(frechet_sensitivity(of, sphere, 0.3), frechet_sensitivity(1000, sphere, 0.3))
  expect_identical(frechet_noise(of, sphere, 0.3, epsilon = 1), frechet_noise(1000, sphere, 0.3, epsilon = 1))
  # many people: fewer steps to the radius, and sums below 2^53
  for (N in c(1e3, 1e6, 2e9)) for (cost in list(list(epsilon = 1), list(rho = 1))) {
    own <- do.call(private_frechet_mean,
                   c(list(unseen(N, person = "person"), manifold_euclidean(2), c(0, 0), 1), cost))$plan$mean
    expect_identical(own$weight, 1024)
    expect_lte(N * own$weight * own$most, 2^53)
  }
  # noise of a scale up to 2^40
  own <- private_frechet_mean(unseen(100, person = "person"), manifold_euclidean(2), c(0, 0), 1, rho = 1e-9)$plan$mean
  expect_lt(own$weight, 1024)
  expect_lte(own$scale, 2^40)
})

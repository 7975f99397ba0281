two_groups <- function(n = 400) {
  withr::with_seed(1, rbind(matrix(stats::rnorm(n, -2, 0.5), ncol = 2), matrix(stats::rnorm(n, 2, 0.5), ncol = 2)))
}
wide_box <- function(D = 2) domain_box(rep(-8, D), rep(8, D))

is_model <- function(fit) {
  D <- ncol(fit$means)
  all(fit$weights > 0) && abs(sum(fit$weights) - 1) < 1e-12 && all(is.finite(fit$means)) &&
    all(apply(fit$covariances, 3, function(S) {
      S <- matrix(S, D)
      isSymmetric(S) && min(eigen(S, TRUE)$values) > 0
    }))
}

test_that("with a large budget the groups are found", {
  X <- two_groups()
  set.seed(2)
  fit <- private_mixture(X, wide_box(), 2, rho = 1e4, rng = "R")
  expect_s3_class(fit, c("dptda_private_mixture", "dptda_mixture", "dptda_result"), exact = TRUE)
  expect_equal(sort(fit$means[, 1]), c(-2, 2), tolerance = 0.1)
  expect_equal(fit$weights, c(0.5, 0.5), tolerance = 0.02)
  expect_lt(max(abs(fit$covariances - as.vector(diag(0.25, 2)))), 0.1)
  one <- private_covariance(X, wide_box(), rho = 1e4, rng = "R")
  expect_equal(one$center, colMeans(X), tolerance = 0.2)
})

# The covariance of 20,000 normal rows has relative standard errors of .01; the seed is fixed.
test_that("a private covariance is that of normal rows, whatever the sizes of the columns", {
  set.seed(1)
  X <- matrix(stats::rnorm(40000), ncol = 2) %*% matrix(c(1, 0, 0.05, 0.1), 2)
  colnames(X) <- c("a", "b")
  fit <- private_covariance(X, domain_box(c(-9, -5), c(9, 5)), rho = 10, rng = "R")
  expect_identical(dimnames(fit$cov), list(c("a", "b"), c("a", "b")))
  expect_named(fit$center, c("a", "b"))
  expect_lt(max(abs(fit$cov / stats::cov(X) - 1)), 0.05)
  expect_output(print(fit), "private covariance")
})

# In a box of forty times their size three queries are enough; the factor that holds only where the model is right would
# give half as much again. 10,000 rows: standard errors of .014.
test_that("shortened rows are lengthened by their size", {
  set.seed(4)
  fit <- private_covariance(matrix(stats::rnorm(20000), ncol = 2), domain_box(c(-20, -20), c(20, 20)), rho = 10,
                            rounds = 3, rng = "R")
  expect_lt(max(abs(fit$cov - diag(2))), 0.07)
  for (D in c(1, 5, 50)) {
    for (stretch in c(1, 1 + 2 / sqrt(D))) {
      one <- shortened(1, D, stretch)
      expect_equal(lengthening(one, D, stretch), 1 / one)
      two <- shortened(2, D, stretch)
      expect_equal(lengthening(two + .1, D, stretch, 2), 2 / two)
      expect_equal(lengthening(shortened(1.5, D, stretch), D, stretch, 2), 1.5 / shortened(1.5, D, stretch))
      expect_equal(lengthening(1, D, stretch), 1 / one)
      expect_equal(lengthening(shortened(0.3, D, stretch), D, stretch), 0.3 / shortened(0.3, D, stretch))
      expect_equal(lengthening(1e-9, D, stretch), 1)
    }
  }
})

# Ratios to cov() of the very rows, of which a release has a standard deviation of .007: the mean of eight is within
# .0125 of 1 but for a chance of 1e-6. Equal looks to the length sqrt(D) had .95, .90 and 8.
test_that("a private covariance is that of correlated normal rows in boxes of any size", {
  skip_if_instrumented()
  set.seed(9)
  turned <- chol(matrix(0.95, 3, 3) + diag(0.05, 3))
  for (side in c(6, 20, 1000)) {
    ratios <- replicate(8, {
      X <- matrix(stats::rnorm(60000), ncol = 3) %*% turned
      fit <- private_covariance(X, domain_box(rep(-side, 3), rep(side, 3)), epsilon = 1, delta = 1e-6, rng = "R")
      mean(diag(fit$cov) / diag(stats::cov(X)))
    })
    expect_lt(abs(mean(ratios) - 1), 0.0125)
  }
})

test_that("the rounds of a covariance spend what was declared, half of it on the last", {
  for (D in c(1, 3, 50)) for (n in c(1, 500, 1e6)) for (rho in c(1e-6, 0.018, 1e3))
  for (rounds in list(NULL, 1, 2, 8, 1000)) {
    plan <- covariance_plan(n, D, new_cost(c(rho = rho)), rounds)
    spent <- plan_rhos(plan)
    expect_equal(sum(spent), rho, tolerance = 1e-12)
    expect_lte(sum(spent) * query_margin, rho)
    expect_length(spent, if (is.null(rounds)) covariance_rounds(n, D, rho) else rounds)
    if (length(spent) > 1) expect_equal(spent[length(spent)], rho / 2)
  }
  unwarned <- function(code) suppressWarnings(code, classes = "dptda_warning_no_fit")
  fit <- unwarned(private_covariance(two_groups(20), wide_box(), rho = 0.3, rounds = 5))
  expect_length(privacy(fit)$public$queries, 5)
  expect_identical(sum(privacy(fit)$ledger$value), 0.3)
  for (bad in list(0, 1.5, 1001, NA, "8", c(8, 8))) {
    expect_error(private_covariance(two_groups(20), wide_box(), rho = 0.3, rounds = bad),
                 class = "dptda_error_argument")
  }
})

# A thousand standard deviations: of 500 rows noise leaves half of a variance a query, of 10 rows nothing is said.
test_that("public numbers choose the rounds of a covariance", {
  rounds <- function(n, D, epsilon) covariance_rounds(n, D, largest_rho(epsilon, 1e-6))
  reach <- function(n, D, epsilon) {
    covariance_reach(n, D, largest_rho(epsilon, 1e-6), rounds(n, D, epsilon))
  }
  expect_identical(rounds(20000, 3, 1), 8)
  expect_identical(rounds(2000, 3, 0.5), 16)
  for (n in c(2000, 20000)) expect_gt(reach(n, 3, 0.5), 1000)
  few <- reach(1000, 3, 0.5)
  expect_true(few > 5 && few < 1000)
  # where no number of them finds anything, all goes to one
  for (n in c(1, 10)) expect_identical(rounds(n, 3, 1), 1)
  expect_identical(reach(200, 10, 0.5), 1)
})

test_that("the last round sees as far as the noise of a variance allows, the others as far as normal rows are", {
  for (D in c(1, 3, 10, 50)) for (n in c(100, 5000, 1e6, 1e12)) for (rho in c(1e-4, 0.02, 3)) {
    queries <- covariance_queries(n, D, rho, 8)
    stretch <- vapply(queries, `[[`, 0, "stretch")
    expect_equal(stretch[-8], rep(1 + 2 / sqrt(D), 7))
    expect_gte(stretch[8], 1 + 2 / sqrt(D))
    if (stretch[8] == stretch[1]) next
    last <- queries[[8]]
    # scales are rounded up
    expect_lt(last$sd[2] / n, 0.0201)
    expect_lte(stretch[8], 4^last$bits[1] / 100)
    # at one of its three limits
    near <- c(last$sd[2] / n / c(0.02, heavy_loss(D, stretch[8])), stretch[8] / 4^last$bits[1] * 100)
    expect_equal(max(near), 1, tolerance = 0.01)
  }
  # what is lost of Student's t of four degrees of freedom, by numbers
  set.seed(2)
  for (D in c(1, 4)) {
    square <- stats::rchisq(1e5, D) * 2 / stats::rchisq(1e5, 4)
    expect_equal(heavy_loss(D, 6), mean(pmax(square - 6 * D, 0)) / D, tolerance = 0.15)
  }
})

# The mean of six ratios to cov(), of which one has a standard deviation of .014. The others lose what is farther than
# the last round sees. Twenty times the size of the rows; equal rounds to the length sqrt(D) had .67 and .54.
test_that("rows of heavy tails lose little of their covariance", {
  skip_if_instrumented()
  set.seed(12)
  turned <- chol(matrix(0.95, 3, 3) + diag(0.05, 3))
  ratio <- function(rows) {
    fits <- lapply(1:6, function(i) {
      X <- rows() %*% turned
      fit <- private_covariance(X, domain_box(rep(-20, 3), rep(20, 3)), epsilon = 1, delta = 1e-6, rng = "R")
      list(mean(diag(fit$cov) / diag(stats::cov(X))), is_heavy(fit$far))
    })
    c(mean(vapply(fits, `[[`, 0, 1)), sum(vapply(fits, `[[`, NA, 2)))
  }
  normal <- function() matrix(stats::rnorm(60000), ncol = 3)
  expect_lt(abs(ratio(normal)[1] - 1), 0.03)
  t <- ratio(function() normal() * sqrt(3 / stats::rchisq(20000, 5)))
  expect_true(t[1] > 0.94 && t[1] < 1.01)
  expect_gte(t[2], 1) # and it is said, in 0.45 of releases (60 of them, seed 3)
  laplace <- ratio(function() matrix(stats::rexp(60000) * sample(c(-1, 1), 60000, TRUE), ncol = 3))
  expect_lt(abs(laplace[1] - 1), 0.04)
})

# 1000 rows at epsilon .5 settle in boxes of 19 standard deviations, and are asked in one of 1000.
test_that("a release says where its rounds have not settled", {
  set.seed(15)
  X <- matrix(stats::rnorm(3000), ncol = 3)
  fit <- function(side, n = 1000) {
    private_covariance(X[rep_len(seq_len(1000), n), ], domain_box(rep(-side, 3), rep(side, 3)), epsilon = 0.5,
                       delta = 1e-6, rng = "R")
  }
  wide <- fit(1000)
  expect_gt(max(eigen(wide$cov)$values), 10)
  expect_false(wide$settled)
  expect_output(print(wide), "Not converged")
  expect_true(fit(300, 20000)$settled)
  expect_true(fit(5, 5000)$settled)
})

test_that("a column with one value in most rows is not shown without a word", {
  box <- domain_box(c(a = -20, b = -20), c(20, 20))
  for (share in c(0, 0.02, 0.05, 0.1)) {
    for (seed in 1:8) {
      set.seed(seed)
      X <- cbind(a = stats::rbinom(2000, 1, share) * stats::rexp(2000), b = stats::rnorm(2000))
      release <- private_covariance(X, box, epsilon = 1, delta = 1e-6, rng = "R")
      expect_lt(release$cov[1, 1], 0.1 * max(stats::var(X[, 1]), 1e-5))
      said <- paste(capture.output(print(release)), collapse = " ")
      expect_match(said, "`a`: standard deviation below a thousandth|tails are heavier")
      expect_false(grepl("`b`", said))
    }
  }
  # in a box of so many standard deviations rounds settle
  set.seed(1)
  release <- private_covariance(matrix(stats::rnorm(6000), ncol = 2), domain_box(c(-900, -20), c(900, 20)), rho = 1,
                                rng = "R")
  expect_false(any(grepl("below a thousandth", capture.output(print(release)))))
  release <- private_covariance(matrix(stats::rnorm(6000), ncol = 2), domain_box(c(-2000, -20), c(2000, 20)), rho = 1,
                                rng = "R")
  expect_output(print(release), "column 1: standard deviation below")
})

# 200 releases of the same rows: a standard deviation within 5 percent of what it is, three of which are 15.
test_that("the noise of each entry is what is said", {
  skip_if_instrumented()
  set.seed(13)
  X <- matrix(stats::rnorm(6000), ncol = 3) %*% chol(matrix(0.9, 3, 3) + diag(0.1, 3)) %*% diag(c(1, 5, 0.1))
  box <- domain_box(c(-20, -100, -2), c(20, 100, 2))
  fits <- replicate(long_or(200, 80), private_covariance(X, box, epsilon = 1, delta = 1e-6, rng = "R"),
                    simplify = FALSE)
  entries <- vapply(fits, function(fit) as.double(fit$cov), double(9))
  said <- rowMeans(vapply(fits, function(fit) as.double(fit$noise), double(9)))
  expect_lt(max(abs(apply(entries, 1, stats::sd) / said - 1)), long_or(0.2, 0.3))
  far <- vapply(fits, function(fit) fit$far[["share"]] - fit$far[["gaussian"]], 0)
  expect_lt(abs(mean(far)), long_or(0.01, 0.016))
  expect_output(print(fits[[1]]),
                "standard deviations of noise in the covariance.*rows farther than 2.5 standard deviations")
})

test_that("a covariance of rows in one place has its noise, without any noise on its sums", {
  for (D in 1:2) {
    box <- domain_box(rep(-1, D), rep(1, D))
    release <- suppressWarnings(private_covariance(matrix(0, 50, D), box, rho = 1e30))
    expect_output(print(release), "standard deviations of noise in the covariance")
    expect_true(all(release$noise < 1e-6))
  }
})

test_that("the guarantee is what was declared, and budgets pay for it once", {
  X <- two_groups(20)
  for (release in list(function(...) private_mixture(X, wide_box(), 3, ...), function(...)
                       private_covariance(X, wide_box(), ...))) {
    fit <- release(epsilon = 2, delta = 1e-6)
    expect_identical(privacy(fit)$measure, c(epsilon = 2, delta = 1e-6))
    expect_lte(privacy_convert(privacy(fit), delta = 1e-6)$measure[["epsilon"]], 2)
    expect_gt(privacy_convert(privacy(fit), delta = 1e-6)$measure[["epsilon"]], 1.999)
    expect_lt(privacy_convert(privacy(fit), delta = 1e-4)$measure[["epsilon"]], 2)
    fit <- release(rho = 0.3)
    expect_identical(privacy(fit)$measure, c(rho = 0.3))
    expect_identical(sum(privacy(fit)$ledger$value), 0.3)
    budget <- privacy_budget(epsilon = 2, delta = 1e-6)
    release(epsilon = 2, delta = 1e-6, budget = budget)
    expect_error(release(epsilon = 0.01, delta = 1e-6, budget = budget), class = "dptda_error_budget")
    budget <- privacy_budget(rho = 1)
    release(rho = 0.25, budget = budget)
    expect_identical(budget$spent, 0.25)
    expect_error(release(rho = 0.9, budget = budget), class = "dptda_error_budget")
    expect_null(privacy(replace(fit, 1, list(fit[[1]] + 1))))
  }
})

test_that("a budget of sums pays the epsilon and the delta that were declared", {
  X <- two_groups(20)
  release <- function(budget, epsilon) {
    private_covariance(X, wide_box(), epsilon = epsilon, delta = 1e-6, rounds = 1, budget = budget)
  }
  first <- privacy_budget(epsilon = 3, delta = 2e-6, composition = "basic")
  release(first, 2)
  expect_identical(first$spent, c(epsilon = 2, delta = 1e-6))
  expect_error(release(first, 1.01), class = "dptda_error_budget")
  release(first, 0.5)
  expect_identical(first$spent, c(epsilon = 2.5, delta = 2e-6))
  # delta is spent, whatever is left of epsilon
  expect_error(release(first, 1e-3), class = "dptda_error_budget")
  private_count(X[, 1] > 0, epsilon = 0.5, budget = first)
  expect_identical(first$spent, c(epsilon = 3, delta = 2e-6))
  # a release with a delta of its own makes it a budget of sums
  later <- privacy_budget(epsilon = 3, delta = 1e-5)
  spend_budget(later, "a", c(epsilon = 1, delta = 1e-6))
  release(later, 1)
  expect_identical(later$spent, c(epsilon = 2, delta = 2e-6))
  groups <- privacy_budget(epsilon = 3, delta = 1e-3, composition = "basic", unit_rows = 2)
  release(groups, 1)
  expect_identical(groups$spent, c(epsilon = 2, delta = group_delta(1, 1e-6, 2)))
  # the same of a file, and of what was converted
  file <- withr::local_tempfile()
  kept <- privacy_budget(epsilon = 3, delta = 1e-5, composition = "basic", file = file)
  release(kept, 1)
  expect_identical(privacy_budget(file = file)$spent, c(epsilon = 1, delta = 1e-6))
})

test_that("what looks and choice spend adds up to the budget, for many settings", {
  skip_if_instrumented()
  for (n in c(1, 1e6)) for (D in c(1, 20)) for (K in c(1, 50)) for (rounds in c(1, 7, 12)) {
    for (kind in 1:4) for (rho in c(1e-6, 0.3, 1e3)) {
      spent <- new_cost(c(rho = rho))
      plan <- mixture_plan(n, D, K, spent, rounds, kind %% 2 == 0, kind > 2)
      expect_equal(sum(plan_rhos(plan)), rho, tolerance = 1e-13)
      # the nominal costs of the scales, the margin included, stay below it
      expect_lte(sum(plan_rhos(plan)) * query_margin, rho)
    }
  }
})

# A score is a whole number of 6 * 2^bits at most, and the differences of their sums at most 2^41.
test_that("more rows than scores can be summed of are refused", {
  spent <- new_cost(c(rho = 1))
  plan <- function(n) mixture_plan(n, 1, 2, spent, 1, TRUE, FALSE)
  most <- floor(2^41 / 6)
  expect_identical(plan(most)$choice$bits, 0)
  expect_error(plan(most + 1), "rows", class = "dptda_error_argument")
  # nothing is chosen here
  for (whitened in c(TRUE, FALSE)) expect_null(mixture_plan(most + 1, 1, 1, spent, 1, whitened, TRUE)$choice)
})

query_kinds_of <- function(k) {
  list(c("whitened", "soft"), c("box", "hard"), c("whitened", "hard"))[[match(k, c(1, 7, 60))]]
}

test_that("hostile settings give a model all the same", {
  set.seed(2)
  X <- two_groups(100)
  rows <- list(X, X[1, , drop = FALSE], X[rep(1, 30), ], cbind(X[, 1], 3), X * 1e300, X - 100, replace(X, 1, Inf))
  for (data in rows) for (epsilon in c(1e-6, 1, 1e3)) for (k in c(1, 7, 60)) {
    kind <- query_kinds_of(k)
    fit <- private_mixture(data, wide_box(), k, epsilon = epsilon, delta = 1e-9, rounds = 2, features = kind[1],
                           assignment = kind[2])
    expect_true(is_model(fit))
    expect_true(all(fit$means >= -8 & fit$means <= 8))
  }
  for (D in c(1, 50)) {
    fit <- private_mixture(matrix(stats::rnorm(20 * D), 20), wide_box(D), 3, rho = 1)
    expect_true(is_model(fit))
    expect_true(all(is.finite(private_covariance(matrix(stats::rnorm(20 * D), 20), wide_box(D), rho = 1)$cov)))
  }
  expect_true(is_model(private_mixture(1:50, domain_box(0, 60), 2, rho = 1)))
  expect_true(is_model(private_mixture(cbind(1e-130 * 1:50), domain_box(0, 1e-128), 2, rho = 1)))
})

test_that("rows outside are their nearest points of the box, silently", {
  X <- two_groups(60)
  outside <- rbind(X, c(100, -1e300), c(Inf, -Inf))
  corner <- rbind(X, c(8, -8), c(8, -8))
  fit <- function(X) {
    set.seed(3)
    expect_silent(made <- private_mixture(X, wide_box(), 3, rho = 2, rng = "R"))
    made
  }
  expect_identical(fit(outside), fit(corner))
})

test_that("nothing is spent where something public or a missing value is refused", {
  X <- two_groups(20)
  budget <- privacy_budget(rho = 10)
  bad <- function(...) expect_error(private_mixture(..., budget = budget), class = "dptda_error_argument")
  bad(replace(X, 3, NA), wide_box(), 2, rho = 1)
  bad(X, wide_box(3), 2, rho = 1)
  bad(X[0, ], wide_box(), 2, rho = 1)
  bad(X, wide_box(), 0, rho = 1)
  bad(X, wide_box(), 201, rho = 1)
  bad(X, wide_box(), 2, rho = 1, delta = 1e-6)
  bad(X, wide_box(), 2, epsilon = 1)
  for (delta in list(0, 1, -1, NA_real_, "small")) bad(X, wide_box(), 2, epsilon = 1, delta = delta)
  bad(X, wide_box(), 2)
  bad(X, wide_box(), 2, rho = 1e-40)
  bad(X, domain_box(c(0, 0), c(1, 1e-200)), 2, rho = 1)
  bad(X, wide_box(), 2, rho = 1, rounds = 0)
  bad(X, wide_box(), 2, rho = 1, features = "round")
  expect_error(private_covariance(replace(X, 3, NA), wide_box(), rho = 1, budget = budget),
               class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
})

test_that("what an interrupted release has spent stays spent", {
  X <- two_groups(20)
  budget <- privacy_budget(rho = 10)
  plan <- mixture_plan(nrow(X), 2, 2, new_cost(c(rho = 1)), 3, TRUE, FALSE)
  plan$queries[[2]]$bits <- c(99, 99) # an end in the middle
  spent <- new_cost(c(rho = 1))
  rows <- check_point_rows(X, NULL, wide_box())
  of <- check_public_units(rows$n)
  expect_error(draw_release(queries_mechanism("private_mixture", of, NULL, wide_box(), plan, spent), rows,
                            budget, "os"))
  expect_identical(budget$spent, 1)
})

test_that("a mixture prints its components and its guarantee", {
  fit <- private_mixture(two_groups(60), wide_box(), 3, rho = 2)
  expect_output(print(fit), "3 components in 2 columns")
  expect_output(print(fit), "rho = 2")
})

test_that("that nothing will be learned of a covariance is said before anything is spent, and only then", {
  warn_of_weak()
  box <- domain_box(c(0, 0), c(1, 1))
  X <- matrix(stats::runif(120), 60)
  budget <- privacy_budget(rho = 5)
  end <- function(code) tryCatch(code, dptda_warning_no_fit = conditionMessage)
  expect_match(end(private_covariance(X[1:12, ], box, rho = 5, budget = budget)), "nothing is learned")
  expect_output(print(budget), "0 of 5 spent")
  for (n in c(19:24, 40, 60)) for (people in c(FALSE, TRUE)) {
    rows <- if (people) table_rows(X[c(seq_len(n), 1), ], person = c(seq_len(n), 1L)) else X[seq_len(n), ]
    warned <- FALSE
    fit <- withCallingHandlers(private_covariance(rows, box, rho = 5), dptda_warning_no_fit = function(cnd) {
      warned <<- grepl("nothing is learned", conditionMessage(cnd))
      invokeRestart("muffleWarning")
    })
    expect_identical(isTRUE(all.equal(fit$cov, diag(2) / 4)), warned)
  }
  # of 500 rows in 10 columns something is seen, but not in a box that is far wider than the rows
  price <- function(n, ...) privacy_price(private_covariance(unseen(n), wide_box(10), epsilon = 0.5, delta = 1e-6, ...))
  expect_match(price(2000)$weak, "rounds do not converge in a box.*It takes about [0-9,]* rows")
  expect_null(price(20000)$weak)
  settled <- function(n) {
    X <- matrix(stats::rnorm(10 * n), n)
    end(private_covariance(X, wide_box(10), epsilon = 0.5, delta = 1e-6, budget = budget))
  }
  expect_match(settled(2000), "rounds do not converge in a box")
  expect_output(print(budget), "0 of 5 spent")
})

# ---- rounds of a mixture ------------------------------------------------------------------

test_that("the last quarter of the rounds of a mixture gets half of what they have", {
  for (rounds in c(1, 2, 3, 12, 24, 97)) for (D in c(1, 8)) {
    plan <- mixture_plan(5000, D, 4, new_cost(c(rho = 0.3)), rounds, TRUE, FALSE)
    spent <- vapply(plan$queries, `[[`, 0, "rho")
    last <- max(1, round(rounds / 4))
    expect_length(spent, rounds)
    expect_equal(sum(spent), 0.75 * 0.3)
    if (rounds > 1) expect_equal(sum(utils::tail(spent, last)), 0.75 * 0.15)
    expect_lte(length(unique(spent)), 2)
    # rounds in the box are as they were published
    plan <- mixture_plan(5000, D, 4, new_cost(c(rho = 0.3)), rounds, FALSE, TRUE)
    expect_equal(vapply(plan$queries, `[[`, 0, "rho"), rep(0.3 / rounds, rounds))
    expect_true(all(vapply(plan$queries, function(query) query$stretch == 1 && query$blend == 1, NA)))
  }
})

test_that("the longest stretch is that of forty bisections, one after the other", {
  slow <- function(dimension, least, most, limit, noise) {
    good <- function(stretch) noise(stretch) <= min(limit, heavy_loss(dimension, stretch))
    if (most <= least || !good(least)) return(least)
    if (good(most)) return(most)
    for (i in 1:40) {
      middle <- sqrt(least * most)
      if (good(middle)) least <- middle else most <- middle
    }
    least
  }
  for (dimension in c(1, 2, 10, 50)) for (size in 10^(-8:1)) for (most in c(0.5, 2, 1e4)) {
    noise <- function(stretch) size * stretch^1.5
    expect_identical(longest_stretch(dimension, 1, most, 0.02, noise), slow(dimension, 1, most, 0.02, noise))
  }
  middles <- double()
  bisect <- function(least, most, times) {
    middle <- sqrt(least * most)
    if (times > 1) bisect(least, middle, times - 1)
    middles <<- c(middles, middle)
    if (times > 1) bisect(middle, most, times - 1)
  }
  bisect(1, 7, 5)
  expect_identical(halvings(cbind(c(1, 7)), 5), cbind(c(1, middles, 7)))
})

test_that("public numbers choose the rounds of a mixture, their lengths and parts", {
  rounds <- function(n, epsilon, D = 3, K = 4, T = NULL, whitened = TRUE) {
    mixture_plan(n, D, K, new_cost(c(rho = largest_rho(epsilon, 1e-6))), T, whitened, FALSE)$queries
  }
  expect_length(rounds(5000, 0.25), 12)
  expect_length(rounds(5000, 2), 24)
  expect_length(rounds(5000, 10, whitened = FALSE), 12)
  for (n in c(50, 3000, 1e5, 1e9)) for (epsilon in c(0.1, 2, 20)) for (D in c(1, 20)) for (T in c(1, 24)) {
    for (query in unique(rounds(n, epsilon, D, T = T))) {
      noise <- variance_noise_at(query$stretch, n / 4, D, query$rho)
      expect_gte(query$stretch, 1)
      expect_true(query$blend <= 1 && query$blend >= min(1, least_rounds / T))
      if (query$stretch > 1) {
        # up to D + 2 sqrt(D) the noise of blended rounds counts, and beyond that of a round
        part <- if (query$stretch > least_stretch(D) + 1e-6) 1 else blended_noise(min(1, least_rounds / T))
        expect_lte(noise * part, noise_of_rounds * (1 + 1e-9))
        expect_lte(noise * part, heavy_loss(D, query$stretch) * (1 + 1e-9))
        expect_lte(query$stretch, 4^query$bits[1] / 100)
      }
      # the model has so much noise, or rounds would not go the whole way
      least <- min(1, least_rounds / T)
      if (query$blend > least) expect_equal(noise * blended_noise(query$blend), min(noise, noise_of_model))
      else if (least < 1) expect_gte(noise * blended_noise(least), noise_of_model * (1 - 1e-9))
      # and it is what refits are told
      expect_equal(query$sd[2] / (n / 4), noise * blended_noise(query$blend), tolerance = 1e-4)
    }
  }
})

test_that("three rounds find all rows of a mixture, and the last of them sees far where noise allows", {
  for (n in c(50, 3000, 1e5, 1e9)) for (rho in c(1e-3, 0.1, 10)) for (D in c(1, 8, 20)) {
    plan <- mixture_plan(n, D, 4, new_cost(c(rho = rho)), 12, TRUE, FALSE)
    expect_equal(plan_rhos(plan)[1:4], rho * c(0.05, 0.05, 0.1, 0.05))
    expect_equal(sum(plan_rhos(plan)), rho)
    stretch <- vapply(plan$global, `[[`, 0, "stretch")
    expect_equal(stretch[1:2], c(1, 1))
    expect_true(stretch[3] >= 1 && stretch[3] <= farthest_global)
    if (stretch[3] > 1) expect_lte(variance_noise_at(stretch[3], n, D, 0.1 * rho), 0.2)
  }
  expect_equal(mixture_plan(5000, 3, 1, new_cost(c(rho = 0.1)), 12, TRUE, FALSE)$global[[3]]$stretch, farthest_global)
})

# With the sums that n rows of the model have, count p n, sum 0 and product p n kappa, in the coordinates of each
# component.
test_that("rounds are blended with the model that was asked", {
  set.seed(16)
  D <- 3
  model <- list(weights = c(0.3, 0.7), means = matrix(stats::runif(6, -0.3, 0.3), D),
                covariances = array(stats::rWishart(2, 9, diag(0.01, D)), c(D, D, 2)))
  query <- plan_query(1000, D, 1, list(whitened = TRUE, hard = FALSE, stretch = 1.5, blend = 0.3), 2)
  seen <- list(count = c(280, 690), sum = matrix(stats::rnorm(6), D), product = array(stats::rWishart(2, 500, diag(D)),
                                                                                     c(D, D, 2)))
  blended <- blend_seen(seen, model, query)
  expect_equal(blended$count, 0.3 * seen$count + 0.7 * c(300, 700))
  expect_equal(blended$sum, 0.3 * seen$sum)
  for (k in 1:2) {
    own <- 0.7 * model$weights[k] * 1000 * diag(query$kappa, D)
    expect_equal(blended$product[, , k], 0.3 * seen$product[, , k] + own)
  }
  expect_identical(blend_seen(seen, model, replace(query, "blend", 1)), seen)
  # what the model itself would be seen to be changes nothing
  own <- list(count = 1000 * model$weights, sum = matrix(0, D, 2),
              product = array(as.vector(diag(query$kappa, D)) %o% (1000 * model$weights), c(D, D, 2)))
  again <- refit_model(model, blend_seen(own, model, query), query, 20)
  expect_equal(again, model, tolerance = 1e-10)
})

# Half of the rows of each table are new to the fits. All settings of a table have the same start; a fit at epsilon 10
# is within .05 of the others, and at epsilon 1 rounds of noise lose a few tenths (equal rounds to the length sqrt(D),
# not blended, lost more than 1 of 96 rounds).
test_that("more rounds do not make a mixture of heavy tails worse", {
  skip_if_instrumented()
  table_of <- function(kind, n = 12000) {
    label <- sample(3, n, TRUE, c(1, 2, 2))
    Z <- if (kind == "t") matrix(stats::rnorm(2 * n), n) * sqrt(3 / stats::rchisq(n, 5))
    else matrix(stats::rexp(2 * n) * sample(c(-1, 1), 2 * n, TRUE), n)
    cbind(c(-5, 0, 5), c(0, 4, -3))[label, ] + Z * c(1, 0.5, 0.3)[label]
  }
  box <- domain_box(c(-20, -20), c(20, 20))
  for (kind in c("t", "Laplace")) {
    set.seed(17)
    X <- table_of(kind)
    density <- function(rounds, epsilon) {
      set.seed(18)
      fit <- private_mixture(X[1:6000, ], box, 3, epsilon = epsilon, delta = 1e-6, rounds = rounds, rng = "R")
      mean(pmax(predict(fit, X[-(1:6000), ], "logdensity"), -50))
    }
    found <- vapply(c(12, 24, 96), density, 0, epsilon = 10)
    expect_lt(diff(range(found)), 0.05)
    noisy <- vapply(c(12, 96), density, 0, epsilon = 1)
    expect_gt(noisy[2], noisy[1] - 0.1)
    expect_gt(min(noisy), min(found) - 0.4)
  }
})

test_that("standard deviations stand beside means, where columns are few", {
  x <- withr::with_seed(5, matrix(stats::rnorm(5000), ncol = 5, dimnames = list(NULL, letters[1:5])))
  fit <- function(d) {
    ends <- stats::setNames(rep(9, d), letters[seq_len(d)])
    withr::with_seed(6, private_mixture(x[, seq_len(d), drop = FALSE], domain_box(-ends, ends), k = 2, rho = 3,
                                        rng = "R"))
  }
  two <- fit(2)
  shown <- capture.output(print(two))
  expect_match(shown[3], "weight +mean a +mean b +sd a +sd b")
  expect_match(shown[4], format(summary(two)$sd.b[which.max(two$weights)], digits = 2), fixed = TRUE)
  expect_match(shown, "^rows farther than [0-9.]+ standard deviations from a component", all = FALSE)
  expect_output(print(fit(1)), "mean a +sd a")
  expect_output(print(fit(5)), " e\n.*standard deviations: see summary")
})

# Costs, against exact arithmetic, against curves at 200 bits, and with planted faults.

spent_on <- function(...) check_cost(...)$spent

# Exact products of doubles, as integers of any length in units of 2^-1200: a double is an integer below 2^53 times a
# power of two.
whole_product <- function(a, b) {
  parts <- lapply(c(a, b), function(x) {
    exponent <- floor(log2(x))
    list(mantissa = whole_of(x * 2^(52 - exponent)), exponent = exponent - 52)
  })
  product <- whole_multiply(parts[[1]]$mantissa, parts[[2]]$mantissa)
  whole_shift(product, parts[[1]]$exponent + parts[[2]]$exponent + 1200)
}

compare_products <- function(a, b, c, d) whole_compare(whole_product(a, b), whole_product(c, d))

test_that("products and roots are rounded to their side, by at most two doubles", {
  set.seed(2301)
  for (i in 1:150) {
    a <- stats::runif(1, 1, 2) * 2^sample(-200:200, 1)
    b <- if (i %% 3 == 0) a else stats::runif(1, 1, 2) * 2^sample(-200:200, 1)
    down <- product_down(a, b)
    up <- product_up(a, b)
    expect_lte(compare_products(down, 1, a, b), 0)
    expect_gte(compare_products(up, 1, a, b), 0)
    expect_lte(up / down, 1 + 2^-50)
    root <- root_up(a)
    expect_gte(compare_products(root, root, a, 1), 0)
    expect_lt(compare_products(root * (1 - 2^-51), root * (1 - 2^-51), a, 1), 0)
  }
  # what is exact stays so, and small numbers are not rounded to more than they are
  expect_identical(product_down(c(1, 3, 0.5, 0), c(7, 5, 0.5, 2)), c(7, 15, 0.25, 0))
  expect_identical(root_up(c(0, 1, 4, 0.25)), c(0, 1, 2, 0.5))
  expect_lt(product_down(1e-200, 1e-200), 2^-1073)
  expect_lte(product_down(1e300, 1e300), .Machine$double.xmax)
  expect_true(is.finite(root_up(.Machine$double.xmax)))
  expect_gt(product_up(1e-160, 1e-160), product_down(1e-160, 1e-160))
  expect_gt(product_up(1e-160, 1e-160), 1e-160 * 1e-160)
})

test_that("each form of a cost spends what it declares", {
  expect_identical(spent_on(2, NULL), c(epsilon = 2))
  expect_identical(spent_on(NULL, 0.3), c(rho = 0.3))
  expect_identical(spent_on(NULL, NULL, mu = 1), c(rho = 0.5))
  expect_identical(check_cost(NULL, NULL, mu = 0.7)$known, c(mu = 0.7))
  expect_identical(check_cost(NULL, 0.5)$known, c(mu = 1))
  both <- check_cost(1, NULL, 1e-6)
  expect_identical(both$measure, c(epsilon = 1, delta = 1e-6))
  expect_identical(both$known, c(mu = largest_mu(1, 1e-6)))
  # far too much of either is no failure
  for (cost in list(check_cost(NULL, NULL, mu = 1e300), check_cost(NULL, 1e308))) {
    expect_true(all(is.finite(c(cost$spent, cost$known))))
  }
  expect_error(check_cost(NULL, NULL), "one of the three, not none")
  expect_error(check_cost(1, NULL, mu = 1), "not `epsilon` and `mu`")
  expect_error(check_cost(NULL, NULL, 1e-6, 1), "`delta` must be NULL with `mu`")
  expect_error(check_cost(NULL, NULL, mu = 0), "`mu` must be one finite number above 0")
  expect_error(check_cost(NULL, NULL, mu = 1e-200), "too small")
  expect_error(check_cost(NULL, NULL, mu = structure(1, class = "other")), "`mu` must be one plain number")
  expect_error(check_cost(NULL, NULL, mu = privacy_budget(mu = 1)), "is a budget")
  expect_error(check_cost(NULL, NULL, mu = 1, takes = c("epsilon", "rho"), because = "of this"),
               "`mu` must be NULL here: of this. Give `epsilon` instead", fixed = TRUE)
})

test_that("no scale is one step too small: scale times mu is at least the sensitivity, exactly", {
  set.seed(2302)
  for (i in 1:150) {
    mu <- if (i <= 20) i / 10 else 2^stats::runif(1, -25, 10)
    squared <- sample(c(1, 2, 4, 17, 2^31 - 1), 1)
    scale <- noise_scale(gaussian_cost(c(mu = mu), mu)$spent, NULL, squared)
    # (scale mu)^2 >= squared
    whole_square <- whole_multiply(whole_product(scale, mu), whole_product(scale, mu))
    least <- whole_shift(whole_of(squared), 2400)
    expect_gte(whole_compare(whole_square, least), 0)
    if (scale > 2^-29) {
      below <- scale * (1 - 2^-22)
      expect_lt(whole_compare(whole_multiply(whole_product(below, mu), whole_product(below, mu)), least), 0)
    }
  }
})

# The least scale for sensitivity 1 that keeps (epsilon, delta), by the curve at 200 bits.
least_scales <- utils::read.csv(text = "epsilon,delta,scale
0.01,1e-3,93.907419839851576
0.01,1e-6,306.35037615381768
0.01,1e-9,458.50849749725295
0.01,1e-15,681.22188355144238
0.01,0.1,3.8094438061099844
0.1,1e-3,17.404396203031166
0.1,1e-6,36.304690426195783
0.1,1e-9,50.209818263015328
0.1,1e-15,71.300595076365011
0.1,0.1,2.8469244358473497
0.5,1e-3,4.6101279507281402
0.5,1e-6,8.0576184807250443
0.5,1e-9,10.673896815080026
0.5,1e-15,14.733143032999685
0.5,0.1,1.5562878953734973
1,1e-3,2.5746570186372061
1,1e-6,4.2246788893268353
1,1e-9,5.4952661572382962
1,1e-15,7.4870094679865955
1,0.1,1.0858777651918565
3,1e-3,1.0372517184874801
3,1e-6,1.5438614177756401
3,1e-9,1.9437242635119693
3,1e-15,2.5824563458774431
3,0.1,0.57624783410844493
10,1e-3,0.40605955802413852
10,1e-6,0.54108683181836598
10,1e-9,0.65024691895865738
10,1e-15,0.8289598747219692
10,0.1,0.28181207212613931
100,1e-3,0.087362736714413178
100,1e-6,0.097837223974441093
100,1e-9,0.10622647977511226
100,1e-15,0.12017617914823962
100,0.1,0.07700940212232786", colClasses = "numeric")

test_that("the noise of (epsilon, delta) is the least of the curve at 200 bits", {
  for (i in seq_len(nrow(least_scales))) {
    setting <- least_scales[i, ]
    mu <- largest_mu(setting$epsilon, setting$delta)
    expect_lte(mu * setting$scale, 1 + 2^-48)
    expect_gt(mu * setting$scale, 1 - 2^-30)
    scale <- noise_scale(check_cost(setting$epsilon, NULL, setting$delta)$spent, NULL, 1)
    expect_gte(scale, setting$scale * (1 - 2^-50))
    expect_lte(scale, setting$scale * (1 + 2^-22))
  }
})

# delta(epsilon) of mu by quadrature, apart from the formulas of the package
slow_delta <- function(epsilon, mu) {
  gain <- function(x) stats::dnorm(x, mu) - exp(epsilon) * stats::dnorm(x)
  from <- epsilon / mu + mu / 2
  stats::integrate(gain, from, from + 12, rel.tol = 1e-10, subdivisions = 1000)$value
}

test_that("searched settings keep their delta, and more mu would not", {
  set.seed(2303)
  for (i in 1:200) {
    epsilon <- 10^stats::runif(1, -2, 1)
    delta <- 10^stats::runif(1, -9, -1)
    mu <- largest_mu(epsilon, delta)
    expect_lte(slow_delta(epsilon, mu), delta * (1 + 1e-7))
    expect_gt(slow_delta(epsilon, mu * (1 + 1e-6)), delta * (1 - 1e-7))
  }
  # far settings end, and keep their delta by the bound of the package
  for (epsilon in c(1e-300, 1e-8, 1, 1e3, 1e300)) for (delta in c(1e-300, 1e-10, 0.5, 1 - 2^-53)) {
    mu <- largest_mu(epsilon, delta)
    if (mu > 0) expect_lte(gaussian_log_delta(epsilon, mu), log(delta))
  }
})

test_that("a release converts to the epsilon and delta that it declares", {
  release <- private_count(rep(TRUE, 10), epsilon = 1, delta = 1e-6)
  expect_lte(privacy_convert(release, delta = 1e-6)$measure[["epsilon"]], 1)
  expect_gt(privacy_convert(release, delta = 1e-6)$measure[["epsilon"]], 1 - 1e-9)
  expect_equal(privacy_convert(release, "mu")$measure, c(mu = largest_mu(1, 1e-6)))
  of_rho <- private_count(rep(TRUE, 10), rho = 0.5)
  expect_identical(privacy(of_rho)$measure, c(rho = 0.5))
  expect_identical(privacy_convert(of_rho, "mu")$measure, c(mu = 1))
  expect_identical(privacy(private_count(rep(TRUE, 10), mu = 0.3))$measure, c(mu = 0.3))
})

# ---- choices -----------------------------------------------------------------------------------------------------

test_that("a mechanism of bounded range needs no more than its mu", {
  # two outputs whose logits differ by epsilon, at many centers
  for (epsilon in c(0.01, 0.5, 1, 3, 10)) {
    p <- stats::plogis(seq(-12, 12, by = 0.01) + epsilon / 2)
    q <- stats::plogis(seq(-12, 12, by = 0.01) - epsilon / 2)
    expect_lte(max(stats::qnorm(p) - stats::qnorm(q)), epsilon * sqrt(2 * pi) / 4)
  }
  expect_equal(2 * stats::qnorm(stats::plogis(0.005)), 0.01 * sqrt(2 * pi) / 4, tolerance = 1e-5)
})

# The sum of squares of mu, from lines of `steps`: rho of Gaussian noise counts twice, and of choices pi times.
squared_mu_of_steps <- function(steps) {
  choice <- ifelse(is.na(steps$epsilon), 0, steps$epsilon^2 / 8)
  sum(2 * (steps$rho - choice) + pi * choice)
}

test_that("releases with choices cost at most the mu that they declare, and almost all of it", {
  set.seed(2304)
  codes <- matrix(sample(0:1, 4000, TRUE), 1000)
  rows <- logical_table(codes)
  schema <- logical_schema(4)
  for (method in list(synthesis_aim(max_model_size = 1), synthesis_mst(), synthesis_privbayes(theta = 1))) {
    fit <- private_synthesis(rows, schema, mu = 2, method = method, rng = "R")
    expect_identical(privacy(fit)$measure, c(mu = 2))
    expect_lte(squared_mu_of_steps(fit$steps), 4 * (1 + 1e-9))
    expect_gt(squared_mu_of_steps(fit$steps), 3)
  }
  quantiles <- private_quantile(unseen(1000), c(0, 1), c(0.25, 0.5, 0.75), mu = 1, method = "exponential")
  expect_lte(3 * quantiles$plan$share^2 * pi / 8, 1)
  expect_gt(3 * quantiles$plan$share^2 * pi / 8, 1 - 1e-9)
  mixture <- private_mixture(unseen(1e5), domain_box(c(0, 0), c(1, 1)), 3, mu = 1)
  rhos <- mixture$guarantee$public$queries
  choice <- mixture$plan$queries$choice$rho
  expect_lte(2 * (sum(rhos) - choice) + pi * choice, 1)
  expect_gt(2 * (sum(rhos) - choice) + pi * choice, 1 - 1e-9)
  cube <- private_kmeans(unseen(1e5), domain_box(c(0, 0), c(1, 1)), 3, mu = 1, method = "cube")$guarantee$public$steps
  squares <- sum(cube$rho * ifelse(grepl("exchange", cube$step), pi, 2))
  expect_lte(squares, 1)
  expect_gt(squares, 1 - 1e-9)
  pca <- private_pca(unseen(1e5), domain_box(c(0, 0), c(1, 1)), 1, mu = 1, method = "ball")$plan$ball
  squares <- sum(pca$rhos * c(pi, 2, 2) * c(pca$rounds + 1, pca$rounds, 1))
  expect_lte(squares, 1)
  expect_gt(squares, 1 - 1e-9)
  grid <- domain_grid(domain_box(0, 1), by = 0.1)
  diagram <- private_diagram(unseen(100), grid, mu = 3, m0 = 0.5)
  spent <- vapply(diagram$plan$groups, `[[`, 0, "epsilon")
  expect_lte(sum(spent^2) * pi / 8, 9)
  expect_gt(sum(spent^2) * pi / 8, 9 * (1 - 1e-9))
})

test_that("no table by choices is taken for Gaussian noise alone", {
  schema <- logical_schema(4)
  for (method in list(synthesis_aim(max_model_size = 1), synthesis_mst(), synthesis_privbayes(theta = 1))) {
    for (cost in list(list(rho = 0.5), list(epsilon = 1, delta = 1e-6), list(mu = 1))) {
      mechanism <- do.call(private_synthesis, c(list(unseen(5000), schema, method = method), cost))
      expect_match(mechanism$guarantee$mechanism, "exponential")
      parts <- mechanism$guarantee$parts
      spent <- mechanism$plan$cost$spent[["rho"]]
      # a stated mu pays for the choices too
      if (parts$mu > 0) expect_gt(parts$mu, sqrt(2 * spent) * 1.01)
      if (!is.null(cost$rho)) expect_identical(c(parts$mu, parts$rho), c(0, 0.5))
    }
  }
})

test_that("no release with choices is taken for Gaussian noise alone", {
  choosing <- 0
  for (example in mechanism_examples()) {
    guarantee <- example$mechanism$guarantee
    # steps of releases declare their rho alone
    released <- grepl("^(private|synthesis)_", class(example$mechanism$plan)[1])
    if (!released || !"rho" %in% names(guarantee$measure)) next
    chooses <- grepl("exponential", guarantee$mechanism)
    choosing <- choosing + chooses
    adds <- !chooses || grepl("count of each group", guarantee$mechanism)
    expect_identical(c(guarantee$parts$mu > 0, guarantee$parts$rho > 0), c(adds, chooses), info = example$name)
  }
  expect_gt(choosing, 8)
})

test_that("the rho of every epsilon and delta is found at once, and keeps them", {
  for (epsilon in c(1e-300, 1e-14, 1e-12, 1e-6, 1, 1e6, 1e300)) for (delta in c(1e-300, 1e-9, 0.5)) {
    rho <- largest_rho(epsilon, delta)
    if (rho > 0) expect_lte(parts_epsilon(new_parts(rho = rho), delta), epsilon)
  }
  expect_identical(largest_rho(1e-300, 1e-6), 0)
})

test_that("choices with epsilon and delta spend the larger of two rhos", {
  with <- function(choices) with_choices(check_cost(1, NULL, 1e-6), choices)
  expect_identical(with(0), check_cost(1, NULL, 1e-6))
  expect_identical(with(1)$spent, c(rho = largest_rho(1, 1e-6)))
  expect_identical(with(1)$known, with(1)$spent)
  expect_gt(with(0.05)$spent, with(1)$spent)
  expect_named(with(0.05)$known, "mu")
  expect_identical(with_choices(check_cost(1, NULL), 1), check_cost(1, NULL))
  expect_identical(with_choices(check_cost(NULL, 0.2), 0.3)$known, c(rho = 0.2))
})

# ---- planted faults ----------------------------------------------------------------------------------------------

# The mu that two laws on integers need: the largest over likelihood ratio tests.
needed_mu <- function(p, q) {
  by_ratio <- order(p / q, decreasing = TRUE)
  true <- cumsum(p[by_ratio])
  false <- cumsum(q[by_ratio])
  seen <- false > 1e-9 & true < 1 - 1e-9
  max(stats::qnorm(true[seen]) - stats::qnorm(false[seen]))
}

law_of_normal <- function(y, center, scale) {
  stats::pnorm((y + 0.5 - center) / scale) - stats::pnorm((y - 0.5 - center) / scale)
}

test_that("noise that is not what it declares needs more than its mu", {
  y <- -40:40
  discrete <- function(center) exp(-(y - center)^2 / 2) / sum(exp(-y^2 / 2))
  expect_gt(needed_mu(discrete(1), discrete(0)), 1.04)
  expect_lt(needed_mu(law_of_normal(y, 1, 1), law_of_normal(y, 0, 1)), 1 + 1e-6)
  # the sum of rows is rounded, and not each row: a difference of 0.6 becomes 1
  expect_gt(needed_mu(law_of_normal(y, round(0.9), 1), law_of_normal(y, round(0.3), 1)), 0.99)
})

test_that("squares of mu add up, and mu does not", {
  expect_identical(privacy_compose(c(mu = 3), c(mu = 4))$measure, c(mu = 5))
  budget <- privacy_budget(mu = 5)
  private_count(TRUE, mu = 3, budget = budget)
  private_count(TRUE, mu = 4, budget = budget)
  expect_identical(budget$spent, 5)
  expect_error(private_count(TRUE, mu = 0.01, budget = budget), class = "dptda_error_budget")
  ten <- privacy_budget(mu = 1)
  for (i in 1:100) private_count(TRUE, mu = 0.1, budget = ten)
  expect_error(private_count(TRUE, mu = 0.001, budget = ten), class = "dptda_error_budget")
  # an adding ledger would refuse the second, and a forgetful one accept all
  lax <- privacy_budget(mu = 1)
  private_count(TRUE, rho = 0.32, budget = lax)
  expect_error(private_count(TRUE, mu = 0.61, budget = lax), class = "dptda_error_budget")
  private_count(TRUE, mu = 0.6, budget = lax)
})

test_that("a budget in mu takes what has a mu, and refuses the rest", {
  budget <- privacy_budget(mu = 3)
  private_count(TRUE, epsilon = 1, budget = budget)
  expect_equal(budget$spent, response_mu(1))
  expect_error(
    private_quantile(1:100, c(0, 100), 0.5, rho = 0.1, method = "exponential", budget = budget), "kept in mu"
  )
  private_quantile(1:100, c(0, 100), 0.5, mu = 0.1, method = "exponential", budget = budget)
  skip_if_not_installed("filelock")
  file <- withr::local_tempfile()
  kept <- privacy_budget(mu = 1, file = file)
  private_count(TRUE, mu = 0.1, budget = kept)
  expect_identical(privacy_budget(file = file)$spent, 0.1)
  expect_identical(privacy_budget(mu = 1, file = file)$total, 1)
})

# The cut of curves to short vectors of integers, with an oracle in exact integers of R.

# The same, one row at a time. Numbers stay below 2^53: w 2^20 is at most 2^40, and sums of squares at most 2^50.
slow_cut <- function(v, radius, bits) {
  most <- 2^bits
  w <- ifelse(is.finite(v) & v > 0, pmin(floor(pmin(v * (most / radius), most)), most), 0)
  s <- sum(w^2)
  r <- ceiling(sqrt(s))
  while (r^2 < s) r <- r + 1
  while (r > 0 && (r - 1)^2 >= s) r <- r - 1
  if (r > most) floor(w * most / r) else w
}

# Vectors of numbers at and beyond the edges of doubles, and of all lengths around the radius.
hostile_curves <- function(n, size, seed) {
  set.seed(seed)
  values <- c(NaN, NA, Inf, -Inf, 1e300, -1e300, .Machine$double.xmax, 5e-324, 2^-1060, -5e-324, 0, -0, 1, 1e-9,
              2^-20, 2^-20 * (1 - 2^-53), 1 + 2^-52, 1 - 2^-53)
  kind <- sample(5, n, replace = TRUE)
  V <- matrix(sample(values, n * size, replace = TRUE), n)
  free <- matrix(stats::rexp(n * size) * rep(10^stats::runif(n, -3, 3), size), n)
  V[kind > 2, ] <- free[kind > 2, ]
  # lengths within rounding of the radius, and a few large numbers among zeros
  at <- kind == 4
  near <- 1 + stats::runif(sum(at), -1, 1) * 2^-sample(20:52, sum(at), TRUE)
  V[at, ] <- V[at, , drop = FALSE] / sqrt(rowSums(V[at, , drop = FALSE]^2)) * near
  V[kind == 5, ] <- V[kind == 5, ] * (matrix(stats::runif(sum(kind == 5) * size), ncol = size) < .05)
  V
}

test_that("no vector of doubles becomes longer than the radius, or negative", {
  V <- hostile_curves(1e5, 64, seed = 1)
  for (radius in c(1, 0.3)) {
    W <- cut_curves(V, radius)
    expect_true(all(W >= 0 & W == floor(W)))
    expect_lte(max(rowSums(W^2)), 4^20)
    expect_gt(max(rowSums(W^2)), 4^20 * (1 - 1e-5)) # uses the radius
  }
  for (radius in 2^c(-900, 900)) {
    W <- cut_curves(V[1:2000, ], radius)
    expect_true(all(W >= 0 & W == floor(W)) && max(rowSums(W^2)) <= 4^20)
  }
})

test_that("the cut is that of the oracle, for every size and number of digits", {
  for (size in c(1, 2, 64, 100)) for (bits in c(1L, 7L, 20L)) {
    V <- rbind(hostile_curves(300, size, seed = size + bits), 0, 1, Inf)
    for (radius in c(1, 2^-900, 0.7, 1e5)) {
      expect_identical(cut_curves(V, radius, bits), t(matrix(apply(V, 1, slow_cut, radius, bits), size)))
    }
  }
  expect_identical(dim(cut_curves(matrix(double(), 0, 64), 1)), c(0L, 64L))
})

test_that("short vectors are rounded down, and long ones keep their direction", {
  set.seed(2)
  V <- matrix(stats::runif(64 * 50), 50)
  V <- V / sqrt(rowSums(V^2))
  expect_equal(cut_curves(V * 0.9, 1) / 2^20, V * 0.9, tolerance = 1e-5)
  expect_equal(cut_curves(V * 3, 1) / 2^20, V, tolerance = 1e-5)
  expect_identical(cut_curves(rbind(c(0.5, 0.75)), 1), rbind(c(0.5, 0.75) * 2^20)) # exactly on the lattice
  expect_identical(cut_curves(rbind(c(3, 4)), 5), rbind(floor(c(0.6, 0.8) * 2^20))) # exactly on the sphere
})

# ---- sensitivity -------------------------------------------------------------------------------------------------

life_of <- function(values) curve_betti(c(0, 1), dimension = 1, size = length(values))

# The statistic of one person with this curve.
statistic_of_curve <- function(plan, values) {
  cut <- cut_curves(rbind(values), plan$radius, plan$bits)
  squares <- plan$weight * floor(sum(cut^2) / 2^plan$bits)
  c(if (plan$kind == "laplace") as.vector(plan$map %*% t(cut)) else as.vector(cut), squares)
}

# The squared distance that the noise of a plan allows.
allowed_square <- function(plan) {
  most <- 2 * 4^plan$bits + 2^plan$bits
  if (plan$kind == "laplace") most * max(rowSums(abs(tcrossprod(plan$map)))) else most
}

test_that("the squares cost next to nothing, for all pairs of all small lattices", {
  for (bits in 1:3) for (size in 1:3) {
    B <- 2^bits
    W <- as.matrix(expand.grid(rep(list(0:B), size)))
    W <- W[rowSums(W^2) <= B^2, , drop = FALSE]
    moved <- as.matrix(stats::dist(W))^2 + outer(floor(rowSums(W^2) / B), floor(rowSums(W^2) / B), "-")^2
    expect_lte(max(moved), 2 * B^2 + B + 1e-9)
    if (size > 1) expect_gte(max(moved), 2 * B^2 - 1e-9)
  }
})

test_that("no neighbors are farther apart than the noise allows, and some are nearly so", {
  set.seed(5)
  for (smooth in c(3, 10, 16)) for (cost in list(list(epsilon = 1), list(rho = 0.1))) {
    made <- do.call(private_curve, c(list(unseen(1), life_of(1:64), radius = 1, smooth = smooth), cost))
    plan <- made$plan
    far <- 0
    for (trial in 1:700) {
      a <- b <- numeric(64)
      kind <- trial %% 4
      if (kind == 0) { # one block against its complement
        a[1:sample(63, 1)] <- 100
        b <- 100 - a
      } else if (kind == 1) { # disjoint supports
        of_a <- sample(c(TRUE, FALSE), 64, TRUE)
        a[of_a] <- stats::rexp(sum(of_a)) * 100
        b[!of_a] <- stats::rexp(sum(!of_a)) * 100
      } else if (kind == 2) { # a short curve against a long one
        a <- stats::runif(64) * 10^stats::runif(1, -6, 0)
        b <- 100 * stats::runif(64)^stats::runif(1, 0, 5)
      } else {
        a <- stats::rexp(64)^stats::runif(1, 0, 4)
        b <- rev(a) * stats::runif(1)
      }
      far <- max(far, sum((statistic_of_curve(plan, a) - statistic_of_curve(plan, b))^2) / allowed_square(plan))
    }
    expect_lte(far, 1)
    expect_gte(far, 0.95)
    expect_lte(allowed_square(plan) / (2 * 4^plan$bits) / if (plan$kind == "laplace") 4^12 else 1, 1.001)
  }
})

test_that("plans spend what they declare, for many sizes and numbers of people", {
  for (size in c(2, 3, 64, 1024)) for (n in c(1, 7, 1000, 2^20 + 1, 2^30)) {
    plan <- private_curve(unseen(n), life_of(seq_len(size)), radius = 0.1, epsilon = 0.3)$plan
    expect_gte(plan$scale^2 * 0.3^2, allowed_square(plan) * (1 - 1e-12))
    expect_lte(plan$scale^2 * 0.3^2, allowed_square(plan) * (1 + 1e-12))
    expect_lte(plan$weight^2, max(rowSums(abs(tcrossprod(plan$map)))))
    # sums stay exact
    expect_lte(max(sqrt(rowSums(plan$map^2)), plan$weight) * n * 2^plan$bits, 2^53)
    expect_gte(plan$bits, 10)
    gaussian <- private_curve(unseen(n), life_of(seq_len(size)), radius = 0.1, rho = 0.3)$plan
    expect_gte(gaussian$scale^2 * 2 * 0.3, allowed_square(gaussian) * (1 - 1e-12))
    expect_lte(gaussian$scale^2 * 2 * 0.3, allowed_square(gaussian) * (1 + 1e-6))
  }
})

# ---- the release -------------------------------------------------------------------------------------------------

one_loop <- function(birth = 0.2, death = 0.9) persistence_diagram(1, birth, death)
loops <- function(n) lapply(seq_len(n), function(i) one_loop(stats::runif(1, 0.1, 0.3), stats::runif(1, 0.7, 1)))
tent <- curve_landscape(c(0, 1.2), dimension = 1)

test_that("without noise, the release is the smoothed mean of the cut curves", {
  set.seed(6)
  diagrams <- loops(40)
  V <- curve_values(diagrams, tent) / 8
  for (radius in c(0.08, 1)) for (cost in list(list(epsilon = 1e6), list(rho = 1e10))) {
    release <- do.call(private_curve, c(list(diagrams, tent, radius = radius, smooth = 64, rng = "R"), cost))
    short <- V * pmin(1, radius / sqrt(rowSums(V^2)))
    expect_equal(release$value, colMeans(short) * 8, tolerance = 1e-4)
    expect_equal(release$square, mean(rowSums(short^2)), tolerance = 1e-4)
    smooth <- do.call(private_curve, c(list(diagrams, tent, radius = radius, smooth = 5, rng = "R"), cost))
    waves <- qr.Q(qr(outer((1:64 - 0.5) / 64, 0:4, function(t, j) cos(pi * j * t))))
    expect_equal(smooth$value, as.vector(waves %*% crossprod(waves, colMeans(short))) * 8, tolerance = 2e-3)
    expect_equal(smooth$coefficients, as.vector(crossprod(abs(waves) * sign(t(cosine_map(64, 5))), colMeans(short))),
                 tolerance = 2e-3)
  }
})

test_that("what is not a diagram is a person with the curve zero, without a word", {
  bad <- list(NULL, NA, "text", list(), function() 1, persistence_diagram(), persistence_diagram(0, 0, 1),
              data.frame(dimension = 1, birth = NaN, death = Inf), data.frame(dimension = 1, birth = "a", death = 2),
              matrix(1:4, 2), data.frame(a = 1), one_loop(5, 7))
  plan <- private_curve(unseen(2), tent, radius = 0.1, epsilon = 1)$plan
  zero <- statistic_of(plan, rows_for(plan, list(one_loop(), persistence_diagram())))
  for (x in bad) {
    expect_silent(found <- statistic_of(plan, rows_for(plan, list(one_loop(), x))))
    expect_identical(found, zero)
  }
  for (x in bad) expect_s3_class(private_curve(list(one_loop(), x), tent, radius = 0.1, epsilon = 1, smooth = 3),
                                 "dptda_private_curve")
})

test_that("diagrams of rows are functions of one person's rows alone", {
  noisy <- function(own) one_loop(stats::runif(1, 0, 0.3) + mean(own$z) / 100, 0.9)
  table <- data.frame(z = 1:12, id = rep(c("a", "b", "c"), 4))
  curves <- function(table, each = noisy) {
    rows <- table_rows(table, person = "id")
    lapply(diagrams_of_rows(rows, each), as.data.frame)
  }
  first <- curves(table)
  # other rows of a move b and c in the order of people
  moved <- rbind(table[table$id != "a", ], data.frame(z = 50, id = "a"))
  expect_identical(unname(curves(moved)[1:2]), unname(first[2:3]))
  # neither row names nor levels of factors
  table$f <- factor(letters[1:12], letters[12:1])
  seen <- list()
  curves(table, function(own) seen[[length(seen) + 1]] <<- own)
  expect_identical(seen[[2]], data.frame(z = c(2L, 5L, 8L, 11L), f = c("b", "e", "h", "k")))
  expect_identical(class(seen[[2]]), "data.frame")
})

test_that("errors, warnings, and random numbers of one person's function do not escape", {
  table <- data.frame(z = 1:6, id = rep(c("a", "b", "c"), 2))
  rows <- table_rows(table, person = "id")
  odd <- function(own) {
    # no error, and no handler of errors gets it
    if (own$z[1] == 2) stop(structure(class = c("custom", "condition"), list(message = "secret", call = NULL)))
    one_loop()
  }
  expect_silent(private_curve(rows, tent, radius = 0.1, epsilon = 1, each = odd))
  expect_identical(lengths(diagrams_of_rows(rows, odd), use.names = FALSE)[2], 0L)
  release <- function(each) private_curve(rows, tent, radius = 0.1, epsilon = 1, each = each)
  wild <- function(own) {
    if (own$z[1] == 1) stop("secret")
    if (own$z[1] == 2) {
      RNGkind("Wichmann-Hill")
      warning("secret")
      message("secret")
    }
    one_loop(stats::runif(1, 0, 0.1))
  }
  set.seed(8)
  before <- .Random.seed
  kinds <- RNGkind()
  expect_silent(release(wild))
  expect_identical(.Random.seed, before)
  expect_identical(RNGkind(), kinds)
  found <- diagrams_of_rows(rows, wild)
  expect_null(found[[1]])
  # the same random numbers as for the first person, after another kind of them
  expect_identical(found[[3]], diagrams_of_rows(rows, function(own) one_loop(stats::runif(1, 0, 0.1)))[[1]])
  withr::local_options(warn = 2)
  expect_silent(release(wild))
  # without a state before, there is none after
  rm(.Random.seed, envir = globalenv())
  diagrams_of_rows(rows, wild)
  expect_false(exists(".Random.seed", globalenv(), inherits = FALSE))
  expect_identical(RNGkind(), kinds)
  set.seed(1)
})

test_that("no condition, jump, bar, or last error of one person's function is seen", {
  table <- data.frame(z = 1:3)
  rows <- table_rows(table, person = 1:3)
  custom <- function(...) structure(class = c(..., "condition"), list(message = "secret", call = NULL))
  draw <- function(own) one_loop(stats::runif(1, 0, 0.1))
  expected <- diagrams_of_rows(rows, draw)
  # what person 2 does first, and whether the curve is zero
  seen <- function(act, zero = FALSE, told = "no error") {
    each <- function(own) {
      if (own$z == 2) act()
      draw(own)
    }
    expect_silent(found <- withRestarts(diagrams_of_rows(rows, each), abort = function() "jumped"))
    if (zero) expected[2] <- list(NULL)
    expect_identical(found, expected)
    expect_match(geterrmessage(), told)
  }
  seen(function() warning(custom("other")))
  seen(function() message(custom("other")))
  seen(function() message(custom("warning")))
  seen(function() warning(custom("message")))
  seen(function() tryCatch(warning("secret"), warning = message))
  seen(function() withCallingHandlers(warning("secret"), warning = function(w) message(custom("other"))))
  seen(function() signalCondition(custom("other")))
  seen(function() withCallingHandlers(warning("secret"), warning = stop), zero = TRUE)
  seen(function() stop(custom("message")), zero = TRUE)
  seen(function() invokeRestart("abort"), zero = TRUE)
  seen(function() stop("secret"), zero = TRUE)
  seen(function() try(stop("secret"), silent = TRUE))
  # of a package that limits the time of one call
  late <- structure(class = c("TimeoutException", "Exception", "simpleError", "error", "condition"),
                    list(message = "reached elapsed time limit", call = NULL))
  seen(function() stop(late), zero = TRUE)
  bars <- 0
  withr::local_options(dptda.progress = function(fraction) bars <<- bars + 1)
  seen(function() kernel_progress("Rows")(0.5), zero = TRUE)
  expect_identical(bars, 0)
  # a release within a handler does not use restarts of its caller
  outer <- withCallingHandlers({
    warning("mine")
    "ended"
  }, warning = function(w) {
    seen(function() signalCondition(custom("other")))
    tryInvokeRestart("muffleWarning")
  })
  expect_identical(outer, "ended")
})

test_that("methods of one person's diagram are heard no more than its function", {
  registerS3method("dim", "dptda_test_dim", function(x) stop(structure(class = c("custom", "condition"),
                                                                      list(message = "rows", call = NULL))), baseenv())
  odd <- structure(1:3, class = "dptda_test_dim")
  expect_silent(values <- withRestarts(curve_values(list(odd, one_loop()), tent, lenient = TRUE),
                                       abort = function() "jumped"))
  expect_identical(values, curve_values(list(NULL, one_loop()), tent, lenient = TRUE))
})

test_that("a limit on time stops the release, and no column has methods or facts about other people", {
  table <- data.frame(z = c(0, 0, 3), id = c("a", "b", "c"))
  slow <- function(own) {
    end <- Sys.time() + own$z
    while (Sys.time() < end) Sys.sleep(0.01)
    one_loop()
  }
  limited <- function() {
    setTimeLimit(elapsed = 0.5, transient = TRUE)
    on.exit(setTimeLimit())
    private_curve(table_rows(table, person = "id"), tent, radius = 0.1, epsilon = 1, each = slow)
  }
  expect_error(limited(), "time limit")
  registerS3method("[", "dptda_test_column", function(x, i) {
    if (3 %in% i) stop("secret")
    structure(unclass(x)[i], class = "dptda_test_column", mean = attr(x, "mean"))
  }, baseenv())
  table$z <- structure(1:3, class = "dptda_test_column", mean = 2)
  table$day <- structure(as.Date("2026-01-01") + 1:3, class = c("dptda_test_column", "Date"), mean = 2)
  table$time <- structure(.POSIXct(c(a = 1, b = 2, c = 3), "UTC"), mean = 2)
  table$wait <- structure(as.difftime(1:3, units = "hours"), mean = 2)
  table$large <- structure(1:3 * 5e-324, class = "integer64")
  table$f <- structure(factor(letters[1:3]), class = c("dptda_test_column", "factor"))
  registerS3method("as.character", "dptda_test_column", function(x, ...) stop("secret"), baseenv())
  seen <- list()
  rows <- structure(list(data = unclass(table)[-2], owner = c(1, 1, 2), columns = names(table)[-2]), class = "list")
  expect_silent(diagrams_of_rows(rows, function(own) seen[[length(seen) + 1]] <<- own))
  expected <- data.frame(z = 3L, day = as.Date("2026-01-04"), time = .POSIXct(3, "UTC"),
                         wait = as.difftime(3L, units = "hours"))
  expected$large <- structure(3 * 5e-324, class = "integer64")
  expected$f <- "c"
  expect_identical(seen[[2]], expected)
})

test_that("people without rows, and the order of people, change nothing but the number", {
  table <- data.frame(z = 1:6, id = rep(c("a", "b", "c"), 2))
  each <- function(own) one_loop(own$z[1] / 100)
  statistic <- function(table, people = NULL) {
    rows <- table_rows(table, person = "id", people = people)
    made <- private_curve(unseen(4, person = "id", complete = is.null(people)), tent, radius = 0.1, epsilon = 1,
                          each = each)
    statistic_of(made$plan, read_own_diagrams(rows, each))
  }
  expect_identical(statistic(table), statistic(table, people = 4))
  expect_identical(statistic(table), statistic(table[c(3, 6, 2, 5, 1, 4), ]))
  release <- private_curve(table_rows(table, person = "id", people = 4), tent, radius = 0.1, epsilon = 1, each = each)
  expect_identical(release$n, 4)
  expect_identical(privacy(release)$relation, relation_person)
  none <- table_rows(table[0, ], person = "id", people = 3)
  expect_length(private_curve(none, tent, radius = 0.1, epsilon = 1, each = each)$value, 64)
})

test_that("the guarantee names the unit, and a budget for rows is charged", {
  budget <- privacy_budget(epsilon = 1)
  release <- private_curve(loops(5), tent, radius = 0.1, epsilon = 1, budget = budget, smooth = 3)
  expect_match(format(privacy(release))[1], "for one person (one diagram; replace one row, n public)", fixed = TRUE)
  expect_identical(budget$ledger$value, 1)
  expect_identical(privacy(release)$unit, "one row")
  for (cost in list(list(rho = 0.1), list(mu = 0.5), list(epsilon = 1, delta = 1e-7))) {
    release <- do.call(private_curve, c(list(loops(5), tent, radius = 0.1), cost))
    expect_identical(privacy(release)$measure, unlist(cost))
  }
})

# ---- bands -------------------------------------------------------------------------------------------------------

# 10,000 draws: the standard error is 0.0022, and with that of the 20,000 draws of the band 0.0027.
test_that("levels near 1 have wider bands, from more draws", {
  release <- private_curve(loops(200), tent, radius = 0.1, epsilon = 1, smooth = 3)
  wide <- function(level) confint(release, level = level)[1, 2] - release$value[1]
  # the draw that is exceeded by 100, within 4 standard errors of the same quantile of other draws
  far <- curve_noise_band(release$noise, 64, 3, 0.9995)
  expect_gt(wide(0.9999), far)
  expect_error(confint(release, level = 0.99999), "`level`", class = "dptda_error_argument")
})

test_that("the band for the noise covers 0.94 to 0.96 of releases", {
  skip_if_instrumented()
  set.seed(9)
  diagrams <- loops(50)
  for (cost in list(list(epsilon = 1), list(rho = 0.05))) for (smooth in c(3, 8)) {
    made <- do.call(private_curve, c(list(unseen(50), tent, radius = 0.2, smooth = smooth), cost))
    statistic <- statistic_of(made$plan, rows_for(made$plan, diagrams))
    exact <- result_of(made$plan, statistic)$value
    drawn <- draws_of(made$plan, statistic, long_or(10000, 2000), "R")
    off <- curve_noise_band(shown_curve_noise(made$plan), 64, smooth, 0.95)
    covered <- apply(drawn, 1, function(one) max(abs(result_of(made$plan, one)$value - exact)) <= off)
    expect_gte(mean(covered), long_or(0.94, 0.93))
    expect_lte(mean(covered), long_or(0.96, 0.97))
  }
})

test_that("intervals for the population are wider, and hold for the mean of the cut, smoothed curves", {
  set.seed(10)
  all <- loops(4000)
  made <- private_curve(unseen(200), tent, radius = 0.2, epsilon = 2)
  whole <- private_curve(unseen(4000), tent, radius = 0.2, epsilon = 2, smooth = made$plan$smooth)$plan
  truth <- result_of(whole, statistic_of(whole, rows_for(whole, all)))$value
  held <- replicate(long_or(200, 40), {
    release <- private_curve(all[sample.int(4000, 200)], tent, radius = 0.2, epsilon = 2, rng = "R")
    inner <- confint(release)
    outer <- confint(release, of = "population")
    expect_true(all(outer[, 1] < inner[, 1] & outer[, 2] > inner[, 2]))
    all(outer[, 1] <= truth & truth <= outer[, 2])
  })
  expect_gte(mean(held), long_or(0.9, 0.82)) # 0.95 would be below with probability 0.002
  one <- private_curve(loops(1), tent, radius = 0.2, epsilon = 2, smooth = 3)
  expect_error(confint(one, of = "population"), "one person", class = "dptda_error_argument")
  expect_identical(dim(confint(one)), c(64L, 2L))
})

# ---- radius, words, and bad input --------------------------------------------------------------------------------

test_that("the radius is a quantile of public lengths, for every form of the cost", {
  set.seed(11)
  diagrams <- loops(60)
  lengths <- sqrt(rowMeans(curve_values(diagrams, tent)^2))
  expect_equal(curve_radius(diagrams, tent, n = 196, epsilon = 1), unname(stats::quantile(lengths, 0.9)))
  expect_equal(curve_radius(diagrams, tent, n = 49, epsilon = 1), unname(stats::quantile(lengths, 0.8)))
  expect_gte(curve_radius(diagrams, tent, n = 1, epsilon = 0.01), unname(stats::quantile(lengths, 0.5)))
  # the epsilon with noise of the same size
  for (mu in c(0.01, 0.2, 3)) {
    epsilon <- epsilon_of_size(200, check_cost(NULL, NULL, mu = mu))
    m <- smooth_rule(200 * epsilon)
    expect_equal(2 * m * (m + 1) / epsilon^2, 2 * m / mu^2, tolerance = 1e-4)
  }
  expect_equal(curve_radius(one_loop(), tent, n = 100, mu = 1), lengths_of_one <- sqrt(mean(curve_values(
    list(one_loop()), tent)^2)))
  expect_error(curve_radius(list(persistence_diagram()), tent, n = 100, epsilon = 1), "not zero",
               class = "dptda_error_argument")
})

test_that("public numbers predict a weak release, and bad input is refused before anything is spent", {
  expect_match(privacy_price(private_curve(unseen(5), tent, radius = 0.1, epsilon = 0.1))$weak, "5 rows")
  expect_null(privacy_price(private_curve(unseen(500), tent, radius = 0.1, epsilon = 1))$weak)
  refused <- function(..., what) {
    budget <- privacy_budget(epsilon = 10)
    arguments <- list(x = loops(3), curve = tent, radius = 0.1, epsilon = 1, budget = budget)
    arguments[...names()] <- list(...)
    expect_error(do.call(private_curve, arguments), what, class = "dptda_error_argument")
    expect_identical(nrow(budget$ledger), 0L)
  }
  refused(curve = 1, what = "`curve`")
  refused(curve = curve_betti(c(0, 1), 1, size = 2000), what = "1,024 values")
  refused(radius = 0, what = "`radius`")
  refused(radius = 1e300, what = "2\\^400")
  refused(smooth = 65, what = "`smooth`")
  refused(each = 1, what = "`each`")
  refused(each = identity, what = "must be NULL without table_rows")
  refused(x = list(), what = "`x`")
  refused(x = 1, what = "`x`")
  table <- data.frame(z = 1:6, id = rep(c("a", "b", "c"), 2))
  refused(x = table_rows(table), each = identity, what = "with `person`")
  refused(x = table_rows(table, person = "id"), what = "must be given with table_rows")
  refused(x = table_rows(table, person = "id", rows_of_person = "one"), each = identity, what = "rows_of_person")
  refused(x = table_rows(table, person = "id", missing = "omit"), each = identity, what = "omit")
  expect_error(private_curve(unseen(2^31), tent, radius = 1, epsilon = 1), "2\\^30", class = "dptda_error_argument")
  expect_error(private_curve(unseen(5), tent, radius = 1, epsilon = 1e-60), "epsilon", class = "dptda_error_argument")
})

test_that("a release is printed, drawn, and tabulated", {
  set.seed(12)
  release <- private_curve(loops(300), tent, radius = 0.15, epsilon = 1, rng = "R")
  shown <- print_in_one_line(release)
  expect_match(shown, "<private curve> mean landscape of level 1, dimension 1 of 300 diagrams: 64 values from 0 to 1.2")
  expect_match(shown, "largest value: 0.[0-9]+ at level 0.[0-9]+ noise: within 0.[0-9]+ at all levels \\(95%\\)")
  frame <- as.data.frame(release)
  expect_named(frame, c("grid", "value", "lower", "upper"))
  expect_true(all(frame$lower < frame$value & frame$value < frame$upper))
  expect_true("band: noise (95%)" %in% drawn_text(plot(release)))
  expect_true("bands: noise, and population (95%)" %in% drawn_text(plot(release, of = "population")))
  expect_identical(as.double(release), release$value)
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(release, of = "population"), "ggplot")
})

# the spread of a row with z of w steps, without its last binary digits
spread_of_steps <- function(z, w, dropped = 0) floor(z * (w - z) / 2^dropped)

side <- function(w) domain_box(c(x = 0), w)

# The statistic of rows of one column, whose box has w steps of 1.
moments_of_rows <- function(plan, x) statistic_of(plan, rows_for(plan, x))

test_that("sums and spreads together cost what sums alone cost, for all pairs of lattice points", {
  for (w in c(1:9, 15:17, 31:33, 63:64)) for (dropped in c(0, 1, 3)) {
    z <- 0:w
    u <- spread_of_steps(z, w, dropped)
    steps <- abs(outer(z, z, "-"))
    spreads <- abs(outer(u, u, "-")) * 2^dropped
    # Laplace: the scales w / epsilon and w^2 / epsilon, in integers
    cost <- w * steps + spreads
    expect_lte(max(cost), w^2)
    # w (w - 1) / epsilon is enough on this lattice, and a scale one step smaller is found
    if (dropped == 0 && w > 2) expect_gt(max(steps / w + spreads / (w^2 - w - 1)), 1 + 1e-9)
    # Gaussian: 5/8 in units of half the side
    expect_lte(max(25 * w^2 * steps^2 + 256 * spreads^2), 25 * w^4)
  }
  # the constant 5/8 cannot be 0.59
  z <- 0:64
  change <- abs(outer(z * (64 - z), z * (64 - z), "-"))
  expect_gt(max(outer(z, z, "-")^2 / 64^2 + change^2 / (64^2 * 0.59 / 2)^2), 1)
})

test_that("a row of a group costs the same with its spread, for all lattice points", {
  for (w in c(1:9, 31:33, 64)) for (dropped in c(0, 1, 3)) {
    z <- 0:w
    q <- abs(2 * z - w)
    u <- 2^dropped * spread_of_steps(z, w, dropped)
    expect_identical(max(w * q + 2 * u), w^2 + 0)
    expect_identical(max(w^2 * q^2 + 16 * u^2), w^4 + 0)
    if (w > 2 && dropped == 0) expect_gt(max(q / w + 2 * u / (w^2 - w - 1)), 1 + 1e-9)
  }
})

# The largest cost of a pair of `rows`, by the scales of the plan.
most_spent <- function(mechanism, rows) {
  plan <- mechanism$plan
  seen <- do.call(rbind, lapply(rows, function(x) moments_of_rows(plan, x)))
  scale <- rep_len(plan$noise$scale, ncol(seen))
  used <- scale > 0 & apply(seen, 2, function(x) max(x) > min(x))
  scaled <- sweep(seen[, used, drop = FALSE], 2, scale[used], "/")
  laplace <- plan$noise$kind == "laplace"
  far <- as.matrix(stats::dist(scaled, if (laplace) "manhattan" else "euclidean"))
  max(if (laplace) far else far^2 / 2)
}

test_that("releases spend what they declare, on all rows of a small lattice", {
  for (bits in 3:6) {
    w <- 2^bits
    for (cost in list(list(epsilon = 0.7), list(rho = 0.3))) {
      made <- function(n, ...) do.call(private_mean, c(list(n, side(w), bits = bits, columns = "x"), list(...), cost))
      each <- made(unseen(2))
      rows <- lapply(0:w, function(z) data.frame(x = c(z, 1)))
      expect_identical(each$plan$lattice$last - each$plan$lattice$first, w)
      expect_lte(most_spent(each, rows), cost[[1]] * (1 + 1e-12))
      expect_gt(most_spent(each, rows), cost[[1]] * (1 - 1e-6))
      # a scale that is too small is found
      less <- each
      less$plan$noise$scale[2] <- 0.8 * less$plan$noise$scale[2]
      if (names(cost) == "epsilon") expect_gt(most_spent(less, rows), cost[[1]] * (1 + 1e-3))
      by <- made(unseen(2), by = list(g = c("a", "b")))
      grouped <- unlist(lapply(0:w, function(z) {
        lapply(c("a", "b"), function(g) data.frame(x = c(z, 1), g = c(g, "a")))
      }), FALSE)
      expect_lte(most_spent(by, grouped), cost[[1]] * (1 + 1e-9))
      expect_gt(most_spent(by, grouped), cost[[1]] * (1 - 1e-4))
      omitted <- made(unseen(2, missing = "omit"))
      gaps <- lapply(c(0:w, NA), function(z) table_rows(data.frame(x = c(z, 1)), missing = "omit"))
      expect_lte(most_spent(omitted, gaps), cost[[1]] * (1 + 1e-9))
    }
  }
})

test_that("people with any rows spend what is declared", {
  set.seed(4701)
  box <- domain_box(c(x = 0, y = 0), c(8, 8))
  person <- function(m) {
    corner <- sample(3, 1)
    x <- matrix(if (corner == 1) sample(0:8, 2 * m, TRUE) else sample(c(0, 8), 2 * m, TRUE), m)
    data.frame(x = x[, 1], y = if (corner == 3) x[, 1] else x[, 2], g = sample(c("a", "b", "c"), m, TRUE))
  }
  visits <- function(m) {
    one <- rbind(person(m), data.frame(x = 1, y = 1, g = "a"))
    one$who <- rep(1:2, c(m, 1))
    one
  }
  tables <- lapply(rep(c(1, 2, 3, 7, 1500), each = 12), visits)
  tables <- c(tables, lapply(c(0, 8, 1), function(z) data.frame(x = c(z, 1), y = c(z, 1), g = c("b", "a"), who = 1:2)))
  for (cost in list(list(epsilon = 0.7), list(rho = 0.3))) for (by in list(NULL, list(g = c("a", "b")))) {
    units <- unseen(2, person = "who")
    mechanism <- do.call(private_mean, c(list(units, box, bits = 3, columns = c("x", "y"), by = by), cost))
    rows <- lapply(tables, function(x) table_rows(x, c("x", "y", if (!is.null(by)) "g"), person = "who"))
    expect_lte(most_spent(mechanism, rows), cost[[1]] * (1 + 1e-9))
    expect_gt(most_spent(mechanism, rows), 0.5 * cost[[1]])
  }
})

test_that("the noise and the draws of a mean do not change", {
  x <- cbind(stats::runif(40), stats::runif(40))
  box <- domain_box(c(0, 0), c(1, 3))
  for (cost in list(list(epsilon = 0.5), list(rho = 0.2), list(mu = 0.4))) {
    draw <- function(release) {
      set.seed(4702)
      do.call(release, c(list(x, box, rng = "R"), cost))
    }
    mean <- draw(private_mean)
    sum <- draw(private_sum)
    expect_identical(mean$noise$scale, sum$noise$scale)
    expect_equal(mean$value * 40, sum$value)
    expect_identical(privacy(mean)$ledger$value, privacy(sum)$ledger$value)
  }
})

test_that("no setting of a mean is refused because of its second moment", {
  refused <- function(release, n, bits, cost) {
    tryCatch({
      do.call(release, c(list(n, domain_box(0, 1), bits = bits), cost))
      FALSE
    }, dptda_error_argument = function(cnd) TRUE)
  }
  for (n in list(1, 1000, 2^28, 2^40, 2^51, unseen(1000, person = "who"), unseen(2^30, person = "who"))) {
    for (bits in c(1, 2, 11, 20, 24)) {
      for (cost in list(list(epsilon = 1e-9), list(epsilon = 1e-5), list(epsilon = 1), list(epsilon = 1e6),
                        list(rho = 1e-14), list(rho = 1e-6), list(rho = 1))) {
        suppressWarnings(expect_identical(refused(private_mean, n, bits, cost), refused(private_sum, n, bits, cost)))
      }
    }
  }
})

# Spreads of people, slowly: the mean of a person's steps in a cell, rounded toward the nearer end.
slow_spreads <- function(z, w, weight, who, cell, cells, dropped) {
  vapply(cells, function(g) {
    sum(vapply(unique(who), function(i) {
      mine <- who == i & cell == g
      count <- sum(weight[mine])
      if (count == 0) return(0)
      near <- floor(min(sum(weight[mine] * z[mine]), sum(weight[mine] * (w - z[mine]))) / count)
      count * spread_of_steps(near, w, dropped)
    }, 0))
  }, 0)
}

# `table_of`: places rows in a database, or in memory.
spreads_agree <- function(table_of) {
  set.seed(4703)
  frame <- data.frame(x = stats::rnorm(90, 5, 4), y = stats::runif(90), g = sample(1:3, 90, TRUE),
                      who = sample(20, 90, TRUE))
  lattice <- public_lattice(domain_box(c(0, 0), c(10, 1)), 10)
  steps <- lattice_steps(as.matrix(frame[1:2]), lattice)
  most <- lattice$last - lattice$first
  groups <- cell_table(list(axis_levels(c(1, 2))), 3)
  cell <- ifelse(frame$g == 3, 3, frame$g)
  table <- table_of(frame)
  for (dropped in list(c(0, 0), c(3, 9))) for (person in list(NULL, "who")) {
    lattice$dropped <- dropped
    rows <- weigh_rows(table_rows(table, c("x", "y", "g"), person = person), 64)
    weight <- rep(1, 90)
    who <- seq_len(90)
    if (!is.null(person)) {
      who <- frame$who
      weight <- weigh_rows(table_rows(frame, c("x", "y", "g"), person = person), 64)$weight
    }
    one <- count_and_sum(rows, lattice, 1:2, cell_table(list()))
    by <- count_and_sum(rows, lattice, 1:2, groups)
    for (j in 1:2) {
      slow <- function(cell, cells) slow_spreads(steps[, j], most[j], weight, who, cell, cells, dropped[j])
      expect_equal(one$spreads[, j], slow(rep(1, 90), 1))
      expect_equal(by$spreads[, j], slow(cell, 1:3))
      expect_equal(by$sums[, j], vapply(1:3, function(g) sum((weight * steps[, j])[cell == g]), 0))
    }
  }
}

test_that("spreads are those of a slow version", {
  spreads_agree(identity)
})

test_that("spreads are those of a slow version: sqlite", {
  con <- local_sqlite()
  spreads_agree(function(frame) {
    DBI::dbWriteTable(con, "people", frame)
    dplyr::tbl(con, "people")
  })
})

test_that("spreads are those of a slow version: postgres", {
  con <- local_postgres()
  spreads_agree(function(frame) {
    DBI::dbWriteTable(con, "people", frame)
    dplyr::tbl(con, "people")
  })
})

test_that("the standard deviation is that of the rows, or of people's means", {
  set.seed(4704)
  x <- cbind(a = stats::rnorm(5000, 3), b = stats::rexp(5000))
  box <- domain_box(c(-10, 0), c(10, 20))
  expect_equal(private_mean(x, box, epsilon = 1e4)$sd, apply(x, 2, stats::sd), tolerance = 0.01)
  expect_equal(private_mean(x, box, rho = 1e6)$sd, apply(x, 2, stats::sd), tolerance = 0.01)
  frame <- data.frame(x = x[, 1], who = rep(1:1000, each = 5))
  means <- private_mean(table_rows(frame, "x", person = "who"), c(-10, 10), epsilon = 1e4)
  expect_equal(as.vector(means$sd), stats::sd(tapply(frame$x, frame$who, mean)), tolerance = 0.01)
  frame$g <- rep(c("a", "b"), c(2000, 3000))
  by <- private_mean(frame[c("x", "g")], c(-10, 10), epsilon = 1e4, by = list(g = c("a", "b")))
  expect_equal(by$sd[1:2], as.vector(tapply(frame$x, frame$g, stats::sd)), tolerance = 0.01)
  # rows that are all equal, and a box with one point
  expect_lt(private_mean(rep(1, 100), c(0, 3), epsilon = 1e6)$sd, 0.01)
  expect_identical(as.vector(private_mean(c(1, 1), domain_box(1 - 2^-53, 1), 1, bits = 1)$sd), 0)
})

test_that("half widths are quantiles of a normal variable plus noise", {
  tail_of <- function(x, sd, a, b) {
    laplace <- function(y, s) 1 - (y < 0) * exp(-abs(y) / s) / 2 - (y >= 0) * (1 - exp(-abs(y) / s) / 2)
    one <- function(x) {
      stats::integrate(function(u) laplace(x - u, a) * stats::dnorm(u, 0, sd), -9 * sd, 9 * sd, rel.tol = 1e-9)$value
    }
    if (b == 0) return(one(x))
    stats::integrate(function(v) vapply(v, function(v) one(x - v), 0) * exp(-abs(v) / b) / (2 * b), -30 * b, 30 * b,
                     rel.tol = 1e-7, subdivisions = 500)$value
  }
  for (case in list(c(1, 1, 0), c(1, 0.05, 0), c(0.1, 1, 0), c(1, 0.5, 0.3), c(0.3, 1, 1), c(2, 0.1, 1))) {
    for (level in c(0.5, 0.95, 0.99)) {
      half <- mixed_half_width("laplace", case[1], case[2], case[3], level)
      expect_equal(tail_of(half, case[1], case[2], case[3]) / ((1 - level) / 2), 1, tolerance = 0.03)
    }
  }
  expect_equal(mixed_half_width("laplace", 1, 1e-9, 0, 0.95), stats::qnorm(0.975), tolerance = 1e-4)
  expect_equal(mixed_half_width("laplace", 0, 1, 0, 0.95), -log(0.05), tolerance = 1e-4)
  expect_equal(mixed_half_width("gaussian", 3, 4, 0, 0.95), 5 * stats::qnorm(0.975))
})

test_that("intervals contain the population, and without a second moment they are wider", {
  # coverage of 400 or 150 runs at 95%: false alarm 1e-5, with a fixed seed
  set.seed(4705)
  inside <- function(release, truth) {
    ends <- population_ends(release, 0.95)
    ends[, 1] <= truth & truth <= ends[, 2]
  }
  box <- c(-10, 10)
  for (cost in list(list(epsilon = 1), list(rho = 0.1))) {
    runs <- replicate(400, inside(do.call(private_mean, c(list(stats::rnorm(300, 1), box, rng = "R"), cost)), 1))
    expect_gt(mean(runs), stats::qbinom(1e-5, 400, 0.95) / 400)
    by <- replicate(150, {
      frame <- data.frame(x = stats::rnorm(600, 1), g = rep(c("a", "b"), c(200, 400)))
      inside(do.call(private_mean, c(list(frame, box, by = list(g = c("a", "b")), rng = "R"), cost)), 1)[1:2]
    })
    expect_gt(min(rowMeans(by)), stats::qbinom(1e-5, 150, 0.95) / 150)
  }
  release <- private_mean(stats::rnorm(300), box, epsilon = 1)
  mechanism <- private_mean(unseen(300), box, epsilon = 1)
  mechanism$plan$lattice$dropped <- NULL
  before <- attach_guarantee(result_of(mechanism$plan, 300 * 2^18), mechanism$guarantee)
  expect_gt(diff(population_ends(before, 0.95)[1, ]), 3 * diff(population_ends(release, 0.95)[1, ]))
  expect_null(population_ends(private_mean(1, box, epsilon = 1), 0.95))
})

# Draws of the standard deviation of `x` in a box from -1 to 1: of all rows, or of a group with these rows.
drawn_deviations <- function(x, cost, by, runs) {
  rows <- data.frame(x, g = 1)
  made <- function(n, ...) do.call(private_mean, c(list(n, domain_box(c(x = -1), 1), columns = "x"), list(...), cost))
  if (!by) {
    plan <- made(unseen(length(x)))$plan
    drawn <- draws_of(plan, moments_of_rows(plan, rows["x"]), runs, "R")
    result <- result_of(plan, drawn[1, ])
    moments <- attr(result, "moments")[rep(1, runs), ]
    moments[, "square"] <- 1 - 4 * 2^plan$lattice$dropped / 2^40 / length(x) * drawn[, 2]
    value <- plan$unit * (drawn[, 1] + length(x) * plan$lattice$first)
    found <- noisy_deviation(value, moments, result$noise, length(x))
    expect_equal(found[[1]], attr(result, "sd")[[1]])
    return(found)
  }
  plan <- made(unseen(length(x)), by = list(g = 1))$plan
  drawn <- draws_of(plan, moments_of_rows(plan, rows), runs, "R")[, c(1, 3, 5)]
  parts <- attr(result_of(plan, drawn[1, c(1, 1, 2, 2, 3, 3)]), "parts")
  parts[c("counts", "sums")] <- list(drawn[, 1, drop = FALSE], drawn[, 2, drop = FALSE])
  parts$moments$spreads <- drawn[, 3, drop = FALSE]
  group_deviations(parts)
}

test_that("a standard deviation that is shown is right within a factor of 1.5, with probability 0.95", {
  # the largest probability is 0.048, and 10,000 runs exceed 0.057 with probability 1e-5
  set.seed(4706)
  for (by in c(FALSE, TRUE)) for (cost in list(list(epsilon = 1), list(rho = 0.1))) for (at in c(0, -0.8)) {
    for (s in c(0.01, 0.05, 0.1, 0.15, 0.2)) {
      x <- at + s * rep(c(-1, 1), 200)
      found <- drawn_deviations(x, cost, by, 10000)
      truth <- stats::sd(x)
      expect_lt(mean(found > 0 & (found > 1.5 * truth | found < truth / 1.5)), 0.057)
    }
  }
  # most are shown if noise is small, and none of one row
  expect_gt(mean(drawn_deviations(rep(c(-0.2, 0.2), 200), list(epsilon = 2), FALSE, 1000) > 0), 0.95)
  expect_identical(as.vector(suppressWarnings(private_mean(5, c(0, 10), epsilon = 100))$sd), 0)
})

test_that("groups print the standard deviations that noise leaves, in their units", {
  set.seed(4707)
  frame <- data.frame(d = as.Date("2020-01-01") + sample(200, 400, TRUE), g = factor(rep(c("u", "v"), 200)))
  box <- domain_box(c(d = as.Date("2020-01-01")), as.Date("2020-12-31"))
  by <- private_mean(frame, box, epsilon = 20, by = list(g = c("u", "v")), rng = "R")
  expect_match(utils::capture.output(by)[3], " [56][0-9.]+ days ")
  # all rows are equal, so noise hides their standard deviation, but not their mean
  equal <- private_mean(data.frame(x = rep(5, 400), g = 1), c(0, 10), epsilon = 2, columns = "x", by = list(g = 1),
                        rng = "R")
  expect_identical(equal$sd[1], 0)
  for (shown in list(equal, signif(equal, 3))) {
    shown <- utils::capture.output(shown)
    expect_match(shown[3], "^ *1 +[0-9]+ +[45][.0-9]* +- ")
    expect_match(shown, "noise hides the mean or the standard deviation (sd).", fixed = TRUE, all = FALSE)
  }
})

test_that("intervals of groups are not given to rows that were sorted or changed", {
  frame <- data.frame(x = rep(c(1, 9), 200), g = rep(1:2, 200))
  by <- private_mean(frame, c(0, 10), epsilon = 4, columns = "x", by = list(g = 1:2))
  doubled <- sorted <- by
  sorted <- by[3:1, ]
  doubled$value <- 2 * doubled$value
  for (changed in list(sorted, doubled)) {
    expect_error(confint(changed), "as it was released", class = "dptda_error_argument")
    expect_error(confint(changed, of = "population"), "as it was released", class = "dptda_error_argument")
    expect_error(plot(changed), "as it was released", class = "dptda_error_argument")
    expect_error(compare_groups(changed), "as it was released", class = "dptda_error_argument")
  }
  expect_identical(dim(confint(round(by, 1))), c(3L, 2L))
})

test_that("a side of the box may have one lattice point in each group", {
  frame <- data.frame(x = c(1, 1, 1), y = 1:3, g = 1)
  box <- domain_box(c(x = 1 - 2^-53, y = 0), c(1, 10))
  by <- suppressWarnings(private_mean(frame, box, epsilon = 100, bits = 1, by = list(g = 1)))
  expect_identical(by$sd[by$column == "x"], c(0, 0))
  expect_identical(by$value[1], 1)
  one <- suppressWarnings(private_sum(frame[c("x", "g")], domain_box(c(x = 1 - 2^-53), 1), epsilon = 100, bits = 1,
                                      by = list(g = 1)))
  expect_s3_class(one, "dptda_private_groups")
  omitted <- table_rows(data.frame(x = c(1, NA, 1)), missing = "omit")
  expect_identical(suppressWarnings(private_mean(omitted, domain_box(1 - 2^-53, 1), epsilon = 100, bits = 1))$sd, 0)
})

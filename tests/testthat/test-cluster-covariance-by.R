# Covariances of groups: rounds against a slow version, what a row or a person moves by search, the stated noise.

three_groups <- function(n = 900, D = 2) {
  g <- sample(c("a", "b", "z"), n, TRUE, c(.5, .3, .2))
  size <- c(a = 1, b = .2, z = .5)[g]
  at <- c(a = -2, b = 3, z = 0)[g]
  X <- matrix(stats::rnorm(n * D), n) %*% chol(diag(.4, D) + .6)
  frame <- as.data.frame(X * size + at)
  names(frame) <- paste0("v", seq_len(D))
  frame$g <- g
  frame$s <- sample(1:2, n, TRUE)
  frame
}

group_box <- function(D = 2) domain_box(structure(rep(-8, D), names = paste0("v", seq_len(D))), rep(8, D))

two_levels <- list(g = c("a", "b"))

noise_off <- function(code) with_replaced("add_noise", function(x, ...) x, code)

# The rounds in plain words and in doubles: rows in the coordinates of their group, shortened to a length, their
# covariance made that of the Gaussian that would be seen so, and brought back.
slow_rounds <- function(X, queries, box) {
  D <- ncol(X)
  X <- 2 * t((t(X) - box$lower) / (box$upper - box$lower)) - 1
  X[] <- pmin(pmax(X, -1), 1)
  n <- nrow(X)
  center <- double(D)
  S <- diag(D)
  for (query in queries) {
    L <- t(chol(S))
    u <- t(solve(L, t(X) - center))
    u <- u * pmin(1, sqrt(D * query$stretch / rowSums(u^2)))
    seen <- function(s) mean(pmin(s * slow_radii[[D]], D * query$stretch)) / D
    B <- crossprod(u) / n
    t <- mean(diag(B))
    m <- colMeans(u)
    s <- if (t >= seen(1)) t / seen(1) else stats::uniroot(function(s) seen(s) - t, c(0, 1), tol = 1e-10)$root
    e <- eigen(B * s / t - tcrossprod(m), TRUE)
    least <- min(max(.02, .5 * query$sd[2] * sqrt(D) / (n * query$kappa)), 25)
    S <- L %*% (e$vectors %*% (pmin(pmax(e$values, least), 25) * t(e$vectors))) %*% t(L)
    center <- pmin(pmax(center + as.vector(L %*% m), -1), 1)
  }
  half <- (box$upper - box$lower) / 2
  list(cov = S * tcrossprod(half), center = box$lower + (center + 1) * half)
}

# Quantiles of the squares of lengths.
slow_radii <- lapply(1:3, function(D) stats::qchisq((1:4000 - .5) / 4000, D))

test_that("without noise covariances are those of the rows of each group, shortened, and sizes are exact", {
  set.seed(1)
  for (D in c(1, 3)) for (by in list(two_levels, list(g = c("a", "b"), s = 1))) {
    frame <- three_groups(900, D)
    columns <- paste0("v", seq_len(D))
    box <- group_box(D)
    fit <- noise_off(private_covariance(frame, box, rho = 50, columns = columns, by = by, rng = "R"))
    plan <- private_covariance(unseen(900), box, rho = 50, columns = columns, by = by)$plan
    g <- ifelse(frame$g == "z", "other", frame$g)
    label <- if (length(by) == 1) g else paste(g, ifelse(frame$s == 1, "1", "other"), sep = ", ")
    expect_setequal(names(fit), label)
    for (one in unique(label)) {
      X <- as.matrix(frame[label == one, columns, drop = FALSE])
      slow <- slow_rounds(X, plan$queries, box)
      expect_equal(fit[[one]]$n.obs, nrow(X))
      expect_lt(max(abs(fit[[one]]$cov - slow$cov)) / max(slow$cov), .01)
      expect_lt(max(abs(fit[[one]]$center - slow$center) / sqrt(diag(slow$cov))), .01)
      # of normal rows these are those of stats::cov(), but for sampling
      expect_lt(max(abs(fit[[one]]$cov - stats::cov(X))) / max(stats::cov(X)), .4)
    }
  }
})

test_that("one group of all rows is the release without groups", {
  set.seed(2)
  frame <- three_groups(2000)
  frame$one <- "all"
  columns <- c("v1", "v2")
  exact <- private_covariance(frame, group_box(), rho = 1e6, columns = columns, rng = "R")
  fit <- private_covariance(frame, group_box(), rho = 1e6, columns = columns, by = list(one = "all"), rng = "R")
  expect_equal(fit$all$cov, exact$cov, tolerance = .01)
  expect_equal(fit$all$center, exact$center, tolerance = .01)
  expect_identical(dimnames(fit$all$cov), dimnames(exact$cov))
  expect_equal(fit$all$n.obs, 2000, tolerance = 1e-3)
  # with noise, within what is stated: a false alarm below 1e-6 for Gaussian noise
  off <- replicate(6, {
    one <- private_covariance(frame, group_box(), rho = 1, columns = columns, by = list(one = "all"), rng = "R")$all
    max(abs(one$cov - exact$cov) / one$noise, abs(one$center - exact$center) / one$center_noise)
  })
  expect_lt(max(off), 6)
})

test_that("rows that may be left out are one group, whose number is private", {
  set.seed(4)
  frame <- three_groups(1500)
  frame$v1[sample(1500, 300)] <- NA
  frame$v2[sample(1500, 200)] <- NA
  left <- frame[stats::complete.cases(frame), ]
  columns <- c("v1", "v2")
  there <- dplyr::tbl(local_sqlite(frame), "people")
  release <- function(x, ...) {
    force(x)
    set.seed(5)
    private_covariance(x, group_box(), rho = 20, ..., rng = "R")
  }
  omit <- function(x) release(table_rows(x, columns, missing = "omit"))
  fit <- omit(frame)
  same <- release(transform(left, one = "all"), columns = columns, by = list(one = "all"), rounds = 8)
  expect_s3_class(fit, "dptda_private_covariance")
  expect_equal(fit$n.obs, nrow(left), tolerance = .01)
  expect_lt(max(abs(fit$cov - same$all$cov) / (fit$noise + same$all$noise)), 6)
  expect_identical(omit(there), fit)
  expect_output(print(fit), "^<private covariance>\nrows [0-9.]+ \\(standard deviation")
  expect_identical(privacy(fit)$public$n, 1500)
  # people of whom some have no row, or nothing is left
  visits <- transform(frame, who = rep(1:500, 3))
  visits$v1[visits$who <= 50] <- NA
  people <- function(x) release(table_rows(x, columns, person = "who", people = 600, missing = "omit"))
  fit <- people(visits)
  expect_equal(fit$n.obs, length(unique(visits$who[stats::complete.cases(visits)])), tolerance = .02)
  expect_identical(people(dplyr::tbl(local_sqlite(visits), "people")), fit)
  expect_output(print(fit), "\npeople [0-9.]+")
  expect_output(print(fit), "Shortened people are not counted")
  # what there is to see before there are rows
  n <- unseen(600, person = "who", complete = FALSE, missing = "omit")
  mechanism <- private_covariance(as_unseen(n), group_box(), rho = 20)
  expect_identical(mechanism$guarantee$public, privacy(fit)$public[names(mechanism$guarantee$public)])
  expect_match(privacy_price(mechanism)$noise$of[1], "^the people, round")
})

test_that("the noise that is stated is that of many releases", {
  skip_if_instrumented()
  set.seed(3)
  n <- 3000
  for (D in long_or(1:3, 2)) {
    frame <- three_groups(n, D)
    columns <- paste0("v", seq_len(D))
    mechanism <- private_covariance(as_unseen(n), group_box(D), rho = .5, columns = columns, by = two_levels)
    fits <- simulate(mechanism, long_or(400, 80), x = frame[c(columns, "g")])
    for (group in c("a", "b")) {
      entries <- vapply(fits, function(fit) unlist(unclass(fit[[group]])[1:3]), double(D^2 + D + 1))
      parts <- c("noise", "center_noise", "n_noise")
      stated <- vapply(fits, function(fit) unlist(unclass(fit[[group]])[parts]), double(D^2 + D + 1))
      ratio <- apply(entries, 1, stats::sd) / rowMeans(stated)
      # of 80 releases a standard deviation is known to 8 percent, and of normal rows not all is
      expect_true(all(ratio > .65 & ratio < 1.4), info = paste(round(ratio, 2), collapse = " "))
    }
  }
})

# ---- what it costs ---------------------------------------------------------------------------------------------------

# Models of groups somewhere in the box, smaller than it, so that rows are shortened.
some_models <- function(K, D) {
  list(weights = rep(1 / K, K), means = matrix(stats::runif(K * D, -1, 1), D),
       covariances = array(replicate(K, diag(stats::runif(1, .001, .1), D)), c(D, D, K)))
}

# Rho of a pair of tables, in units of what a round costs.
round_loss <- function(plan, query, model, x, y) {
  sums <- function(z) sums_of_groups(statistic_of(plan, rows_for(plan, z)), model, plan, query)
  sum(((sums(x) - sums(y)) / query$scale)^2) / 2 / query$rho
}

grouped_corners <- function(n, D) {
  place <- ifelse(stats::runif(n * D) < .7, sample(c(-8, 8), n * D, TRUE), stats::runif(n * D, -8, 8))
  frame <- as.data.frame(matrix(place, n, D, dimnames = list(NULL, paste0("v", seq_len(D)))))
  frame$g <- sample(c("a", "b", "c"), n, TRUE)
  frame
}

test_that("a row that changes its group moves a round by what was spent, and some by all of it", {
  set.seed(4)
  for (D in 1:3) {
    columns <- paste0("v", seq_len(D))
    mechanism <- private_covariance(unseen(2), group_box(D), rho = 3, rounds = 3, columns = columns, by = two_levels)
    for (query in mechanism$plan$queries[c(1, 3)]) {
      found <- replicate(long_or(1000, 60), {
        x <- grouped_corners(2, D)
        round_loss(mechanism$plan, query, some_models(3, D), x, rbind(x[1, ], grouped_corners(1, D)))
      })
      expect_lte(max(found), 1)
      expect_gt(max(found), .995)
    }
  }
})

test_that("so do people with rows in several groups, whatever their number, and people who have none", {
  set.seed(5)
  for (way in c("all", "some", "gaps")) {
    rows <- function(frame) {
      table_rows(frame, c("v1", "v2", "g"), person = "who", people = if (way == "some") 2,
                 missing = if (way == "gaps") "omit" else "error")
    }
    one <- function(who, many) {
      frame <- cbind(grouped_corners(many, 2), who = rep(who, many))
      if (way == "gaps") frame$v1[stats::runif(many) < .3] <- NA
      frame
    }
    first <- one(1L, 1)
    n <- public_units(rows(rbind(first, one(2L, 1))))
    plan <- private_covariance(as_unseen(n), group_box(), rho = 3, rounds = 1, columns = c("v1", "v2"),
                               by = two_levels)$plan
    W <- plan$weight
    expect_gt(W, 15)
    many <- c(if (way == "some") 0L, 1L, 1L, 2L, 5L, W - 1L, W + 1L, 2L * W + 1L)
    found <- replicate(long_or(400, 40), {
      round_loss(plan, plan$queries[[1]], some_models(3, 2), rows(rbind(first, one(2L, sample(many, 1)))),
                 rows(rbind(first, one(2L, sample(many, 1)))))
    })
    expect_lte(max(found), 1)
    if (way == "all") expect_gt(max(found), .9)
  }
})

test_that("weighed rows of people are rows that are repeated", {
  set.seed(6)
  frame <- three_groups(60)
  frame$who <- sample(20, 60, TRUE)
  frame$who[1:20] <- 1:20
  columns <- c("v1", "v2")
  plan <- private_covariance(unseen(20, person = "who"), group_box(), rho = 3, rounds = 1, columns = columns,
                               by = two_levels)$plan
  plan$queries[[1]]$bits <- c(8, 0)
  parts <- statistic_of(plan, rows_for(plan, table_rows(frame, c(columns, "g"), person = "who")))
  weighed <- sum(unlist(lapply(parts$parts, `[[`, "weight")))
  expect_equal(weighed, 20 * plan$weight)
  copies <- list(parts = lapply(parts$parts, function(part) {
    list(data = part$data[rep(seq_len(nrow(part$data)), part$weight), , drop = FALSE], weight = NULL)
  }))
  model <- some_models(3, 2)
  query <- plan$queries[[1]]
  expect_identical(sums_of_groups(parts, model, plan, query), sums_of_groups(copies, model, plan, query))
})

# ---- nothing fails ---------------------------------------------------------------------------------------------------

is_group_release <- function(fit) {
  all(vapply(unclass(fit), function(one) {
    isSymmetric(one$cov) && min(eigen(one$cov, TRUE)$values) > 0 && all(is.finite(c(one$center, one$n.obs))) &&
      !anyNA(one$noise) && all(one$noise > 0)
  }, NA))
}

test_that("groups without rows, with one, or of one place, are released as any other", {
  set.seed(7)
  unwarned <- function(code) suppressWarnings(code, classes = "dptda_warning_no_fit")
  frame <- three_groups(400)
  frame$g[1] <- "single"
  frame$g[2:60] <- "place"
  frame[2:60, c("v1", "v2")] <- 1
  levels <- list(g = c("a", "single", "place", "nobody"))
  for (rho in c(1e-9, .1, 50)) for (rounds in list(NULL, 1, 3)) {
    fit <- unwarned(private_covariance(frame, group_box(), rho = rho, columns = c("v1", "v2"), by = levels,
                                       rounds = rounds, rng = "R"))
    expect_true(is_group_release(fit))
    expect_named(fit, c("a", "single", "place", "nobody", "other"))
    if (rho != .1) expect_identical(is.infinite(fit$a$noise[1]), rho < 1)
    # what was not seen is the box, and says so
    for (one in list(fit$single, fit$nobody)) {
      expect_equal(unname(one$cov), diag(64, 2))
      expect_equal(unname(one$center), c(0, 0))
      expect_true(all(is.infinite(one$noise)))
    }
  }
  expect_lt(fit$place$cov[1, 1], 1)
  # no rows at all
  expect_error(private_covariance(frame[0, ], group_box(), rho = 1, columns = c("v1", "v2"), by = levels),
               class = "dptda_error_argument")
  one <- unwarned(private_covariance(frame[1, ], group_box(), rho = 1, columns = c("v1", "v2"), by = levels))
  expect_true(is_group_release(one))
})

test_that("a column with one value in most rows of a group is not shown without a word", {
  set.seed(30)
  frame <- data.frame(a = stats::rnorm(4000), b = stats::rnorm(4000), g = c("u", "v"))
  frame$a[frame$g == "u"] <- stats::rbinom(2000, 1, 0.03) * stats::rexp(2000)
  release <- function(box) {
    private_covariance(frame, box, rho = 0.5, columns = c("a", "b"), by = list(g = c("u", "v")), rng = "R")
  }
  said <- function(fit) paste(utils::capture.output(print(fit)), collapse = " ")
  fit <- release(domain_box(c(a = -20, b = -20), c(20, 20)))
  expect_lt(fit$u$cov[1, 1], 0.1 * stats::var(frame$a[frame$g == "u"]))
  expect_match(said(fit), "`a` of u: standard deviation below a thousandth", fixed = TRUE)
  expect_no_match(said(fit), "`b`|of u, v|private_var")
  expect_match(said(fit$u), "Use private_var(), which uses all rows", fixed = TRUE)
  # of all groups, but of none of which nothing is known
  expect_match(said(release(domain_box(c(a = -2e4, b = -20), c(2e4, 20)))), "`a` of u, v: standard deviation below",
               fixed = TRUE)
  frame$a[frame$g == "u"] <- stats::rnorm(2000)
  expect_no_match(said(release(domain_box(c(a = -20, b = -20), c(20, 20)))), "deviation below")
})

test_that("missing values are what table_rows() says: an error, a level, a value, or left out", {
  set.seed(8)
  frame <- three_groups(600)
  frame$g[1:100] <- NA
  frame$v1[101:150] <- NA
  release <- function(x) {
    noise_off(private_covariance(x, group_box(), rho = 50, columns = c("v1", "v2"), by = two_levels, rng = "R"))
  }
  budget <- privacy_budget(rho = 1)
  for (gap in list(frame, frame[101:600, ], frame[c(1:100, 151:600), ])) {
    expect_error(private_covariance(gap, group_box(), rho = 1, columns = c("v1", "v2"), by = two_levels,
                                    budget = budget), "missing", class = "dptda_error_argument")
  }
  expect_identical(budget$spent, 0)
  sizes <- function(fit) vapply(unclass(fit), `[[`, 0, "n.obs", USE.NAMES = FALSE)
  all <- c("v1", "v2", "g")
  whole <- frame[151:600, ]
  expect_equal(sizes(release(table_rows(frame, all, missing = "omit"))),
               c(sum(whole$g == "a"), sum(whole$g == "b"), sum(whole$g == "z")))
  filled <- release(table_rows(frame, all, missing = list(v1 = 0, g = "level")))
  g <- ifelse(is.na(frame$g), "other", frame$g)
  expect_equal(sizes(filled), c(sum(g == "a"), sum(g == "b"), sum(!g %in% c("a", "b"))))
  omitted <- release(table_rows(frame, all, missing = "omit"))
  expect_equal(omitted$a$cov, release(whole)$a$cov, tolerance = .01)
  # without `by`, too
  expect_error(private_covariance(frame, group_box(), rho = 1, columns = c("v1", "v2"), budget = budget), "missing",
               class = "dptda_error_argument")
})

test_that("people weigh in each group the share of their rows there, and may have no row", {
  set.seed(9)
  many <- rep(c(1, 10), c(300, 100))
  who <- rep(seq_along(many), many)
  frame <- data.frame(v1 = stats::rnorm(length(who)), v2 = stats::rnorm(length(who)), g = "a", who = who)
  frame$g[duplicated(who) & stats::runif(length(who)) < .5] <- "b"
  frame$v1 <- frame$v1 + 4 * (frame$g == "b")
  release <- function(...) {
    noise_off(private_covariance(table_rows(frame, c("v1", "v2", "g"), person = "who", ...), group_box(), rho = 50,
                                 by = two_levels, rng = "R"))
  }
  fit <- release()
  expect_identical(privacy(fit)$person, "who")
  share <- tapply(frame$g == "b", frame$who, mean)
  expect_equal(fit$b$n.obs, sum(share), tolerance = .01)
  expect_equal(fit$a$n.obs + fit$b$n.obs, 400)
  expect_lt(abs(fit$b$center[["v1"]] - 4), .4)
  some <- release(people = 500)
  expect_equal(some$a$n.obs + some$b$n.obs, 400)
  expect_identical(privacy(some)$public$n, 500)
  one <- release(rows_of_person = "one")
  expect_equal(one$a$n.obs + one$b$n.obs, 400)
  expect_identical(privacy(one)$unit, "one person")
  # rows and their order are of no matter
  again <- frame[sample(nrow(frame)), ]
  again <- rbind(again, again[again$who == 7, ])
  frame <- again
  expect_identical(release()$a, fit$a)
})

# ---- the face --------------------------------------------------------------------------------------------------------

test_that("what is asked is checked before anything is spent", {
  set.seed(10)
  frame <- three_groups(100)
  budget <- privacy_budget(rho = 1)
  bad <- function(message, ..., x = frame, columns = c("v1", "v2")) {
    expect_error(private_covariance(x, group_box(), rho = 1, columns = columns, ..., budget = budget), message,
                 class = "dptda_error_argument")
  }
  bad("`by`", by = list(h = "a"))
  bad("`by`", by = "g")
  bad("v1", by = list(v1 = 1))
  bad("2 to 1000 groups", by = list(g = "other"))
  bad("2 to 1000 groups", by = list(g = letters[1:25], s = 1:40))
  bad("table", x = as.matrix(frame[c("v1", "v2")])[, 1], columns = NULL, by = two_levels)
  expect_error(private_covariance(frame, group_box(3), rho = 1, columns = c("v1", "v2"), by = two_levels,
                                  budget = budget), class = "dptda_error_argument")
  bad("rounds", by = two_levels, rounds = 0)
  expect_error(private_covariance(frame, group_box(), rho = 1e-40, columns = c("v1", "v2"), by = two_levels,
                                  budget = budget), "scale above", class = "dptda_error_argument")
  skip_if_not_installed("dplyr")
  grouped <- dplyr::group_by(frame, g)
  bad("grouped by `g`.*by = list\\(g = ", x = grouped)
  bad("`by` names `s`", x = grouped, by = list(s = 1))
  release <- function(x) {
    set.seed(11)
    private_covariance(x, group_box(), rho = 1, columns = c("v1", "v2"), by = two_levels, rng = "R")
  }
  expect_identical(release(grouped), release(frame))
  table <- dplyr::tbl(local_sqlite(frame), "people")
  bad("to 1000 groups", x = table, by = list(g = 1:50, s = 1:50))
  expect_identical(budget$spent, 0)
})

test_that("that nothing will be learned of groups is said before anything is spent", {
  warn_of_weak()
  set.seed(12)
  frame <- three_groups(120)
  release <- function(rows, ...) {
    private_covariance(frame[seq_len(rows), ], group_box(), rho = 50, rounds = 1, columns = c("v1", "v2"),
                       by = two_levels, ...)
  }
  budget <- privacy_budget(rho = 100)
  end <- function(code) tryCatch(code, dptda_warning_no_fit = conditionMessage)
  expect_match(end(release(30, budget = budget)), "each group must have more than")
  expect_identical(budget$spent, 0)
  expect_s3_class(end(release(120, budget = budget)), "dptda_private_covariances")
  expect_identical(budget$spent, 50)
})

test_that("a covariance of groups is a list with the guarantee of all", {
  set.seed(13)
  frame <- three_groups(900)
  release <- private_covariance(frame, group_box(), epsilon = 3, delta = 1e-6, columns = c("v1", "v2"), by = two_levels,
                                rng = "R")
  expect_snapshot(release)
  expect_identical(privacy(release)$measure, c(epsilon = 3, delta = 1e-6))
  expect_equal(sum(privacy(release)$public$queries), privacy(release)$public$rho)
  one <- release$a
  expect_s3_class(one, "dptda_private_covariance")
  expect_identical(names(one)[1:3], names(stats::cov.wt(diag(2))))
  expect_identical(privacy(one), privacy(release))
  expect_identical(release[["a"]], one)
  expect_identical(release[[1]], one)
  expect_length(release, 3)
  expect_identical(vapply(release, function(one) one$n.obs, 0)[["b"]], release$b$n.obs)
  expect_error(release$c, "`a`, `b`, `other`", class = "dptda_error_argument")
  table <- as.data.frame(release)
  expect_named(table, c("g", "n.obs", "first", "second", "cov", "cor", "noise"))
  expect_identical(dim(table), c(9L, 7L))
  expect_identical(table$cov[table$g == "b"], release$b$cov[c(1, 3, 4)])
  expect_length(as.double(release), 12)
  changed <- release
  changed[["a"]] <- changed[["b"]]
  expect_null(privacy(changed))
  other <- release
  attr(other, "groups")$g <- rev(attr(other, "groups")$g)
  expect_null(privacy(other))
  # rounds add up to what was declared
  for (rounds in list(NULL, 1, 5)) {
    public <- private_covariance(unseen(900), group_box(), rho = .3, columns = c("v1", "v2"), rounds = rounds,
                                   by = two_levels)$guarantee$public
    expect_equal(sum(public$queries), .3)
  }
  # the price is without rows, whatever the number of groups
  noise <- function(levels) {
    privacy_price(private_covariance(unseen(1e5), group_box(), rho = 1, rounds = 8, by = list(g = levels)))$noise$scale
  }
  expect_equal(noise(1:2)[1], noise(1:500)[1])
})

for (database in c("SQLite", "PostgreSQL")) {
  test_that(paste("the sums of groups are those in memory, and so are releases, in", database), {
    set.seed(14)
    connect <- list(SQLite = local_sqlite, PostgreSQL = local_postgres)[[database]]
    frame <- three_groups(300)
    columns <- c("v1", "v2")
    frame[1, columns] <- 1e300
    table <- dplyr::tbl(connect(frame), "people")
    for (by in list(two_levels, list(g = c("z", "nobody"), s = 2))) {
      plan <- private_covariance(unseen(300), group_box(), rho = 3, rounds = 2, columns = columns, by = by)$plan
      model <- some_models(table_size(plan$groups), 2)
      here <- statistic_of(plan, rows_for(plan, frame))
      there <- statistic_of(plan, rows_for(plan, table))
      for (query in plan$queries) {
        expect_identical(sums_of_groups(there, model, plan, query), sums_of_groups(here, model, plan, query))
      }
    }
    release <- function(x) {
      set.seed(15)
      private_covariance(x, group_box(), rho = 3, rounds = 3, columns = columns, by = two_levels, rng = "R")
    }
    expect_equal(release(table), release(frame), tolerance = 0)
    # a missing value of either kind ends it before anything is spent
    for (column in c("v1", "g")) {
      gap <- frame
      gap[[column]][7] <- NA
      budget <- privacy_budget(rho = 1)
      expect_error(private_covariance(dplyr::tbl(connect(gap), "people"), group_box(), rho = 1, columns = columns,
                                      by = two_levels, budget = budget), "missing", class = "dptda_error_argument")
      expect_identical(budget$spent, 0)
    }
  })
}

# People of so many rows each, in several groups, and values that are missing.
grouped_visits <- function(many) {
  frame <- three_groups(sum(many))
  frame$who <- sample(rep(seq_along(many) * 3L, many))
  frame[3, c("v1", "v2")] <- 1e300
  same <- sample(nrow(frame), nrow(frame) %/% 3)
  frame[same, c("v1", "v2")] <- round(frame[same, c("v1", "v2")])
  frame
}

for (database in c("SQLite", "PostgreSQL")) {
  test_that(paste("people weigh in the groups of a database what they weigh in memory, in", database), {
    set.seed(16)
    connect <- list(SQLite = local_sqlite, PostgreSQL = local_postgres)[[database]]
    frame <- grouped_visits(c(1, 2, 15, 16, 17, 33, 1023, 1025, rep(1:4, 50)))
    all <- c("v1", "v2", "g", "s")
    gaps <- frame
    for (name in all) gaps[[name]][sample(nrow(gaps), 300)] <- NA
    gaps$v1[gaps$who == 3 * 7] <- NA # of whom nothing is left
    own <- which(gaps$who == 3 * 8)
    gaps[own, ] <- frame[own, ]
    gaps$g[own[-1]] <- NA
    cases <- list(list(frame, person = "who"), list(frame, person = "who", people = 1000),
                  list(gaps, person = "who", missing = "omit"), list(gaps, missing = "omit"))
    cases <- cases[long_or(1:4, if (database == "SQLite") c(1, 3) else c(2, 3))]
    for (case in cases) {
      rows <- function(x) do.call(table_rows, c(list(x, all), case[-1]))
      table <- rows(dplyr::tbl(connect(case[[1]]), "people"))
      memory <- rows(case[[1]])
      by <- if (is.null(case$people)) list(s = 2:1, g = c("z", "nobody")) else c(two_levels, s = 2)
      plan <- private_covariance(as_unseen(public_units(memory)), group_box(), rho = 3, rounds = 1,
                                 columns = c("v1", "v2"),
                                   by = by)$plan
      model <- some_models(table_size(plan$groups), 2)
      here <- statistic_of(plan, rows_for(plan, memory))
      there <- statistic_of(plan, rows_for(plan, table))
      expect_identical(sums_of_groups(there, model, plan, plan$queries[[1]]),
                       sums_of_groups(here, model, plan, plan$queries[[1]]))
      release <- function(x) {
        set.seed(17)
        private_covariance(x, group_box(), rho = 3, rounds = 2, by = by, rng = "R")
      }
      expect_equal(release(table), release(memory), tolerance = 0)
    }
    # nobody has a row that is left
    none <- transform(frame[1:40, ], v1 = NA_real_)
    table <- dplyr::tbl(connect(none), "people")
    for (person in list(NULL, "who")) {
      rows <- function(x) table_rows(x, c("v1", "v2", "g"), person = person, missing = "omit")
      release <- function(x) {
        set.seed(18)
        suppressWarnings(private_covariance(x, group_box(), rho = 3, by = two_levels, rng = "R"))
      }
      expect_identical(release(rows(table)), release(rows(none)))
    }
    # one row of each, with or without what is left out
    one <- frame[rep(1:200, 1:200 %% 3 + 1), ]
    one$who <- rep(1:200, 1:200 %% 3 + 1)
    one$v1[one$who > 150] <- NA
    one <- table_rows(dplyr::tbl(connect(one), "people"), c("v1", "v2", "g"), person = "who", rows_of_person = "one",
                      missing = "omit")
    fit <- noise_off(private_covariance(one, group_box(), rho = 50, by = two_levels))
    expect_identical(sum(vapply(unclass(fit), `[[`, 0, "n.obs")), 150)
  })

  test_that(paste("people who were lost or found end a covariance of groups before it is charged, in", database), {
    set.seed(19)
    connect <- list(SQLite = local_sqlite, PostgreSQL = local_postgres)[[database]]
    con <- connect(grouped_visits(c(1, 2, 40, rep(1, 40))))
    rows <- lapply(c("error", "omit"), function(missing) {
      table_rows(dplyr::tbl(con, "people"), c("v1", "v2", "g"), person = "who", missing = missing)
    })
    budget <- privacy_budget(rho = 1, person = "who")
    for (change in c("UPDATE people SET who = NULL WHERE who = 6",
                     "UPDATE people SET who = 1000 + v1 * 100 WHERE who = 9")) {
      DBI::dbExecute(con, change)
      for (x in rows) {
        expect_error(suppressWarnings(private_covariance(x, group_box(), rho = 1, by = two_levels, budget = budget)),
                     "The people in .* changed", class = "dptda_error_database")
      }
    }
    expect_identical(budget$spent, 0)
  })
}

test_that("summary() of covariances has means, standard deviations and correlations", {
  x <- withr::with_seed(3, data.frame(a = rnorm(2000), b = rnorm(2000), g = rep(c("u", "v"), 1000)))
  box <- domain_box(c(a = -9, b = -9), c(a = 9, b = 9))
  one <- private_covariance(x[1:2], box, rho = 1)
  found <- summary(one)
  expect_identical(names(found), c("column", "mean", "sd", "noise", "cor.a", "cor.b"))
  expect_identical(found$sd, unname(sqrt(diag(one$cov))))
  expect_equal(found$cor.b, c(stats::cov2cor(one$cov)[1, 2], 1))
  expect_identical(found$mean, unname(one$center))
  groups <- private_covariance(x, box, by = list(g = c("u", "v")), rho = 1)
  found <- summary(groups)
  expect_identical(names(found), c("g", "n.obs", "mean.a", "mean.b", "sd.a", "sd.b"))
  expect_identical(found$mean.b[2], groups$v$center[["b"]])
  expect_identical(found$sd.a[1], sqrt(groups$u$cov[1, 1]))
  expect_identical(is.na(found$mean.a), c(FALSE, FALSE, TRUE)) # of others nothing was seen
})

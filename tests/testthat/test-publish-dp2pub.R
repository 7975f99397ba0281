# Flipped codes: against their probabilities, and against the matrix of all combinations. A statistical test has a
# false-alarm rate of 1e-6 and a fixed seed.
rarely <- 1e-6

flip <- function(codes, sizes, epsilon) {
  .Call(ffi_publish_randomize_codes, matrix(as.integer(codes), ncol = length(sizes)), as.integer(sizes),
        as.double(epsilon),
        kernel_options("R"))
}

# The matrix of one column's flips, and that of a cluster's.
flip_matrix <- function(size, epsilon) {
  p <- exp(epsilon) / (exp(epsilon) + size - 1)
  matrix((1 - p) / max(size - 1, 1), size, size) + diag(p - (1 - p) / max(size - 1, 1), size)
}
cluster_matrix <- function(sizes, epsilon) Reduce(function(first, j) flip_matrix(sizes[j], epsilon[j]) %x% first,
                                                  seq_along(sizes)[-1], flip_matrix(sizes[1], epsilon[1]))

test_that("codes are flipped with the probabilities of randomized response", {
  set.seed(1)
  for (size in c(2, 3, 40)) for (epsilon in c(0, .1, 1, 5)) for (code in c(0, size - 1)) {
    drawn <- flip(rep(code, 5000), size, epsilon)
    expect_gt(discrete_fit(as.vector(drawn), seq_len(size) - 1, flip_matrix(size, epsilon)[code + 1, ]), rarely)
  }
  expect_identical(as.vector(flip(rep(0, 10), 1, 0)), rep(0L, 10))
  expect_identical(as.vector(flip(0:4, 5, 1e5)), 0:4)
})

test_that("columns are flipped apart, each by its own epsilon", {
  set.seed(2)
  drawn <- flip(cbind(rep(1, 20000), 2), c(2, 3), c(.5, 1.5))
  joint <- outer(flip_matrix(2, .5)[2, ], flip_matrix(3, 1.5)[3, ])
  expect_gt(discrete_fit(drawn[, 1] + 2 * drawn[, 2], 0:5, as.vector(joint)), rarely)
})

test_that("a replaced row changes the law of a flipped row by no more than epsilon", {
  sizes <- c(2, 3, 4)
  plan <- list(sizes = sizes, parts = c(network = 0, margins = 1.7))
  Q <- cluster_matrix(sizes, response_budget(plan))
  worst <- max(vapply(seq_len(nrow(Q)), function(j) max(log(Q / rep(Q[j, ], each = nrow(Q)))), 0))
  expect_lte(worst, 1.7)
  expect_equal(worst, 1.7, tolerance = 1e-9)
  expect_equal(flip_chances(4, .3), list(stay = flip_matrix(4, .3)[1, 1], other = flip_matrix(4, .3)[1, 2]))
})

test_that("a release flips each column once, by the epsilon that it says, in memory and in a database", {
  set.seed(16)
  data <- related_rows(60)
  original <- randomize_codes
  for (table in list(data, dplyr::tbl(local_sqlite(data), "people"))) {
    epsilon <- if (is.data.frame(table)) .3 else 4
    used <- double()
    fit <- with_replaced("randomize_codes", function(codes, sizes, epsilon, rng) {
      used <<- c(used, epsilon)
      original(codes, sizes, epsilon, rng)
    }, private_synthesis(table, related_schema(), epsilon, method = synthesis_dp2pub(theta = .01), rng = "R"))
    expect_identical(used[c("a", "b", "c")], privacy(fit)$public$response)
    expect_length(used, 3)
    expect_lte(sum(used), privacy(fit)$parts$pure)
    expect_equal(sum(used), privacy(fit)$parts$pure, tolerance = 1e-9)
  }
})

test_that("randomized response are taken back as the matrix of all combinations takes them back", {
  set.seed(3)
  for (sizes in list(3, c(2, 3), c(2, 1, 4, 2))) {
    epsilon <- stats::runif(length(sizes), .5, 2)
    share <- stats::rexp(prod(sizes))
    share <- share / sum(share)
    randomized <- as.vector(share %*% cluster_matrix(sizes, epsilon))
    expect_equal(debias_shares(randomized, sizes, epsilon), share)
    off <- stats::rmultinom(1, 200, share)[, 1] / 200
    expect_equal(debias_shares(off, sizes, epsilon),
                 nearest_shares(as.vector(off %*% solve(cluster_matrix(sizes, epsilon)))))
  }
})

test_that("the nearest shares are nearer than any others", {
  set.seed(4)
  expect_equal(nearest_shares(c(.2, .8)), c(.2, .8))
  expect_equal(nearest_shares(c(5, -1, 0)), c(1, 0, 0))
  expect_equal(nearest_shares(c(1e80, -1e80, 0)), c(1, 0, 0))
  for (i in 1:20) {
    x <- stats::rnorm(6)
    nearest <- nearest_shares(x)
    expect_equal(sum(nearest), 1)
    expect_true(all(nearest >= 0))
    others <- matrix(stats::rexp(6000), 6)
    others <- others / rep(colSums(others), each = 6)
    expect_true(all(colSums((others - x)^2) >= sum((nearest - x)^2)))
  }
})

test_that("second flips of a cluster bring its distribution back, and those of columns lose what they have in common", {
  set.seed(5)
  n <- 40000
  a <- sample(0:2, n, replace = TRUE, prob = c(.6, .3, .1))
  codes <- cbind(a, ifelse(stats::runif(n) < .9, a, sample(0:2, n, replace = TRUE)))
  storage.mode(codes) <- "integer"
  sizes <- c(3L, 3L)
  epsilon <- c(1, 1)
  randomized <- flip(codes, sizes, epsilon)
  share <- function(codes) as.vector(table(factor(codes[, 1], 0:2), factor(codes[, 2], 0:2))) / n
  information <- function(codes) slow_mutual(matrix(share(codes), 3))
  slow_mutual <- function(p) sum((p * log(p / outer(rowSums(p), colSums(p))))[p > 0])
  together <- restore_cluster(randomized, sizes, epsilon, "R")
  # the estimate has errors of about .01 in each cell
  expect_lt(max(abs(share(together) - share(codes))), .05)
  alone <- cbind(restore_cluster(randomized[, 1, drop = FALSE], sizes[1], epsilon[1], "R"),
                 restore_cluster(randomized[, 2, drop = FALSE], sizes[2], epsilon[2], "R"))
  expect_gt(information(together), .7 * information(codes))
  expect_lt(information(alone), .1 * information(codes))
})

test_that("clusters are disjoint, and columns of one are near each other", {
  set.seed(6)
  network <- list(1L, c(2L, 1L), c(3L, 2L, 1L), 4L, c(5L, 4L))
  for (i in 1:20) {
    clusters <- draw_clusters(network, c(2L, 3L, 4L, 5L, 6L), rep(20, 5), 1e6, "R")
    expect_setequal(unlist(clusters), 1:5)
    expect_identical(anyDuplicated(unlist(clusters)), 0L)
    expect_false(any(vapply(clusters, function(cluster) any(1:3 %in% cluster) && any(4:5 %in% cluster), NA)))
  }
  wide <- draw_clusters(network, c(200L, 300L, 4L, 5L, 6L), rep(20, 5), 1e6, "R")
  expect_true(all(vapply(wide, function(cluster) prod(c(200, 300, 4, 5, 6)[cluster]) <= most_cluster_cells, NA)))
})

test_that("the noise of a cluster is a bound on that of its distribution, and no cluster has more", {
  set.seed(8)
  for (round in 1:20) {
    sizes <- sample(2:4, 2, TRUE)
    epsilon <- stats::runif(2, .3, 4)
    n <- 200
    response <- Map(function(size, epsilon) {
      chance <- flip_chances(size, epsilon)
      chance$other + diag(chance$stay - chance$other, size)
    }, sizes, epsilon)
    # counts of flipped codes are multinomial; back they go by the inverse of the matrix of all combinations
    back <- solve(kronecker(response[[2]], response[[1]]))
    p <- stats::rexp(prod(sizes))
    seen <- as.vector(kronecker(response[[2]], response[[1]]) %*% (p / sum(p)))
    covariance <- back %*% (diag(seen) - tcrossprod(seen)) %*% t(back) / n
    # the mean of the l1 norm is at most the sum of the standard deviations, and that at most the bound
    expect_lte(sum(sqrt(diag(covariance))) / 2, cluster_noise(sizes, epsilon, n)[2])
    expect_lte(cluster_noise(sizes, epsilon, n)[1], cluster_noise(sizes, epsilon, n)[2])
    # and not many times too large: for the least likely shape it is the root of the cells
    expect_gt(sum(sqrt(diag(covariance))) / 2, cluster_noise(sizes, epsilon, n)[2] / 4)
  }
  expect_identical(cluster_noise(c(1, 3), c(2, 1), 50)[2], cluster_noise(3, 1, 50))
  network <- list(1L, c(2L, 1L), c(3L, 2L, 1L), c(4L, 1L))
  sizes <- c(3L, 4L, 2L, 5L)
  for (n in c(100, 1e4, 1e6)) for (epsilon in c(.5, 2, 6)) for (i in 1:5) {
    clusters <- draw_clusters(network, sizes, rep(epsilon, 4), n, "R")
    expect_setequal(unlist(clusters), 1:4)
    noise <- vapply(clusters, function(own) max(cluster_noise(sizes[own], rep(epsilon, 4)[own], n)), 0)
    expect_true(all(lengths(clusters) == 1 | noise <= most_cluster_noise))
    if (n == 1e6 && epsilon == 6) expect_lt(length(clusters), 4)
  }
})

test_that("where no cluster can have two columns nothing is charged a network", {
  set.seed(9)
  data <- related_rows(400)
  fit <- private_synthesis(data, related_schema(), .5, method = synthesis_dp2pub(theta = .01), rng = "R")
  expect_identical(privacy(fit)$ledger$step, "private_synthesis")
  expect_identical(privacy(fit)$public$degree, 0)
  expect_true(all(fit$steps$step == "randomized response"))
  expect_true(all(lengths(fit$model$clusters) == 1))
  fit <- private_synthesis(data, related_schema(), 30, method = synthesis_dp2pub(theta = .01), rng = "R")
  expect_identical(privacy(fit)$ledger$step, paste("private_synthesis:", c("network", "randomized response")))
  expect_true(any(lengths(fit$model$clusters) > 1))
})

test_that("a release has the rows of the table, its ledger adds up, and rows are drawn from it", {
  set.seed(7)
  data <- related_rows(400)
  schema <- related_schema()
  for (epsilon in c(1, .1, 1 / 3, 30)) {
    fit <- private_synthesis(data, schema, epsilon, method = synthesis_dp2pub(theta = .01), rng = "R")
    expect_identical(sum(privacy(fit)$ledger$value), epsilon)
    expect_equal(sum(fit$steps$cost_epsilon), epsilon)
    expect_identical(nrow(fit$model$codes), 400L)
    expect_equal(sum(model_margin(fit$model, 1:2)), 1)
  }
  # hardly a code was flipped
  expect_gt(mean(fit$model$codes == encode_table(data, schema, "data")$codes), .95)
  expect_identical(dim(simulate(fit, 1001, seed = 1)), c(1001L, 3L))
  codes <- draw_codes(fit$model, 800, "R")
  expect_identical(joint_counts(list(sizes = fit$model$sizes, n = 800, codes = codes), 1:3), 2 *
                   joint_counts(fit$model, 1:3))
})

test_that("what it cannot do is refused before anything is spent", {
  data <- related_rows(20)
  budget <- privacy_budget(epsilon = 10)
  bad <- function(...) expect_error(private_synthesis(data, related_schema(), ..., method = "dp2pub", budget = budget),
                                    class = "dptda_error_argument")
  bad(rho = 1)
  bad(1, delta = 1e-6)
  bad(1e-7)
  expect_identical(budget$spent[[1]], 0)
  for (rows in list(data[rep(1, 5), ], data[1, ], data)) {
    expect_silent(private_synthesis(rows, related_schema(), 1e-3, method = "dp2pub", rng = "R"))
  }
  # the bound is reached by a release of one level
  fit <- private_synthesis(data["a"], table_schema(a = schema_categorical("u", other = "u")), 1, method = "dp2pub")
  expect_identical(as.character(simulate(fit, 2)$a), c("u", "u"))
})

# ---- rows in a database ---------------------------------------------------------------------------------------------

test_that("rows of counts are flipped as rows are, each by itself, in portions of any size", {
  set.seed(11)
  sizes <- c(2L, 3L)
  epsilon <- c(.7, 1.2)
  Q <- cluster_matrix(sizes, epsilon)
  # two rows: the cell of one, and that of the other, whichever is which
  key <- function(first, second) 10 * pmin(first, second) + pmax(first, second)
  cells <- expand.grid(first = 1:6, second = 1:6)
  chance <- tapply(Q[2, cells$first] * Q[6, cells$second], key(cells$first, cells$second), sum)
  for (portion in c(1, 2^20)) {
    drawn <- replicate(5000, {
      at <- rep(1:6, turn_counts(c(0, 1, 0, 0, 0, 1), sizes, function(codes)
                                 randomize_codes(codes, sizes, epsilon, "R"),
                                 portion))
      key(at[1], at[2])
    })
    expect_gt(discrete_fit(drawn, as.numeric(names(chance)), as.vector(chance)), rarely)
  }
  for (portion in c(1, 3, 7, 100)) {
    expect_identical(turn_counts(c(2, 0, 5, 1, 0, 3), sizes, identity, portion), c(2, 0, 5, 1, 0, 3))
  }
})

test_that("counts of a cluster have the law of those of flipped rows", {
  skip_if_instrumented()
  set.seed(12)
  source <- list(sizes = c(a = 2L, b = 2L, c = 2L), n = 3, codes = cbind(c(0L, 1L, 1L), c(0L, 1L, 0L), c(1L, 1L, 0L)))
  plan <- list(sizes = source$sizes, n = 3, response = c(a = 1, b = 2, c = 1.5))
  clusters <- list(c(3L, 1L), 2L)
  # the clusters are drawn independently of each other in both: all of their counts together
  key <- function(model, counts) toString(unlist(lapply(seq_along(clusters), counts, model = model)))
  runs <- 1500
  there <- replicate(runs, key(randomized_counts(source, plan, list(), clusters, "R"), function(i, model)
                               model$counts[[i]]))
  here <- replicate(runs, key(randomized_rows(source, plan, list(), clusters, "R"), function(i, model)
                              joint_counts(model, clusters[[i]])))
  both <- table(c(there, here), rep(1:2, each = runs))
  common <- rowSums(both) >= 20
  both <- rbind(both[common, ], colSums(both[!common, , drop = FALSE]))
  expect_gt(stats::chisq.test(both[rowSums(both) > 0, ])$p.value, rarely)
})

test_that("a table in a database is published with the same ledger, and no row of it leaves the database", {
  set.seed(13)
  data <- related_rows(400)
  connection <- local_sqlite(data)
  people <- dplyr::tbl(connection, "people")
  release <- function(data, epsilon, ...) private_synthesis(data, related_schema(), epsilon,
                                                            method = synthesis_dp2pub(theta = .01), rng = "R", ...)
  for (epsilon in c(1, 1 / 3)) {
    there <- release(people, epsilon)
    here <- release(data, epsilon)
    expect_identical(privacy(there)$ledger, privacy(here)$ledger)
    expect_identical(sum(privacy(there)$ledger$value), epsilon)
    expect_identical(summary(there)$cost_epsilon, summary(here)$cost_epsilon)
    expect_false("codes" %in% names(there$model))
  }
  # hardly a code is flipped
  fit <- release(people, 200)
  source <- encode_table(data, related_schema(), "data")
  for (i in seq_along(fit$model$clusters)) {
    expect_identical(fit$model$counts[[i]], joint_counts(source, fit$model$clusters[[i]]))
  }
  expect_silent(check_valid(fit, "dptda_synthesis"))
  # whole numbers of rows have the counts themselves
  codes <- draw_codes(fit$model, 800, "R")
  for (cluster in fit$model$clusters) {
    expect_identical(joint_counts(list(sizes = fit$model$sizes, n = 800, codes = codes), cluster), 2 *
                     joint_counts(source, cluster))
  }
  expect_identical(dim(simulate(fit, 1001, seed = 1)), c(1001L, 3L))
  expect_identical(nrow(simulate(fit, 0)), 0L)
})

test_that("clusters of counts are independent of each other, and shares are rounded as their fractions say", {
  model <- structure(list(sizes = c(a = 2L, b = 3L, c = 2L), n = 10, clusters = list(c(3L, 1L), 2L),
                          counts = list(c(1, 2, 3, 4), c(5, 0, 5)), network = list()),
                          class = "dptda_randomized_counts")
  expect_true(is_valid(model, "dptda_randomized_counts"))
  expect_equal(model_margin(model, c(3, 1)), c(1, 2, 3, 4) / 10)
  expect_equal(model_margin(model, c(2, 1)), as.vector(outer(c(5, 0, 5), c(3, 7))) / 100)
  expect_equal(sum(model_margin(model, 1:3)), 1)
  set.seed(14)
  codes <- draw_codes(model, 4e4, "R")
  # a hypergeometric count, 5.3 standard deviations
  expect_lt(abs(sum(codes[, 1] == 0 & codes[, 2] == 0) - 6000), 5.3 * sqrt(4e4 * .3 * .7 * .5 * .5))
  rounded <- vapply((seq_len(1000) - .5) / 1000, function(u) round_shares(c(1, 0, 2, 4), 10, u), double(4))
  expect_true(all(colSums(rounded) == 10))
  expect_equal(rowMeans(rounded), c(1, 0, 2, 4) * 10 / 7, tolerance = 1e-3)
  expect_identical(round_shares(c(1, 0, 2, 4), 21, .999), c(3, 0, 6, 12))
})

test_that("in a database too, what is not spent is not done", {
  set.seed(15)
  data <- related_rows(40)
  people <- dplyr::tbl(local_sqlite(data), "people")
  budget <- privacy_budget(epsilon = 1)
  release <- function(data, epsilon) private_synthesis(data, related_schema(), epsilon, method = "dp2pub",
                                                       budget = budget)
  asked <- function(...) stop("a statement after the budget has said no")
  # the rows have been counted by then, and no more is asked for
  with_replaced("count_rows", asked, expect_error(release(people, 2), class = "dptda_error_budget"))
  expect_error(release(people, 1e-7), class = "dptda_error_argument")
  expect_error(release(dplyr::mutate(people, c = NA_real_), 1), "missing values", class = "dptda_error_argument")
  expect_identical(budget$spent[[1]], 0)
  release(people, 1)
  expect_identical(budget$spent[[1]], 1)
})

test_that("a row of a database whose value is missing since the charge fails nothing", {
  set.seed(16)
  data <- related_rows(40)
  schema <- table_schema(a = schema_categorical(c("u", "v", "w"), other = "w"), b = schema_logical(),
                         c = schema_numeric(0, 100, 5),
                         d = schema_categorical(1:2, ordered = TRUE))
  data$d <- rep(1:2, 20)
  real <- draw_network
  changes <- c("a = NULL, b = NULL, c = NULL, d = NULL", "c = 'text', d = 'text'")
  methods <- list(synthesis_dp2pub(theta = .01), synthesis_privbayes(theta = .01), margins())
  for (method in methods) for (change in changes) {
    connection <- local_sqlite(data)
    budget <- privacy_budget(epsilon = 2)
    # the first that is done after the charge
    late <- function(...) {
      expect_identical(budget$spent, 2)
      DBI::dbExecute(connection, paste("UPDATE people SET", change, "WHERE rowid = 3"))
      real(...)
    }
    fit <- with_replaced("draw_network", late, {
      private_synthesis(dplyr::tbl(connection, "people"), schema, 2, method = method, budget = budget, rng = "R")
    })
    expect_identical(nrow(simulate(fit, 5)), 5L)
    # and before it, it is refused
    expect_error(private_synthesis(dplyr::tbl(connection, "people"), schema, 2, method = method), "missing values",
                 class = "dptda_error_argument")
  }
})

test_that("models with clusters that were changed by hand are seen", {
  set.seed(75)
  fit <- private_synthesis(related_rows(30), related_schema(), 5, method = "dp2pub", rng = "R")
  changed <- function(name, value) {
    fit$model[[name]] <- value
    fit
  }
  sizes <- fit$model$sizes
  for (bad in list(list(c("a", "b")), list(c(1, 99)), list(list(1, 2), 3L), list(c(NA, 1)), list(c(0, 1)),
                   list(c(1.5, 2, 3)), list(1L), list(1:3, 1L))) {
    expect_error(plot(changed("clusters", bad)), class = "dptda_error_argument")
    counts <- structure(list(sizes = sizes, n = 1, clusters = bad, counts = rep(list(1), length(bad)),
                             network = list()), class = "dptda_randomized_counts")
    expect_false(is_valid(counts, "dptda_randomized_counts"))
  }
  expect_error(simulate(changed("n", -5), 2), class = "dptda_error_argument")
  counts <- structure(list(sizes = c(a = 1L), n = Inf, clusters = list(1L), counts = list(Inf), network = list()),
                      class = "dptda_randomized_counts")
  expect_false(is_valid(counts, "dptda_randomized_counts"))
})

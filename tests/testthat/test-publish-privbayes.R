# Networks of columns: scores against their definitions and over all small tables, choices and noise against their
# probabilities, the ledger against what was declared. A statistical test has a false-alarm rate of 1e-6 and a fixed
# seed.
rarely <- 1e-6

parent_scores <- function(tables, size, n, kind, shift = 0, unit = 1) {
  counts <- lapply(seq_len(nrow(tables)), function(i) as.double(tables[i, ]))
  .Call(ffi_publish_parent_scores, counts, rep(as.integer(size), nrow(tables)), as.double(n), kind, shift, unit,
        kernel_options())
}

slow_distance <- function(count, size, n) {
  table <- matrix(count, size)
  sum(abs(n * table - outer(rowSums(table), colSums(table))))
}
slow_information <- function(count, size, n) {
  table <- matrix(count, size) / n
  sum((table * log(table / outer(rowSums(table), colSums(table))))[table > 0])
}

test_that("scores are what they are called", {
  set.seed(1)
  for (size in c(1, 2, 5)) for (parents in c(1, 2, 12)) {
    tables <- t(stats::rmultinom(5, 1000, stats::rexp(size * parents)))
    expect_identical(parent_scores(tables, size, 1000, 0L), apply(tables, 1, slow_distance, size, 1000))
    unit <- 2^30
    information <- parent_scores(tables, size, 1000, 1L, unit = unit) / unit
    expect_equal(information, 1000 * apply(tables, 1, slow_information, size, 1000), tolerance = 1e-7)
  }
})

test_that("scores of more rows than doubles hold the squares of are rounded down", {
  n <- 2^40
  table <- rbind(c(n / 2, n / 4, 0, n / 4))
  plan <- plan_parents(n, new_cost(c(epsilon = 1)), 1, 1, "distance")
  expect_gte(2^53 * 2^plan$shift, 2 * n^2)
  expect_identical(parent_scores(table, 2, n, 0L, plan$shift), slow_distance(table, 2, n) / 2^plan$shift)
  expect_error(parent_scores(table, 2, n, 0L), class = "dptda_error_argument")
  expect_identical(plan$sensitivity, ceiling(c(4 * (n - 1), 6 * n) / 2^plan$shift))
})

test_that("no replaced row moves a distance by more than the bound, and with two codes one reaches it", {
  for (n in 1:6) for (shape in list(c(2, 2), c(2, 3), c(3, 2), c(2, 4), c(3, 3), c(4, 3))) {
    if (n > 4 && prod(shape) > 9) next
    bound <- plan_parents(n, new_cost(c(epsilon = 1)), 1, 1, "distance")$sensitivity
    most <- largest_move(function(tables) parent_scores(tables, shape[1], n, 0L), prod(shape), n)
    if (any(shape == 2)) expect_identical(most, 4 * (n - 1)) else expect_lte(most, 6 * n)
    expect_lte(most, bound[if (any(shape == 2)) 1 else 2])
    # the bound for two codes would be too small for more
    if (n > 4 && !any(shape == 2)) expect_gt(most, 4 * (n - 1))
  }
})

test_that("four combinations of two parents with two codes each are not two", {
  # the bound for two codes would be too small
  n <- 5
  most <- largest_move(function(tables) parent_scores(tables, 3, n, 0L), 12, n)
  expect_gt(most, 4 * (n - 1))
})

test_that("the bound for two codes is taken where each candidate has two, and two parents of two codes have four", {
  sizes <- c(a = 3L, b = 2L, c = 2L, d = 1L)
  for (score in c("distance", "information")) {
    plan <- list(sizes = sizes, choice = plan_parents(100, new_cost(c(epsilon = 1)), 1, 3, score))
    bound <- plan$choice$sensitivity
    expect_lt(bound[1], bound[2])
    for (scope in list(1:2, 2:1, c(2L, 3L, 1L), c(1L, 2L, 4L))) {
      expect_identical(scopes_sensitivity(list(scope), plan), bound[1])
    }
    expect_identical(scopes_sensitivity(list(1:3), plan), bound[2])
    expect_identical(scopes_sensitivity(list(1:2, 1:3), plan), bound[2])
  }
})

test_that("no replaced row moves the information by more than the bound", {
  for (n in 2:6) for (shape in list(c(2, 2), c(2, 3), c(3, 2), c(3, 3))) {
    plan <- plan_parents(n, new_cost(c(epsilon = 1)), 1, 1, "information")
    most <- largest_move(function(tables) parent_scores(tables, shape[1], n, 1L, unit = plan$unit), prod(shape), n)
    bound <- plan$sensitivity[if (any(shape == 2)) 1 else 2]
    expect_lte(most, bound)
    # reached with two codes: all rows but one alike
    if (any(shape == 2)) expect_gt(most, bound - 16)
  }
  # bits for nats: a bound that is too small
  expect_gt(most, plan$unit * information_sensitivity(n)[2] * log(2))
})

test_that("maximal sets of parents are all those to which nothing can be added", {
  set.seed(2)
  for (i in 1:20) {
    d <- 6
    sizes <- sample(1:5, d, replace = TRUE)
    degree <- sample(0:4, 1)
    most <- sample(c(.5, 1, 4, 12, 60), 1)
    taken <- sample(d, sample(1:d, 1))
    family <- new_family(d)
    for (column in taken) family <- grow_family(family, column, sizes[column], degree, 2 * most)
    found <- maximal_sets(family, taken, sizes, degree, c(2 * most, most))[[2]]
    sets <- unlist(lapply(0:length(taken), function(k)
                          utils::combn(length(taken), k, function(x) sort(taken[x]), simplify = FALSE)),
                   recursive = FALSE)
    fits <- function(set) length(set) == 0 || length(set) <= degree && prod(sizes[set]) <= most
    sets <- Filter(fits, sets)
    maximal <- Filter(function(set) !any(vapply(setdiff(taken, set), function(one) fits(c(set, one)), NA)), sets)
    key <- function(sets) sort(vapply(sets, paste, "", collapse = " "))
    expect_identical(key(found), key(maximal))
  }
})

test_that("scopes that are in another are not measured", {
  expect_identical(maximal_scopes(list(3L, c(1L, 3L), c(2L, 1L, 3L), 4L)), list(c(2L, 1L, 3L), 4L))
  expect_identical(maximal_scopes(list(c(2L, 1L), c(1L, 2L))), list(c(2L, 1L)))
})

network_source <- function(data, schema = related_schema()) encode_table(data, schema, "data")
network_plan <- function(source, ..., theta = .01, score = "distance", method = "privbayes") {
  plan_network(source, check_cost(...), synthesis_privbayes(theta = theta, score = score), method)
}

test_that("parents are drawn with the probabilities of the exponential mechanism", {
  skip_if_instrumented()
  set.seed(3)
  source <- network_source(related_rows(12))
  for (measure in list(list(epsilon = 8, rho = NULL, delta = NULL), list(epsilon = NULL, rho = 2, delta = NULL))) {
    plan <- do.call(network_plan, c(list(source), measure))
    each <- if (is.null(measure$rho)) .3 * 8 / 2 else sqrt(8 * .3 * 2 / 2)
    expect_equal(plan$choice$epsilon, each, tolerance = 1e-9)
    # after the first column: which one is next, and its parent. All have room for both others.
    score <- function(scope) slow_distance(slow_counts(source, scope), source$sizes[[scope[1]]], source$n)
    law <- function(first) {
      open <- lapply(setdiff(1:3, first), function(column) c(column, first))
      scores <- vapply(open, score, 0)
      two <- vapply(open, function(scope) any(source$sizes[scope] == 2), NA)
      bound <- if (all(two)) 4 * (source$n - 1) else 6 * source$n
      weight <- exp(each / (2 * bound) * scores)
      structure(weight / sum(weight) / 3, names = vapply(open, paste, "", collapse = " "))
    }
    probability <- unlist(lapply(1:3, law))
    networks <- lapply(1:1000, function(i) draw_network(source, plan, "R"))
    both <- vapply(networks, function(network) setequal(network[[3]][-1], c(network[[1]], network[[2]][1])), NA)
    expect_true(all(both))
    drawn <- vapply(networks, function(network) paste(network[[2]], collapse = " "), "")
    expect_gt(discrete_fit(drawn, names(probability), probability), rarely)
    expect_gt(diff(range(probability)), .02)
  }
})

test_that("rows in memory are counted, compared and chosen among as by their counts, which those in a database give", {
  set.seed(4)
  source <- coded(300, c(3, 2, 70, 1, 40, 60))
  scopes <- c(list(c(3L, 5L, 6L), c(5L, 6L, 3L)), unlist(apply(which(!diag(6), arr.ind = TRUE), 1, list), FALSE))
  scopes <- lapply(scopes, unname)
  for (score in c("distance", "information")) for (known in c(0, 5, length(scopes))) {
    choice <- plan_parents(300, new_cost(c(epsilon = 9)), 9, 2, score)
    exact <- score_scopes_network(source, scopes, choice)
    before <- replace(exact, setdiff(seq_along(scopes), sample(length(scopes), known)), NA)
    seed <- sample(1e6, 1)
    set.seed(seed)
    by_counts <- choose_parents.dptda_database_codes(source, scopes, before, choice, choice$sensitivity[2], "R")
    state <- .Random.seed
    set.seed(seed)
    expect_identical(choose_parents(source, scopes, before, choice, choice$sensitivity[2], "R"), by_counts)
    expect_identical(.Random.seed, state)
    expect_identical(by_counts$score, exact)
  }
})

test_that("all counts of all tables get noise of the scale that their number asks for", {
  set.seed(4)
  source <- network_source(related_rows(50), related_schema(40))
  for (rho in c(FALSE, TRUE)) {
    plan <- network_plan(source, epsilon = if (!rho) 2, rho = if (rho) 1, delta = NULL)
    part <- plan$parts[["margins"]]
    scopes <- list(c(3L, 1L), c(2L, 1L))
    measured <- measure_network(source, c(list(1L), scopes), plan, "R")
    scale <- if (rho) sqrt(2 * 2 / (2 * part)) else 2 * 2 / part
    expect_gte(measured$noise$scale, scale)
    expect_equal(measured$noise$scale, scale, tolerance = 1e-6)
    noise <- replicate(100, unlist(measure_network(source, c(list(1L), scopes), plan, "R")$counts) -
                       unlist(lapply(scopes, slow_counts, source = source)))
    expect_identical(dim(noise), c(126L, 100L))
    y <- -60:60
    weight <- if (rho) exp(-y^2 / (2 * scale^2)) else exp(-abs(y) / scale)
    expect_gt(discrete_fit(as.vector(noise), y, weight /
                           sum(if (rho) weight else exp(-abs(-1000:1000) / scale))), rarely)
    # empty cells too
    expect_gt(discrete_fit(as.vector(noise[slow_counts(source, scopes[[1]]) == 0, ]), y, weight /
                           sum(if (rho) weight else exp(-abs(-1000:1000) / scale))), rarely)
  }
})

test_that("the ledger adds up to what was declared, exactly, and the budget is charged that", {
  set.seed(5)
  data <- related_rows(40)
  for (epsilon in c(1, .1, 1 / 3, pi, 7e-3, exp(stats::rnorm(5)))) for (score in c("distance", "information")) {
    fit <- private_synthesis(data, related_schema(), epsilon, method = synthesis_privbayes(score = score, theta = .01),
                             rng = "R")
    expect_identical(sum(privacy(fit)$ledger$value), epsilon)
    expect_identical(privacy(fit)$measure, c(epsilon = epsilon))
    expect_equal(sum(fit$steps$cost_epsilon), epsilon)
    fit <- private_synthesis(data, related_schema(), rho = epsilon,
                             method = synthesis_privbayes(theta = .01, score = score), rng = "R")
    expect_identical(sum(privacy(fit)$ledger$value), epsilon)
    expect_equal(sum(fit$steps$rho), epsilon)
    # what the steps say of themselves is no more than that
    choices <- fit$steps$epsilon[fit$steps$step == "choice"]
    scales <- fit$steps$scale[fit$steps$step == "margin"]
    expect_lte(sum(choices^2) / 8 + sum(1 / scales^2), epsilon)
  }
  budget <- privacy_budget(epsilon = 1, delta = 1e-6)
  fit <- private_synthesis(data, related_schema(), 1, delta = 1e-6, method = synthesis_privbayes(theta = .01),
                           budget = budget, rng = "R")
  expect_identical(privacy(fit)$measure, c(epsilon = 1, delta = 1e-6))
  expect_equal(unname(budget$spent[["epsilon"]]), 1, tolerance = 1e-3)
  expect_equal(sum(fit$steps$rho), privacy(fit)$parts$rho, tolerance = 1e-9)
  expect_error(private_synthesis(data, related_schema(), 1, delta = 1e-6, method = "privbayes", budget = budget),
               class = "dptda_error_budget")
})

test_that("choices share their part of an epsilon, one for each column but the first, and are known to be choices", {
  set.seed(12)
  data <- related_rows(40)
  for (method in list(synthesis_privbayes(theta = .01), synthesis_dp2pub(theta = .01))) {
    parts <- privacy(private_synthesis(data, related_schema(), 200, method = method, rng = "R"))$parts
    expect_equal(parts$range, rep(network_share[[method_name(method)]] * 200 / 2, 2), tolerance = 1e-9)
    expect_equal(sum(parts$range) + parts$pure, 200, tolerance = 1e-12)
  }
})

test_that("without room for a parent all of the budget is for the columns", {
  data <- related_rows(40)
  fit <- private_synthesis(data, related_schema(), 1, method = synthesis_privbayes(theta = 1e6))
  expect_identical(fit$steps$step, rep("margin", 3))
  expect_identical(privacy(fit)$ledger$step, "private_synthesis")
  expect_identical(model_edges(fit$model)$from, integer())
  expect_identical(private_synthesis(data, related_schema(), 1, method = synthesis_privbayes(degree = 0))$steps$step,
                   rep("margin", 3))
  one <- private_synthesis(data, table_schema(b = schema_logical()), 1, method = "privbayes")
  expect_equal(one$steps$scale, 2, tolerance = 1e-6)
})

test_that("without noise the model has the margins of the rows", {
  set.seed(6)
  data <- related_rows(500)
  source <- network_source(data)
  for (score in c("distance", "information")) {
    fit <- private_synthesis(data, related_schema(), 1e6, method = synthesis_privbayes(theta = .01, score = score),
                             rng = "R")
    for (columns in list(1L, 3:2, c(2L, 1L), 1:3)) {
      expect_equal(model_margin(fit$model, columns), slow_counts(source, columns) / 500)
    }
  }
  alone <- private_synthesis(data, related_schema(), rho = 1e6, method = "margins", rng = "R")
  expect_equal(model_margin(alone$model, 2:3), as.vector(outer(slow_counts(source, 2), slow_counts(source, 3)) / 500^2))
  # a combination of parents that no row has
  rare <- data.frame(a = "u", b = TRUE, c = 7)[rep(1, 20), ]
  fit <- private_synthesis(rare, related_schema(), 1e6, method = synthesis_privbayes(theta = .01), rng = "R")
  expect_true(all(vapply(fit$model$network, function(node) all(abs(colSums(node$probability) - 1) < 1e-12), NA)))
})

test_that("rows are drawn with the probabilities of the model", {
  set.seed(7)
  data <- related_rows(300)
  fit <- private_synthesis(data, related_schema(), 3, method = synthesis_privbayes(theta = .01), rng = "R")
  codes <- draw_codes(fit$model, 20000, "R")
  cell <- 1 + as.vector(codes %*% c(1, 3, 6))
  expect_gt(discrete_fit(cell, 1:30, model_margin(fit$model, 1:3)), rarely)
  expect_equal(simulated_margin(fit$model, c(3, 1)), model_margin(fit$model, c(3, 1)), tolerance = .02)
  expect_identical(dim(draw_codes(fit$model, 0, "R")), c(0L, 3L))
})

test_that("margins of a long chain are those of its table", {
  set.seed(8)
  sizes <- structure(c(2L, 3L, 2L, 1L, 3L), names = letters[1:5])
  parents <- list(integer(), 1L, 2:1, 3L, c(4L, 2L))
  network <- lapply(1:5, function(j) {
    p <- matrix(stats::rexp(sizes[j] * prod(sizes[parents[[j]]])), sizes[j])
    list(column = j, parents = parents[[j]], probability = p / rep(colSums(p), each = sizes[j]))
  })
  model <- structure(list(sizes = sizes, n = 1, network = network, measured = list()), class = "dptda_network_model")
  expect_true(is_valid(model, "dptda_network_model"))
  at <- arrayInd(seq_len(prod(sizes)), sizes)
  joint <- rep(1, prod(sizes))
  for (node in network) {
    stride <- cumprod(c(1, sizes[node$parents]))[seq_along(node$parents)]
    joint <- joint * node$probability[cbind(at[, node$column], 1 + (at[, node$parents, drop = FALSE] - 1) %*% stride)]
  }
  for (columns in list(5L, c(5L, 1L), c(2L, 3L, 5L), 5:1)) {
    expect_equal(model_margin(model, columns), sum_counts(joint, 1:5, columns, sizes))
  }
})

test_that("margins that would take too large a table on the way are estimated", {
  set.seed(11)
  sizes <- structure(c(60L, 60L, 60L, 60L, 2L, 2L), names = letters[1:6])
  parents <- list(integer(), integer(), integer(), integer(), 1:2, 3:4)
  network <- lapply(1:6, function(j) {
    p <- matrix(stats::rexp(sizes[j] * prod(sizes[parents[[j]]])), sizes[j])
    list(column = j, parents = parents[[j]], probability = p / rep(colSums(p), each = sizes[j]))
  })
  model <- structure(list(sizes = sizes, n = 1, network = network, measured = list()), class = "dptda_network_model")
  exact <- as.vector(outer(model_margin(model, 5L), model_margin(model, 6L)))
  # a million rows: .002 is four standard deviations of each cell
  expect_equal(model_margin(model, 5:6), exact, tolerance = .004)
  expect_error(model_margin(model, 1:4), "too many cells", class = "dptda_error_argument")
})

test_that("whatever the rows are, a release ends in the same way", {
  set.seed(9)
  schema <- related_schema()
  for (data in list(data.frame(a = "u", b = TRUE, c = 1),
                    data.frame(a = rep("none", 3), b = FALSE, c = c(-Inf, Inf, 1e300)),
                    related_rows(200), data.frame(a = factor("w"), b = NA | TRUE, c = 3L)[rep(1, 70), ])) {
    methods <- list(synthesis_privbayes(), synthesis_privbayes(score = "information"), margins())
    for (method in methods) for (epsilon in c(1e-6, 1, 1e12)) {
      fit <- expect_silent(private_synthesis(data, schema, epsilon, method = method, rng = "R"))
      drawn <- expect_silent(simulate(fit, 50, seed = 1))
      expect_identical(dim(drawn), c(50L, 3L))
      expect_false(anyNA(drawn))
    }
  }
  # public numbers decide
  expect_error(private_synthesis(data, schema, 1e-20, method = "margins"), "2\\^40", class = "dptda_error_argument")
  none <- table_schema(a = "u", b = schema_logical(missing = "level"))
  levels <- list(a = schema_categorical("u", other = "u"))
  fit <- private_synthesis(data["a"], do.call(table_schema, levels), 1, method = "privbayes")
  expect_identical(levels(simulate(fit, 3)$a), "u")
  expect_identical(as.character(simulate(fit, 3)$a), rep("u", 3))
  expect_s3_class(private_synthesis(data, none, 1, method = "privbayes"), "dptda_synthesis")
})

test_that("as many parents as the number of columns allows", {
  expect_identical(vapply(c(1, 2, 9, 14, 64), most_degree, 0), c(1, 1, 8, 4, 1))
})

test_that("many columns and many candidates are one network", {
  skip_unless_long()
  set.seed(10)
  sizes <- sample(2:6, 20, replace = TRUE)
  source <- coded(3000, sizes)
  source$codes[, 2] <- pmin(source$codes[, 1], source$sizes[2] - 1L)
  plan <- plan_network(source, new_cost(c(epsilon = 20)), synthesis_privbayes())
  network <- draw_network(source, plan, "R")
  expect_setequal(vapply(network, `[`, 0L, 1), 1:20)
  taken <- integer()
  for (scope in network) {
    expect_true(all(scope[-1] %in% taken))
    expect_lte(prod(sizes[scope]), max(plan$useful, sizes[scope[1]]))
    taken <- c(taken, scope[1])
  }
})

test_that("a degree with more sets of parents than can be tried is refused before anything is spent", {
  data <- as.data.frame(matrix(c(TRUE, FALSE), 200, 30))
  schema <- do.call(table_schema, structure(rep(list(schema_logical()), 30), names = names(data)))
  budget <- privacy_budget(epsilon = 20)
  expect_error(private_synthesis(data, schema, 10, method = synthesis_privbayes(theta = 1e-4, degree = 29),
                                 budget = budget), "sets of parents",
               class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
  expect_s3_class(private_synthesis(data, schema, 10, method = synthesis_privbayes(degree = 1), budget = budget),
                  "dptda_synthesis")
})

test_that("all tables that are measured have room together, whatever the budget", {
  for (d in c(2, 20, 100)) {
    source <- list(sizes = structure(rep(100L, d), names = paste0("c", seq_len(d))), n = 1e12)
    plan <- plan_network(source, new_cost(c(epsilon = 1e6)), synthesis_privbayes(theta = 1e-6))
    expect_lte(d * plan$useful, most_measured_cells)
    # and as large as there is room for
    expect_gte(plan$useful, min(most_network_cells, floor(most_measured_cells / d)))
  }
})

test_that("columns of one cell, which are public, are in no network and cost nothing", {
  data <- data.frame(a = rep(c("x", "y"), 200), b = rep(c(TRUE, TRUE, FALSE), length.out = 400), c = rep(1:4, 100))
  schema <- list(a = c("x", "y"), b = schema_logical(), c = 1:4)
  wide <- data.frame(one = "z", data, two = 0.5)
  wider <- c(list(one = schema_categorical("z", other = "z")), schema, list(two = schema_numeric(0, 1, cells = 1)))
  methods <- list("privbayes", "margins", "dp2pub", synthesis_privbayes(score = "information"))
  for (method in methods) for (cost in list(list(epsilon = 20), list(rho = 0.5))) {
    randomized <- identical(method, "dp2pub")
    if (randomized && !is.null(cost$rho)) next
    made <- lapply(list(list(data, schema), list(wide, wider)), function(given) {
      withr::with_seed(5, do.call(private_synthesis, c(given, cost, list(method = method, rng = "R"))))
    })
    expect_identical(made[[2]]$steps, made[[1]]$steps)
    expect_identical(privacy(made[[2]])$measure, privacy(made[[1]])$measure)
    expect_identical(privacy(made[[2]])$ledger, privacy(made[[1]])$ledger)
    if (!randomized) for (place in list(1, 2:3, c(1, 3))) {
      expect_equal(model_margin(made[[2]]$model, place + 1L), model_margin(made[[1]]$model, place))
    }
    rows <- simulate(made[[2]], 50, seed = 1)
    expect_true(all(rows$one == "z") && all(rows$two >= 0 & rows$two <= 1))
    expect_output(print(made[[2]]), "method ")
    expect_s3_class(summary(made[[2]]), "data.frame")
    grDevices::pdf(NULL)
    plot(made[[2]])
    grDevices::dev.off()
  }
  # nothing else to look at, or one column that is
  for (method in methods[1:3]) for (columns in list("one", c("one", "two"), c("one", "a", "two"))) {
    lone <- private_synthesis(wide[columns], wider[columns], 4, method = method)
    expect_named(simulate(lone, 3), columns)
  }
})

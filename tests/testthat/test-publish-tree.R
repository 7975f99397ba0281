# A false alarm has probability 1e-6; the seeds are fixed, so that a test fails always or never.
rarely <- 1e-6

test_that("all margins are those of the joint table, in cliques and across them", {
  set.seed(801)
  for (trial in 1:40) {
    d <- sample.int(6, 1)
    sizes <- sample.int(4, d, TRUE)
    scopes <- random_scopes(d, sample(0:6, 1))
    model <- random_tree(sizes, scopes)
    joint <- full_joint(sizes, scopes, model$potential)
    # the columns in any order, none of them too
    asked <- lapply(1:10, function(i) sample.int(d, sample(0:d, 1)))
    expect_equal(tree_margins(model, asked), lapply(asked, joint_margin, joint = joint), tolerance = 1e-12)
  }
})

test_that("potentials far apart, states that cannot be, and columns of one code", {
  set.seed(802)
  sizes <- c(3, 1, 2, 4)
  scopes <- list(1:2, 2:3, 3:4, c(1L, 4L))
  model <- random_tree(sizes, scopes, spread = 300)
  joint <- full_joint(sizes, scopes, model$potential)
  expect_equal(tree_margins(model, list(1:4, c(4L, 2L)))[[1]], as.vector(joint), tolerance = 1e-9)
  expect_equal(sum(tree_margins(model, list(c(1L, 3L)))[[1]]), 1)
  # one code of the column between two others has no part in anything
  chain <- random_tree(c(2, 2, 3), list(1:2, 2:3))
  chain$potential[[1]][1:2] <- chain$potential[[1]][1:2] - 2000
  joint <- full_joint(c(2, 2, 3), chain$scopes, chain$potential)
  asked <- list(c(1L, 3L), c(3L, 1L), 1:3)
  expect_equal(tree_margins(chain, asked), lapply(asked, joint_margin, joint = joint))
  model <- random_tree(c(1, 1), list(1:2))
  expect_identical(tree_margins(model, list(1:2, integer())), list(1, 1))
  expect_identical(dim(draw_codes(model, 5, "R")), c(5L, 2L))
})

# Greedy elimination as it is said: the cliques that lie in no other.
slow_cliques <- function(sizes, scopes) {
  d <- length(sizes)
  edges <- diag(d) > 0
  for (scope in scopes) edges[scope, scope] <- TRUE
  left <- rep(TRUE, d)
  cliques <- list()
  for (step in seq_len(d)) {
    cells <- vapply(seq_len(d), function(i) if (left[i]) prod(sizes[edges[i, ] & left]) else Inf, 0)
    taken <- which(edges[which.min(cells), ] & left)
    edges[taken, taken] <- TRUE
    if (!any(vapply(cliques, function(clique) all(taken %in% clique), NA))) cliques <- c(cliques, list(taken))
    left[which.min(cells)] <- FALSE
  }
  cliques
}

test_that("the junction tree is one, and its size is known from the scopes", {
  set.seed(803)
  for (trial in 1:40) {
    d <- sample.int(12, 1)
    sizes <- named_sizes(sample.int(6, d, TRUE))
    scopes <- random_scopes(d, sample(0:12, 1))
    tree <- tree_cliques(sizes, scopes)
    cliques <- lapply(tree$columns, sort.int)
    slow <- slow_cliques(sizes, scopes)
    expect_setequal(vapply(cliques, toString, ""), vapply(slow, toString, ""))
    expect_equal(tree_sizes(sizes, scopes)$cells, sum(scope_cells(slow, sizes)))
    expect_true(all(vapply(scopes, function(scope)
                           any(vapply(cliques, function(clique) all(scope %in% clique), NA)), NA)))
    expect_identical(tree$parent[1], 0L)
    expect_true(all(tree$parent[-1] < seq_along(cliques)[-1]))
    # what a clique shares with all before it is in its parent
    for (c in seq_along(cliques)[-1]) {
      own <- tree$columns[[c]]
      before <- intersect(own, unlist(cliques[seq_len(c - 1)]))
      expect_setequal(before, own[-seq_len(tree$inner[c])])
      expect_true(all(before %in% cliques[[tree$parent[c]]]))
    }
    more <- random_scopes(d, 3)
    larger <- vapply(more, function(scope) sum(scope_cells(slow_cliques(sizes, c(scopes, list(scope))), sizes)), 0)
    expect_equal(tree_sizes(sizes, scopes, more)$more, larger)
  }
})

test_that("a hundred columns, connected and not", {
  set.seed(804)
  sizes <- rep(3, 100)
  chain <- random_tree(sizes, lapply(1:99, function(i) c(i, i + 1L)))
  expect_identical(tree_sizes(chain$classes, chain$scopes)$cells, 99 * 9)
  # along the chain by matrices
  transfer <- lapply(chain$potential, function(cells) exp(matrix(cells, 3)))
  ends <- Reduce(function(a, b) (a %*% b) / sum(a %*% b), transfer)
  expect_equal(tree_margins(chain, list(c(1L, 100L)))[[1]], as.vector(ends))
  apart <- random_tree(sizes, list(1:2, 99:100))
  both <- tree_margins(apart, list(c(1L, 100L, 50L), 1L, 100L))
  expect_equal(both[[1]], as.vector(outer(outer(both[[2]], both[[3]]), rep(1 / 3, 3))))
  expect_identical(dim(draw_codes(chain, 10, "R")), c(10L, 100L))
})

test_that("models that do not fit are refused, and their sizes are known", {
  sizes <- named_sizes(rep(50, 12))
  scopes <- utils::combn(12, 2, simplify = FALSE)
  expect_identical(tree_sizes(sizes, list(), list(1:12))$more, 50^12)
  model <- new_tree_model(sizes, 10)
  expect_error(tree_cliques(sizes, scopes), class = "dptda_error")
  model$scopes <- list(1:8)
  expect_error(tree_cliques(sizes, model$scopes), class = "dptda_error")
  one <- random_tree(sizes, list(1L))
  expect_error(.Call(ffi_publish_tree_margins, one$sizes, one$scopes, one$potential, list(1:6),
                     kernel_options()), "must be of less than")
  # the model has room, and the margin too, but what leads to it has not
  chain <- random_tree(c(1024, 512, 1024), list(1:2, 2:3), 0)
  expect_error(tree_margins(chain, list(c(1L, 3L))), "needs a table of more than 2\\^28 cells", class = "dptda_error")
})

test_that("a fit finds margins that there are, and the nearest where they disagree", {
  set.seed(805)
  sizes <- c(3, 2, 4, 2)
  truth <- full_joint(sizes, list(1:2, 2:3, 3:4, c(1, 4)),
                      random_tree(sizes, list(1:2, 2:3, 3:4, c(1, 4)), 1)$potential)
  model <- new_tree_model(named_sizes(sizes), 1000)
  for (scope in list(1:2, 2:3, 3:4, c(1, 4))) {
    model <- add_measurement(model, as.integer(scope), 1000 * joint_margin(truth, scope), 1)
  }
  fitted <- fit_tree(model, 5000)
  for (i in 1:4) expect_equal(1000 * tree_margins(fitted, fitted$scopes[i])[[1]], fitted$count[[i]], tolerance = 1e-4)
  # two measurements of one column that disagree: the mean by weights, brought to the total
  model <- new_tree_model(named_sizes(2), 100)
  model <- add_measurement(add_measurement(model, 1L, c(20, 80), 1), 1L, c(50, 50), 2)
  expect_equal(model$count[[1]], c(40, 60))
  expect_identical(model$weight[[1]], c(3, 3))
  expect_equal(100 * tree_margins(fit_tree(model, 1000), list(1L))[[1]], c(40, 60), tolerance = 1e-3)
  # a total that is not the model's is shared by least squares; a count below zero becomes none
  model <- add_measurement(new_tree_model(named_sizes(3), 90), 1L, c(-30, 40, 80), 1)
  expect_equal(90 * tree_margins(fit_tree(model, 5000), list(1L))[[1]], c(0, 25, 65), tolerance = 1e-2)
})

# Exponentiated gradients on all cells of the joint table.
slow_fit <- function(sizes, n, scopes, count, weight, steps) {
  joint <- array(1 / prod(sizes), sizes)
  length <- 1 / (n * max(weight) * length(scopes))
  for (step in seq_len(steps)) {
    slope <- array(0, sizes)
    for (i in seq_along(scopes)) {
      away <- n * joint_margin(joint, scopes[[i]]) - count[[i]]
      slope <- slope + as.vector(aperm(array(weight[i] * away, c(sizes[scopes[[i]]], sizes[-scopes[[i]]])),
                                       order(c(scopes[[i]], seq_along(sizes)[-scopes[[i]]]))))
    }
    joint <- joint * exp(-length * (slope - min(slope)))
    joint <- joint / sum(joint)
  }
  joint
}

test_that("noisy margins are fitted as the joint table fits them", {
  set.seed(806)
  sizes <- c(2, 3, 2)
  weight <- c(1, 0.25, 4)
  # a circle, and sets within sets within sets
  for (scopes in list(list(1:2, 2:3, c(1L, 3L)), list(2L, 1:2, 1:3))) {
    count <- lapply(scopes, function(scope) round(stats::rnorm(prod(sizes[scope]), 300 / prod(sizes[scope]), 20)))
    slow <- lapply(scopes, joint_margin, joint = slow_fit(sizes, 300, scopes, count, weight, 4000))
    model <- new_tree_model(named_sizes(sizes), 300)
    for (i in 1:3) model <- add_measurement(model, scopes[[i]], count[[i]], weight[i])
    fitted <- tree_margins(fit_tree(model, 20000), scopes)
    loss <- function(margins) sum(weight * mapply(function(p, y) sum((300 * p - y)^2), margins, count)) / 2
    expect_equal(loss(fitted), loss(slow), tolerance = 1e-3)
    expect_lt(max(abs(unlist(fitted) - unlist(slow))), 0.005)
  }
})

test_that("what has no weight has no effect, but on the size", {
  set.seed(807)
  model <- add_measurement(new_tree_model(named_sizes(c(3, 3)), 100), 1L, c(50, 30, 20), 1)
  with <- add_measurement(model, 1:2, stats::rnorm(9, 0, 100), 0)
  expect_equal(tree_margins(fit_tree(with, 200), list(1L, 2L)), tree_margins(fit_tree(model, 200), list(1L, 2L)))
  half <- add_measurement(model, 2L, c(10, 90, 0), c(1, 0, 0))
  expect_equal(tree_margins(fit_tree(half, 2000), list(2L))[[1]], c(0.1, 0.45, 0.45), tolerance = 1e-4)
  expect_error(fit_tree(add_measurement(new_tree_model(named_sizes(2), 10), 1L, c(5, 5), 0), 10), class = "dptda_error")
})

test_that("two threads compute what one does, in a model that they share", {
  set.seed(808)
  sizes <- c(100, 90, 80, 70)
  model <- random_tree(sizes, list(1:3, 2:4), 1)
  model$count <- lapply(model$potential, function(x) stats::rnorm(length(x), 1, 0.1))
  with_threads <- function(threads) {
    withr::local_options(dptda.threads = threads)
    fitted <- fit_tree(model, 2)
    list(fitted$potential, tree_margins(fitted, list(c(1L, 4L))))
  }
  expect_identical(with_threads(1), with_threads(2))
})

test_that("rows have the margins of the model, and what a clique asks for but for rounding", {
  set.seed(809)
  sizes <- c(3, 4, 2, 3)
  scopes <- list(1:2, 2:3, 3:4)
  model <- random_tree(sizes, scopes, 1)
  joint <- full_joint(sizes, scopes, model$potential)
  n <- 5000
  codes <- draw_codes(model, n, "R")
  expect_true(all(codes >= 0) && all(t(codes) < sizes))
  root <- tree_cliques(model$sizes, scopes)$columns[[1]]
  expect_lt(max(abs(joint_counts(coded_source(codes, sizes), root) - n * joint_margin(joint, root))), 1)
  # farther columns: as the model has them, with less noise than independent draws
  for (pair in list(c(1, 4), c(1, 3), c(2, 4))) {
    away <- joint_counts(coded_source(codes, sizes), pair) - n * joint_margin(joint, pair)
    expect_lt(sum(away^2 / (n * joint_margin(joint, pair))),
              stats::qchisq(rarely, length(away) - 1, lower.tail = FALSE))
  }
  expect_identical(dim(draw_codes(model, 0, "R")), c(0L, 4L))
  set.seed(1)
  first <- draw_codes(model, 100, "R")
  set.seed(1)
  expect_identical(draw_codes(model, 100, "R"), first)
})

test_that("very many rows are drawn in parts", {
  model <- random_tree(c(3, 2), list(1:2), 1)
  for (n in c(0, 40, 41, 100)) {
    codes <- draw_in_parts(function(rows) draw_codes(model, rows, "R"), n, 40)
    expect_identical(dim(codes), c(as.integer(n), 2L))
  }
})

test_that("single rows are distributed as the model", {
  skip_if_instrumented()
  set.seed(810)
  sizes <- c(3, 2, 2)
  scopes <- list(1:2, 2:3)
  model <- random_tree(sizes, scopes, 1)
  place <- replicate(4000, sum(draw_codes(model, 1, "R") * c(1, 3, 6))) + 1
  expect_gt(discrete_fit(place, 1:12, as.vector(full_joint(sizes, scopes, model$potential))), rarely)
})

test_that("distances are those of whole numbers", {
  set.seed(811)
  sizes <- c(3, 2, 4)
  model <- random_tree(sizes, list(1:2, 3L))
  model$n <- 50
  scopes <- list(1:2, c(1L, 3L), 1:3, 2L)
  counts <- lapply(scopes, function(scope) {
    as.double(tabulate(sample.int(prod(sizes[scope]), 50, TRUE), prod(sizes[scope])))
  })
  for (unit in c(1, 2^10, 2^44)) {
    slow <- mapply(function(scope, count) sum(abs(unit * count -
                                                  floor(unit * 50 * tree_margins(model, list(scope))[[1]] + 0.5))),
                                                  scopes, counts)
    expect_identical(score_scopes(model, scopes, counts, unit), slow)
  }
  expect_identical(score_scopes(model, scopes[4], counts[4], 1, weight = 3, bias = 7), 3 *
                   (score_scopes(model, scopes[4], counts[4], 1) - 7))
})

# The cells of the largest table or loop on the way to a margin: a clique that has all the columns, else from clique to
# clique up to the one under which all of them are.
slow_reach <- function(tree, sizes, asked) {
  cells <- function(columns) prod(sizes[columns])
  whole <- vapply(tree$columns, function(clique) all(asked %in% clique), NA)
  if (any(whole)) return(min(vapply(tree$columns[whole], cells, 0)))
  separators <- Map(function(columns, inner) columns[-seq_len(inner)], tree$columns, tree$inner)
  above <- function(clique) if (clique > 0) c(clique, above(tree$parent[clique]))
  paths <-
    lapply(asked, function(column) above(which(vapply(tree$columns, function(clique) column %in% clique, NA))[1]))
  top <- max(Reduce(intersect, paths))
  most <- 0
  see <- function(columns) {
    force(columns) # which may see others
    most <<- max(most, cells(columns))
    columns
  }
  hand_up <- function(clique) {
    children <- intersect(which(tree$parent == clique), unlist(paths))
    own <- c(asked, if (clique != top) separators[[clique]])
    axes <- see(intersect(tree$columns[[clique]], c(own, unlist(separators[children]))))
    for (i in seq_along(children)) {
      axes <- see(intersect(see(union(axes, hand_up(children[i]))), c(own, unlist(separators[children[-seq_len(i)]]))))
    }
    axes
  }
  hand_up(top)
  most
}

test_that("what is kept from set to set changes no distance, and no size that is needed", {
  skip_if_instrumented()
  set.seed(813)
  farther <- 0
  for (trial in 1:10) {
    d <- sample(4:9, 1)
    sizes <- sample(2:4, d, TRUE)
    # a chain that some sets close
    scopes <- c(lapply(seq_len(d - 1), function(j) c(j, j + 1L)), if (trial > 3)
                random_scopes(d, sample.int(3, 1), sample(2:3, 1)))
    model <- random_tree(sizes, unique(scopes[order(stats::runif(length(scopes)))]))
    pairs <- utils::combn(d, 2, simplify = FALSE)
    triples <- utils::combn(d, 3, simplify = FALSE)
    asked <- c(pairs, triples, lapply(triples, sample), lapply(1:20, function(i) sample.int(d, 4)), list(integer()))
    asked <- asked[order(stats::runif(length(asked)))]
    # sizes, from the sets alone
    together <- tree_sizes(model$sizes, model$scopes, asked)$reach
    expect_identical(together, vapply(asked, function(scope)
                                      tree_sizes(model$sizes, model$scopes, list(scope))$reach, 0))
    tree <- tree_cliques(model$sizes, model$scopes)
    expect_identical(together, vapply(asked, function(scope) if (length(scope))
                                      slow_reach(tree, sizes, scope) else 1, 0))
    farther <- farther + sum(together > pmax(max(scope_cells(tree$columns, sizes)), scope_cells(asked, sizes)))
    # distances, of counts that are far and near
    joint <- full_joint(sizes, model$scopes, model$potential)
    margins <- lapply(asked, joint_margin, joint = joint)
    counts <- lapply(margins, function(p) {
      as.double(stats::rmultinom(1, 1000, if (trial %% 2) p else rep(1, length(p))))
    })
    distance <- score_scopes(model, asked, counts, 2^20)
    expect_identical(distance, mapply(function(scope, counts) score_scopes(model, list(scope), list(counts), 2^20),
                                      asked, counts))
    expect_equal(distance / 2^20, mapply(function(p, counts) sum(abs(counts - 1000 * p)), margins, counts),
                 tolerance = 1e-6)
  }
  # some margins need tables that are larger than all cliques and than themselves
  expect_gt(farther, 0)
})

test_that("among very many columns none is taken for another", {
  set.seed(817)
  d <- 150
  model <- random_tree(rep(2, d), lapply(seq_len(d - 1), function(j) c(j, j + 1L)))
  asked <- lapply(1:300, function(i) sample.int(d, sample(2:3, 1)))
  together <- tree_margins(model, asked)
  counts <- lapply(lengths(asked), function(count) rep(1000 / 2^count, 2^count))
  distance <- function(asked, counts) score_scopes(model, asked, counts, 2^20)
  expect_identical(distance(asked, counts), unlist(Map(function(scope, counts) distance(list(scope), list(counts)),
                                                       asked, counts)))
  expect_equal(distance(asked, counts) / 2^20, mapply(function(p, counts) sum(abs(counts - 1000 * p)), together,
                                                      counts), tolerance = 1e-6)
})

test_that("rare codes are one class, and come back as they were counted", {
  model <- new_classed_model(named_sizes(c(5, 3, 2)), 1000,
                             list(c(700, 5, 280, -3, 15), c(400, 1, 600), c(998, 2)), 10, 3)
  expect_identical(unname(model$classes), c(3L, 2L, 2L))
  expect_identical(model$class_of[[1]], c(1L, 3L, 2L, 3L, 3L))
  expect_equal(model$share[[1]], c(1, 3.5 / 17, 1, 0, 13.5 / 17))
  # one alone that is not told from none joins the next; of two codes both stay
  expect_identical(model$class_of[[2]], c(2L, 2L, 1L))
  expect_equal(model$count[[1]], c(700, 280, 17))
  expect_equal(model$weight[[1]], c(1, 1, 1 / 3) / 100)
  # counts of scopes follow, and margins come back
  counts <- as.double(1:30)
  cube <- array(counts, c(5, 3, 2))
  merged <- merge_counts(counts, 1:3, model)
  expect_identical(sum(merged), sum(counts))
  expect_identical(array(merged, c(3, 2, 2))[, 1, 2], c(cube[1, 3, 2], cube[3, 3, 2], sum(cube[c(2, 4, 5), 3, 2])))
  fitted <- fit_tree(model, 500)
  margin <- array(model_margin(fitted, 1:3), c(5, 3, 2))
  expect_equal(sum(margin), 1)
  expect_equal(apply(margin, 1, sum), model_margin(fitted, 1))
  expect_equal(margin[2, 1, 1] / margin[5, 1, 1], 3.5 / 13.5)
  set.seed(812)
  codes <- draw_codes(fitted, 20000, "R")
  expect_identical(apply(codes, 2, max), c(4L, 2L, 1L))
  expect_false(any(codes[, 1] == 3))
  expect_gt(stats::chisq.test(table(codes[codes[, 1] %in% c(1, 4), 1]), p = c(3.5, 13.5) / 17)$p.value, rarely)
  # nothing but noise: one class, all codes alike
  model <- new_classed_model(named_sizes(3), 10, list(c(-5, -1, 0)), 10, 3)
  expect_identical(model$share[[1]], rep(1 / 3, 3))
  expect_identical(unname(model$classes), 1L)
  expect_equal(class_shares(c(5, -1, 3)), c(4.5, 0, 2.5) / 7)
})

test_that("the first round and every other one have the noise that they are charged for", {
  set.seed(814)
  sizes <- c(30, 40)
  counts <- list(rep(100, 30), rep(0, 40), as.double(stats::rmultinom(1, 3000, rep(1, 1200))))
  plan <- list(sizes = named_sizes(sizes), n = 3000, scopes = list(1L, 2L, 1:2), scale = 12, cost = rho_budget(1),
               kind = "gaussian", person_weight = 1, varied = 1:2)
  queries <- replicate(20, {
    start <- start_tree_model(counts, plan, -Inf, 0, "R")
    stopifnot(identical(start$counts, counts), identical(start$steps$rho, rep(margin_cost(12), 2)))
    c(unlist(start$model$count) - unlist(counts[1:2]),
      measure_scope(start$model, 1:2, counts[[3]], 12, "R")$count[[3]] - counts[[3]])
  })
  for (own in list(queries[1:30, ], queries[31:70, ], queries[71:1270, ])) {
    chance <- stats::pchisq(sum((own / 12)^2), length(own))
    expect_gt(min(chance, 1 - chance), rarely)
  }
  model <- measure_scope(new_tree_model(plan$sizes, 3000), 1L, counts[[1]], 12, "R")
  expect_equal(model$weight[[1]], rep(1 / 144, 30))
})

test_that("MST and AIM draw with the numbers that they are charged for, which together are no more than rho", {
  set.seed(816)
  source <- coded_source(cbind(rep(0:1, 50), rep(0:1, 50), rep(0:3, 25)), c(2, 2, 4))
  noise <- add_noise
  choice <- draw_choice
  scoring <- score_scopes
  for (release in list(release_mst, release_aim)) for (rho in c(0.01, 1, 50)) {
    scales <- epsilons <- double()
    needed <- expected <- 0
    made <- with_replaced("add_noise", function(values, scale, kind, rng) {
      scales <<- c(scales, rep(scale, if (is.list(values)) length(values) else 1))
      noise(values, scale, kind, rng)
    }, with_replaced("score_scopes", function(model, scopes, counts, unit, weight = 1, bias = 0, total) {
      needed <<- 2 * unit * max(weight) # one row leaves a cell, and comes to another
      if (identical(release, release_aim)) {
        expected <<- bias / (unit * sqrt(2 / pi) * scope_cells(scopes, model$classes))
      }
      scoring(model, scopes, counts, unit, weight, bias)
    }, with_replaced("draw_choice", function(scores, epsilon, sensitivity, rng, count = 1) {
      epsilons <<- c(epsilons, epsilon)
      expect_gte(sensitivity, needed)
      choice(scores, epsilon, sensitivity, rng)
    }, release(source, rho_budget(rho), NULL, "R"))))
    expect_identical(scales, made$steps$scale[!is.na(made$steps$scale)])
    expect_identical(epsilons, made$steps$epsilon[!is.na(made$steps$epsilon)])
    # what the noise alone would bring is taken off the scores, and where a round finds no more than that the next has
    # half of it
    if (identical(release, release_aim)) {
      expect_equal(unname(expected), rep(scales[length(scales)], length(expected)), tolerance = 1e-3)
      expect_true(any(abs(scales[-1] / scales[-length(scales)] - 1 / 2) < 1e-6))
    }
    expect_lte(sum(1 / scales^2) + sum(epsilons^2 / 8), rho)
    expect_gt(sum(1 / scales^2) + sum(epsilons^2 / 8), rho * (1 - 2^-20))
  }
})

test_that("what looks and choices cost is what these mechanisms are known to cost", {
  for (scale in c(0.3, 1, 77)) {
    # a table whose counts are replaced by neighbors: two of them by one each
    expect_identical(margin_cost(scale), 2 / (2 * scale^2))
    expect_lte(margin_cost(margin_scale(1 / scale^2)), 1 / scale^2)
  }
  for (epsilon in c(0.1, 1, 3)) {
    expect_gte(choice_cost(epsilon), parts_rho(measure_parts(c(epsilon = epsilon), bounded_range = TRUE)))
  }
  # little more is known of a small one
  expect_equal(choice_cost(0.1), parts_rho(measure_parts(c(epsilon = 0.1), bounded_range = TRUE)), tolerance = 1e-3)
})

test_that("candidates that make the model too large, or whose margin needs too large a table, are left out", {
  set.seed(815)
  sizes <- c(3, 4, 2, 3, 4)
  model <- random_tree(sizes, lapply(1:4, function(j) c(j, j + 1L)))
  plan <- list(scopes = unlist(lapply(1:3, function(k) utils::combn(5, k, simplify = FALSE)), recursive = FALSE),
               most_cells = Inf, spent = 1)
  # what a model may have of cells grows with what is spent
  more <- vapply(plan$scopes, function(scope) {
    sum(scope_cells(slow_cliques(sizes, c(model$scopes, list(scope))), sizes))
  }, 0)
  cells <- sum(scope_cells(model$scopes, sizes))
  for (used in c(0, 0.4, 1)) {
    expect_identical(open_scopes(model, replace(plan, "most_cells", 100), used),
                     which(more <= cells | more <= 100 * used))
  }
  reach <- vapply(plan$scopes, slow_reach, 0, tree = tree_cliques(model$sizes, model$scopes), sizes = sizes)
  expect_identical(open_scopes(model, plan, 1), seq_along(reach))
  for (most in sort(unique(reach))) {
    with_replaced("most_table_cells", most, expect_identical(open_scopes(model, plan, 1), which(reach <= most)))
  }
})

test_that("a damaged model is seen", {
  model <- random_tree(c(2, 3), list(1:2))
  expect_true(is_valid(model, "dptda_tree_model"))
  expect_false(is_valid(replace(model, "potential", list(list(1))), "dptda_tree_model"))
  expect_false(is_valid(replace(model, "class_of", list(list(1:2, 1:2))), "dptda_tree_model"))
  expect_false(is_valid(replace(model, "sizes", list(c(2, 3))), "dptda_tree_model"))
})

test_that("a kernel refuses what is no scope", {
  sizes <- c(2L, 3L)
  for (bad in list(list(3L), list(0L), list(c(1L, 1L)), list(1), 1L, list("a"))) {
    expect_error(tree_sizes(sizes, bad), class = "dptda_error_argument")
  }
  for (bad in list(integer(), 0L, c(2, 3), 2L^25L)) {
    expect_error(tree_sizes(bad, list()), class = "dptda_error_argument")
  }
})

test_that("potentials stay within bounds, however long a fit goes on", {
  # of one code nothing can be learned, and counts below zero push without end
  model <- add_measurement(new_tree_model(named_sizes(c(1, 3)), 10), 1L, -1e12, 1e-9)
  model <- add_measurement(model, 2L, c(-1e15, 5, 7), 1e-3)
  for (i in 1:5) model <- fit_tree(model, 1000)
  expect_lte(max(unlist(model$potential)), 0)
  expect_gte(min(unlist(model$potential)), -2^60)
  expect_equal(10 * tree_margins(model, list(2L))[[1]], c(0, 4, 6), tolerance = 1e-2)
})

test_that("columns of one cell, which are public, cost nothing and change nothing", {
  data <- data.frame(a = rep(c("x", "y"), 200), b = rep(c(TRUE, TRUE, FALSE), length.out = 400), c = rep(1:4, 100))
  schema <- list(a = c("x", "y"), b = schema_logical(), c = 1:4)
  wide <- data.frame(one = "z", data, two = 0.5)
  wider <- c(list(one = schema_categorical("z", other = "z")), schema, list(two = schema_numeric(0, 1, cells = 1)))
  methods <- list("aim", "mst", synthesis_aim(workload = ~ a * b), synthesis_mst(workload = ~ a * b + a * c))
  for (method in methods) for (cost in list(list(epsilon = 2), list(rho = 0.5))) {
    made <- lapply(list(list(data, schema), list(wide, wider)), function(given) {
      withr::with_seed(5, do.call(private_synthesis, c(given, cost, list(method = method, rng = "R"))))
    })
    expect_identical(made[[2]]$steps, made[[1]]$steps)
    expect_identical(privacy(made[[2]])$measure, privacy(made[[1]])$measure)
    for (place in list(1, 2:3, c(1, 3))) {
      expect_equal(model_margin(made[[2]]$model, place + 1L), model_margin(made[[1]]$model, place), tolerance = 1e-6)
    }
    rows <- simulate(made[[2]], 50, seed = 1)
    expect_true(all(rows$one == "z") && all(rows$two >= 0 & rows$two <= 1))
    expect_output(print(made[[2]]), "method ")
  }
  # nothing else to look at, and sets of columns that are of these alone
  expect_length(private_synthesis(wide["one"], wider["one"], 1)$schema$columns, 1)
  lone <- private_synthesis(wide, wider, 1, method = synthesis_aim(workload = ~ one * two))
  expect_setequal(lone$steps$columns, c("a", "b", "c"))
})

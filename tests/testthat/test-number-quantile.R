# Quantiles from noisy counts; those that are drawn by their ranks are in test-number-quantile-ranks.R.
counted_quantile <- function(...) private_quantile(..., method = "counts")

# Oracles are written from the definition: rows sorted, cells one by one.
true_cell <- function(x, probs, lower, upper, bits) {
  cells <- 2^bits
  cell <- pmin(pmax(floor((pmin(pmax(x, lower), upper) - lower) * (cells / (upper - lower))), 0), cells - 1)
  as.double(vapply(probs, function(p) sort(cell)[max(1, ceiling(length(x) * p - 1e-9))], 0))
}

quantile_columns <- function(n) {
  list(smooth = stats::rnorm(n), skewed = stats::rexp(n)^3, tied = stats::rpois(n, 2), equal = rep(0.3, n),
       outside = stats::rcauchy(n), ends = sample(c(-Inf, Inf), n, TRUE))
}

test_that("without noise the cell is that of type 1, by search and by tree", {
  skip_if_instrumented()
  set.seed(701)
  few <- c(0.5, 0, 0.25, 1, 0.5)
  many <- c(0:100 / 100, 0.333)
  for (n in c(1, 2, 500)) {
    for (x in quantile_columns(n)) {
      for (bits in c(1, 5, 16)) {
        for (probs in list(0.5, few, many)) {
          for (measure in list(list(epsilon = noiseless), list(rho = noiseless))) {
            release <- do.call(counted_quantile, c(list(x, c(-3, 4), probs, bits = bits), measure))
            expect_identical(release$cell, true_cell(x, probs, -3, 4, bits))
            expect_equal(unname(release$value), -3 + 7 * (release$cell + 0.5) / 2^bits)
          }
        }
      }
    }
  }
})

test_that("values are those of stats::quantile(type = 1) up to half a cell, with its names", {
  set.seed(702)
  x <- stats::rnorm(999)
  probs <- c(0.9, 0.1, 0.5, 0.123456789, 1 / 3)
  release <- counted_quantile(x, c(-8, 8), probs, noiseless, bits = 20)
  truth <- stats::quantile(x, probs, type = 1)
  expect_named(release$value, names(truth))
  expect_lte(max(abs(release$value - truth)), 8 / 2^20 * (1 + 1e-9))
  # roundings of n p are forgiven in the same way
  for (n in c(10, 30, 1000)) {
    probs <- seq_len(n) / n
    # of integers, the quantiles are doubles where R is new
    expect_identical(as.double(stats::quantile(seq_len(n), probs, type = 1)), as.double(target_ranks(probs, n)))
  }
})

test_that("every plan finds the cells where nothing is noisy, and looks once at each boundary", {
  set.seed(703)
  silent <- list(whole = identity, half = function(exact) exact[1])
  for (bits in c(1, 3, 7, 12)) {
    cell <- sort(sample.int(2^bits, 400, TRUE, prob = stats::rexp(2^bits)^4))
    counts <- list(cell = unique(cell), count = as.double(table(cell)))
    ranks <- sort(sample.int(400, 40, TRUE))
    trees <- lapply(1:8, function(each) new_query_plan("tree", split_bits(bits, each)))
    plans <- c(list(new_query_plan("search", rep(1, bits))), trees)
    for (plan in plans) {
      expect_identical(sum(plan$split), bits)
      drawn <- draw_queries(plan, counts, 400, ranks, silent)
      expect_identical(drawn$cell, cell[ranks] - 1)
      below <- vapply(drawn$queries$cell, function(t) sum(cell - 1 < t), 0)
      expect_equal(drawn$queries$count, below)
      expect_false(anyDuplicated(drawn$queries$cell) > 0)
      expect_lte(max(abs(diff(plan$split)), 0), 1)
    }
  }
})

test_that("one row moves the rounds by what the plan says, and some row does", {
  # The queries are taken along a path that both data sets share, as the proof does: the ranks are replaced by a path.
  recorded <- function(cells, plan, ranks) {
    seen <- list()
    add <- list(
      whole = function(exact) {
        seen[[length(seen) + 1]] <<- exact
        0 * exact
      },
      half = function(exact) {
        seen[[length(seen) + 1]] <<- 2 * exact[1] # drawn with half of the scale
        0
      }
    )
    # noisy counts of zero and one rank above them: always the last child; a negative rank: always the first
    draw_queries(plan, list(cell = sort(unique(cells)) + 1, count = as.double(table(cells))), length(cells), ranks, add)
    seen
  }
  for (ranks in list(1e6, -1e6, c(-1e6, 1e6))) {
    plans <- c(list(new_query_plan("search", rep(1, 4))),
               lapply(list(rep(1, 4), c(2, 2), c(2, 1, 1), 4), function(split) new_query_plan("tree", split)))
    for (plan in plans) {
      worst <- c(0, 0)
      for (a in c(0, 3, 4, 7, 8, 12, 15)) {
        for (b in c(0, 1, 5, 8, 11, 15)) {
          change <- Map(`-`, recorded(c(5, 9, a), plan, ranks), recorded(c(5, 9, b), plan, ranks))
          worst <- pmax(worst, c(sum(abs(unlist(change))), sum(unlist(change)^2)))
          expect_lte(max(vapply(change, function(step) sum(abs(step)), 0)), 2)
        }
      }
      expect_lte(worst[1], plan$l1)
      # the half of a search is drawn so in Laplace noise only
      if (plan$method == "tree") expect_lte(worst[2], plan$l2_squared)
      if (length(plan$split) == 1) expect_identical(worst, c(2, 2))
    }
  }
  # a tree that halves reaches its 2 more: the rows part at the first step, and both paths are looked at
  plan <- new_query_plan("tree", rep(1, 4))
  change <- Map(`-`, recorded(c(5, 0), plan, c(-1e6, 1e6)), recorded(c(5, 15), plan, c(-1e6, 1e6)))
  expect_identical(c(sum(abs(unlist(change))), sum(unlist(change)^2)), c(plan$l1, plan$l2_squared))
})

# The probability of each cell that a search, or a tree that halves, finds for one rank, from the definition.
search_law <- function(cells, rank, bits, scale) {
  n <- length(cells)
  vapply(seq_len(2^bits) - 1, function(leaf) {
    from <- 0
    p <- 1
    for (width in 2^(bits - seq_len(bits))) {
      reached <- leaf < from + width
      # the noise is discrete Laplace of half the scale, at least rank - S
      above <- laplace_tail(rank - sum(cells < from + width), scale / 2)
      p <- p * (if (reached) above else 1 - above)
      if (!reached) from <- from + width
    }
    p
  }, 0)
}

laplace_tail <- function(least, scale) {
  q <- exp(-1 / scale)
  if (least > 0) q^least / (1 + q) else 1 - q^(1 - least) / (1 + q)
}

# Two steps in four cells: the sum over both draws.
tree_law <- function(cells, rank, bits, scale) {
  n <- length(cells)
  y <- -80:80
  p <- laplace_probability(y, scale)
  counts <- tabulate(cells + 1, 4)
  middle <- (n + sum(counts[1:2]) - sum(counts[3:4]) + y) / 2
  left <- (0 + outer(middle, counts[1] - counts[2] + y, "+")) / 2
  right <- (n + outer(middle, counts[3] - counts[4] + y, "+")) / 2
  weight <- outer(p, p)
  goes_left <- rep(middle >= rank - 0.5, length(y))
  c(sum(weight[goes_left & left >= rank - 0.5]), sum(weight[goes_left & left < rank - 0.5]),
    sum(weight[!goes_left & right >= rank - 0.5]), sum(weight[!goes_left & right < rank - 0.5]))
}

test_that("the outcomes of small lattices have their law, and the ratios of neighbors stay within epsilon", {
  skip_if_instrumented()
  # false alarm 1e-6 each, with a fixed seed
  set.seed(704)
  epsilon <- 1.5
  laws <- list(search = search_law, tree = tree_law)
  for (method in names(laws)) {
    plan <- new_query_plan(method, c(1, 1))
    scale <- noise_scale(c(epsilon = epsilon), plan$l1, plan$l2_squared)
    cells <- c(0, 1, 1, 2, 3)
    law <- laws[[method]](cells, 3, 2, scale)
    expect_equal(sum(law), 1, tolerance = 1e-6)
    counts <- list(cell = 1:4, count = c(1, 2, 1, 1))
    noise <- query_noise(scale, "laplace", "R")
    draws <- replicate(3000, draw_queries(plan, counts, 5, 3, noise)$cell)
    expect_gt(discrete_fit(draws, 0:3, law), 1e-6)
    # exactly computed: all data sets of three rows, up to order, one row replaced
    sets <- unique(t(apply(expand.grid(0:3, 0:3), 1, sort)))
    worst <- 0
    for (i in seq_len(nrow(sets))) {
      of_row <- lapply(0:3, function(other) laws[[method]](c(sets[i, ], other), 2, 2, scale))
      for (a in 1:4) for (b in 1:4) worst <- max(worst, log(of_row[[a]] / of_row[[b]]))
    }
    expect_lte(worst, epsilon)
    expect_gt(worst, epsilon / 3)
  }
  # what users get
  expect_identical(counted_quantile(1:9, c(0, 9), 0.5, epsilon)$plan, list(method = "search", split = rep(1, 16)))
})

# The largest loss of all that a plan looks at, over all tables and neighbors: what the noise makes of the exact numbers
# is said beforehand, every outcome in turn. Far out the loss does not change any more, so a few are all that matter.
# `tables`: one row each, the counts of the cells.
largest_loss <- function(plan, tables, neighbors, ranks, scale, outcomes) {
  chosen <- integer()
  used <- 0
  loss <- 0
  forced <- function(values, scale, kind, rng) {
    place <- used + seq_along(values)
    chosen <<- c(chosen, rep(1L, max(0, max(place) - length(chosen))))
    used <<- max(place)
    loss <<- loss + sum(abs(outcomes[chosen[place]] - values)) / scale
    outcomes[chosen[place]]
  }
  forced_noise <- query_noise
  environment(forced_noise) <- list2env(list(add_noise = forced), parent = environment(query_noise))
  noise <- forced_noise(scale, "laplace", "os")
  worst <- 0
  repeat {
    queries <- list()
    losses <- apply(tables, 1, function(counts) {
      used <<- 0
      loss <<- 0
      occupied <- list(cell = which(counts > 0), count = counts[counts > 0])
      queries[[length(queries) + 1]] <<- draw_queries(plan, occupied, sum(counts), ranks, noise)
      loss
    })
    # where it goes, and how often it draws, follows from the outcomes
    expect_length(unique(queries), 1)
    worst <- max(worst, outer(losses, losses, "-")[neighbors])
    while (length(chosen) && chosen[length(chosen)] == length(outcomes)) chosen <- chosen[-length(chosen)]
    if (length(chosen) == 0) return(worst)
    chosen[length(chosen)] <- chosen[length(chosen)] + 1L
  }
}

test_that("all that is looked at costs epsilon and no more, for every outcome of small lattices", {
  skip_if_instrumented()
  plans <- list(new_query_plan("search", c(1, 1)), new_query_plan("tree", c(1, 1)), new_query_plan("tree", 2))
  # two rows; or two people who weigh 2 each, in whatever rows
  for (weight in c(1, 2)) {
    tables <- as.matrix(expand.grid(rep(list(0:(2 * weight)), 4)))
    tables <- unname(tables[rowSums(tables) == 2 * weight, ])
    # what one has more than the other is at most what one row, or person, weighs
    neighbors <- outer(seq_len(nrow(tables)), seq_len(nrow(tables)), Vectorize(function(i, j) {
      sum(pmax(tables[i, ] - tables[j, ], 0)) %in% seq_len(weight)
    }))
    for (plan in plans) {
      for (ranks in list(1, 1:2)) {
        scale <- noise_scale(c(epsilon = 1.5), weight * plan$l1, weight^2 * plan$l2_squared)
        outcomes <- if (weight == 1) c(-9, 0:2, 9) else c(-30, weight, 30)
        worst <- largest_loss(plan, tables, neighbors, weight * ranks, scale, outcomes)
        expect_lte(worst, 1.5 + 1e-12)
        # none is wasted, but that of a tree which halves for one rank: there the rows go one way after they have parted
        expect_gt(worst, if (plan$method == "tree" && length(ranks) == 1) 1.1 else 1.4999)
      }
    }
  }
})

# What the queries ask along the path that outcomes without a look at the data decide, of people in 16 cells.
asked_of_people <- function(plan, frame, weight, ranks, seed) {
  rows <- weigh_rows(table_rows(frame, "x", person = "who"), weight)
  counts <- count_rows(rows, list(line_cells(new_lattice_line(0, 16, 4), 1)))[[1]]
  seen <- list()
  set.seed(seed)
  keep <- function(exact) {
    seen[[length(seen) + 1]] <<- exact
    round(stats::rnorm(length(exact), 0, 20))
  }
  draw_queries(plan, counts, sum(counts$count), ranks, list(whole = keep, half = function(exact) keep(exact[1])))
  seen
}

test_that("a person moves the queries of each path by as many times what a row does as the person weighs", {
  set.seed(717)
  weight <- 16
  person <- function(many) {
    cells <- list(stats::runif(many, 0, 16), rep(sample(c(0, 15), 1), many), sample(c(0, 15), many, TRUE),
                  rep_len(0:15, many), rep(stats::runif(1, 0, 16), many), rep_len(c(6, 7), many))
    cells[[sample(6, 1)]]
  }
  many <- c(1, 2, 15, 17, 33)
  plans <- c(list(new_query_plan("search", rep(1, 4))),
             lapply(list(rep(1, 4), c(2, 2), c(2, 1, 1)), function(split) new_query_plan("tree", split)))
  for (plan in plans) {
    most <- c(0, 0)
    for (run in 1:60) {
      frame <- function(rows) data.frame(x = c(3.5, rows), who = rep(1:2, c(1, length(rows))))
      ranks <- sort(sample(32, 3))
      seed <- sample.int(1e6, 1)
      # every third pair is of one row each, apart as in the proof
      pair <- if (run %% 3) lapply(sample(many, 2, TRUE), person) else sample(c(0.5, 7.5, 8.5, 15.5), 2)
      asked <- lapply(pair, function(rows) asked_of_people(plan, frame(rows), weight, ranks, seed))
      change <- unlist(Map(`-`, asked[[1]], asked[[2]])) / weight
      most <- pmax(most, c(sum(abs(change)), sum(change^2)))
    }
    expect_lte(most[1], plan$l1)
    expect_lte(most[2], plan$l2_squared)
    expect_gt(most[2], plan$l2_squared / 3)
  }
})

test_that("quantiles of people are those of rows that are repeated as often as they weigh", {
  set.seed(718)
  many <- c(1, 2, 1023, 1025, 2049, 5)
  frame <- data.frame(x = stats::rexp(sum(many)), who = rep(c(4L, 2L, 9L, 1L, 7L, 3L), many))
  people <- table_rows(frame, "x", person = "who")
  weight <- weigh_rows(people, 1024)$weight
  repeated <- rep(frame$x, weight)
  for (probs in list(0.5, c(0, 0.1, 1), 1:19 / 20)) {
    found <- counted_quantile(people, c(0, 4), probs, epsilon = noiseless)
    expect_identical(found$cell, true_cell(repeated, probs, 0, 4, 16))
    expect_identical(privacy(found)$public$weight, 1024)
    # noise too, where it is that of so many rows; the plan is chosen by people
    mechanism <- private_quantile(unseen(6, person = "who"), c(0, 4), probs, epsilon = 1, method = "counts")
    of_rows <- private_quantile(unseen(6 * 1024), c(0, 4), probs, epsilon = 1 / 1024, method = "counts")
    if (!identical(mechanism$plan$queries, of_rows$plan$queries)) next
    one <- simulate(mechanism, 1, seed = 3, x = people)[[1]]
    other <- simulate(of_rows, 1, seed = 3, x = repeated)[[1]]
    expect_identical(one$value, other$value)
    expect_identical(one$counts$count, other$counts$count / 1024)
    expect_identical(one$noise$scale, other$noise$scale)
    expect_identical(counts_half_width(one, 0.9), counts_half_width(other, 0.9) / 1024)
    cells <- c("first", "last")
    expect_identical(interval_cells(one, 6, 0.9)[cells], interval_cells(other, 6 * 1024, 0.9)[cells])
  }
  release <- counted_quantile(people, c(0, 4), 0.5, epsilon = 4)
  expect_output(print(release), "counts of people below 1?[0-9] points.* of 6\\s+people")
  expect_identical(privacy(release)$person, "who")
  expect_identical(noise_of(mechanism$plan)$of, "each count of people below a point")
  # how many rows there are is seen nowhere
  shown <- function(many) {
    rows <- table_rows(data.frame(x = rep(c(1, 3), c(many, 1)), who = rep(1:2, c(many, 1))), "x", person = "who")
    set.seed(4)
    found <- counted_quantile(rows, c(0, 4), c(0.2, 0.9), epsilon = 1, rng = "R")
    list(found, utils::capture.output(print(found)), utils::object.size(found))
  }
  expect_identical(shown(1), shown(3000))
  # some may have no row: the rank is not known then
  absent <- table_rows(frame, "x", person = "who", people = 9)
  expect_error(counted_quantile(absent, c(0, 4), 0.5, epsilon = 1), "^`method`", class = "dptda_error_argument")
  expect_false(knows_rows(private_median(absent, c(0, 4), epsilon = 1)))
  expect_error(counted_quantile(frame$x, unseen(3, person = "person"), 0.5, 1), "^`box`",
               class = "dptda_error_argument")
})

test_that("the counts have the noise of their weights, in a search and in trees", {
  skip_if_instrumented()
  # variances: within 5 standard errors at each query (false alarm below 1e-4, with a fixed seed); the noise of a query
  # has kurtosis of at most 6
  runs <- 600
  set.seed(705)
  x <- rep(0:63, each = 1000) + 0.5
  counts <- list(cell = 1:64, count = rep(1000, 64))
  ranks <- c(500, 20500, 40500)
  for (kind in c("laplace", "gaussian")) {
    plans <- c(list(new_query_plan("search", rep(1, 6))),
               lapply(list(rep(1, 6), c(3, 3), c(2, 1, 3)), function(split) new_query_plan("tree", split)))
    for (plan in plans) {
      scale <- 3
      noise <- query_noise(scale, kind, "R")
      # so many rows that all draws take the same path
      drawn <- replicate(runs, draw_queries(plan, counts, 64000, ranks, noise)$queries$count)
      queries <- draw_queries(plan, counts, 64000, ranks, noise)$queries
      error <- drawn - queries$cell * 1000
      one <- if (kind == "laplace") 2 * exp(-1 / scale) / (1 - exp(-1 / scale))^2 else scale^2
      half <- if (kind == "laplace") 2 * exp(-2 / scale) / (1 - exp(-2 / scale))^2
      wanted <- vapply(seq_len(nrow(queries)), function(i) {
        if (plan$method == "tree") {
          weights <- tree_weights(queries$cell[i], plan$split, queries$step[i])
          return(one * sum(weights$times * weights$weight^2))
        }
        k <- sum(queries$step == queries$step[i])
        j <- i - match(queries$step[i], queries$step) + 1
        if (k == 1 && kind == "laplace") half else one * j * (k + 1 - j) / (k + 1)
      }, 0)
      expect_lt(max(abs(apply(error, 1, stats::var) / wanted - 1)), 5 * sqrt(5 / runs))
      expect_lt(max(abs(rowMeans(error)) / sqrt(wanted)), 5 / sqrt(runs))
      # and stays within the widths, all counts together
      width <- query_half_width(queries, plan, scale, kind, 0.9)
      outside <- sum(colSums(abs(error) > width) > 0)
      expect_lte(outside, stats::qbinom(1 - 1e-6, runs, 0.1))
    }
  }
})

test_that("intervals hold all quantiles together, as often as they say", {
  skip_unless_long()
  # false alarm: 1e-6 for each setting, with a fixed seed
  set.seed(706)
  covers <- function(x, probs, level, ...) {
    release <- counted_quantile(x, c(0, 1), probs, ..., bits = 8, rng = "R")
    ends <- confint(release, level = level)
    truth <- (true_cell(x, probs, 0, 1, 8) + 0.5) / 2^8
    expect_true(all(ends[, 1] < release$value & release$value < ends[, 2]))
    all(ends[, 1] < truth & truth < ends[, 2])
  }
  x <- list(stats::rbeta(300, 2, 5), rep(c(0.2, 0.7), c(150, 150)), stats::runif(20))
  for (rows in x) {
    for (probs in list(0.5, 1:19 / 20)) {
      for (measure in list(list(epsilon = 0.5), list(rho = 0.02))) {
        hits <- sum(replicate(60, do.call(covers, c(list(rows, probs, 0.5), measure))))
        expect_gte(hits, stats::qbinom(1e-6, 60, 0.5))
      }
    }
  }
})

test_that("intervals are wider for a higher level, and the whole range where nothing is known", {
  release <- counted_quantile(stats::rbeta(300, 2, 5), c(0, 1), c(0.1, 0.5), 0.5)
  expect_true(all(confint(release, level = 0.99)[, 1] <= confint(release, level = 0.5)[, 1]))
  set.seed(716) # one interval of 22 is narrower
  expect_identical(unname(confint(counted_quantile(0.5, c(0, 1), 0.5, epsilon = 1e-3, rng = "R"))[1, ]), c(0, 1))
})

test_that("rounded normals have moments of a variance of at most scale^2 + 1 / 12", {
  for (scale in c(0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 1, 3, 10)) {
    y <- seq(-600, 600)
    weight <- rounded_probability(y, scale)
    for (u in 10^seq(-1.5, 1.5, by = 0.1)) {
      if (u * scale^2 > 150 || u * scale > 20) next
      log_moment <- log_sum(log(weight[weight > 0]) + u * y[weight > 0])
      expect_lte(log_moment, u^2 / 2 * (scale^2 + 1 / 12) * (1 + 1e-6) + 1e-12)
    }
  }
})

test_that("bounds for sums of noise hold, by exact convolution", {
  for (kind in c("laplace", "gaussian")) {
    for (scale in c(0.2, 1, 4)) {
      y <- seq(-200, 200)
      one <- if (kind == "laplace") laplace_probability(y, scale) else rounded_probability(y, scale)
      # two and four draws of weight one
      two <- stats::convolve(one, rev(one), type = "open")
      four <- stats::convolve(two, rev(two), type = "open")
      for (chance in c(0.3, 0.01, 1e-6)) {
        w <- noise_sum_bound(kind, scale, 1, 2, chance)
        expect_lte(sum(two[abs(seq(-400, 400)) > w]), chance + 1e-12)
        w <- noise_sum_bound(kind, scale, c(1, 0, 1), c(3, 5, 1), chance)
        expect_lte(sum(four[abs(seq(-800, 800)) > w]), chance + 1e-12)
        if (scale == 4 && chance < 0.1) expect_gt(sum(four[abs(seq(-800, 800)) > w / 1.5]), chance)
      }
    }
  }
})

test_that("quantiles increase with the probabilities, whatever the noise", {
  set.seed(707)
  x <- stats::runif(50)
  for (epsilon in c(0.01, 0.5)) {
    for (m in c(2, 4, 30)) {
      probs <- sample(seq_len(m) / (m + 1))
      for (i in 1:20) {
        value <- counted_quantile(x, c(0, 1), probs, epsilon, bits = 10, rng = "R")$value
        expect_false(is.unsorted(value[order(probs)]))
      }
    }
  }
  # equal probabilities, and such as have equal ranks, are found once
  twice <- counted_quantile(x, c(0, 1), c(0.5, 0.5, 0.4901), 1)
  expect_identical(max(table(twice$counts$step)), 1L)
  expect_length(unique(twice$value), 1)
})

test_that("the plan is chosen by public numbers: a search for few, a tree for many", {
  methods <- function(kind, ranks) vapply(ranks, function(m) plan_queries(kind, 16, m)$method, "")
  expect_identical(methods("laplace", c(1, 5, 6, 19)), c("search", "search", "tree", "tree"))
  expect_identical(methods("gaussian", c(1, 14, 15, 99)), c("search", "search", "tree", "tree"))
  expect_identical(plan_queries("laplace", 16, 19)$split, rep(4, 4))
  expect_identical(plan_queries("gaussian", 16, 19)$split, rep(1, 16))
  expect_identical(plan_queries("laplace", 1, 1)$split, 1)
})

test_that("the rounds spend together exactly what is declared", {
  skip_if_instrumented()
  for (value in c(0.01, 0.3, 1, 9)) {
    for (m in c(1, 3, 19)) {
      for (bits in c(1, 5, 16, 24)) {
        budget <- privacy_budget(epsilon = value)
        pure <- counted_quantile(1, c(0, 2), seq_len(m) / m, value, bits = bits, budget = budget)
        expect_identical(budget$spent, value)
        plan <- plan_queries("laplace", bits, 1) # one row has one rank
        expect_identical(privacy(pure)$sensitivity, plan$l1)
        expect_lte(plan$l1 / pure$noise$scale, value * (1 + 1e-15))
        expect_gt(plan$l1 / pure$noise$scale, value * (1 - 2^-22))
        rows <- seq_len(40) / 20
        smooth <- counted_quantile(rows, c(0, 2), seq_len(m) / m, rho = value, bits = bits)
        plan <- plan_queries("gaussian", bits, m)
        expect_lte(plan$l2_squared / smooth$noise$scale^2 / 2, value * (1 + 1e-15))
        expect_gt(plan$l2_squared / smooth$noise$scale^2 / 2, value * (1 - 2^-21))
        expect_identical(privacy(smooth)$ledger$value, value)
      }
    }
  }
})

test_that("scales without end and rows without number are no matter", {
  for (range in list(c(-1e300, 1e300), c(0, 1e-300), c(-1e-300, 1e300), c(1e16, 1e16 + 4), c(-1.7e308, 0))) {
    x <- c(-Inf, range, mean(range), Inf)
    release <- counted_quantile(x, c(range[1], range[2]), c(0, 0.5, 1), noiseless)
    expect_true(all(release$value >= range[1] & release$value <= range[2]))
    expect_false(is.unsorted(release$value))
    ends <- confint(release)
    expect_true(all(is.finite(ends)) && all(ends >= range[1] & ends <= range[2]))
    expect_output(print(release), "private quantile")
  }
  # counts near 2^52
  silent <- list(whole = identity, half = function(exact) exact[1])
  n <- 2^52
  for (plan in list(new_query_plan("search", rep(1, 4)), new_query_plan("tree", rep(1, 4)),
                    new_query_plan("tree", 4))) {
    drawn <- draw_queries(plan, list(cell = c(3, 9), count = c(1, n - 1)), n, c(1, 2, n), silent)
    expect_identical(drawn$cell, c(2, 8, 8))
  }
  # the least scale is not halved
  expect_identical(half_scale(2^-30), 2^-30)
})

test_that("a release prints ranks and intervals, and carries its fields", {
  set.seed(708)
  x <- stats::rnorm(1000)
  budget <- privacy_budget(rho = 1)
  release <- counted_quantile(x, c(-5, 5), c(0.25, 0.75), rho = 0.5, budget = budget, rng = "R")
  expect_identical(budget$ledger$step, "private_quantile -- SEEDED: NOT PRIVATE")
  expect_output(print(release), "noise: ranks from counts of rows below .* points, each [+]-")
  expect_output(print(release), "data \\(95%, simultaneous\\)")
  frame <- as.data.frame(release)
  expect_named(frame, c("name", "probability", "value", "lower", "upper"))
  expect_identical(unname(as.matrix(frame[4:5])), structure(unname(confint(release)), of = NULL))
  expect_identical(sort(setdiff(names(attributes(release)), c("names", "class", "privacy", "released"))),
                   sort(c("noise", "probs", "cell", "lattice", "method", "plan", "counts")))
  expect_true(all(release$counts$at > -5 & release$counts$at < 5))
  expect_error(confint(structure(release, names = NULL)), class = "dptda_error")
  changed <- release
  attr(changed, "counts") <- NULL
  expect_error(confint(changed), class = "dptda_error_argument")
  expect_null(privacy(changed))
  expect_identical(release[["25%"]]$value, release$value[[1]])
  many <- counted_quantile(x, c(-5, 5), 0:30 / 30, rho = 0.5)
  expect_output(print(many), "and 11 more")
})

test_that("the band of the picture holds the rows, and the picture is drawn", {
  set.seed(709)
  x <- stats::rexp(2000) / 10
  for (m in c(1, 25)) {
    release <- counted_quantile(x, c(0, 1), seq_len(m) / (m + 1), 1, rng = "R")
    band <- count_band(release, 2000, 0.999)
    share <- vapply(band$at, function(at) mean(x < at), 0)
    share[length(share)] <- 1
    expect_true(all(band$lower <= share + 1e-12 & share <= band$upper + 1e-12))
    expect_false(is.unsorted(band$lower) || is.unsorted(band$upper) || is.unsorted(band$middle) || is.unsorted(band$at))
    grDevices::pdf(NULL)
    expect_identical(plot(release), release)
    expect_silent(plot(release, xlim = c(0, 1), main = "rows", level = 0.5))
    grDevices::dev.off()
  }
})

test_that("bad arguments are classed errors, and cost nothing", {
  budget <- privacy_budget(epsilon = 1)
  refused <- function(x = c(1, 2), probs = 0.5, lower = 0, upper = 3, epsilon = 1, ...,
                      class = "dptda_error_argument") {
    expect_error(private_quantile(x, c(lower, upper), probs, epsilon, ..., budget = budget), class = class)
  }
  refused(c(1, NA))
  refused(c(1, NaN))
  refused("a")
  refused(factor(1:3))
  refused(Sys.Date())
  refused(matrix(1:4, 2))
  refused(numeric())
  refused(scale(1:5)[, 1, drop = FALSE])
  for (bad in list(NULL, numeric(), NA, -0.1, 1.1, "a", matrix(0.5), list(0.5))) refused(probs = bad)
  refused(lower = 3)
  refused(lower = 4)
  refused(lower = -1.7e308, upper = 1.7e308)
  refused(lower = -5e-324, upper = 5e-324)
  refused(lower = 0, upper = 1e-307)
  for (bad in list(NA, Inf, "0", c(0, 1), NULL)) refused(lower = bad)
  for (bad in list(0, 25, 1.5, NA)) refused(bits = bad)
  refused(epsilon = 0)
  refused(epsilon = 1e-12, method = "counts")
  refused(rho = 1)
  refused(columns = "a")
  refused(epsilon = 2, class = "dptda_error_budget")
  expect_error(private_quantile(1, probs = 0.5, epsilon = 1), "`box` must be given", class = "dptda_error_argument")
  expect_error(private_quantile(1, c(0, 1), epsilon = 1), "`probs` must be given",
               class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
})

test_that("percents are told from probabilities", {
  expect_error(private_quantile(1:20, c(0, 20), c(25, 75), epsilon = 1), "Divide percentages by 100",
               class = "dptda_error_argument")
  expect_no_match(tryCatch(private_quantile(1:20, c(0, 20), -1, epsilon = 1), error = conditionMessage), "percentages")
})

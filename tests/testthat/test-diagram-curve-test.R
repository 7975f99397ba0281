# The private test of two groups: kernels, privacy of the decision by its exact distribution, level, and bad input.

curve <- curve_betti(c(0, 1), dimension = 1)
early <- persistence_diagram(1, 0, 0.5)
late <- persistence_diagram(1, 0.5, 1)
mechanism_for <- function(n1, n2, epsilon = 1, ...) {
  without_weak(private_curve_test(unseen(n1 + n2), curve_test_groups(n1, n2), curve, radius = 0.5, epsilon = epsilon,
                                  ...))
}

# ---- kernels -------------------------------------------------------------------------------------------------------

test_that("distances equal the oracle, bit by bit, for given divisions", {
  set.seed(1)
  for (size in list(c(1, 1), c(1, 7), c(5, 3), c(20, 31))) {
    n <- sum(size)
    member <- cbind(seq_len(n) <= size[1], replicate(20, seq_len(n) %in% sample.int(n, size[1])))
    for (shift in c(0, 3, 17)) {
      value <- matrix(sample(-1000:1000, 4 * n, TRUE), 4) + 0
      found <- .Call(ffi_diagram_curve_distances, value, as.raw(member), shift, kernel_options())
      expect_identical(found, as.double(slow_distances(value, member, shift)))
    }
  }
})

test_that("roots are exact beyond doubles", {
  # one column: the distance is the absolute difference
  for (a in c(2^31 - 1, 2^40 + 1, 2^52 - 1, 2^52 + 3)) {
    for (shift in c(0, 1, 9)) {
      if (a >= 2^(52 + shift)) next
      found <- .Call(ffi_diagram_curve_distances, cbind(a, 0), as.raw(c(1, 0)), shift, kernel_options())
      expect_identical(found, floor(a / 2^shift))
    }
  }
  # 3^2 + 4^2 = 5^2, and the same less one in a third column
  for (b in c(1, 2^20, 2^40, 2^49)) {
    value <- cbind(c(3, 4, 0) * b, 0)
    expect_identical(.Call(ffi_diagram_curve_distances, value, as.raw(1:0), 0, kernel_options()), 5 * b)
    value[1, 1] <- value[1, 1] - 1
    expect_identical(.Call(ffi_diagram_curve_distances, value, as.raw(1:0), 0, kernel_options()), 5 * b - 1)
  }
})

test_that("the largest sizes are exact, and larger ones are refused by public numbers", {
  most <- function(n1, n2) mechanism_for(n1, n2)$plan
  plan <- most(15000, 15000)
  expect_lte(plan$moved, 2^20 + 2)
  # all of one group at the largest values, none of the other: the longest vector
  value <- matrix(rep(c(2^32, 0), each = 150000), 10)
  found <- .Call(ffi_diagram_curve_distances, value, as.raw(rep(1:0, each = 15000)), plan$shift, kernel_options())
  expect_equal(found, 15000^2 * 2^32 * sqrt(10) / 2^plan$shift, tolerance = 1e-9)
  expect_error(most(1e5, 1e5), "smaller groups", class = "dptda_error_argument")
  expect_error(.Call(ffi_diagram_curve_distances, value * 4, as.raw(rep(1:0, each = 15000)), 20, kernel_options()),
               class = "dptda_error_argument")
})

test_that("divisions are uniform and have the right sizes", {
  set.seed(2)
  drawn <- matrix(as.integer(.Call(ffi_diagram_curve_divide, 5, 2, 20000, kernel_options("R"))), 5)
  expect_true(all(colSums(drawn) == 2))
  codes <- colSums(drawn * 2^(0:4))
  expect_length(unique(codes), 10)
  expect_gt(stats::chisq.test(table(codes))$p.value, 1e-6) # false alarm: 1e-6, seed fixed
  # neighbors in the sequence are independent
  pairs <- table(codes[-1], codes[-20000])
  expect_gt(stats::chisq.test(pairs)$p.value, 1e-6)
})

test_that("a decision has the probability that its distances give", {
  set.seed(3)
  mechanism <- mechanism_for(3, 2, epsilon = 4, permutations = 9, alpha = 0.2)
  plan <- mechanism$plan
  x <- list(early, early, late, late, late)
  statistic <- statistic_of(plan, rows_for(plan, x))
  distances <- slow_distances(statistic / 2^12, all_divisions(3, 2), plan$shift - 12)
  wanted <- differ_chance(round(distances / 2^10), 9, plan$most, rep(plan$noise$scale, 2) / 2^10)
  drawn <- mean(vapply(1:20000, function(run) draw_of(plan, statistic, "R"), NA))
  expect_lt(abs(drawn - wanted), 5 * sqrt(wanted * (1 - wanted) / 20000) + 1e-3) # 5 standard errors: 6e-7
})

# ---- privacy -------------------------------------------------------------------------------------------------------

# All data sets of a class: each person has one of four cut curves of two values, with two cosines: two that do not
# overlap, none, and both. The bound on a move is in few large steps, so that all noise can be enumerated.
small <- function(sizes, digits = 4) {
  plan <- private_curve_test(unseen(sum(sizes)), curve_test_groups(sizes[1], sizes[2]),
                             curve_betti(c(0, 1), dimension = 1, size = 2), radius = 0.5, epsilon = 1, smooth = 2)$plan
  steps <- curve_test_steps(sizes, plan$map, plan$radius, digits)
  values <- smooth_curves(rbind(0:1, 1:0, c(0, 0), c(1, 1)), plan)
  data <- as.matrix(expand.grid(rep(list(1:4), sum(sizes))))
  member <- all_divisions(sizes[1], sizes[2])
  distances <- apply(data, 1, function(who) slow_distances(values[, who, drop = FALSE], member, steps$shift))
  list(data = data, distances = distances, moved = steps$moved, shift = steps$shift)
}

# Pairs of data sets that differ in one person.
neighbors_in <- function(data) {
  pairs <- which(as.matrix(stats::dist(data, "manhattan")) > 0, arr.ind = TRUE)
  pairs[rowSums(data[pairs[, 1], ] != data[pairs[, 2], ]) == 1, ]
}

# The probability of "differ" for each data set. Only the first distance and the set of all matter.
differ_chances <- function(distances, ...) {
  key <- apply(distances, 2, function(one) paste(c(one[1], sort(one)), collapse = " "))
  first <- !duplicated(key)
  chance <- apply(distances[, first, drop = FALSE], 2, differ_chance, ...)
  chance[match(key, key[first])]
}

test_that("no neighbors change a distance by more than the bound, and some nearly do", {
  for (sizes in list(c(2, 2), c(1, 3))) {
    class <- small(sizes, digits = 12)
    pairs <- neighbors_in(class$data)
    moved <- max(abs(class$distances[, pairs[, 1]] - class$distances[, pairs[, 2]]))
    expect_lte(moved, class$moved)
    expect_gt(moved, 0.99 * class$moved)
  }
})

test_that("the decision keeps epsilon for all neighbors of a class, by its exact distribution", {
  worst <- 0
  for (sizes in list(c(2, 2), c(1, 2))) {
    class <- small(sizes)
    pairs <- neighbors_in(class$data)
    for (setting in list(c(1, 1), c(19, 1), c(19, 10), c(19, 18))) {
      for (epsilon in c(1, 4)) {
        scale <- 2 * class$moved / epsilon
        chance <- differ_chances(class$distances, setting[1], setting[2], c(scale, scale))
        ratio <- max(abs(log(chance[pairs[, 1]] / chance[pairs[, 2]])),
                     abs(log((1 - chance[pairs[, 1]]) / (1 - chance[pairs[, 2]]))))
        expect_lte(ratio, epsilon * (1 + 1e-9))
        worst <- max(worst, ratio / epsilon)
      }
    }
  }
  expect_gt(worst, 0.6) # the class contains neighbors that tell
})

# ---- level ---------------------------------------------------------------------------------------------------------

test_that("the level holds for tiny groups, by enumeration of all data and all noise", {
  for (sizes in list(c(1, 1), c(2, 2), c(1, 2))) {
    class <- small(sizes)
    # independent draws from the four curves with these probabilities
    weight <- apply(class$data, 1, function(who) prod(c(0.4, 0.3, 0.2, 0.1)[who]))
    for (setting in list(c(1, 1), c(19, 1), c(19, 10))) {
      for (epsilon in c(1, 30)) {
        scale <- 2 * class$moved / epsilon
        level <- function(scales) sum(weight * differ_chances(class$distances, setting[1], setting[2], scales))
        expect_lte(level(c(scale, scale)), setting[2] / (setting[1] + 1) + 1e-9)
        # the lie: noise on the first distance only
        if (all(setting == c(19, 1)) && epsilon == 1) expect_gt(level(c(scale, 0)), 0.2)
      }
    }
  }
})

# 2,000 runs: the standard error is .0049, and an exact level of .05 leaves [.03, .07] with probability 5e-5. Fixed
# seed.
test_that("groups with the same distribution differ in 5% of tests", {
  set.seed(4)
  mechanism <- without_weak(private_curve_test(
    unseen(24), curve_test_groups(6, 18), curve_landscape(c(0, 1), 1, size = 8), radius = 0.1, epsilon = 2,
    permutations = 39, smooth = 4
  ))
  statistic <- function() {
    # landscapes of one loop each
    V <- pmax(outer(stats::runif(24, 0.2, 1), (1:8 - 0.5) / 8, function(d, t) pmin(t - 0.1, d - t)), 0)
    smooth_curves(V, mechanism$plan)
  }
  null <- function() {
    draw_of(mechanism$plan, statistic(), "R")
  }
  expect_within <- function(rate) expect_true(rate >= 0.03 && rate <= 0.07, info = rate)
  expect_within(mean(vapply(1:2000, function(run) null(), NA)))
  # the lie: noise on the first distance only
  lie <- function() {
    distances <- divided_distances(mechanism$plan, statistic(), "R")
    distances[1] <- add_noise(distances[1], mechanism$plan$noise$scale, "laplace", "R")
    sum(distances >= distances[1]) <= mechanism$plan$most
  }
  expect_gt(mean(vapply(1:300, function(run) lie(), NA)), 0.2)
})

test_that("equal people are no evidence, and far groups are", {
  plan <- mechanism_for(40, 40, epsilon = 2)$plan
  set.seed(5)
  same <- statistic_of(plan, rows_for(plan, rep(list(early), 80)))
  expect_lt(mean(replicate(500, draw_of(plan, same, "R"))), 0.1) # level .05: five standard errors
  apart <- statistic_of(plan, rows_for(plan, rep(list(early, late), each = 40)))
  expect_gt(mean(replicate(200, draw_of(plan, apart, "R"))), 0.99)
})

# ---- release -------------------------------------------------------------------------------------------------------

test_that("hostile people have the curve zero, silently", {
  hostile <- list(NULL, NA, "text", list(), data.frame(), matrix(NaN, 2, 3), function(x) stop("no"), 1i,
                  data.frame(dimension = 1, birth = NaN, death = Inf), data.frame(dimension = 1, birth = 1, death = 0),
                  structure(list(), class = "persistence"), new.env())
  x <- c(hostile, rep(list(early), 8))
  group <- curve_test_groups(10, 10)
  expect_silent(release <- private_curve_test(x, group, curve, radius = 0.5, epsilon = 50))
  expect_true(release$differ %in% c(TRUE, FALSE))
  plan <- mechanism_for(10, 10)$plan
  expect_true(all(statistic_of(plan, rows_for(plan, hostile[c(1:9, 11:12, 1:9)])) == 0))
  # names of the list, such as those that rows have, are ignored
  names(x) <- rep(c("n", "person"), 10)
  expect_silent(private_curve_test(x, group, curve, radius = 0.5, epsilon = 50))
})

test_that("groups are refused by public facts", {
  x <- rep(list(early, late), each = 20)
  refuse <- function(group) {
    expect_error(private_curve_test(x, group, curve, 0.5, 1), "`group` must", class = "dptda_error_argument")
  }
  refuse(rep("a", 40))
  refuse(rep(c("a", "b", "c", "d"), 10))
  refuse(rep(c("a", "b"), 10))
  refuse(c(NA, rep(c("a", "b"), c(20, 19))))
  refuse(list("a", "b"))
  refuse(NULL)
  for (group in list(rep(1:2, 20), rep(c(TRUE, FALSE), 20), factor(rep(c("x", "y"), 20), c("y", "z", "x")))) {
    expect_s3_class(without_weak(private_curve_test(x, group, curve, 0.5, 1)), "dptda_private_curve_test")
  }
  named <- without_weak(private_curve_test(x, factor(rep(c("x", "y"), c(15, 25)), c("y", "z", "x")), curve, 0.5, 1))
  expect_identical(named$sizes, c(y = 25, x = 15))
  sizes <- function(group) without_weak(private_curve_test(x, group, curve, 0.5, 1))$sizes
  expect_identical(sizes(rep(c("drug", "placebo"), c(25, 15))), c(drug = 25, placebo = 15))
  expect_identical(sizes(as.Date("2026-01-01") + rep(0:1, 20)), c(`2026-01-01` = 20, `2026-01-02` = 20))
  refuse(rep(c(1, 1 + 1e-15), 20))
  refuse(addNA(factor(rep(c("a", NA), 20))))
  refuse(as.raw(rep(0:1, 20)))
  refuse(rep(c(1i, 2i), 20))
})

test_that("divisions that need too much memory are refused before anything is spent", {
  budget <- privacy_budget(epsilon = 1)
  refused <- function(n, permutations) {
    expect_error(private_curve_test(unseen(n), rep(1:2, n / 2), curve, 0.5, 1, permutations = permutations),
                 "`permutations` must be at most", class = "dptda_error_argument")
  }
  refused(20000, 1e5)
  x <- rep(list(early), 6000)
  expect_error(private_curve_test(x, rep(1:2, 3000), curve, 0.5, 1, permutations = 1e5, budget = budget),
               class = "dptda_error_argument")
  expect_identical(budget$spent[[1]], 0)
})

test_that("alpha needs enough permutations", {
  expect_error(mechanism_for(9, 9, permutations = 18), "`permutations` must be at least 19")
  expect_identical(mechanism_for(9, 9, permutations = 19)$plan$most, 1)
  expect_identical(mechanism_for(9, 9)$plan$most, 10)
  expect_error(mechanism_for(9, 9, alpha = 1), "`alpha` must")
  # products that are not exact in doubles
  for (n in c(49, 98, 161, 187)) expect_identical(mechanism_for(9, 9, alpha = 1 / n, permutations = n - 1)$plan$most, 1)
  expect_error(mechanism_for(9, 9, alpha = 1e-9), "`alpha` must be at least 1e-05")
})

test_that("only a pure epsilon is offered, and a budget in rho is charged what it implies", {
  x <- rep(list(early, late), each = 20)
  group <- curve_test_groups(20, 20)
  for (cost in list(list(rho = 1), list(mu = 1), list(epsilon = 1, delta = 1e-6))) {
    expect_error(do.call(private_curve_test, c(list(x, group, curve, 0.5), cost)), class = "dptda_error_argument")
  }
  budget <- privacy_budget(rho = 1)
  private_curve_test(x, group, curve, 0.5, epsilon = 1, budget = budget)
  expect_lte(budget$spent[[1]], 1 / 2)
  expect_gt(budget$spent[[1]], 0)
})

test_that("a release states its decision, and what it does not mean", {
  x <- rep(list(early, late), each = 60)
  release <- private_curve_test(x, curve_test_groups(60, 60), curve, 0.5, epsilon = 2)
  expect_true(release$differ)
  expect_output(print(release), "decision: differ")
  expect_output(print(release), "no p-value")
  expect_identical(as.data.frame(release)$n, c(60, 60))
  other <- private_curve_test(rep(list(early), 120), curve_test_groups(60, 60), curve, 0.5, epsilon = 2, alpha = 0.005)
  if (!other$differ) expect_output(print(other), "does not mean that the groups are equal")
  expect_match(paste(format(privacy(release)), collapse = " "), "replaced within a group")
  other$differ <- !other$differ
  expect_null(privacy(other))
})

test_that("few people cause a warning, before the budget is spent", {
  warn_of_weak()
  budget <- privacy_budget(epsilon = 1)
  expect_warning(private_curve_test(rep(list(early, late), each = 4), curve_test_groups(4, 4), curve, 0.5, 1,
                                    budget = budget), "not even the largest", class = "dptda_warning_power")
  expect_equal(budget$spent[[1]], 1)
  expect_no_warning(mechanism_for(40, 40))
})

# Groups that are as far apart as can be, at radius: 400 tests each, with a standard error of .025. So a rate below .4
# of a setting without a warning, or above .6 of one with a warning, has a probability below 1e-4.
test_that("a warning of too little power is right for the largest difference, with few divisions too", {
  apart <- function(n1, n2, epsilon, ...) {
    plan <- mechanism_for(n1, n2, epsilon = epsilon, ...)$plan
    weak <- !is.null(weakness_of(plan))
    V <- cbind(matrix(rep(c(4096, 0) * 2^curve_bits, n1), 2), matrix(rep(c(0, 4096) * 2^curve_bits, n2), 2))
    V <- rbind(V, matrix(0, plan$smooth - 2, n1 + n2))
    rate <- with_seed(5, mean(replicate(400, draw_of(plan, round(V * 0.999), "R"))))
    if (weak) expect_lt(rate, 0.6) else expect_gt(rate, 0.4)
    weak
  }
  weak <- c(apart(2, 2, 1e4), apart(3, 3, 50), apart(1, 5, 1e4), apart(24, 24, 0.2), apart(10, 10, 0.5),
            apart(8, 8, 10), apart(40, 20, 1), apart(60, 60, 0.2))
  expect_identical(weak, rep(c(TRUE, FALSE), c(5, 3)))
})

# The probability of "differ" by integration over the noise of the first distance, for the largest difference.
chance_of_largest <- function(plan) {
  n <- plan$sizes
  stay <- max(0, n[1] - n[2]):n[1]
  shares <- stats::dhyper(stay, n[1], n[2], n[1])
  less <- min(n) * plan$moved / plan$noise$scale * (1 - abs(stay / n[1] - (n[1] - stay) / n[2]))
  u <- (seq_len(1000) - 0.5) / 1000
  z <- ifelse(u < 0.5, log(2 * u), -log(2 * (1 - u)))
  above <- vapply(z, function(z) sum(shares * ifelse(less + z > 0, exp(-less - z), 2 - exp(less + z)) / 2), 0)
  mean(stats::pbinom(plan$most - 1, plan$permutations, above))
}

test_that("a warning is given if the exact probability is below one half, for unequal, tiny, and large groups", {
  for (n in list(c(1, 1), c(1, 5), c(1, 100), c(100, 1), c(2, 3), c(4, 4), c(5, 5), c(200, 10), c(10, 200), c(3, 2000)))
    for (permutations in c(19, 199, 9999)) for (epsilon in c(0.1, 0.5, 1.5, 2, 5, 1e4)) {
      plan <- mechanism_for(n[1], n[2], epsilon = epsilon, permutations = permutations)$plan
      chance <- chance_of_largest(plan)
      if (abs(chance - 0.5) > 0.02) expect_identical(is.null(weakness_of(plan)), chance > 0.5)
    }
})

# ---- power ---------------------------------------------------------------------------------------------------------

test_that("power is that of the test, before the data", {
  a <- loops(0.1, seq(0.4, 0.8, length.out = 40))
  b <- loops(0.1, seq(0.6, 1, length.out = 40))
  wide <- curve_landscape(c(0, 1), 1)
  plan <- power_curve_test(a, b, wide, c(60, 50), epsilon = 2, runs = 100, seed = 1)
  expect_identical(plan, power_curve_test(a, b, wide, c(60, 50), epsilon = 2, runs = 100, seed = 1))
  expect_identical(plan$power, plan$curve$power[5])
  expect_gte(plan$noiseless, plan$power - 0.1)
  expect_gt(plan$curve$power[9], plan$curve$power[1])
  expect_equal(plan$radius, stats::median(sqrt(rowMeans(curve_values(c(a, b), wide)^2))))
  # the same groups: the level. 200 runs at .05 exceed .13 with probability 1e-6
  expect_lt(power_curve_test(a, a, wide, c(30, 20), epsilon = 2, runs = 200, seed = 2)$power, 0.13)
  expect_output(print(plan), "Estimated before the data")
  expect_error(power_curve_test(a, b, wide, 1:3, epsilon = 1), "`n` must be two")
  zero <- rep(list(persistence_diagram(0, 0, 1)), 3)
  expect_error(power_curve_test(zero, zero, wide, epsilon = 1), "`radius` must be given")
})

test_that("a budget is charged until it is spent, and refuses before anything is drawn", {
  budget <- privacy_budget(epsilon = 3)
  set.seed(1)
  small_release(epsilon = 1, budget = budget, rng = "R")
  small_release(epsilon = 1.5, budget = budget, rng = "R")
  state <- .Random.seed
  expect_error(small_release(epsilon = 1, budget = budget, rng = "R"), class = "dptda_error_budget")
  expect_identical(.Random.seed, state)
  expect_equal(budget$spent, 2.5)
  expect_identical(nrow(budget$ledger), 2L)
  expect_equal(sum(budget$ledger$value), budget$spent)
  expect_output(print(budget), "2.5 of 3 spent")
})

test_that("a budget is charged for its parts in full", {
  budget <- privacy_budget(epsilon = 1)
  for (i in 1:10) small_release(epsilon = .1, budget = budget)
  expect_error(small_release(epsilon = .1, budget = budget), class = "dptda_error_budget")
})

test_that("a budget that a callback emptied after the check does not pay", {
  budget <- privacy_budget(epsilon = 1)
  spend_budget(budget, "in a callback", c(epsilon = 1))
  expect_error(spend_budget(budget, "after it", c(epsilon = 1)), class = "dptda_error_budget")
  expect_identical(nrow(budget$ledger), 1L)
})

test_that("a release that fails its checks costs nothing", {
  budget <- privacy_budget(epsilon = 3)
  expect_error(small_release(m0 = 2, budget = budget), class = "dptda_error_argument")
  expect_error(private_diagram(cbind(NA, 1), small_grid(), 1, m0 = .1, budget = budget), class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
})

test_that("a budget of rho takes pure releases at their tightest rho", {
  budget <- privacy_budget(rho = 1)
  private_diagram(circle_points(), small_grid(), m0 = .1, rho = .25, budget = budget)
  expect_equal(budget$spent, .25)
  release <- small_release(epsilon = 1, budget = budget)
  cost <- privacy_convert(release, "rho")$measure[["rho"]]
  expect_lte(cost, 1 / 8)
  expect_equal(budget$spent, .25 + cost)
  expect_equal(sum(budget$ledger$value), budget$spent)
  expect_identical(budget$ledger$measure, c("rho", "rho"))
  # two independent exponential mechanisms of half the epsilon each
  halves <- small_release(epsilon = 1, utility = "sum")
  expect_lte(privacy_convert(halves, "rho")$measure, 1 / 16)
})

test_that("a budget refuses what it cannot count", {
  spend <- function(budget, ...) {
    check_budget(budget, ...)
    spend_budget(budget, "step", ...)
  }
  budget_error <- function(code) expect_error(code, class = "dptda_error_budget")
  pure <- privacy_budget(epsilon = 10)
  budget_error(spend(pure, c(rho = .1)))
  budget_error(spend(pure, c(epsilon = .1, delta = 1e-9)))
  budget_error(spend(privacy_budget(rho = 10), c(epsilon = .1, delta = 1e-9)))
  training <- privacy_subsample(4, steps = 10, batch = 10, n = 1000)
  budget_error(spend(privacy_budget(rho = 10), training))
  expect_error(spend(pure, privacy_subsample(4, steps = 10, rate = .1)), class = "dptda_error_relation")
  expect_identical(nrow(pure$ledger), 0L)
  expect_identical(pure$spent, 0)
  spend(pure, c(epsilon = 1e-300))
  spend(pure, c(epsilon = 10))
  budget_error(spend(pure, c(epsilon = 1e-3)))
})

test_that("a budget of epsilon and delta counts by sums, or by one Renyi order", {
  spend <- function(budget, ...) {
    check_budget(budget, ...)
    spend_budget(budget, "step", ...)
  }
  charges <- function(budget, ...) {
    tryCatch({ spend(budget, ...); TRUE }, dptda_error_budget = function(e) FALSE)
  }
  # basic: both sums, to the last bit
  basic <- privacy_budget(epsilon = 1, delta = 1e-6)
  expect_output(print(basic), "auto composition")
  for (i in 1:10) spend(basic, c(epsilon = .1, delta = 1e-7))
  expect_equal(basic$spent, c(epsilon = 1, delta = 1e-6))
  expect_false(charges(basic, c(epsilon = .1)))
  expect_false(charges(basic, c(rho = 1e-9)))
  expect_output(print(basic), "basic composition")
  expect_error(spend(basic, c(epsilon = .5)), "is left. This release would make it epsilon = 1.5",
               class = "dptda_error_budget")
  # concentrated: rho up to what converts to the total, no further
  smooth <- privacy_budget(epsilon = 1, delta = 1e-6)
  while (charges(smooth, c(rho = .001))) NULL
  total <- nrow(smooth$ledger) * .001
  expect_lte(privacy_convert(c(rho = total), delta = 1e-6)$measure[["epsilon"]], 1 + 1e-9)
  expect_gt(privacy_convert(c(rho = total + .001), delta = 1e-6)$measure[["epsilon"]], 1 - 1e-9)
  expect_false(charges(smooth, c(epsilon = .1, delta = 1e-9)))
  expect_output(print(smooth), "concentrated composition")
  # many pure releases: more than by their sum; few: the sum
  many <- privacy_budget(epsilon = 1, delta = 1e-6, composition = "concentrated")
  while (charges(many, c(epsilon = .02))) NULL
  expect_gt(nrow(many$ledger), 60)
  expect_lte(privacy_convert(many, delta = 1e-6)$measure[["epsilon"]], 1)
  sums <- privacy_budget(epsilon = 1, delta = 1e-6)
  for (i in 1:50) spend(sums, c(epsilon = .02))
  expect_error(spend(sums, c(epsilon = .02)), "`composition = \"concentrated\"` accepts all of these releases",
               fixed = TRUE, class = "dptda_error_budget")
  # said in time, and only while it may come to that
  expect_output(print(privacy_budget(epsilon = 1, delta = 1e-6)), "composition = .concentrated. accepts more")
  expect_output(print(sums), "composition = .concentrated. accepts more")
  for (other in list(many, smooth, basic, privacy_budget(epsilon = 1))) {
    expect_no_match(utils::capture.output(print(other)), "many small releases")
  }
  few <- privacy_budget(epsilon = 1, delta = 1e-6, composition = "concentrated")
  expect_true(charges(few, c(epsilon = 1)))
  # a training run, by its curve
  trained <- privacy_budget(epsilon = 2, delta = 1e-5, relation = "add_remove")
  expect_true(charges(trained, privacy_subsample(4, steps = 1000, rate = .01)))
  expect_lte(privacy_convert(trained, delta = 1e-5)$measure[["epsilon"]], trained$spent[["epsilon"]] + 1e-9)
})

test_that("a refusal names no composition that would refuse, too", {
  for (composition in compositions) {
    full <- privacy_budget(epsilon = 1, delta = 1e-6, composition = composition)
    spend_budget(full, "step", c(epsilon = 1))
    for (epsilon in c(1e-17, 1, 2)) {
      refused <- expect_error(spend_budget(full, "step", c(epsilon = epsilon)), class = "dptda_error_budget")
      expect_no_match(conditionMessage(refused), "accepts all of these")
    }
  }
})

# Releases for a budget of (epsilon, delta): pure ones, and normal noise that was declared by both or by its rho.
drawn_releases <- function(many, epsilon, delta) {
  lapply(seq_len(many), function(i) {
    part <- epsilon * stats::rexp(1) / 4
    switch(sample(3, 1), privacy_declare(epsilon = part),
           private_covariance(unseen(100), c(0, 1), epsilon = part,
                              delta = delta * sample(c(1, .5, .1, .01), 1))$guarantee,
           privacy_declare(rho = part^2 / 60))
  })
}

test_that("a budget that decides by itself takes whatever epsilons and deltas allow, in any order", {
  skip_on_cran()
  withr::local_seed(712)
  refused <- taken <- beyond <- 0
  for (i in 1:24) {
    total <- c(sample(c(.7, 2, 5), 1), 10^-sample(4:9, 1))
    releases <- drawn_releases(6, total[1], total[2])
    if (i %% 3) releases <- Filter(function(one) "epsilon" %in% names(one$measure), releases)
    account <- new_account(check_budget_terms(total[1], NULL, total[2], 1, "replace", "auto"))
    sums <- c(0, 0)
    for (one in releases) {
      asked <- c(one$measure, delta = 0)[c("epsilon", "delta")]
      after <- sums + ifelse(is.na(asked), Inf, asked)
      new <- tryCatch(price_release(account, "", one, "budget"), dptda_error_budget = function(e) NULL)
      if (all(after <= total)) expect_false(is.null(new))
      if (is.null(new)) {
        refused <- refused + 1
        next
      }
      taken <- taken + 1
      beyond <- beyond + !all(after <= total)
      account$tally <- add_to_tally(account_tally(account), account, new)
      account$steps <- c(account$steps, new)
      sums <- after
      # costs are fixed beforehand here: the releases keep the total
      together <- assemble_guarantee(account$steps, list(unit = "one row", relation = relation_replace))
      known <- min(if (all(is.finite(sums)) && sums[2] <= total[2]) sums[1],
                   parts_epsilon(together$parts, total[2]) * (1 - 1e-9))
      expect_lte(known, total[1])
      # what was added up as it was charged is what the steps add up to
      expect_identical(add_to_tally(new_tally(), account, account$steps), account$tally)
    }
  }
  expect_gt(min(refused, taken, beyond), 3)
})

# The largest delta, at epsilon, of whoever chooses each release by what the earlier ones showed, as far as `accepts`
# lets it, by all trees of at most `depth` releases of a menu. A release: the chances of its outputs on the data and on
# the neighbor, as the menu has them in `p` and `q`.
worst_delta <- function(menu, epsilon, accepts, depth, used = list(), p = 1, q = 1) {
  best <- max(0, p - exp(epsilon) * q)
  if (depth == 0) return(best)
  for (one in menu) {
    chosen <- c(used, list(one))
    if (!accepts(chosen)) next
    after <- vapply(seq_along(one$p), function(i) {
      worst_delta(menu, epsilon, accepts, depth - 1, chosen, p * one$p[i], q * one$q[i])
    }, 0)
    best <- max(best, sum(after))
  }
  best
}

# Randomized response that shows the bit with probability `leak`.
leaky_response <- function(epsilon, leak = 0) {
  p <- c((1 - leak) * stats::plogis(epsilon * c(1, -1)), if (leak > 0) c(leak, 0))
  list(p = p, q = c(rev(p[1:2]), if (leak > 0) c(0, leak)),
       step = new_step("response", c(epsilon = epsilon, if (leak > 0) c(delta = leak))))
}

# A loss of `loss` with probability `p` or nearly none, known by its divergences.
rare_loss <- function(loss, p) {
  q <- p * exp(-loss)
  alpha <- seq(1.25, 30, 0.25)
  divergence <- function(a, b) log(p^a * q^(1 - a) + (1 - p)^a * (1 - q)^(1 - a)) / (a - 1)
  list(p = c(p, 1 - p), q = c(q, 1 - q),
       step = new_step("rare", c(renyi = divergence(2)), renyi = new_curve(alpha, divergence(alpha) * (1 + 1e-9))))
}

test_that("nobody who chooses by what was shown loses more than a budget, nor than its proof says", {
  account_of <- function(total, composition = "auto") {
    new_account(check_budget_terms(total[1], NULL, total[2], 1, "replace", composition))
  }
  reaches <- function(account) {
    function(chosen) {
      steps <- lapply(chosen, `[[`, "step")
      all(tally_spent(account, add_to_tally(new_tally(), account, steps)) - account$total <= 1e-12 * account$total)
    }
  }
  total <- c(2, 1e-4)
  rare <- rare_loss(1.6, .0015)
  menu <- list(leaky_response(.5), leaky_response(.5, 5e-5), leaky_response(0, 1e-4), rare)
  for (composition in compositions) {
    lost <- worst_delta(menu, total[1], reaches(account_of(total, composition)), 3)
    expect_lte(lost, total[2] * (1 + 1e-12))
  }
  # as much as there is: delta is reached
  expect_gt(worst_delta(menu, total[1], reaches(account_of(total)), 3), .999 * total[2])
  # whoever takes either sum, whichever fits in the end, loses more than delta: that is no filter
  either <- function(chosen) {
    any(vapply(c("basic", "concentrated"), function(one) reaches(account_of(total, one))(chosen), NA))
  }
  expect_true(either(list(menu[[1]], menu[[3]])) && either(list(menu[[1]], rare)))
  expect_gt(worst_delta(menu, total[1], either, 3), 1.2 * total[2])
})

test_that("a budget for groups of rows pays group prices", {
  budget <- privacy_budget(epsilon = 3, unit_rows = 14)
  expect_output(print(budget), "for 14 rows")
  small_release(epsilon = .1, budget = budget)
  expect_equal(budget$spent, 1.4)
  small_release(epsilon = .1, budget = budget)
  expect_error(small_release(epsilon = .1, budget = budget), class = "dptda_error_budget")
  whole <- privacy_compose(budget)
  expect_identical(whole$unit, "14 rows")
  expect_equal(whole$measure, c(epsilon = 2.8))
  smooth <- privacy_budget(rho = 1, unit_rows = 3)
  check_budget(smooth, c(rho = .1))
  spend_budget(smooth, "step", c(rho = .1))
  expect_equal(smooth$spent, .9)
  expect_error(privacy_convert(privacy_budget(rho = 1), "rho"), class = "dptda_error_argument")
})

test_that("a budget is made from one positive number", {
  for (bad in list(0, -1, Inf, NA, "1", c(1, 2), NULL)) {
    expect_error(privacy_budget(epsilon = bad), class = "dptda_error_argument")
  }
  expect_error(privacy_budget(1, 1), class = "dptda_error_argument")
  expect_error(privacy_budget(rho = 1, delta = .1), class = "dptda_error_argument")
  expect_error(privacy_budget(1, delta = 1), class = "dptda_error_argument")
  expect_error(privacy_budget(1, delta = -1), class = "dptda_error_argument")
  expect_error(privacy_budget(1, unit_rows = 0), class = "dptda_error_argument")
  expect_error(privacy_budget(1, relation = "swap"), class = "dptda_error_argument")
  expect_error(small_release(budget = 3), class = "dptda_error_argument")
})

test_that("a forked worker cannot spend its copy of a budget, but one of its own", {
  skip_on_os("windows")
  budget <- privacy_budget(epsilon = 1)
  charge <- function(budget) {
    tryCatch(privacy(private_count(TRUE, epsilon = 1, budget = budget))$measure[["epsilon"]],
             dptda_error_budget = conditionMessage)
  }
  copies <- parallel::mclapply(1:2, function(i) charge(budget), mc.cores = 2)
  expect_match(unlist(copies), "forked worker")
  own <- parallel::mclapply(1:2, function(i) charge(privacy_budget(epsilon = 1)), mc.cores = 2)
  expect_identical(unlist(own), c(1, 1))
  expect_identical(charge(budget), 1)
})

test_that("the terms of a budget cannot be changed by a slip, and only rows are charged", {
  budget <- privacy_budget(epsilon = 1)
  expect_error(budget$total <- 100, class = "dptda_error_budget")
  expect_error(budget$measure <- "rho", class = "dptda_error_budget")
  expect_equal(budget$total, 1)
  group <- privacy_group(privacy_declare(epsilon = .1), 3)
  expect_error(check_budget(budget, group), class = "dptda_error_relation")
  expect_identical(check_budget(budget, privacy_declare(epsilon = .1)), budget)
})

test_that("no method of the user is asked what a release costs", {
  curve <- privacy_subsample(4, steps = 10, rate = .01)
  other <- privacy_subsample(5, steps = 10, rate = .02)
  cases <- list(
    list(list(epsilon = 3, unit_rows = 2), list(privacy_declare(epsilon = 1), privacy_declare(epsilon = .1))),
    list(list(rho = 30), list(privacy_declare(epsilon = 1), privacy_declare(rho = .2), privacy_declare(mu = .1))),
    list(list(epsilon = 30, delta = 1e-6, unit_rows = 3, relation = "add_remove"), list(curve, other, curve)),
    list(list(epsilon = 30, delta = .1), list(privacy_declare(epsilon = 1, delta = 1e-5),
                                              privacy_declare(epsilon = 1))),
    list(list(epsilon = 3, delta = 1e-5), list(privacy_declare(epsilon = .1, bounded_range = TRUE),
                                               privacy_declare(rho = .001), privacy_declare(epsilon = .1)))
  )
  for (in_file in c(FALSE, TRUE)) for (case in cases) {
    files <- if (!in_file) list(NULL, NULL) else list(ledger_file(), ledger_file())
    budget <- do.call(privacy_budget, c(case[[1]], list(file = files[[1]])))
    calm <- do.call(privacy_budget, c(case[[1]], list(file = files[[2]])))
    for (guarantee in case[[2]]) charge_and_draw(calm, guarantee, 1, identity)
    asked <- asked_methods({
      for (guarantee in case[[2]]) try(charge_and_draw(budget, guarantee, 1, identity), silent = TRUE)
      spent <- budget_field(budget_account(budget), "spent")
    })
    expect_identical(asked, character())
    expect_identical(spent, calm$spent)
  }
})

test_that("a total is reached, and then it is over", {
  for (file in list(NULL, ledger_file())) {
    budget <- privacy_budget(epsilon = 1, file = file)
    expect_identical(charge(budget, 1), "spent")
    for (more in 2^-c(40, 52, 60, 1000)) {
      expect_error(spend_budget(budget, "more", c(epsilon = more)), class = "dptda_error_budget")
    }
    expect_identical(budget$spent, 1)
  }
  most <- privacy_budget(epsilon = .Machine$double.xmax)
  expect_identical(charge(most, .Machine$double.xmax), "spent")
  for (more in c(.Machine$double.xmax, 1)) expect_identical(charge(most, more), "dptda_error_budget")
  half <- privacy_budget(epsilon = .Machine$double.xmax)
  for (i in 1:2) expect_identical(charge(half, .Machine$double.xmax / 2), "spent")
  expect_identical(charge(half, 1), "dptda_error_budget")
  # both numbers of a total, and one Renyi order
  basic <- privacy_budget(epsilon = 1, delta = .01, composition = "basic")
  spend_budget(basic, "a", c(epsilon = .5, delta = .01))
  spend_budget(basic, "b", c(epsilon = .25))
  expect_error(spend_budget(basic, "c", c(epsilon = .1, delta = 1e-20)), class = "dptda_error_budget")
  spend_budget(basic, "d", c(epsilon = .25))
  expect_error(spend_budget(basic, "e", c(epsilon = 1e-20)), class = "dptda_error_budget")
  smooth <- privacy_budget(epsilon = 1, delta = 1e-6, composition = "concentrated")
  spend_budget(smooth, "a", c(epsilon = 1))
  expect_error(spend_budget(smooth, "b", c(epsilon = 1e-20)), class = "dptda_error_budget")
  # what costs nothing can be spent
  spend_budget(smooth, "c", c(epsilon = 0))
})

test_that("parts that add up to the total on paper are spent in full", {
  for (times in c(1:20, 30, 49, 100, 365, 1000)) for (total in c(1, .3, .7, 3, 1e-310, 1e300)) {
    account <- new_account(check_budget_terms(total, NULL, 0, 1, "replace", "auto"))
    steps <- rep(list(new_step("part", c(epsilon = total / times))), times)
    account$steps <- steps[-1]
    expect_silent(price_release(account, "part", steps[[1]]$measure, "budget"))
    account$steps <- steps
    expect_error(price_release(account, "part", c(epsilon = total * 1e-9 + 5e-324), "budget"),
                 class = "dptda_error_budget")
  }
  for (rows in 1:50) {
    decimal <- as.numeric(paste0("0.", rows))
    budget <- privacy_budget(epsilon = as.numeric(paste0(rows * rows / 10^nchar(rows))), unit_rows = rows)
    expect_identical(charge(budget, decimal), "spent")
  }
})

test_that("a budget is asked for one field at a time, by its name", {
  budget <- privacy_budget(epsilon = 1)
  charge(budget, .25)
  expect_identical(budget[["spent"]], .25)
  expect_error(budget[["nothing"]], class = "dptda_error_argument")
  for (bad in list(99, c("a", "b"), NA_character_, list(), NULL, TRUE)) {
    expect_error(budget[[bad]], class = "dptda_error_argument")
  }
  expect_identical(as.data.frame(budget), budget$ledger)
  expect_identical(budget$total, 1)
})

test_that("a long account is read and priced as it is", {
  skip_if_instrumented()
  many <- long_or(10000L, 2000L)
  for (terms in list(list(epsilon = 1e4), list(rho = 1e4), list(epsilon = 1e4, delta = 1e-6),
                     list(epsilon = 1e4, delta = .1, composition = "basic"))) {
    budget <- do.call(privacy_budget, terms)
    kind <- if (is.null(terms$rho)) c(epsilon = .5) else c(rho = .5)
    steps <- lapply(seq_len(many), function(i) new_step("one", kind / i))
    expect_true(.Call(ffi_budget_charge, unclass(budget)$held, 0L, steps))
    expect_identical(nrow(budget$ledger), many)
    expect_equal(budget$ledger$value, 1 / seq_len(many) / 2)
    expect_gt(budget$spent[[1]], 0)
    spend_budget(budget, "last", kind)
    expect_identical(budget$ledger$step[many + 1], "last")
    expect_output(print(budget), "last")
  }
})

test_that("whoever calls the registered routines by hand can spend, and not get back", {
  budget <- privacy_budget(epsilon = 1)
  charge(budget, .5)
  routines <- getDLLRegisteredRoutines("dptda")[[".Call"]]
  expect_null(routines$ffi_privacy_exchange)
  held <- unclass(budget)$held
  state <- .Call(routines$ffi_budget_held$address, held, 0)
  state$steps <- list()
  state$total <- 100
  for (steps in list(list(), state, list(state), NULL,
                     list(list(measure = c(epsilon = -1), parts = list(pure = -1))))) {
    for (seen in 0:2) try(.Call(routines$ffi_budget_charge$address, held, seen, steps), silent = TRUE)
  }
  expect_identical(budget$spent, .5)
  expect_identical(budget$total, 1)
  expect_identical(charge(budget, .5), "spent")
  expect_identical(charge(budget, .1), "dptda_error_budget")
})

test_that("a budget has a name for each field, and says what is left", {
  budget <- privacy_budget(epsilon = 1)
  expect_true(all(c("total", "spent", "left", "ledger") %in% names(budget)))
  for (name in names(budget)) expect_no_error(budget[[name]])
  private_count(TRUE, 0.25, budget = budget)
  expect_identical(budget$left, 0.75)
  private_count(TRUE, 0.75, budget = budget)
  expect_identical(budget$left, 0)
  expect_identical(privacy_budget(epsilon = 1, delta = 1e-6, composition = "basic")$left, c(epsilon = 1, delta = 1e-6))
  for (read in list(function() budget$remaining, function() budget[["remaining"]])) {
    expect_error(read(), "no field `remaining`. It has `measure`, `total`", class = "dptda_error_argument")
  }
  expect_output(print(summary(budget)), "<privacy budget> epsilon: 1 of 1 spent")
})

test_that("the ledger of a budget says what the guarantees of its releases say beside their measures", {
  for (file in list(NULL, ledger_file())) {
    budget <- privacy_budget(epsilon = 4, file = file)
    private_count(c(TRUE, FALSE), 0.5, budget = budget)
    private_count(c(TRUE, FALSE), 0.5, budget = budget, rng = "R")
    rows <- data.frame(a = rep(c("u", "v"), 20))
    private_synthesis(rows, schema_from_data(rows), 1, method = "margins", budget = budget)
    said <- budget$ledger$step
    expect_no_match(said[1], "NOT PRIVATE")
    expect_match(said[2], "-- SEEDED: NOT PRIVATE$")
    caveat <- privacy(private_synthesis(rows, schema_from_data(rows), 1, method = "margins"))$public$caveat
    expect_match(said[3], paste0(" -- ", caveat), fixed = TRUE)
    expect_output(print(budget), "SEEDED: NOT PRIVATE")
    expect_output(print(budget), caveat, fixed = TRUE)
    expect_identical(budget$spent, 2)
  }
})

# People -----------------------------------------------------------------------------

# One charge of each kind that there is.
all_units <- function(epsilon = .1) {
  list(
    patient = privacy_declare(epsilon, person = "patient"), doctor = privacy_declare(epsilon, person = "doctor"),
    row = privacy_declare(epsilon), added = privacy_declare(epsilon, relation = "add_remove"),
    edge = privacy_declare(epsilon, relation = "edge")
  )
}

test_that("no unit is charged for another, and each message names the budget that can be", {
  budgets <- function(file) {
    new <- function(...) privacy_budget(epsilon = 1, ..., file = if (file) ledger_file(parent.frame(3)))
    list(patient = new(person = "patient"), doctor = new(person = "doctor"), row = new(),
         added = new(relation = "add_remove"), edge = new(relation = "edge"))
  }
  called <- c(patient = "privacy_budget(person = \"patient\")", doctor = "privacy_budget(person = \"doctor\")",
              row = "privacy_budget(relation = \"replace\")", added = "privacy_budget(relation = \"add_remove\")",
              edge = "privacy_budget(relation = \"edge\")")
  for (file in c(FALSE, TRUE)) {
    kept <- budgets(file)
    for (budget in names(kept)) for (unit in names(all_units())) {
      release <- all_units()[[unit]]
      if (unit == budget) {
        spend_budget(kept[[budget]], guarantee = release)
      } else {
        for (pay in list(function() check_budget(kept[[budget]], release),
                         function() spend_budget(kept[[budget]], guarantee = release))) {
          expect_error(pay(), called[[unit]], fixed = TRUE, class = "dptda_error_relation")
        }
      }
    }
    for (budget in kept) {
      expect_identical(budget$spent, .1)
      expect_identical(nrow(budget$ledger), 1L)
    }
  }
  expect_error(check_budget(privacy_budget(1, person = "patient"), privacy_declare(.1)),
               "a release for people with table_rows(person = \"patient\")", fixed = TRUE)
  expect_error(check_budget(privacy_budget(1, person = "patient"), privacy_group(all_units()$patient, 2)),
               "for one person and the release holds for 2 people", class = "dptda_error_relation")
})

test_that("releases for people are charged to their budget before they are drawn", {
  visits <- data.frame(patient = c(1L, 1L, 2L), doctor = c("a", "b", "b"), well = c(TRUE, FALSE, TRUE))
  by_patient <- table_rows(visits, "well", person = "patient")
  by_doctor <- table_rows(visits, "well", person = "doctor")
  budget <- privacy_budget(epsilon = 1, person = "patient")
  expect_output(print(budget), "epsilon: 0 of 1 spent, for one person (all rows with the same `patient`)", fixed = TRUE)
  expect_identical(budget$person, "patient")
  expect_null(privacy_budget(epsilon = 1)$person)
  private_count(by_patient, epsilon = .4, budget = budget)
  for (refused in list(function() private_count(by_doctor, epsilon = .1, budget = budget),
                       function() private_count(visits$well, epsilon = .1, budget = budget),
                       function() private_count(by_patient, epsilon = .1, budget = privacy_budget(1)),
                       function() private_graph(matrix(0, 3, 3), epsilon = .1, budget = budget))) {
    set.seed(1)
    expect_error(refused(), class = "dptda_error_relation")
  }
  expect_error(private_count(by_patient, epsilon = .7, budget = budget), class = "dptda_error_budget")
  expect_identical(budget$spent, .4)
  spent <- privacy_compose(budget)
  expect_identical(spent[c("unit", "relation", "person")], privacy(private_count(by_patient, epsilon = 1))[
    c("unit", "relation", "person")])
  drawn <- table_rows(visits, "well", person = "patient", rows_of_person = "one")
  private_count(drawn, epsilon = .6, budget = budget)
  expect_identical(budget$left, 0)
})

test_that("a budget for people counts groups of them", {
  pair <- privacy_budget(epsilon = 1, person = "patient", unit_rows = 2)
  expect_output(print(pair), "for 2 people (all rows with the same `patient`)", fixed = TRUE)
  spend_budget(pair, guarantee = privacy_declare(.25, person = "patient"))
  expect_identical(pair$spent, .5)
  expect_identical(privacy_compose(pair)$unit, "2 people")
  expect_identical(privacy_compose(pair)$person, "patient")
  expect_error(privacy_compose(pair, privacy_declare(1, person = "patient")), class = "dptda_error_relation")
  smooth <- privacy_budget(rho = 1, person = "patient", unit_rows = 3)
  spend_budget(smooth, guarantee = privacy_declare(rho = .1, person = "patient"))
  expect_equal(smooth$spent, .9)
})

test_that("a guarantee that was changed by hand is charged to its budget, or to none", {
  budget <- privacy_budget(epsilon = 1, person = "patient")
  rows <- privacy_budget(epsilon = 1)
  one <- privacy_declare(.1, person = "patient")
  for (person in list("doctor", NA_character_, c("patient", "doctor"), 1, list("patient"), TRUE, "",
                      structure("patient", class = "sly"), structure("patient", names = "a"), NULL)) {
    forged <- unclass(one)
    forged["person"] <- list(person)
    for (price in list(forged, structure(forged, class = "dptda_guarantee"))) {
      expect_error(spend_budget(budget, guarantee = price), class = "dptda_error_relation")
      expect_error(spend_budget(rows, guarantee = price), class = "dptda_error_relation")
    }
  }
  # as a row that has a name
  named <- unclass(privacy_declare(.1))
  named$person <- "patient"
  for (held in list(budget, rows)) expect_error(spend_budget(held, guarantee = named), class = "dptda_error_relation")
  for (field in list(list(relation = "no such relation"), list(unit = "one row"), list(unit = "2 people"))) {
    forged <- utils::modifyList(unclass(one), field)
    expect_error(spend_budget(budget, guarantee = forged), class = "dptda_error_relation")
  }
  expect_identical(c(budget$spent, rows$spent), c(0, 0))
})

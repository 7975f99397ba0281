# The auditor, or the ledger, must reject each broken mechanism, those of the package (mechanism_examples()) and lies of
# one kind; the control group of honest ones must pass. Confidence 99 %: one audit of an honest
# mechanism is rejected with probability at most 0.01 (measured: far less,
# bench/results/audit.txt, where the power on each lie is, too).

examples <- mechanism_examples()

test_that("the auditor rejects what any mechanism of the package can lack", {
  set.seed(304)
  told <- character()
  for (example in examples_to_audit(examples)) {
    for (name in names(generic_lies())) {
      lie <- generic_lies()[[name]](example)
      if (is.null(lie)) next
      told <- c(told, example$name)
      rejected <- is_rejected_in_three(example, lie)
      expect(rejected, paste0(example$name, " passes with ", name,
                              ": its neighbors show too little, or it has more noise than it needs, see ",
                              file_of(class(example$mechanism$plan))))
    }
  }
  expect_setequal(told, names(examples_to_audit(examples)))
})

# Seed fixed, at confidence 99 percent each. In the quick tests only what draws many at once; what is slow has few runs.
test_that("no mechanism of the package is rejected", {
  set.seed(305)
  for (example in examples) {
    additive <- inherits(example$mechanism$plan, "additive")
    if (!additive && !asks_long()) next
    found <- audit_example(example, runs = if (additive) 4000 else if (example$slow) 40 else 200)
    expect(!found$rejected, paste0(example$name, " has less noise than it declares: see ",
                                   file_of(class(example$mechanism$plan))))
  }
})

test_that("the auditor rejects every planted lie that shows in the outputs", {
  set.seed(301)
  lies <- planted_lies()
  for (name in names(lies)) {
    found <- audit_lie(lies[[name]])
    expect_true(found$rejected, info = name)
    expect_gt(found$lower, found$declared[[1]])
  }
})

# In the quick tests two audits each. `make check`: 25, some 350 in all, of which at most 10 may be rejected.
test_that("the same without the fault passes, but for what chance rejects (false alarm 0.001)", {
  set.seed(302)
  honest <- honest_twins()
  # these take longest
  audits <- ifelse(names(honest) %in% c("public landmarks", "many numbers"), 2, long_or(25, 2))
  rejected <- mapply(function(one, audits) sum(replicate(audits, audit_lie(one)$rejected)), honest, audits)
  expect_lte(sum(rejected), stats::qbinom(0.999, sum(audits), 0.01))
})

test_that("it is found to use what it claims: the bound is not idle", {
  # half of the claim at least; the second moments of the pair are equal; many releases of a table take long
  set.seed(303)
  idle <- c("many numbers", "table of public cells", "second moments", "shortened features", "public landmarks",
            "levels by their ranks", "choice of parents, information of people", "curve test")
  honest <- honest_twins()
  for (name in setdiff(names(honest), idle)) {
    found <- audit_lie(replace(honest[[name]], "runs", 20000))
    expect_gt(found$lower, found$declared[[1]] / 2)
  }
})

test_that("the cost of the diagram mechanism is what was declared, and a sum without its factor is not", {
  grid <- domain_grid(domain_box(c(0, 0), c(1, 1)), by = 0.25)
  cost <- function(utility, epsilon = 1, alter = identity) {
    setup <- release_setup(matrix(0, 4, 2), grid, epsilon, NULL, 0.5, 1, Inf, 0:1, 3, TRUE, "cap", utility)
    diagram_cost(alter(setup$plan))
  }
  for (utility in c("max", "sum")) for (epsilon in c(0.01, 1, 30)) expect_equal(cost(utility, epsilon), epsilon)
  # the published sum: each dimension with the whole epsilon
  without_factor <- function(mechanism) {
    dimensions <- length(mechanism$groups)
    mechanism$groups <- lapply(mechanism$groups, function(group) replace(group, "epsilon", dimensions * group$epsilon))
    mechanism
  }
  expect_gt(cost("sum", alter = without_factor), 1.5)
})

test_that("a budget shows a second round that was not spent", {
  # two releases, and a ledger that must hold two rows that add up to what was spent
  budget <- privacy_budget(epsilon = 2)
  grid <- domain_grid(domain_box(0, 1), by = 0.1)
  for (query in 1:2) private_diagram(matrix(c(0, 1)), grid, 1, m0 = 1, max_dimension = 0, budget = budget)
  expect_equal(sum(budget$ledger$value), 2)
  expect_equal(budget$spent, 2)
  expect_error(private_diagram(matrix(c(0, 1)), grid, 1, m0 = 1, max_dimension = 0, budget = budget),
               class = "dptda_error_budget")
})

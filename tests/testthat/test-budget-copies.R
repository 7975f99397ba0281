# Copies of a budget, in memory and by processes: they can be read, and only the budget itself is charged.

test_that("a copy of a budget can be read and cannot be charged", {
  budget <- privacy_budget(epsilon = 1)
  expect_identical(charge(budget, .25), "spent")
  file <- tempfile()
  withr::defer(unlink(file))
  saveRDS(budget, file)
  saved <- tempfile()
  withr::defer(unlink(saved))
  save(budget, file = saved)
  restored <- new.env()
  load(saved, envir = restored)
  copies <- list(unserialize(serialize(budget, NULL)), readRDS(file), restored$budget,
                 unserialize(serialize(list(budget), NULL, ascii = TRUE))[[1]])
  for (copy in copies) {
    expect_error(private_count(TRUE, epsilon = .1, budget = copy), "belongs to the session",
                 class = "dptda_error_budget")
    expect_error(spend_budget(copy, "step", c(epsilon = .1)), class = "dptda_error_budget")
    expect_identical(copy$spent, .25)
    expect_identical(copy$ledger, budget$ledger)
    expect_output(print(copy), "cannot be charged")
    expect_equal(privacy_compose(copy)$measure, c(epsilon = .25))
  }
  expect_identical(budget$spent, .25)
  expect_identical(charge(budget, .75), "spent")
  expect_identical(charge(budget), "dptda_error_budget")
})

test_that("workers cannot spend a budget of another session", {
  skip_on_cran()
  cluster <- ledger_workers(2)
  budget <- privacy_budget(epsilon = 1)
  expect_identical(unlist(parallel::parLapply(cluster, 1:4, function(i, budget, charge) charge(budget, 1), budget,
                                              charge)),
                   rep("dptda_error_budget", 4))
  expect_identical(budget$spent, 0)
})

test_that("a future cannot spend a budget of another session, but one in a file", {
  skip_on_cran()
  skip_if_not_installed("future")
  plan <- future::plan(future::multisession, workers = 2)
  withr::defer(future::plan(plan))
  budget <- privacy_budget(epsilon = 1)
  shared <- privacy_budget(epsilon = 1, file = ledger_file())
  libraries <- .libPaths()
  futures <- lapply(1:4, function(i) {
    future::future({
      .libPaths(libraries)
      options(dptda.weak_release = FALSE)
      c(charge(budget, .5), charge(shared, .5))
    }, packages = "dptda")
  })
  outcomes <- do.call(rbind, future::value(futures))
  expect_identical(outcomes[, 1], rep("dptda_error_budget", 4))
  expect_identical(sort(outcomes[, 2]), sort(rep(c("spent", "dptda_error_budget"), each = 2)))
  expect_identical(c(budget$spent, shared$spent), c(0, 1))
})

test_that("forks pay from a file, and what comes back from a callback twice is released once", {
  skip_on_os("windows")
  shared <- privacy_budget(epsilon = 1, file = ledger_file())
  spent <- unlist(parallel::mclapply(1:8, function(i) charge(shared, .25), mc.cores = 2))
  expect_identical(sum(spent == "spent"), 4L)
  expect_identical(shared$spent, 1)
  # a callback that forks and comes back twice
  budget <- privacy_budget(epsilon = 1)
  guarantee <- privacy_declare(epsilon = .5)
  place <- tempfile()
  withr::defer(unlink(place))
  parent <- Sys.getpid()
  fork <- function(statistic) {
    parallel:::mcfork(estranged = TRUE)
    statistic
  }
  outcome <- tryCatch({
    charge_and_draw(budget, guarantee, 1, fork)
    "released"
  }, dptda_error_budget = function(e) "refused")
  if (Sys.getpid() != parent) {
    writeLines(outcome, place)
    tools::pskill(Sys.getpid(), tools::SIGKILL)
  }
  expect_identical(outcome, "released")
  expect_true(wait_until(function() file.exists(place) && length(readLines(place)) == 1))
  expect_identical(readLines(place), "refused")
})

test_that("nothing that is done to a handle changes what is spent", {
  for (budget in list(privacy_budget(epsilon = 1), privacy_budget(epsilon = 1, file = ledger_file()))) {
    expect_identical(charge(budget, 1), "spent")
    refused <- function(code) expect_error(code, class = "dptda_error_budget")
    refused(budget$steps <- list())
    refused(budget$spent <- 0)
    refused(budget[["steps"]] <- list())
    refused(budget[["process"]] <- 0L)
    refused(budget["held"] <- list(NULL))
    refused(budget$ledger <- budget$ledger[0, ])
    expect_error(assign("spent", 0, envir = budget))
    expect_error(lockBinding("spent", budget))
    # reading answers from a copy, which may be changed at will
    view <- budget$ledger
    view$value <- 0
    steps <- budget$steps
    steps[[1]]$measure[] <- 0
    expect_identical(budget$spent, 1)
    expect_identical(charge(budget), "dptda_error_budget")
  }
})

test_that("a handle that was taken apart, or answers for itself, is no way to pay", {
  budget <- privacy_budget(epsilon = 1)
  expect_identical(charge(budget, 1), "spent")
  fields <- unclass(budget)
  fields$steps <- list()
  fields$total <- 100
  expect_identical(charge(structure(fields, class = "dptda_budget")), "dptda_error_budget")
  attr(budget, "steps") <- list()
  expect_identical(charge(budget), "dptda_error_budget")
  # methods of a subclass are not asked
  rich <- structure(unclass(budget), class = c("rich", "dptda_budget"))
  answer <- function(x, name) if (name == "total") 100 else if (name == "spent") 0 else list()
  registerS3method("$", "rich", answer, envir = globalenv())
  registerS3method("[[", "rich", answer, envir = globalenv())
  expect_identical(rich$total, 100)
  expect_identical(charge(rich), "dptda_error_budget")
  for (broken in list(list(), list(held = NULL), list(held = 1), list(held = methods::new("externalptr")), 1, NULL,
                      list(file = 1), list(file = "a"), function() 1)) {
    forged <- structure(if (is.null(broken)) list() else broken, class = "dptda_budget")
    expect_identical(charge(forged), "dptda_error_argument")
    expect_error(print(forged), class = "dptda_error_argument")
  }
  expect_identical(charge(structure(new.env(), class = "dptda_budget")), "dptda_error_argument")
})

test_that("of two charges that saw the same account, the second works out its price anew", {
  # a callback or a finalizer may spend between the reading and the charge
  for (budget in list(privacy_budget(epsilon = 1), privacy_budget(epsilon = 1, file = ledger_file()))) {
    asked <- 0
    price <- function(account) {
      asked <<- asked + 1
      steps <- price_release(account, "outer", c(epsilon = .7), "budget")
      if (asked == 1) charge(budget, .2)
      if (asked == 2) charge(budget, .3)
      steps
    }
    expect_error(charge_steps(budget, price, "budget"), class = "dptda_error_budget")
    expect_identical(asked, 3)
    expect_identical(budget$ledger$step, rep("private_count", 2))
    expect_equal(budget$spent, .5)
  }
})

test_that("a handler that spends while a refusal is raised is served", {
  for (budget in list(privacy_budget(epsilon = 1), privacy_budget(epsilon = 1, file = ledger_file()))) {
    inner <- NULL
    handler <- function(e) if (is.null(inner)) inner <<- charge(budget, 1)
    try(withCallingHandlers(spend_budget(budget, "large", c(epsilon = 2)), dptda_error_budget = handler), silent = TRUE)
    expect_identical(inner, "spent")
    expect_identical(budget$spent, 1)
  }
})

test_that("an account shares no object with what its owner can reach", {
  skip_if_not_installed("rlang")
  for (budget in list(privacy_budget(epsilon = 2, unit_rows = 1), privacy_budget(epsilon = 2, file = ledger_file()))) {
    release <- private_count(TRUE, epsilon = 1, budget = budget)
    kept <- budget_account(budget)
    parts <- rlang::obj_address(kept$steps[[1]]$parts)
    # that of a file stays in the session, that in memory shows copies only
    in_file <- !is.null(unclass(budget)$file)
    expect_identical(rlang::obj_address(budget_account(budget)$steps[[1]]$parts) == parts, in_file)
    for (steps in list(privacy(release)$steps, budget$steps, privacy_compose(budget)$steps)) {
      expect_identical(steps[[1]]$parts, kept$steps[[1]]$parts)
      expect_false(rlang::obj_address(steps[[1]]$parts) == parts)
    }
    expect_false(rlang::obj_address(budget$total) == rlang::obj_address(kept$total))
  }
})

test_that("a price is a plain number, not what a class says it is", {
  registerS3method("as.double", "sly", function(x, ...) structure(.1, class = "sly"), envir = globalenv())
  budget <- privacy_budget(epsilon = 1)
  for (sly in list(structure(10, class = "sly"), as.difftime(10, units = "secs"), factor(10))) {
    expect_error(private_count(TRUE, epsilon = sly, budget = budget), class = "dptda_error_argument")
    expect_error(private_count(TRUE, rho = sly, budget = budget), class = "dptda_error_argument")
    expect_error(privacy_budget(epsilon = sly), class = "dptda_error_argument")
  }
  expect_identical(budget$spent, 0)
})

test_that("amounts that are none are refused", {
  budget <- privacy_budget(epsilon = 1)
  for (bad in c(-1, NaN, Inf, -Inf)) {
    expect_error(spend_budget(budget, "step", c(epsilon = bad)), class = "dptda_error_budget")
    forged <- privacy_declare(epsilon = .1)
    forged$steps[[1]]$parts$pure <- bad
    expect_error(spend_budget(budget, guarantee = forged), class = "dptda_error_budget")
  }
  expect_identical(budget$spent, 0)
})

test_that("a budget shows its fields where they are looked for", {
  budget <- privacy_budget(epsilon = 1, delta = 1e-6)
  expect_identical(names(budget$total), c("epsilon", "delta"))
  expect_identical(budget[["unit_rows"]], 1)
  expect_error(budget$nothing, "no field `nothing`", class = "dptda_error_argument")
  expect_output(str(budget), "composition")
  expect_identical(utils::.DollarNames(budget, "^le"), c("left", "ledger"))
})

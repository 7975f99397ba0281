test_that("a charge asks what its own steps cost, and not those before it", {
  asked <- 0
  counted <- function(step, ...) {
    asked <<- asked + 1
    price(step, ...)
  }
  price <- step_value
  for (file in list(NULL, ledger_file())) {
    budget <- privacy_budget(epsilon = 1000, file = file)
    for (i in 1:60) spend_budget(budget, "before", c(epsilon = 1))
    asked <- 0
    with_replaced("step_value", counted, {
      check_budget(budget, c(epsilon = 1))
      spend_budget(budget, "now", c(epsilon = 1))
      spent <- budget$spent
    })
    expect_lt(asked, 10)
    expect_identical(spent, 61)
  }
})

# A sum of doubles by whole numbers of 2^-1074 would need big integers; halves of a sum of powers do not.
test_that("running sums are exact, and rounded once", {
  of <- function(...) round_sum(add_exactly(0, c(...)))
  expect_identical(of(rep(.1, 10)), 1)
  expect_identical(of(1, 2^-53, 2^-53), 1 + 2^-52)
  expect_identical(of(1, 2^-53), 1)
  expect_identical(of(1, 2^-53, 2^-200), 1 + 2^-52)
  expect_identical(of(1 + 2^-52, 2^-53, 2^-1074), 1 + 2^-51)
  expect_identical(of(2^-1074, 2^-53, 1 + 2^-52), 1 + 2^-51)
  expect_identical(of(rep(2^-1074, 7)), 7 * 2^-1074)
  expect_identical(of(2^1000, 2^-1000, 2^900), 2^1000 + 2^900)
  expect_identical(of(.Machine$double.xmax / 2, .Machine$double.xmax / 2), .Machine$double.xmax)
  expect_identical(of(.Machine$double.xmax, .Machine$double.xmax), Inf)
  expect_identical(of(Inf, 1, Inf), Inf)
  expect_identical(of(0, 0), 0)
})

test_that("sums do not depend on the order, nor on who added what", {
  withr::local_seed(1)
  for (i in 1:40) {
    x <- 2^stats::runif(200, -if (i %% 2) 80 else 1000, 30)
    whole <- round_sum(add_exactly(0, x))
    expect_identical(round_sum(add_exactly(0, sample(x))), whole)
    expect_identical(round_sum(add_exactly(add_exactly(0, x[1:70]), x[71:200])), whole)
    expect_equal(whole, sum(x), tolerance = 1e-15)
  }
  skip_if_not_installed("Rmpfr")
  for (i in 1:40) {
    x <- 2^stats::runif(50, -70, 0) * if (i %% 2) 1 else 2^-1000
    wide <- Rmpfr::mpfr(x, 4000)
    expect_identical(round_sum(add_exactly(0, x)), as.numeric(Rmpfr::mpfr(sum(wide), 53)))
  }
})

test_that("what was added up as it was spent is what the steps add up to", {
  cases <- list(
    list(list(epsilon = 30), list(c(epsilon = .1), c(epsilon = 1 / 3))),
    list(list(rho = 30, unit_rows = 3), list(c(epsilon = .1), c(rho = .01), c(mu = .3))),
    list(list(epsilon = 30, delta = 1e-6), list(c(epsilon = .1), c(rho = .01), c(mu = .3))),
    list(list(epsilon = 30, delta = .1), list(c(epsilon = .1, delta = 1e-7), c(epsilon = .2)))
  )
  for (case in cases) for (file in list(NULL, ledger_file())) {
    budget <- do.call(privacy_budget, c(case[[1]], list(file = file)))
    for (i in 1:25) for (measure in case[[2]]) {
      spend_budget(budget, "step", measure)
      if (i == 3) spent <- budget$spent # sums from here and from there
    }
    account <- budget_account(budget)
    account$tally <- NULL
    expect_length(account$steps, 25 * length(case[[2]]))
    expect_identical(budget_field(account, "spent"), budget$spent)
    if (!is.null(file)) forget_ledgers()
    expect_identical(budget_field(account, "spent"), budget$spent)
    expect_true(all(budget$spent >= spent))
  }
})

test_that("a copy has sums of its own", {
  budget <- privacy_budget(epsilon = 10)
  for (i in 1:3) charge(budget, 1)
  copy <- unserialize(serialize(budget, NULL))
  for (i in 1:3) charge(budget, 1)
  expect_identical(c(copy$spent, budget$spent, nrow(copy$ledger), nrow(budget$ledger)), c(3, 6, 3, 6))
  others <- lapply(1:1100, function(i) privacy_budget(epsilon = i)) # more than are remembered
  for (other in others) charge_steps(other, function(account) price_release(account, "a", c(epsilon = 1), "a"), "a")
  expect_lte(length(ls(tallies)), 1000)
  expect_identical(charge(budget, 4), "spent")
  expect_identical(vapply(others, function(one) one$spent, 0), rep(1, 1100))
  expect_identical(charge(budget, 1e-9), "dptda_error_budget")
})

test_that("a long account is printed by its end, and read whole", {
  for (file in list(NULL, ledger_file())) {
    budget <- privacy_budget(epsilon = 10, file = file)
    for (i in 1:33) spend_budget(budget, paste("step", i), c(epsilon = i / 1000))
    printed <- capture.output(print(budget))
    expect_match(printed, "last 20 steps, after 13 others:", fixed = TRUE, all = FALSE)
    expect_no_match(printed, "step 13\\b")
    expect_match(printed, "step 14\\b", all = FALSE)
    expect_match(printed[length(printed)], "step 33\\b")
    expect_identical(budget$ledger$step, paste("step", 1:33))
    expect_identical(budget$ledger$value, (1:33) / 1000)
  }
})

test_that("what a session has seen of a file is not read again, unless something else than its end has changed", {
  file <- ledger_file()
  budget <- privacy_budget(epsilon = 100, file = file)
  for (i in 1:50) charge(budget, .1)
  read <- 0
  original <- read_bytes
  counted <- function(...) {
    query <- original(...)
    read <<- read + length(query$bytes)
    query
  }
  with_replaced("read_bytes", counted, {
    charge(budget, .1)
    expect_lt(read, 500)
    # another session
    known <- as.list(ledgers_read)
    forget_ledgers()
    charge(budget, .1)
    read <- 0
    rm(list = ls(ledgers_read), envir = ledgers_read)
    list2env(known, ledgers_read)
    expect_identical(charge(budget, .1), "spent")
    expect_lt(read, 2000)
    expect_equal(budget$spent, 5.3)
    # the same bytes, written anew
    bytes <- file_bytes(file)
    unlink(file)
    writeBin(bytes, file)
    expect_equal(budget$spent, 5.3)
    expect_gt(read, length(bytes))
  })
  expect_identical(charge(budget, .1), "spent")
  # a line in the middle, of the same length
  changed <- file_bytes(file)
  changed[1000] <- xor(changed[1000], as.raw(1))
  unlink(file)
  writeBin(changed, file)
  expect_identical(charge(budget, .1), "dptda_error_ledger")
  expect_error(budget$spent, class = "dptda_error_ledger")
  # all lines, with sums that fit
  lines <- strsplit(rawToChar(bytes), "\n", fixed = TRUE)[[1]]
  texts <- sub("=0.1", "=0.2", substr(lines[-1], 1, nchar(lines[-1]) - 19), fixed = TRUE)
  lines <- c(lines[1], paste(texts, .Call(ffi_budget_checksums, "", texts), sep = " | "))
  writeLines(lines, file)
  expect_error(budget$spent, "has lost charges", class = "dptda_error_ledger")
})

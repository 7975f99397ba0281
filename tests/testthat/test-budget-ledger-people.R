# A budget in a file that is kept for people.

sly_names <- c(
  "patient", " ", " patient ", "a | b", "| 0123456789abcdef", "a | 0123456789abcdef\n1 | now | process 1 | gift()[]",
  "\"'`\\", "\t\r\n", "[torn]", "%41", "%", "Ren\u00e9", "\u60a3\u8005", "\U0001F600", "NA", "NULL", "person",
  "terms | a", strrep("\u00e9x", 5e4)
)

test_that("the file of a budget for people has their name, whatever it is", {
  for (name in sly_names) {
    file <- ledger_file()
    budget <- privacy_budget(epsilon = 1, person = name, unit_rows = 2, file = file)
    spend_budget(budget, guarantee = privacy_declare(.25, person = name))
    bytes <- as.integer(file_bytes(file))
    expect_true(all(bytes == 10 | bytes >= 32 & bytes < 127)) # no byte of another kind, and no line more
    expect_length(readLines(file), 3)
    forget_ledgers()
    for (again in list(privacy_budget(file = file),
                       privacy_budget(epsilon = 1, person = name, unit_rows = 2, file = file))) {
      expect_identical(again$person, enc2utf8(name))
      expect_identical(unclass(again), unclass(budget))
      expect_identical(again$spent, .5)
      expect_identical(again$relation, relation_person)
    }
    expect_identical(privacy_compose(again)$person, enc2utf8(name))
    expect_error(spend_budget(again, guarantee = privacy_declare(.1, person = paste0(name, "x"))),
                 class = "dptda_error_relation")
    expect_length(utils::capture.output(print(again)), 4)
  }
})

test_that("a ledger that is kept for some people is opened for no others", {
  file <- ledger_file()
  privacy_budget(epsilon = 1, person = "patient", file = file)
  for (name in c("doctor", "Patient", "patient ", "patients", "patien")) {
    expect_error(privacy_budget(epsilon = 1, person = name, file = file), "other terms than you gave (person)",
                 fixed = TRUE, class = "dptda_error_ledger")
  }
  for (relation in c("replace", "add_remove", "edge")) {
    expect_error(privacy_budget(epsilon = 1, relation = relation, file = file), "relation, person",
                 class = "dptda_error_ledger")
  }
  expect_error(privacy_budget(person = "patient", file = file), "must be given with other terms",
               class = "dptda_error_argument")
  rows <- ledger_file()
  privacy_budget(epsilon = 1, file = rows)
  expect_error(privacy_budget(epsilon = 1, person = "patient", file = rows), class = "dptda_error_ledger")
  # a handle whose terms were changed by hand
  turned <- unclass(privacy_budget(file = file))
  turned$terms$person <- "doctor"
  class(turned) <- "dptda_budget"
  expect_error(spend_budget(turned, guarantee = privacy_declare(.1, person = "doctor")), "another budget",
               class = "dptda_error_ledger")
})

test_that("terms that name no people, or people where there are none, are no ledger", {
  file <- ledger_file()
  terms <- function(fields) {
    text <- paste(c("terms", strrep("a", 32), "epsilon=1;unit_rows=1", fields), collapse = " | ")
    writeLines(c(ledger_title, paste(text, .Call(ffi_budget_checksums, "", text), sep = " | ")), file)
    forget_ledgers()
  }
  place <- write_path(normalizePath(file, mustWork = FALSE))
  terms(c("person", "auto", place, "patient"))
  expect_identical(privacy_budget(file = file)$person, "patient")
  terms(c("replace", "auto", place))
  expect_null(privacy_budget(file = file)$person)
  for (bad in list(c("person", "auto", place), c("replace", "auto", place, "patient"),
                   c("edge", "auto", place, "patient"), c("person", "auto", place, ""),
                   c("person", "auto", place, "%FF"), c("person", "auto", place, "%00"),
                   c("person", "auto", place, "patient", "doctor"))) {
    terms(bad)
    expect_error(privacy_budget(file = file), class = "dptda_error_ledger")
  }
})

test_that("a ledger that was written before there were people opens, and is kept for rows", {
  file <- ledger_file()
  writeLines(c(
    "Ledger of a privacy budget. Written by the R package dptda; whoever changes a line loses the budget.",
    paste("terms | f9bd8edc510ba0fc046d21b636f768fb | rho=1;unit_rows=2 | replace | auto",
          "| /no/such/folder/study.ledger | 5cffbc9904437e64"),
    paste("1 | 2026-11-23 20:36:14 UTC | process 22473 | private_count(epsilon=0.5)[pure=0.5] | 7468502c3a759762")
  ), file)
  budget <- privacy_budget(rho = 1, unit_rows = 2, file = file)
  expect_null(budget$person)
  expect_identical(budget$relation, relation_replace)
  expect_equal(budget$spent, .5 * tanh(.25))
  private_count(c(TRUE, FALSE), rho = .1, budget = budget)
  expect_equal(privacy_budget(file = file)$spent, .5 * tanh(.25) + .4)
})

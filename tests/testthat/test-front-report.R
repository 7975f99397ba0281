# One page that says what the budget says, and what is not protected.

text_of <- function(x, ..., ending = ".md") {
  file <- withr::local_tempfile(fileext = ending)
  expect_identical(privacy_report(x, file, ...), file)
  paste(readLines(file), collapse = "\n")
}

test_that("a statement has unit, relation, releases, total, and what is not protected", {
  budget <- privacy_budget(epsilon = 1)
  for (i in 1:3) private_count(infert$case == 1, epsilon = 0.1, budget = budget)
  private_mean(infert, domain_box(c(age = 15), c(age = 50)), epsilon = 0.5, budget = budget)
  text <- text_of(budget, data = "248 women", contact = "office", title = "Study <1>")
  for (part in c("Study <1>", "Data: 248 women; Contact: office", "one row", "number of rows is\npublic",
                 "epsilon = 0.8 differential privacy", "2.23 times", "The budget is epsilon = 1",
                 "private_count | 3     | epsilon = 0.1", "private_mean  | 1", "Running time",
                 "not charged to this budget")) {
    expect_match(text, part, fixed = TRUE)
  }
  html <- text_of(budget, title = "Study <1>", ending = ".html")
  expect_match(html, "<h1>Study &lt;1&gt;</h1>", fixed = TRUE)
  expect_match(html, "<td>private_count</td><td>3</td>", fixed = TRUE)
  withr::with_options(list(dptda.release_time = 1), expect_no_match(text_of(budget), "Running time"))
})

test_that("people, edges, approximate and seeded guarantees are said as what they are", {
  people <- privacy_declare(rho = 0.1, relation = "person", person = "patient")
  expect_match(text_of(people), "same\n\"patient\"")
  expect_match(text_of(people), "at delta = 1e-06[.]")
  gauss <- text_of(privacy_declare(mu = 0.5))
  expect_match(gauss, "mu = 0.5 Gaussian", fixed = TRUE)
  expect_match(gauss, "at delta = 1e-06[.]")
  expect_match(text_of(privacy_declare(epsilon = 1, relation = "edge")), "edge is added or removed")
  expect_match(text_of(privacy_declare(epsilon = 1, relation = "add_remove")), "row is added or removed")
  seeded <- private_count(c(TRUE, FALSE), epsilon = 5, rng = "R")
  expect_match(text_of(seeded), "SEEDED: some releases")
  expect_match(text_of(list(seeded, privacy_declare(epsilon = 1))), "epsilon = 6 differential privacy")
  both <- privacy_budget(epsilon = 1, delta = 1e-6, unit_rows = 2)
  expect_error(text_of(both), "has not been charged", class = "dptda_error_argument")
  private_count(c(TRUE, FALSE), epsilon = 0.1, budget = both)
  expect_match(text_of(both), "protects 2 rows together")
})

test_that("what cannot be written is said", {
  guarantee <- privacy_declare(epsilon = 1)
  for (file in list("a.doc", "a.pdf", 5, file.path(tempdir(), "none", "a.html"))) {
    expect_error(privacy_report(guarantee, file), class = "dptda_error_argument")
  }
  expect_error(privacy_report(list(), "a.md"), class = "dptda_error_argument")
  expect_error(privacy_report(guarantee, file.path(tempdir(), "a.md"), title = 5), class = "dptda_error_argument")
})

test_that("a ledger is not written over, by whatever name it is called", {
  skip_if_not_installed("filelock")
  folder <- withr::local_tempdir()
  for (ending in c("txt", "md", "html")) {
    file <- file.path(folder, paste0("ledger.", ending))
    budget <- privacy_budget(epsilon = 1, file = file)
    private_count(rep(TRUE, 50), epsilon = 0.5, budget = budget)
    expect_error(privacy_report(budget, file), "is the ledger of a budget", class = "dptda_error_argument")
    expect_identical(privacy_budget(file = file)$spent, 0.5)
  }
  expect_error(recipe_script(list(unit = list(rows = 5), releases = list(every_kind()$count)), file),
               "is the ledger of a budget", class = "dptda_error_argument")
})

test_that("the statement says of which table, columns and bounds, as far as they are public", {
  skip_if_not_installed("yaml")
  withr::local_options(dptda.weak_release = FALSE)
  box <- domain_box(list(day = as.Date("2020-01-01"), weight = 40), list(as.Date("2021-01-01"), 120))
  x <- data.frame(day = as.Date("2020-05-05") + 1:100, weight = 41:140, sex = c("f", "m"))
  made <- list(private_mean(x, box, epsilon = 1), private_mean(x, box, epsilon = 1),
               private_sum(x, domain_box(c(weight = 40), c(weight = 120)), epsilon = 1),
               private_median(x$weight, c(40, 120), epsilon = 1),
               private_mean(x, domain_box(c(weight = 40), c(weight = 120)), epsilon = 1, by = list(sex = c("f", "m"))),
               private_table(x, list(sex = c("f", "m"), day = as.Date("2020-05-06") + 0:1), epsilon = 1))
  text <- gsub("\\s+", " ", text_of(made))
  for (part in c("private_mean: day [2020-01-01, 2021-01-01] x weight [40, 120] | 2 |",
                 "private_sum: weight [40, 120] | 1 |", "private_quantile: [40, 120]", "weight [40, 120] by sex",
                 "private_table: sex, day")) {
    expect_match(text, part, fixed = TRUE)
  }
  # from files, of which a recipe says more
  rows <- withr::local_tempfile(pattern = "survey", fileext = ".csv")
  utils::write.csv(x, rows, row.names = FALSE)
  recipe <- withr::local_tempfile(fileext = ".yaml")
  writeLines(c("unit: {rows: 100}", "releases:", "- {release: mean, box: {weight: [40, 120]}, epsilon: 1}",
               "- {release: quantile, box: {weight: [40, 120]}, epsilon: 1}",
               "- {release: count, where: {sex: {one_of: [f, d]}}, epsilon: 1}",
               "- {release: count, name: late, where: {day: {at_least: \"2020-06-01\"}}, by: {sex: [f, m]},",
               "   epsilon: 1}",
               "- {release: table, levels: {sex: [f, m]}, epsilon: 1}"), recipe)
  folder <- withr::local_tempdir()
  utils::capture.output(dptda_command(c("release", recipe, rows, "--out", folder, "--no-picture")))
  files <- file.path(folder, paste0(c("mean", "quantile", "count", "late", "table"), "-privacy.yaml"))
  page <- file.path(folder, "page.md")
  said <- utils::capture.output(status <- dptda_command(c("privacy", files, "--report", page)))
  expect_identical(status, 0L)
  text <- gsub("\\s+", " ", paste(readLines(page), collapse = "\n"))
  for (part in c(paste0("Data: ", basename(rows)), "ranks: weight [40, 120]", "second moments: weight [40, 120]",
                 "sex one_of f, d", "day at_least 2020-06-01 by sex", "sex |", "epsilon = 5 differential privacy")) {
    expect_match(text, part, fixed = TRUE)
  }
  expect_match(said, "weight [40, 120]", fixed = TRUE, all = FALSE)
  expect_match(said, "sex one_of f, d", fixed = TRUE, all = FALSE)
  # what is typed wins
  utils::capture.output(dptda_command(c("privacy", files, "--report", page, "--data", "Survey of 2020")))
  expect_match(paste(readLines(page), collapse = " "), "Data: Survey of 2020", fixed = TRUE)
  # files of before have neither
  lines <- readLines(files[1])
  writeLines(lines[!grepl("^(about|table):", lines)], files[1])
  expect_no_match(utils::capture.output(dptda_command(c("privacy", files[1]))), "weight")
})

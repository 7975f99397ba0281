# The command line: what it prints, which files it writes, which status it ends with.

run <- function(...) {
  said <- utils::capture.output(status <- dptda_command(c(character(), ...)))
  list(status = status, said = paste(said, collapse = "\n"))
}

# What is said to the standard error, as well.
failing <- function(...) {
  told <- utils::capture.output(found <- run(...), type = "message")
  c(found, list(told = paste(trimws(told), collapse = " ")))
}

recipe_file <- function(folder, epsilon = 0.5, ...) {
  file <- file.path(folder, "recipe.yaml")
  writeLines(c("data: {file: rows.csv}", "unit: {rows: 248}", ..., "releases:",
               paste0("- {release: mean, box: {age: [15, 50]}, epsilon: ", epsilon, "}"),
               "- {release: count, where: {case: {is: 1}}, epsilon: 0.1}"), file)
  utils::write.csv(infert, file.path(folder, "rows.csv"), row.names = FALSE)
  file
}

test_that("help names the commands, and each its options", {
  help <- run("--help")
  expect_identical(help$status, 0L)
  for (name in names(commands)) {
    expect_match(help$said, paste0("dptda ", name), fixed = TRUE)
    expect_match(run(name, "--help")$said, commands[[name]]$usage, fixed = TRUE)
    expect_identical(run("help", name)$said, run(name, "-h")$said)
  }
  expect_identical(run()$status, 2L)
  expect_match(run("--version")$said, "dptda [0-9.]+")
})

test_that("a wrong command line is status 2 and says what was meant", {
  expect_identical(failing("paln")[c("status", "told")],
                   list(status = 2L, told = paste("dptda: there is no command \"paln\" (did you mean plan?). Commands",
                                                  "are plan, release, privacy, budget, audit, wizard. For details, use",
                                                  "dptda COMMAND --help.")))
  expect_match(failing("plan", "--scirpt", "a")$told, "did you mean script?", fixed = TRUE)
  wrong <- list("plan", c("plan", "a", "b"), c("plan", "a", "--script"), c("release", "a", "--no-picture=1"),
                c("plan", "a", "--format", "xml"), c("budget", "a", "--epsilon", "much"), c("wizard", "--port", "1"))
  for (arguments in wrong) expect_identical(failing(arguments)$status, 2L, info = toString(arguments))
  expect_error(dptda_command(5), class = "dptda_error_argument")
  skip_if_not(l10n_info()[["UTF-8"]])
  expect_identical(failing("plan", "r\xe9.yaml")$status, 2L)
})

test_that("a plan needs no rows, a release needs a budget that reaches", {
  skip_if_not_installed("yaml")
  skip_if_not_installed("filelock")
  folder <- withr::local_tempdir()
  withr::local_dir(folder)
  file <- recipe_file(folder, 0.5, "budget: {epsilon: 1, ledger: ledger.txt}")
  unlink("rows.csv")
  plan <- run("plan", file, "--script", "script.R")
  expect_identical(plan$status, 0L)
  expect_match(plan$said, "age  +- 0.846 (95%)", fixed = TRUE)
  expect_identical(readLines("script.R"), recipe_script(file))
  expect_false(file.exists("ledger.txt"))
  expect_match(run("plan", file, "--format=json")$said, "\"release\": \"mean\"", fixed = TRUE)
  expect_identical(failing("release", file)$status, 1L)
  expect_identical(failing("plan", "recip.yaml")$status, 1L)
  expect_false(file.exists("ledger.txt"))

  recipe_file(folder, 0.5, "budget: {epsilon: 1, ledger: ledger.txt}")
  made <- run("release", file, "--out", "out", "--no-picture")
  expect_identical(made$status, 0L)
  expect_match(made$said, "0.6 of 1 spent", fixed = TRUE)
  expect_setequal(list.files("out"), c("mean.csv", "mean-privacy.yaml", "count.csv", "count-privacy.yaml"))
  again <- failing("release", file, "--out=out")
  expect_identical(again$status, 3L)
  expect_match(again$told, "cannot be charged")
  expect_identical(failing("plan", file)$status, 3L)
  expect_match(run("budget", "ledger.txt")$said, "0.6 of 1 spent", fixed = TRUE)
  expect_match(run("budget", "ledger.txt", "--report", "page.md")$said, "written: page.md", fixed = TRUE)
  expect_match(paste(readLines("page.md"), collapse = "\n"), "private_count")
  whole <- run("privacy", "out/mean-privacy.yaml", "out/count-privacy.yaml", "--delta", "1e-6", "--report", "p.html")
  expect_identical(whole$status, 0L)
  expect_match(whole$said, "together: epsilon = 0.6 differential", fixed = TRUE)
  expect_true(file.exists("p.html"))
  expect_identical(failing("privacy", file)$status, 1L)
})

test_that("a ledger can be given, made, missed and damaged", {
  skip_if_not_installed("yaml")
  skip_if_not_installed("filelock")
  folder <- withr::local_tempdir()
  withr::local_dir(folder)
  file <- recipe_file(folder)
  expect_identical(failing("budget", "new.txt")$status, 1L)
  expect_match(run("budget", "new.txt", "--epsilon", "0.7")$said, "0 of 0.7 spent", fixed = TRUE)
  expect_identical(run("release", file, "rows.csv", "--ledger", "new.txt", "--format", "json")$status, 0L)
  expect_true(file.exists("mean.json"))
  expect_identical(failing("budget", "new.txt", "--epsilon", "2")$status, 3L)
  expect_match(run("budget", "gauss.txt", "--mu", "0.7")$said, "mu: 0 of 0.7 spent", fixed = TRUE)
  expect_identical(failing("budget", "gauss.txt", "--mu", "0.6")$status, 3L)
  expect_identical(failing("budget", "gauss.txt", "--mu", "0.7", "--rho", "1")$status, 1L)
  expect_match(failing("budget", "none.txt")$told, "--epsilon, --rho, or --mu", fixed = TRUE)
  expect_match(failing("budget", "nwe.txt")$told, "did you mean \"new.txt\"", fixed = TRUE)
  writeLines(sub("epsilon=0.5", "epsilon=0.1", readLines("new.txt"), fixed = TRUE), "new.txt")
  expect_identical(failing("budget", "new.txt")$status, 3L)
})

test_that("what a guarantee says beside its measure is in the statement of its file", {
  skip_if_not_installed("yaml")
  withr::local_dir(withr::local_tempdir())
  release <- private_count(rep(TRUE, 50), epsilon = 1)
  own <- privacy(release)
  own$public$caveat <- "levels were read from the rows"
  own$inexact <- "the sampler"
  files <- release_files(attach_guarantee(release, own), ".", "a", picture = FALSE)
  read <- read_guarantee(files[["privacy"]])
  expect_identical(read$public$caveat, own$public$caveat)
  expect_identical(read$inexact, own$inexact)
  expect_identical(run("privacy", files[["privacy"]], files[["privacy"]], "--report", "p.txt")$status, 0L)
  text <- paste(readLines("p.txt"), collapse = " ")
  expect_match(text, "levels were read from the rows")
  expect_match(text, "numbers in: the sampler")
  group <- sub("one row\"", "7 rows\"", readLines(files[["privacy"]]))
  writeLines(group, "group-privacy.yaml")
  expect_match(failing("privacy", "group-privacy.yaml")$told, "for one row")
})

test_that("a recipe is not written over by its script, nor a ledger by its statement", {
  skip_if_not_installed("yaml")
  skip_if_not_installed("filelock")
  withr::local_dir(withr::local_tempdir())
  file <- recipe_file(".")
  before <- readLines(file)
  expect_match(failing("plan", file, "--script", "./recipe.yaml")$told, "the recipe itself")
  expect_identical(readLines(file), before)
  run("budget", "l.txt", "--epsilon", "1")
  expect_identical(failing("budget", "l.txt", "--report", "l.txt")$status, 1L)
  expect_identical(run("budget", "l.txt")$status, 0L)
})

test_that("what was paid for is seen where it cannot be written", {
  skip_if_not_installed("yaml")
  folder <- withr::local_tempdir()
  withr::local_dir(folder)
  file <- recipe_file(folder)
  full <- function(...) stop_argument("folder", "is full.")
  made <- with_replaced("release_files", full, failing("release", file))
  expect_identical(made$status, 1L)
  expect_match(made$said, "private mean")
})

test_that("warnings go to the standard error, and an audit that refutes is status 4", {
  skip_if_not_installed("yaml")
  folder <- withr::local_tempdir()
  withr::local_dir(folder)
  file <- recipe_file(folder, 0.001)
  withr::local_options(dptda.weak_release = TRUE)
  told <- failing("release", file, "--no-picture")
  expect_identical(told$status, 0L)
  expect_match(told$told, "Warning: With 248 rows and epsilon = 0.001")
  audit <- run("audit", file, "--runs", "400", "--release", "count")
  expect_identical(audit$status, 0L)
  expect_match(audit$said, "not rejected")
  expect_identical(failing("audit", file, "--release", "cuont")$status, 2L)
  expect_identical(audit_status(list(list(rejected = FALSE), list(rejected = TRUE))), 4L)
})

test_that("each kind can be audited on rows that are made up", {
  skip_if_instrumented()
  withr::local_options(dptda.weak_release = FALSE)
  withr::local_seed(1)
  kinds <- every_kind()[c("count", "mean", "table")]
  recipe <- release_recipe(list(unit = list(rows = 40), releases = unname(kinds)))
  audits <- audit_recipe(recipe, names(kinds), 400, rng = "R")
  expect_identical(unname(vapply(audits, `[[`, NA, "rejected")), rep(FALSE, 3))
})

test_that("the program is the function", {
  program <- system.file("bin", "dptda", package = "dptda")
  expect_true(nzchar(program))
  skip_on_os("windows")
  said <- function(...) {
    suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c(shQuote(program), ...), stdout = TRUE,
                             stderr = TRUE, env = paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep))))
  }
  expect_match(said("--version"), "^dptda [0-9]", all = FALSE)
  wrong <- said("paln")
  expect_identical(attr(wrong, "status"), 2L)
  expect_match(wrong, "did you mean plan", all = FALSE)
})

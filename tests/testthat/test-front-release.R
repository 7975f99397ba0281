# Files of releases: numbers, pictures, and the guarantee beside them.

test_that("a release is written with its guarantee beside it", {
  folder <- file.path(withr::local_tempdir(), "new")
  release <- private_mean(infert, domain_box(c(age = 15), c(age = 50)), epsilon = 1)
  files <- release_files(release, folder, "age")
  expect_named(files, c("result", "privacy", "picture"))
  expect_true(all(file.exists(files)))
  expect_equal(utils::read.csv(files[["result"]])$value, release$value[[1]], tolerance = 1e-14)
  expect_identical(release_files(release, folder, "b", picture = FALSE)[["result"]], file.path(folder, "b.csv"))
  lines <- readLines(files[["privacy"]])
  expect_identical(lines[1:3], paste("#", format(privacy(release))))
  skip_if_not_installed("yaml")
  fields <- yaml::read_yaml(files[["privacy"]])
  expect_identical(fields[c("result", "unit", "relation", "random")],
                   list(result = "age.csv", unit = "one row", relation = relation_replace, random = "os"))
  expect_equal(fields$epsilon, 1)
  expect_identical(read_guarantee(files[["privacy"]])$measure, c(epsilon = 1))
})

test_that("what has lost its guarantee is not written as a release", {
  release <- private_mean(infert, domain_box(c(age = 15), c(age = 50)), epsilon = 1)
  expect_error(release_files(structure(release, released = NULL), tempdir(), "a"), class = "dptda_error_argument")
  expect_error(release_files(5, tempdir(), "a"), class = "dptda_error_argument")
  good <- private_count(c(TRUE, FALSE), epsilon = 5)
  expect_error(release_files(good, tempdir(), "../a"), class = "dptda_error_argument")
  taken <- withr::local_tempfile()
  writeLines("a", taken)
  expect_error(release_files(good, taken, "a"), "is none", class = "dptda_error_argument")
})

test_that("JSON is what a reader of JSON reads", {
  skip_if_not_installed("jsonlite")
  frame <- data.frame(a = c("x \"y\" \\ \n\u00e9\u0001", NA), b = c(1.5, NA), c = c(TRUE, NA), d = c(Inf, 1e-300),
                      e = factor(c("u", "v")))
  read <- jsonlite::fromJSON(json_text(frame))
  expect_identical(read[c("a", "b", "c", "e")], transform(frame[c("a", "b", "c", "e")], e = as.character(e)))
  expect_match(json_text(frame), "\"d\": \"Inf\"", fixed = TRUE)
  expect_identical(jsonlite::fromJSON(json_text(list(1:3, "b"))), list(1:3, "b"))
  file <- release_files(private_count(c(TRUE, FALSE), epsilon = 5), withr::local_tempdir(), "a", format = "json")
  expect_identical(nrow(jsonlite::fromJSON(file[["result"]])), 1L)
})

test_that("a name is taken by one alone, and nothing is written through a link", {
  skip_on_os("windows")
  folder <- withr::local_tempdir()
  elsewhere <- withr::local_tempfile()
  good <- private_count(rep(TRUE, 50), epsilon = 5)
  for (ending in c(".csv", ".png", "-privacy.yaml")) file.symlink(elsewhere, file.path(folder, paste0("a", ending)))
  files <- release_files(good, folder, "a")
  expect_false(file.exists(elsewhere))
  expect_identical(basename(files[["result"]]), "a-2.csv")
  # another process that has found the name free at the same time
  real <- new_file
  other <- function(file) {
    if (endsWith(file, "b-privacy.yaml")) writeLines("of another", file)
    real(file)
  }
  files <- with_replaced("new_file", other, release_files(good, folder, "b"))
  expect_identical(basename(files)[1:2], c("b-2.csv", "b-2-privacy.yaml"))
  expect_identical(readLines(file.path(folder, "b-privacy.yaml")), "of another")
})

test_that("a percent sign in a name is a percent sign", {
  folder <- file.path(withr::local_tempdir(), "50%d")
  release <- private_table(infert, list(case = 0:1), epsilon = 1)
  files <- release_files(release, folder, "a%s%02d")
  expect_true(all(file.exists(files)))
  expect_length(list.files(dirname(folder)), 1)
})

test_that("a folder that takes no files is refused before anything is spent, and what is made is not lost", {
  recipe <- release_recipe(list(unit = list(rows = 248), releases = list(list(
    release = "mean", box = list(age = c(15, 50)), epsilon = 0.5
  ))))
  budget <- privacy_budget(epsilon = 1)
  release <- function(folder) recipe_release(recipe, infert, budget = budget, folder = folder)
  if (dir.exists("/proc/self")) {
    expect_error(release("/proc/self"), "files can be made", class = "dptda_error_argument")
    expect_identical(budget$spent, 0)
  }
  full <- function(...) stop("no space left")
  expect_warning(made <- with_replaced("release_files", full, release(withr::local_tempdir())),
                 "`mean` has been made and charged", class = "dptda_warning_files")
  expect_identical(privacy(made$mean)$measure, c(epsilon = 0.5))
})

test_that("the guarantee beside a release is read back, whatever its numbers", {
  skip_if_not_installed("yaml")
  folder <- withr::local_tempdir()
  numbers <- list(list(epsilon = 1, delta = 1e-6), list(epsilon = 1e-5), list(rho = 1e-7), list(epsilon = 1e5),
                  list(mu = 0.123456789012345))
  withr::local_options(dptda.weak_release = FALSE)
  for (cost in numbers) {
    release <- do.call(private_count, c(list(rep(TRUE, 50)), cost))
    files <- release_files(release, folder, "a", picture = FALSE)
    expect_equal(read_guarantee(files[["privacy"]])$measure, privacy(release)$measure, tolerance = 1e-14)
    # as it was written before
    lines <- readLines(files[["privacy"]])
    writeLines(sub("([0-9])[.]0e", "\\1e", lines), files[["privacy"]])
    expect_equal(read_guarantee(files[["privacy"]])$measure, privacy(release)$measure, tolerance = 1e-14)
  }
})

test_that("synthetic rows are read back from their file, with NA a level and missing values beside it", {
  withr::local_options(dptda.weak_release = FALSE)
  schema <- table_schema(part = schema_categorical(c("NA", "SA"), missing = "level"), n = c(1, 2, 3))
  x <- data.frame(part = rep(c("NA", "SA", NA), each = 100), n = rep(1:3, 100))
  made <- private_synthesis(x, schema, epsilon = 100)
  files <- release_files(made, withr::local_tempdir(), "rows", rows = 300, picture = FALSE)
  read <- table_file(files[["result"]], c(part = "text", n = "number"))
  expect_setequal(unique(read$part), c("NA", "SA", NA))
  expect_lt(max(abs(table(read$part, useNA = "always") - 100)), 30) # 6 standard deviations: below 1e-8
})

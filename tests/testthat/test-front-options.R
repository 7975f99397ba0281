# What programs read is the same whatever the options of the session are.

# new versions of R know no scipen below -9
odd_options <- list(list(OutDec = ",", digits = 3, scipen = -9), list(OutDec = ",", digits = 15, scipen = 100))

# What `code` gives by default and under each of the odd options, from the same seed.
expect_same_text <- function(code, info = NULL, odd = odd_options) {
  code <- substitute(code)
  frame <- parent.frame()
  run <- function(set) withr::with_options(set, withr::with_seed(1, eval(code, frame)))
  plain <- run(list(OutDec = ".", digits = 7, scipen = 0))
  for (set in odd) expect_no_warning(expect_identical(run(set), plain, info = info))
}


test_that("files of every release are the same", {
  withr::local_options(dptda.weak_release = FALSE)
  examples <- Filter(function(one) !is.null(one$release), mechanism_examples())
  for (example in examples[!duplicated(lapply(examples, `[[`, "release"))]) {
    rows <- rows_of_call(example)
    expect_same_text({
      release <- do.call(example$release, c(unname(rows[1]), rows[-1], example$settings, rng = "R"))
      lapply(c("csv", "json"), function(format) {
        folder <- withr::local_tempdir()
        lapply(release_files(release, folder, "one", format = format, picture = FALSE), readLines)
      })
    }, info = example$release, odd = odd_options[1])
  }
})

test_that("names of parts of a release are the same", {
  x <- seq(0, 2, length.out = 100)
  expect_same_text({
    moments <- as.POSIXct("2024-01-02", tz = "UTC") + c(0, 0.5, 1e5)
    list(coef(private_histogram(x, c(0, 0.25, 1e5, 123456.75), epsilon = 9, rng = "R")),
         coef(private_quantile(x, c(0, 2), c(0.025, 0.5, 0.999), epsilon = 9, rng = "R")),
         coef(private_table(data.frame(x), list(x = c(0.5, 1e5)), epsilon = 9, rng = "R")),
         coef(private_histogram(moments, moments, epsilon = 9, rng = "R")),
         coef(private_histogram(as.difftime(x, units = "mins"), as.difftime(c(0, 0.25, 2), units = "mins"),
                                epsilon = 9, rng = "R")),
         coef(private_histogram(hms_of(x), hms_of(c(0, 0.25, 2)), epsilon = 9, rng = "R")),
         rownames(confint(private_mean(data.frame(x, g = x), list(x = c(0, 2)), by = list(g = c(0.5, 1e5, 123456.75)),
                                       epsilon = 9, rng = "R"))),
         manifold_sphere(2, 1.5)$title, manifold_hyperbolic(2, -0.25)$title,
         privacy_subsample(1.25, steps = 100000, rate = 0.125)$mechanism)
  })
})

test_that("recipes, scripts, plans and ledgers are the same", {
  skip_if_not_installed("yaml")
  recipe <- release_recipe(list(unit = list(people = 100000, person = "who"), budget = list(epsilon = 40, delta = 1e-6),
                                releases = c(unname(every_kind()), list(
    list(release = "mean", box = list(y = c(0.1 + 0.2, 123456.75)), epsilon = 1e-3),
    list(release = "table", levels = list(y = c(1e5, 1e-5, 2.5)), epsilon = 3, delta = 1e-6)
  ))))
  file <- rows_file(format(recipe), ".yaml")
  expect_same_text(format(recipe))
  expect_same_text(release_recipe(file))
  expect_same_text(recipe_script(recipe))
  expect_same_text(utils::capture.output(dptda_command(c("plan", file, "--format", "json"))), odd = odd_options[1])
  expect_identical(release_recipe(file), recipe)
  skip_if_not_installed("filelock")
  expect_same_text({
    ledger <- withr::local_tempfile()
    budget <- privacy_budget(epsilon = 0.1 + 0.2, file = ledger)
    private_count(rep(TRUE, 100), epsilon = 0.125, budget = budget)
    list(strsplit(readLines(ledger)[-1], "[|]")[[2]][4], privacy_budget(file = ledger)$spent)
  })
})

test_that("what is typed in the wizard is the same, and so are numbers beside text", {
  values <- list(number = 0.125, large = 1e5, list = "0.5, 100000, 2.5", words = "0.50, 2")
  expect_same_text(list(typed_number(values, "number"), typed_number(values, "large"), typed_list(values, "list"),
                        typed_list(values, "words"),
                        wizard_schema(c(values, type_1 = "category", levels_1 = "0.5, 7"), 1L)))
  mixed <- list(unit = list(rows = 9), releases = list(release = "table", levels = list(v = list("a", 0.5, 1e5)),
                                                       epsilon = 1))
  expect_same_text(release_recipe(mixed))
  numbers <- study_recipe(list(release = "table", levels = list(age = c("20.5", "100000")), epsilon = 0.1))
  expect_same_text(recipe_types(release_recipe(numbers)))
})

test_that("a number that is typed is in decimal digits, as in a recipe", {
  for (text in c("0x1F", "Inf", "-inf", "infinity", "1e400", "1,5", "1d2", "9007199254740993")) {
    expect_identical(typed_number(list(a = text), "a"), text)
    expect_error(option_number(list(a = text), "a"), "--a is a number", class = "dptda_error_usage")
  }
  for (text in c("07", " 2.5e1", "-.5")) expect_identical(typed_number(list(a = text), "a"), as.double(text))
  expect_identical(option_number(list(a = "1e-6"), "a"), 1e-6)
})

test_that("a guarantee is read back from its file, and nothing warns of marks", {
  skip_if_not_installed("yaml")
  withr::local_options(OutDec = ",")
  release <- private_mean(seq(0, 1, length.out = 5000), c(0, 1), epsilon = 0.125)
  file <- release_files(release, withr::local_tempdir(), "m", picture = FALSE)[["privacy"]]
  expect_identical(read_guarantee(file)$measure, c(epsilon = 0.125))
  expect_no_warning(utils::capture.output({
    print(release_recipe(list(unit = list(people = 5000, person = "who"), releases = unname(every_kind()))))
    dptda_command(c("privacy", file))
    print(private_kmeans(matrix(seq(0, 1, length.out = 5000)), domain_box(0, 1), 2, epsilon = 50))
    print(private_degrees(data.frame(a = 1:2000, b = 2:2001), epsilon = 1, n = 2001))
    print(summary(release))
    privacy_report(release, withr::local_tempfile(fileext = ".md"))
  }))
})

test_that("a locale without the letters is an error, or they are written nevertheless", {
  skip_if_not_installed("yaml")
  skip_if_not(l10n_info()[["UTF-8"]])
  withr::local_options(dptda.weak_release = FALSE)
  town <- c("K\u00f6ln", "\u6771\u4eac")
  plan <- list(unit = list(rows = 100),
               releases = list(list(release = "table", levels = list(town = town), epsilon = 9)))
  recipe <- release_recipe(plan)
  file <- rows_file(enc2utf8(format(recipe)), ".yaml")
  release <- recipe_release(recipe, data.frame(town = rep(town, 50)))$table
  run <- function() {
    folder <- withr::local_tempdir()
    script <- file.path(folder, "plan.R")
    shown <- utils::capture.output(status <- dptda_command(c("plan", file, "--script", script)))
    written <- release_files(release, folder, "table", picture = FALSE)
    lapply(c(script, written), function(one) readBin(one, "raw", 1e6))
  }
  plain <- run()
  expect_true(length(grepRaw(charToRaw(town[1]), plain[[1]], fixed = TRUE)) == 1)
  withr::local_locale(LC_CTYPE = "C")
  skip_if(l10n_info()[["UTF-8"]])
  skip_if_not(in_utf8(l10n_info()[["UTF-8"]]))
  expect_identical(run(), plain)
  expect_false(l10n_info()[["UTF-8"]])
  for (call in list(quote(release_recipe(plan)), quote(release_recipe(file)), quote(recipe_script(recipe)),
                    quote(recipe_mechanisms(recipe)), quote(recipe_release(recipe, data.frame(town = town))))) {
    expect_error(eval(call), "locale of this session", class = "dptda_error_argument")
  }
  plan$releases[[1]]$levels <- list(town = c("a", "b"))
  expect_no_error(recipe_script(release_recipe(plan)))
})

# A recipe is plain data, and everything that is made of it says the same.

one <- function(...) list(unit = list(rows = 248), releases = list(list(...)))

test_that("every kind has a mechanism, a release, a script and rows that are made up", {
  # names are R's own, so that nobody who reads the table asks what they are
  expect_setequal(names(every_kind()), names(recipe_kinds))
  withr::local_options(dptda.weak_release = FALSE)
  for (kind in names(recipe_kinds)) {
    recipe <- release_recipe(list(unit = unit_of(kind), releases = every_kind()[kind]))
    mechanism <- recipe_mechanisms(recipe)[[kind]]
    release <- recipe_release(recipe, infert)[[kind]]
    # but for where randomness came from and what was drawn
    expect_identical(privacy(release)$measure, mechanism$guarantee$measure, info = kind)
    expect_identical(privacy(release)$steps, mechanism$guarantee$steps, info = kind)
    expect_equal(privacy(release)$public, mechanism$guarantee$public, info = kind)
    expect_s3_class(simulate_recipe(recipe, lookalike_rows(recipe), 2)[[kind]], "dptda_simulation")
    expect_true(all(nchar(recipe_script(recipe)) <= 80), info = kind)
    expect_output(print(recipe), "together: ")
    expect_true(is.data.frame(as.data.frame(recipe)))
  }
})

test_that("the script is R, and releases what the recipe does", {
  withr::local_options(dptda.weak_release = FALSE)
  folder <- withr::local_tempdir()
  rows <- file.path(folder, "rows.csv")
  utils::write.csv(infert, rows, row.names = FALSE)
  kinds <- every_kind()[c("mean", "count", "histogram", "diagram", "kmeans", "synthesis")]
  recipe <- release_recipe(list(data = list(file = rows), unit = list(rows = 248), budget = list(epsilon = 1),
                                releases = unname(kinds)))
  script <- file.path(folder, "script.R")
  expect_identical(recipe_script(recipe, script), readLines(script))
  # in this process: Rscript would need the package to be installed where it looks for it
  room <- new.env(parent = globalenv())
  lines <- sub("commandArgs(TRUE)", deparse1(c(rows, folder)), readLines(script), fixed = TRUE)
  lines <- lines[lines != "library(dptda)"]
  room_of <- list2env(as.list(asNamespace("dptda"))[getNamespaceExports("dptda")], room)
  utils::capture.output(eval(parse(text = lines), room_of))
  ours <- recipe_release(recipe, folder = withr::local_tempdir())
  for (name in names(kinds)) {
    expect_identical(privacy(room_of[[name]])$steps, privacy(ours[[name]])$steps, info = name)
    said <- privacy(ours[[name]])$public
    expect_identical(said$table, "rows.csv")
    expect_identical(privacy(room_of[[name]])$public, said[!names(said) %in% c("about", "table")], info = name)
    expect_true(file.exists(file.path(folder, paste0(name, "-privacy.yaml"))))
  }
  expect_identical(room_of$budget$spent, sum(vapply(kinds, `[[`, 0, "epsilon")))
  expect_identical(nrow(utils::read.csv(file.path(folder, "synthesis.csv"))), 20L)
})

test_that("people have many rows", {
  visits <- data.frame(patient = rep(c("a", "b", "c"), 1:3), age = c(20, 30, 31, 40, 41, 42), sex = "f")
  withr::local_options(dptda.weak_release = FALSE)
  recipe <- release_recipe(list(unit = list(people = 3, person = "patient"), releases = list(
    list(release = "mean", box = list(age = c(0, 100)), epsilon = 1),
    list(release = "count", where = list(age = list(at_least = 30)), epsilon = 1),
    list(release = "quantile", box = list(age = c(0, 100)), epsilon = 1),
    list(release = "table", levels = list(sex = c("f", "m")), epsilon = 1)
  )))
  made <- recipe_release(recipe, visits)
  expect_identical(unique(vapply(made, function(one) privacy(one)$person, "")), "patient")
  expect_identical(lapply(recipe_mechanisms(recipe), function(one) one$guarantee$public),
                   lapply(made, function(one) privacy(one)$public))
  expect_match(recipe_script(recipe), "person = \"patient\"", all = FALSE)
  expect_match(recipe_script(recipe), "== n", fixed = TRUE, all = FALSE)
  expect_error(recipe_release(recipe, visits[1:2, ]), "must have 3 people, as in the recipe, not 2",
               class = "dptda_error_argument")
  expect_length(unique(lookalike_rows(recipe)$patient), 3)
  expect_length(unique(lookalike_rows(recipe, visits[1:3, ])$patient), 3)
  recipe <- one(release = "mean", box = list(patient = c(0, 1)), epsilon = 1)
  recipe$unit <- list(people = 3, person = "patient")
  expect_error(release_recipe(recipe), "must not use the column that identifies people", class = "dptda_error_argument")
})

test_that("missing values are an error before anything is spent, or left out", {
  holes <- transform(infert, age = replace(age, 3, NA))
  budget <- privacy_budget(epsilon = 1)
  recipe <- study_recipe(list(release = "mean", name = "omitting", box = list(age = c(15, 50)), missing = "omit",
                              epsilon = 0.1))
  expect_error(recipe_release(recipe, holes, budget = budget), "x[$]age` must not contain missing",
               class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
  recipe$releases[[1]] <- NULL
  made <- recipe_release(recipe, holes, budget = budget)
  expect_identical(privacy(made$omitting)$public$missing, "omit")
  expect_match(recipe_script(recipe), "missing = \"omit\"", all = FALSE)
})

test_that("values that are not of their type are an error, whatever leaves out missing values", {
  skip_if_not_installed("yaml")
  withr::local_options(dptda.weak_release = FALSE)
  releases <- list(mean = list(release = "mean", box = list(paid = c(0, 5000)), missing = "omit", epsilon = 1),
                   histogram = list(release = "histogram", breaks = list(day = c("2020-01-01", "2021-01-01")),
                                    epsilon = 1))
  recipe_of <- function(..., which = 1:2) {
    release_recipe(list(data = list(separator = ";", ...), unit = list(rows = 40), releases = unname(releases[which])))
  }
  file_of <- function(paid, day) rows_file(c("paid;day", paste0(paid, ";", day)), envir = parent.frame(2))
  days <- rep("2020-02-03", 40)
  budget <- privacy_budget(epsilon = 100)
  read <- function(recipe, ...) recipe_release(recipe, file_of(...), budget = budget)
  runs <- function(recipe, ...) {
    room <- new.env(parent = asNamespace("dptda"))
    given <- c(file_of(...), withr::local_tempdir())
    room$commandArgs <- function(...) given
    utils::capture.output(for (call in parse(text = recipe_script(recipe))) eval(call, room))
    nrow(room$x)
  }
  for (paid in list("$ 1,200", "12 EUR", "n/a", "0x10", "one")) {
    paid <- c(rep("100", 37), "", "NA", paid)
    for (which in list(1, 1:2)) {
      recipe <- recipe_of(which = which)
      expect_error(read(recipe, paid, days), "column `paid` of the file has values that are not numbers",
                   class = "dptda_error_values")
      expect_error(runs(recipe, paid, days), class = "dptda_error_values")
    }
  }
  # the error is about the column that cannot be read
  expect_error(read(recipe_of(), rep("100", 40), rep("03.02.2020", 40)), "column `day`", class = "dptda_error_values")
  expect_identical(budget$spent, 0)
  # missing values of this column alone are left out
  expect_error(read(recipe_of(), rep("100", 40), replace(days, 1, "")), "x[$]day` must not contain missing",
               class = "dptda_error_argument")
  expect_named(read(recipe_of(), replace(rep("100", 40), 1, "NA"), days), c("mean", "histogram"))
  # unless the recipe says that they are missing values
  taken <- recipe_of(invalid = "missing")
  expect_named(read(taken, replace(rep("100", 40), 1, "12 EUR"), days), c("mean", "histogram"))
  expect_identical(runs(taken, replace(rep("100", 40), 1, "12 EUR"), days), 40L)
  expect_error(read(taken, rep("100", 40), replace(days, 1, "03.02.2020")), "x[$]day` must not contain missing",
               class = "dptda_error_argument")
  expect_error(recipe_of(invalid = "omit"), "data[$]invalid", class = "dptda_error_argument")
  kept <- withr::local_tempfile(fileext = ".yaml")
  writeLines(format(taken), kept)
  expect_identical(release_recipe(kept), taken)
  # nor by the command line
  file <- file_of(c(rep("100", 39), "1.200,50"), days)
  writeLines(format(recipe_of(which = 1)), kept)
  folder <- withr::local_tempdir()
  expect_identical(suppressMessages(dptda_command(c("release", kept, file, "--out", folder))), 1L)
  expect_length(list.files(folder), 0)
})

test_that("a level that is called NA is a level", {
  withr::local_options(dptda.weak_release = FALSE)
  recipe_of <- function(..., data = NULL) {
    release_recipe(c(list(unit = list(rows = 70), releases = list(list(..., epsilon = 100))),
                     if (!is.null(data)) list(data = data)))
  }
  part <- rep(c("NA", "SA", "EU"), c(40, 20, 10))
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(data.frame(part, n = c(NA, 2:70)), file, row.names = FALSE)
  table <- recipe_of(release = "table", levels = list(part = c("NA", "SA", "EU")))
  count <- recipe_of(release = "count", where = list(part = list(one_of = c("NA", "EU"))))
  expect_warning(made <- recipe_release(table, file)$table, "NA without quotes", class = "dptda_warning_levels")
  expect_equal(as.data.frame(made)$value, c(40, 20, 10, 0))
  expect_warning(made <- recipe_release(count, file)$count, class = "dptda_warning_levels")
  expect_equal(as.numeric(made), 50)
  # without quotes it is missing, until the recipe says what is
  plain <- rows_file(c("part,n", paste0(part, ",1")))
  expect_warning(expect_error(recipe_release(table, plain), "missing", class = "dptda_error_argument"),
                 class = "dptda_warning_levels")
  said <- recipe_of(release = "table", levels = list(part = c("NA", "SA", "EU")), data = list(missing = ""))
  expect_no_warning(made <- recipe_release(said, plain)$table)
  expect_equal(as.data.frame(made)$value, c(40, 20, 10, 0))
  # what is said to be missing is no level
  both <- recipe_of(release = "table", levels = list(part = c("-", "SA", "EU")), data = list(missing = c("", "-")))
  expect_error(recipe_release(both, plain), "data[$]missing", class = "dptda_error_argument")
  expect_error(recipe_script(both), "data[$]missing", class = "dptda_error_argument")
  # in memory there is nothing to tell apart
  expect_equal(as.data.frame(recipe_release(table, data.frame(part))$table)$value, c(40, 20, 10, 0))
})

test_that("nothing is spent where the budget, the rows or a later release are refused", {
  budget <- privacy_budget(epsilon = 0.55)
  both <- study_recipe(list(release = "count", where = list(case = list(is = 1)), epsilon = 0.1))
  expect_error(recipe_release(both, infert, budget = budget), "Release `count`: ", class = "dptda_error_budget")
  expect_identical(budget$spent, 0)
  expect_error(recipe_release(both, infert[1:10, ]), "must have 248 rows, as in the recipe, not 10",
               class = "dptda_error_argument")
  expect_error(recipe_release(both, infert[names(infert) != "case"]), "no `case`", class = "dptda_error_argument")
  expect_error(recipe_release(both), "names none", class = "dptda_error_argument")
  expect_error(recipe_release(study_recipe(list(release = "count", where = list(case = list(is = 1)), rho = 0.1)),
                              infert), "`budget` must be given", class = "dptda_error_argument")
  mixed <- study_recipe(list(release = "sum", box = list(age = c(15, 50)), epsilon = 0.1, delta = 1e-6))
  expect_identical(eval(budget_call(release_recipe(mixed)))$total, c(epsilon = 0.6, delta = 1e-6))
})

test_that("releases that cost more than the recipe's budget are no recipe", {
  over <- study_recipe(list(release = "count", where = list(case = list(is = 1)), epsilon = 0.6))
  over$budget <- list(epsilon = 1)
  expect_error(release_recipe(over), "Release `count`: `budget` cannot be charged: epsilon = 0.5 of epsilon = 1",
               class = "dptda_error_budget")
  over$budget <- list(epsilon = 1.1)
  expect_s3_class(release_recipe(over), "dptda_recipe")
  # by its own accounting: Gaussian noise costs less together than the sum
  gauss <- list(release = "sum", box = list(age = c(15, 50)), epsilon = 0.5, delta = 1e-6)
  many <- list(unit = list(rows = 248), budget = list(epsilon = 1, delta = 1e-5), releases = list(gauss, gauss, gauss))
  expect_length(recipe_mechanisms(many), 3)
  expect_identical(release_recipe(many)$budget, list(epsilon = 1, delta = 1e-5, composition = "concentrated"))
  expect_match(recipe_script(many), "composition = \"concentrated\"", fixed = TRUE, all = FALSE)
  many$budget$composition <- "basic"
  expect_error(release_recipe(many), "is left. This release would make it", class = "dptda_error_budget")
  many$releases <- many$releases[1:2]
  expect_identical(release_recipe(many)$budget$composition, "basic")
  many$budget <- list(epsilon = 1, composition = "basic")
  expect_error(release_recipe(many), "goes with `delta`", class = "dptda_error_argument")
  many$releases <- list(gauss, gauss, gauss)
  many$budget <- list(rho = 0.01)
  expect_error(release_recipe(many), class = "dptda_error_budget")
})

test_that("every kind that costs rho can cost mu, in a recipe, its script, and its budget", {
  skip_if_not_installed("yaml")
  withr::local_options(dptda.weak_release = FALSE)
  for (kind in names(recipe_kinds)) expect_identical("rho" %in% kind_costs(kind), "mu" %in% kind_costs(kind))
  cost <- c("epsilon", "rho", "delta")
  kinds <- lapply(every_kind(), function(one) c(one[!names(one) %in% cost], list(mu = 0.1)))
  recipe <- release_recipe(list(unit = unit_of(names(kinds)), budget = list(mu = 1), releases = unname(kinds)))
  mechanisms <- recipe_mechanisms(recipe)
  for (name in names(mechanisms)) expect_identical(mechanisms[[name]]$guarantee$measure, c(mu = 0.1), info = name)
  expect_identical(release_recipe(rows_file(format(recipe), ".yaml")), recipe)
  expect_match(recipe_script(recipe), "privacy_budget(mu = 1, person = \"stratum\")", fixed = TRUE, all = FALSE)
  expect_output(print(recipe), "budget: mu = 1", fixed = TRUE)
  expect_output(print(recipe), "mean: mu = 0.1", fixed = TRUE)
})

test_that("the budget of a recipe in mu is the root of the sum of squares, and suffices", {
  withr::local_options(dptda.weak_release = FALSE)
  small <- function(...) list(release = "count", where = list(case = list(is = 1)), ...)
  for (costs in list(c(0.3, 0.4), c(0.1, 0.2, 0.7), rep(0.1, 7), c(1, 1e-9), 0.3)) {
    recipe <- list(unit = list(rows = 248), releases = lapply(costs, function(mu) small(mu = mu)))
    total <- eval(budget_call(release_recipe(recipe)))$total
    expect_equal(total, sqrt(sum(costs^2)), tolerance = 1e-15)
    line <- grep("^budget <- ", recipe_script(recipe), value = TRUE)
    budget <- eval(parse(text = line)[[1]][[3]], topenv())
    expect_identical(budget$total, total)
    expect_length(recipe_release(recipe, infert, budget = budget), length(costs))
    expect_lte(budget$spent, total)
  }
  mean <- function(...) c(study_recipe(small(mu = 0.3)), list(budget = list(...)))
  expect_error(recipe_script(study_recipe(small(mu = 0.3))), "different forms", class = "dptda_error_argument")
  # pure releases fit into a budget in mu, but not the reverse
  expect_s3_class(release_recipe(mean(mu = 1)), "dptda_recipe")
  expect_s3_class(release_recipe(mean(epsilon = 3, delta = 1e-6)), "dptda_recipe")
  expect_error(release_recipe(mean(epsilon = 1)), class = "dptda_error_budget")
  expect_error(release_recipe(mean(mu = 0.65)), "Release `count`", class = "dptda_error_budget")
})

test_that("a script asks for all of its releases before it reads a row", {
  skip_if_not_installed("filelock")
  withr::local_options(dptda.weak_release = FALSE)
  folder <- withr::local_tempdir()
  ledger <- file.path(folder, "ledger.txt")
  # of one that is there a recipe knows nothing, and it was charged since
  spent <- privacy_budget(epsilon = 1, file = ledger)
  private_count(rep(TRUE, 100), epsilon = 0.3, budget = spent)
  recipe <- study_recipe(list(release = "count", where = list(case = list(is = 1)), epsilon = 0.4))
  recipe$budget <- list(ledger = ledger)
  lines <- sub("commandArgs(TRUE)", "\"none.csv\"", recipe_script(recipe), fixed = TRUE)
  room <- list2env(as.list(asNamespace("dptda"))[getNamespaceExports("dptda")], new.env(parent = globalenv()))
  expect_error(eval(parse(text = lines[lines != "library(dptda)"]), room), "Release `count`: `budget` cannot",
               class = "dptda_error_budget")
  expect_identical(spent$spent, 0.3)
})

test_that("no release has the name of something else in its script", {
  box <- list(age = c(15, 50))
  named <- function(...) lapply(list(...), function(name) list(release = "mean", name = name, box = box, epsilon = 0.1))
  recipe <- release_recipe(list(unit = list(rows = 248),
                                releases = named("box_2", "folder", "plan", "x", "x", "boxes")))
  names <- vapply(recipe$releases, `[[`, "", "name")
  expect_identical(names, c("release_box_2", "release_folder", "release_plan", "release_x", "release_x_1", "boxes"))
  lines <- as.list(parse(text = recipe_script(recipe)))
  left <- vapply(Filter(function(one) is.call(one) && identical(one[[1]], quote(`<-`)), lines),
                 function(one) as.character(one[[2]]), "")
  expect_identical(anyDuplicated(left), 0L)
})

test_that("a release that is refused leaves no folder, and one that is made does", {
  folder <- file.path(withr::local_tempdir(), "out")
  recipe <- study_recipe()
  expect_error(recipe_release(recipe, infert[1:10, ], folder = folder), class = "dptda_error_argument")
  expect_false(dir.exists(folder))
  dir.create(folder)
  expect_error(recipe_release(recipe, infert[1:10, ], folder = folder), class = "dptda_error_argument")
  expect_true(dir.exists(folder)) # it was there
  unlink(folder, recursive = TRUE)
  recipe_release(recipe, infert, folder = folder)
  expect_gt(length(list.files(folder)), 1)
})

test_that("a ledger is opened, made, or missed", {
  skip_if_not_installed("filelock")
  ledger <- withr::local_tempfile()
  recipe <- study_recipe()
  recipe$budget <- list(ledger = ledger)
  expect_error(recipe_release(recipe, infert), "There is no", class = "dptda_error_argument")
  recipe$budget$epsilon <- 0.9
  made <- recipe_release(recipe, infert)
  expect_identical(privacy_budget(file = ledger)$spent, 0.5)
  recipe$budget$epsilon <- NULL
  expect_error(recipe_release(recipe, infert), class = "dptda_error_budget")
  expect_identical(privacy_budget(file = ledger)$spent, 0.5)
})

test_that("what is wrong is said at its place, with what was meant", {
  box <- list(age = c(15, 50))
  expect_refusals({
    release_recipe(list(unit = list(rows = 5), relaeses = list()))
    release_recipe(list(releases = list(list(release = "mean"))))
    release_recipe(list(unit = list(rows = 5, people = 2), releases = list(list(release = "mean"))))
    release_recipe(list(unit = list(people = 5), releases = list(list(release = "mean"))))
    release_recipe(list(unit = list(rows = 5), releases = list()))
    release_recipe(list(unit = list(rows = 5), releases = list("mean")))
    release_recipe(one(release = "mean", box = box))
    release_recipe(one(release = "mean", epsilon = 1))
    release_recipe(one(release = "mean", box = box, epsilno = 1))
    release_recipe(one(release = "mean", box = list(age = c(50, 15)), epsilon = 1))
    release_recipe(one(release = "mean", box = list(age = c(50, 50)), epsilon = 1))
    release_recipe(one(release = "mean", box = list(age = 50), epsilon = 1))
    release_recipe(one(release = "mean", box = c(15, 50), epsilon = 1))
    release_recipe(one(release = "mean", box = list(day = c("2024-12-31", "2024-01-01")), epsilon = 1))
    release_recipe(one(release = "quantile", box = c(box, list(parity = c(0, 6))), epsilon = 1))
    release_recipe(one(release = "quantile", box = box, probs = 50, epsilon = 1))
    release_recipe(one(release = "mixture", box = box, k = 2, epsilon = 1))
    release_recipe(one(release = "mean", box = box, rho = 1, delta = 1e-6))
    release_recipe(one(release = "mean", box = box, mu = 1, delta = 1e-6))
    release_recipe(one(release = "mean", box = box, rho = 1, mu = 1))
    release_recipe(one(release = "mean", box = box, mu = 0))
    release_recipe(one(release = "mean", box = box, nu = 1))
    release_recipe(one(release = "histogram", breaks = list(age = c(1, 1)), epsilon = 1))
    release_recipe(one(release = "table", levels = list(a = c("u", "u")), epsilon = 1))
    release_recipe(one(release = "count", where = list(age = list(abov = 1)), epsilon = 1))
    release_recipe(one(release = "count", where = list(age = list(above = "x")), epsilon = 1))
    release_recipe(one(release = "count", where = list(age = list(is = 1:2)), epsilon = 1))
    release_recipe(one(release = "count", where = list(age = 1), epsilon = 1))
    release_recipe(one(release = "synthesis", schema = list(a = list(type = "nmber")), epsilon = 1))
    release_recipe(one(release = "synthesis", schema = list(a = list(type = "number", lower = 1)), epsilon = 1))
    release_recipe(one(release = "synthesis", schema = list(a = list(type = "date", lower = 1, upper = 2)),
                       epsilon = 1))
    release_recipe(one(release = "synthesis", schema = list(a = list(type = "ordered")), epsilon = 1))
    release_recipe(c(study_recipe(), list(budget = list(delta = 1))))
    release_recipe(c(study_recipe(), list(budget = list(ledger = "a", delta = 1e-6))))
    release_recipe(c(study_recipe(), list(data = list(file = 1))))
    release_recipe(5)
  })
  # all kinds are named
  expect_error(release_recipe(one(release = "maen", box = box, epsilon = 1)), class = "dptda_error_argument",
               "must be one of `count`, .*`synthesis`, not \"maen\" [(]did you mean `mean`[?][)]")
})

test_that("one column is read in one way", {
  both <- function(levels) study_recipe(list(release = "table", levels = list(age = levels), epsilon = 0.1))
  expect_identical(recipe_types(release_recipe(both(c("20", "30"))))[["age"]], "number")
  expect_error(recipe_types(release_recipe(both(c("020", "30")))), "in one way", class = "dptda_error_argument")
  recipe <- one(release = "count", where = list(day = list(above = "2024-01-01")), epsilon = 1)
  expect_identical(recipe_types(release_recipe(recipe)), c(day = "date"))
  expect_s3_class(lookalike_rows(release_recipe(recipe))$day, "Date")
  recipe <- one(release = "count", where = list(ok = list(is = TRUE)), epsilon = 1)
  expect_type(lookalike_rows(release_recipe(recipe))$ok, "logical")
  recipe <- one(release = "mean", box = list(day = c("2024-01-01", "2024-12-31")), epsilon = 10)
  days <- data.frame(day = as.Date("2024-03-01") + 1:248)
  withr::local_options(dptda.weak_release = FALSE)
  expect_s3_class(recipe_release(recipe, days)$mean, "dptda_private_value")
})

test_that("a recipe is written as YAML and read back as it was, and nothing in it is code", {
  skip_if_not_installed("yaml")
  kinds <- unname(every_kind())
  kinds[[1]]$epsilon <- 0.1 + 0.2
  recipe <- release_recipe(list(data = list(file = "no.csv", missing = c("", "n/a")),
                                unit = unit_of(names(every_kind())), budget = list(epsilon = 9, delta = 1e-5),
                                releases = kinds))
  expect_identical(release_recipe(rows_file(format(recipe), ".yaml")), recipe)
  odd <- one(release = "table", levels = list(`no` = c("y", "n", "a: b", "\"'#\\", "1e5", "\u00e9", "x\ny")),
             epsilon = 1e-17)
  odd$unit$rows <- 3e9
  odd <- release_recipe(odd)
  expect_identical(release_recipe(rows_file(format(odd), ".yaml")), odd)
  by_hand <- rows_file(c("unit: {rows: 248}", "releases:", "  release: table", "  levels: {case: [y, no]}",
                       "  epsilon: 1e-3"), ".yaml")
  expect_identical(release_recipe(by_hand)$releases[[1]]$levels, list(case = c("y", "no")))
  expect_identical(release_recipe(by_hand)$releases[[1]]$epsilon, 1e-3)
  hostile <- rows_file(c("unit: {rows: !expr stop('run')}", "releases: []"), ".yaml")
  expect_error(release_recipe(hostile), "unit[$]rows", class = "dptda_error_argument")
  quoted <- one(release = "count", where = list(`a"); stop("run"); ("` = list(is = "\"); stop(\"run\"); (\"")),
                epsilon = 1)
  script <- recipe_script(quoted)
  expect_false(any(vapply(as.list(parse(text = script)), function(line) identical(as.list(line)[[1]], quote(stop)),
                          NA)))
  expect_error(release_recipe(rows_file("a: [", ".yaml")), "cannot be read", class = "dptda_error_argument")
  expect_error(release_recipe("none.yaml"), "there is no", class = "dptda_error_argument")
})

test_that("made-up rows lie in the public domain, and public ones are resized", {
  recipe <- release_recipe(list(unit = list(rows = 100), releases = unname(every_kind()[c("diagram", "synthesis",
                                                                                          "table")])))
  rows <- lookalike_rows(recipe)
  expect_identical(rows, lookalike_rows(recipe))
  expect_identical(dim(rows), c(100L, 4L))
  expect_setequal(names(rows), names(recipe_types(recipe)))
  expect_identical(nrow(lookalike_rows(recipe, infert)), 100L)
  expect_error(lookalike_rows(recipe, infert["age"]), "has no `parity`", class = "dptda_error_argument")
  expect_error(lookalike_rows(recipe, infert[0, ]), "must have rows", class = "dptda_error_argument")
  pair <- neighbor_rows(recipe, rows)
  expect_identical(pair$x[-1, ], pair$neighbor[-1, ])
  expect_false(any(mapply(identical, pair$x[1, ], pair$neighbor[1, ])))
})

test_that("words of all kinds are read back from YAML as they were", {
  skip_if_not_installed("yaml")
  words <- c(".5", ".5e3", ".na", ".na.real", ".NaN", "-.inf", "..", "./a", "~", "<<", "=", "!expr 1", "=1+1", "1:30",
             "0o7", "y", "null", "a#b", "a: b", "...", "---", " a", "a\nb", "a\u0085b", "a\u2028b", "a\u007fb",
             "\ufeffa", "\u00a0", "\U1F600", "\u0001")
  recipe <- release_recipe(list(unit = list(rows = 100), releases = list(list(
    release = "table", levels = structure(lapply(words, c, "other word"), names = words), epsilon = 1
  ))))
  expect_identical(release_recipe(rows_file(enc2utf8(format(recipe)), ".yaml")), recipe)
  long <- list(unit = list(rows = 9), releases = list(list(release = "mean", epsilon = 1, box = list(c(0, 1)))))
  names(long$releases[[1]]$box) <- strrep("x", 20000)
  expect_error(release_recipe(long), "at most 500 characters", class = "dptda_error_argument")
})

test_that("a file of YAML is read whole, or not at all", {
  skip_if_not_installed("yaml")
  lines <- c("unit: {rows: 248}", "releases:", "- {release: mean, box: {age: [15, 50]}, epsilon: 0.5}", "# K\u00f6ln",
             "- {release: count, where: {case: {is: 1}}, epsilon: 0.5}")
  expect_length(release_recipe(rows_file(enc2utf8(c(paste0("\ufeff", lines[1]), lines[-1])), ".yaml"))$releases, 2)
  for (bytes in list(iconv(lines, "UTF-8", "latin1"), iconv(lines, "UTF-8", "UTF-16LE", toRaw = TRUE)[[1]])) {
    file <- withr::local_tempfile(fileext = ".yaml")
    if (is.raw(bytes)) writeBin(bytes, file) else writeLines(bytes, file, useBytes = TRUE)
    expect_error(release_recipe(file), "must be in UTF-8", class = "dptda_error_argument")
  }
  skip_on_os("windows")
  expect_error(release_recipe("/proc/self/mem"), class = "dptda_error_argument")
})

test_that("a data frame has each column of a recipe once, as a file has", {
  recipe <- list(unit = list(rows = 3), releases = list(list(release = "mean", box = list(a = c(0, 9)), epsilon = 5)))
  twice <- data.frame(a = 1:3, b = 1:3, a = 4:6, b = 4:6, check.names = FALSE)
  expect_error(recipe_release(recipe, twice), "several `a`", class = "dptda_error_argument")
  expect_length(recipe_release(recipe, twice[-1]), 1)
})

test_that("levels and groups of dates are dates, and a day that no calendar has is an error", {
  withr::local_options(dptda.weak_release = FALSE)
  days <- c("2024-02-28", "2024-02-29")
  recipe <- release_recipe(list(unit = list(rows = 90), releases = list(
    list(release = "table", levels = list(day = days), epsilon = 50),
    list(release = "mean", box = list(v = c(0, 9)), by = list(day = days), epsilon = 50),
    list(release = "count", where = list(day = list(at_least = "2024-02-29")), epsilon = 50)
  )))
  expect_identical(recipe_types(recipe), c(day = "date", v = "number"))
  frame <- data.frame(day = as.Date("2024-02-28") + 0:2, v = 1:90 / 10)
  for (x in list(frame, rows_file(c("day,v", paste(frame$day, frame$v, sep = ","))))) {
    made <- recipe_release(recipe, x)
    expect_identical(as.numeric(made$table), c(30, 30, 30))
    expect_identical(as.numeric(made$count), 60)
    expect_identical(as.character(as.data.frame(made$mean)$day), c(days, "other"))
  }
  expect_s3_class(lookalike_rows(recipe)$day, "Date")
  expect_named(audit_recipe(recipe, c("table", "count"), 50, rng = "R"), c("table", "count"))
  alone <- release_recipe(study_recipe(list(release = "count", where = list(day = list(above = "2024-02-29")),
                                            epsilon = 9)))
  pair <- neighbor_rows(alone, lookalike_rows(alone))
  expect_identical(c(pair$x$day[1], pair$neighbor$day[1]) > as.Date("2024-02-29"), c(FALSE, TRUE))
  wrong <- list(list(release = "count", where = list(day = list(above = "2024-02-30")), epsilon = 1),
                list(release = "count", where = list(day = list(is = "0000-00-00")), epsilon = 1),
                list(release = "count", where = list(day = list(one_of = c("2024-01-01", "2024-13-01"))), epsilon = 1),
                list(release = "mean", box = list(day = c("2023-02-29", "2024-01-01")), epsilon = 1),
                list(release = "histogram", breaks = list(day = c("2024-01-01", "2024-06-31")), epsilon = 1))
  for (one in wrong) {
    expect_error(release_recipe(study_recipe(one)), "not \"[0-9-]{10}\"", class = "dptda_error_argument")
  }
  expect_error(release_recipe(list(unit = list(rows = 9), data = list(missing = -99), releases = wrong)),
               "[\"-99\"], in quotes", fixed = TRUE, class = "dptda_error_argument")
})

test_that("a model has a response with a public domain, and each column is in a term", {
  box <- list(age = c(15, 50), parity = c(0, 10))
  model <- function(...) release_recipe(one(release = "lm", ..., rho = 0.1))
  expect_error(model(box = box), "`response`", class = "dptda_error_argument")
  expect_error(model(box = box, response = "weight"), "bounds of the response, `weight`")
  expect_error(model(box = box, response = "age", terms = "party"), "`party` has none .did you mean `parity`")
  expect_error(model(box = box, response = "age", terms = c("parity", "parity")), "each once")
  expect_error(model(box = c(box, list(case = c(0, 1))), response = "age", terms = "case"), "`parity` is in none")
  expect_error(model(box = box, response = "age", levels = list(parity = 1:3)), "which is in the box")
  expect_error(release_recipe(one(release = "lm", box = box, response = "age", epsilon = 1)), "`epsilon` with `delta`")
  logistic <- function(...) release_recipe(one(release = "glm", box = box, ..., rho = 0.1))
  expect_error(logistic(response = "case"), "`success`")
  expect_error(logistic(response = "age", success = 1), "must have no bounds or levels")
  expect_error(logistic(response = "case", success = 0:1), "must be one value")
  # a name that is code stays a name
  odd <- list(`system("ls")` = c(0, 1), parity = c(0, 10))
  script <- recipe_script(model(box = odd, response = "parity"))
  expect_true(any(grepl("parity ~ `system(\"ls\")`", script, fixed = TRUE)))
  expect_s3_class(recipe_mechanisms(model(box = odd, response = "parity"))$lm, "dptda_mechanism")
  recipe <- model(box = box, response = "age", levels = list(education = c("0-5yrs", "12+ yrs")),
                  terms = c("parity", "education", "parity:education"))
  fit <- suppressWarnings(recipe_release(recipe, infert)$lm)
  expect_identical(names(coef(fit))[2], "parity")
  expect_identical(fit$formula, "age ~ parity + education + parity:education")
  expect_match(privacy(fit)$public$about, "age ~ parity")
})

test_that("a model's response and its success keep the text of the file, and dates are dates", {
  box <- list(age = c(15, 50))
  logistic <- function(success) release_recipe(one(release = "glm", box = box, response = "r", success = success,
                                                   rho = 0.1))
  expect_identical(logistic("01234")$releases[[1]]$success, "01234")
  expect_identical(logistic(7)$releases[[1]]$success, 7)
  expect_identical(release_recipe(one(release = "lm", box = c(box, list(`2020` = c(0, 1))), response = "2020",
                                      rho = 0.1))$releases[[1]]$response, "2020")
  days <- data.frame(age = rep(15:50, 20)[1:248], r = as.Date("2024-01-01") + 0:1)
  fit <- suppressWarnings(recipe_release(logistic("2024-01-01"), days)$glm)
  expect_s3_class(fit, "dptda_private_regression")
  expect_s3_class(lookalike_rows(logistic("2024-01-01"))$r, "Date")
  ab <- list(a = c(0, 1), b = c(0, 1), `a:b` = c(0, 1))
  expect_error(release_recipe(one(release = "lm", box = ab, response = "a:b", terms = "a:b", rho = 1)),
               "must not have the response")
  expect_error(release_recipe(one(release = "lm", box = ab["a"], response = "a", rho = 1)), "besides the response")
  expect_error(release_recipe(one(release = "lm", box = ab[1:2], response = "a", terms = "b:", rho = 1)),
               "`b:` has none")
})

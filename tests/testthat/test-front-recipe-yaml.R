# What is written in a file of YAML is what is released.

recipe_of <- function(..., unit = "unit: {rows: 100}") {
  release_recipe(rows_file(c(unit, "releases:", ...), ".yaml"))
}

test_that("text of digits is the text that was written, among levels, in conditions and as names", {
  skip_if_not_installed("yaml")
  for (word in c("0271", "00", "-05", "0x2A", "-0xff", "+7", "2.50", "3.", "+.5", ".Inf", "-.INF", ".nan", ".na",
                 ".na.integer", "<<", "=", "true", "False", "NO", "12:59", "2_000", "5e3", "09", "0o10", "0b1",
                 "9007199254740995", "-18446744073709551617", "1e400")) {
    recipe <- recipe_of(sprintf("- {release: table, levels: {code: [%s, zz]}, epsilon: 50}", word))
    expect_identical(recipe$releases[[1]]$levels$code, c(word, "zz"))
    expect_identical(release_recipe(rows_file(format(recipe), ".yaml")), recipe)
    for (rows in list(data.frame(code = rep(word, 100)), rows_file(c("code", rep(word, 100))))) {
      if (word %in% c(".na", "NA")) next
      expect_identical(as.numeric(recipe_release(recipe, rows)$table), c(100, 0, 0), info = word)
    }
  }
  # codes with a leading zero need no word beside them
  codes <- recipe_of("- {release: table, levels: {code: [0271, 1028, 00]}, epsilon: 50}")
  expect_identical(codes$releases[[1]]$levels$code, c("0271", "1028", "00"))
  rows <- data.frame(code = rep(c("0271", "1028", "00", "271"), c(40, 30, 20, 10)))
  expect_identical(as.numeric(recipe_release(codes, rows)$table), c(40, 30, 20, 10))
  count <- recipe_of("- {release: count, where: {code: {is: 0271}}, epsilon: 50}",
                     "- {release: count, where: {code: {one_of: [00, 0271]}}, epsilon: 50}",
                     "- {release: table, levels: {0271: [a, b], true: [a, b], 1.50: [a, b]}, epsilon: 50}")
  names(rows) <- "code"
  rows[c("0271", "true", "1.50")] <- "b"
  expect_identical(vapply(recipe_release(count, rows)[1:2], as.numeric, 0), c(count = 40, count_1 = 60))
  expect_named(count$releases[[3]]$levels, c("0271", "true", "1.50"))
  expect_output(print(count), "{code: {is: \"0271\"}}", fixed = TRUE)
})

test_that("numbers are numbers, and a leading zero is one of ten", {
  skip_if_not_installed("yaml")
  numbers <- function(text) recipe_of(sprintf("- {release: table, levels: {v: [%s]}, epsilon: 1}", text))
  expect_identical(numbers("0.50, 1.0, 2, -3, +4, 1.0e+3, 5000000000, 9007199254740992")$releases[[1]]$levels$v,
                   c(0.5, 1, 2, -3, 4, 1000, 5e9, 2^53))
  expect_identical(numbers("true, false")$releases[[1]]$levels$v, c(TRUE, FALSE))
  expect_error(numbers("1.10, 1.1"), "each level once", class = "dptda_error_argument")
  recipe <- recipe_of(unit = "unit: {rows: 0120}",
                      "- {release: mean, box: {v: [-020, 0300]}, epsilon: 010}",
                      "- {release: mean, box: {v: [0, 4e9], w: [1e-3, 5000000000]}, epsilon: 1e-1}",
                      "- {release: histogram, breaks: {v: [00, 07, 010, 1e2]}, epsilon: 01.50}",
                      "- {release: count, where: {v: {at_least: 011}}, epsilon: 1}",
                      "- {release: kmeans, box: {v: [0, 9]}, k: 03, epsilon: 1}",
                      "- {release: synthesis, epsilon: 1,",
                      "   schema: {v: {type: number, lower: 00, upper: 0100, cells: 010}}}")
  made <- recipe$releases
  expect_identical(recipe$unit$rows, 120)
  expect_identical(made[[1]][c("box", "epsilon")], list(box = list(v = c(-20, 300)), epsilon = 10))
  expect_identical(made[[2]]$box, list(v = c(0, 4e9), w = c(1e-3, 5e9)))
  expect_identical(made[[3]]$breaks$v, c(0, 7, 10, 100))
  expect_identical(made[[3]]$epsilon, 1.5)
  expect_identical(made[[4]]$where, list(v = list(at_least = 11)))
  expect_identical(as.numeric(made[[5]]$k), 3)
  expect_identical(made[[6]]$schema$v[c("lower", "upper")], list(lower = 0, upper = 100))
  expect_identical(as.numeric(made[[6]]$schema$v$cells), 10)
  expect_identical(release_recipe(rows_file(format(recipe), ".yaml")), recipe)
})

test_that("a bound that is no number is an error that shows it, without a warning", {
  skip_if_not_installed("yaml")
  box <- function(text) recipe_of(sprintf("- {release: mean, box: {v: [0, %s]}, epsilon: 1}", text))
  for (text in c("0x20", "1:30", ".inf", "1_000", "true", "1e999")) {
    expect_no_warning(expect_error(box(text), paste0("not \"", text, "\""), fixed = TRUE,
                                   class = "dptda_error_argument"))
  }
  expect_no_warning(expect_error(box("9007199254740993"), "do not hold this integer exactly. Write 9007199254740992",
                                 fixed = TRUE, class = "dptda_error_argument"))
  expect_no_warning(expect_error(recipe_of("- {release: mean, box: {v: [0, 1]}, epsilon: 1}",
                                           unit = "unit: {rows: 99999999999999999999}"),
                                 "99999999999999999999", class = "dptda_error_argument"))
})

test_that("merged keys give way to those that are written by hand", {
  skip_if_not_installed("yaml")
  recipe <- recipe_of("- &first {release: sum, name: one, box: {age: [15, 50]}, epsilon: 3}",
                      "- {<<: *first, name: two, epsilon: 0.02}",
                      "- {epsilon: 0.03, <<: *first, name: three}",
                      "- {<<: [{epsilon: 0.04}, *first], name: four}",
                      "- {release: mean, box: {<<: {age: [0, 99]}, age: [10, 20]}, epsilon: 1, name: five}")
  made <- recipe$releases
  expect_identical(vapply(made, `[[`, "", "name"), c("one", "two", "three", "four", "five"))
  expect_identical(vapply(made, `[[`, 0, "epsilon"), c(3, 0.02, 0.03, 0.04, 1))
  expect_identical(made[[2]]$box, list(age = c(15, 50)))
  expect_identical(made[[5]]$box, list(age = c(10, 20)))
  expect_identical(release_recipe(rows_file(format(recipe), ".yaml")), recipe)
})

test_that("a key that is written twice is an error", {
  skip_if_not_installed("yaml")
  expect_error(recipe_of("- {release: mean, box: {v: [0, 1]}, epsilon: 1, epsilon: 2}"), "Duplicate",
               class = "dptda_error_argument")
  expect_error(recipe_of("- &a {release: mean, box: {v: [0, 1]}, epsilon: 1}", "- {<<: *a, epsilon: 2, epsilon: 3}"),
               "Duplicate", class = "dptda_error_argument")
})

test_that("what the parser warns of, and a second document, are errors", {
  skip_if_not_installed("yaml")
  refused <- function(lines, words) {
    expect_no_warning(expect_error(read_recipe(rows_file(lines, ".yaml")), words, class = "dptda_error_argument"))
  }
  refused("levels: {sex: [*f, m]}", "Unknown anchor")
  refused("box: {null: [0, 1]}", "list name")
  for (lines in list(c("a: 1", "---", "b: 2"), c("---", "a: 1", "--- # two", "b: 2"), c("--- {a: 1}", "--- {b: 2}"),
                     c("a: 1", "...", "--- ", "b: 2"), "a: 1\r---\rb: 2")) refused(lines, "has several")
  for (lines in list(c("# of", "", "%YAML 1.1", "---", "a: 1", "..."), "--- {a: 1}", c("a:", "  1", "# --- b"))) {
    expect_identical(read_recipe(rows_file(lines, ".yaml")), list(a = 1))
  }
  inner <- rows_file(c("a: |-", "  x", "  --- y", "b: ---z"), ".yaml")
  expect_identical(read_recipe(inner), list(a = "x\n--- y", b = "---z"))
})

test_that("text that readers of YAML refuse is written so that they read it", {
  skip_if_not_installed("yaml")
  for (code in c(1, 0x7f, 0x85, 0xa0, 0x2028, 0xfeff, 0xfffd, 0xfffe, 0xffff, 0x10000, 0x10ffff)) {
    recipe <- release_recipe(list(unit = list(rows = 100), releases = list(
      list(release = "table", levels = list(v = c(intToUtf8(code), "zz")), epsilon = 50)
    )))
    expect_identical(release_recipe(rows_file(format(recipe), ".yaml")), recipe, info = code)
  }
})

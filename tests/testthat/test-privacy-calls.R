# First calls in the way of other packages: each refusal names the call that works, in the words of the caller.

study <- data.frame(weight = c(50, 60, NA, 80), clinic = c("n", "s", "n", NA), who = 1:4,
                    ill = c(TRUE, NA, FALSE, TRUE))

expect_way_out <- function(call, words) {
  found <- tryCatch(call, error = identity)
  expect_s3_class(found, "dptda_error_argument")
  for (word in words) expect_match(conditionMessage(found), word, fixed = TRUE)
}

# The call that a message shows, with `...` filled in.
expect_that_it_works <- function(release) expect_false(is.null(suppressWarnings(privacy(release))))

test_that("settings of rows are written with table_rows()", {
  expect_way_out(private_sum(study$weight, c(0, 100), epsilon = 1, na.rm = TRUE),
                 "Write private_sum(table_rows(study$weight, missing = \"omit\"), ...).")
  expect_way_out(private_mean(study, list(weight = c(0, 100)), epsilon = 1, person = "who"),
                 "Write private_mean(table_rows(study, person = \"who\"), ...).")
  expect_way_out(private_histogram(study$weight, c(0, 50, 100), epsilon = 1, person = study$who, missing = 0),
                 "Write private_histogram(table_rows(study$weight, person = study$who, missing = 0), ...).")
  expect_way_out(private_sd(study$weight, c(0, 100), epsilon = 1, na.rm = TRUE),
                 "Write private_sd(table_rows(study$weight, missing = value), ...). There, `value` is a public number")
  expect_way_out(private_proportion(study$ill, epsilon = 1, na.rm = TRUE), "table_rows(study$ill, missing = FALSE)")

  expect_way_out(private_covariance(study, domain_box(c(weight = 0), 100), rho = 1, use = "complete.obs"),
                 "Write private_covariance(table_rows(study, missing = \"omit\"), ...).")
  expect_way_out(private_synthesis(study, table_schema(ill = schema_logical()), epsilon = 1, na.rm = TRUE),
                 "missing = \"level\"")
  expect_that_it_works(private_sum(table_rows(study$weight, missing = "omit"), c(0, 100), epsilon = 1))
  expect_that_it_works(private_mean(table_rows(study[c("weight", "who")], person = "who", missing = 1),
                                    list(weight = c(0, 100)), epsilon = 1))
  expect_that_it_works(private_proportion(table_rows(study$ill, missing = FALSE), epsilon = 1))
})

test_that("no data are shown where a call was made with them", {
  withr::local_options(dptda.weak_release = FALSE)
  secret <- 271828.25
  message <- function(...) conditionMessage(tryCatch(do.call(...), error = identity))
  for (args in list(list(secret, c(0, 1), epsilon = 1, na.rm = TRUE),
                    list(secret, c(0, 1), epsilon = 1, person = secret),
                    list(c(secret, 1), c(0, 1), epsilon = 1, weights = secret),
                    list(secret, c(0, 1), epsilon = 1, missing = secret))) {
    for (what in list("private_mean", private_mean)) expect_false(grepl("271828", message(what, args)))
  }
  passed <- function(...) private_mean(...)
  expect_way_out(passed(secret, c(0, 1), epsilon = 1, na.rm = TRUE),
                 "private_mean(table_rows(x, missing = \"omit\"), ...)")
})

test_that("formulas and bare names of columns are answered by the call that names them", {
  withr::local_options(dptda.weak_release = FALSE)
  expect_way_out(private_mean(weight ~ 1, study, epsilon = 1),
                 "private_mean(study, list(weight = c(lower, upper)), ...)")
  expect_way_out(private_sum(~ weight, data = study, epsilon = 1),
                 "private_sum(study, list(weight = c(lower, upper)), ...)")
  expect_way_out(private_mean(study, list(weight = c(0, 1)), by = ~ clinic, epsilon = 1),
                 "by = list(clinic = c(\"a\", \"b\"))")
  expect_way_out(private_median(study, weight, epsilon = 1),
                 "private_median(study, list(weight = c(lower, upper)), ...)")
  expect_way_out(private_histogram(study, weight, epsilon = 1),
                 "private_histogram(study, list(weight = c(0, 10, 20)), ...)")
  expect_way_out(private_table(study, clinic, epsilon = 1), "private_table(study, list(clinic = c(\"a\", \"b\")), ...)")
  expect_way_out(private_mean(study, list(weight = c(0, 1)), by = clinic, epsilon = 1),
                 "by = list(clinic = c(\"a\", \"b\"))")
  expect_way_out(private_count(study, clinic == "n", epsilon = 1), "private_count(study$clinic == \"a\", ...)")
  expect_way_out(dptda::private_mean(study, weight, epsilon = 1),
                 "private_mean(study, list(weight = c(lower, upper)), ...)")
  # names of objects are objects, wherever they stand
  ends <- c(0, 100)
  expect_that_it_works((function(inner) private_mean(1:4, inner, epsilon = 1))(ends))
  expect_that_it_works(local({
    own <- ends
    private_mean(1:4, own, epsilon = 1)
  }))
  expect_that_it_works(with(list(mine = ends), private_mean(1:4, mine, epsilon = 1)))
})

test_that("other words for arguments are answered", {
  withr::local_options(dptda.weak_release = FALSE)
  expect_way_out(private_mean(1:4, lower = 0, upper = 9, epsilon = 1),
                 "Write the public bounds as box = c(lower, upper)")
  expect_way_out(private_mean(1:4, c(0, 9), weights = 4:1, epsilon = 1), "each row, or person, counts once")
  expect_way_out(private_mean(study, list(weight = c(0, 9)), group = "clinic", epsilon = 1), "by = list(")
  expect_way_out(private_mean(study, "weight", epsilon = 1), "write list(weight = c(lower, upper))")
  expect_way_out(private_mean(study, "of birth", epsilon = 1), "write list(`of birth` = c(lower, upper))")
  expect_way_out(private_mean(study, "", epsilon = 1), "write list(column = c(lower, upper))")
  expect_way_out(private_mean(study[c(1, 3)], c(0, 100), epsilon = 1),
                 c("write list(weight = c(0, 100))", "write domain_box(rep(0, 2), rep(100, 2))"))
  expect_way_out(private_pca(study[c(1, 3)], c(0, 100), 1, rho = 1), "write domain_box(rep(0, 2), rep(100, 2))")
  expect_way_out(private_var(study, list(weight = c(0, 9)), by = list(clinic = "n"), epsilon = 1), "`by`")
  expect_way_out(private_count(study, epsilon = 1),
                 c("columns = \"name\"", "x$name == \"a\"", "number of all rows is public"))
  expect_way_out(private_histogram(study, c(0, 1), epsilon = 1), "Write columns = \"weight\"")
  expect_way_out(private_mean(1:4, c(0, 9), wrong = 1, epsilon = 1), "no argument `wrong`")
})

test_that("a table of counts and a survey are told from rows", {
  withr::local_options(dptda.weak_release = FALSE)
  counts <- as.table(matrix(1:4, 2, dimnames = list(a = c("x", "y"), b = c("u", "v"))))
  for (release in list(quote(private_table(counts, epsilon = 1)),
                       quote(private_table(counts, c("x", "y"), epsilon = 1)),
                       quote(private_mean(counts, c(0, 9), epsilon = 1)))) {
    expect_way_out(eval(release), "x[rep(seq_len(nrow(x)), x$Freq), ]")
  }
  x <- as.data.frame(counts)
  x <- x[rep(seq_len(nrow(x)), x$Freq), ]
  made <- private_table(x, list(a = c("x", "y")), epsilon = 50)
  expect_identical(as.numeric(made)[1:2], c(4, 6))
  survey <- structure(list(variables = study), class = c("survey.design2", "survey.design"))
  expect_way_out(private_mean(survey, c(0, 9), epsilon = 1), "x$variables")
})

test_that("missing values are answered by what the release takes", {
  withr::local_options(dptda.weak_release = FALSE)
  expect_way_out(private_count(study$ill, epsilon = 1),
                 c("missing = \"omit\") to leave", "missing = FALSE) to replace"))
  message <- conditionMessage(tryCatch(private_proportion(study$ill, epsilon = 1), error = identity))
  expect_match(message, "table_rows(x, missing = FALSE)", fixed = TRUE)
  expect_no_match(message, "omit")
  expect_way_out(private_proportion(table_rows(study$ill, missing = "omit"), epsilon = 1), "missing = FALSE)")
  expect_way_out(private_table(study, list(clinic = c("n", "s")), epsilon = 1), "missing = \"level\")")
  schema <- table_schema(who = schema_numeric(0, 9), clinic = c("n", "s"), ill = schema_logical())
  expect_way_out(private_synthesis(study, schema, epsilon = 1),
                 "Write clinic = schema_categorical(..., missing = \"level\")")
  expect_way_out(private_synthesis(study[4], table_schema(ill = schema_logical()), epsilon = 1),
                 "Write ill = schema_logical(missing = \"level\")")
})

test_that("classes of other packages are answered by what makes rows of them", {
  for (class in c("haven_labelled", "haven_labelled_spss", "labelled")) {
    column <- structure(c(1, 2), labels = c(no = 1, yes = 2), class = class)
    expect_way_out(private_mean(column, c(0, 9), epsilon = 1), c("haven::as_factor()", "haven::zap_labels()"))
    frame <- structure(list(a = column), row.names = 1:2, class = "data.frame")
    expect_way_out(private_table(frame, list(a = c("1", "2")), epsilon = 1),
                 c("haven::as_factor()", "haven::zap_labels()"))
  }
  expect_way_out(private_mean(structure(2020.25, class = "yearqtr"), c(0, 9), epsilon = 1), "as.Date()")
  expect_way_out(private_mean(structure(c(a = 1), class = "Period"), c(0, 9), epsilon = 1), "as.numeric(x, \"hours\")")
  expect_way_out(private_mean(data.frame(a = I(1:2)), list(a = c(0, 9)), epsilon = 1), "unclass()")
})

test_that("a release for each group of dplyr is refused by the call with public groups, and nothing is spent", {
  withr::local_options(dptda.weak_release = FALSE)
  skip_if_not_installed("dplyr")
  budget <- privacy_budget(epsilon = 9)
  groups <- dplyr::group_by(study, clinic)
  for (verb in list(dplyr::summarise, dplyr::mutate)) {
    found <- tryCatch(verb(groups, m = private_count(who > 1, epsilon = 1, budget = budget)), error = identity)
    expect_s3_class(found$parent, "dptda_error_argument")
    expect_match(conditionMessage(found$parent), "private_count(x, ..., by = list(clinic = c(\"a\", \"b\"))",
                 fixed = TRUE)
  }
  expect_identical(budget$spent, 0)
  expect_s3_class(dplyr::summarise(study, m = private_count(who > 1, epsilon = 1, budget = budget))$m,
                  "dptda_private_value")
})

test_that("what vctrs makes of a released number has its guarantee", {
  skip_if_not_installed("vctrs")
  count <- private_count(c(TRUE, FALSE), epsilon = 1)
  for (made in list(vctrs::vec_c(count), vctrs::vec_c(count, count), vctrs::vec_slice(count, c(1, 1)),
                    vctrs::vec_restore(c(2, 3), vctrs::vec_ptype(count)))) {
    expect_identical(privacy(made), privacy(count))
  }
  # a value that was changed has none, and gives none
  changed <- structure(count, released = NULL)
  expect_null(attributes(vctrs::vec_restore(2, changed)))
})

test_that("what dplyr copies keeps guarantee and noise, and what it computes has the guarantee of what it used", {
  skip_if_not_installed("dplyr")
  cells <- private_table(c("a", "a", "b"), levels = c("a", "b", "c"), epsilon = 1)
  frame <- data.frame(place = 1:4, all = 1)
  frame$m <- cells
  grouped <- dplyr::group_by(frame, place)
  copies <- list(
    dplyr::mutate(frame, q = place), dplyr::mutate(frame, m = m), dplyr::transmute(frame, m = m),
    dplyr::select(frame, m), dplyr::filter(frame, place > 0), dplyr::arrange(frame, place),
    dplyr::left_join(frame["place"], frame, by = "place"), dplyr::mutate(grouped, m = m),
    dplyr::summarise(grouped, m = m), dplyr::summarise(grouped, m = m[1])
  )
  for (copy in copies) {
    expect_identical(privacy(copy$m), privacy(cells))
    expect_equal(unname(confint(copy$m)), unname(confint(cells)))
  }
  expect_equal(unname(confint(dplyr::mutate(frame, m = 2 * m)$m)), unname(2 * confint(cells)))
  # the noise is not known, or not stated
  by_all <- dplyr::group_by(frame, all)
  changes <- list(
    dplyr::mutate(frame, m = round(m)), dplyr::mutate(frame, m = m / sum(m)), dplyr::summarise(frame, m = sum(m)),
    dplyr::summarise(by_all, m = sum(m)), dplyr::summarise(grouped, m = mean(m)),
    dplyr::count(frame, wt = m, name = "m")
  )
  for (change in changes) {
    expect_identical(privacy(change$m), privacy(cells))
    expect_error(confint(change$m), "The noise of other results", class = "dptda_error_argument")
  }
  expect_equal(as.numeric(dplyr::summarise(by_all, m = sum(m))$m), sum(as.numeric(cells)))
  # two draws cost as much as both
  frame$other <- private_table(c("a", "a", "b"), levels = c("a", "b", "c"), epsilon = 0.5)
  both <- list(dplyr::mutate(frame, m = m + other), dplyr::summarise(frame, m = sum(m, other)),
               dplyr::bind_rows(frame["m"], dplyr::transmute(frame, m = other)))
  for (one in both) expect_identical(privacy(one$m)$measure, c(epsilon = 1.5))
})

test_that("what was changed has no guarantee, and dplyr gives it none", {
  skip_if_not_installed("dplyr")
  cells <- unname(private_table(c("a", "a", "b"), levels = c("a", "b", "c"), epsilon = 1))
  frame <- data.frame(place = 1:4)
  frame$m <- cells
  # many functions copy all attributes, such as pmax()
  changed <- 1000 + 1:4
  attributes(changed) <- attributes(cells)
  expect_null(privacy(changed))
  frame$x <- changed
  expect_identical(attributes(frame$x), attributes(frame$m))
  without <- function(code) expect_null(suppressMessages(privacy(code$x)))
  grouped <- dplyr::group_by(frame, place)
  without(dplyr::mutate(frame, x = x))
  without(dplyr::mutate(grouped, x = x))
  without(dplyr::mutate(frame, x = 2 * x))
  without(dplyr::filter(frame, place > 1))
  without(dplyr::arrange(frame, dplyr::desc(place)))
  without(dplyr::summarise(frame, x = sum(x)))
  without(dplyr::summarise(grouped, x = x[1]))
  without(dplyr::mutate(frame, x = x + m))
  without(dplyr::left_join(frame["place"], frame, by = "place"))
  without(dplyr::bind_rows(frame, frame))
  # a type of its own, or a plain number
  expect_error(dplyr::bind_rows(frame["m"], dplyr::transmute(frame, m = x)), "Can't combine")
  expect_error(vctrs::vec_assign(frame$m, 1, frame$x[[1]]), "Can't convert")
})

test_that("a released covariance is a matrix, and cov2cor() makes correlations of it", {
  withr::local_options(dptda.weak_release = FALSE)
  release <- private_covariance(cbind(a = c(1, 2, 4, 8), b = c(1, 1, 2, 9)), domain_box(c(0, 0), c(9, 9)), rho = 1e4)
  expect_identical(as.matrix(release), release$cov)
  expect_identical(cov2cor(as.matrix(release)), cov2cor(release$cov))
})

test_that("a box of strings is told how dates are written, and that call works", {
  days <- as.Date("2024-01-01") + 0:99
  box <- c("2024-01-01", "2024-12-31")
  expect_error(private_mean(days, box, epsilon = 1), "For dates, write as.Date(c(\"2024-01-01\", \"2024-12-31\")).",
               fixed = TRUE, class = "dptda_error_argument")
  expect_s3_class(private_mean(days, as.Date(box), epsilon = 1, rng = "R"), "dptda_private_mean")
})

test_that("survey designs are refused by a sentence that says so", {
  expect_way_out(private_mean(study$who, c(0, 9), epsilon = 1, weights = study$weight),
                 "`weights` is not an argument of private_mean(). Survey weights are not supported")
  for (call in list(quote(confint(private_count(TRUE, epsilon = 1), of = "population", weights = 1)),
                    quote(confint(private_mean(study[1:3, ], list(who = c(0, 9)), epsilon = 1, by = list(clinic = "n")),
                                  fpc = 100)))) {
    expect_error(suppressWarnings(eval(call)), "finite populations are not supported", class = "dptda_error_argument")
  }
})

test_that("the second group by hand on a budget gives a message that names `by`, from the text of calls alone", {
  withr::defer(rm(list = ls(groups_by_hand), envir = groups_by_hand))
  rm(list = ls(groups_by_hand), envir = groups_by_hand)
  x <- data.frame(sex = rep(c("f", "m"), 50), y = rep(c(TRUE, FALSE, FALSE), length.out = 100), v = 1:100)
  budget <- privacy_budget(epsilon = 100)
  said <- function(code) {
    found <- tryCatch(suppressWarnings(code), dptda_message_groups = conditionMessage)
    if (is.character(found)) found
  }
  # expect_match() evaluates its argument twice, which would be two calls
  expect_said <- function(found, words) {
    force(found)
    expect_match(found, words, fixed = TRUE)
  }
  expect_null(said(private_count(x$y[x$sex == "f"], epsilon = 1, budget = budget)))
  expect_null(said(private_count(x$y[x$sex == "f"], epsilon = 1, budget = budget))) # again, not another group
  expect_said(said(private_count(x$y[x$sex == "m"], epsilon = 1, budget = budget)),
              "private_count(by = list(sex = c(\"f\", \"m\"))) releases all groups")
  expect_null(said(private_mean(x[x$sex == "f", ], list(v = c(0, 100)), epsilon = 1, budget = budget)))
  expect_said(said(private_mean(x[x$sex == "m", ], list(v = c(0, 100)), epsilon = 1, budget = budget)), "private_mean")
  expect_null(said(private_sum(subset(x, sex == "f"), list(v = c(0, 100)), epsilon = 1, budget = budget)))
  expect_said(said(private_sum(subset(x, sex == "m"), list(v = c(0, 100)), epsilon = 1, budget = budget)), "sex")
  # neither without a budget, nor for other tables, columns, and conditions, nor for a level that is not a constant
  z <- x
  level <- "f"
  expect_null(said(private_count(x$y[x$sex == "f"], epsilon = 1)))
  expect_null(said(private_count(z$y[z$sex == "f"], epsilon = 1, budget = budget)))
  expect_null(said(private_count(x$y[x$sex == level], epsilon = 1, budget = budget)))
  expect_null(said(private_count(x$y[x$v > 50], epsilon = 1, budget = budget)))
  # the example works
  by <- private_count(x, epsilon = 1, columns = "y", by = list(sex = c("f", "m")), budget = budget)
  expect_length(by, 3)
  # strings only, none of them a value of a row that a call was made with
  do.call(private_count, list(x$y, epsilon = 1, budget = budget))
  expect_true(all(vapply(mget(ls(groups_by_hand), groups_by_hand), is.character, NA)))
})

query <- function(...) (if ("breaks" %in% ...names()) private_histogram else private_table)(...,
  epsilon = noiseless)$value

test_that("declared levels are counted, and everything else is other", {
  x <- c("a", "b", "b", "z", "", "NA")
  expect_identical(query(x, levels = c("b", "a", "c")), c(b = 2, a = 1, c = 0, other = 3))
  expect_identical(query(factor(x), levels = c("b", "a", "c")), query(x, levels = c("b", "a", "c")))
  expect_identical(query(c("a", "other", "z"), levels = c("other", "a")), c(other = 2, a = 1))
  expect_identical(query(x, levels = character()), c(other = 6))
  expect_identical(query(c(TRUE, FALSE, TRUE), levels = c(FALSE, TRUE)), c("FALSE" = 1, "TRUE" = 2, other = 0))
  expect_identical(query(c("a", "z"), levels = factor(c("b", "a"))), c(b = 0, a = 1, other = 1))
  expect_identical(query(c(1, 2, 7), levels = 1:3), c("1" = 1, "2" = 1, "3" = 0, other = 1))
  # a level of the factor that no row has shows nothing
  expect_identical(query(factor("a", levels = c("a", "secret")), levels = "a"), c(a = 1, other = 0))
})

test_that("numbers are counted as numbers, however they are written", {
  levels <- c(100000, 200000)
  expect_identical(query(rep(100000L, 5), levels = levels), c("100000" = 5, "200000" = 0, other = 0))
  for (x in list(1e5, 100000L, "100000", "1e+05", "1e5", factor("100000"), factor(1e5))) {
    for (cells in list(levels, c(100000L, 200000L), c("1e5", "200000"))) {
      # two ways to write a number are the same number only where one of the two is a number
      if (is.numeric(x) || is.numeric(cells)) expect_identical(unname(query(x, levels = cells)), c(1, 0, 0))
    }
  }
  expect_identical(query(c("1e5", "100000"), levels = "1e5"), c("1e5" = 1, other = 1))
  expect_identical(query(c(0.1 + 0.2, -0, 1e15, 123456789), levels = c(0.3, 0, 1e15, 123456789)),
                   c("0.3" = 1, "0" = 1, "1000000000000000" = 1, "123456789" = 1, other = 0))
  expect_identical(query(c("x", "NA", "", "Inf", "2"), levels = c(Inf, 2)), c("Inf" = 1, "2" = 1, other = 3))
  expect_identical(query(c(1, 2), levels = c("a", "1")), c(a = 0, "1" = 1, other = 1))
  # one row is read without regard to the others
  x <- c(1e5, 0.1, 123456, 1e-20, 1 / 3)
  expect_identical(vapply(x, cell_keys, "", TRUE), cell_keys(x, TRUE))
})

test_that("whole numbers are compared exactly up to 2^53", {
  large <- 2^53 - c(0, 1, 2)
  expect_identical(query(large[c(1, 1, 3)], levels = large[1:2]),
                   c("9007199254740992" = 2, "9007199254740991" = 0, other = 1))
  expect_identical(query(-large[c(1, 2)], levels = -large[2]), c("-9007199254740991" = 1, other = 1))
  expect_identical(query(format(large[1:2], digits = 17), levels = large[2]), c("9007199254740991" = 1, other = 1))
  expect_identical(query(c(3 * (1 - 2^-53), 2^60, 2^60 * (1 + 2^-52)), levels = c(3, 2^60)),
                   c("3" = 1, "1.15292150460685e+18" = 2, other = 0))
})

test_that("no row decides whether a histogram fails: each string is read by itself", {
  utf8 <- "caf\u00e9"
  latin1 <- "caf\xe9"
  Encoding(latin1) <- "latin1"
  bytes <- "z\xff"
  Encoding(bytes) <- "bytes"
  plain_bytes <- "tea"
  Encoding(plain_bytes) <- "bytes"
  invalid <- "\xff"
  Encoding(invalid) <- "UTF-8"
  unmarked <- "1\xff"
  rows <- c("tea", utf8, latin1, bytes, plain_bytes, invalid, unmarked)
  for (x in as.list(rows)) {
    expect_identical(sum(query(c(rep("tea", 9), x), levels = c(utf8, "tea"))), 10)
    drinks <- structure(c(rep(1L, 9), 2L), levels = c("tea", x), class = "factor") # factor() sorts, and fails itself
    expect_identical(query(drinks, levels = c(utf8, "tea")), query(c(rep("tea", 9), x), levels = c(utf8, "tea")))
    expect_identical(unname(query(c("1", x), levels = c(1, 2))), c(1, 0, 1))
    expect_identical(unname(query(c("1", "11", "12", x), levels = 11:12)), c(1, 1, 2))
  }
  expect_identical(unname(query(rows, levels = c(utf8, "tea"))), c(2, 2, 3))
  # a hand-made factor with codes that are no levels
  strange <- structure(c(1L, 2L, 0L, 9L, -3L), levels = c("a", "b"), class = "factor")
  expect_identical(query(strange, levels = "a"), c(a = 1, other = 4))
  expect_identical(query(addNA(factor("a")), levels = "a"), c(a = 1, other = 0))
  for (x in list(structure(1L, levels = 1:2, class = "factor"), structure(1L, class = "factor"))) {
    expect_error(query(x, levels = "a"), class = "dptda_error_argument")
  }
  for (levels in list(bytes, c("a", invalid), c(utf8, latin1))) {
    expect_error(query("a", levels = levels), class = "dptda_error_argument")
  }
})

test_that("levels of another kind than the rows are refused, and so are classes", {
  refused <- function(x, levels) {
    expect_error(private_table(x, levels = levels, epsilon = 1), class = "dptda_error_argument")
  }
  refused(c(0, 1), c(FALSE, TRUE))
  refused(TRUE, c(0, 1))
  refused(1i, "1i")
  refused(as.raw(1), "01")
  refused("a", 1i)
  refused("a", Sys.Date())
  refused(1, Sys.Date())
  refused(Sys.Date(), 1)
  refused(1, c(1, 1 + 1e-17))
})

test_that("intervals are closed on the left, and the ends hold what is beyond them", {
  counts <- query(c(-Inf, -5, 0, 0.5, 1, 1.5, 2, 99, Inf), breaks = 0:2)
  expect_identical(counts, c("< 1" = 4, ">= 1" = 5))
  expect_identical(unname(query(1:10, breaks = c(0, 5, 20))), c(4, 6))
})

test_that("an empty histogram gets its noise like any other", {
  set.seed(301)
  y <- -60:60
  empty <- private_table(character(), levels = as.character(seq_len(4999)), epsilon = 0.5, rng = "R")
  expect_length(empty$value, 5000)
  # false alarm: 1e-6, with a fixed seed
  expect_gt(discrete_fit(empty$value, y, laplace_probability(y, 4)), 1e-6)
  crowd <- private_table(rep("1", 1e4), levels = as.character(seq_len(4999)), rho = 0.01, rng = "R")
  expect_gt(discrete_fit(crowd$value[-1], y, rounded_probability(y, 10)), 1e-6)
  expect_lt(abs(crowd$value[[1]] - 1e4), 60)
})

test_that("replacing one row has the stated sensitivity, and reaches it", {
  set.seed(302)
  worst <- 0
  for (i in 1:200) {
    x <- sample(c("a", "b", "c", "d"), 5, replace = TRUE)
    neighbor <- replace(x, sample(5, 1), sample(c("a", "b", "c", "d"), 1))
    change <- query(x, levels = c("a", "b")) - query(neighbor, levels = c("a", "b"))
    expect_lte(sum(abs(change)), 2)
    worst <- max(worst, sum(abs(change)))
  }
  expect_identical(worst, 2)
  expect_identical(privacy(private_table("a", "a", epsilon = 1))$sensitivity, 2)
  expect_identical(privacy(private_table("a", "a", rho = 1))$sensitivity, sqrt(2))
  expect_identical(private_table("a", "a", epsilon = 1)$noise$scale, 2)
  expect_identical(private_table("a", "a", rho = 1)$noise$scale, 1)
})

test_that("the ledger is the declared budget, over many sizes", {
  budget <- privacy_budget(epsilon = 100)
  for (cells in c(1, 2, 10, 1000)) {
    for (value in c(0.1, 1, 7)) {
      release <- private_table(1:5, levels = seq_len(cells), epsilon = value, budget = budget)
      expect_identical(sum(privacy(release)$ledger$value), value)
      expect_identical(sum(privacy(private_histogram(1:5, breaks = 0:cells, rho = value))$ledger$value), value)
    }
  }
  expect_equal(sum(budget$ledger$value), budget$spent)
  expect_equal(budget$spent, 4 * 8.1)
})

test_that("plots draw levels and intervals, and give their argument back", {
  withr::local_pdf(NULL)
  for (release in list(private_table("a", levels = c("a", "b"), epsilon = 1),
                       private_histogram(1:9, breaks = c(0, 1, 10), rho = 1))) {
    drawn <- withVisible(plot(release, main = "counts"))
    expect_false(drawn$visible)
    expect_identical(drawn$value, release)
  }
})

test_that("labels that do not fit are turned, cut or thinned, and the picture says so", {
  plotted <- function(levels, ...) drawn_text(plot(private_table("a", levels = levels, epsilon = 1)), ...)
  few <- plotted(c("a", "b"))
  expect_true(all(c("a", "b", "other", "lines: noise (95%)") %in% few))
  long <- paste("a level with a long name", 1:8)
  expect_true(all(long %in% plotted(long)))
  essential <- strrep("word ", 40)
  expect_match(plotted(c(essential, "b")), "^(word )+.*[.]{3}$", all = FALSE)
  many <- plotted(paste("level", 1:200))
  expect_match(many, "one label for every [0-9]+ cells$", all = FALSE)
  expect_lt(sum(grepl("^level", many)), 100)
  withr::local_pdf(NULL)
  before <- graphics::par("mar")
  plot(private_table("a", levels = long, epsilon = 1))
  expect_identical(graphics::par("mar"), before)
})

test_that("bad arguments are classed errors that show no data", {
  refused <- function(release, ..., epsilon = 1) {
    expect_error(release(..., epsilon = epsilon), class = "dptda_error_argument")
  }
  refused(private_table, "a")
  refused(private_table, "a", NULL)
  refused(private_table, "a", levels = "a", breaks = 1:2)
  refused(private_table, "a", levels = "a", breaks = list(a = 1:2))
  refused(private_table, levels = "a")
  refused(private_histogram, 1)
  refused(private_histogram, breaks = 1:2)
  for (bad in list(NA, c("a", NA), c("a", "a"), list("a"), matrix("a"), mean)) refused(private_table, "a", bad)
  for (bad in list(NULL, 1, c(2, 1), c(1, 1), c(0, Inf), c(0, NA), "1", factor(1:2), list(1:2))) {
    refused(private_histogram, 1, bad)
  }
  for (bad in list(NULL, list(1), matrix(1), c(1, NA), mean, data.frame(1, 2))) {
    refused(private_table, bad, 1)
    refused(private_histogram, bad, 1:2)
  }
  refused(private_histogram, "a", breaks = 1:2)
  refused(private_histogram, factor(1), breaks = 1:2)
  refused(private_table, "a", levels = "a", epsilon = -1)
  expect_error(private_table("a", "a"), class = "dptda_error_argument")
  expect_error(private_histogram(1, "a", 1), "private_table() counts categories", fixed = TRUE)
  message <- tryCatch(private_table(c("secret", NA), "a", epsilon = 1), error = conditionMessage)
  expect_match(message, "^`x` must not contain missing values[.] Write table_rows\\(x, missing = ")
  expect_no_match(message, "secret")
})

test_that("the public place after `x` is for levels of a table, and for breaks of a histogram", {
  sizes <- factor(c("s", "l", "s"), levels = c("s", "m", "l"))
  expect_identical(private_table(sizes, levels(sizes), noiseless)$value, c(s = 2, m = 0, l = 1, other = 0))
  expect_identical(names(private_table(1:3, 1:3, 1)), c("1", "2", "3", "other"))
  expect_identical(private_histogram(c(1, 12), seq(0, 40, 10), noiseless)$counts,
                   c("< 10" = 1, "[10, 20)" = 1, "[20, 30)" = 0, ">= 30" = 0))
  expect_output(print(private_table(1:3, levels = 1:3, epsilon = 1)), "level +value")
  expect_output(print(private_histogram(1:3, breaks = 0:3, epsilon = 1)), "interval +value")
})

test_that("a histogram has the fields of hist(), of several columns those of each", {
  release <- private_histogram(c(1, 2, 7), c(0, 2, 10), noiseless)
  drawn <- graphics::hist(c(1, 2, 7), c(0, 2, 10), plot = FALSE, right = FALSE)
  expect_identical(release$breaks, drawn$breaks)
  expect_identical(release$mids, drawn$mids)
  expect_identical(unname(release$counts), as.double(drawn$counts))
  expect_error(private_table("a", "a", 1)$mids, class = "dptda_error_argument")
  people <- data.frame(a = 1:4, b = c(0, 0, 5, 9))
  both <- private_histogram(people, list(a = c(1, 3, 4), b = c(0, 5, 10)), noiseless, columns = c("a", "b"))
  expect_identical(unname(unclass(as.table(both))), matrix(c(2, 0, 0, 2), 2, dimnames = NULL), ignore_attr = TRUE)
  expect_identical(both$mids, list(a = c(2, 3.5), b = c(2.5, 7.5)))
})

test_that("classes whose elements are not written one by one are refused", {
  # in R before 4.3 midnights are written without the hour, until one row is no midnight
  times <- as.POSIXct("2020-01-01", tz = "UTC") + c(0, 86400)
  for (x in list(times, Sys.Date(), as.difftime(1, units = "secs"), I("a"))) {
    expect_error(query(x, levels = "a"), class = "dptda_error_argument")
  }
  expect_identical(query(factor("a", ordered = TRUE), levels = "a"), c(a = 1, other = 0))
})

test_that("the names of the end bars say that they count all values beyond the breaks", {
  weight <- c(rep(3, 40), rep(11, 30), rep(1e6, 20), -Inf)
  breaks <- c(5, 10, 20, 50)
  said <- c("< 10", "[10, 20)", ">= 20")
  bars <- private_histogram(weight, breaks, noiseless)
  expect_identical(bars$counts, structure(c(41, 30, 20), names = said))
  expect_identical(rownames(confint(bars)), said)
  expect_identical(levels(as.data.frame(bars)$name), said)
  expect_identical(as.character(as.data.frame(bars)$name), said)
  expect_identical(as.character(generics::tidy(bars)$term), said)
  for (name in said) expect_output(print(bars), name, fixed = TRUE)
  expect_identical(privacy(bars)$public$cells, said)

  days <- as.Date(c("2001-05-06", "2020-02-02", "1931-01-01"))
  cut <- as.Date(c("2000-01-01", "2010-01-01", "2015-01-01"))
  expect_identical(private_histogram(days, cut, noiseless)$counts, c("< 2010-01-01" = 2, ">= 2010-01-01" = 1))
  # one interval has no end: it is everything
  expect_identical(private_histogram(days, cut[1:2], noiseless)$counts, c("all values" = 3))
  waits <- as.difftime(c(1, 200, 30), units = "mins")
  expect_identical(names(private_histogram(waits, as.difftime(0:2, units = "hours"), noiseless)$value),
                   c("< 1 hours", ">= 1 hours"))

  # columns that are cut, of tables and of groups
  people <- data.frame(age = c(5, 15, 95), sex = c("f", "m", "f"))
  table <- private_table(people, list(sex = c("f", "m")), noiseless, columns = c("age", "sex"),
                         breaks = list(age = c(0, 10, 20, 30)))
  expect_identical(rownames(as.table(table)), c("< 10", "[10, 20)", ">= 20"))
  expect_identical(names(table)[c(1, 6)], c("age < 10, sex f", "age >= 20, sex m"))
  by <- private_histogram(people, list(age = c(0, 10, 20)), noiseless, by = list(sex = "f"))
  expect_identical(rownames(as.table(by)), c("< 10", ">= 10"))
  # columns of a schema draw rows between their ends
  expect_identical(schema_numeric(0, 20, 2)$names, c("[0, 10)", "[10, 20]"))
})

test_that("pictures of bars between breaks say what the end bars count", {
  bars <- private_histogram(c(1, 7, 99), c(0, 5, 10), noiseless)
  levels <- private_table(c("a", "b"), "a", noiseless)
  words <- function(x) {
    path <- withr::local_tempfile(fileext = ".pdf")
    grDevices::pdf(path)
    on.exit(grDevices::dev.off())
    grDevices::dev.control("enable")
    plot(x)
    drawn <- grDevices::recordPlot()[[1]]
    unlist(lapply(drawn, function(call) Filter(is.character, as.list(call[[2]]))))
  }
  expect_true(any(grepl("end bars", words(bars), fixed = TRUE)))
  expect_false(any(grepl("end bars", words(levels), fixed = TRUE)))
  skip_if_not_installed("ggplot2")
  expect_match(ggplot2::autoplot(bars)$labels$subtitle, "end bars", fixed = TRUE)
  expect_no_match(ggplot2::autoplot(levels)$labels$subtitle, "end bars", fixed = TRUE)
})

test_that("the end bars of a database and of a recipe's files have the names of memory", {
  data <- data.frame(cost = c(-5, 1, 15, 40, 1e9))
  table <- dplyr::tbl(local_sqlite(data), "people")
  said <- c("< 10" = 2, "[10, 20)" = 1, ">= 20" = 2)
  expect_identical(private_histogram(table, list(cost = c(0, 10, 20, 30)), noiseless)$counts, said)
  recipe <- release_recipe(list(unit = list(rows = 5), releases = list(
    list(release = "histogram", name = "cost", breaks = list(cost = c(0, 10, 20, 30)), epsilon = noiseless))))
  folder <- withr::local_tempdir()
  suppressMessages(release_files(recipe_release(recipe, data)[[1]], folder, "cost", picture = FALSE))
  written <- unlist(lapply(list.files(folder, "csv$", full.names = TRUE, recursive = TRUE), readLines))
  for (name in names(said)) expect_true(any(grepl(name, written, fixed = TRUE)), name)
})

test_that("a matrix with breaks for several columns is told to be made a table", {
  x <- cbind(a = 1:9, b = 9:1)
  breaks <- list(a = c(0, 5, 10), b = c(0, 5, 10))
  expect_error(private_histogram(x, breaks, epsilon = 1), "as.data.frame\\(\\) for a matrix",
               class = "dptda_error_argument")
  expect_length(private_histogram(as.data.frame(x), breaks, epsilon = 1), 4)
})

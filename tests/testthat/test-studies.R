# Scripts of studies and benchmarks show what users can do, and their results are what users can have again: so they are
# written with what is exported. One that reached into the namespace would also keep names of parts that nobody else
# needs, break in silence when these change (no test runs it), and measure something that no call of a user is. What a
# script lacks is either of use to others, and exported, or not worth a number.

scripts_beside <- function() {
  # in a checkout; what is installed has no benchmarks, and its studies are in another place
  top <- test_path("..", "..")
  found <- list.files(file.path(top, c("inst", "bench", "vignettes")), "[.](R|Rmd)$", recursive = TRUE,
                      full.names = TRUE)
  c(found, Filter(file.exists, file.path(top, c("README.md", "README.Rmd"))))
}

reaching <- paste(c(
  "dptda:::", "asNamespace", "getNamespace", "getFromNamespace", "getAnywhere", "topenv", "loadNamespace\\(\"dptda\"",
  "ns_env", "environment\\([^)]*(private|mechanism|simulate)_", "\\.Call\\("
), collapse = "|")

test_that("no study, benchmark or vignette reaches into the package", {
  scripts <- scripts_beside()
  skip_if(!any(grepl("bench", scripts)), "no checkout")
  expect_gt(length(scripts), 70)
  for (script in scripts) {
    lines <- readLines(script, warn = FALSE)
    expect_identical(grep(reaching, lines, value = TRUE), character(), info = script)
  }
})

test_that("the search would find one", {
  expect_true(all(grepl(reaching, c("dptda:::draw_steps(x)", "inside <- asNamespace(\"dptda\")", ".Call(f, x)",
                                    "environment(private_count)", "utils::getFromNamespace(\"f\", \"dptda\")"))))
  expect_false(any(grepl(reaching, c("dptda::private_count(x, 1)", "stats::density(x)", "environment()"))))
})

# ---- tools/replicate.R, which compares recomputed tables with the committed ones -------------------------------------

compare_by_tool <- function() {
  script <- test_path("..", "..", "tools", "replicate.R")
  skip_if_not(file.exists(script), "no checkout")
  tool <- new.env()
  withr::with_envvar(c(REPLICATE = NA), source(script, local = tool))
  tool
}

# A table of a simulation with error .1, and what is done to it.
table_with_error <- function(rows, change = identity) {
  change(data.frame(setting = seq_len(rows), mean = seq_len(rows) / rows + rnorm(rows, sd = 0.1)))
}

test_that("a recomputed table is the same, drifted, or changed", {
  tool <- compare_by_tool()
  set.seed(1)
  old <- table_with_error(40)
  new <- table_with_error(40)
  other <- table_with_error(40)
  result <- function(...) tool$compare_tables(...)$verdict
  expect_identical(result(old, old, NULL), "same")
  expect_identical(result(old, transform(old, mean = mean * (1 + 1e-12)), NULL), "same")
  expect_identical(result(old, new, other), "drifted")
  expect_identical(result(old, new, NULL), "changed") # its error is unknown
  expect_identical(result(transform(old, mean = mean + 0.5), new, other), "changed")
  expect_identical(result(transform(old, setting = rev(setting)), new, other), "changed") # does not depend on seeds
  expect_identical(result(old[-1, ], new, other), "changed")
  expect_identical(result(stats::setNames(old, c("setting", "error")), new, other), "changed")
})

# 500 tables of each kind, seed 2. In 2,000 of each, none within its error changed, and of those shifted by .3 (40 rows)
# and 1 (8 rows), at least .99 did.
test_that("tables within their error rarely change, and shifted ones often do", {
  tool <- compare_by_tool()
  set.seed(2)
  share <- function(rows, shift) {
    mean(replicate(500, {
      old <- table_with_error(rows, function(x) transform(x, mean = mean + shift))
      tool$compare_tables(old, table_with_error(rows), table_with_error(rows))$verdict == "changed"
    }))
  }
  expect_lt(share(40, 0), 0.01)
  expect_lt(share(8, 0), 0.02)
  expect_gt(share(40, 0.3), 0.9)
  expect_gt(share(8, 1), 0.8)
})

test_that("lines of benchmarks are compared without numbers", {
  tool <- compare_by_tool()
  old <- c("ours 0.12 s, ratio 3.1", "peer 1e+05 rows: 2.0")
  result <- function(...) tool$compare_lines(...)$verdict
  expect_identical(result(old, c("ours 0.9 s, ratio 12", "peer  2e+06 rows: 1.25")), "same")
  expect_identical(result(old, "ours 0.9 s, ratio 12"), "skipped") # the peer is not installed
  expect_identical(result(old, c(old, "another 2")), "changed")
})

test_that("committed tables that nothing writes have a row", {
  tool <- compare_by_tool()
  withr::local_dir(test_path("..", ".."))
  skip_if_not(dir.exists("bench"), "no checkout")
  expect_true(all(file.exists(names(tool$by_hand), tool$scripts_by_hand)))
  written <- "bench/results/dtm.txt"
  found <- tool$unwritten_rows(written, ".", all = TRUE)
  expect_true(all(found$verdict == "unwritten") && !written %in% found$table)
  expect_true(all(c(names(tool$by_hand), "inst/simulations/results/clusters.csv.xz") %in% found$table))
  expect_match(found$note[found$table == "bench/results/database-pieces.txt"], "by hand: .*2e5")
  expect_identical(tool$unwritten_rows(written, "bench/dtm", all = FALSE), NULL)
  expect_identical(tool$unwritten_rows(written, "database-pieces", all = FALSE)$table,
                   "bench/results/database-pieces.txt")
})

# ---- verdicts of the vignettes ---------------------------------------------------------------------------------------

test_that("a page is not built if a verdict contradicts its results", {
  shared <- parse(system.file("scripts", "vignettes.R", package = "dptda"))
  definition <- Filter(function(one) is.call(one) && identical(one[[2]], quote(holds)), as.list(shared))
  expect_length(definition, 1)
  eval(definition[[1]])
  ratio <- 0.9
  expect_identical(holds(ratio < 1, "no gain"), "no gain")
  expect_error(holds(ratio > 1, "gain"), "gain.*ratio > 1")
  expect_error(holds(NA, "gain"), "gain")
  expect_error(holds(logical(), "gain"), "gain")
})

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

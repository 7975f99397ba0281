# What a new user meets first: the blocks of README.md, each pasted into a session of its own, and citation().

# Tests run in their folder. README.md is there in a checkout and in the source package, and only there.
source_tree <- "../.."

readme_blocks <- function(lines) {
  fence <- which(startsWith(lines, "```"))
  opening <- fence[c(TRUE, FALSE)]
  closing <- fence[c(FALSE, TRUE)]
  in_r <- lines[opening] == "```r"
  Map(function(from, to) lines[seq(from + 1, to - 1)], opening[in_r], closing[in_r])
}

# Where pictures go, nothing is left behind.
run_block <- function(block) {
  folder <- tempfile("readme-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  writeLines(c(paste0("setwd(", encodeString(folder, quote = "\""), ")"), block),
             script <- file.path(folder, "block.R"))
  libraries <- paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep)))
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), stdout = TRUE,
                                   stderr = TRUE, env = libraries))
  list(status = c(attr(said, "status"), 0L)[1], said = paste(said, collapse = "\n"))
}

test_that("blocks are found, and a block that fails is seen to fail", {
  skip_if_instrumented()
  lines <- c("a", "```r", "1", "2", "```", "b", "```", "text", "```", "```r", "3", "```")
  expect_identical(readme_blocks(lines), list(c("1", "2"), "3"))
  expect_identical(run_block("nobody_knows_this")$status, 1L)
  expect_identical(run_block("library(dptda)")$status, 0L)
})

test_that("every block of R in README.md runs in a fresh session", {
  skip_if_instrumented()
  skip_if_not(file.exists(file.path(source_tree, "DESCRIPTION")), "not in a checkout: there is no README.md")
  blocks <- readme_blocks(readLines(file.path(source_tree, "README.md"), encoding = "UTF-8"))
  expect_gte(length(blocks), 4)
  for (package in c("DBI", "RSQLite", "dplyr", "dbplyr")) skip_if_not_installed(package)
  for (block in blocks) {
    found <- run_block(block)
    expect_identical(found$status, 0L, info = paste(c(block, found$said), collapse = "\n"))
  }
})

test_that("citation() says what it must, without a warning", {
  expect_warning(entry <- citation("dptda"), NA)
  expect_identical(entry$note, paste("R package version", packageVersion("dptda")))
  expect_match(entry$title, "^dptda: ")
  expect_match(entry$year, "^20[0-9]{2}$")
  expect_match(paste(format(entry, "text"), collapse = " "), "dptda developers")
  # where there is no description beside it
  expect_warning(alone <- utils::readCitationFile(system.file("CITATION", package = "dptda")), NA)
  expect_identical(alone$note, entry$note)
})

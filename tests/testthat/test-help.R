# Pages of help are found by the words one would search for, and say in their first lines what a function is for. What
# is longer stands in details and in sections, which are named by their subject.

pages <- tools::Rd_db("dptda")
names(pages) <- sub("[.]Rd$", "", names(pages))

plain <- function(part) gsub("[[:space:]]+", " ", trimws(paste(unlist(part), collapse = "")))
parts <- function(page, tag) Filter(function(part) identical(attr(part, "Rd_tag"), tag), page)
part_of <- function(tag) vapply(pages, function(page) plain(parts(page, tag)), "")
sections <- function(page) lapply(parts(page, "\\section"), function(section) plain(section[[1]]))
arguments <- function(page) {
  items <- Filter(function(part) identical(attr(part, "Rd_tag"), "\\item"), unlist(parts(page, "\\arguments"), FALSE))
  stats::setNames(vapply(items, function(item) plain(item[[2]]), ""),
                  vapply(items, function(item) plain(item[[1]]), ""))
}
# The labels of the tasks on the page of the package, in their order.
tasks <- function(page) {
  section <- Filter(function(section) plain(section[[1]]) == "By task", parts(page, "\\section"))[[1]]
  items <- parts(parts(section[[2]], "\\describe")[[1]], "\\item")
  vapply(items, function(item) plain(item[[1]]), "")
}

test_that("titles name a thing in one line", {
  titles <- part_of("\\title")
  expect_gt(length(titles), 80)
  expect_identical(titles[nchar(titles) > 80], titles[0])
  expect_identical(titles[duplicated(titles)], titles[0])
  unsought <- "^(A|An|The|What|How|Which|Try|Take) |[?]$|\\b(hurt|truth|wherever|look|looks|flipped|flips)\\b"
  expect_identical(titles[grepl(unsought, titles)], titles[0])
})

test_that("a page has the name of its function, not of a method that stands in a file before it", {
  named <- part_of("\\name")
  expect_identical(named[grepl("[.]dptda_", named) & named != names(pages)], named[0])
  opened <- vapply(pages[c("private_quantile", "private_covariance", "as_mixture")], function(page) {
    sub("\\(.*$", "", plain(parts(page, "\\usage")))
  }, "")
  expect_identical(unname(opened), names(opened))
})

test_that("a description is short and says first what is done", {
  descriptions <- part_of("\\description")
  expect_identical(descriptions[nchar(descriptions) > 500], descriptions[0])
  begun <- grepl("^([A-Z][a-z]+s|[a-z_.]+\\(\\)( with [a-z]+)? [a-z]+s)\\b", descriptions)
  expect_identical(descriptions[!begun], descriptions[0])
  releases <- grep("^private_(?!release|value|arithmetic)", names(pages), value = TRUE, perl = TRUE)
  expect_gt(length(releases), 13)
  expect_identical(releases[!grepl("differential privacy", descriptions[releases])], character())
})

test_that("an argument is told once, in a few lines", {
  for (name in names(pages)) {
    told <- nchar(arguments(pages[[name]]))
    expect_identical(toString(names(which(told > 370))), "", info = name)
    each <- unlist(strsplit(names(told), " *, *"))
    expect_identical(toString(each[duplicated(each)]), "", info = name)
  }
})

test_that("no page and no section is longer than a reader reads", {
  count <- function(part) lengths(regmatches(text <- plain(part), gregexpr("[^ ]+", text)))
  expect_identical(count(list("two ", "\n words")), 2L)
  prose <- c("\\title", "\\description", "\\details", "\\value", "\\arguments", "\\section", "\\note")
  long <- vapply(pages, function(page) sum(vapply(prose, function(tag) count(parts(page, tag)), 1L)), 1L)
  expect_identical(long[long > 900], long[0])
  blocks <- unlist(lapply(pages, function(page) {
    inner <- parts(unlist(parts(page, "\\details"), FALSE), "\\subsection")
    all <- c(inner, parts(page, "\\section"))
    stats::setNames(vapply(all, function(one) count(one[[2]]), 1L), vapply(all, function(one) plain(one[[1]]), ""))
  }))
  expect_gt(length(blocks), 200)
  # the list of options is a table
  expect_identical(blocks[blocks > 250 & !endsWith(names(blocks), "Options")], blocks[0])
})

test_that("sections are named by their subject", {
  retired <- c("What no code can see", "What is promised", "Which merges first", "Comparable units", "Certificate",
               "Three filtrations")
  titles <- unlist(lapply(pages, sections))
  expect_gt(length(titles), 80)
  expect_identical(titles[titles %in% retired | grepl("^(What|Which|How|Why) |[?]$", titles)], titles[0])
})

test_that("the page of the package and the reference lead by task", {
  page <- pages[["dptda-package"]]
  releases <- grep("^private_", getNamespaceExports("dptda"), value = TRUE)
  unnamed <- releases[!vapply(releases, grepl, NA, x = plain(page), fixed = TRUE)]
  expect_nothing_missing(lapply(unnamed, has_no, what = "place by task", write = "it in R/dptda-package.R"))
  reference <- checkout_file("_pkgdown.yml")
  skip_if(is.null(reference), "the reference is not part of a built package")
  lines <- readLines(reference)
  lines <- lines[seq_len(match("articles:", lines))]
  headings <- sub("^- title: ", "", grep("^- title: ", lines, value = TRUE))
  expect_identical(headings, c(tasks(page), "Replication"))
  listed <- sub("^  - ", "", grep("^  - ", lines, value = TRUE))
  expect_identical(listed[duplicated(listed)], character())
})

test_that("functions that inst/standards.md names are there, and its numbers are each there once", {
  page <- checkout_file("inst", "standards.md")
  skip_if(is.null(page), "the page is not in the source package")
  lines <- readLines(page)
  named <- unlist(regmatches(lines, gregexpr("`[?]?[a-z_]+\\(", lines)))
  named <- unique(gsub("[`?(]", "", named))
  expect_gt(length(named), 15)
  places <- c("dptda", "base", "stats", "utils", "ggplot2")
  there <- vapply(named, function(name) {
    any(vapply(places, function(place) {
      requireNamespace(place, quietly = TRUE) && exists(name, asNamespace(place), inherits = FALSE)
    }, NA))
  }, NA)
  # check_*() is a family, broom's verbs are of generics
  expect_identical(setdiff(named[!there], c("check_", "autoplot")), character())
  rows <- grep("^\\| (G|UL|PD)[0-9]", lines)
  asked <- unlist(strsplit(sub("^\\| ([^|]*) \\|.*", "\\1", lines[rows]), ", ", fixed = TRUE))
  expect_identical(asked[duplicated(asked) & grepl("\\.", asked)], character())
  expect_true(all(grepl("\\| (Met|Partly|No|Not applicable)", lines[rows])))
})

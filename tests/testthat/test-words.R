# The words of the package are those of the field (CONTRIBUTING.md has the table). What was retired does not come back:
# in names of the code, exports and their arguments, titles of help, and the text of guarantees.

retired <- c("look", "looks", "engine", "engines", "endless", "dust", "fence", "bridge", "anatomy", "flips", "pay",
             "pays", "paid", "payment", "truth", "truths", "k0", "megabytes")

retired_in <- function(names) {
  parts <- strsplit(tolower(names), "[^a-z0-9]+")
  unique(names[vapply(parts, function(part) any(part %in% retired), NA)])
}

namespace <- asNamespace("dptda")
functions <- function() Filter(is.function, mget(ls(namespace, all.names = TRUE), envir = namespace))

test_that("what is retired is found where it is", {
  expect_identical(retired_in(c("look_sums", "book", "k", "k0", "cluster_tomato", "draw.looks", "Engine")),
                   c("look_sums", "k0", "draw.looks", "Engine"))
})

test_that("no name of the code is a retired one", {
  found <- functions()
  expect_gt(length(found), 1000)
  methods <- "\\.(private|dptda|default|data|synthesis|kmeans|igraph|matrix|diagram).*$"
  expect_identical(retired_in(sub(methods, "", names(found))), character())
  found <- found[names(found) != "as_persistence.dptda_diagram"] # phutil's argument
  inside <- lapply(found, function(f) unique(c(names(formals(f)), all.names(body(f)))))
  retired <- retired_in(unlist(inside))
  where <- names(found)[vapply(inside, function(names) any(retired %in% names), NA)]
  expect_identical(retired, character(), info = toString(where))
})

test_that("exports take `x`, `k` and `box`, and no retired name", {
  exports <- getNamespaceExports("dptda")
  expect_identical(retired_in(exports), character())
  expect_false(any(c("tomato", "morse_merge", "debias", "graph_product", "privacy_audit", "privacy_neighbors",
                     "privacy_features", "schema_truth",
                     "schema_ordinal", "detectable_persistence", "graph_detectable") %in% exports))
  for (name in grep("^(private|mechanism)_", exports, value = TRUE)) {
    arguments <- names(formals(getExportedValue("dptda", name)))
    expect_false(any(c("X", "data", "lower", "upper", "k0", "false_alarm", "probability", "confidence") %in% arguments),
                 info = name)
    if (startsWith(name, "private_") && name != "private_release") {
      expect_identical(arguments[1], if (is_graph_release(name)) "graph" else "x", info = name)
    }
    if (!name %in% c("mechanism_examples")) {
      at <- match(c("epsilon", "rho", "...", "delta", "mu"), arguments)
      expect_identical(at, at[1] + 0:4, info = name)
    }
  }
})

test_that("titles of help and guarantees say the field's words", {
  said <- function(text) unlist(strsplit(text, "[^A-Za-z0-9_]+"))
  titles <- vapply(tools::Rd_db("dptda"), function(page) {
    paste(unlist(Filter(function(part) attr(part, "Rd_tag") == "\\title", page)), collapse = "")
  }, "")
  expect_gt(length(titles), 60)
  expect_identical(retired_in(said(titles)), character())
  for (example in mechanism_examples()) {
    price <- privacy_price(example$mechanism)
    expect_identical(retired_in(said(utils::capture.output(print(price)))), character(), info = example$name)
  }
})

test_that("the first screen and the description say the field's words", {
  # "look-alikes" is a word of its own
  said <- function(text) unlist(strsplit(gsub("look-alikes?", "", text), "[^A-Za-z0-9_]+"))
  expect_identical(retired_in(said("cannot pay, look-alikes")), "pay")
  expect_identical(retired_in(said(utils::packageDescription("dptda")$Description)), character())
  readme <- "../../README.md"
  skip_if_not(file.exists(readme), "not in a checkout: there is no README.md")
  expect_identical(retired_in(said(readLines(readme, encoding = "UTF-8"))), character())
})

# Terms that the prose gave up for those of the field: integer, fix, distribution, in advance, guarantee, 95%, people.
retired_prose <- c("weigh(s|ed)", "settle[sd]?", "mend(s|ed)?", "heaps?", "persons", "anew", "beforehand", "as a rule",
                   "all but", "but for", "the own", "dearer", "hears?", "look(s|ed)? at", "[0-9] %",
                   "unlike (people|units|tables)", "promise[sd]? [0-9]")

prose_with <- function(words, text) {
  patterns <- ifelse(grepl("%$", words), words, paste0("\\b", words, "\\b"))
  found <- lapply(patterns, function(pattern) regmatches(text, gregexpr(pattern, text, perl = TRUE)))
  names <- if (is.null(names(text))) seq_along(text) else basename(names(text))
  unique(unlist(lapply(found, function(each) paste0(names, ": ", vapply(each, toString, ""))[lengths(each) > 0])))
}

test_that("help, vignettes, README, and NEWS keep to the words of the field", {
  expect_identical(prose_with(retired_prose, c(a = "95 % of persons", b = "95% of people", c = "settlement")),
                   c("a: persons", "a: 5 %"))
  flat <- function(part) {
    if (is.character(part)) return(part)
    if (any(attr(part, "Rd_tag") %in% c("\\code", "\\usage", "\\examples", "\\name", "\\alias"))) return(" ")
    paste(unlist(lapply(part, flat)), collapse = "")
  }
  help <- vapply(tools::Rd_db("dptda"), function(page) paste(vapply(page, flat, ""), collapse = " "), "")
  expect_gt(length(help), 100)
  expect_identical(prose_with(retired_prose, help), character())
  files <- c("../../README.md", "../../NEWS.md", Sys.glob(c("../../vignettes/*.Rmd", "../../vignettes/articles/*.Rmd")))
  skip_if_not(all(file.exists(files)), "not in a checkout: there is no README.md")
  expect_gt(length(files), 20)
  prose <- vapply(files, function(file) {
    lines <- readLines(file, encoding = "UTF-8")
    inside <- cumsum(grepl("^```", lines)) %% 2 == 1
    gsub("`[^`]*`", " ", paste(lines[!inside], collapse = " "))
  }, "")
  expect_identical(prose_with(retired_prose, prose), character())
})

# Functions of R, whoever has them, of C, and those that tests alone define.
test_that("functions and files that the proofs name are there", {
  pages <- list.files("../../inst/proofs", full.names = TRUE)
  skip_if_not(length(pages) > 0, "not in a checkout: there is no inst/proofs")
  lines_of <- function(files) unlist(lapply(files, readLines, encoding = "UTF-8"))
  named <- function(pattern) {
    found <- lapply(pages, function(page) unlist(regmatches(lines <- lines_of(page), gregexpr(pattern, lines))))
    unique(paste0(gsub("`", "", unlist(found)), " in ", rep(basename(pages), lengths(found))))
  }
  core <- lines_of(list.files("../../src", "\\.[ch]$", recursive = TRUE, full.names = TRUE))
  core <- gsub("(?s)/\\*.*?\\*/|//[^\n]*", " ", paste(core, collapse = "\n"), perl = TRUE)
  scripts <- lines_of(list.files(".", "\\.R$"))
  known <- c(unlist(regmatches(core, gregexpr("[A-Za-z_][A-Za-z0-9_]*(?=\\()", core, perl = TRUE))),
             sub("^ *([A-Za-z0-9_.]+) <- function.*", "\\1", grep("<- function", scripts, value = TRUE)))
  is_there <- function(name) name %in% known || exists(name, namespace, mode = "function")
  absent <- function(found, is_there) Filter(function(one) !is_there(sub("(\\(\\))? in .*", "", one)), found)
  functions <- named("`[A-Za-z][A-Za-z0-9_.]*\\(\\)`")
  expect_gt(length(functions), 500)
  expect_identical(absent(functions, is_there), character())
  files <- named("`(R|bench|inst|src|tests|tools)/[^` ]*`")
  expect_gt(length(files), 60)
  expect_identical(absent(files, function(file) length(Sys.glob(file.path("../..", file))) > 0), character())
})

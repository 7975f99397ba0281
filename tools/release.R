#!/usr/bin/env Rscript
# What a release lacks: each line names a piece that is missing and the file in which to write it. Run from the top of
# the checkout; nothing is installed or loaded. The exit status is 1 if anything is missing.
#
#   Rscript tools/release.R [NAME...]        private_sum; without a name every private_<what>() of R/
#
# Looks for the function, its export and call of release(), methods of its plans, examples, proof, tests, audit,
# recording, help, NEWS.md, reference, task and kind. test-privacy-examples.R evaluates the examples, and sees whether
# each of them was audited.

# Recipes have no kind for these: graphs are not tables, points on manifolds and people's diagrams are not columns,
# bounds come before a plan, a formula is no plain data, and a median is a quantile.
without_kind <- c("bounds", "cor", "curve_test", "degrees", "frechet_mean", "glm", "graph", "lm", "median")

# ---- what there is -----------------------------------------------------------------------------------------------

scripts <- list.files("R", "\\.R$", full.names = TRUE)
defined <- function(expression) {
  is_assignment <- is.call(expression) && identical(expression[[1]], as.name("<-")) && is.name(expression[[2]])
  if (is_assignment) as.character(expression[[2]]) else ""
}
expressions <- lapply(scripts, function(file) as.list(parse(file, keep.source = FALSE)))
home <- rep(scripts, lengths(expressions))
definitions <- do.call(c, expressions)
names(definitions) <- names(home) <- vapply(definitions, defined, "")
definitions <- definitions[nzchar(names(definitions))]
calls <- lapply(definitions, all.names)

read <- function(...) unlist(lapply(c(...), readLines, warn = FALSE, encoding = "UTF-8"))
has <- function(text, lines) any(grepl(text, lines, fixed = TRUE))
namespace <- read("NAMESPACE")
news <- read("NEWS.md")
tasks <- read("man/dptda-package.Rd")
proofs <- read(list.files("inst/proofs", full.names = TRUE))
tests <- read(list.files("tests/testthat", "^test-.*\\.R$", full.names = TRUE))
audits <- utils::read.csv("inst/audits/results/audits.csv")$mechanism
recordings <- sub("^## example: ", "", grep("^## example: ", read("tests/testthat/recordings.txt"), value = TRUE))
kinds <- names(definitions$recipe_kinds[[3]])[-1]
reference <- trimws(sub("^ *- ", "", grep("^ *- ", read("_pkgdown.yml"), value = TRUE)))
pages <- list.files("man", "\\.Rd$", full.names = TRUE)
aliases <- lapply(pages, function(page) gsub("^\\\\alias\\{|\\}$", "", grep("^\\\\alias\\{", read(page), value = TRUE)))
names(aliases) <- sub("\\.Rd$", "", basename(pages))


# A release charges a budget.
takes_budget <- function(name) {
  value <- definitions[[name]][[3]]
  identical(value[[1]], as.name("function")) && "budget" %in% names(value[[2]])
}
releases <- Filter(takes_budget, grep("^private_", names(definitions), value = TRUE))

# ---- plans -------------------------------------------------------------------------------------------------------

# All calls of a function within an expression.
calls_of <- function(name, expression) {
  if (!is.call(expression) && !is.pairlist(expression)) return(list())
  inside <- do.call(c, lapply(as.list(expression), function(part) calls_of(name, part)))
  if (identical(expression[1], as.call(list(as.name(name)))[1])) c(list(expression), inside) else inside
}

# Definitions that are reached from `from` by calls.
called_from <- function(from) {
  found <- left <- intersect(from, names(calls))
  while (length(left)) {
    left <- setdiff(intersect(unlist(calls[left]), names(calls)), found)
    found <- c(found, left)
  }
  found
}

example_methods <- grep("^example_of[.]", names(calls), value = TRUE)
called_by_examples <- lapply(stats::setNames(example_methods, example_methods), called_from)

# The classes of plans that have examples of a release: by methods of example_of() that call release_example(), or a
# function that does.
example_classes <- function(what) {
  is_example <- function(name) {
    any(vapply(calls_of("release_example", definitions[[name]]), function(call) identical(call[[2]], what), NA))
  }
  makers <- Filter(is_example, names(calls)[vapply(calls, function(all) "release_example" %in% all, NA)])
  sub("^example_of[.]", "", names(Filter(function(called) any(makers %in% called), called_by_examples)))
}

# What stands in code for the class of a plan: each c() or string, with the file where it stands.
class_calls <- unlist(lapply(names(calls)[vapply(calls, function(all) any(c("public_plan", "structure") %in% all), NA)],
  function(name) {
    structures <- lapply(calls_of("structure", definitions[[name]]), function(call) as.list(call)$class)
    is_plan <- vapply(structures, function(code) any(startsWith(as.character(code), "private_")), NA)
    found <- c(lapply(calls_of("public_plan", definitions[[name]]), `[[`, 2), structures[is_plan])
    lapply(found, function(code) list(code = code, by = name))
  }), recursive = FALSE)

# The classes that the code gives to a plan; what is known at run time alone is `known`.
class_of_plan <- function(code, known) {
  parts <- if (is.call(code) && identical(code[[1]], as.name("c"))) as.list(code)[-1] else list(code)
  unlist(lapply(parts, function(part) {
    if (is.character(part)) return(part)
    tryCatch(eval(part, list(name = known, paste0 = paste0), emptyenv()), error = function(cnd) known)
  }))
}

# The plans of a release, as their classes and the file in which they are made.
plans_of <- function(name, classes) {
  reached <- called_from(name)
  found <- list()
  for (one in class_calls) {
    for (known in classes) {
      plan <- class_of_plan(one$code, known)
      is_named <- any(c(name, classes) %in% class_of_plan(one$code, ""))
      if (is_named || any(startsWith(plan, name)) && one$by %in% reached) {
        found <- c(found, list(list(classes = plan, file = home[[one$by]])))
      }
    }
  }
  unique(found)
}

has_method <- function(generic, classes) any(paste0(generic, ".", c(classes, "default")) %in% names(definitions))

methods_missing <- function(plan) {
  wanted <- c("rows_for", "statistic_of", "draw_of", "result_of", "noise_of")
  own <- setdiff(plan$classes, "additive")
  if ("additive" %in% plan$classes && !has_method("noise_of", own)) wanted <- c(wanted, "noise_target")
  missing <- Filter(function(generic) !has_method(generic, plan$classes), wanted)
  if (length(missing)) paste0("a method: write ", missing, ".", plan$classes[1], "() in ", plan$file)
}

# ---- what is missing ---------------------------------------------------------------------------------------------

lacks <- function(name) {
  what <- sub("^private_", "", name)
  if (!name %in% releases) {
    return(paste0("a definition with the argument `budget`: write it in R/<family>-", what, ".R"))
  }
  file <- home[[name]]
  # another release with an argument that is given, such as a median
  is_short <- any(setdiff(releases, name) %in% calls[[name]])
  said <- character()
  need <- function(there, ...) if (!any(there)) said <<- c(said, paste0(...))
  need(is_short || "release" %in% unlist(calls[called_from(name)]), "a call of release(): write it in ", file)
  need(paste0("export(", name, ")") %in% namespace, "an export: write #' @export in ", file, ", then `make document`")
  need(has(paste0("`", name, "("), news), "a line with `", name, "()`: write one in NEWS.md")
  page <- names(aliases)[vapply(aliases, function(known) name %in% known, NA)]
  need(length(page), "help: write #' comments in ", file, ", then `make document`")
  need(!length(page) || any(c(page, unlist(aliases[page])) %in% reference),
       "a place in the reference: write it in _pkgdown.yml")
  need(has(paste0("\\link[=", name, "]"), tasks), "a task: run `make document`, which takes it from the kind, ",
       "or write [", name, "()] in R/dptda-package.R")
  need(has(paste0(name, "("), tests), "a test: write one in ", sub("^R/", "tests/testthat/test-", file))
  need(what %in% c(kinds, without_kind), "a kind of recipes: write one in recipe_kinds of R/front-kinds.R, or its ",
       "name in `without_kind` of tools/release.R")
  if (is_short) return(said)

  need(has(name, read("man/private_release.Rd")), "a place in man/private_release.Rd: run `make document`")
  need(has(paste0(name, "("), proofs), "a proof that names it: write one in inst/proofs/",
       sub("^R/(.*)R$", "\\1md", file))
  classes <- example_classes(what)
  need(length(classes), "an example: write release_example(\"", what, "\", ...) in example_of.", name, "() of ", file)
  plans <- plans_of(name, if (length(classes)) classes else name)
  need(length(plans), "a plan: write public_plan(\"", name, "\", ...) in ", file)
  said <- c(said, unlist(lapply(plans, methods_missing)))
  is_of <- function(example) example == name | startsWith(example, paste0(name, "("))
  need(is_of(audits), "an audit: run Rscript inst/audits/audits.R 20000 '", name, "', which writes ",
       "inst/audits/results/audits.csv")
  need(is_of(recordings), "a recording: run the stem recordings with DPTDA_RECORD=true, which writes ",
       "tests/testthat/recordings.txt")
  unique(said)
}

asked <- commandArgs(TRUE)
asked <- if (length(asked)) ifelse(startsWith(asked, "private_"), asked, paste0("private_", asked)) else releases
said <- lapply(stats::setNames(asked, asked), lacks)
faults <- sprintf("%s lacks %s", rep(names(said), lengths(said)), as.character(unlist(said)))
unknown <- setdiff(c(kinds, without_kind), sub("^private_", "", releases))
if (length(unknown)) faults <- c(faults, paste0(unknown, " is a kind of recipes or without one, and is not a release"))
if (length(faults)) {
  writeLines(faults)
  quit(status = 1)
}
cat(length(asked), if (length(asked) == 1) "release lacks" else "releases lack", "nothing\n")

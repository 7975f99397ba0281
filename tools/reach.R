#!/usr/bin/env Rscript
# The tests that a change reaches: their stems, one a line, those that it reaches most first. Run from the top of the
# checkout:
#
#   Rscript tools/reach.R [BASE] [--exports FILE]     BASE is a commit; what is changed since then, committed or not
#
# FILE receives the exports and S3 methods that the change reaches, for tests that take one export after the other
# (DPTDA_TEST_EXPORTS). It stays empty, which means all of them, if a file of tests changed or nobody can tell.
#
# Without BASE it is DPTDA_BASE, or where HEAD left the main branch, of the remote where there is one. Where neither is
# there, or HEAD is that branch, nobody can tell the change: every stem is printed, and those whose files the last
# commits touched come first. What was done is said on the standard error.
#
# A change reaches a test by names. In C it goes from a file to those that include it, and on to the .c file with the
# functions of a header; from a file of entry points to what of R calls one of them. In R it goes from a definition that
# changed to those that use it, a method being used by whoever names its class. It ends at the tests that use such a
# definition, themselves or by a helper. Of all other files it reaches the tests that name them.

arguments <- commandArgs(TRUE)
at <- match("--exports", arguments)
exports_file <- if (!is.na(at)) arguments[at + 1]
if (!is.na(at)) {
  arguments <- arguments[-(at + 0:1)]
  invisible(file.create(exports_file))
}
git <- function(...) {
  said <- suppressWarnings(system2("git", shQuote(c(...)), stdout = TRUE, stderr = FALSE))
  if (is.null(attr(said, "status"))) said
}
say <- function(...) message("tools/reach.R: ", ...)
stem_of <- function(file) sub("\\.[chR]$", "", basename(file))

folder <- "tests/testthat"
test_files <- list.files(folder, "^test-.*\\.R$", full.names = TRUE)
all_stems <- sub("^test-", "", stem_of(test_files))
helper_files <- list.files(folder, "^helper-.*\\.R$", full.names = TRUE)

# ---- what changed ------------------------------------------------------------------------------------------------

base_of <- function() {
  asked <- c(arguments, Sys.getenv("DPTDA_BASE"))
  asked <- asked[nzchar(asked)][1]
  if (!is.na(asked)) {
    if (is.null(git("rev-parse", "--verify", "--quiet", paste0(asked, "^{commit}")))) stop("there is no commit ", asked)
    return(git("merge-base", "HEAD", asked))
  }
  for (branch in c("origin/main", "origin/master", "main", "master")) {
    base <- git("merge-base", "HEAD", branch)
    if (length(base) && !(identical(base, git("rev-parse", "HEAD")) &&
                          !length(git("status", "--porcelain")))) return(base)
  }
  NULL
}

# test-memory*.R take every kernel through small data: where time is short, nothing else watches as much memory.
dense_first <- function(stems) stems[order(!grepl("^memory", stems))]

everything <- function() {
  touched <- git("log", "-n", "60", "--name-only", "--format=")
  words <- sub("^(test|ffi|helper)-", "", stem_of(touched))
  times <- vapply(all_stems, function(stem) sum(words == stem), 0L)
  writeLines(dense_first(all_stems[order(-times, all_stems)]))
  quit(status = 0)
}

base <- base_of()
if (is.null(base)) {
  say("what changed cannot be told: every stem")
  everything()
}
changed <- unique(c(git("diff", "--name-only", "--no-renames", base),
                    git("ls-files", "--others", "--exclude-standard")))
say(length(changed), " files changed since ", substr(base, 1, 10))

# What is compiled otherwise may be wrong anywhere. The lists of objects and headers are no change of their own.
if ("src/Makevars" %in% changed) {
  lines <- grep("^[+-][^+-]", git("diff", base, "--", "src/Makevars"), value = TRUE)
  if (!all(grepl("^[+-]  (core/)?[a-z0-9-]+\\.[oh]( \\\\)?$", lines))) everything()
}

# ---- C: the entry points that a changed file reaches -----------------------------------------------------------------

sources <- list.files(c("src", "src/core"), "\\.[ch]$", full.names = TRUE)
included <- lapply(stats::setNames(sources, sources), function(file) {
  lines <- grep("^ *# *include *\"", readLines(file), value = TRUE)
  sources[basename(sources) %in% sub("^[^\"]*\"([^\"]*)\".*$", "\\1", lines)]
})
# What a .c file computes is used through its header.
own_header <- function(file) intersect(sub("\\.c$", ".h", file), sources)
users <- function(file) unique(c(names(included)[vapply(included, function(to) file %in% to, NA)], own_header(file)))

# Entry points are listed in ffi.h, and files that share no more than the boundary's own do not reach each other by
# them.
lists <- c("src/ffi.h", "src/init.c")
reached_sources <- function(file) {
  found <- file
  left <- file
  while (length(left)) {
    left <- setdiff(unlist(lapply(left, users)), c(found, lists))
    found <- c(found, left)
  }
  found
}
entry_points <- function(files) {
  files <- grep("^src/ffi-.*\\.c$", files, value = TRUE)
  lines <- unlist(lapply(files[file.exists(files)], readLines))
  sub("^SEXP (ffi_[a-z0-9_]+)\\(.*$", "\\1", grep("^SEXP ffi_[a-z0-9_]+\\(", lines, value = TRUE))
}

# ---- R: from definitions to those that use them ----------------------------------------------------------------------

defined <- function(expression) {
  is_assignment <- is.call(expression) && as.character(expression[[1]])[1] %in% c("<-", "=")
  if (is_assignment && is.name(expression[[2]])) as.character(expression[[2]]) else NA_character_
}

# Every name and every text in an expression: texts name classes and files.
words_of <- function(expression) {
  collect <- function(part) {
    if (is.name(part) || is.character(part)) return(as.character(part))
    if (is.call(part) || is.pairlist(part) || is.expression(part)) lapply(as.list(part), collect)
  }
  as.character(unique(unlist(collect(expression))))
}

parsed <- function(text) tryCatch(as.list(parse(text = text, keep.source = FALSE)), error = function(cnd) list())
# A list: the expressions of a file, by the name that each defines, or by "file" where it defines none.
definitions_in <- function(text, file) {
  expressions <- parsed(text)
  names <- vapply(expressions, defined, "")
  stats::setNames(expressions, ifelse(is.na(names), file, names))
}

code_files <- c(list.files("R", "\\.R$", full.names = TRUE), helper_files)
now <- lapply(stats::setNames(code_files, code_files),
              function(file) definitions_in(readLines(file, warn = FALSE), file))
definitions <- do.call(c, unname(now))
words <- lapply(definitions, words_of)
words <- tapply(words, names(words), function(several) unique(unlist(several)), simplify = FALSE)

changed_definitions <- function(file) {
  before <- definitions_in(if (is.null(text <- git("show", paste0(base, ":", file)))) character() else text, file)
  after <- if (file.exists(file)) definitions_in(readLines(file, warn = FALSE), file) else list()
  same <- function(name) identical(unname(before[names(before) == name]), unname(after[names(after) == name]))
  Filter(function(name) !same(name), unique(c(names(before), names(after))))
}

# Generics, as NAMESPACE has them: a method f.class is used by whoever writes the word `class`.
methods <- grep("^S3method\\(", readLines("NAMESPACE"), value = TRUE)
methods <- strsplit(gsub("^S3method\\(\"?|\"?\\)$", "", methods), "\"?,\"?")
classes <- stats::setNames(vapply(methods, `[`, "", 2),
                           vapply(methods, function(method) paste(method[1:2], collapse = "."), ""))
internal <- grep("^[a-z_]+_of\\.|^[a-z_]+\\.dptda_", names(words), value = TRUE)
internal <- setdiff(internal, names(classes))
classes <- c(classes, stats::setNames(sub("^[a-z_]+\\.", "", internal), internal))
called_as <- function(name) if (name %in% names(classes)) unique(c(name, classes[[name]],
                                                                   sub("^dptda_", "", classes[[name]]))) else name

index <- split(rep(names(words), lengths(words)), unlist(words))
reached_definitions <- function(names) {
  found <- names
  left <- names
  while (length(left)) {
    asked <- unlist(lapply(left, called_as))
    left <- setdiff(unlist(index[intersect(asked, names(index))]), found)
    found <- c(found, left)
  }
  unique(unlist(lapply(found, called_as)))
}

# ---- tests -----------------------------------------------------------------------------------------------------------

test_words <- lapply(stats::setNames(test_files, all_stems),
                     function(file) words_of(as.expression(parsed(readLines(file, warn = FALSE)))))
naming <- function(file) {
  # a text that names a file names its last part at least
  name <- basename(file)
  holds <- function(words) any(endsWith(as.character(words), name))
  helpers <- names(Filter(holds, words))
  unique(c(names(Filter(holds, test_words)), stems_using(reached_definitions(helpers))))
}
stems_using <- function(names) names(Filter(function(words) any(names %in% words), test_words))

# The stems that one changed thing reaches.
reach_of_source <- function(file) {
  calls <- entry_points(reached_sources(file))
  direct <- names(Filter(function(w) any(calls %in% w), words))
  near <<- c(near, direct)
  unique(c(stems_using(calls), stems_using(reached_definitions(direct))))
}
reach <- list()
near <- character() # definitions that changed, or that call what changed in C
for (file in changed) {
  if (grepl("^tests/testthat/test-.*\\.R$", file)) {
    reach[[file]] <- sub("^test-", "", stem_of(file))
  } else if (grepl("^tests/testthat/_snaps/.*\\.md$", file)) {
    reach[[file]] <- sub("\\.md$", "", basename(file))
  } else if (grepl("^(R|tests/testthat)/.*\\.R$", file)) {
    for (name in changed_definitions(file)) {
      near <- c(near, name)
      reach[[paste(file, name)]] <- stems_using(reached_definitions(name))
    }
  } else if (file %in% lists) {
    next
  } else if (grepl("^src/.*\\.[ch]$", file)) {
    reach[[file]] <- if (file.exists(file)) reach_of_source(file) else all_stems
  } else {
    reach[[file]] <- naming(file)
  }
}

# Exports and methods are reached by calls, and a method by whatever makes objects of its class, since most texts that
# name a function are words of a message. A method for a class of R's is reached by its generic.
of_r <- do.call(c, unname(now[startsWith(code_files, "R/")]))
callers <- lapply(of_r, all.names)
callers <- split(rep(names(callers), lengths(callers)), unlist(callers))
left <- near <- unique(near)
while (length(left)) {
  class <- classes[intersect(left, names(classes))]
  is_ours <- class != "default" & !vapply(class, exists, NA, envir = baseenv())
  generic <- sub("[.][^.]*$", "", names(class)[!is_ours])
  left <- setdiff(intersect(unlist(c(callers[c(left, generic)], index[class[is_ours]])), names(of_r)), near)
  near <- c(near, left)
}
if (!is.null(exports_file) && !any(startsWith(changed, folder))) {
  namespace <- grep("^export\\(", readLines("NAMESPACE"), value = TRUE)
  exports <- gsub("^export\\(\"?|\"?\\)$", "", namespace)
  writeLines(intersect(c(exports, names(classes)), near), exports_file)
}

# First the tests of the files that changed, then those of all releases if it reaches one, then those that name most of
# what it reaches by calls, then those that most of the changes reach by any name.
times <- table(factor(unlist(reach), all_stems))
own <- sub("^(test|ffi)-", "", stem_of(changed))
stands_beside <- vapply(all_stems, function(stem) any(own == stem | startsWith(own, paste0(stem, "-"))), NA)
takes_all <- all_stems %in% c("errors", "privacy-examples") & any(startsWith(near, "private_"))
named <- vapply(test_words, function(words) sum(near %in% words), 0L)
order <- order(!stands_beside, !takes_all, -named, -times[all_stems], all_stems)
stems <- all_stems[order][times[all_stems[order]] > 0 | (stands_beside | takes_all)[order]]
say(length(stems), " of ", length(all_stems), " stems are reached")
writeLines(if (any(startsWith(changed, "src/"))) dense_first(stems) else stems)

#!/usr/bin/env Rscript
# Makes the pages that pkgdown wrote stand by themselves, so that they can be read from files, without a network:
#
#   Rscript tools/site-offline.R FOLDER
#
# Scripts and styles of other servers go, and pkgdown's own script, which needs them: pkgdown/extra.js does what it did.
# Formulas become MathML, which browsers draw without a script. The index of the search becomes a script, as a browser
# does not let a page read a file. Links to help pages of R stay. In the list of functions, methods come last. On a help
# page, examples come directly below the description.

folder <- commandArgs(TRUE)
stopifnot(length(folder) == 1, file.exists(file.path(folder, "index.html")))
pages <- list.files(folder, "[.]html$", recursive = TRUE, full.names = TRUE)

text_of <- function(file) paste(readLines(file, warn = FALSE, encoding = "UTF-8"), collapse = "\n")
write_text <- function(text, file) writeLines(enc2utf8(text), file, useBytes = TRUE)
without <- function(text, pattern) gsub(paste0("(?s)", pattern), "", text, perl = TRUE)

# --- what comes from elsewhere -------------------------------------------------------------------

stand_alone <- function(text) {
  text <- without(text, "<!--\\[if lt IE 9\\]>.*?<!\\[endif\\]-->")
  text <- without(text, "<script[^>]*\\ssrc=\"(https?:|file:|//)[^\"]*\"[^>]*></script>\\s*")
  text <- without(text, "<link[^>]*\\shref=\"(https?:|//)[^\"]*\"[^>]*rel=\"stylesheet\"[^>]*>\\s*")
  text <- without(text, "<link[^>]*rel=\"stylesheet\"[^>]*\\shref=\"(https?:|//)[^\"]*\"[^>]*>\\s*")
  text <- without(text, "<script[^>]*\\ssrc=\"[^\"]*pkgdown[.]js\"[^>]*></script>\\s*")
  text <- without(text, "<script[^>]*\\ssrc=\"[^\"]*katex-auto[.]js\"[^>]*></script>\\s*")
  without(text, "<!-- (mathjax|headroom.js|clipboard.js|search|bootstrap-toc|Font Awesome icons|pkgdown) -->\\s*")
}

# --- formulas ------------------------------------------------------------------------------------

# Text of a page in pieces: code and scripts, where nothing is a formula, and what is between them.
in_pieces <- function(text) {
  fixed <- gregexpr("(?s)<(pre|code|script|style|title)\\b.*?</\\1>", text, perl = TRUE)[[1]]
  list(between = regmatches(text, list(fixed), invert = TRUE)[[1]],
       fixed = if (fixed[1] > 0) regmatches(text, list(fixed))[[1]])
}

formula_pattern <- "(?s)\\\\\\(.+?\\\\\\)|\\\\\\[.+?\\\\\\]"

unescaped <- function(x) {
  x <- gsub("&lt;", "<", gsub("&gt;", ">", x, fixed = TRUE), fixed = TRUE)
  gsub("&amp;", "&", gsub("&quot;", "\"", x, fixed = TRUE), fixed = TRUE)
}

# Converts all formulas of all pages in one run of pandoc, one per paragraph.
as_mathml <- function(formulas) {
  inside <- gsub("\\s+", " ", trimws(substr(unescaped(formulas), 3, nchar(unescaped(formulas)) - 2)))
  # pandoc has no \bigl and \Bigl without a fence behind them, and none is lost without
  inside <- gsub("\\\\[bB]ig[lr]?(?![a-z])", "", inside, perl = TRUE)
  mark <- ifelse(startsWith(formulas, "\\["), "$$", "$")
  source <- tempfile(fileext = ".md")
  write_text(paste0(mark, inside, mark, "\n"), source)
  made <- paste(system2("pandoc", c("-f", "markdown", "-t", "html", "--mathml", "--wrap=none", source), stdout = TRUE),
                collapse = "\n")
  found <- regmatches(made, gregexpr("(?s)<math\\b.*?</math>", made, perl = TRUE))[[1]]
  if (length(found) != length(formulas)) stop("pandoc could not read all formulas")
  Encoding(found) <- "UTF-8"
  without(found, "<annotation.*?</annotation>")
}

texts <- lapply(pages, function(page) stand_alone(text_of(page)))
pieces <- lapply(texts, in_pieces)
formulas <- unique(unlist(lapply(pieces, function(piece) {
  unlist(regmatches(piece$between, gregexpr(formula_pattern, piece$between, perl = TRUE)))
})))
drawn <- if (length(formulas)) as_mathml(formulas)

with_formulas <- function(piece) {
  between <- piece$between
  found <- gregexpr(formula_pattern, between, perl = TRUE)
  regmatches(between, found) <- lapply(regmatches(between, found), function(here) drawn[match(here, formulas)])
  paste0(between, c(piece$fixed, ""), collapse = "")
}

# --- the list of functions -----------------------------------------------------------------------

# <dt> has the functions of a page in the order of their usages, which is the order of files.
functions_first <- function(text) {
  lists <- gregexpr("(?s)<dt>.*?</dt>", text, perl = TRUE)
  regmatches(text, lists) <- lapply(regmatches(text, lists), function(items) {
    vapply(items, function(item) {
      each <- regmatches(item, gregexpr("(?s)<code>.*?</code>", item, perl = TRUE))[[1]]
      if (length(each) < 2) return(item)
      method <- grepl("<i>", each, fixed = TRUE)
      paste0("<dt>\n", paste(each[order(method)], collapse = " "), "\n</dt>")
    }, "", USE.NAMES = FALSE)
  })
  text
}

# --- help pages ----------------------------------------------------------------------------------

# Examples are the last section of a page. They go in front of the first section below the description.
examples_first <- function(text) {
  place <- function(pattern) regexpr(pattern, text, perl = TRUE)[1]
  section <- "<div class=\"section level2\">\\s*"
  first <- place(section)
  examples <- place(paste0(section, "<h2 id=\"ref-examples\">"))
  end <- place("</main>")
  if (examples < 0 || examples == first || end < examples) return(text)
  paste0(substr(text, 1, first - 1), substr(text, examples, end - 1), substr(text, first, examples - 1),
         substring(text, end))
}

for (i in seq_along(pages)) {
  text <- with_formulas(pieces[[i]])
  text <- examples_first(text)
  if (endsWith(pages[i], "reference/index.html")) text <- functions_first(text)
  write_text(text, pages[i])
}

# --- search --------------------------------------------------------------------------------------

entries <- file.path(folder, "search.json")
index <- jsonlite::read_json(entries)
index <- index[lengths(lapply(index, `[[`, "path")) > 0] # some of pkgdown's are empty
write_text(paste0("window.site_index = ", jsonlite::toJSON(index, auto_unbox = TRUE), ";"),
           file.path(folder, "search.js"))
unlink(c(entries, file.path(folder, "pkgdown.js")))
# left by examples that open devices
unlink(list.files(file.path(folder, "reference"), "^Rplot[0-9]*[.](png|pdf)$", full.names = TRUE))
cat(length(pages), "pages stand by themselves, with", length(formulas), "formulas\n")

#!/usr/bin/env Rscript
# No line is too long to be read: 120 columns in R/, tests/, tools/, bench/, checks/ and the scripts of inst/; 80 in
# what people read on a page, which are the code of vignettes and of README.md and the examples of roxygen. Run from the
# top of the checkout:
#
#   Rscript tools/lines.R [FILE...]
#
# Each line that is longer is named, and is a failure. A line that is one address or one quoted text is as long as
# that is.

named <- commandArgs(TRUE)


columns <- function(lines) nchar(lines, type = "width", allowNA = TRUE)
# One word that cannot be cut: an address or a path.
uncut <- function(lines) !grepl("\\S\\s+\\S", sub("^\\s*(#'?|//|\\*|-)?\\s*", "", lines))

too_long <- function(file, lines, shown, limit) {
  wide <- columns(lines)
  bad <- which(shown & !is.na(wide) & wide > limit & !uncut(lines))
  data.frame(file = rep(file, length(bad)), line = bad, columns = wide[bad], limit = rep(limit, length(bad)))
}

in_code <- function(file) {
  lines <- readLines(file, warn = FALSE, encoding = "UTF-8")
  found <- too_long(file, lines, rep(TRUE, length(lines)), 120)
  if (startsWith(file, "R/")) found <- rbind(found, in_examples(file, lines))
  found
}

# Examples go from @examples or @examplesIf to the next tag or the end of the block.
in_examples <- function(file, lines) {
  roxygen <- grepl("^#'", lines)
  tag <- ifelse(roxygen & grepl("^#' @[a-zA-Z]", lines), sub("^#' @([a-zA-Z]+).*$", "\\1", lines), NA)
  within <- FALSE
  shown <- logical(length(lines))
  for (i in seq_along(lines)) {
    if (!roxygen[i]) within <- FALSE
    else if (!is.na(tag[i])) within <- tag[i] %in% c("examples", "examplesIf")
    shown[i] <- within
  }
  text <- sub("^#' ?", "", lines)
  too_long(file, text, shown, 80)
}

# With the line that opens a chunk: long options stand below it, behind `#|`.
in_fences <- function(file) {
  lines <- readLines(file, warn = FALSE, encoding = "UTF-8")
  fence <- grepl("^\\s*```", lines)
  too_long(file, lines, cumsum(fence) %% 2 == 1, 80)
}

listing <- function(folder, pattern) list.files(folder, pattern, recursive = TRUE, full.names = TRUE)
code <- c(listing("R", "\\.R$"), listing("tests", "\\.R$"), listing("tools", "\\.(R|sh|py)$"),
          listing("bench", "\\.R$"), listing("checks", "\\.(c|h|py|sh|v|md)$"),
          listing("inst", "\\.R$"), ".ci/run")
pages <- c(listing("vignettes", "\\.Rmd$"), "README.md")
if (length(named)) {
  code <- intersect(code, named)
  pages <- intersect(pages, named)
}
found <- do.call(rbind, c(lapply(code, in_code), lapply(pages, in_fences)))
cat(sprintf("%s:%d: %d columns, and %d are the most\n", found$file, found$line, found$columns, found$limit), sep = "")
quit(status = if (nrow(found)) 1 else 0)

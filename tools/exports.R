#!/usr/bin/env Rscript
# Lists exports that no page shows. README.md, the vignettes, and the articles of the site show each function once, as a
# call. An export that fits on no page has no task of its own. Run from the top of the checkout; nothing is installed or
# loaded. The exit status is 1 if an export is not shown, or if there are more than `most`.
#
#   Rscript tools/exports.R

# compare_groups(), independence_test(): questions about released tables. private_cor(): its own plan of the budget.
# private_lm(), private_glm(): models. curve_landscape(), curve_betti(), curve_life(), diagram_curve(), private_curve(),
# curve_radius(), private_curve_test(), power_curve_test(): one diagram per person
most <- 126

namespace <- readLines("NAMESPACE")
exports <- gsub("^export\\(\"?|\"?\\)$", "", grep("^export\\(", namespace, value = TRUE))
pages <- c("README.md", list.files("vignettes", "\\.Rmd$", full.names = TRUE, recursive = TRUE))
text <- unlist(lapply(pages, readLines, warn = FALSE, encoding = "UTF-8"))

is_shown <- function(name) any(grepl(paste0("(?<![[:alnum:]_.])\\Q", name, "\\E\\("), text, perl = TRUE))
hidden <- Filter(Negate(is_shown), exports)
if (length(hidden)) {
  writeLines(paste0(hidden, "(): show it in README.md or in a vignette, or do not export it"))
}
if (length(exports) > most) {
  writeLines(paste0(length(exports), " exports are more than ", most, ": leave out what has no task of its own"))
}
writeLines(paste(length(exports), "exports,", length(hidden), "not shown"))
quit(status = length(hidden) > 0 || length(exports) > most)

# Proof pages name the theorems of checks/rocq that state their lemmas in Rocq. checks/rocq.sh compiles these.

lines_of <- function(file) readLines(file, encoding = "UTF-8", warn = FALSE)
all_matches <- function(text, pattern) unlist(regmatches(text, gregexpr(pattern, text)))

# The theorems that a page names: (Rocq: `name`, `name`).
named_theorems <- function(page) {
  text <- paste(lines_of(page), collapse = " ")
  gsub("`", "", all_matches(all_matches(text, "Rocq: [^)]*[)]"), "`[a-z0-9_]+`"))
}

test_that("pages name all theorems of their lemmas in Rocq, and no others", {
  folder <- checkout_file("checks", "rocq")
  skip_if(is.null(folder), "the lemmas are not part of a built package")
  files <- list.files(folder, "\\.v$", full.names = TRUE)
  expect_gte(length(files), 10)
  theorems <- lapply(files, function(file) {
    sub("^Theorem (\\w+).*$", "\\1", grep("^Theorem", lines_of(file), value = TRUE))
  })
  names(theorems) <- sub("\\.v$", "", basename(files))
  pages <- list.files(system.file("proofs", package = "dptda"), "\\.md$", full.names = TRUE)
  named <- lapply(pages, named_theorems)
  names(named) <- basename(pages)
  expect_setequal(unlist(named, use.names = FALSE), unlist(theorems, use.names = FALSE))
  expect_identical(anyDuplicated(unlist(theorems)), 0L)
  # the head of a file names the pages
  for (i in seq_along(files)) {
    head <- sub("[*][)].*$", "", paste(lines_of(files[i]), collapse = " "))
    naming <- names(named)[vapply(named, function(page) any(page %in% theorems[[i]]), NA)]
    expect_setequal(all_matches(head, "[a-z-]+[.]md"), naming)
  }
  # no lemma rests on more than the axioms of the real numbers
  assumed <- strsplit(lines_of(file.path(folder, "assumptions.txt")), " ", fixed = TRUE)
  expect_identical(split(vapply(assumed, `[`, "", 2), vapply(assumed, `[`, "", 1)), theorems)
  axioms <- c("classic", "functional_extensionality_dep", "sig_forall_dec", "sig_not_dec")
  expect_true(all(unlist(lapply(assumed, `[`, -(1:2))) %in% c("closed", axioms)))
})

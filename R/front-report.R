# The privacy statement: one page about the charges of a budget, for readers who will never run R.

#' Privacy statement of a budget, on one page
#'
#' `privacy_report()` writes a privacy statement of one page, for a data protection officer or the appendix of a paper.
#' The page names the protected unit, the guarantee, every release with its cost, the total and the remaining budget,
#' and everything that is not protected.
#'
#' The page uses only the budget or the guarantees, and is as public as the releases. It does not list releases that
#' were not charged to the budget, and it says so. A budget stores only the names of releases. Give a list of releases
#' to show their columns and public bounds, as far as their guarantees contain them.
#'
#' @param x A [privacy_budget()] with at least one charge, a release, a guarantee ([privacy()]), or a list of releases
#'   and guarantees, which are added up ([privacy_compose()]).
#' @param file A string: the path of a file that ends in `.html`, `.md`, or `.txt`. No other package is needed. To get a
#'   PDF, print the HTML page from a browser.
#' @param ... Not used. Later arguments must be named.
#' @param title,data,contact Strings: the title of the page, a description of the data, and the person or office
#'   responsible. `NULL` omits an entry, or for `data` uses the name of the file that [recipe_release()] read.
#' @param delta One number in (0, 1): the delta at which the total is stated as an epsilon, if the total is not pure.
#'
#' @return The path, invisibly.
#' @seealso [privacy_budget()], [release_files()]
#' @examples
#' budget <- privacy_budget(epsilon = 1)
#' box <- domain_box(c(age = 15), c(age = 50))
#' release <- private_mean(infert, box, epsilon = 0.5, budget = budget)
#' file <- tempfile(fileext = ".md")
#' privacy_report(budget, file, data = "248 women of a study of infertility")
#' writeLines(readLines(file))
#' @export
privacy_report <- function(x, file, ..., title = "Privacy statement", data = NULL, contact = NULL, delta = 1e-6) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x", "a budget, a release, or a list of releases")
  parts <- reported_guarantees(x)
  guarantee <- if (length(parts) == 1) parts[[1]] else do.call(privacy_compose, parts, quote = TRUE)
  if (missing(file)) stop_missing("file", "where the page is written, as \"privacy.html\"")
  write <- report_writer(file)
  for (arg in c("title", "data", "contact")) {
    value <- list(title = title, data = data, contact = contact)[[arg]]
    if (!is.null(value) && !is_one_string(value)) stop_argument(arg, "must be a string, not ", describe(value), ".")
  }
  delta <- check_number(delta, 0, 1, open_lower = TRUE, open_upper = TRUE)
  budget <- if (inherits(x, "dptda_budget")) x
  if (is.null(data)) data <- tables_of(parts)
  write(report_blocks(guarantee, parts, budget, title, data, contact, delta), file)
  invisible(file)
}

reported_guarantees <- function(x) {
  if (!is.list(x) || is.object(x)) return(list(as_guarantee(x, "x")))
  if (!length(x)) stop_argument("x", "must have at least one release.")
  unname(lapply(x, as_guarantee, "x"))
}

# Names of the tables in releases, or NULL if they have none.
tables_of <- function(guarantees) {
  tables <- unique(unlist(lapply(guarantees, function(one) one$public$table)))
  if (length(tables)) toString(tables)
}

report_writer <- function(file) {
  ending <- if (is_one_string(file) && !is.object(file)) tolower(sub("^.*[.]", "", file)) else ""
  known <- list(html = write_html, htm = write_html, md = write_markdown, txt = write_markdown)
  if (!ending %in% names(known)) {
    stop_argument("file", "must be a path that ends in .html, .md or .txt, not ", describe(file), ".")
  }
  if (!dir.exists(dirname(file))) {
    stop_argument("file", "must be in an existing folder, and ", encodeString(dirname(file), quote = "\""),
                  " is not a folder.")
  }
  known[[ending]]
}

# ---- content -----------------------------------------------------------------------------------------------------

# Blocks of the page: strings for `h1`, `h2`, and `p`, several strings for `li`, and a data frame for `table`.
report_blocks <- function(guarantee, parts, budget, title, data, contact, delta) {
  block <- function(kind, value) list(kind = kind, value = value)
  about <- c(if (!is.null(data)) c(Data = data), if (!is.null(contact)) c(Contact = contact),
             Date = format(Sys.Date()), Software = paste("R package dptda", utils::packageVersion("dptda")))
  list(
    block("h1", title),
    block("p", paste0(names(about), ": ", about, collapse = "; ")),
    block("h2", "Who is protected"), block("p", unit_sentences(guarantee)),
    block("h2", "Guarantee"), block("p", promise_sentences(guarantee, delta)),
    if (!is.null(budget)) block("p", budget_sentence(budget)),
    block("h2", "Releases"), block("table", report_table(parts)),
    block("h2", "What is not protected"), block("li", unprotected(guarantee, budget))
  )
}

unit_sentences <- function(guarantee) {
  person <- guarantee$person
  what <- switch(guarantee$relation,
    "replace one row, n public" = "that row is replaced by any other, and the number of rows is public",
    "add or remove one row" = "that row is added or removed",
    "add or remove one edge, vertices public" = "that edge is added or removed, and the vertices are public"
  )
  if (!is.null(person)) {
    what <- "all rows of that person are replaced by any number of others, and the number of people is public"
  }
  who <- if (is.null(person)) guarantee$unit else {
    paste0("one person, with all rows that have the same ", quote_person(person, "\""))
  }
  paste0("The unit of protection is ", who, ". Two data sets are neighbors if they differ in one of them: ", what, ".",
         if (guarantee$unit == "one row" && is.null(person)) {
           paste(" A person with k rows has less protection: epsilon is at least k times as large, mu k times,",
                 "and rho k^2 times.")
         })
}

promise_sentences <- function(guarantee, delta) {
  total <- guarantee$measure
  pure <- identical(names(total), "epsilon")
  epsilon <- if (pure) total[["epsilon"]] else {
    value_or(privacy_convert(guarantee, "epsilon", delta = delta)$measure[["epsilon"]], NA)
  }
  loss <- if (is.finite(epsilon)) {
    paste0("Replacing the data of one unit by other data makes no result, and no conclusion from it, more than ",
           format(exp(epsilon), digits = 3, big.mark = ",", decimal.mark = "."),
           " times more or less likely",
           if (!pure) paste0(", except with a probability of at most ", format(delta)), ".")
  }
  paste(c(paste0("The guarantee of all releases together is ", format_measure(total), "."),
          if (!pure && is.finite(epsilon)) {
            paste0("That is epsilon = ", format(epsilon, digits = 4), " at delta = ", format(delta), ".")
          }, loss, "This holds regardless of other knowledge and of any computation with the releases."),
        collapse = " ")
}

budget_sentence <- function(budget) {
  words <- function(amount) budget_words(list(measure = budget$measure), amount)
  paste0("The budget is ", words(budget$total), ", and ", words(budget$spent), " is spent",
         if (length(budget$total) == 2) paste0(" (", budget$composition, " composition)"), ".",
         if (budget$unit_rows > 1) paste0(" It protects ", format_count(budget$unit_rows), " rows together."))
}

# The table of releases. Equal releases share a line.
report_table <- function(guarantees) {
  ledger <- do.call(rbind, lapply(guarantees, function(one) {
    ledger <- as.data.frame(one$ledger)
    about <- about_public(one$public)
    if (!is.null(about)) ledger$step <- paste0(ledger$step, ": ", about)
    ledger
  }))
  key <- paste(ledger$step, ledger$measure, ledger$value, sep = "\r")
  first <- !duplicated(key)
  data.frame(release = ledger$step[first], times = as.vector(table(factor(key, unique(key)))),
             cost = paste(ledger$measure[first], "=", vapply(ledger$value[first], format, "", digits = 4)))
}

unprotected <- function(guarantee, budget) {
  seeded <- identical(guarantee$random, "R") || any(grepl("NOT PRIVATE", guarantee$ledger$step, fixed = TRUE))
  known <- value_or(guarantee$public$caveat, NULL)
  c(if (seeded) "SEEDED: some releases were drawn from a generator that can be repeated, and are NOT PRIVATE.",
    if (is_one_string(known)) paste0(known, "."),
    paste("Inputs declared as public: the number of rows or people, and the bounds, levels, grids, and settings of",
          "each release. They must not have been read from the data."),
    paste("Facts about groups: conclusions about everybody also apply to the people in the data."),
    if (is.null(getOption("dptda.release_time"))) {
      "Running time, memory and power of the computer on which the releases were made."
    } else {
      "Memory and power of the computer on which the releases were made."
    },
    if (length(guarantee$inexact)) paste0("Rounding of floating-point numbers in: ", toString(guarantee$inexact), "."),
    if (is.null(budget)) "Releases of the same data that are not in this list." else {
      "Releases of the same data that were not charged to this budget."
    },
    "The data themselves, from people who hold or have seen them.")
}

# ---- output ------------------------------------------------------------------------------------------------------

write_markdown <- function(blocks, file) {
  lines <- lapply(Filter(Negate(is.null), blocks), function(block) {
    text <- block$value
    c(switch(block$kind, h1 = c(text, strrep("=", nchar(text))), h2 = c(text, strrep("-", nchar(text))),
             p = strwrap(text, 80), li = unlist(lapply(text, strwrap, 78, initial = "* ", prefix = "  ")),
             table = table_lines(text)), "")
  })
  write_lines(unlist(lines), file)
}

table_lines <- function(frame) {
  cells <- Map(function(column, name) format(c(name, as.character(column))), frame, names(frame))
  rule <- vapply(cells, function(one) strrep("-", nchar(one[1])), "")
  rows <- do.call(paste, c(unname(cells), sep = " | "))
  paste0("| ", c(rows[1], paste(rule, collapse = " | "), rows[-1]), " |")
}

html_text <- function(x) {
  for (pair in list(c("&", "&amp;"), c("<", "&lt;"), c(">", "&gt;"), c("\"", "&quot;"))) {
    x <- gsub(pair[1], pair[2], x, fixed = TRUE)
  }
  x
}

write_html <- function(blocks, file) {
  blocks <- Filter(Negate(is.null), blocks)
  tag <- function(name, x) paste0("<", name, ">", html_text(x), "</", name, ">")
  body <- lapply(blocks, function(block) {
    switch(block$kind,
      li = c("<ul>", tag("li", block$value), "</ul>"),
      table = {
        cells <- function(row, name) paste0("<tr>", paste0(tag(name, row), collapse = ""), "</tr>")
        rows <- vapply(seq_len(nrow(block$value)), function(i) {
          cells(vapply(block$value, function(column) as.character(column[i]), ""), "td")
        }, "")
        c("<table>", cells(names(block$value), "th"), rows, "</table>")
      },
      tag(block$kind, block$value)
    )
  })
  style <- c("body{font:15px/1.45 system-ui,sans-serif;max-width:46rem;margin:2.5rem auto;padding:0 1rem;",
             "color:#1b1f24}",
             "h1{font-size:1.6rem;margin:0 0 .3rem}h2{font-size:1.05rem;margin:1.2rem 0 .3rem;color:#24557a}",
             "p,ul{margin:.3rem 0}ul{padding-left:1.2rem}table{border-collapse:collapse;width:100%}",
             "th{text-align:left;border-bottom:2px solid #24557a}",
             "td,th{padding:.15rem .8rem .15rem 0;vertical-align:top}",
             "td{border-bottom:1px solid #d5dbe1;overflow-wrap:anywhere}",
             "@media print{body{margin:0;max-width:none;font-size:11.5px}}@page{margin:16mm}")
  write_lines(c("<!DOCTYPE html>", "<html lang=\"en\"><head><meta charset=\"utf-8\">",
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
                tag("title", blocks[[1]]$value), "<style>", style, "</style></head><body>", unlist(body),
                "</body></html>"), file)
}

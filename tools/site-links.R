#!/usr/bin/env Rscript
# Checks that every link of the site has a target, that no page loads a script, a style, or a picture from another
# server, and that every vignette and every exported topic has a page that the search finds:
#
#   Rscript tools/site-links.R FOLDER
#
# `--outside` lists the links to other servers. They are not followed, so the check needs no network.

arguments <- commandArgs(TRUE)
folder <- normalizePath(setdiff(arguments, "--outside"))
pages <- list.files(folder, "[.]html$", recursive = TRUE)
read <- function(page) xml2::read_html(file.path(folder, page), encoding = "UTF-8")
documents <- lapply(stats::setNames(pages, pages), read)

targets <- function(document, tag, field) {
  nodes <- xml2::xml_find_all(document, sprintf("//%s[@%s]", tag, field))
  xml2::xml_attr(nodes, field)
}
anchors <- lapply(documents, function(document) {
  c(xml2::xml_attr(xml2::xml_find_all(document, "//*[@id]"), "id"), targets(document, "a", "name"), "")
})
outside <- function(links) grepl("^([a-z]+:|//)", links)

# The target of a link: the file below the folder, and the anchor in it.
resolve <- function(page, link) {
  path <- utils::URLdecode(sub("[?#].*$", "", link))
  place <- if (grepl("#", link, fixed = TRUE)) utils::URLdecode(sub("^[^#]*#", "", link)) else ""
  parts <- strsplit(if (path == "") page else file.path(dirname(page), path), "/", fixed = TRUE)[[1]]
  kept <- character()
  for (part in parts[!parts %in% c("", ".")]) {
    kept <- if (part != "..") c(kept, part) else if (length(kept)) kept[-length(kept)] else return(NULL)
  }
  file <- paste(kept, collapse = "/")
  if (dir.exists(file.path(folder, file))) file <- sub("^/", "", file.path(file, "index.html"))
  list(file = file, place = place)
}

faults <- character()
complain <- function(...) faults <<- c(faults, paste0(...))
elsewhere <- character()
asked <- 0
for (page in pages) {
  document <- documents[[page]]
  loaded <- c(targets(document, "script", "src"), targets(document, "img", "src"),
              targets(document, "link[@rel='stylesheet' or contains(@rel, 'icon')]", "href"))
  for (one in unique(loaded[outside(loaded) & !startsWith(loaded, "data:")])) complain(page, " loads ", one)
  links <- unique(c(targets(document, "a", "href"), loaded))
  elsewhere <- c(elsewhere, links[outside(links)])
  for (link in links[!outside(links)]) {
    asked <- asked + 1
    to <- resolve(page, link)
    if (is.null(to) || !file.exists(file.path(folder, to$file))) {
      complain(page, " has a link to ", link, ", which is not there")
    } else if (to$file %in% pages && !to$place %in% anchors[[to$file]]) {
      complain(page, " has a link to ", link, ", and there is no such place")
    }
  }
}

# Every page with content is in the index of the search.
index <- paste(readLines(file.path(folder, "search.js"), warn = FALSE, encoding = "UTF-8"), collapse = "\n")
entries <- jsonlite::fromJSON(sub(";\\s*$", "", sub("^window[.]site_index = ", "", index)))
known <- sub("^/", "", entries$path)
documented <- grep("^(articles|reference)/(?!index[.]html)", pages, value = TRUE, perl = TRUE)
for (page in documented) {
  redirect <- length(xml2::xml_find_all(documents[[page]], "//meta[@http-equiv='refresh']"))
  if (!redirect && !page %in% known) complain(page, " is not in the index of the search")
}
for (path in setdiff(known, pages)) complain("the search leads to ", path, ", which is not there")

vignettes <- sub("Rmd$", "html", basename(list.files("vignettes", "[.]Rmd$", recursive = TRUE)))
for (page in setdiff(file.path("articles", vignettes), pages)) complain(page, " was not built")

if ("--outside" %in% arguments) writeLines(sort(unique(elsewhere)))
writeLines(faults)
cat(length(pages), "pages,", asked, "links within,", length(unique(elsewhere)), "to other servers,", length(faults),
    "faults\n")
quit(status = if (length(faults)) 1 else 0)

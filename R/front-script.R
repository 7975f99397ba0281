# Turns a recipe into its mechanisms and a script, and checks that a budget suffices for it.

recipe_mechanisms <- function(recipe) {
  recipe <- as_recipe(recipe)
  parts <- recipe_parts(recipe)
  mechanisms <- made_in(recipe_room(recipe, parts), lapply(parts, mechanism_call))
  Map(function(mechanism, entry) {
    mechanism$guarantee <- name_columns(mechanism$guarantee, entry)
    mechanism
  }, mechanisms, recipe$releases)
}

# Checks without rows that all releases fit into `budget`, the existing ledger, or a new budget in memory.
plan_budget <- function(recipe, mechanisms, budget = NULL) {
  if (is.null(budget)) {
    ledger <- recipe$budget$ledger
    opened <- !is.null(ledger) && file.exists(ledger)
    if (!opened && identical(names(recipe$budget), "ledger")) {
      stop_argument("budget$ledger", "must be an existing ledger, unless `epsilon`, `rho`, or `mu` is given. There is ",
                    "no ", encodeString(ledger, quote = "\""), meant_file(ledger), ".")
    }
    call <- budget_call(recipe)
    if (!opened) call$file <- NULL
    budget <- eval(call, topenv())
  }
  check_fit(budget, lapply(mechanisms, `[[`, "guarantee"))
}

# ---- script ------------------------------------------------------------------------------------------------------

#' @rdname release_recipe
#' @export
recipe_script <- function(recipe, file = NULL) {
  from <- if (!missing(recipe)) recipe
  recipe <- as_recipe(recipe)
  lines <- with_plain_numbers(script_lines(recipe))
  if (is.null(file)) return(lines)
  if (is_one_string(file) && is_one_string(from) && normalizePath(from, "/") == normalizePath(file, "/", FALSE)) {
    stop_argument("file", "must not be the recipe itself.")
  }
  if (!is_one_string(file) || is.object(file) || !nzchar(file) || !dir.exists(dirname(file))) {
    stop_argument("file", "must be NULL or the path of a file in an existing folder, not ", describe(file), ".")
  }
  write_lines(lines, file)
  invisible(lines)
}

# Tests the first line of a file, without the lock of a ledger, because the lock would create another file.
is_ledger_file <- function(file) {
  title <- charToRaw(ledger_title)
  # a pipe has no size, and reading it would block
  isTRUE(file.size(file) >= length(title)) && !dir.exists(file) &&
    identical(value_or(readBin(file, "raw", length(title)), NULL), title)
}

# Refuses to overwrite a ledger, because its record of spending must persist.
refuse_ledger <- function(file) {
  if (is_ledger_file(file)) {
    stop_argument("file", "must be the path of another file: ", encodeString(file, quote = "\""),
                  " is the ledger of a budget, and would be written over.")
  }
}

write_lines <- function(lines, file) {
  refuse_ledger(file)
  output <- tryCatch(suppressWarnings(file(file, "wb")), error = function(cnd) {
    stop_argument("file", "must be a path that can be written to, and ", encodeString(file, quote = "\""), " cannot.")
  })
  on.exit(close(output))
  writeLines(enc2utf8(lines), output, useBytes = TRUE)
}

script_lines <- function(recipe) {
  parts <- recipe_parts(recipe)
  several <- length(parts) > 1
  set <- function(name, value) show_call(call("<-", as.name(name), value))
  who <- if (is.null(recipe$unit$person)) "rows" else "people"
  said <- function(...) c("", paste0("# ---- ", ..., " ----"), "")
  public <- lapply(seq_along(parts), function(i) {
    c(if (several && length(parts[[i]]$public)) c("", paste0("# ", names(parts)[i])),
      unlist(Map(set, names(parts[[i]]$public), parts[[i]]$public)))
  })
  plan <- as.call(c(list(quote(list)), lapply(parts, mechanism_call)))
  file <- recipe$data$file
  refuse_missing_levels(recipe)
  settings <- recipe$data[names(recipe$data) != "file"]
  if (!is.null(settings$missing)) settings$missing <- vector_call_plain(settings$missing)
  reading <- named_call("table_file", c(list(quote(file), vector_named(recipe_types(recipe))), settings))
  releases <- lapply(names(parts), function(name) {
    entry <- recipe$releases[[match(name, names(parts))]]
    c("", set(name, release_call(parts[[name]])), paste0("print(", show_name(name), ")"),
      show_call(named_call("release_files", c(list(as.name(name), quote(folder), name), sample_size(entry)))))
  })
  lines <- c(
    "#!/usr/bin/env Rscript",
    strwrap(paste0("Releases under differential privacy: ", toString(names(parts)), "."), 79, prefix = "# "),
    paste0("# Written by dptda ", utils::packageVersion("dptda"), "; to run it: Rscript this-file.R FILE [FOLDER]"),
    "library(dptda)",
    "given <- commandArgs(TRUE)",
    paste0("file <- if (length(given) > 0) given[1] else ", deparse1(if (is.null(file)) "rows.csv" else file)),
    "folder <- if (length(given) > 1) given[2] else \".\"",
    said("public settings, chosen without looking at the rows"),
    paste0("n <- ", show_number(recipe_units(recipe)), " # ", who), unlist(public),
    said("the guarantees and the size of the noise"), set("plan", plan), "lapply(plan, privacy_price)",
    said("the budget: it must suffice for all releases"), set("budget", budget_call(recipe)),
    "privacy_check(budget, plan)",
    said("the rows: they are read from here on"), set("x", reading),
    if (is.null(recipe$unit$person)) "stopifnot(nrow(x) == n)" else {
      paste0("stopifnot(length(unique(x[[", deparse1(recipe$unit$person), "]])) == n)")
    },
    said("the releases"), unlist(releases)[-1], "", "budget"
  )
  unname(lines)
}

vector_named <- function(x) named_call("c", as.list(x))

sample_size <- function(entry) if (!is.null(entry$rows)) list(rows = entry$rows)

show_number <- function(x) deparse1(if (x == floor(x) && x < 2^31) as.integer(x) else x, control = NULL)

# Formats a statement in lines of up to 80 characters. If it does not fit in one, each argument gets its own line.
show_call <- function(expression, indent = 0, width = 80) {
  one <- show_constant(expression)
  pad <- strrep(" ", indent)
  if (nchar(one) + indent <= width || !is.call(expression)) return(paste0(pad, one))
  head <- expression[[1]]
  before <- if (identical(head, quote(`<-`))) paste0(show_constant(expression[[2]]), " <- ") else
    if (identical(head, quote(`function`))) paste0("function(", toString(names(expression[[2]])), ") ")
  if (!is.null(before)) {
    value <- show_call(expression[[3]], indent, width - nchar(before))
    value[1] <- paste0(pad, before, substring(value[1], indent + 1))
    return(value)
  }
  arguments <- as.list(expression)[-1]
  if (!is.name(head) || grepl("[^a-zA-Z._0-9]", as.character(head)) || !length(arguments)) return(paste0(pad, one))
  names <- names(arguments)
  inner <- lapply(seq_along(arguments), function(i) {
    named <- if (!is.null(names) && nzchar(names[i])) paste0(show_name(names[i]), " = ") else ""
    lines <- show_call(arguments[[i]], indent + 2, width - nchar(named) - (i < length(arguments)))
    lines[1] <- paste0(strrep(" ", indent + 2), named, substring(lines[1], indent + 3))
    if (i < length(arguments)) lines[length(lines)] <- paste0(lines[length(lines)], ",")
    lines
  })
  # puts constants side by side
  plain <- all(lengths(inner) == 1) && !any(vapply(arguments, is.call, NA))
  body <- if (plain) {
    strwrap(paste(trimws(unlist(inner)), collapse = " "), width - 1, indent = indent + 2, exdent = indent + 2)
  } else {
    unlist(inner)
  }
  # strwrap() must not change quoted text
  if (plain && !identical(gsub("\\s", "", paste(body, collapse = "")),
                          gsub("\\s", "", paste(unlist(inner), collapse = "")))) body <- unlist(inner)
  if (plain && any(grepl("[\"'][^,]*\\s[^,]*[\"']", unlist(inner)))) body <- unlist(inner)
  c(paste0(pad, show_constant(head), "("), body, paste0(pad, ")"))
}

# Writes doubles with the fewest digits that read back unchanged.
show_constant <- function(expression) {
  short <- deparse1(expression, " ", width.cutoff = 500L)
  same <- identical(parse(text = short, keep.source = FALSE)[[1]], expression)
  if (same) short else deparse1(expression, " ", control = c("keepNA", "keepInteger", "niceNames", "digits17"))
}

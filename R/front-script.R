# What a recipe becomes: the parts of its releases, its mechanisms, its budget, and the script that does all of it.

# Of each release what it is made of (release_parts()); names of what is public have a number where there are several.
recipe_parts <- function(recipe) {
  releases <- recipe$releases
  parts <- lapply(seq_along(releases), function(i) {
    release_parts(releases[[i]], recipe$unit, if (length(releases) > 1) paste0("_", i) else "")
  })
  structure(parts, names = vapply(releases, `[[`, "", "name"))
}

# The columns that all releases read, and their types. Numbers may have been written as text in levels.
recipe_types <- function(recipe) {
  types <- character()
  for (entry in recipe$releases) {
    own <- entry_types(entry)
    both <- intersect(names(own), names(types))
    for (name in both[own[both] != types[both]]) {
      pair <- c(own[[name]], types[[name]])
      if (!setequal(pair, c("number", "text")) || !are_number_levels(recipe, name)) {
        stop_argument("releases", "must read `", name, "` in one way; it is ", pair[2], " in one and ", pair[1],
                      " in another.")
      }
      own[[name]] <- "number"
    }
    types[names(own)] <- own
  }
  person <- recipe$unit$person
  if (!is.null(person)) types[[person]] <- "text"
  types
}

# Whether all levels that are text are numbers as R writes them.
are_number_levels <- function(recipe, name) {
  levels <- lapply(recipe$releases, function(entry) {
    schema <- entry$schema[[name]]
    list(entry$levels[[name]], entry$by[[name]], entry$where[[name]][[1]],
         if (is.list(schema)) schema$levels else schema)
  })
  text <- Filter(is.character, unlist(levels, recursive = FALSE))
  all(vapply(text, function(one) identical(one, as.character(suppressWarnings(as.double(one)))), NA))
}

# ---- evaluation --------------------------------------------------------------------------------------------------

# Where the expressions of a recipe are computed: with the functions of the package and of R, and what is public.
recipe_room <- function(recipe, parts = recipe_parts(recipe)) {
  room <- new.env(parent = topenv())
  room$n <- recipe_units(recipe)
  for (part in parts) for (name in names(part$public)) {
    assign(name, eval(part$public[[name]], room), envir = room)
  }
  room
}

recipe_units <- function(recipe) if (is.null(recipe$unit$rows)) recipe$unit$people else recipe$unit$rows

#' @rdname release_recipe
#' @export
recipe_mechanisms <- function(recipe) {
  recipe <- as_recipe(recipe)
  parts <- recipe_parts(recipe)
  made_in(recipe_room(recipe, parts), lapply(parts, mechanism_call))
}

# An error says of which release it is, where there are several.
made_in <- function(room, calls) {
  made <- list()
  for (name in names(calls)) made[[name]] <- of_release(name, length(calls), eval(calls[[name]], room))
  made
}

of_release <- function(name, count, code) {
  if (count == 1) return(code)
  tryCatch(code, dptda_error = function(parent) {
    parent$message <- paste0("Of the release `", name, "`: ", parent$message)
    stop(parent)
  })
}

mechanism_call <- function(part) {
  named_call(paste0("mechanism_", part$kind), c(list(part$n), part_settings(part, "mechanism_")))
}

release_call <- function(part) {
  named_call(paste0("private_", part$kind),
             c(list(part$rows), part_settings(part, "private_"), list(budget = quote(budget))))
}

# Those that come by their place have no name, as people write them; columns that are read from the rows are not said.
part_settings <- function(part, prefix) {
  fun <- get(paste0(prefix, part$kind), envir = topenv())
  settings <- part$settings[names(part$settings) %in% names(formals(fun))]
  if (prefix == "mechanism_" && part$kind %in% c("count", "proportion")) settings$columns <- NULL
  place <- setdiff(names(formals(fun))[seq_len(match("...", names(formals(fun))) - 1)], c("epsilon", "rho"))[-1]
  bare <- names(settings) %in% place & seq_along(settings) <= length(place)
  if (!identical(names(settings)[bare], place[seq_len(sum(bare))])) bare[] <- FALSE
  names(settings)[bare] <- ""
  settings
}

# The terms of the budget: what the recipe says, or what its releases cost together.
budget_call <- function(recipe) {
  budget <- recipe$budget
  if (is.null(budget)) budget <- summed_costs(recipe)
  terms <- budget[intersect(c("epsilon", "rho", "delta"), names(budget))]
  if (length(terms)) terms$person <- recipe$unit$person
  named_call("privacy_budget", c(terms, if (!is.null(budget$ledger)) list(file = budget$ledger)))
}

summed_costs <- function(recipe) {
  costs <- lapply(recipe$releases, function(one) unlist(one[intersect(c("epsilon", "delta", "rho"), names(one))]))
  forms <- unique(lapply(costs, names))
  if (length(forms) == 1) return(as.list(Reduce(`+`, costs)))
  if (all(vapply(forms, identical, NA, "epsilon") | vapply(forms, identical, NA, c("epsilon", "delta")))) {
    total <- function(name) sum(vapply(costs, function(one) if (name %in% names(one)) one[[name]] else 0, 0))
    return(list(epsilon = total("epsilon"), delta = total("delta")))
  }
  stop_argument("budget", "must be given where some releases cost `epsilon` and others `rho`.")
}

# Whether all of it fits, before there are rows: in a budget in memory that is as the one of the recipe is now.
plan_budget <- function(recipe, mechanisms, budget = NULL) {
  if (is.null(budget)) {
    ledger <- recipe$budget$ledger
    opened <- !is.null(ledger) && file.exists(ledger)
    if (!opened && identical(names(recipe$budget), "ledger")) {
      stop_argument("budget$ledger", "must be a ledger that is there, or `epsilon` or `rho` be given: there is no ",
                    encodeString(ledger, quote = "\""), meant_file(ledger), ".")
    }
    call <- budget_call(recipe)
    if (!opened) call$file <- NULL
    budget <- eval(call, topenv())
  }
  fits_together(budget, mechanisms)
  budget
}

# Each by itself may fit, and not all of them. What was spent before counts.
fits_together <- function(budget, mechanisms) {
  for (i in seq_along(mechanisms)) {
    of_release(names(mechanisms)[i], length(mechanisms), check_budget(budget, mechanisms[[i]]$guarantee, "budget"))
  }
  account <- read_account(budget, "budget")
  terms <- new_account(account[setdiff(names(account), c("steps", "tally"))])
  terms$steps <- account$steps
  for (i in seq_along(mechanisms)) {
    trial <- terms
    trial$tally <- add_to_tally(new_tally(), trial, trial$steps)
    new <- of_release(names(mechanisms)[i], length(mechanisms),
                      price_release(trial, "", mechanisms[[i]]$guarantee, "budget"))
    terms$steps <- c(terms$steps, new)
  }
  invisible(budget)
}

# ---- script ------------------------------------------------------------------------------------------------------

#' @rdname release_recipe
#' @export
recipe_script <- function(recipe, file = NULL) {
  recipe <- as_recipe(recipe)
  lines <- script_lines(recipe)
  if (is.null(file)) return(lines)
  if (!is_one_string(file) || is.object(file) || !nzchar(file) || !dir.exists(dirname(file))) {
    stop_argument("file", "must be NULL or the path of a file in a folder that is there, not ", describe(file), ".")
  }
  write_lines(lines, file)
  invisible(lines)
}

write_lines <- function(lines, file) {
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
  prices <- lapply(parts, function(part) show_call(call("privacy_price", mechanism_call(part))))
  file <- recipe$data$file
  reading <- c(list(quote(file), vector_named(recipe_types(recipe))), recipe$data[c("separator", "missing")],
               if (!is.null(recipe$data$decimal)) list(decimal = recipe$data$decimal),
               if (any(vapply(recipe$releases, function(one) !is.null(one$missing), NA))) list(invalid = "missing"))
  reading$missing <- if (!is.null(recipe$data$missing)) vector_call_plain(recipe$data$missing)
  reading <- named_call("table_file", Filter(Negate(is.null), reading))
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
    said("public: said without a sight of the rows"),
    paste0("n <- ", show_number(recipe_units(recipe)), " # ", who), unlist(public),
    said("what is promised, and how large the noise is"), unlist(prices, use.names = FALSE),
    said("the budget: what is spent stays spent"), set("budget", budget_call(recipe)),
    said("the rows: from here on they are read"), set("x", reading),
    if (is.null(recipe$unit$person)) "stopifnot(nrow(x) == n)" else {
      paste0("stopifnot(length(unique(x[[", deparse1(recipe$unit$person), "]])) == n)")
    },
    said("the releases"), unlist(releases)[-1], "", "budget"
  )
  unname(lines)
}

vector_named <- function(x) named_call("c", as.list(x))

sample_size <- function(entry) if (!is.null(entry$rows)) list(rows = entry$rows)

show_name <- function(name) deparse1(as.name(name), backtick = TRUE)

show_number <- function(x) deparse1(if (x == floor(x) && x < 2^31) as.integer(x) else x, control = NULL)

# One statement in lines of at most 80: where it does not fit, each argument has a line of its own.
show_call <- function(expression, indent = 0, width = 80) {
  one <- show_constant(expression)
  pad <- strrep(" ", indent)
  if (nchar(one) + indent <= width || !is.call(expression)) return(paste0(pad, one))
  head <- expression[[1]]
  if (identical(head, quote(`<-`))) {
    target <- paste0(show_constant(expression[[2]]), " <- ")
    value <- show_call(expression[[3]], indent, width - nchar(target))
    value[1] <- paste0(pad, target, substring(value[1], indent + 1))
    return(value)
  }
  arguments <- as.list(expression)[-1]
  if (!is.name(head) || grepl("[^a-zA-Z._0-9]", as.character(head)) || !length(arguments)) return(paste0(pad, one))
  names <- names(arguments)
  inner <- lapply(seq_along(arguments), function(i) {
    lines <- show_call(arguments[[i]], indent + 2, width)
    named <- if (!is.null(names) && nzchar(names[i])) paste0(show_name(names[i]), " = ")
    lines[1] <- paste0(strrep(" ", indent + 2), named, substring(lines[1], indent + 3))
    if (i < length(arguments)) lines[length(lines)] <- paste0(lines[length(lines)], ",")
    lines
  })
  # constants side by side
  plain <- all(lengths(inner) == 1) && !any(vapply(arguments, is.call, NA))
  body <- if (plain) {
    strwrap(paste(trimws(unlist(inner)), collapse = " "), width - 1, indent = indent + 2, exdent = indent + 2)
  } else {
    unlist(inner)
  }
  # strwrap() must not have touched what is within quotes
  if (plain && !identical(gsub("\\s", "", paste(body, collapse = "")),
                          gsub("\\s", "", paste(unlist(inner), collapse = "")))) body <- unlist(inner)
  if (plain && any(grepl("[\"'][^,]*\\s[^,]*[\"']", unlist(inner)))) body <- unlist(inner)
  c(paste0(pad, show_constant(head), "("), body, paste0(pad, ")"))
}

# Doubles in as few digits as are read back as they were.
show_constant <- function(expression) {
  short <- deparse1(expression, " ", width.cutoff = 500L)
  same <- identical(parse(text = short, keep.source = FALSE)[[1]], expression)
  if (same) short else deparse1(expression, " ", control = c("keepNA", "keepInteger", "niceNames", "digits17"))
}

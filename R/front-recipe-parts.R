# What a checked recipe is made of: the parts of its releases, the types of its columns, its mechanisms and its budget,
# as expressions that a script shows and that are evaluated here.

# Of each release what it is made of (release_parts()); names of what is public have a number where there are several.
recipe_parts <- function(recipe) {
  releases <- recipe$releases
  parts <- lapply(seq_along(releases), function(i) {
    release_parts(releases[[i]], recipe$unit, if (length(releases) > 1) paste0("_", i) else "")
  })
  structure(parts, names = vapply(releases, `[[`, "", "name"))
}

# A guarantee with the columns of a release in words, which are public: a mechanism has not all of them.
name_columns <- function(guarantee, entry) {
  words <- if (!is.null(entry$box)) format_box(eval(box_call(entry$box), topenv())) else toString(entry_columns(entry))
  if (!is.null(entry$where)) words <- paste(words, names(entry$where[[1]]), toString(unlist(entry$where[[1]])))
  guarantee$public$about <- paste0(words, by_words(entry$by))
  guarantee
}

by_words <- function(by) if (length(by)) paste(" by", toString(names(by)))

# The same of any release, as far as its public numbers have them; NULL if they have none.
about_public <- function(public) {
  if (is_one_string(public$about)) return(public$about)
  box <- if (is.null(public$grid)) public$box else public$grid$box
  words <- if (inherits(box, "dptda_box")) format_box(box) else if (is.numeric(public$lower)) {
    format_sides(public$lower, public$upper)
  } else if (is.list(public$cells)) toString(names(public$cells)) else if (length(public$sizes)) {
    toString(names(public$sizes))
  }
  if (length(words)) paste0(words, by_words(public$by))
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

# The levels of a column that are text, a vector for each place where a release has some.
text_levels <- function(recipe, name) {
  levels <- lapply(recipe$releases, function(entry) {
    schema <- entry$schema[[name]]
    list(entry$levels[[name]], entry$by[[name]], entry$where[[name]][[1]],
         if (is.list(schema)) schema$levels else schema)
  })
  Filter(is.character, unlist(levels, recursive = FALSE))
}

# Whether all levels that are text are numbers as R writes them.
are_number_levels <- function(recipe, name) {
  text <- text_levels(recipe, name)
  all(vapply(text, function(one) identical(one, write_numbers(suppressWarnings(as.double(one)))), NA))
}

# A field of a file is a level or a missing value.
refuse_missing_levels <- function(recipe) {
  words <- recipe$data$missing
  types <- recipe_types(recipe)
  for (name in names(types)[types == "text"]) {
    levels <- unlist(text_levels(recipe, name))
    both <- intersect(levels, words)
    if (length(both)) {
      stop_argument("data$missing", "must not have ", encodeString(both[1], quote = "\""), ", which is a level of `",
                    name, "`.")
    }
    if (is.null(words) && "NA" %in% levels) {
      warn_dptda("levels", "\"NA\" is a level of `", name, "`. In a file of text, NA without quotes is a missing ",
                 "value. If it is this level there, write `data: {missing: [\"\"]}`. No budget has been spent yet.")
    }
  }
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

made_in <- function(room, calls) {
  made <- list()
  for (name in names(calls)) made[[name]] <- of_release(name, length(calls), eval(calls[[name]], room))
  made
}

mechanism_call <- function(part) {
  named_call(paste0("private_", part$kind), c(list(part$n), part_settings(part)))
}

release_call <- function(part) {
  named_call(paste0("private_", part$kind),
             c(list(part$rows), part_settings(part), list(budget = quote(budget))))
}

# Those that come by their place have no name, as people write them; columns that are read from the rows are not said.
part_settings <- function(part) {
  fun <- get(paste0("private_", part$kind), envir = topenv())
  settings <- part$settings[names(part$settings) %in% names(formals(fun))]
  place <- setdiff(names(formals(fun))[seq_len(match("...", names(formals(fun))) - 1)], c("epsilon", "rho"))[-1]
  bare <- names(settings) %in% place & seq_along(settings) <= length(place)
  if (!identical(names(settings)[bare], place[seq_len(sum(bare))])) bare[] <- FALSE
  names(settings)[bare] <- ""
  settings
}

budget_entries <- c("epsilon", "delta", "rho", "composition", "ledger")

# The terms of the budget: what the recipe says, or what its releases cost together.
budget_call <- function(recipe) {
  budget <- recipe$budget
  if (is.null(budget)) budget <- summed_costs(recipe)
  terms <- budget[intersect(c("epsilon", "rho", "delta", "composition"), names(budget))]
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

# Whether all of it fits into the budget that a recipe declares. What its ledger was charged for before is another
# question (plan_budget()), and has another answer tomorrow.
check_recipe_budget <- function(recipe) {
  terms <- recipe$budget[names(recipe$budget) != "ledger"]
  if (!length(terms)) return(recipe)
  without <- recipe
  without$budget <- terms
  parts <- recipe_parts(recipe)
  mechanisms <- made_in(recipe_room(recipe, parts), lapply(parts, mechanism_call))
  fits <- function(recipe) check_fit(eval(budget_call(recipe), topenv()), lapply(mechanisms, `[[`, "guarantee"))
  refused <- tryCatch({
    fits(without)
    NULL
  }, dptda_error_budget = identity)
  if (is.null(refused)) return(recipe)
  # all releases are known: whichever composition takes them will do, if none was named
  if (is.null(terms$delta) || !is.null(terms$composition)) stop(refused)
  without$budget$composition <- "concentrated"
  tryCatch(fits(without), dptda_error_budget = function(cnd) stop(refused))
  recipe$budget$composition <- "concentrated"
  recipe$budget <- recipe$budget[intersect(budget_entries, names(recipe$budget))]
  recipe
}

# Derives from a checked recipe the parts of its releases, the types of its columns, its mechanisms, and its budget.
# They are expressions that a script shows and this file evaluates.

# Returns the release_parts() of each release. With several releases, public names get a number.
recipe_parts <- function(recipe) {
  releases <- recipe$releases
  parts <- lapply(seq_along(releases), function(i) {
    release_parts(releases[[i]], recipe$unit, if (length(releases) > 1) paste0("_", i) else "")
  })
  structure(parts, names = vapply(releases, `[[`, "", "name"))
}

# Adds the columns of a release to a guarantee, as public text. Mechanisms do not store all of them.
name_columns <- function(guarantee, entry) {
  words <- if (!is.null(entry$box)) format_box(eval(box_call(entry$box), topenv())) else toString(entry_columns(entry))
  if (!is.null(entry$response)) words <- deparse1(formula_call(entry))
  if (!is.null(entry$where)) words <- paste(words, names(entry$where[[1]]), toString(unlist(entry$where[[1]])))
  if (entry$release == "curve") words <- paste0(words, ", ", each_words(entry))
  guarantee$public$about <- paste0(words, by_words(entry$by))
  guarantee
}

# The public settings of people's diagrams, such as "spacing = 0.5, m0 = 0.1, clip = 5".
each_words <- function(entry) {
  given <- entry[intersect(c("spacing", "m0", "clip", "r"), names(entry))]
  paste(names(given), "=", vapply(given, function(x) toString(format(x, digits = 15)), ""), collapse = ", ")
}

by_words <- function(by) if (length(by)) paste(" by", toString(names(by)))

# Describes any guarantee by the columns in its public numbers. Returns NULL if it has no such numbers.
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

# The columns that all releases read, and their types. A text level may stand for a number.
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

# The levels of a column that are text: one vector for each setting that lists levels.
text_levels <- function(recipe, name) {
  levels <- lapply(recipe$releases, function(entry) {
    schema <- entry$schema[[name]]
    list(entry$levels[[name]], entry$by[[name]], entry$where[[name]][[1]], model_success(entry)[[name]],
         if (is.list(schema)) schema$levels else schema)
  })
  Filter(is.character, unlist(levels, recursive = FALSE))
}

# Tests whether all text levels are numbers in R's format.
are_number_levels <- function(recipe, name) {
  text <- text_levels(recipe, name)
  all(vapply(text, function(one) identical(one, write_numbers(suppressWarnings(as.double(one)))), NA))
}

# Refuses levels that are also marks of missing values, because a field cannot be both.
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

# The environment in which expressions of a recipe are evaluated: public values, and functions of the package and R.
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

# Settings as users write them: positional arguments without names, and no columns that the rows already have.
part_settings <- function(part) {
  fun <- get(paste0("private_", part$kind), envir = topenv())
  settings <- part$settings[names(part$settings) %in% names(formals(fun))]
  place <- setdiff(names(formals(fun))[seq_len(match("...", names(formals(fun))) - 1)], c("epsilon", "rho"))[-1]
  bare <- names(settings) %in% place & seq_along(settings) <= length(place)
  if (!identical(names(settings)[bare], place[seq_len(sum(bare))])) bare[] <- FALSE
  names(settings)[bare] <- ""
  settings
}

budget_entries <- c(cost_forms, "composition", "ledger")

# The terms of the budget: the recipe's own, or the summed costs of its releases.
budget_call <- function(recipe) {
  budget <- recipe$budget
  if (is.null(budget)) budget <- summed_costs(recipe)
  terms <- budget[intersect(c("epsilon", "rho", "delta", "mu", "composition"), names(budget))]
  if (length(terms)) terms$person <- recipe$unit$person
  named_call("privacy_budget", c(terms, if (!is.null(budget$ledger)) list(file = budget$ledger)))
}

summed_costs <- function(recipe) {
  costs <- lapply(recipe$releases, function(one) unlist(one[intersect(cost_forms, names(one))]))
  forms <- unique(lapply(costs, names))
  if (identical(forms, list("mu"))) return(list(mu = root_sum(unlist(costs))))
  if (length(forms) == 1) return(as.list(Reduce(`+`, costs)))
  if (all(vapply(forms, identical, NA, "epsilon") | vapply(forms, identical, NA, c("epsilon", "delta")))) {
    total <- function(name) sum(vapply(costs, function(one) if (name %in% names(one)) one[[name]] else 0, 0))
    return(list(epsilon = total("epsilon"), delta = total("delta")))
  }
  stop_argument("budget", "must be given if the costs of releases have different forms, such as `epsilon` and `rho`.")
}

# Checks that all releases fit into the budget that a recipe declares. Earlier charges of a ledger change over time, so
# plan_budget() checks them separately.
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
  # since all releases are known, any composition that fits may be used, unless the recipe names one
  if (is.null(terms$delta) || !is.null(terms$composition)) stop(refused)
  without$budget$composition <- "concentrated"
  tryCatch(fits(without), dptda_error_budget = function(cnd) stop(refused))
  recipe$budget$composition <- "concentrated"
  recipe$budget <- recipe$budget[intersect(budget_entries, names(recipe$budget))]
  recipe
}

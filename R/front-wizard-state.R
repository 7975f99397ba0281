# Converts the wizard's input to a recipe. These are plain functions of a list of values, named like the inputs
# (front-wizard-page.R). They do not use shiny, so tests need no browser.

# Groups of kinds, in the order of the page.
wizard_groups <- list(
  numbers = c("Numbers", "counts, means, sums, medians, variances"),
  table = c("Table", "counts by level or in intervals"),
  shape = c("Shape", "components and loops of point clouds"),
  clusters = c("Clusters", "centers, mixtures, main axes"),
  models = c("Models", "linear and logistic regression"),
  synthesis = c("Synthetic rows", "artificial rows that resemble the table")
)

wizard_kinds <- function(group) {
  names(recipe_kinds)[vapply(recipe_kinds, function(kind) kind$group == group, NA)]
}

# The input fields for each column of a kind.
wizard_column_fields <- function(kind) {
  if (has_factors(kind)) return(c("name", "type", "lower", "upper", "levels"))
  switch(c(recipe_kinds[[kind]]$needs, "box")[1], where = c("name", "test", "value"), levels = c("name", "levels"),
         breaks = c("name", "lower", "upper", "cells"),
         schema = c("name", "type", "lower", "upper", "cells", "levels"), c("name", "lower", "upper"))
}

# The smallest and the largest number of columns of a kind.
wizard_column_range <- function(kind) {
  columns <- recipe_kinds[[kind]]$columns
  if (is.null(columns)) c(1, 8) else columns
}

wizard_steps <- c("What", "Whom", "Public domain", "Budget", "Script and release")

# The text of an input without surrounding blanks, or "" if it is missing.
typed <- function(values, name) {
  value <- values[[name]]
  if (length(value) != 1 || is.na(value)) return("")
  if (is.numeric(value)) write_numbers(value) else trimws(as.character(value))
}

# A number if the text is one. Other text is returned for later checks, which may read a date. Empty text gives NULL.
typed_number <- function(values, name) {
  text <- typed(values, name)
  if (!nzchar(text)) return(NULL)
  if (is_number_text(text)) as.double(text) else text
}

# Values between commas. Levels are numbers if all of them are numbers in R's format.
typed_list <- function(values, name) {
  parts <- trimws(strsplit(typed(values, name), "[,;\n]")[[1]])
  parts <- parts[nzchar(parts)]
  if (!length(parts)) return(NULL)
  numbers <- suppressWarnings(as.double(parts))
  if (!anyNA(numbers) && identical(write_numbers(numbers), parts)) numbers else parts
}

# The same, or a logical value.
typed_value <- function(values, name) {
  value <- typed_list(values, name)
  if (identical(value, "TRUE") || identical(value, "FALSE")) value == "TRUE" else value
}

# ---- the recipe --------------------------------------------------------------------------------------------------

wizard_unit <- function(values) {
  n <- typed_number(values, "n")
  if (is.null(n)) stop_argument("how many", "must be given: the number of rows, or people, is public.")
  if (typed(values, "unit") != "person") {
    if (needs_people(typed(values, "kind"))) stop_argument("unit", "must be one person, because ", people_reason)
    return(check_unit_entry(list(rows = n)))
  }
  if (!nzchar(typed(values, "person"))) {
    stop_argument("person", "must be given: the column that identifies people.")
  }
  check_unit_entry(list(people = n, person = typed(values, "person")))
}

# The rows of the form with a column name.
wizard_columns <- function(values, kind) {
  rows <- seq_len(wizard_column_range(kind)[2])
  names <- vapply(rows, function(i) typed(values, paste0("name_", i)), "")
  rows <- rows[nzchar(names)]
  if (length(rows) < wizard_column_range(kind)[1]) {
    least <- wizard_column_range(kind)[1]
    stop_argument("column", "must be named", if (least > 1) paste0("; this release takes at least ", least), ".")
  }
  twice <- names[rows][duplicated(names[rows])]
  if (length(twice)) stop_argument("column", "must be named once, and `", twice[1], "` is there twice.")
  structure(rows, names = names[rows])
}

# The current release, without its cost.
wizard_entry <- function(values) {
  kind <- typed(values, "kind")
  rows <- wizard_columns(values, kind)
  at <- function(field, read = typed_number) function(i) read(values, paste0(field, "_", i))
  side <- function(i) {
    ends <- list(at("lower")(i), at("upper")(i))
    if (any(lengths(ends) == 0)) {
      stop_argument(names(rows)[rows == i], "must have a lower and an upper bound.")
    }
    if (is.character(unlist(ends))) as.character(unlist(ends)) else unlist(ends)
  }
  each <- function(read) lapply(rows, read)
  levels_of <- function(i) {
    levels <- at("levels", typed_list)(i)
    if (is.null(levels)) stop_argument(names(rows)[rows == i], "must have levels, with commas between them.")
    levels
  }
  entry <- list(release = kind)
  domain <- recipe_kinds[[kind]]$needs[1]
  if (has_factors(kind)) {
    factors <- vapply(rows, function(i) identical(typed(values, paste0("type_", i)), "category"), NA)
    if (any(factors)) entry$levels <- lapply(rows[factors], levels_of)
    rows <- rows[!factors]
  }
  entry[[domain]] <- switch(domain,
    box = each(side),
    levels = each(levels_of),
    breaks = each(function(i) wizard_breaks(side(i), at("cells")(i), names(rows)[rows == i])),
    where = each(function(i) wizard_test(typed(values, paste0("test_", i)), at("value", typed_value)(i), names(rows))),
    schema = each(function(i) wizard_schema(values, i, side, names(rows)[rows == i]))
  )
  wanted <- setdiff(c(recipe_kinds[[kind]]$needs, recipe_kinds[[kind]]$may),
                    c(domain, "by", "missing", "method", "r", "levels", "terms", "normalize", "size"))
  method <- typed(values, "method")
  if (nzchar(method) && "method" %in% recipe_kinds[[kind]]$may) entry$method <- method
  for (name in wanted) entry[[name]] <- wizard_setting(values, name)
  if ("by" %in% recipe_kinds[[kind]]$may && nzchar(typed(values, "by_name"))) {
    entry$by <- structure(list(typed_list(values, "by_levels")), names = typed(values, "by_name"))
    if (is.null(entry$by[[1]])) stop_argument("by", "must have the levels of the groups, with commas between them.")
  }
  if ("spacing" %in% wanted && is.null(entry$spacing)) entry$spacing <- wizard_spacing(entry$box)
  if (isTRUE(values$omit) && "missing" %in% recipe_kinds[[kind]]$may) entry$missing <- "omit"
  if (nzchar(typed(values, "label"))) entry$name <- typed(values, "label")
  entry
}

# Several numbers, the name of a column, a level, or a number. NULL for an empty input.
wizard_setting <- function(values, name) {
  if (name %in% c("response", "curve")) return(if (nzchar(typed(values, name))) typed(values, name))
  switch(name, probs = , range = typed_list, success = typed_value, typed_number)(values, name)
}

# A grid spacing with about thirty points along the longest side.
wizard_spacing <- function(box) {
  sides <- Filter(is.numeric, box)
  if (!length(sides)) return(NULL)
  signif(max(vapply(sides, diff, 0)) / 30, 1)
}

wizard_breaks <- function(side, cells, name) {
  side <- check_side_entry(side, name)
  cells <- if (is.null(cells)) 10 else check_count(cells, 1, 1000, arg = "cells")
  if (is.numeric(side)) return(signif(seq(side[1], side[2], length.out = cells + 1), 12))
  format(unique(round(seq(as.Date(side[1]), as.Date(side[2]), length.out = cells + 1))))
}

wizard_test <- function(test, value, name) {
  if (is.null(value)) stop_argument(name, "must have a value that it is compared with.")
  if (!test %in% names(tests_of_rows)) test <- "is"
  structure(list(value), names = test)
}

wizard_schema <- function(values, i, side, name) {
  type <- typed(values, paste0("type_", i))
  if (!nzchar(type)) type <- "number"
  if (type == "logical") return(list(type = "logical"))
  if (type %in% c("number", "date")) {
    ends <- check_side_entry(side(i), name)
    cells <- typed_number(values, paste0("cells_", i))
    return(c(list(type = type, lower = ends[1], upper = ends[2]),
             if (type == "number") list(cells = if (is.null(cells)) 10 else cells)))
  }
  levels <- typed_list(values, paste0("levels_", i))
  if (is.null(levels)) stop_argument(name, "must have levels, with commas between them.")
  list(type = type, levels = if (is.numeric(levels)) write_numbers(levels) else as.character(levels))
}

wizard_cost <- function(values) {
  kind <- typed(values, "kind")
  form <- typed(values, "cost")
  if (!form %in% kind_costs(kind)) form <- kind_costs(kind)[1]
  names <- list(epsilon = "epsilon", delta = c("epsilon", "delta"), rho = "rho", mu = "mu")[[form]]
  cost <- lapply(structure(names, names = names), function(name) typed_number(values, name))
  check_cost_entry(Filter(Negate(is.null), cost), "cost", kind_costs(kind))
  cost
}

# The budget of all releases of the data. NULL stands for the summed costs of the releases.
wizard_budget <- function(values) {
  ledger <- typed(values, "ledger")
  total <- typed_number(values, "total")
  if (!nzchar(ledger) && is.null(total)) return(NULL)
  form <- typed(values, "cost")
  measure <- if (form %in% c("rho", "mu")) form else "epsilon"
  budget <- list()
  budget[[measure]] <- total
  if (form == "delta") budget$delta <- typed_number(values, "total_delta")
  if (nzchar(ledger)) budget$ledger <- ledger
  budget
}

# Combines input and earlier releases, `kept`, into a recipe.
wizard_recipe <- function(values, kept = list()) {
  unit <- wizard_unit(values)
  entry <- c(wizard_entry(values), wizard_cost(values))
  budget <- wizard_budget(values)
  file <- typed(values, "file")
  release_recipe(c(if (nzchar(file)) list(data = wizard_data(values)), list(unit = unit),
                   if (!is.null(budget)) list(budget = budget), list(releases = c(kept, list(entry)))))
}

wizard_data <- function(values) {
  c(list(file = typed(values, "file")), if (identical(values$decimal, ",")) list(decimal = ","))
}

# Proposes input for the columns of a kind, from a public file. Returns nothing for conditions, which are not domains,
# or if a column already has a name.
wizard_proposal <- function(values) {
  kind <- typed(values, "kind")
  named <- grepl("^name_", names(values)) & vapply(names(values), function(name) nzchar(typed(values, name)), NA)
  if (any(named) || "where" %in% recipe_kinds[[kind]]$needs) return(list())
  domains <- public_domains(typed(values, "public"), if (identical(values$decimal, ",")) "," else ".")
  domains <- domains[setdiff(names(domains), typed(values, "person"))]
  fields <- wizard_column_fields(kind)
  fits <- function(domain) {
    if ("type" %in% fields) return(TRUE)
    if ("levels" %in% fields) !is.null(domain$levels) else domain$type == "number"
  }
  domains <- utils::head(Filter(fits, domains), wizard_column_range(kind)[2])
  proposed <- list()
  for (i in seq_along(domains)) {
    domain <- domains[[i]]
    own <- list(name = names(domains)[i], type = domain$type, lower = domain$ends[1], upper = domain$ends[2],
                levels = if (length(domain$levels)) paste(domain$levels, collapse = ", "))
    own <- Filter(Negate(is.null), own[intersect(names(own), fields)])
    proposed[paste0(names(own), "_", i)] <- lapply(own, as.character)
  }
  proposed
}

# ---- problems ----------------------------------------------------------------------------------------------------

# Returns the reason why a step is incomplete, or NULL. The last step checks the whole plan.
wizard_problem <- function(values, step, kept = list()) {
  said <- tryCatch({
    switch(step, NULL, wizard_unit(values), wizard_check_entry(values), {
      wizard_cost(values)
      recipe_mechanisms(wizard_recipe(values, kept))
    }, {
      recipe <- wizard_recipe(values, kept)
      plan_budget(recipe, recipe_mechanisms(recipe))
    })
    NULL
  }, dptda_error = conditionMessage)
  if (!is.null(said)) plain_message(said)
}

# An arbitrary cost that a kind supports.
trial_cost <- function(kind) {
  list(epsilon = list(epsilon = 1), delta = list(epsilon = 1, delta = 1e-6))[[kind_costs(kind)[1]]]
}

# Checks the domain with an arbitrary cost.
wizard_check_entry <- function(values) {
  entry <- wizard_entry(values)
  recipe <- release_recipe(list(unit = wizard_unit(values), releases = list(c(entry, trial_cost(entry$release)))))
  recipe_mechanisms(recipe)
}

# Rewrites messages for the page, which does not show argument names: `releases$box$age` becomes `age`.
plain_message <- function(message) {
  gsub("`(releases(\\[[0-9]+\\])?|unit|cost|budget)\\$((box|levels|breaks|by|schema|where)\\$)?", "`", message)
}

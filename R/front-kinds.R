# The kinds of releases in a recipe: the settings of each, and their conversion to calls.
#
# A release of a recipe is a plain list of settings. Three parts are made from it, all from constants and calls of this
# package: `public`, named expressions with public values, computed in their order; `settings`, the arguments shared by
# the mechanism and the release; and `rows`, an expression of the table `x`. The script, the privacy cost, and the
# release evaluate the same expressions (front-recipe.R), so they cannot differ. Text from a file is never parsed as
# code: strings and numbers become constants.

# `needs` and `may`: required and optional settings. The first of `needs` holds the domains of columns. `naming`: the
# settings that name columns, by default this one.
# `columns`: the smallest and largest number of columns in the wizard. If both are one, recipes have the same limit.
# `people`: whether the unit must be people. `costs`: possible forms of the cost, as in check_cost(). `title`, `group`
# (wizard_groups), and `says`: text for users.
recipe_kinds <- list(
  count = list(title = "Count", group = "numbers", needs = "where", may = "by", columns = c(1, 1),
               says = "the number of rows that meet a condition"),
  proportion = list(title = "Proportion", group = "numbers", needs = "where", may = character(),
                    columns = c(1, 1), says = "the fraction of rows that meet a condition"),
  mean = list(title = "Mean", group = "numbers", needs = "box", may = c("by", "missing"), says = "means of columns"),
  sum = list(title = "Sum", group = "numbers", needs = "box", may = c("by", "missing"), says = "sums of columns"),
  quantile = list(title = "Quantile or median", group = "numbers", needs = "box",
                  may = c("probs", "step", "by", "missing"), columns = c(1, 1),
                  says = "quantiles of one column, by default the median"),
  var = list(title = "Variance", group = "numbers", needs = "box", may = character(), says = "variances of columns"),
  sd = list(title = "Standard deviation", group = "numbers", needs = "box", may = character(),
            says = "standard deviations of columns"),
  covariance = list(title = "Covariance", group = "numbers", needs = "box", may = "by", columns = c(2, 8),
                    says = "the covariance matrix of columns", costs = c("delta", "rho", "mu")),
  histogram = list(title = "Histogram", group = "table", needs = "breaks", may = c("by", "missing"),
                   columns = c(1, 1), says = "counts of one column in intervals"),
  table = list(title = "Table", group = "table", needs = "levels", may = "missing",
               says = "counts of all combinations of levels"),
  diagram = list(title = "Persistence diagram", group = "shape", needs = c("box", "spacing", "m0"),
                 may = c("clip", "r", "max_dimension"), columns = c(2, 3),
                 says = "components, loops, and cavities of points",
                 costs = c("epsilon", "rho", "mu")),
  curve = list(title = "Mean curve", group = "shape",
               needs = c("box", "spacing", "m0", "curve", "range", "dimension", "radius"),
               may = c("clip", "r", "level", "normalize", "size", "smooth"), columns = c(2, 3), people = TRUE,
               says = "the mean curve of people's own persistence diagrams"),
  kmeans = list(title = "k-means", group = "clusters", needs = c("box", "k"), may = character(), columns = c(2, 8),
                says = "centers and sizes of k clusters"),
  mixture = list(title = "Mixture", group = "clusters", needs = c("box", "k"), may = character(), columns = c(2, 8),
                 says = "a mixture of k normal distributions", costs = c("delta", "rho", "mu")),
  pca = list(title = "Principal components", group = "clusters", needs = c("box", "rank"), may = character(),
             columns = c(2, 8), says = "the axes along which columns vary most", costs = c("delta", "rho", "mu")),
  lm = list(title = "Linear model", group = "models", needs = c("box", "response"),
            may = c("levels", "terms", "missing"), naming = c("box", "levels", "response"), columns = c(2, 8),
            says = "coefficients of a linear model, with intervals", costs = c("delta", "rho", "mu")),
  glm = list(title = "Logistic model", group = "models", needs = c("box", "response", "success"),
             may = c("levels", "terms", "missing"), naming = c("box", "levels", "response"), columns = c(1, 8),
             says = "coefficients of a logistic model, with intervals", costs = c("delta", "rho", "mu")),
  synthesis = list(title = "Synthetic rows", group = "synthesis", needs = "schema", may = c("method", "rows"),
                   columns = c(2, 8), says = "a model of the table, and rows drawn from it")
)

# The list of kinds for the help page of recipes, evaluated when R builds the page.
listed_kinds <- function() paste0("`\"", names(recipe_kinds), "\"`", collapse = ", ")

# Links for the help page of the package.
kind_links <- function(group) {
  kinds <- names(Filter(function(kind) kind$group == group, recipe_kinds))
  paste0("[private_", kinds, "()]", collapse = ", ")
}

kind_costs <- function(kind) {
  costs <- recipe_kinds[[kind]]$costs
  if (is.null(costs)) cost_forms else costs
}

kind_naming <- function(kind) {
  known <- recipe_kinds[[kind]]
  if (is.null(known$naming)) known$needs[1] else known$naming
}

# Whether the rows of a kind belong to people.
needs_people <- function(kind) isTRUE(recipe_kinds[[kind]]$people)

# Whether a column of a kind has either bounds or levels.
has_factors <- function(kind) all(c("box", "levels") %in% kind_naming(kind))

# Returns the parts of a checked release (front-recipe.R). `unit` is the recipe's unit. `suffix` distinguishes public
# names of several releases.
release_parts <- function(entry, unit, suffix = "") {
  kind <- entry$release
  name <- function(what) as.name(paste0(what, suffix))
  public <- list()
  add <- function(what, expression) {
    public[[paste0(what, suffix)]] <<- expression
    name(what)
  }
  settings <- list()
  columns <- entry_columns(entry)
  if (!is.null(entry$response)) settings$formula <- formula_call(entry)
  if (!is.null(entry$box)) settings$box <- add("box", box_call(entry$box))
  if (!is.null(entry$spacing)) settings <- list(grid = add("grid", grid_call(entry, settings$box)))
  if (kind == "diagram") {
    settings[c("m0", "clip", "r", "max_dimension")] <- entry[c("m0", "clip", "r", "max_dimension")]
  }
  if (kind == "curve") {
    each <- add("each", each_call(entry, settings$grid))
    settings <- list(curve = curve_call(entry), radius = entry$radius, each = each)
  }
  if (!is.null(entry$breaks)) settings$breaks <- add("breaks", list_call(entry$breaks))
  if (!is.null(entry$levels)) settings$levels <- add("levels", list_call(entry$levels))
  if (!is.null(entry$schema)) settings$schema <- add("schema", schema_call(entry$schema))
  if (kind == "quantile") settings$probs <- vector_call(if (is.null(entry$probs)) 0.5 else entry$probs)
  settings[c("k", "rank", "step", "method", "smooth")] <- entry[c("k", "rank", "step", "method", "smooth")]
  if (!is.null(entry$success)) settings$success <- vector_call(entry$success)
  settings[c("epsilon", "rho", "delta", "mu")] <- entry[c("epsilon", "rho", "delta", "mu")]
  if (!is.null(entry$breaks) || !is.null(entry$levels)) settings$columns <- vector_call(columns)
  if (!is.null(entry$by)) settings$by <- add("by", list_call(entry$by))
  if (kind == "count" && !is.null(entry$by)) settings$columns <- "met"
  settings <- Filter(Negate(is.null), settings)
  list(kind = kind, public = public, settings = settings, n = units_call(entry, unit),
       rows = rows_call(entry, unit, columns))
}

# Columns that a release reads, without columns of groups.
entry_columns <- function(entry) {
  named <- function(setting) if (is.character(setting)) setting else names(setting)
  unique(unlist(lapply(entry[kind_naming(entry$release)], named), use.names = FALSE))
}

# Types of a release's columns for table_file(), from public settings alone.
entry_types <- function(entry) {
  of_levels <- function(levels) if (is.numeric(levels)) "number" else if (is.logical(levels)) "logical" else "text"
  # levels that list_call() converts to dates are compared with dates
  of_dates <- function(levels) if (all(is_date_text(levels))) "date" else of_levels(levels)
  of_sides <- function(side) if (is.character(side)) "date" else "number"
  read <- function(values, how) vapply(values, how, "")
  types <- c(read(entry$where, function(test) of_dates(test[[1]])),
             read(entry$box, of_sides), read(entry$breaks, of_sides), read(entry$levels, of_dates),
             read(entry$schema, function(column) {
               if (!is.list(column)) return(of_levels(column))
               switch(column$type, number = "number", date = "date", logical = "logical", of_levels(column$levels))
             }),
             read(entry$by, of_dates), if (!is.null(entry$success)) read(model_success(entry), of_dates))
  types[!duplicated(names(types))]
}

has_date_form <- function(x) is.character(x) & grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", x)

# Finds strings that are dates. For a day that no calendar has, as.Date() raises an error or returns a missing value.
is_date_text <- function(x) has_date_form(x) & !is.na(read_dates(as.character(x)))

# ---- expressions -------------------------------------------------------------------------------------------------

named_call <- function(fun, arguments) as.call(c(list(as.name(fun)), arguments))

# Builds a vector of numbers or strings, or of dates if all strings are dates.
vector_call <- function(x) {
  if (length(x) > 0 && all(is_date_text(x))) return(bquote(as.Date(.(vector_call_plain(x)))))
  vector_call_plain(x)
}

vector_call_plain <- function(x) if (length(x) == 1) unname(x) else named_call("c", as.list(unname(x)))

list_call <- function(x) {
  dates <- function(one) if (is.list(one)) unlist(one) else one
  named_call("list", lapply(x, function(one) vector_call(dates(one))))
}

# The formula of a model, from names of columns alone. A term is a column or an interaction such as "age:sex". By
# default, each column is a term.
formula_call <- function(entry) {
  terms <- if (is.null(entry$terms)) setdiff(entry_columns(entry), entry$response) else entry$terms
  calls <- lapply(terms, function(term) {
    Reduce(function(a, b) call(":", a, b), lapply(term_columns(term, entry_columns(entry)), as.name))
  })
  call("~", as.name(entry$response), Reduce(function(a, b) call("+", a, b), calls))
}

term_columns <- function(term, columns) if (term %in% columns) term else strsplit(term, ":", fixed = TRUE)[[1]]

# The response of a logistic model with its public value, as a named list.
model_success <- function(entry) if (!is.null(entry$success)) structure(list(entry$success), names = entry$response)

box_call <- function(box) {
  corner <- function(i) {
    ends <- lapply(box, function(side) if (is.character(side)) bquote(as.Date(.(side[[i]]))) else side[[i]])
    dates <- vapply(box, is.character, NA)
    named_call(if (any(dates)) "list" else "c", ends)
  }
  bquote(domain_box(.(corner(1)), .(corner(2))))
}

grid_call <- function(entry, box) bquote(domain_grid(.(box), by = .(entry$spacing)))

curve_call <- function(entry) {
  shape <- Filter(Negate(is.null), entry[c("dimension", "level", "normalize", "size")])
  named_call(paste0("curve_", entry$curve), c(list(vector_call_plain(entry$range)), shape))
}

# The function that computes a person's diagram. The last element is the source text, which a parsed call also lacks.
each_call <- function(entry, grid) {
  settings <- c(list(quote(own), grid), entry[intersect(c("m0", "clip", "r"), names(entry))])
  body <- named_call("dtm_persistence", c(settings, list(max_dimension = entry$dimension)))
  call("function", as.pairlist(alist(own = )), body, NULL)
}

schema_call <- function(schema) named_call("table_schema", lapply(schema, schema_column_call))

schema_column_call <- function(column) {
  if (!is.list(column)) {
    if (is.character(column)) return(vector_call_plain(column))
    return(bquote(schema_categorical(.(vector_call_plain(column)))))
  }
  given <- column[setdiff(names(column), "type")]
  given[c("lower", "upper", "breaks")] <- lapply(given[c("lower", "upper", "breaks")],
                                                 function(x) if (!is.null(x)) vector_call(x))
  if (!is.null(given$levels)) given$levels <- vector_call_plain(given$levels)
  given <- Filter(Negate(is.null), given)
  switch(column$type,
    number = named_call("schema_numeric", given),
    date = named_call("schema_date", given),
    logical = named_call("schema_logical", given),
    ordered = named_call("schema_categorical", c(given, list(ordered = TRUE))),
    category = named_call("schema_categorical", given)
  )
}

# The rows of a release before anybody has seen them.
units_call <- function(entry, unit) {
  terms <- list(person = unit$person, missing = if (identical(entry$missing, "omit")) "omit")
  named_call("unseen", c(list(quote(n)), Filter(Negate(is.null), terms)))
}

# The rows that a release takes from the table `x`.
rows_call <- function(entry, unit, columns) {
  test <- if (!is.null(entry$where)) where_call(entry$where)
  further <- list(person = unit$person, missing = entry$missing)
  further <- Filter(Negate(is.null), further)
  # the result of the condition, with the columns of groups and people
  groups <- names(entry$by)
  if (!is.null(test) && length(c(further, groups))) {
    frame <- bquote(data.frame(x[.(vector_call_plain(c(unit$person, groups)))], met = .(test), check.names = FALSE))
    if (!length(further)) return(frame)
    return(named_call("table_rows", c(list(frame, vector_call(c("met", groups))), further)))
  }
  if (!length(further)) {
    if (!is.null(test)) return(test)
    if (entry$release == "quantile" && is.null(groups)) return(call("$", quote(x), as.name(columns)))
    return(quote(x))
  }
  columns <- union(columns, names(entry$by))
  named_call("table_rows", c(list(quote(x), vector_call(columns)), further))
}

tests_of_rows <- c(is = "==", is_not = "!=", above = ">", at_least = ">=", below = "<", at_most = "<=", one_of = "%in%")

where_call <- function(where) {
  test <- names(where[[1]])
  value <- where[[1]][[1]]
  column <- call("$", quote(x), as.name(names(where)))
  value <- vector_call(if (is.list(value)) unlist(value) else value)
  if (test != "one_of") return(call(tests_of_rows[[test]], column, value))
  # `%in%` returns FALSE for missing values, which must be refused
  bquote(ifelse(is.na(.(column)), NA, .(column) %in% .(value)))
}

# A recipe is a plan of releases as plain data: what to release, which columns, what is public about them, the protected
# unit, and the cost. It contains neither rows nor a seed. It comes from the wizard, a YAML file, or a list. Mechanisms,
# costs, scripts, and releases are computed from it alone.

#' Recipes of releases, as plain data
#'
#' `release_recipe()` reads a plan of releases from a list or a YAML file and checks it. `print()` shows the privacy
#' cost of each release, `recipe_script()` writes the R script, and `recipe_release()` makes the releases from a file of
#' rows.
#'
#' A recipe is plain data. It contains all public inputs, and nothing in it comes from the rows. Printing it shows the
#' guarantee and the noise of each release before there are rows. [dptda_wizard()] writes recipes, and the
#' [command line][dptda_command] reads them.
#'
#' @section Recipes:
#' A recipe is a list with these elements:
#'
#' \describe{
#'   \item{`unit`}{The unit of protection: `{rows: 248}`, or `{people: 100, person: patient}` if a person may have
#'     several rows. The number is public.}
#'   \item{`releases`}{A list of releases. Each has `release`, one of `r listed_kinds()`, its public settings (below),
#'     and `epsilon`, `epsilon` with `delta`, `rho`, or `mu`. Use `name` to give it another name.}
#'   \item{`budget`}{The total cost: `epsilon`, perhaps with `delta` and `composition`, `rho`, or `mu`. `ledger` is the
#'     file of a budget ([privacy_budget()]). Without `budget`, the total is the sum of the releases (for `mu`, the root
#'     of the sum of squares). Recipes that exceed their budget are refused. Without `composition`, a recipe uses
#'     `"concentrated"` if nothing else suffices.}
#'   \item{`data`}{The reading of a file ([table_file()]): `file`, `separator`, `decimal`, `missing` (fields that are
#'     missing values), and `invalid`. All are optional. Values that cannot be read are an error, even if
#'     missing values are omitted, unless `invalid` is `missing`.}
#' }
#'
#' @section Settings:
#' * `box`, named by columns: the lower and upper bound of each (means, sums, quantiles, variances, diagrams, clusters).
#' * `levels` and `breaks`: named in the same way. `by`: the levels of groups.
#' * `where` (counts): one column and a condition, such as `{age: {above: 65}}`. Conditions are `is`, `is_not`, `above`,
#'   `at_least`, `below`, `at_most`, and `one_of`.
#' * `schema`: for each column its levels, or `type` (`number`, `date`, `category`, `ordered`, `logical`) with the
#'   arguments of [schema_numeric()] and related functions.
#' * `response`, and for a logistic model `success`, the value that counts: models of this column by the other columns
#'   of `box` and `levels`. `terms`: a list of columns and interactions, such as `[age, sex, "age:sex"]`; by default,
#'   all columns. For other formulas, use [private_lm()].
#' * `probs`, `step`, `k`, `rank`, `method`, `m0`, `spacing` (of the grid), `clip`, `r`, and `max_dimension`.
#' * `curve` (`landscape`, `betti`, or `life`), with `range`, `dimension`, and perhaps `level`, `normalize`, and `size`
#'   ([curve_landscape()]), and `radius`, perhaps `smooth` ([private_curve()]): mean curves. The unit must be people.
#'   [dtm_persistence()] computes the diagram of each person's rows with `box`, `spacing`, `m0`, `clip`, and `r`.
#' * `rows`: the number of synthetic rows to write. `missing: omit`: as in [table_rows()].
#'
#' Dates are strings, such as `"2024-12-31"`.
#'
#' @section Values in a file:
#' In a file, decimal numbers are numbers, and `true` and `false` are logical. Everything else is text as you wrote it.
#' For example, the level `01234` is `"01234"`, and `y` is `"y"`. Numbers beside text are also text: `[1.10, beta]` is
#' `"1.10"` and `"beta"`. Keys that you write replace merged ones (`<<: *base`).
#'
#' @param x A string, the path of a YAML file, a list as above, or a recipe. For `recipe_release()`, the path of a file
#'   of rows ([table_file()]), a data frame, or `NULL` for the file that the recipe names.
#' @param recipe A recipe, or anything that `release_recipe()` accepts.
#' @param file `NULL` or a string: the path to which the script is written.
#' @param budget `NULL` or a [privacy_budget()]. `NULL` uses the budget that the recipe names.
#' @param folder `NULL` or a string: the folder in which [release_files()] writes each release as soon as it is made.
#'   Writing is tested before any budget is spent. Releases whose files cannot be written later are
#'   returned, with a warning.
#' @param ... Not used. Later arguments must be named.
#'
#' @return `release_recipe()`: an object of class `dptda_recipe`, a list as above. `print()` shows its guarantee,
#'   `as.data.frame()` returns a table with one row per kind of noise, and `format()` returns its YAML.
#'   `recipe_script()`: the lines of a script for `Rscript`, invisibly if you give `file`. `recipe_release()`: a list of
#'   releases, named as in the recipe.
#'
#' @section Privacy:
#' Only `recipe_release()` uses rows. Before any budget is spent, it compares their number with the public number in the
#' recipe, and checks that no value is missing. Then it charges each release to the budget separately.
#' `recipe_release()` and the script first check whether the budget suffices for all releases ([privacy_check()]).
#' @seealso [dptda_wizard()], [dptda_command], [privacy_price()]
#' @examples
#' recipe <- release_recipe(list(
#'   unit = list(rows = 248),
#'   releases = list(
#'     list(release = "mean", box = list(age = c(15, 50)), epsilon = 0.5),
#'     list(release = "count", where = list(case = list(is = 1)), epsilon = 0.1)
#'   )
#' ))
#' recipe
#' cat(recipe_script(recipe), sep = "\n")
#' recipe_release(recipe, infert)$mean
#' @order 1
#' @export
release_recipe <- function(x) {
  if (missing(x)) stop_missing("x", "a list, or the path of a file of YAML")
  if (inherits(x, "dptda_recipe")) return(check_valid(x, "dptda_recipe", "x"))
  if (is_one_string(x) && !is.object(x)) x <- read_recipe(x)
  if (!is.list(x) || is.object(x)) {
    stop_argument("x", "must be a recipe: a list, or the path of a file of YAML, not ", describe(x), ".")
  }
  check_recipe_budget(new_recipe(check_session_text(check_recipe(x))))
}

# Checks that the session's encoding can represent all text. Names in calls use this encoding. R would replace other
# characters, so that levels and columns would no longer match.
check_session_text <- function(x) {
  text <- text_within(x)
  other <- text[is.na(iconv(enc2utf8(text), "UTF-8", ""))]
  if (!length(other)) return(x)
  stop_dptda("argument", "The recipe has text, ", encodeString(other[1], quote = "\""), ", that the locale of this ",
             "session cannot hold. Call Sys.setlocale(\"LC_CTYPE\", \"C.UTF-8\"), or set another locale in UTF-8.")
}

text_within <- function(x) {
  own <- if (is.list(x)) unlist(lapply(unname(x), text_within)) else if (is.character(x)) unname(x)
  text <- c(names(x), own)
  text[!is.na(text)]
}

new_recipe <- function(fields) new_result(fields, "dptda_recipe")

# A recipe is valid if check_recipe() does not change it.
define_class("dptda_recipe", "release_recipe()", unit = is.list, releases = is.list, budget = is_null_or(is.list),
             data = is_null_or(is.list),
             .valid = function(x) identical(check_recipe(unclass(x)), unclass(x)))

as_recipe <- function(recipe) {
  if (missing(recipe)) stop_missing("recipe", "a recipe, as release_recipe() makes it")
  if (inherits(recipe, "dptda_recipe")) return(check_session_text(check_valid(recipe, "dptda_recipe", "recipe")))
  release_recipe(recipe)
}

# ---- checks ------------------------------------------------------------------------------------------------------

check_recipe <- function(x) {
  check_entries(x, c("unit", "releases", "budget", "data"), NULL)
  data <- if (!is.null(x$data)) check_recipe_data(x$data)
  unit <- check_unit_entry(x$unit)
  if (!is.list(x$releases) || !length(x$releases)) {
    stop_argument("releases", "must be a list of releases, as [{release: mean, box: {age: [15, 50]}, epsilon: 1}].")
  }
  # a single release needs no brackets
  x$releases <- if ("release" %in% names(x$releases)) list(x$releases) else unname(x$releases)
  releases <- lapply(seq_along(x$releases), function(i) check_release(x$releases[[i]], place_of(i, x$releases), unit))
  names <- release_names(releases)
  releases <- Map(function(one, name) utils::modifyList(one, list(name = name)), releases, names, USE.NAMES = FALSE)
  budget <- if (!is.null(x$budget)) check_budget_entry(x$budget)
  c(if (!is.null(data)) list(data = data), list(unit = unit), if (!is.null(budget)) list(budget = budget),
    list(releases = lapply(releases, function(one) one[union(c("release", "name"), names(one))])))
}

place_of <- function(i, releases) if (length(releases) == 1) "releases" else paste0("releases[", i, "]")

# Checks that all names are known and unique.
check_entries <- function(x, known, where) {
  refuse <- function(...) if (is.null(where)) stop_dptda("argument", "The recipe ", ...) else stop_argument(where, ...)
  if (!is.list(x) || is.object(x) || (length(x) && !are_names(names(x)))) {
    refuse("must have names, each once, and a value for each.")
  }
  wrong <- setdiff(names(x), known)
  if (length(wrong)) {
    refuse("has `", wrong[1], "`. Its entries may be ", quote_names(known, 20), did_you_mean(wrong[1], known), ".")
  }
  x
}

check_recipe_data <- function(data) {
  check_entries(data, c("file", "separator", "decimal", "missing", "invalid"), "data")
  texts <- unlist(data[intersect(c("file", "separator", "decimal", "invalid"), names(data))])
  if (is.numeric(data$missing)) {
    stop_argument("data$missing", "must be strings, as the fields stand in the file: write [\"",
                  write_numbers(data$missing[1]), "\"], in quotes.")
  }
  if (!all(vapply(data, is.character, NA)) || anyNA(unlist(data)) || length(texts) > 4) {
    stop_argument("data", "must have strings for `file`, `separator`, `decimal`, `missing` and `invalid`.")
  }
  if (!is.null(data$separator)) data$separator <- check_choice(data$separator, separators, "data$separator")
  if (!is.null(data$decimal)) data$decimal <- check_choice(data$decimal, c(".", ","), "data$decimal")
  if (!is.null(data$invalid)) data$invalid <- check_choice(data$invalid, c("error", "missing"), "data$invalid")
  data
}

check_unit_entry <- function(unit) {
  if (is.null(unit)) {
    stop_missing("unit", "the protected unit, e.g., {rows: 248} or {people: 100, person: patient}")
  }
  check_entries(unit, c("rows", "people", "person"), "unit")
  if (is.null(unit$people) == is.null(unit$rows) || is.null(unit$people) != is.null(unit$person)) {
    stop_argument("unit", "must have `rows`, their number, or `people`, their number, with `person`, the column that ",
                  "identifies people.")
  }
  if (!is.null(unit$rows)) return(list(rows = check_count(entry_number(unit$rows), 1, arg = "unit$rows")))
  list(people = check_count(entry_number(unit$people), 1, max_people, arg = "unit$people"),
       person = check_entry_string(unit$person, "unit$person"))
}

check_entry_string <- function(x, arg) {
  if (!is_one_string(x) || !nzchar(x)) stop_argument(arg, "must be a string, not ", describe(x), ".")
  enc2utf8(x)
}

check_budget_entry <- function(budget) {
  check_entries(budget, budget_entries, "budget")
  if (!is.null(budget$ledger)) budget$ledger <- check_entry_string(budget$ledger, "budget$ledger")
  if (is.null(budget$epsilon) && is.null(budget$rho) && is.null(budget$mu)) {
    if (is.null(budget$ledger)) {
      stop_argument("budget", "must have `epsilon`, `rho`, `mu`, or `ledger`, the file of a budget.")
    }
    if (!is.null(budget$delta)) stop_argument("budget$delta", "goes with `epsilon`.")
    return(budget["ledger"])
  }
  budget[cost_forms] <- check_cost_entry(budget, "budget", cost_forms)
  if (!is.null(budget$composition)) {
    if (is.null(budget$delta)) stop_argument("budget$composition", "goes with `delta`.")
    budget$composition <- check_choice(budget$composition, compositions, "budget$composition")
  }
  Filter(Negate(is.null), budget[budget_entries])
}

# Checks a cost as check_cost() does, with messages that name the entry.
check_cost_entry <- function(x, where, takes) {
  x[cost_forms] <- lapply(x[cost_forms], entry_number)
  named <- function(name) paste0(where, "$", name)
  form <- Filter(function(name) !is.null(x[[name]]), setdiff(cost_forms, "delta"))
  if (length(form) != 1) stop_argument(where, "must have either `epsilon`, `rho`, or `mu`, its privacy cost.")
  x[[form]] <- check_number(x[[form]], 0, arg = named(form), open_lower = TRUE)
  if (!is.null(x$delta)) {
    x$delta <- check_number(x$delta, 0, 1, arg = named("delta"), open_lower = TRUE, open_upper = TRUE)
    if (form != "epsilon") stop_argument(named("delta"), "goes with `epsilon`, not with `", form, "`.")
    form <- "delta"
  }
  if (!form %in% takes) {
    ways <- c(epsilon = "`epsilon`", delta = "`epsilon` with `delta`", rho = "`rho`", mu = "`mu`")[takes]
    stop_argument(where, "must have ", paste(ways, collapse = " or "), ": there is no other way to make this release.")
  }
  x[cost_forms]
}

check_release <- function(x, where, unit) {
  if (!is.list(x) || is.null(names(x))) {
    stop_argument(where, "must be a release, as {release: mean, box: {age: [15, 50]}, epsilon: 1}, not ", describe(x),
                  ".")
  }
  kinds <- names(recipe_kinds)
  if (is.null(x$release)) stop_argument(where, "must have `release`, one of ", quote_names(kinds, 20), ".")
  kind <- x$release
  if (!is_one_string(kind) || !kind %in% kinds) {
    stop_argument(paste0(where, "$release"), "must be one of ", quote_names(kinds, 20), ", not ", describe(kind),
                  if (is_one_string(kind)) did_you_mean(kind, kinds), ".")
  }
  known <- recipe_kinds[[kind]]
  check_entries(x, c("release", "name", cost_forms, known$needs, known$may), where)
  absent <- setdiff(known$needs, names(x))
  if (length(absent)) {
    stop_argument(where, "must have `", absent[1], "` for ", with_article(tolower(known$title)), ": ",
                  setting_words[[absent[1]]], ".")
  }
  given <- intersect(c(known$needs, known$may), names(x))
  x[given] <- Map(function(value, name) check_setting(value, name, paste0(where, "$", name)), x[given], given)
  domain <- known$needs[1]
  if (identical(known$columns, c(1, 1)) && length(x[[domain]]) != 1) {
    stop_argument(paste0(where, "$", domain), "must be of one column, not of ", length(x[[domain]]), ".")
  }
  check_model_entry(x, where)
  check_curve_entry(x, where)
  if (needs_people(kind) && is.null(unit$person)) {
    stop_argument("unit", "must be people here, e.g., {people: 100, person: patient}, because ", people_reason)
  }
  if (!is.null(x$name)) x$name <- check_entry_string(x$name, paste0(where, "$name"))
  x[cost_forms] <- check_cost_entry(x, where, kind_costs(kind))
  if (!is.null(unit$person) && unit$person %in% names(entry_types(x))) {
    stop_argument(where, "must not use the column that identifies people, `", unit$person, "`.")
  }
  Filter(Negate(is.null), x[c("release", "name", given, cost_forms)])
}

setting_words <- c(
  box = "the bounds of the values, e.g., {age: [15, 50]}", levels = "the levels of each column, e.g., {sex: [f, m]}",
  breaks = "the breaks of the intervals, e.g., {age: [15, 30, 50]}", where = "a condition, e.g., {age: {above: 65}}",
  schema = "the public domain of each column, e.g., {age: {type: number, lower: 15, upper: 50, cells: 7}, sex: [f, m]}",
  response = "the column that a model explains", success = "the value of the response that counts as a success",
  k = "the number of clusters", rank = "the number of axes",
  m0 = "the fraction of nearest rows to average over, e.g., 0.1",
  spacing = "the distance between neighboring points of the grid",
  curve = "one of `landscape`, `betti`, and `life`", range = "the range of levels, e.g., [0, 2]",
  dimension = "0 for components, 1 for loops",
  radius = "the largest length of a curve, which curve_radius() finds from public diagrams"
)

curve_names <- c("landscape", "betti", "life")

people_reason <- "each person's own rows become one diagram."

# Converts numeric settings that YAML reads as strings, such as 1e-6 and 010.
entry_number <- function(x) {
  if (is.character(x) && is.null(names(x)) && length(x) && all(is_number_text(x))) as.double(x) else x
}

check_setting <- function(x, name, arg) {
  if (is_one_string(x) && !name %in% c("response", "success", "terms")) x <- entry_number(x)
  switch(name,
    box = check_named(x, arg, setting_words[["box"]], check_side_entry),
    breaks = check_named(x, arg, setting_words[["breaks"]], check_breaks_entry, most = 1),
    levels = , by = check_named(x, arg, setting_words[["levels"]], check_levels_entry),
    where = check_named(x, arg, setting_words[["where"]], check_where_entry, most = 1),
    schema = check_named(x, arg, setting_words[["schema"]], check_schema_entry),
    probs = check_numbers_entry(x, arg, 0, 1),
    k = , rank = , rows = check_count(x, 1, arg = arg),
    max_dimension = , dimension = check_count(x, 0, arg = arg),
    curve = check_choice(x, curve_names, arg),
    range = check_side_entry(check_numbers_entry(x, arg), arg),
    radius = check_curve_radius(x, arg),
    level = check_count(x, 1, max_curve_level, arg = arg),
    normalize = check_flag(x, arg),
    size = check_count(x, 2, max_released_size, arg = arg),
    smooth = check_count(x, 1, arg = arg),
    r = check_number(x, 1, arg = arg),
    m0 = check_number(x, 0, 1, arg = arg, open_lower = TRUE),
    step = , spacing = , clip = check_number(x, 0, arg = arg, open_lower = TRUE),
    method = check_choice(x, method_names("synthesis"), arg),
    response = check_entry_string(x, arg),
    success = check_levels_entry(x, arg),
    terms = check_terms_entry(x, arg),
    missing = check_choice(x, "omit", arg)
  )
}

# Checks one named value per column.
check_named <- function(x, arg, words, check, most = Inf) {
  if (!(is.list(x) || is.atomic(x)) || is.object(x) || !are_names(names(x)) || length(x) > most) {
    stop_argument(arg, "must be ", words, if (most == 1) ", of one column", ", not ", describe(x), ".")
  }
  # longer names are not valid in YAML keys or in R
  if (any(nchar(names(x)) > 500)) stop_argument(arg, "must have names of columns of at most 500 characters.")
  Map(function(value, name) check(value, paste0(arg, "$", name)), as.list(x), names(x))
}

# Converts a value to a vector. A YAML sequence with several types arrives as a list.
entry_vector <- function(x) {
  if (inherits(x, "Date")) return(format(x))
  if (is.factor(x)) return(as.character(x))
  if (is.list(x) && !is.object(x) && all(lengths(x) == 1) && all(vapply(x, is.atomic, NA))) {
    x <- with_plain_numbers(unlist(x)) # if one element is text, numbers become text
  }
  if (is.object(x)) return(NULL)
  if (is.character(x)) return(enc2utf8(unname(x)))
  if (is.numeric(x)) as.double(x) else unname(x)
}

check_numbers_entry <- function(x, arg, lower = -Inf, upper = Inf) {
  x <- entry_number(entry_vector(x))
  if (!is.numeric(x) || !length(x) || anyNA(x) || any(x < lower | x > upper)) {
    stop_argument(arg, "must be numbers", range_words(lower, upper, FALSE, FALSE), ", not ", describe(x), ".")
  }
  x
}

# Checks numbers or dates. Dates stay strings, because their alphabetical order is their order in time.
check_ends <- function(x, arg, what) {
  x <- entry_number(entry_vector(x))
  good <- (is.numeric(x) && all(is.finite(x))) || (is.character(x) && all(is_date_text(x)))
  if (!good) {
    stop_argument(arg, "must be ", what, ", of numbers or of dates as 2024-12-31, not ", describe_ends(x), ".")
  }
  x
}

# Describes the first value that is neither a number nor a date.
describe_ends <- function(x) {
  wrong <- if (is.character(x)) which(!is_number_text(x) & !is_date_text(x))
  if (!length(wrong)) return(describe(x))
  wrong <- x[wrong[1]]
  near <- suppressWarnings(as.double(wrong))
  if (!grepl("^[-+]?[0-9]+$", wrong) || is.infinite(near)) return(describe(wrong))
  paste0(describe(wrong), ": doubles do not hold this integer exactly. Write ", sprintf("%.0f", near))
}

check_side_entry <- function(x, arg) {
  x <- check_ends(x, arg, "a pair [lower, upper]")
  if (length(x) != 2) stop_argument(arg, "must be a pair [lower, upper], not ", describe(x), ".")
  if (!x[1] < x[2]) {
    stop_argument(arg, "must be [lower, upper], the second above the first, and ", x[2], " is ",
                  if (x[1] == x[2]) "the same" else paste("below", x[1]), ".")
  }
  x
}

check_breaks_entry <- function(x, arg) {
  x <- check_ends(x, arg, "the breaks of intervals")
  if (length(x) < 2 || is.unsorted(x, strictly = TRUE)) {
    stop_argument(arg, "must be at least two increasing breaks.")
  }
  x
}

check_levels_entry <- function(x, arg) {
  x <- entry_vector(x)
  if (!is.atomic(x) || !length(x) || anyNA(x)) {
    stop_argument(arg, "must be levels, as [low, high], not ", describe(x), ".")
  }
  if (anyDuplicated(x)) stop_argument(arg, "must have each level once.")
  x
}

check_terms_entry <- function(x, arg) {
  x <- entry_vector(x)
  if (!is.character(x) || !length(x) || anyNA(x) || anyDuplicated(x)) {
    stop_argument(arg, "must be columns and interactions, each once, as [age, sex, \"age:sex\"].")
  }
  x
}

# The columns of a model: its response is in the box, or has the value `success`, and each other column is in a term.
check_model_entry <- function(x, where) {
  if (is.null(x$response)) return(invisible())
  named <- function(name) paste0(where, "$", name)
  declared <- c(names(x$box), names(x$levels))
  twice <- declared[duplicated(declared)]
  if (length(twice)) stop_argument(named("levels"), "must not have `", twice[1], "`, which is in the box.")
  linear <- is.null(x$success)
  if (linear && !x$response %in% names(x$box)) {
    stop_argument(named("box"), "must have the bounds of the response, `", x$response, "`.")
  }
  if (!linear && x$response %in% declared) {
    stop_argument(named("response"), "must have no bounds or levels, because `success` is its only public value.")
  }
  if (!linear && length(x$success) != 1) stop_argument(named("success"), "must be one value.")
  others <- setdiff(declared, x$response)
  if (!length(others)) stop_argument(named("box"), "must have a column besides the response.")
  columns <- union(declared, x$response)
  parts <- lapply(x$terms, term_columns, columns)
  used <- if (is.null(x$terms)) others else unique(unlist(parts))
  if (x$response %in% used) stop_argument(named("terms"), "must not have the response, `", x$response, "`.")
  unknown <- setdiff(c(x$terms[vapply(parts, paste, "", collapse = ":") != x$terms], used), others)
  if (length(unknown)) stop_argument(named("terms"), "must be of columns with bounds or levels. `", unknown[1],
                                     "` has none", did_you_mean(unknown[1], others), ".")
  unused <- setdiff(others, used)
  if (length(unused)) stop_argument(named("terms"), "must have each column. `", unused[1], "` is in none.")
}

# Settings that would fail for each person, and then release only noise, or that the curve does not have.
check_curve_entry <- function(x, where) {
  if (is.null(x$curve)) return(invisible())
  named <- function(name) paste0(where, "$", name)
  if (x$dimension >= length(x$box)) {
    stop_argument(named("dimension"), "must be below the number of columns, ", length(x$box), ", not ", x$dimension,
                  ".")
  }
  if (!is.null(x$clip) && x$range[1] >= x$clip) {
    stop_argument(named("range"), "must begin below `clip`, because no distance is larger.")
  }
  if (!is.null(x$level) && x$curve != "landscape") stop_argument(named("level"), "goes with `curve: landscape`.")
  if (!is.null(x$normalize) && x$curve != "life") stop_argument(named("normalize"), "goes with `curve: life`.")
}

check_where_entry <- function(x, arg) {
  tests <- names(tests_of_rows)
  if (!(is.list(x) || is.atomic(x)) || is.null(names(x)) || length(x) != 1) {
    stop_argument(arg, "must be one test, as {above: 65}, with one of ", quote_names(tests, 20), ".")
  }
  x <- check_entries(as.list(x), tests, arg)
  value <- check_levels_entry(x[[1]], arg)
  if (names(x) != "one_of" && length(value) != 1) {
    stop_argument(arg, "must have one value; several are {one_of: [...]}.")
  }
  if (all(has_date_form(value)) && !all(is_date_text(value))) {
    stop_argument(arg, "must have dates that are in the calendar, not ", describe(value[!is_date_text(value)][1]), ".")
  }
  ordered <- names(x) %in% c("above", "at_least", "below", "at_most")
  if (ordered) value <- entry_number(value)
  if (ordered && !is.numeric(value) && !is_date_text(value)) {
    stop_argument(arg, "must have a number or a date where it has `", names(x), "`, not ", describe(value), ".")
  }
  structure(list(value), names = names(x))
}

schema_entry_fields <- list(number = c("lower", "upper", "cells", "breaks", "whole", "missing"),
                            date = c("lower", "upper", "by", "missing"), logical = "missing",
                            category = c("levels", "other", "missing"), ordered = c("levels", "other", "missing"))

check_schema_entry <- function(x, arg) {
  if (!is.list(x) || is.null(names(x))) return(check_levels_entry(x, arg))
  types <- names(schema_entry_fields)
  if (!is_one_string(x$type) || !x$type %in% types) {
    stop_argument(paste0(arg, "$type"), "must be one of ", quote_names(types), ", not ", describe(x$type),
                  if (is_one_string(x$type)) did_you_mean(x$type, types), ".")
  }
  check_entries(x, c("type", schema_entry_fields[[x$type]]), arg)
  if (x$type %in% c("number", "date")) {
    if (is.null(x$lower) || is.null(x$upper)) {
      stop_argument(arg, "must have `lower` and `upper`, the bounds of its values.")
    }
    ends <- check_side_entry(c(entry_vector(x$lower), entry_vector(x$upper)), arg)
    x$lower <- ends[1]
    x$upper <- ends[2]
    if (is.character(ends) != (x$type == "date")) stop_argument(arg, "must have ends of its type, ", x$type, ".")
  }
  if (x$type %in% c("category", "ordered") && is.null(x$levels)) stop_argument(arg, "must have `levels`.")
  if (!is.null(x$levels)) x$levels <- check_levels_entry(x$levels, paste0(arg, "$levels"))
  if (!is.null(x$breaks)) x$breaks <- check_numbers_entry(x$breaks, paste0(arg, "$breaks"))
  if (!is.null(x$cells)) x$cells <- check_count(entry_number(x$cells), 1, arg = paste0(arg, "$cells"))
  x[lengths(x) > 0]
}

# Names of releases, valid for files and in R: the user's names, or the kinds of the releases.
release_names <- function(releases) {
  asked <- vapply(releases, function(one) if (is.null(one$name)) one$release else one$name, "")
  plain <- gsub("[^A-Za-z0-9_]+", "_", asked)
  plain[!grepl("^[A-Za-z]", plain)] <- paste0("release_", plain[!grepl("^[A-Za-z]", plain)])
  # scripts use these names for other objects
  taken <- grepl("^(x|n|budget|plan|given|file|folder|(box|grid|each|breaks|levels|schema|by)(_[0-9]+)?)$", plain)
  plain[taken] <- paste0("release_", plain[taken])
  make.unique(substr(plain, 1, 60), sep = "_")
}

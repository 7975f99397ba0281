# Refuses calls written as in other packages (na.rm, a formula, the bare name of a column, summarise()) and shows the
# call that works, with the user's names. Only the text of the call is read here. Values are not, because they may be
# data.

# Releases that accept rows whose missing values are dropped, with the nouns for their results in messages.
omitting_releases <- c(count = "counts", table = "tables", histogram = "histograms", sum = "sums", mean = "means",
                       covariance = "covariances", lm = "regressions", glm = "regressions", quantile = "quantiles")

register(omitting = sub(", quantiles", " and quantiles", toString(unique(omitting_releases))))

# `frame`: the frame number of the call. `dots`: the names of unknown arguments.
refuse_call <- function(frame, dots) {
  words <- call_words(frame)
  if (!is.null(words)) {
    refuse_groups_of_mask(words)
    refuse_formulas(words)
    refuse_bare_names(words)
    if (length(dots)) refuse_dots(words, dots)
    tell_groups(words)
  }
  if (frame > 0 && "of" %in% names(formals(sys.function(frame)))) refuse_design(dots)
  if ("by" %in% dots && frame > 0) refuse_by(names(formals(sys.function(frame))))
}

register(refuse_call = refuse_call)

refuse_by <- function(known) {
  if (!"epsilon" %in% known) return(invisible())
  stop_argument("by", "is not an argument here. private_count(), private_table(), private_histogram(), private_sum(), ",
                "private_mean(), private_quantile(), private_proportion() and private_covariance() have it.",
                if (all(c("box", "bits") %in% known))
                  " For the variances in each group, write private_covariance(x, box, by = ...).")
}

# Returns the name of a release, its arguments as expressions, the names of its formals, and the environment of its
# caller. Returns NULL if it was not called by its name.
call_words <- function(frame) {
  if (frame == 0) return(NULL)
  call <- sys.call(frame)
  head <- call[[1]]
  if (is.call(head) && identical(head[[1]], quote(`::`))) head <- head[[3]]
  if (!is.symbol(head) || !startsWith(as.character(head), "private_")) return(NULL)
  fun <- sys.function(frame)
  hidden <- any(vapply(as.list(call)[-1], identical, NA, quote(...)))
  given <- if (!hidden) as.list(match.call(fun, call))[-1] else list()
  list(name = as.character(head), given = given, known = names(formals(fun)),
       caller = do.call(parent.frame, list(), envir = sys.frame(frame)))
}

# Names of objects may appear in messages. Other expressions may hold data, as in do.call().
is_object_name <- function(x) {
  if (is.symbol(x)) return(!as.character(x) %in% c(".", ""))
  is.call(x) && (identical(x[[1]], quote(`$`)) || identical(x[[1]], quote(`::`))) && is_object_name(x[[2]]) &&
    is.symbol(x[[3]])
}

show_object <- function(x, otherwise = "x") if (is_object_name(x)) deparse1(x, backtick = TRUE) else otherwise

data_words <- function(words) show_object(words$given[[words$known[1]]])

# Returns an example of how a public argument names a column.
public_words <- function(arg, column) {
  name <- show_name(column)
  switch(arg, box = paste0("list(", name, " = c(lower, upper))"), breaks = paste0("list(", name, " = c(0, 10, 20))"),
         levels = paste0("list(", name, " = c(\"a\", \"b\"))"), by = paste0("by = list(", name, " = c(\"a\", \"b\"))"),
         columns = paste0("columns = ", deparse1(column)))
}

has_name <- function(symbol, words) exists(as.character(symbol), envir = words$caller)

# Refuses calls inside summarise() or mutate() of a grouped table.
refuse_groups_of_mask <- function(words) {
  if (!inherits(get0(".data", envir = words$caller), "rlang_data_pronoun") || !isNamespaceLoaded("dplyr")) return(NULL)
  groups <- value_or(names(dplyr::cur_group()), NULL)
  if (!length(groups)) return(invisible())
  stop_dptda("argument", words$name, "() cannot be called for each group by dplyr, because groups and their sizes ",
             "would be read from the data. Give it the table without groups and their public levels, as in ",
             words$name, "(x, ..., ", public_words("by", groups[1]), ").")
}

refuse_formulas <- function(words) {
  for (arg in setdiff(names(words$given), "formula")) {
    formula <- words$given[[arg]]
    if (!is.call(formula) || !identical(formula[[1]], quote(`~`))) next
    first <- arg == words$known[1]
    if ("formula" %in% words$known) {
      stop_argument(arg, "must not be a formula. The data come first: ", words$name, "(",
                    show_object(words$given[["data"]], "data"), ", ", deparse1(formula), ", ...).")
    }
    others <- Filter(is_object_name, words$given[names(words$given) != arg])
    data <- if (first) show_object(c(others, quote(x))[[1]]) else data_words(words)
    place <- if (first) intersect(c("box", "levels", "breaks", "columns"), words$known)[1] else arg
    shown <- if (length(all.vars(formula)) && !is.na(place)) public_words(place, all.vars(formula)[1])
    stop_argument(arg, "must not be a formula. ", if (!is.null(shown)) {
      c("Name the column, as in ", words$name, "(", data, ", ", shown, ", ...).")
    } else "Give the data as they are.")
  }
}

# Refuses a bare name if no object has that name, because it may name a column.
refuse_bare_names <- function(words) {
  for (arg in setdiff(names(words$given), words$known[1])) {
    given <- words$given[[arg]]
    if (is.symbol(given) && nzchar(as.character(given)) && !has_name(given, words)) {
      shown <- public_words(arg, as.character(given))
      if (is.null(shown)) next
      stop_argument(arg, "must not be the bare name of a column, and there is no object `", as.character(given),
                    "`. Write ", words$name, "(", data_words(words), ", ", shown, ", ...).")
    }
    if (is.call(given) && words$name %in% c("private_count", "private_proportion")) refuse_bare_condition(words, given)
  }
}

refuse_bare_condition <- function(words, given) {
  tests <- c("==", "!=", "<", "<=", ">", ">=", "%in%", "!", "&", "|")
  if (!is.symbol(given[[1]]) || !as.character(given[[1]]) %in% tests) return(invisible())
  absent <- Filter(function(name) !has_name(name, words), all.vars(given))
  if (!length(absent)) return(invisible())
  stop_dptda("argument", "There is no object `", absent[1], "`. A condition on a column names its table: write ",
             words$name, "(", data_words(words), "$", show_name(absent[1]), " == \"a\", ...).")
}

refuse_dots <- function(words, dots) {
  unit <- intersect(dots, c("person", "missing", "na.rm", "na.action", "use"))
  not_known <- function(arg, ...) stop_argument(arg, "is not an argument of ", words$name, "(). ", ...)
  if (length(unit) && words$known[1] == "x") not_known(unit[1], table_rows_words(words, unit))
  weights <- intersect(dots, c("weights", "weight"))
  if (length(weights)) not_known(weights[1], "Survey weights are not supported: each row, or person, counts once.")
  ends <- intersect(dots, c("lower", "upper", "min", "max", "range", "limits", "bounds"))
  if (length(ends) && "box" %in% words$known) {
    not_known(ends[1], "Write the public bounds as box = c(lower, upper), the second above the first.")
  }
  if ("data" %in% dots) {
    not_known("data", "The data come first: ", words$name, "(", show_object(words$given$data), ", ...).")
  }
  groups <- intersect(dots, c("group", "groups", "group_by", "strata"))
  if (length(groups) && "by" %in% words$known) {
    not_known(groups[1], "Groups have public levels: by = list(sex = c(\"f\", \"m\")).")
  }
}

# Refuses arguments of survey designs in confint().
refuse_design <- function(dots) {
  design <- intersect(dots, c("weights", "weight", "design", "strata", "cluster", "clusters", "fpc"))
  if (length(design)) {
    stop_argument(design[1], "is not an argument of confint(). Survey weights, strata, clusters, and finite ",
                  "populations are not supported. Intervals for the population assume independent draws from one ",
                  "distribution.")
  }
}

# Returns the correct call, with table_rows().
table_rows_words <- function(words, unit) {
  if (words$name == "private_synthesis" && !"person" %in% unit) {
    return("Missing values get a cell in the schema, as in schema_numeric(0, 100, missing = \"level\").")
  }
  value <- function(arg, otherwise) {
    given <- words$given[[arg]]
    literal <- is.atomic(given) && length(given) == 1 && is.null(attributes(given))
    if (literal && is_object_name(words$given[[words$known[1]]])) deparse1(given) else show_object(given, otherwise)
  }
  fill <- filled_missing(words$name)
  filled <- length(setdiff(unit, "person")) > 0
  settings <- c(if ("person" %in% unit) paste("person =", value("person", "\"column\"")),
                if (filled) paste("missing =", if ("missing" %in% unit) value("missing", fill) else fill))
  c("Write ", words$name, "(table_rows(", data_words(words), ", ", paste(settings, collapse = ", "), "), ...).",
    if (filled && !"missing" %in% unit && fill == "value") " There, `value` is a public number that replaces them.")
}

# Returns an example of `missing` for a release. Not all releases accept rows that drop missing values.
filled_missing <- function(name) {
  if (name %in% paste0("private_", c(names(omitting_releases), "median"))) return("\"omit\"")
  if (name == "private_proportion") "FALSE" else "value"
}

# ---- groups by hand --------------------------------------------------------------------------------------------------

# Texts of calls with a budget that selected one group by a condition: strings, without values from rows.
groups_by_hand <- new.env(parent = emptyenv())

# Gives a message if the same release was called, with a budget, for another group of the same table: each group is
# charged, while `by` charges once. Only the text of calls is read, such as x[x$sex == "f", ].
tell_groups <- function(words) {
  if (!"by" %in% words$known || is.null(words$given$budget) || !is.null(words$given$by)) return(invisible())
  group <- group_of_call(words$given[[words$known[1]]])
  if (is.null(group)) return(invisible())
  key <- paste(words$name, group$table, group$column)
  earlier <- groups_by_hand[[key]]
  assign(key, group$level, groups_by_hand)
  if (is.null(earlier) || earlier == group$level) return(invisible())
  tell_dptda("groups", "The budget is charged for each group of `", group$column, "`. ", words$name, "(by = list(",
             show_name(group$column), " = c(", earlier, ", ", group$level,
             "))) releases all groups for the cost of one.")
}

# Returns the names of a table and of the column that selects its rows, and the level as text, or NULL. Levels must be
# constants in the text of the call.
group_of_call <- function(x) {
  if (!is.call(x) || length(x) < 3) return(NULL)
  verb <- if (is.symbol(x[[1]])) as.character(x[[1]]) else
    if (identical(x[[1]], quote(dplyr::filter))) "filter" else ""
  if (!verb %in% c("[", "subset", "filter")) return(NULL)
  condition <- x[[3]]
  if (!is.call(condition) || !identical(condition[[1]], quote(`==`)) || !is_object_name(x[[2]])) return(NULL)
  level <- condition[[3]]
  if (!is.atomic(level) || length(level) != 1 || is.object(level)) return(NULL)
  side <- condition[[2]]
  masked <- verb != "["
  if (masked && !is.symbol(side) || !masked && !(is.call(side) && identical(side[[1]], quote(`$`)))) return(NULL)
  if (!masked && !is_object_name(side)) return(NULL)
  table <- if (!masked) side[[2]] else x[[2]]
  list(table = deparse1(table), column = as.character(if (masked) side else side[[3]]), level = deparse1(level))
}

# Margins that matter to the user: sets of columns with weights. Names are checked against a schema when a mechanism
# is made. All of this is public. AIM chooses among the sets and their subsets, MST among their pairs.

# Returns a workload as a method stores it: a list of names, or NULL.
check_workload <- function(workload) {
  if (is.null(workload)) return(NULL)
  if (inherits(workload, "formula")) workload <- formula_sets(workload)
  good <- is.list(workload) && !is.object(workload) && length(workload) > 0 &&
    all(vapply(workload, function(set) is.character(set) && !is.object(set) && are_names(set), NA))
  if (!good) {
    stop_argument("workload", "must be a formula such as ~ a * b, or a list of character vectors that name columns, ",
                  "each of them once, not ", describe(workload), ".")
  }
  workload <- unname(lapply(workload, as.vector))
  if (any(lengths(workload) > most_workload_columns)) {
    stop_argument("workload", "must have at most ", most_workload_columns, " columns in a set, not ",
                  max(lengths(workload)), ".")
  }
  if (anyDuplicated(lapply(workload, sort.int))) stop_argument("workload", "must not contain a set of columns twice.")
  workload
}

# A set of five columns has 31 subsets.
most_workload_columns <- 5

# The terms of a formula that are not contained in another.
formula_sets <- function(formula) {
  if (length(formula) != 2) stop_argument("workload", "must be a formula without a left side.")
  if ("." %in% all.vars(formula)) stop_argument("workload", "must name its columns instead of using `.`.")
  terms <- tryCatch(stats::terms(formula),
                    error = function(e) stop_argument("workload", "must be a formula of columns."))
  variables <- as.list(attr(terms, "variables"))[-1]
  if (length(variables) == 0 || !all(vapply(variables, is.name, NA))) {
    other <- Find(Negate(is.name), variables)
    stop_argument("workload", "must be a formula of columns",
                  if (!is.null(other)) paste0(", but `", deparse1(other), "` is not a column"), ".")
  }
  names <- vapply(variables, as.character, "")
  factors <- attr(terms, "factors") > 0
  sets <- lapply(seq_len(ncol(factors)), function(j) names[factors[, j]])
  within <- function(i) any(vapply(sets[-i], function(other) all(sets[[i]] %in% other), NA))
  sets[!vapply(seq_along(sets), within, NA)]
}

check_workload_weights <- function(weights, workload) {
  if (is.null(weights)) return(NULL)
  if (is.null(workload)) stop_argument("weights", "must be NULL without `workload`.")
  good <- is_numbers(weights) && length(weights) == length(workload) && all(weights > 0 & is.finite(weights))
  if (!good) {
    stop_argument("weights", "must be ", count_of(length(workload), "positive number"), ", one for each set of ",
                  "`workload`, not ", describe(weights), ".")
  }
  as.double(weights)
}

# The sets as places of columns, and their weights. NULL without a workload.
workload_places <- function(method, sizes) {
  if (is.null(method$workload)) return(NULL)
  absent <- setdiff(unlist(method$workload), names(sizes))
  if (length(absent)) stop_argument("workload", "names `", absent[1], "`, which is not a column of the schema.")
  list(sets = lapply(method$workload, function(set) sort.int(match(set, names(sizes)))),
       weights = if (is.null(method$weights)) rep(1, length(method$workload)) else method$weights)
}

# The public parameters for a guarantee.
workload_words <- function(method) {
  if (is.null(method$workload)) return(NULL)
  list(workload = vapply(method$workload, paste, "", collapse = ", "), weights = method$weights)
}

# All subsets of the sets: single columns first, then by number of columns.
workload_closure <- function(sets, columns) {
  inner <- lapply(sets, function(set) {
    unlist(lapply(seq_along(set), function(k) utils::combn(length(set), k, function(at) set[at], simplify = FALSE)),
           recursive = FALSE)
  })
  inner <- unique(unlist(inner, recursive = FALSE))
  inner <- inner[lengths(inner) > 1]
  c(as.list(seq_len(columns)), inner[order(lengths(inner))])
}

# The importance of scopes for the workload: the sum over its sets of the number of shared columns, times the weight
# of the set. If `inside`, the sum of the weights of the sets that contain the scope.
workload_weight <- function(scopes, workload, inside = FALSE) {
  weights <- vapply(scopes, function(scope) {
    shared <- vapply(workload$sets, function(set) sum(scope %in% set), 0)
    sum(workload$weights * if (inside) shared == length(scope) else shared)
  }, 0)
  whole_weights(weights)
}

# Returns integers of at least 1. Weights that are not integers up to 256 are scaled and rounded.
whole_weights <- function(weights) {
  if (any(weights != round(weights)) || max(0, weights) > 256) weights <- round(256 * weights / max(weights))
  pmax(1, weights)
}

workload_pairs <- function(sets, columns) {
  scopes <- workload_closure(sets, columns)
  scopes[lengths(scopes) == 2]
}

# The number of edges of any spanning forest of these pairs.
forest_size <- function(pairs, columns) {
  part <- seq_len(columns)
  for (pair in pairs) part[part == part[pair[2]]] <- part[pair[1]]
  columns - length(unique(part))
}

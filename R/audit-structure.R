# Features of the structure of an output: types, names, attributes, classes, texts and their positions, the sign of a
# zero, and values after the first `most_numbers`. Each feature is a number that is equal for equal things.
# audit_mechanism() learns on these separately from audit_features(), so that they do not displace numbers.
#
# An output is traversed by position, including its attributes. The name of a feature contains the path: the value of
# `[[2]]@names has "bob"` is the position of "bob" among the names of the second element. Features that are equal in all
# runs, or that occur in fewer than five, are dropped, because they cannot separate the data sets.
#
# Environments of formulas, closures, and attributes are traversed like lists, with their parents, once per output. The
# global environment, namespaces, packages, and environments that the previous output had in the same place are not.

# Returns list(read, blocks). `read` converts an output to the numbers of its blocks of features. An element that is
# equal to the last one read at the same path keeps its blocks. Most of an object is the same in all runs, and
# run_entries() drops blocks that all runs share.
structure_reader <- function() {
  last <- new.env(parent = emptyenv())
  blocks <- list()
  digest <- new_digest()
  entered <- list()
  read <- function(x, path) {
    key <- paste0("at ", path)
    before <- last[[key]]
    if (!is.null(before) && unchanged(before$x, x)) return(before$ids)
    entry <- environment_entry(x, entered)
    own <- if (!identical(entry, 0)) own_attributes(x)
    features <- c(kind_features(x, own, path, digest), leaf_features(x, path, digest),
                  if (!is.null(entry)) named(entry, paste0(path, ":entry")))
    blocks[[length(blocks) + 1]] <<- features
    ids <- length(blocks)
    met <- !is.null(entry) && entry > length(entered)
    if (met) entered[[entry]] <<- x
    # not traversed when first read at a path, so an environment that all runs share never is
    walked <- met && !is.null(before)
    parts <- c(if (is.null(entry)) inner_elements(x) else if (walked) environment_parts(x), own)
    paths <- inner_paths(parts, length(own), path, named = walked)
    for (i in seq_along(parts)) ids <- c(ids, read(parts[[i]], paths[i]))
    assign(key, list(x = x, ids = ids), last)
    ids
  }
  read_output <- function(x) {
    entered <<- list()
    read(x, "")
  }
  list(read = read_output, blocks = function() blocks)
}

named <- function(values, names) {
  names(values) <- names
  values
}

# Compares bytes too, because identical() ignores how a string is encoded. Not for environments and functions.
unchanged <- function(a, b) {
  identical(a, b, num.eq = FALSE, single.NA = FALSE, attrib.as.set = FALSE) && (is.environment(a) || is.function(a) ||
    identical(bytes_of(a), bytes_of(b)))
}

bytes_of <- function(x) serialize(x, NULL, version = 2, refhook = function(reference) "")

# Returns two features of a node: a code for its type and the names of its attributes in order, and its length.
kind_features <- function(x, own, path, digest) {
  type <- if (length(own)) digest(c(typeof(x), names(own))) else match(typeof(x), plain_types, 0L)
  size <- if (is.list(x) || is.atomic(x)) length(unclass(x)) else 1
  named(c(type, size), paste0(path, c(":type", ":length")))
}
plain_types <- c("NULL", "logical", "integer", "double", "character", "list", "complex", "raw", "closure", "language",
                 "symbol", "environment", "S4", "expression")

# Returns the paths of the nodes below: elements first, then attributes.
inner_paths <- function(parts, attributes, path, named = FALSE) {
  elements <- length(parts) - attributes
  spelled <- spell_texts(as.character(names(parts)))
  c(if (elements) paste0(path, if (named) paste0("$", spelled[seq_len(elements)]) else
      paste0("[[", seq_len(elements), "]]")),
    if (attributes) paste0(path, "@", spelled[elements + seq_len(attributes)]))
}
inner_elements <- function(x) {
  if (is.complex(x)) return(list(Re(x), Im(x)))
  if (typeof(x) == "closure") list(environment(x)) else if (is.list(x)) unname(as.list(unclass(x)))
}
# Returns attributes. A source reference is reduced to its line numbers and text, because the rest is from the session.
own_attributes <- function(x) {
  own <- attributes(x)
  if (inherits(own$srcref, "srcref")) own$srcref <- list(as.integer(own$srcref), source_text(own$srcref))
  own
}

source_text <- function(srcref) {
  tryCatch(suppressWarnings(as.character(srcref)), error = function(e) NULL) # the file may be gone
}

# Returns the index of an environment in `entered`, or the next index if it is new and may be traversed. Returns 0 if it
# belongs to the session or `entered` has `most` elements already, and NULL if `x` is not an environment.
environment_entry <- function(x, entered, most = 100) {
  if (!is.environment(x)) return(NULL)
  for (i in seq_along(entered)) if (identical(entered[[i]], x)) return(i)
  if (is_of_session(x) || length(entered) >= most) 0 else length(entered) + 1
}

# Tests for an environment on the search path, a namespace, or its imports. Compares the environments themselves,
# because a name is an attribute that anyone can set.
is_of_session <- function(x) {
  if (identical(x, baseenv())) return(TRUE)
  registered <- function(name) if (is_one_string(name)) .getNamespace(name)
  if (isNamespace(x) && identical(registered(value_or(getNamespaceName(x)[[1]], NULL)), x)) return(TRUE)
  name <- environmentName(x)
  imports <- if (is_one_string(name) && startsWith(name, "imports:")) {
    registered(sub("imports:", "", name, fixed = TRUE))
  }
  if (is.environment(imports) && identical(parent.env(imports), x)) return(TRUE)
  path <- globalenv()
  while (!identical(path, x) && !identical(path, emptyenv())) path <- parent.env(path)
  identical(path, x)
}

# Returns the contents by name, and the parent. Active bindings are left out, because reading one runs its function.
environment_parts <- function(x) {
  x <- as.environment(x)
  names <- setdiff(ls(x, all.names = TRUE, sorted = FALSE), "...")
  names <- sort(names[!vapply(names, bindingIsActive, NA, x)], method = "radix")
  values <- lapply(names, function(name) tryCatch(suppressWarnings(get(name, x, inherits = FALSE)),
                                                  error = function(e) NULL))
  c(named(values, names), list(`parent environment` = parent.env(x)))
}

leaf_features <- function(x, path, digest) {
  if (is.language(x) || is.function(x)) return(named(digest(deparse(x)), paste0(path, ":digest")))
  if (!is.atomic(x) || is.complex(x)) return(NULL)
  if (!is.factor(x)) x <- unclass(x) # methods of a class could return anything
  labels <- names(x)
  x <- as.vector(x)
  size <- length(x)
  seen <- if (size > most_numbers) x[seq_len(most_numbers)] else x
  c(
    if (is.character(x)) text_features(seen, path, digest),
    if (is.numeric(x)) named_features(seen, labels, path),
    if (is.numeric(x) || is.logical(x)) c(special_features(seen, path), value_features(seen, path)),
    if (size > 1 || is.character(x) || is.double(x) && anyNA(x)) named(digest(seen), paste0(path, ":digest")),
    if (size > most_numbers) rest_features(x[-seq_along(seen)], path, digest)
  )
}

# Returns the first position of each distinct text, and a digest of their set.
text_features <- function(texts, path, digest) {
  texts <- spell_texts(texts)
  first <- which(!duplicated(texts))
  if (!length(first)) return(NULL)
  c(named(first, paste0(path, " has \"", texts[first], "\"")),
    if (length(first) > 1) named(digest(sort(texts[first], method = "radix")), paste0(path, ":set")))
}

# Returns numbers by name. telling_columns() drops names that all runs have: audit_features() covers them by position.
named_features <- function(numbers, labels, path) {
  if (!length(labels)) return(NULL)
  labels <- spell_texts(labels[seq_along(numbers)])
  first <- !duplicated(labels)
  named(as.double(numbers)[first], paste0(path, "[\"", labels[first], "\"]"))
}
is_by_name <- function(columns) endsWith(as.character(columns), "\"]")

# Returns numbers that audit_features() may miss: numbers in attributes, and single numbers in lists, because names of
# lists can differ between runs.
value_features <- function(numbers, path) {
  if (!length(numbers)) return(NULL)
  if (grepl("@", path, fixed = TRUE)) {
    return(named(as.double(numbers), sprintf("%s[%d]:value", path, seq_along(numbers))))
  }
  if (length(numbers) == 1 && nzchar(path)) named(as.double(numbers), paste0(path, ":value"))
}

# Returns codes of special numbers, which comparison with `==` cannot distinguish.
special_features <- function(numbers, path) {
  if (!anyNA(numbers) && !(is.double(numbers) && any(1 / numbers == -Inf))) return(NULL)
  code <- special_code(numbers)
  special <- which(code > 0)
  if (length(special)) named(code[special], sprintf("%s[%d]:special", path, special))
}

# Returns 1 for negative zero, 2 for NaN, 3 for NA, and 0 for all other numbers.
special_code <- function(numbers) {
  code <- integer(length(numbers))
  code[is.na(numbers)] <- 3L
  if (!is.double(numbers)) return(code)
  code[is.nan(numbers)] <- 2L
  code[numbers == 0 & 1 / numbers < 0] <- 1L
  code
}

# Returns a digest and, for numbers, the mean of each of at most `most` blocks of the values after the first ones.
rest_features <- function(rest, path, digest, most = 20) {
  ends <- unique(c(0, floor(seq_len(most) * length(rest) / most)))
  parts <- Map(function(before, end) rest[seq.int(before + 1, end)], ends[-length(ends)], ends[-1])
  place <- paste0(path, "[rest ", seq_along(parts), "]")
  c(named(vapply(parts, digest, 0), paste0(place, ":digest")),
    if (is.numeric(rest) || is.logical(rest)) named(vapply(parts, mean, 0), paste0(place, ":mean")))
}

# Returns a digest function for objects without attributes: two polynomials in the bytes, over two prime fields, in one
# number below 2^52. Equal bits have equal digests. Different objects of L bytes collide with odds of L^2 / 2^52.
new_digest <- function(primes = c(67108859, 67108837), at = c(40503557, 29573891)) {
  powers <- list(1, 1)
  function(x) {
    bytes <- as.integer(serialize(x, NULL, version = 2))
    parts <- vapply(1:2, function(i) {
      while (length(powers[[i]]) < length(bytes)) {
        known <- powers[[i]]
        step <- (known[length(known)] * at[i]) %% primes[i]
        powers[[i]] <<- c(known, (known * step) %% primes[i])
      }
      sum(bytes * powers[[i]][seq_along(bytes)]) %% primes[i]
    }, 0)
    parts[1] * 2^26 + parts[2]
  }
}

# --- the features of all runs ---------------------------------------------------------------------

# Returns the matrices of both data sets, with common columns that the runs `deciding` alone determine. Leaves out
# numbers that are already columns of the matrices `numbers`.
structure_matrices <- function(outputs, deciding, numbers) {
  listed <- any(vapply(outputs, is.list, NA))
  entries <- if (listed) run_entries(lapply(outputs, as_outputs), deciding) else lapply(outputs, plain_entries)
  first <- lapply(entries, function(part) lapply(part, `[`, part$run %in% deciding))
  columns <- telling_columns(first, length(deciding))
  matrices <- Map(entry_matrix, entries, lapply(outputs, count_runs), list(columns))
  distinct <- distinct_columns(together(matrices, deciding), together(numbers, deciding))
  lapply(matrices, function(part) part[, distinct, drop = FALSE])
}

together <- function(matrices, runs) do.call(rbind, take_runs(matrices, runs))

# Returns the features of each data set as list(run, column, value), without the blocks that all deciding runs share.
run_entries <- function(outputs, deciding) {
  reader <- structure_reader()
  found <- lapply(outputs, lapply, reader$read)
  blocks <- reader$blocks()
  met <- tabulate(unlist(take_runs(found, deciding)), length(blocks))
  lapply(found, function(ids) {
    run <- rep(seq_along(ids), lengths(ids))
    ids <- unlist(ids)
    tells <- met[ids] < 2 * length(deciding)
    features <- blocks[ids[tells]]
    list(run = rep(run[tells], lengths(features)), column = as.character(unlist(lapply(features, names))),
         value = as.double(unlist(features)))
  })
}

# Returns the special numbers of a vector or matrix. NaN and NA are coded by a digest of their bits.
plain_entries <- function(drawn) {
  values <- as.matrix(drawn)
  code <- as.double(special_code(values))
  special <- which(code > 0)
  none <- special[code[special] > 1]
  if (is.double(values)) code[none] <- vapply(values[none], new_digest(), 0)
  list(run = (special - 1) %% nrow(values) + 1, column = sprintf("[%d]:special", (special - 1) %/% nrow(values) + 1),
       value = as.double(code[special]))
}

# Chooses columns that vary and occur in at least `least` runs. If there are more than `most`, keeps up to `most` codes
# and up to `most` numbers: the columns whose frequent values differ most between the data sets, and if equal, the most
# frequent. So noise does not displace features that are rare or occur on one data set only.
telling_columns <- function(entries, runs, least = 5, most = 1000) {
  column <- unlist(lapply(entries, `[[`, "column"))
  value <- unlist(lapply(entries, `[[`, "value"))
  columns <- unique(column)
  id <- match(column, columns)
  met <- tabulate(id, length(columns))
  first <- value[match(seq_along(columns), id)]
  varies <- met < 2 * runs | tabulate(id[!same_number(value, first[id])], length(columns)) > 0
  always <- met == 2 * runs & is_by_name(columns)
  keep <- which(met >= least & varies & !always)
  keep <- keep[order(-met[keep])]
  if (length(keep) <= most) return(columns[keep])
  from_x <- rep(c(TRUE, FALSE), lengths(lapply(entries, `[[`, "run")))
  keep <- keep[order(-column_differences(id, value, from_x, length(columns), runs)[keep])]
  columns[unlist(lapply(split(keep, is_code(columns[keep])), utils::head, most))]
}

is_code <- function(columns) !is_by_name(columns) & !grepl(":(value|mean)$", columns)

# Returns chi-square over the values of each column and absence, minus 1 for each: a value that occurs once adds 0.
column_differences <- function(id, value, from_x, columns, runs) {
  sorted <- order(id, value)
  at <- id[sorted]
  begins <- c(TRUE, at[-1] != at[-length(at)] | !same_number(value[sorted][-1], value[sorted][-length(at)]))
  cell <- cumsum(begins)
  excess <- function(a, b) ifelse(a + b > 0, (a - b)^2 / (a + b) - 1, 0)
  counts <- function(x, size) list(tabulate(x[from_x[sorted]], size), tabulate(x[!from_x[sorted]], size))
  met <- counts(at, columns)
  present <- do.call(excess, counts(cell, sum(begins)))
  as.vector(rowsum(present, at[begins])) + excess(runs - met[[1]], runs - met[[2]])
}

same_number <- function(a, b) a == b & !is.na(a == b) | is.na(a) & is.na(b)

entry_matrix <- function(entries, runs, columns) {
  full <- matrix(NA_real_, runs, length(columns), dimnames = list(NULL, columns))
  at <- match(entries$column, columns)
  known <- !is.na(at)
  full[cbind(entries$run, at)[known, , drop = FALSE]] <- entries$value[known]
  full
}

# Tests which columns to keep: the first of several equal ones. Codes must repeat a value, and are equal if they group
# the runs identically. Numbers are equal if all values are, because order has meaning, and must not occur in `numbers`.
distinct_columns <- function(both, numbers) {
  digest <- new_digest()
  codes <- is_code(as.character(colnames(both)))
  columns <- lapply(seq_len(ncol(both)), function(j) if (codes[j]) match(both[, j], both[, j]) else both[, j])
  again <- vapply(columns, anyDuplicated, 0L) > 0 | !codes
  found <- vapply(columns, digest, 0)
  known <- if (any(!codes)) vapply(seq_len(ncol(numbers)), function(j) digest(unname(numbers[, j])), 0)
  again & !duplicated(found) & !found %in% known
}

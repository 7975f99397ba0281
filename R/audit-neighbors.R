# Searches for the pair of neighboring data sets that a statistic or mechanism separates most. A data set is a vector of
# row numbers of the domain. A pair is a list: `common` rows of both data sets, and the rows in which they differ,
# `here` and `there`. If `there` is empty, the row is removed.

#' Search for the worst neighboring data sets
#'
#' Searches small data sets, with rows from a small public domain, for the pair of neighbors on which a statistic
#' changes most, or which a mechanism distinguishes best. The change found is a lower bound on the sensitivity. If it
#' exceeds the claimed sensitivity, it refutes the claim. Pass the pair to [audit_mechanism()].
#'
#' @details
#' # Choosing a domain
#' Bugs show on extreme data: repeated rows, corners of the box, empty cells, a single row. Include such rows in the
#' domain. The row that differs comes last in the result.
#'
#' # Mechanisms
#' For a mechanism, each pair is ranked by a quick audit. The largest of many noisy numbers is a guess, not a bound, so
#' audit the pair found again with new runs.
#'
#' # People
#' With `relation = "person"`, data sets are data frames of `n` people. The column `person` identifies the person of
#' each row. For a `mechanism` of this package, the column has the name that the mechanism uses, and [audit_mechanism()]
#' accepts the pair as it is.
#'
#' @param statistic `NULL`, or a deterministic function of a data set.
#' @param domain The possible rows of a data set: a matrix or data frame with one candidate per row, or a vector or list
#'   with one candidate per element.
#' @param n An integer, at least 1: the size of the larger data set.
#' @param distance A function of two values of the statistic that returns the size of their difference, one number. By
#'   default, the sum of absolute differences.
#' @param relation `"replace"`: one row is replaced. `"add_remove"`: one row is added or removed. `"person"`: one person
#'   is replaced, with all rows.
#' @param rows Integers, for people: the possible numbers of rows per person. For each number, every candidate of the
#'   domain is a person with that many equal rows. There are also people with rows from the whole domain.
#' @param mechanism `NULL`, or, instead of `statistic`, a mechanism as in [audit_mechanism()].
#' @param draws `NULL`, or, instead of both, a function that returns all releases at once, as in [audit_mechanism()].
#' @param runs An integer: the number of runs of a quick audit on each data set.
#' @param delta One number in \[0, 1): the `delta` of the quick audits.
#' @param most An integer: the largest number of pairs for which all are tried. With more pairs, each of `starts` random
#'   pairs is improved, one row at a time, until no change helps (at most ten rounds), and the best is kept. By default,
#'   20,000 for a statistic and 50 for a mechanism.
#' @param starts An integer: the number of random pairs to start from.
#'
#' @return An object of class `dptda_neighbors`: a list of `x` and `neighbor`, two data sets of the same kind as
#'   `domain`; `change` (the largest distance found, or the lower bound on epsilon of the quick audit); `exhaustive`
#'   (`TRUE` if every pair was tried); and `pairs` (the number of pairs tried).
#'
#' @section Implementation:
#' For data sets of n rows from a domain of m rows, there are choose(m + n - 2, n - 1) choose(m, 2) pairs that differ in
#' one row. A statistic is computed once per data set. Coordinate ascent draws its random pairs from R's stream. If the
#' domain has more than 20 rows, it tries 20 of them, drawn at random, for each row that it replaces.
#'
#' If a plan of the package future is set, the runs of a `mechanism` use it, as in [audit_mechanism()]. This pays if a
#' run takes milliseconds.
#' @references
#' Ding, Z., Wang, Y., Wang, G., Zhang, D. and Kifer, D. (2018). Detecting
#' violations of differential privacy. *ACM Conference on Computer and
#' Communications Security*, 475-489. (Patterns of small inputs.)
#' @seealso [audit_mechanism()]
#' @examples
#' # a median of five numbers in [0, 1] may move by 1, a mean only by 1/5
#' audit_neighbors(median, domain = c(0, 0.5, 1), n = 5)
#' audit_neighbors(mean, domain = c(0, 0.5, 1), n = 5)
#'
#' # two cells of a histogram change when a row is replaced
#' cells <- function(x) table(factor(x, c("a", "b", "c")))
#' audit_neighbors(cells, domain = c("a", "b", "c"), n = 2)
#'
#' # one person with all rows: a sum of rows may change by any amount, a mean of
#' # the people's means does not
#' by_person <- function(d) mean(tapply(d$x, d$person, mean))
#' audit_neighbors(by_person, c(0, 1), n = 3, relation = "person",
#'                 rows = c(1, 9))$change
#' @export
audit_neighbors <- function(statistic = NULL, domain, n, ..., distance = NULL,
                            relation = c("replace", "add_remove", "person"), rows = c(1, 2, 17, 1025),
                            mechanism = NULL, draws = NULL, runs = 400, delta = 0, most = NULL, starts = 10) {
  check_no_dots(...)
  given <- !c(is.null(statistic), is.null(mechanism), is.null(draws))
  if (sum(given) != 1) stop_argument("statistic", "or `mechanism` or `draws` must be given, exactly one of the three.")
  domain <- check_candidates(domain)
  n <- check_count(n, 1, 1e6)
  relation <- check_choice(relation, c("replace", "add_remove", "person"))
  if (relation == "person") domain <- person_candidates(domain, rows, mechanism)
  runs <- check_count(runs, 40, 1e9)
  delta <- check_number(delta, 0, 1, open_upper = TRUE)
  most <- if (is.null(most)) if (given[1]) 2e4 else 50 else check_count(most, 1)
  starts <- check_count(starts, 1)

  hurt <- if (given[1]) {
    change_of(statistic, distance, domain)
  } else {
    told_apart(check_runner(mechanism, draws), domain, runs, delta)
  }
  exhaustive <- count_pairs(count_candidates(domain), n, relation) <= most
  best <- if (exhaustive) {
    try_all_pairs(hurt, count_candidates(domain), n, relation)
  } else {
    climb(hurt, count_candidates(domain), n, relation, starts)
  }
  new_result(
    list(
      x = take_rows(domain, c(best$pair$common, best$pair$here)),
      neighbor = take_rows(domain, c(best$pair$common, best$pair$there)),
      change = best$change, exhaustive = exhaustive, pairs = best$pairs,
      kind = if (given[1]) "statistic" else "mechanism"
    ),
    "dptda_neighbors"
  )
}

is_candidates <- function(x) is.vector(x) || is.factor(x) || is.matrix(x) || is.data.frame(x)

define_class(
  "dptda_neighbors", "audit_neighbors()", x = is_candidates, neighbor = is_candidates, change = is_one_number,
  exhaustive = is_one_flag, pairs = is_one_number, kind = is_one_string
)

check_candidates <- function(domain) {
  if (missing(domain)) stop_missing("domain")
  if (!is_candidates(domain)) {
    stop_argument("domain", "must be a matrix, data frame, vector, or list of candidates, not ", describe(domain), ".")
  }
  if (count_candidates(domain) < 2) stop_argument("domain", "must have at least 2 candidate rows.")
  domain
}

count_candidates <- function(domain) if (inherits(domain, "person_candidates")) length(domain$people) else NROW(domain)

take_rows <- function(domain, rows) {
  if (inherits(domain, "person_candidates")) return(take_people(domain, rows))
  if (length(dim(domain)) == 2) domain[rows, , drop = FALSE] else domain[rows]
}

# ---- people --------------------------------------------------------------------------------------

# Returns people as candidates. `people` lists the rows of the domain that each person has: equal rows, and for more
# than one row also rows that run through the domain, forward and backward.
# `name`: the column that identifies people. A mechanism object stores it.
person_candidates <- function(domain, rows, mechanism = NULL) {
  rows <- check_count_vector(rows)
  name <- if (inherits(mechanism, "dptda_mechanism")) mechanism$guarantee$person
  frame <- if (is.data.frame(domain)) domain else as.data.frame(domain)
  if (is.list(domain) && !is.data.frame(domain)) {
    stop_argument("domain", "must not be a list if people are replaced. Use a matrix, data frame, or vector.")
  }
  if (is.null(dim(domain))) names(frame) <- "x"
  each <- seq_len(nrow(frame))
  equal <- unlist(lapply(rows, function(m) lapply(each, function(row) rep(row, m))), recursive = FALSE)
  mixed <- unlist(lapply(rows[rows > 1], function(m) list(rep_len(each, m), rep_len(rev(each), m))), recursive = FALSE)
  structure(list(frame = frame, people = c(equal, mixed), name = if (is.null(name)) "person" else name),
            class = "person_candidates")
}

check_count_vector <- function(rows) {
  if (!is_numbers(rows) || !length(rows) || any(rows < 1) || any(rows != floor(rows)) || any(rows > 1e6)) {
    stop_argument("rows", "must be integers from 1 to 1e6, not ", describe(rows), ".")
  }
  unique(rows)
}

take_people <- function(domain, people) {
  rows <- domain$people[people]
  frame <- domain$frame[unlist(rows), , drop = FALSE]
  row.names(frame) <- NULL
  frame[[domain$name]] <- rep(seq_along(rows), lengths(rows))
  frame
}

# --- how much a pair hurts ------------------------------------------------------------------------

# Returns the change of the statistic as a function of a pair. Caches values, because a data set is part of many pairs.
change_of <- function(statistic, distance, domain) {
  if (!is.function(statistic)) stop_argument("statistic", "must be a function, not ", describe(statistic), ".")
  if (is.null(distance)) distance <- function(a, b) sum(abs(as.double(a) - as.double(b)))
  if (!is.function(distance)) stop_argument("distance", "must be a function, not ", describe(distance), ".")
  known <- new.env(parent = emptyenv())
  value <- function(rows) {
    key <- paste("rows", paste(rows, collapse = " "))
    if (!exists(key, known, inherits = FALSE)) assign(key, statistic(take_rows(domain, rows)), known)
    get(key, known, inherits = FALSE)
  }
  function(pair) {
    change <- distance(value(c(pair$common, pair$here)), value(c(pair$common, pair$there)))
    if (!is.numeric(change) || length(change) != 1 || is.na(change)) {
      stop_argument("distance", "must return one number for any two values of the statistic.")
    }
    change
  }
}

# Ranks pairs by the bound of a quick audit. A low confidence level suffices for a ranking. It is still a bound, because
# plain estimates would favor rare events.
told_apart <- function(run, domain, runs, delta) {
  force(run)
  function(pair) {
    outputs <- list(
      x = run(take_rows(domain, c(pair$common, pair$here)), runs, 1, function(done) NULL),
      neighbor = run(take_rows(domain, c(pair$common, pair$there)), runs, 1, function(done) NULL)
    )
    audit_outputs(outputs, c(epsilon = 0, delta = delta), level = 0.8)$lower
  }
}

# --- all pairs ------------------------------------------------------------------------------------

count_pairs <- function(m, n, relation) {
  choose(m + n - 2, n - 1) * if (relation == "add_remove") m else choose(m, 2)
}

try_all_pairs <- function(hurt, m, n, relation) {
  ends <- if (relation != "add_remove") {
    Map(list, utils::combn(m, 2)[1, ], utils::combn(m, 2)[2, ])
  } else {
    lapply(seq_len(m), function(here) list(here, integer()))
  }
  best <- list(change = -Inf, pairs = 0)
  common <- rep(1L, n - 1)
  while (!is.null(common)) {
    for (end in ends) best <- better_pair(best, list(common = common, here = end[[1]], there = end[[2]]), hurt)
    common <- next_multiset(common, m)
  }
  best
}

# Returns the next nondecreasing sequence of 1..m in lexicographic order, or NULL after the last.
next_multiset <- function(rows, m) {
  position <- which(rows < m)
  if (!length(position)) return(NULL)
  last <- max(position)
  rows[last:length(rows)] <- rows[last] + 1L
  rows
}

better_pair <- function(best, pair, hurt) {
  change <- hurt(pair)
  best$pairs <- best$pairs + 1
  if (change > best$change) {
    best$change <- change
    best$pair <- pair
  }
  best
}

# --- coordinate ascent ----------------------------------------------------------------------------

climb <- function(hurt, m, n, relation, starts) {
  best <- list(change = -Inf, pairs = 0)
  tell <- repeat_progress("Searching")
  for (start in seq_len(starts)) {
    found <- climb_from(random_pair(m, n, relation), hurt, m)
    pairs <- best$pairs + found$pairs
    if (found$change > best$change) best <- found
    best$pairs <- pairs
    tell(start / starts)
  }
  best
}

random_pair <- function(m, n, relation) {
  ends <- sample.int(m, 2)
  pair <- list(common = sample.int(m, n - 1, replace = TRUE), here = ends[1])
  if (relation != "add_remove") pair$there <- ends[2]
  pair
}

# Sets one row at a time to its best candidate, for at most `rounds` rounds. With a large domain, tries `candidates`
# random candidates for each row.
climb_from <- function(pair, hurt, m, rounds = 10, candidates = 20) {
  best <- better_pair(list(change = -Inf, pairs = 0), pair, hurt)
  for (round in seq_len(rounds)) {
    before <- best$change
    for (slot in seq_len(length(pair$common) + 1 + !is.null(pair$there))) {
      for (candidate in if (m > candidates) sample.int(m, candidates) else seq_len(m)) {
        best <- better_pair(best, replace_slot(best$pair, slot, candidate), hurt)
      }
    }
    if (best$change <= before) break
  }
  best
}

replace_slot <- function(pair, slot, candidate) {
  common <- length(pair$common)
  if (slot <= common) {
    pair$common[slot] <- candidate
  } else {
    pair[[slot - common + 1]] <- candidate # here, there
  }
  pair
}

#' @param x A result of `audit_neighbors()`.
#' @inheritParams private_release
#' @rdname audit_neighbors
#' @export
print.dptda_neighbors <- function(x, ...) {
  check_valid(x, "dptda_neighbors")
  size <- function(data) paste(count_candidates(data), if (count_candidates(data) == 1) "row" else "rows")
  cat("<worst neighbors>\n", if (x$kind == "statistic") "change " else "quick lower bound on epsilon ",
      format(x$change, digits = 4), " (", if (x$exhaustive) "all " else "search over ", format_count(x$pairs),
      " pairs)\n", sep = "")
  for (name in c("x", "neighbor")) {
    cat("$", name, ", ", size(x[[name]]), "\n", sep = "")
    print_candidates(x[[name]])
  }
  invisible(x)
}

# Prints at most `most` rows of a table, because a person may have a thousand rows.
print_candidates <- function(data, most = 20) {
  more <- if (length(dim(data)) == 2) nrow(data) - most else 0
  print(if (more > 0) utils::head(data, most) else data)
  if (more > 0) cat("... and ", format_count(more), " more\n", sep = "")
}

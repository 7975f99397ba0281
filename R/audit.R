# The auditor runs a mechanism many times on two neighboring data sets, chooses one event, and computes a lower
# confidence bound on the privacy parameter. Features and scores of the outputs are in audit-score.R, plots in
# audit-plot.R.

#' Audit a claim of differential privacy
#'
#' Runs a mechanism many times on two neighboring data sets, searches for an event that distinguishes them, and computes
#' a lower confidence bound on the privacy parameter from its frequencies. A bound above the declared parameter refutes
#' the claim. A bound below it proves nothing: another pair of data sets (see [audit_neighbors()]) or another event may
#' reveal more. The result shows frequencies of outputs and is not private, so audit on made-up data.
#'
#' @details
#' # Mechanisms that can be audited
#' A mechanism must draw new random numbers at every call. One that sets a seed or restores the generator returns
#' constants, and constants distinguish the data sets with certainty. An error in the mechanism stops the audit. If an
#' attacker sees the failure, let the mechanism return it as a value. Return also everything else that an attacker can
#' measure, such as running time: only values are compared ([audit_features()]).
#'
#' For releases of this package, pass the mechanism of [unseen()] rows, such as `private_count(unseen(3), epsilon = 1)`.
#' Its guarantee is then known, each statistic is computed only once per data set, and its noise is drawn for all runs
#' at once if possible. The audit compares numbers as they are drawn, before they are converted to the units of the
#' data. Draws that are not numeric vectors are compared as results.
#'
#' @param mechanism A function of a data set that returns one release (any object) with new random numbers at each call;
#'   or a mechanism of this package, see [privacy_price()].
#' @param x,neighbor Two data sets that `mechanism` accepts and that are neighbors in the relation it claims. For
#'   people, rows from [table_rows()] with `person`, with all rows of one person replaced.
#' @param epsilon,delta One nonnegative number each: the declared guarantee. For a mechanism of this package, leave out
#'   `epsilon`, `delta`, `rho`, and `mu`: its guarantee is known.
#' @param rho,mu One positive number, instead of `epsilon`: a declared guarantee of zero-concentrated or of Gaussian
#'   differential privacy. The bound is then on `rho` or `mu` directly, without conversion to epsilon.
#' @inheritParams private_release
#' @param runs An integer, at least 40: the number of runs on each data set.
#' @param events `NULL`, or a list of functions of one output that return `TRUE` or `FALSE`: considers only these events
#'   and their complements.
#' @param classifier `NULL`, or a function of one output that returns a number: considers only events "at least" and "at
#'   most" a threshold of it and, for `rho`, averages of functions of it. Without `events` and `classifier`, scores are
#'   learned on the first half from [audit_features()].
#' @param level One number in (0.5, 1): the level of the lower bound.
#' @param draws `NULL`, or, instead of `mechanism`, a function of a data set and the number of runs that returns all
#'   releases at once: a list with one release per element, a vector with one number per release, or a numeric matrix
#'   with one row per release.
#' @param part `NULL`, or a function of one output. Its value, usually a few numbers, is compared instead of the output.
#' @param cores An integer: the number of processes to fork for the runs of a `mechanism` if no plan is set. It has no
#'   effect on Windows.
#' @param rng For a mechanism of this package, as in [private_release]. Functions use their own random numbers.
#'
#' @return An object of class `dptda_audit`. `lower` is the lower bound on the parameter, in its units. `rejected` is
#' `TRUE` if `lower` exceeds the declared value. For the other elements, see [audit_result].
#'
#' @section Implementation:
#' The runs on each data set are split in half. The first half chooses *one* event (or, for
#' `rho`, one event or one function), and the second half tests it, so a correct claim is rejected with probability at
#' most `1 - level` ([audit_statistics]). Cost: `2 * runs` calls of the mechanism. The proof is in
#' `system.file("proofs", "audit.md", package = "dptda")`.
#'
#' @references
#' Ding, Z., Wang, Y., Wang, G., Zhang, D. and Kifer, D. (2018). Detecting
#' violations of differential privacy. *ACM Conference on Computer and
#' Communications Security*, 475-489.
#' @seealso [audit_neighbors()] for the pair, [audit_features()] for the parts of an output that are compared,
#'   [audit_statistics] for the number of runs, [plot()][audit_result] for the picture.
#' @examples
#' # a sum of numbers between 0 and 1, by Laplace noise: scale 1/epsilon is right
#' laplace <- function(scale) scale * (rexp(1) - rexp(1))
#' honest <- function(x) sum(x) + laplace(scale = 1)
#' broken <- function(x) sum(x) + laplace(scale = 1 / 2)
#'
#' x <- c(0, 0, 0)
#' neighbor <- c(0, 0, 1)
#' audit_mechanism(honest, x, neighbor, epsilon = 1)
#' lie <- audit_mechanism(broken, x, neighbor, epsilon = 1)
#' lie
#' plot(lie)
#' @order 1
#' @export
audit_mechanism <- function(mechanism = NULL, x, neighbor, epsilon = NULL, rho = NULL, mu = NULL, delta = 0, ...,
                          runs = 2000,
                          events = NULL, classifier = NULL, level = 0.99, draws = NULL, part = NULL, cores = 1,
                          rng = c("os", "R")) {
  check_no_dots(...)
  if (!is.null(part) && !is.function(part)) stop_argument("part", "must be a function, not ", describe(part), ".")
  rng <- check_choice(rng, c("os", "R"))
  run <- check_runner(mechanism, draws, part, rng)
  if (missing(x)) stop_missing("x")
  if (missing(neighbor)) stop_missing("neighbor")
  declared <- if (inherits(mechanism, "dptda_mechanism")) declared_by(mechanism, epsilon, rho, mu, delta) else
    check_declared(epsilon, rho, mu, delta)
  runs <- check_count(runs, 40, 1e9)
  check_events(events, classifier)
  level <- check_number(level, 0.5, 1, open_lower = TRUE, open_upper = TRUE)
  cores <- check_count(cores, 1, 1024)

  tell <- repeat_progress("Auditing")
  outputs <- list(
    x = run(x, runs, cores, function(done) tell(done / (2 * runs)), " on `x`"),
    neighbor = run(neighbor, runs, cores, function(done) tell(0.5 + done / (2 * runs)), " on `neighbor`")
  )
  audit_outputs(outputs, declared, level, events, classifier)
}

# Returns the declared measure as named numbers.
check_declared <- function(epsilon, rho, mu, delta) {
  given <- c(!is.null(epsilon), !is.null(rho), !is.null(mu))
  if (sum(given) != 1) stop_argument("epsilon", "or `rho` or `mu` must be given, exactly one of the three.")
  delta <- check_number(delta, 0, 1, open_upper = TRUE)
  if (delta > 0 && is.null(epsilon)) stop_argument("delta", "must be given together with `epsilon` only.")
  if (given[1]) return(c(epsilon = check_number(epsilon, 0), delta = if (delta > 0) delta))
  if (given[2]) c(rho = check_number(rho, 0, open_lower = TRUE)) else c(mu = check_number(mu, 0, open_lower = TRUE))
}

# Returns the measure in the guarantee of a mechanism object. Refuses arguments that declare it a second time.
declared_by <- function(mechanism, epsilon, rho, mu, delta) {
  given <- c(epsilon = !is.null(epsilon), rho = !is.null(rho), mu = !is.null(mu), delta = !identical(delta, 0))
  if (any(given)) {
    stop_argument(names(which(given))[1],
                  "must be left out if `mechanism` is a mechanism of this package, because its guarantee is known.")
  }
  mechanism$guarantee$measure
}

check_events <- function(events, classifier) {
  if (!is.null(events) && !is.null(classifier)) stop_argument("classifier", "must not be given together with `events`.")
  if (!is.null(events) && !(is.list(events) && length(events) && all(vapply(events, is.function, NA)))) {
    stop_argument("events", "must be a list of functions, not ", describe(events), ".")
  }
  if (!is.null(classifier) && !is.function(classifier)) {
    stop_argument("classifier", "must be a function, not ", describe(classifier), ".")
  }
}

# Returns function(data, runs, cores, tell, when), the common interface to all kinds of mechanism. Error messages
# include `when`, for example " on `x`".
check_runner <- function(mechanism, draws, part = NULL, rng = "os") {
  if (is.null(mechanism) == is.null(draws)) {
    stop_argument("mechanism", "or `draws` must be given, exactly one of the two, not ",
                  if (is.null(draws)) "neither" else "both", ".")
  }
  if (inherits(mechanism, "dptda_mechanism")) return(object_runner(check_mechanism_object(mechanism), part, rng))
  for (given in list(mechanism, draws)) {
    if (!is.null(given) && !is.function(given)) {
      stop_argument(if (is.null(draws)) "mechanism" else "draws", "must be a function, not ", describe(given), ".")
    }
  }
  if (is.null(draws)) {
    function(data, runs, cores, tell, when = "") {
      take_parts(blame_argument("mechanism", repeat_mechanism(mechanism, data, runs, cores, tell), when), part, when)
    }
  } else {
    function(data, runs, cores, tell, when = "") {
      take_parts(check_drawn(blame_argument("draws", without_weak(draws(data, runs)), when), runs), part, when)
    }
  }
}

# Runs a mechanism object. The statistic of the rows is computed once for all runs. A draw that is not a numeric vector
# is converted to a result.
object_runner <- function(mechanism, part, rng) {
  plan <- mechanism$plan
  function(data, runs, cores, tell, when = "") {
    arg <- if (grepl("neighbor", when, fixed = TRUE)) "neighbor" else "x"
    drawn <- study_draws(mechanism, as_rows_of_people(data, mechanism$guarantee$person), runs, rng, arg)
    if (!is.matrix(drawn)) drawn <- lapply(drawn, function(one) if (is_plain_draw(one)) one else result_of(plan, one))
    take_parts(drawn, part, when)
  }
}

# Converts a data frame to rows of people if it has the column that identifies people in the mechanism.
as_rows_of_people <- function(data, person) {
  if (is.null(person) || !is.data.frame(data) || !person %in% names(data)) return(data)
  table_rows(data, person = person)
}

is_plain_draw <- function(drawn) is.numeric(drawn) && is.null(dim(drawn))

# Applies `part` to each output. If all values are numeric vectors of one length, they become a matrix.
take_parts <- function(outputs, part, when) {
  if (is.null(part)) return(outputs)
  parts <- blame_argument("part", map_draws(if (is.list(outputs)) outputs else as.matrix(outputs), part), when)
  plain <- all(vapply(parts, is_plain_draw, NA)) && length(unique(lengths(parts))) == 1
  if (plain) do.call(rbind, parts) else parts
}

# Uses each random stream for at least 40 runs (or for all). A mechanism that restores the generator repeats its value
# within each stream, so the auditor observes each value often enough.
repeat_mechanism <- function(mechanism, data, runs, cores, tell) {
  repeat_runs(runs, one_release(mechanism, data), max(1, min(runs %/% 40, 256)), cores, tell)
}

one_release <- function(mechanism, data) {
  force(mechanism)
  force(data)
  function(i) without_weak(mechanism(data)) # audits use few rows, so every run could warn
}

check_drawn <- function(drawn, runs) {
  count <- if (is.matrix(drawn)) nrow(drawn) else length(drawn)
  good <- (is.list(drawn) && !is.data.frame(drawn)) || is.numeric(drawn) || is.logical(drawn)
  if (!good || count != runs) {
    stop_argument("draws", "must return one release per run, as a list, a numeric vector, or a numeric matrix.")
  }
  if (is.matrix(drawn)) storage.mode(drawn) <- "double"
  drawn
}

# Audits the outputs of both data sets: chooses an event or a divergence on the first half, tests it on the second.
audit_outputs <- function(outputs, declared, level, events = NULL, classifier = NULL) {
  learns <- is.null(events) && is.null(classifier)
  runs <- count_runs(outputs$x)
  half <- runs %/% 2
  first <- seq_len(half)
  numbers <- if (learns) feature_matrices(outputs, first) else given_features(outputs, events, classifier)
  material <- if (learns) Map(cbind, numbers, structure_matrices(outputs, first, numbers)) else numbers
  learning <- if (learns) seq_len(half %/% 2) else 0
  scorers <- if (learns) {
    learn_scores(take_runs(material, learning), ncol(numbers$x))
  } else {
    given_scorers(events, classifier)
  }
  alarm <- 1 - level
  compare <- setdiff(seq_len(half), learning)
  event <- choose_event(scorers, take_runs(material, compare), declared, alarm / 2)
  # a single event uses only part of a declared `rho`
  divergence <- if (names(declared)[1] == "rho" && is.null(events)) {
    quarter <- seq_len(half %/% 2)
    choose_divergence(scorers, take_runs(material, quarter), take_runs(material, setdiff(seq_len(half), quarter)),
                      runs - half, alarm)
  }
  by_event <- is.null(divergence) || event$bound >= divergence$bound

  testing <- take_runs(material, seq.int(half + 1, runs))
  scores <- lapply(testing, event$score)
  count <- vapply(scores, event_count, 0, event = event)
  audit <- new_audit(event, scores, count, declared, level, runs)
  if (by_event) audit else rest_on_divergence(audit, divergence, test_divergence(divergence, testing, alarm))
}

new_audit <- function(event, scores, count, declared, level, runs) {
  tested <- length(scores$x)
  each_level <- (1 - level) / 2
  favored <- event$favors
  other <- setdiff(names(count), favored)
  lower <- bound_from_counts(count[[favored]], count[[other]], tested, declared, each_level)
  new_result(
    list(
      declared = declared, lower = lower, rejected = lower > declared[[1]],
      estimate = implied_parameter(count[[favored]] / tested, count[[other]] / tested, declared),
      event = list(description = event$description, favors = favored, threshold = event$threshold, tail = event$tail,
                   count = count),
      divergence = NULL,
      reach = bound_from_counts(tested, 0, tested, declared, each_level),
      level = level, runs = runs, tested = tested, scores = scores
    ),
    "dptda_audit"
  )
}

is_both <- function(x) length(x) == 2 && setequal(names(x), c("x", "neighbor"))
is_favored <- function(x) is_one_string(x) && x %in% c("x", "neighbor")

define_class(
  "dptda_audit", "audit_mechanism()", declared = function(x) is_measure(x), lower = is_one_number,
  estimate = is_one_number, rejected = is_one_flag, reach = is_one_number, level = is_one_number,
  runs = is_one_number, tested = is_one_number,
  event = function(x) {
    is.list(x) && is_one_string(x$description) && is_favored(x$favors) && is_one_number(x$threshold) &&
      is_one_string(x$tail) && is_numbers(x$count) && is_both(x$count)
  },
  divergence = is_null_or(function(x) {
    is.list(x) && is_one_string(x$description) && is_favored(x$favors) && is_one_number(x$order)
  }),
  scores = function(x) is.list(x) && is_both(x) && all(vapply(x, is.numeric, NA))
)

# Replaces the verdict of the event by the verdict of the chosen divergence.
rest_on_divergence <- function(audit, chosen, found) {
  audit$divergence <- list(description = chosen$label, favors = chosen$favors, order = chosen$order)
  audit$lower <- found$lower
  audit$estimate <- found$estimate
  audit$rejected <- found$lower > audit$declared[[1]]
  audit
}

# --- from frequencies to a parameter -------------------------------------------------------------

# Clopper-Pearson limits, each wrong with probability at most `each_level`.
lower_limit <- function(count, runs, each_level) stats::qbeta(each_level, count, runs - count + 1)
upper_limit <- function(count, runs, each_level) stats::qbeta(1 - each_level, count + 1, runs - count)

# Returns lower bounds on the parameter, vectorized over events. `favored` and `other`: counts of the event on the data
# set on which it is more likely, and on the other one.
bound_from_counts <- function(favored, other, runs, declared, each_level) {
  # computes each limit once per distinct count: qbeta() is slow, and thousands of events share a few hundred counts
  at <- function(limit, count) limit(unique(count), runs, each_level)[match(count, unique(count))]
  implied_parameter(at(lower_limit, favored), at(upper_limit, other), declared)
}

# Returns the smallest parameter that permits an event with probabilities p and q on the two data sets.
implied_parameter <- function(p, q, declared) {
  implied <- switch(names(declared)[1],
    epsilon = log(pmax(p - declared_delta(declared), 0)) - log(q),
    rho = implied_rho(p, q),
    mu = stats::qnorm(p) - stats::qnorm(q)
  )
  ifelse(p > q, pmax(implied, 0), 0)
}

declared_delta <- function(declared) if ("delta" %in% names(declared)) declared[["delta"]] else 0

# Returns the `rho` implied by an event. rho-zCDP bounds the Renyi divergence of every order alpha by alpha rho, also
# after reduction to the event. Any set of orders gives a valid bound.
implied_rho <- function(p, q) {
  orders <- 1 + exp(seq(-7, 7, length.out = 57))
  divergence <- function(order) {
    inside <- order * log(p) + (1 - order) * log(q)
    outside <- order * log1p(-p) + (1 - order) * log1p(-q)
    top <- pmax(inside, outside)
    (top + log(exp(inside - top) + exp(outside - top))) / (order - 1) / order
  }
  # the divergence is infinite if the event never happens on the other data set
  ifelse(q == 0 & p > 0, Inf, Reduce(pmax, lapply(orders, divergence)))
}

# --- choosing the event --------------------------------------------------------------------------

# Chooses the event with the largest bound on the comparing runs, over all scores, thresholds, tails, and directions.
# Extrapolating the bound to the larger number of testing runs would be fairer to rare events. But then chance selects
# the event more often. In 500 trials, power against noise that is skipped once in 100 times rose from 0.37 to 0.93
# (8,000 runs), and power against 0.7 times the noise fell from 0.88 to 0.68 (2,000 runs).
choose_event <- function(scorers, compare, declared, each_level) {
  events <- do.call(rbind, lapply(seq_along(scorers), function(i) {
    cbind(scorer = i, candidate_events(lapply(compare, scorers[[i]]$score)))
  }))
  events$bound <- bound_from_counts(events$favored, events$other, count_runs(compare$x), declared, each_level)
  # without a positive bound, the event with the largest difference in counts is the best guess
  best <- order(-events$bound, events$other - events$favored)[1]
  chosen <- c(as.list(events[best, c("threshold", "tail", "favors", "bound")]), scorers[[events$scorer[best]]])
  chosen$description <- paste(chosen$label, chosen$tail, format(chosen$threshold, digits = 4))
  chosen
}

candidate_events <- function(scores) {
  threshold <- score_thresholds(unlist(scores))
  high <- lapply(scores, tail_counts, threshold, ">=")
  low <- lapply(scores, tail_counts, threshold, "<=")
  data.frame(
    threshold = threshold,
    tail = rep(c(">=", "<="), each = 2 * length(threshold)),
    favors = rep(rep(c("x", "neighbor"), each = length(threshold)), 2),
    favored = c(high$x, high$neighbor, low$x, low$neighbor),
    other = c(high$neighbor, high$x, low$neighbor, low$x)
  )
}

# Returns at most `most` thresholds: with more, the choice would fit noise. Each is a score that occurred, so atoms are
# separated exactly.
score_thresholds <- function(scores, most = 65) {
  values <- sort(unique(scores[!is.na(scores)]))
  if (!length(values)) return(0)
  if (length(values) <= most) return(values)
  unique(stats::quantile(scores, seq(0, 1, length.out = most), type = 1, names = FALSE, na.rm = TRUE))
}

# Counts the scores in the tail at each threshold, including the threshold. NA is in neither tail.
tail_counts <- function(scores, thresholds, tail) {
  scores <- sort(scores)
  if (tail == "<=") return(findInterval(thresholds, scores))
  length(scores) - findInterval(thresholds, scores, left.open = TRUE)
}

event_count <- function(scores, event) tail_counts(scores, event$threshold, event$tail)

# --- words ---------------------------------------------------------------------------------------

#' @rdname audit_result
#' @export
print.dptda_audit <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}

#' @rdname audit_result
#' @export
format.dptda_audit <- function(x, ...) {
  check_valid(x, "dptda_audit")
  parameter <- names(x$declared)[1]
  short <- function(value) format(value, digits = 3)
  other <- setdiff(names(x$event$count), x$event$favors)
  c(
    paste0("<privacy audit> declared: ", paste(names(x$declared), "=", short(x$declared), collapse = ", ")),
    paste0(if (x$rejected) "REJECTED: " else "not rejected: ", parameter, " is at least ", short(x$lower),
           " (confidence ", format_percent(x$level), ", plain estimate ", short(x$estimate), ")"),
    if (is.null(x$divergence)) {
      c(paste0("event: ", x$event$description),
        paste0("  in ", x$event$count[[x$event$favors]], " of ", x$tested, " runs on `", x$event$favors, "`, ",
               x$event$count[[other]], " of ", x$tested, " on `", other, "`; chosen on ", x$runs - x$tested,
               " other runs"))
    } else {
      c(paste0("divergence: of order ", short(x$divergence$order), ", `", x$divergence$favors, "` from `",
               setdiff(names(x$event$count), x$divergence$favors), "`, through ", x$divergence$description),
        paste0("  averages over ", x$tested, " runs on each; chosen on ", x$runs - x$tested, " other runs"))
    },
    if (!x$rejected && x$reach <= x$declared[[1]]) {
      paste0("  TOO FEW RUNS: the bound on ", parameter, " cannot exceed ", short(x$reach))
    } else if (!x$rejected) {
      paste0("  largest bound possible with this number of runs: ", parameter, " = ", short(x$reach),
             ". This audit does not prove the claim.")
    }
  )
}

#' @rdname audit_result
#' @export
as.data.frame.dptda_audit <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_frame_dots(...)
  check_valid(x, "dptda_audit")
  data.frame(
    measure = names(x$declared)[1], declared = x$declared[[1]],
    delta = declared_delta(x$declared),
    lower = x$lower, estimate = x$estimate, reach = x$reach, rejected = x$rejected,
    level = x$level, runs = x$runs
  )
}

#' Statistics of an audit
#'
#' Describes the statistical test of [audit_mechanism()], the number of runs that it needs, and how it is computed.
#'
#' @details
#' # Statistical test
#' The runs on each data set are split in half. The first half chooses *one* event and its direction (more likely on
#' `x`, or on `neighbor`); the second half counts it. So there is one test, however many events were considered, and a
#' correct claim is rejected with probability at most `1 - level`.
#'
#' A single event uses only part of a declared `rho`. The first half may then instead choose a function of the output (a
#' binned log ratio) and an order. Averages of that function, to which all outputs contribute, bound a Renyi divergence.
#' For `rho` between about 0.05 and 3, 200,000 runs detect Gaussian noise that is 10% too small.
#'
#' If a mechanism sometimes skips its noise, some exact values occur again and again. Values that occur at least five
#' times in a quarter of the runs on both data sets are events of their own, however rare.
#'
#' # Number of runs
#' Runs should be cheap and many. With `n` runs in the second half, the bound on epsilon is at most about
#' `log(n / log(2 / (1 - level)))`; the result reports this limit as `reach`. Some exponential mechanisms, such as
#' [private_diagram()], have a normalizing constant that hardly depends on the data but takes half of their epsilon. For
#' these, bounds near half the declared epsilon are normal.
#'
#' # Parallel runs
#' If a plan of the package future is set, its workers share the runs of a `mechanism`. A cluster needs one line:
#' `future::plan(future::cluster, workers = c("node1", "node2"))`. Install future.apply and this package on all nodes.
#' If the mechanism draws from R's stream, the same seed gives the same audit for every plan and any number of `cores`.
#'
#' # Computation
#' Learned scores are: for each feature of the outputs, the log ratio of binned frequencies (a frequent value has its
#' own bin); their sum; a logistic regression; the features themselves; and values that occur exactly at least five
#' times. Apart from these, the same scores (without the regression) are learned on the non-numeric parts of the output.
#' Scores are learned on one quarter of the runs and compared on the next. Probabilities are bounded by the limits of
#' Clopper and Pearson, each at half of `1 - level`. For an event E, the bound is `log((P(E) - delta) / P'(E))`.
#' Averages are bounded by products of bets that are fair if the averages have their claimed values. The proof is in
#' `system.file("proofs", "audit.md", package = "dptda")`.
#'
#' Cost: `2 * runs` calls of the mechanism, plus a few hundredths of a second (seconds for `rho` and hundreds of
#' thousands of runs), plus 0.1 milliseconds for each output that is an object rather than a row of numbers.
#'
#' @references
#' Jagielski, M., Ullman, J. and Oprea, A. (2020). Auditing differentially
#' private machine learning: how private is private SGD? *Advances in Neural
#' Information Processing Systems* 33.
#'
#' Birrell, J., Dupuis, P., Katsoulakis, M., Rey-Bellet, L. and Wang, J. (2021).
#' Variational representations and neural network estimation of Renyi
#' divergences. *SIAM Journal on Mathematics of Data Science* 3, 1093-1116.
#'
#' Waudby-Smith, I. and Ramdas, A. (2024). Estimating means of bounded random
#' variables by betting. *Journal of the Royal Statistical Society B* 86, 1-27.
#' @seealso [audit_mechanism()]
#' @examples
#' # at a claimed rho, averages over all outputs
#' gauss <- function(x, runs) sum(x) + stats::rnorm(runs)
#' audit_mechanism(x = c(0, 0), neighbor = c(0, 1), rho = 0.5, draws = gauss,
#'                 runs = 2000)
#' @name audit_statistics
NULL

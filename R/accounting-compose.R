# Guarantees of several releases together, of groups of rows, and in other
# measures. The arithmetic is in accounting-parts.R.

#' Declare the privacy guarantee of a mechanism of your own
#'
#' States which differential privacy a mechanism of your own has, so that its guarantee can be composed, converted and
#' charged to a budget like that of a release. Nothing is proven by declaring it.
#'
#' @param epsilon,delta Numbers: pure (`delta` 0) or approximate differential
#'   privacy.
#' @param rho One positive number: zero-concentrated differential privacy.
#' @param mu One positive number: Gaussian differential privacy; that of
#'   Gaussian noise is the sensitivity over the standard deviation. Exactly one
#'   of `epsilon`, `rho` and `mu` is given.
#' @inheritParams private_release
#' @param mechanism String: what it is called.
#' @param bounded_range `TRUE` or `FALSE`: an exponential mechanism with
#'   density proportional to `exp(epsilon u / (2 sensitivity))`, its 2 kept. It
#'   costs a quarter of the rho of other mechanisms with that `epsilon`.
#' @param relation `"replace"` (one row by another, the number of rows is
#'   public), `"add_remove"` (one row is added or removed), `"person"` (one person is replaced, with all rows that the
#'   person has, and the number of people is public; needs `person`) or `"edge"` (one edge of a graph is added or
#'   removed, and the vertices are public).
#' @param person `NULL` or string: what a person is called, the name of the column that says whose a row is, such as
#'   `"patient"`. Where it is given, `relation` is `"person"`.
#' @param n One integer or `NULL`: the public number of rows, of people, or of vertices.
#'
#' @return A `dptda_guarantee`, see [privacy()].
#' @references
#' Dong, J., Durfee, D. and Rogers, R. (2020). Optimal differential privacy
#' composition for exponential mechanisms. *ICML*.
#' @examples
#' privacy_declare(epsilon = 1, mechanism = "randomized response")
#' privacy_declare(mu = 0.5, mechanism = "Gaussian noise", relation = "add_remove")
#' privacy_declare(epsilon = 1, person = "patient")
#' @export
privacy_declare <- function(epsilon = NULL, rho = NULL, mu = NULL, delta = 0, ..., mechanism = "declared mechanism",
                            bounded_range = FALSE, relation = c("replace", "add_remove", "person", "edge"),
                            person = NULL, n = NULL) {
  check_no_dots(...)
  given <- Filter(Negate(is.null), list(epsilon = epsilon, rho = rho, mu = mu))
  if (length(given) != 1) {
    stop_argument("epsilon", "or `rho` or `mu` must be given, one of the three, not ",
                  c("none", NA, "two", "all")[length(given) + 1], " of them.")
  }
  delta <- check_number(delta, 0, 1)
  measure <- c(check_number(given[[1]], 0, arg = names(given)), if (delta > 0) delta)
  names(measure) <- c(names(given), if (delta > 0) "delta")
  if (delta > 0 && is.null(epsilon)) stop_argument("delta", "goes with `epsilon` only.")
  if (check_flag(bounded_range) && !identical(names(measure), "epsilon")) {
    stop_argument("bounded_range", "goes with a pure `epsilon` only.")
  }
  if (!is.null(n)) n <- check_count(n)
  units <- check_units(relation, person)
  new_guarantee(measure, NA_real_, check_string(mechanism), public = list(n = n), random = "unknown",
                person = units$person, relation = units$relation, bounded_range = bounded_range)
}

check_string <- function(x, arg = deparse1(substitute(x))) {
  if (!is_one_string(x)) stop_argument(arg, "must be one string, not ", describe(x), ".")
  as.vector(x)
}

# Guarantees, releases that carry one, budgets (for what they spent), and named
# measures, which stand for a declared mechanism.
as_guarantee <- function(x, arg = deparse1(substitute(x))) UseMethod("as_guarantee")

#' @exportS3Method
as_guarantee.dptda_guarantee <- function(x, arg = deparse1(substitute(x))) check_valid(x, "dptda_guarantee", arg)

#' @exportS3Method
as_guarantee.default <- function(x, arg = deparse1(substitute(x))) {
  if (is_plain_numeric(x) && !is.null(names(x)) && !anyDuplicated(names(x)) &&
        all(names(x) %in% c("epsilon", "delta", "rho", "mu"))) {
    return(do.call(privacy_declare, as.list(x)))
  }
  guarantee <- privacy(x)
  if (is.null(guarantee)) {
    stop_argument(arg, "must be a guarantee, a release that carries one, or a number with the name of its measure, ",
                  "c(epsilon = 1), c(rho = 1) or c(mu = 1), not ", describe(x), ".")
  }
  check_valid(guarantee, "dptda_guarantee", arg)
}

#' Composition of privacy guarantees
#'
#' Composes the differential privacy guarantees of several releases into one, one after another or over disjoint parts
#' of the rows. What is computed in each may depend on what the earlier ones showed, but how much privacy it costs may
#' not: where the costs are decided on the way, a [privacy_budget()] bounds them.
#'
#' The measure of the result is the sum that can be checked by hand: epsilons
#' add up, deltas, rhos and Renyi divergences too, and the squares of Gaussian
#' mus. Different measures are first converted to the strongest that all of them
#' have: rho, or Renyi divergences, with the sum of the deltas. [privacy_curve()]
#' and [privacy_convert()] know more than that sum: they use the optimal
#' composition of pure mechanisms, Renyi divergences, and whichever is best.
#'
#' With `parallel = TRUE` each guarantee is that of one of several disjoint
#' parts of the rows, and a row's own values say which part it belongs to.
#' If one row is added or removed, only one part changes: the largest guarantee
#' holds for all. If one row is replaced, it can leave one part and enter
#' another: two parts change, and the two largest add up. For that, each
#' part must be computed on all `n` rows, with rows of other parts masked, so that
#' their `n` is the same: a part of its own size would show the row that left.
#' Guarantees with different `n` are refused.
#'
#' **People** may have rows in all parts: of parts that a row's values decide, the guarantees for one person add up as
#' those of any releases do, and `parallel = TRUE` is refused. With `parts = "people"` each person lies in one part with
#' all rows, and nothing but that person's own rows says in which. One person who is replaced can leave one part and
#' enter another: the two largest guarantees add up. Each part must be computed for all people, with those of other
#' parts as people who have no row (`people = ` in [table_rows()]).
#'
#' **Tables with different numbers of people**, such as all patients and those above 40, publish each of these numbers.
#' Together their guarantees hold for a person who has rows in every table, before and after the replacement, and the
#' composition says so. Give `people` in [table_rows()] to protect everyone.
#'
#' @param ... Guarantees, releases that carry one, budgets (what they spent
#'   for), or named numbers such as `c(rho = 0.1)`; or lists of these.
#' @param parallel `TRUE` or `FALSE`: the releases are about disjoint parts.
#' @param parts `"rows"` or `"people"`: what each part is made of, where `parallel` is `TRUE`. Nothing checks it.
#'
#' @return A `dptda_guarantee` whose ledger has all steps. Guarantees for different
#'   units or neighboring relations, or for different kinds of people (patients and doctors), are refused with an
#'   error of class `dptda_error_relation`.
#' @references
#' Kairouz, P., Oh, S. and Viswanath, P. (2015). The composition theorem for
#' differential privacy. *ICML*.
#'
#' Bun, M. and Steinke, T. (2016). Concentrated differential privacy:
#' simplifications, extensions, and lower bounds. *TCC*.
#'
#' Dong, J., Roth, A. and Su, W. (2022). Gaussian differential privacy. *Journal
#' of the Royal Statistical Society B* 84, 3-37.
#' @examples
#' both <- privacy_compose(privacy_declare(epsilon = 1, bounded_range = TRUE),
#'                         c(rho = 0.1))
#' both
#' both$ledger
#' privacy_convert(both, delta = 1e-6)
#'
#' # three cells of a histogram
#' cells <- replicate(3, privacy_declare(epsilon = 0.5, n = 100), simplify = FALSE)
#' privacy_compose(cells, parallel = TRUE)
#' @export
privacy_compose <- function(..., parallel = FALSE, parts = c("rows", "people")) {
  given <- as.list(substitute(list(...)))[-1]
  if (any(vapply(given, identical, NA, quote(expr = )))) stop_argument("...", "must not have an empty place.")
  guarantees <- collect_guarantees(list(...))
  check_flag(parallel)
  parts <- check_choice(parts, c("rows", "people"))
  if (parts == "people" && !parallel) stop_argument("parts", "goes with `parallel = TRUE`.")
  check_alike(guarantees)
  if (length(guarantees) == 1) return(guarantees[[1]])
  steps <- if (parallel) list(parallel_step(guarantees, parts)) else do.call(c, lapply(guarantees, `[[`, "steps"))
  collect <- function(field) unique(unlist(lapply(guarantees, `[[`, field)))
  # from best to worst
  origins <- c("os", "unknown", "R")
  samplers <- c("exact", "not known")
  n <- unique(lapply(guarantees, function(one) one$public$n))
  public <- if (length(n) == 1) list(n = n[[1]]) else list()
  assemble_guarantee(steps, c(fields_of(guarantees[[1]], unit_fields), list(
    sensitivity = NA_real_,
    mechanism = if (parallel) steps[[1]]$step else composition_name(steps),
    public = c(public, joint_caveat(guarantees, if (!parallel) unlike_numbers(guarantees))),
    sampler = samplers[max(match(collect("sampler"), samplers, nomatch = 2L))],
    random = origins[max(match(collect("random"), origins))],
    inexact = as.character(collect("inexact"))
  )))
}

# What any of the parts says of itself beside its measure (caveat_words()), all of them say together, and `more`.
joint_caveat <- function(guarantees, more = NULL) {
  said <- unique(c(unlist(lapply(guarantees, function(one) one$public$caveat)), more))
  if (length(said)) list(caveat = paste(said, collapse = "; "))
}

# Tables with different numbers of people are not about the same people, and each number is public: replacing a person
# may change a number that another table keeps.
unlike_numbers <- function(guarantees) {
  n <- if (guarantees[[1]]$relation == relation_person) unique(unlist(lapply(guarantees, function(one) one$public$n)))
  if (length(n) > 1) "only for people with rows in every table: the numbers of people differ"
}

# A release that stands on an earlier one: the `guarantee` of what it draws itself, and before that the steps of
# `earlier` (NULL: there was none). What is public is that of `guarantee`, which alone is still to be spent.
after_earlier <- function(guarantee, earlier) {
  if (is.null(earlier)) return(guarantee)
  both <- privacy_compose(earlier, guarantee)
  guarantee$public$caveat <- both$public$caveat
  fields <- fields_of(guarantee, c(unit_fields, "sensitivity", "mechanism", "public"))
  assemble_guarantee(both$steps, c(fields, both[c("sampler", "random", "inexact")]))
}

collect_guarantees <- function(arguments) {
  plain_list <- function(x) is.list(x) && !is.object(x)
  all <- unlist(lapply(arguments, function(x) if (plain_list(x)) x else list(x)), recursive = FALSE)
  if (!length(all)) stop_argument("...", "must have at least one guarantee.")
  lapply(all, as_guarantee, arg = "...")
}

check_alike <- function(guarantees) {
  for (field in c("relation", "unit")) {
    values <- unique(vapply(guarantees, `[[`, "", field))
    if (length(values) > 1) {
      stop_dptda("relation", "guarantees of unlike ", field, "s do not add up: ",
                 paste0("\"", values, "\"", collapse = ", "), ".")
    }
  }
  people <- unique(lapply(guarantees, `[[`, "person"))
  if (length(people) > 1) {
    stop_dptda("relation", "guarantees for different kinds of people do not add up: ",
               paste0(vapply(people, quote_person, "", "\""), collapse = ", "), naming_hint(people), ".")
  }
}

composition_name <- function(steps) {
  names <- vapply(steps, `[[`, "", "step")
  counts <- table(names)[unique(names)]
  shown <- paste0(names(counts), ifelse(counts > 1, paste0(" (", counts, ")"), ""))
  if (length(shown) > 4) shown <- c(shown[1:3], "...")
  paste0("composition of ", count_of(length(steps), "step"), ": ", paste(shown, collapse = ", "))
}

# Disjoint parts: the worst part, or the two worst ------------------------------

# `made_of`: what the parts are made of. A person may have rows in many parts of rows; and of a row whose person is told
# by other rows nobody knows how many people go from part to part when it is replaced.
parallel_step <- function(guarantees, made_of = "rows") {
  relation <- guarantees[[1]]$relation
  changed <- c(1, 2, 1, 2)[match(relation, c(relation_add_remove, relation_replace, relation_edge, relation_person))]
  if (is.na(changed) || !startsWith(guarantees[[1]]$unit, "one ")) {
    stop_dptda("relation", "parallel composition is known for one ",
               sub("^one ", "", relation_unit(relation)), " only; scale its result by privacy_group().")
  }
  if (relation == relation_person && made_of == "rows") {
    stop_dptda("relation", "a person may have rows in all parts, so that parts of rows are not parallel for people; ",
               "`parallel = FALSE` adds them up, and `parts = \"people\"` says that each person lies in one part with ",
               "all rows.")
  }
  if (relation != relation_person && made_of == "people") {
    stop_dptda("relation", "parts of people are parallel for people only, and these guarantees are for ",
               relation_unit(relation), "; `parts = \"rows\"` says that a row's own values decide in which part it is.")
  }
  if (changed == 2) check_same_n(guarantees, if (made_of == "people") c("person", "people") else c("row", "rows"))
  name <- paste("parallel composition of", length(guarantees), "parts")
  parts <- lapply(guarantees, `[[`, "parts")
  if (length(unique(parts)) == 1) {
    # all alike: what is known of one need not be reduced to a measure
    alike <- list(step = name, measure = guarantees[[1]]$measure, parts = parts[[1]])
    worst <- assemble_guarantee(rep(list(alike), changed), list())
    return(list(step = name, measure = worst$measure, parts = worst$parts))
  }
  steps <- lapply(guarantees, function(one) list(step = name, measure = one$measure, parts = one$parts))
  kind <- join_kinds(steps)
  worst_of <- function(values) sort(values, decreasing = TRUE)[seq_len(changed)]
  measure <- vapply(kind, function(kind_name) {
    worst <- worst_of(vapply(steps, step_value, 0, kind_name, kind))
    if (kind_name == "mu") root_sum(worst) else sum_up(worst)
  }, 0)
  curve <- if (kind[1] == "renyi") {
    alpha <- sort(unique(unlist(lapply(parts, function(one) one$renyi$alpha))))
    values <- vapply(parts, parts_renyi, alpha, alpha - 1)
    new_curve(alpha, apply(values, 1, function(row) sum(worst_of(row))))
  }
  step <- new_step(name, measure, renyi = curve)
  if (identical(kind, "epsilon")) {
    worst <- worst_of(vapply(guarantees, function(one) one$measure[["epsilon"]], 0))
    bounded <- all(vapply(guarantees, `[[`, NA, "bounded_range"))
    step$parts <- if (bounded) new_parts(range = worst) else new_parts(pure = worst)
  }
  step
}

# `units`: what one is called, and many.
check_same_n <- function(guarantees, units = c("row", "rows")) {
  n <- unique(unlist(lapply(guarantees, function(one) one$public$n)))
  if (length(n) > 1) {
    stop_dptda("relation", "when one ", units[1], " is replaced, parallel parts must be computed on the same public ",
               "number of ", units[2], ", those of other parts masked; these state different numbers.")
  }
}

# Groups ---------------------------------------------------------------------

#' Group privacy: the guarantee for several rows together
#'
#' Computes what a differential privacy guarantee for one row means for a group of rows, such as all rows of one
#' person who has few of them; what a guarantee for one person means for a group of people, such as a family; and what
#' one for an edge means for a group of edges.
#'
#' A guarantee for 14 rows protects who has 14 rows or fewer, and is none for people. A release of [table_rows()] with
#' `person = ` needs no bound on the rows of a person, and its guarantee is for one person from the start.
#'
#' A pure `epsilon` becomes `size` times as large, `mu` too, `rho` `size^2`
#' times; (`epsilon`, `delta`) becomes `size epsilon` and
#' `delta (exp(size epsilon) - 1) / (exp(epsilon) - 1)`. Renyi curves follow
#' from the weak triangle inequality, which leaves fewer orders. Steps of a
#' composition are scaled one by one, then composed.
#'
#' @param size One whole number of at least 1: rows, people or edges in a group.
#' @inheritParams privacy_convert
#'
#' @return A `dptda_guarantee` for `size` rows, people or edges.
#' @references
#' Mironov, I. (2017). Renyi differential privacy. *CSF*.
#' @examples
#' privacy_group(privacy_declare(rho = 0.01), 14)
#' @export
privacy_group <- function(x, size) {
  if (missing(x)) stop_missing("x")
  x <- as_guarantee(x)
  size <- check_count(size, 1)
  fields <- fields_of(x, plain_fields)
  fields$unit <- count_unit(x$unit, size)
  assemble_guarantee(lapply(x$steps, group_step, size), fields)
}

# Other measures ---------------------------------------------------------------

#' Convert a privacy guarantee to (epsilon, delta), rho, mu or Renyi
#'
#' Converts a guarantee to another measure of differential privacy: (`epsilon`, `delta`), zero-concentrated (`rho`),
#' Gaussian (`mu`) or Renyi. Each conversion is the tightest that is known, from the mechanisms that were composed
#' rather than from the sum alone.
#'
#' * To (`epsilon`, `delta`): pure mechanisms by the distribution of the privacy
#'   loss of randomized response, which is optimal for any number of them
#'   (beyond 65,536 values the epsilons are rounded up to a lattice); one
#'   Gaussian among them exactly; everything else by Renyi divergences and the
#'   bound of Canonne, Kamath and Steinke.
#' * To `rho`: from pure epsilon `epsilon tanh(epsilon / 2)`, at most
#'   `epsilon^2 / 2`; from exponential mechanisms of bounded range
#'   `u - 1 - log(u)`, `u = epsilon / (exp(epsilon) - 1)`, at most
#'   `epsilon^2 / 8`; from `mu`, `mu^2 / 2`.
#' * To `mu`: from pure epsilon, such that randomized response and the Gaussian
#'   trade off alike. `rho` has no `mu`.
#' * To `renyi`: the divergences at the orders `alpha`.
#'
#' @param x A guarantee, or what [privacy_compose()] takes for one.
#' @param to `NULL` or `"epsilon"` (needs `delta`), `"delta"` (needs `epsilon`), `"rho"`,
#'   `"mu"` or `"renyi"`. Default: what `delta` or `epsilon` asks for.
#' @param epsilon,delta One number each, the one that is fixed.
#' @inheritParams private_release
#' @param alpha Numeric vector: increasing orders above 1, for `to = "renyi"`.
#'   Order 2, in which the measure is written, is added to them.
#'
#' @return A `dptda_guarantee` with one step; `$measure` has its numbers. An
#'   error of class `dptda_error_measure` if `x` has no finite value in that
#'   measure.
#' @references
#' Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
#' differential privacy. *NeurIPS*.
#'
#' Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for
#' differential privacy: analytical calibration and optimal denoising. *ICML*.
#'
#' Harrison, C. and Manurangsi, P. (2025). Exact zCDP characterizations for
#' fundamental differentially private mechanisms. arXiv:2510.25746.
#' @examples
#' privacy_convert(c(rho = 0.1), delta = 1e-6)
#' privacy_convert(c(mu = 1), epsilon = 1)$measure
#' privacy_convert(privacy_declare(epsilon = 1, bounded_range = TRUE), "rho")
#' @export
privacy_convert <- function(x, to = NULL, epsilon = NULL, delta = NULL, ..., alpha = c(1.5, 2:64, 128, 256)) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  x <- as_guarantee(x)
  if (is.null(to)) to <- if (is.null(epsilon)) "epsilon" else "delta"
  to <- check_choice(to, c("epsilon", "delta", "rho", "mu", "renyi"))
  # a measure is that of order two, whatever the other orders
  alpha <- sort(unique(c(check_orders(alpha), 2)))
  curve <- if (to == "renyi") new_curve(alpha, parts_renyi(x$parts, alpha - 1))
  measure <- switch(to,
    epsilon = {
      if (is.null(delta)) delta <- 0
      c(epsilon = parts_epsilon(x$parts, check_number(delta, 0, 1)), if (delta > 0) c(delta = delta))
    },
    delta = {
      if (is.null(epsilon)) stop_argument("epsilon", "must be given to convert to \"delta\".")
      c(epsilon = check_number(epsilon, 0), delta = parts_delta(x$parts, epsilon))
    },
    rho = converted(c(rho = parts_rho(x$parts)), x$parts),
    mu = converted(c(mu = parts_mu(x$parts)), x$parts),
    renyi = converted(c(renyi = parts_renyi(x$parts, 1)), x$parts)
  )
  if (any(is.infinite(measure))) {
    stop_dptda("measure", "`x` has no finite ", measure_words(to),
               if (to == "epsilon") paste(" at delta =", format(delta)), ".")
  }
  restate(x, measure, curve)
}

# These measures have no room for a delta beside them but as a sum.
converted <- function(measure, parts) c(measure, if (length(parts$leak)) c(delta = sum(parts$leak)))

check_orders <- function(alpha) {
  good <- is.numeric(alpha) && length(alpha) > 0 && all(is.finite(alpha)) && all(alpha > 1) &&
    !is.unsorted(alpha, strictly = TRUE)
  if (!good) {
    stop_argument("alpha", "must be increasing finite numbers above 1, not ", describe(alpha), ".")
  }
  alpha
}

# `x` in one step, with another measure. What is known of its parts stays
# known; a Renyi curve is all that is left when that was asked for.
restate <- function(x, measure, curve) {
  fields <- fields_of(x, plain_fields)
  name <- if (length(x$steps) == 1) x$steps[[1]]$step else paste(length(x$steps), "steps together")
  step <- new_step(name, measure, renyi = curve)
  if (is.null(curve)) step$parts <- x$parts
  assemble_guarantee(list(step), fields)
}

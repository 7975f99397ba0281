# Composition of guarantees, guarantees for groups, and conversion to other measures. The arithmetic is in
# accounting-parts.R.

#' Declare the privacy guarantee of a mechanism of your own
#'
#' `privacy_declare()` states the differential privacy of a mechanism of your own, so that its guarantee can be
#' composed, converted, and charged to a budget like the guarantee of a release. Declaring a guarantee does not prove
#' it.
#'
#' @param epsilon,delta Numbers: pure (`delta` 0) or approximate differential privacy.
#' @param rho One nonnegative number: zero-concentrated differential privacy.
#' @param mu One nonnegative number: Gaussian differential privacy. For Gaussian noise, it is the sensitivity divided
#'   by the standard deviation. Give exactly one of `epsilon`, `rho`, and `mu`.
#' @inheritParams private_release
#' @param mechanism A string: the name of the mechanism.
#' @param bounded_range `TRUE` or `FALSE`: whether this is an exponential mechanism with density proportional to
#'   `exp(epsilon u / (2 sensitivity))`, including the factor 2. It costs a quarter of the rho of other mechanisms with
#'   the same `epsilon`.
#' @param relation The neighboring relation. `"replace"`: one row is replaced, n public. `"add_remove"`: one row is
#'   added or removed. `"person"`: one person is replaced with all of that person's rows, and the number of people is
#'   public (needs `person`). `"edge"`: one edge of a graph is added or removed, and the vertices are public.
#' @param person `NULL`, or a string such as `"patient"`: the name of the column that identifies the person of each row.
#'   It implies `relation = "person"`.
#' @param n One integer or `NULL`: the public number of rows, of people, or of vertices.
#'
#' @return A `dptda_guarantee` (see [privacy()]).
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

# Converts guarantees, releases, budgets (what they have spent), and named measures (a declared mechanism) to
# guarantees.
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
#' `privacy_compose()` combines the differential privacy guarantees of several releases into one, for releases made in
#' sequence or for disjoint parts of the rows. Each release may depend on earlier results, but its privacy cost may not.
#' If costs are chosen along the way, bound them with a [privacy_budget()].
#'
#' @details
#' # Sequential composition
#' The measure of the result is a sum that you can check by hand. Epsilons add up, and so do deltas, rhos, Renyi
#' divergences, and the squares of Gaussian mus. Different measures are first converted to the strongest common measure:
#' rho, or Renyi divergences, with the sum of the deltas. [privacy_curve()] and [privacy_convert()] are tighter than
#' this sum. They use the optimal composition of pure mechanisms, Renyi divergences, and whichever bound is best.
#'
#' # Disjoint parts
#' With `parallel = TRUE`, each guarantee belongs to one of several disjoint parts of the rows, and a row's own values
#' decide its part. If one row is added or removed, only one part changes, so the largest guarantee holds for all. If
#' one row is replaced, it can leave one part and enter another. Two parts change, and the two largest guarantees add
#' up.
#'
#' For replacement, compute each part on all `n` rows with the rows of other parts masked, so that all parts have the
#' same `n`. A part with its own size would reveal the row that left. Guarantees with different `n` are refused.
#'
#' # People
#' People may have rows in all parts. If a row's values decide its part, guarantees for one person add up as in
#' sequential composition, and `parallel = TRUE` is refused.
#'
#' With `parts = "people"`, each person lies in one part with all rows, and only that person's own rows decide the part.
#' A replaced person can leave one part and enter another, so the two largest guarantees add up. Compute each part for
#' all people, with the people of other parts as people without rows (`people = ` in [table_rows()]).
#'
#' # Tables with different numbers of people
#' Tables such as all patients and patients above 40 publish each of these numbers. The composed guarantee holds for
#' people who have rows in every table, before and after the replacement, and it carries a caveat. Pass `people`
#' to [table_rows()] to protect everyone.
#'
#' @param ... Guarantees, releases that carry one, budgets (their charges), named numbers such as `c(rho = 0.1)`, or
#'   lists of these.
#' @param parallel `TRUE` or `FALSE`: whether the releases use disjoint parts.
#' @param parts `"rows"` or `"people"`: the units of the parts, if `parallel = TRUE`. This cannot be checked.
#'
#' @return A `dptda_guarantee` whose ledger has all steps. Guarantees for different units, neighboring relations, or
#'   kinds of people (patients and doctors) are refused with an error of class `dptda_error_relation`.
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
  if (any(vapply(given, identical, NA, quote(expr = )))) stop_argument("...", "must not have an empty argument.")
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

# Joins the caveats of all parts and `more`. caveat_words() prints them beside the measure.
joint_caveat <- function(guarantees, more = NULL) {
  said <- unique(c(unlist(lapply(guarantees, function(one) one$public$caveat)), more))
  if (length(said)) list(caveat = paste(said, collapse = "; "))
}

# Returns a caveat if tables have different numbers of people. Each number is public, and replacing one person may
# change the number of one table but not of another.
unlike_numbers <- function(guarantees) {
  n <- if (guarantees[[1]]$relation == relation_person) unique(unlist(lapply(guarantees, function(one) one$public$n)))
  if (length(n) > 1) "only for people with rows in every table: the numbers of people differ"
}

# Adds the steps of an `earlier` release (NULL if none) to the `guarantee` of a release that is based on it. Public
# values stay the values of `guarantee`, because only its own cost still has to be spent.
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
      stop_dptda("relation", "Guarantees with different ", field, "s do not add up: ",
                 paste0("\"", values, "\"", collapse = ", "), ".")
    }
  }
  people <- unique(lapply(guarantees, `[[`, "person"))
  if (length(people) > 1) {
    stop_dptda("relation", "Guarantees for different kinds of people do not add up: ",
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

# `made_of`: "rows" or "people". A person may have rows in several parts of rows. For parts of people, guarantees for
# rows are refused: replacing one row may move all other rows of its person to another part.
parallel_step <- function(guarantees, made_of = "rows") {
  relation <- guarantees[[1]]$relation
  changed <- c(1, 2, 1, 2)[match(relation, c(relation_add_remove, relation_replace, relation_edge, relation_person))]
  if (is.na(changed) || !startsWith(guarantees[[1]]$unit, "one ")) {
    stop_dptda("relation", "Parallel composition is known for one ",
               sub("^one ", "", relation_unit(relation)), " only. Scale its result with privacy_group().")
  }
  if (relation == relation_person && made_of == "rows") {
    stop_dptda("relation", "A person may have rows in all parts, so parts of rows are not parallel for people. Use ",
               "`parallel = FALSE` to add the guarantees up, or `parts = \"people\"` if each person lies in one part ",
               "with all rows.")
  }
  if (relation != relation_person && made_of == "people") {
    stop_dptda("relation", "Parts of people are parallel for people only, and these guarantees are for ",
               relation_unit(relation), ". Use `parts = \"rows\"` if a row's own values decide its part.")
  }
  if (changed == 2) check_same_n(guarantees, if (made_of == "people") c("person", "people") else c("row", "rows"))
  name <- paste("parallel composition of", length(guarantees), "parts")
  parts <- lapply(guarantees, `[[`, "parts")
  if (length(unique(parts)) == 1) {
    # equal parts keep everything that is known about them, not only their measure
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

# `units`: singular and plural.
check_same_n <- function(guarantees, units = c("row", "rows")) {
  n <- unique(unlist(lapply(guarantees, function(one) one$public$n)))
  if (length(n) > 1) {
    stop_dptda("relation", "Parallel parts must have the same public number of ", units[2], ", because one ", units[1],
               " is replaced. These guarantees state different numbers. Mask the ", units[2], " of other parts.")
  }
}

# Groups ---------------------------------------------------------------------

#' Group privacy: the guarantee for several rows together
#'
#' `privacy_group()` computes the differential privacy guarantee for a group from the guarantee for one unit. Examples
#' are the rows of a person who has few, the members of a family, and several edges of a graph.
#'
#' A guarantee for 14 rows protects people with at most 14 rows. It does not protect people with more. If you release
#' [table_rows()] with `person = `, the guarantee is for one person from the start and needs no bound on the number of
#' rows.
#'
#' Pure `epsilon` and `mu` are multiplied by `size`, and `rho` by `size^2`. For approximate privacy, (`epsilon`,
#' `delta`) becomes `size epsilon` and `delta (exp(size epsilon) - 1) / (exp(epsilon) - 1)`. Renyi curves follow from
#' the weak triangle inequality, which leaves fewer orders. Steps of a composition are scaled separately and then
#' composed.
#'
#' @param size One integer of at least 1: the number of rows, people, or edges in a group.
#' @inheritParams privacy_convert
#'
#' @return A `dptda_guarantee` for `size` rows, people, or edges.
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
#' `privacy_convert()` converts a guarantee to another measure of differential privacy: (`epsilon`, `delta`),
#' zero-concentrated (`rho`), Gaussian (`mu`), or Renyi. It starts from the composed mechanisms instead of their sum,
#' and uses the tightest conversion known for them. Results are upper bounds, rounding included.
#'
#' @details
#' # To (`epsilon`, `delta`)
#' Pure mechanisms, exponential mechanisms of bounded range, Gaussian mechanisms (`mu`), and [privacy_subsample()] have
#' a distribution of the privacy loss. These distributions are composed, which is exact for any number of pure
#' mechanisms with few different epsilons, and for one Gaussian or one bounded range beside them. Otherwise losses are
#' rounded to a lattice. Rounding raises epsilon, usually by less than a thousandth.
#'
#' Several bounded ranges use the largest `delta` over all adaptive mechanisms. If there are hundreds of them, or many
#' different ones, Renyi divergences are used instead.
#'
#' For mechanisms that are known by `rho` or by Renyi divergences alone, all parts use Renyi divergences and the bound
#' of Canonne, Kamath, and Steinke.
#'
#' # To other measures
#' * `rho`: pure epsilon gives `epsilon tanh(epsilon / 2)`, at most `epsilon^2 / 2`. Exponential mechanisms of bounded
#'   range give `u - 1 - log(u)` with `u = epsilon / (exp(epsilon) - 1)`, at most `epsilon^2 / 8`.
#'   `mu` gives `mu^2 / 2`.
#' * `mu`: pure mechanisms together give the `mu` whose trade-off curve touches the curve of their composition. A
#'   bounded range gives the `mu` of a pure mechanism with half of its epsilon. These and Gaussian mechanisms are added
#'   as squares. `rho` has no `mu`.
#' * `renyi`: the divergences at the orders `alpha`.
#'
#' @param x A guarantee, or anything that [privacy_compose()] accepts as one.
#' @param to `NULL`, `"epsilon"` (needs `delta`), `"delta"` (needs `epsilon`), `"rho"`, `"mu"`, or `"renyi"`. By
#'   default, the measure that `delta` or `epsilon` determines.
#' @param epsilon,delta One number each: the fixed one of the two.
#' @inheritParams private_release
#' @param alpha Numeric vector: increasing orders above 1, for `to = "renyi"`. Order 2, which states the measure, is
#'   added.
#'
#' @return A `dptda_guarantee` with one step, whose numbers are in `$measure`. It is an error of class
#'   `dptda_error_measure` if `x` has no finite value in that measure.
#' @references
#' Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
#' differential privacy. *NeurIPS*.
#'
#' Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for
#' differential privacy: analytical calibration and optimal denoising. *ICML*.
#'
#' Doroshenko, V., Ghazi, B., Kamath, P., Kumar, R. and Manurangsi, P. (2022).
#' Connect the dots: tighter discrete approximations of privacy loss
#' distributions. *PoPETs* 2022(4), 552-570.
#'
#' Dong, J., Durfee, D. and Rogers, R. (2020). Optimal differential privacy
#' composition for exponential mechanisms. *ICML*.
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
  # always includes order 2, which is the measure of a Renyi guarantee
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

# Adds delta to a measure. Beside rho, mu and renyi, deltas can only be summed.
converted <- function(measure, parts) c(measure, if (length(parts$leak)) c(delta = sum(parts$leak)))

check_orders <- function(alpha) {
  good <- is.numeric(alpha) && length(alpha) > 0 && all(is.finite(alpha)) && all(alpha > 1) &&
    !is.unsorted(alpha, strictly = TRUE)
  if (!good) {
    stop_argument("alpha", "must be increasing finite numbers above 1, not ", describe(alpha), ".")
  }
  alpha
}

# Returns `x` as one step with another measure. Its parts are kept, unless a Renyi curve was requested: then only the
# curve is left.
restate <- function(x, measure, curve) {
  fields <- fields_of(x, plain_fields)
  name <- if (length(x$steps) == 1) x$steps[[1]]$step else paste(length(x$steps), "steps together")
  step <- new_step(name, measure, renyi = curve)
  if (is.null(curve)) step$parts <- x$parts
  assemble_guarantee(list(step), fields)
}

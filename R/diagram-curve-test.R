# A test whether two groups of people have curves of the same distribution, as one private decision
# (inst/proofs/diagram-curve-test.md).

#' Test two groups of persistence diagrams for a difference
#'
#' Tests, under differential privacy, whether the persistence diagrams of two groups of people have the same
#' distribution. Each person has one diagram, computed from that person's own data alone. The release is one decision:
#' `"differ"`, or `"not shown"`.
#'
#' @details
#' # Decision
#' Each diagram becomes a [curve][curve_landscape()], cut to the length `radius`. The statistic is the distance between
#' the mean curves of both groups. It is compared with the distances for random divisions of all people into groups of
#' the same sizes, and noise is added to each distance. The decision is `"differ"` if at most a fraction `alpha` of all
#' noisy distances, its own included, are at least as large as the first one.
#'
#' If both groups have the same distribution, the decision is `"differ"` with probability at most `alpha`, for any
#' number of people, and any curve and radius. `"not shown"` does not mean that the groups are equal. Compute the power
#' in advance with [power_curve_test()].
#'
#' # No p-value
#' The guarantee covers one decision at one `alpha`. A p-value would tell more than this decision, so there is none. A
#' second `alpha` is a second release, and its cost adds up.
#'
#' @param x A list of persistence diagrams ([persistence_diagram()], or data frames with the columns `dimension`,
#'   `birth`, and `death`), one for each person. A person with other data, or without points, has the curve zero. There
#'   is no message.
#' @param group A vector with the group of each person, in the order of `x`, of exactly two different values. Names are
#'   ignored, because those of `x` may be private. The sizes of both groups are public, as in a trial. If a size would
#'   reveal something about a person, do not use this test.
#' @param curve The curve of a diagram with its public range: [curve_landscape()], [curve_betti()], or [curve_life()].
#' @param radius One positive number: longer curves are shortened to this length. [power_curve_test()] returns a good
#'   one, the median length for public look-alikes.
#' @param epsilon One positive number: the parameter of pure differential privacy. `rho`, `mu`, and `delta` are not
#'   offered, because Gaussian noise would weaken the guarantee of a single decision. A [budget][privacy_budget()] in
#'   `rho` or `mu` can still be charged.
#' @param alpha One number in (0, 1): the largest probability of `"differ"` if both groups have the same distribution.
#' @param permutations One integer: the number of random divisions. With `alpha = 0.05`, 199 are enough.
#' @param smooth One integer, from 1 to 16: the number of cosine waves of which the curves consist. Finer details are
#'   ignored.
#' @inheritParams private_release
#'
#' @section Privacy:
#' The unit is one person with their diagram. Neighbors replace one person within a group. The sizes of both groups are
#' public. If one person is replaced, distances move by at most `sqrt(2) * radius` divided by the size of the smaller
#' group. The scale of the noise is twice this, divided by `epsilon`, because two distances move in a comparison.
#' Distances are integers in steps of about 2^-20 of this, and noise is drawn exactly.
#' Proof: `system.file("proofs", "diagram-curve-test.md", package = "dptda")`.
#'
#' @section Implementation:
#' Costs n * `permutations` * `smooth` additions. The distances are exact integer roots of 128-bit numbers. The sizes of
#' both groups are limited: with `smooth = 10`, two groups may have up to 15,000 people each.
#'
#' @return An object of class `dptda_private_curve_test`, a list with the public settings and these elements:
#'
#' * `differ`: `TRUE` or `FALSE`, the private decision.
#' * `sizes`: the numbers of people in both groups, named by `group`.
#' @references
#' Kim, I. and Schrab, A. (2023). Differentially private permutation tests: Applications to kernel methods.
#' <https://arxiv.org/abs/2310.19043>
#' @seealso [power_curve_test()]
#' @examples
#' # circles in one group, noise in the other: 100 diagrams each
#' loop <- function(persistence) {
#'   persistence_diagram(1, 0.2, 0.2 + persistence)
#' }
#' set.seed(1)
#' diagrams <- lapply(c(runif(100, 0.5, 0.8), runif(100, 0.1, 0.7)), loop)
#' group <- rep(c("treated", "control"), each = 100)
#' curve <- curve_landscape(c(0, 1), dimension = 1)
#' private_curve_test(diagrams, group, curve, radius = 0.1, epsilon = 1)
#' @export
private_curve_test <- function(x, group, curve, radius, epsilon = NULL, rho = NULL, ..., delta = NULL,
                               mu = NULL, alpha = 0.05, permutations = 199, smooth = 10, budget = NULL,
                               rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x", "a list of persistence diagrams")
  if (missing(group)) stop_missing("group", "the group of each person")
  if (missing(curve)) stop_missing("curve", "such as curve_landscape(c(0, 2), dimension = 1)")
  curve <- check_released_curve(curve)
  if (missing(radius)) stop_missing("radius", "power_curve_test() finds one from public diagrams")
  radius <- check_curve_radius(radius)
  cost <- check_cost(epsilon, rho, delta, mu, takes = "epsilon",
                     because = "the noise is on one comparison, for which a pure epsilon is best")
  make <- function(units, rows) {
    curve_test_mechanism(units, group, curve, radius, cost, alpha, permutations, smooth)
  }
  release(x, budget, rng, read = read_listed_diagrams, make)
}

# People with rows would need a group for each person, in a public order.
read_listed_diagrams <- function(x) {
  if (!inherits(x, "dptda_rows")) return(read_own_diagrams(x, NULL))
  stop_argument("x", "must be a list of persistence diagrams here. Make one for each person, from that ",
                "person's own rows, for example with lapply(split(x, x$person), ...).")
}

curve_test_mechanism <- function(units, group, curve, radius, cost, alpha, permutations, smooth) {
  units <- check_curve_people(units)
  if (!is.null(units$person)) {
    stop_argument("x", "must be unseen() without `person` here, because each person has one diagram.")
  }
  smooth <- check_count(smooth, 1, min(16, curve$size))
  plan <- c(list(n = units$n, curve = curve, radius = radius, smooth = smooth, map = cosine_map(curve$size, smooth)),
            check_two_groups(group, units$n), check_rejections(alpha, permutations))
  if (plan$n > max_division) stop_argument("x", "must have at most 2^26 people here.")
  if (plan$n * plan$permutations > max_divided) {
    stop_argument("permutations", "must be at most ", format_count(floor(max_divided / plan$n)), " for ",
                  format_count(plan$n), " people.")
  }
  plan <- c(plan, curve_test_steps(plan$sizes, plan$map, radius))
  plan$noise <- plan_noise(cost, l1 = 2 * plan$moved, l2_squared = NULL, step = plan$step)
  public <- c(list(n = plan$n, row = "one diagram", sizes = plan$sizes, curve = curve_title(curve), range = curve$range,
                   size = curve$size, radius = radius), plan[c("smooth", "alpha", "permutations")],
              list(caveat = within_groups))
  new_mechanism(structure(plan, class = "private_curve_test"), new_guarantee(
    cost$measure, sensitivity = plan$moved * plan$step, public = public, sampler = "exact", spent = cost$known,
    mechanism = "discrete Laplace noise on distances of mean curves, compared", step = "private_curve_test"
  ))
}

# Divisions have one byte per person. The kernel has the same limits.
max_divided <- 2^29
max_division <- 2^26

within_groups <- "replaced within a group, sizes of both groups public"

# Returns the sizes of both groups, by name, and the group of each person. Only public facts are used.
check_two_groups <- function(group, n, arg = "group") {
  known <- is.character(group) || is.numeric(group) || is.logical(group) ||
    inherits(group, c("factor", "Date", "POSIXct"))
  if (!known || !is.null(dim(group)) || length(group) != n) {
    stop_argument(arg, "must be a vector of ", count_of(n, "value"), ", one for each person, not ", describe(group),
                  ".")
  }
  named <- as.character(group)
  if (anyNA(named)) stop_argument(arg, "must have no missing values.")
  levels <- if (is.factor(group)) levels(droplevels(group)) else as.character(sort(unique(group), method = "radix"))
  if (length(levels) != 2) stop_argument(arg, "must have exactly two different values, not ", length(levels), ".")
  if (levels[1] == levels[2]) stop_argument(arg, "must have values that differ if they are printed.")
  code <- match(named, levels)
  list(group = code, sizes = stats::setNames(as.double(tabulate(code, 2)), levels))
}

# Returns the largest number of noisy distances, its own included, at least as large as the first one in a decision that
# the groups differ. `alpha` is read to 12 digits, so that 1/49 means 1 of 49.
check_rejections <- function(alpha, permutations) {
  alpha <- check_number(alpha, 0, 1, open_lower = TRUE, open_upper = TRUE)
  permutations <- check_count(permutations, 1, max_permutations)
  least <- ceiling(1 / alpha * (1 - 1e-12)) - 1
  if (least > max_permutations) {
    stop_argument("alpha", "must be at least ", format(1 / (max_permutations + 1), digits = 1), ", not ", format(alpha),
                  ", because it needs ", format_count(least), " permutations.")
  }
  if (permutations < least) {
    stop_argument("permutations", "must be at least ", format_count(least), " for `alpha` = ", format(alpha), ".")
  }
  list(alpha = alpha, permutations = permutations,
       most = min(floor(alpha * (permutations + 1) * (1 + 1e-12)), permutations))
}

max_permutations <- 1e5

# Returns the public numbers of distances: `shift`, such that one person moves them by about 2^20 steps; `moved`, the
# bound on this move; and `step`, a step in units of the curve. One is added to the bound for rounding, because its
# doubles are within 2^-30 (statement 1).
curve_test_steps <- function(sizes, map, radius, digits = 20) {
  lengthened <- sqrt(max(rowSums(abs(tcrossprod(map))))) * 2^curve_bits
  if (2 * prod(sizes) * lengthened * sqrt(nrow(map)) > 2^63 * (1 - 2^-20)) {
    stop_argument("group", "must have smaller groups: the sizes ", format_count(sizes[1]), " and ",
                  format_count(sizes[2]), " are too large for exact distances.")
  }
  moved <- sqrt(2) * lengthened * max(sizes)
  shift <- max(0, ceiling(log2(moved)) - digits)
  list(shift = shift, moved = ceiling(moved / 2^shift) + 1, step = 2^shift / prod(sizes) / lengthened * radius)
}

rows_for.private_curve_test <- function(plan, x) own_diagrams(check_own_diagrams(x))

# Returns the cut and smoothed curves, exact integers, with one column for each person.
statistic_of.private_curve_test <- function(plan, rows) tcrossprod(plan$map, own_curves(plan, rows$diagrams))

# Random divisions depend on public sizes only. The guarantee is for the decision, so neither distances nor ranks leave.
draw_of.private_curve_test <- function(plan, statistic, rng) {
  distances <- divided_distances(plan, statistic, rng)
  noisy <- add_noise(distances, plan$noise$scale, plan$noise$kind, rng)
  sum(noisy >= noisy[1]) <= plan$most
}

# Returns the exact distance of both groups, followed by those of random divisions.
divided_distances <- function(plan, statistic, rng) {
  member <- c(as.raw(plan$group == 1), draw_divisions(plan, rng))
  .Call(ffi_diagram_curve_distances, statistic, member, plan$shift, kernel_options())
}

draw_divisions <- function(plan, rng) {
  .Call(ffi_diagram_curve_divide, plan$n, plan$sizes[[1]], plan$permutations, kernel_options(rng))
}

result_of.private_curve_test <- function(plan, drawn) {
  new_result(c(list(differ = drawn), plan[c("sizes", "curve", "radius", "smooth", "alpha", "permutations")]),
             "dptda_private_curve_test")
}

noise_of.private_curve_test <- function(plan) noise_table("each distance of mean curves, not released", plan$noise)

# Warns if not even the largest possible difference, all curves of a group at `radius` and none shared, would be shown
# by half of all releases.
weakness_of.private_curve_test <- function(plan) {
  if (shows_largest(plan, plan$sizes)) return(NULL)
  sizes <- 2^(1:24)
  enough <- Position(function(size) shows_largest(plan, c(size, size)), sizes)
  if (!is.na(enough)) {
    sizes <- seq(sizes[enough] / 2, sizes[enough], length.out = 33)
    enough <- ceiling(Find(function(size) shows_largest(plan, ceiling(c(size, size))), sizes))
  }
  weak("power", "not even the largest possible difference of two groups would be shown by half of all releases",
       remedy = paste0("Use ", if (!is.na(enough)) paste0("about ", format_count(enough), " people in each group, or "),
                       "a larger epsilon. power_curve_test() computes their effect."))
}

# Returns whether half of all releases show the largest distance D, if its noise is the median. If k people stay in the
# first group, the distance of a division is |k / n1 - (n1 - k) / n2| D. Only k near the mean have an effect.
shows_largest <- function(plan, sizes) {
  people <- sum(sizes)
  near <- 10 + 10 * sqrt(sizes[1]^2 * sizes[2]^2 / people^2 / (people - 1))
  stay <- sizes[1]^2 / people + c(-near, near)
  stay <- seq(max(0, sizes[1] - sizes[2], floor(stay[1])), min(sizes[1], ceiling(stay[2])))
  share <- abs(stay / sizes[1] - (sizes[1] - stay) / sizes[2])
  largest <- min(sizes) * plan$moved / plan$noise$scale
  above <- sum(stats::dhyper(stay, sizes[1], sizes[2], sizes[1]) * exp(-largest * (1 - share)) / 2)
  stats::pbinom(plan$most - 1, plan$permutations, above) >= 0.5
}

define_class(
  "dptda_private_curve_test", "private_curve_test()", differ = is_one_flag, sizes = function(x) are_two_sizes(x),
  curve = is_made("dptda_curve"), radius = is_one_number, smooth = is_one_number, alpha = is_one_number,
  permutations = is_one_number
)

are_two_sizes <- function(x) is_numbers(x) && length(x) == 2 && !is.null(names(x)) && all(x >= 1)

#' @export
print.dptda_private_curve_test <- function(x, ...) {
  check_valid(x, "dptda_private_curve_test")
  sizes <- vapply(x$sizes, count_units, "", person = "person")
  groups <- paste0("\"", names(x$sizes), "\" (", sizes, ")", collapse = " and ")
  print_release(x, {
    cat("decision: ", decision_words(x), "\n", sep = "")
    writeLines(wrap_lines(c(
      paste0(if (x$differ) "The diagrams have different distributions in the groups " else
        "No difference was shown between the groups ", groups, "."),
      if (x$differ) {
        paste0("If they had the same distribution, this decision would have a probability of at most ",
               format(x$alpha), ".")
      } else {
        paste("This does not mean that the groups are equal. power_curve_test() computes, without these data, how",
              "probably a difference is shown.")
      },
      paste0("There is no p-value: only the decision at alpha = ", format(x$alpha), " is private.")
    )))
  })
}

decision_words <- function(x) if (x$differ) "differ" else "not shown"

#' @exportS3Method
result_table.dptda_private_curve_test <- function(x) {
  data.frame(group = names(x$sizes), n = as.vector(x$sizes), decision = decision_words(x), alpha = x$alpha)
}

#' @rdname audit_features
#' @export
audit_features.dptda_private_curve_test <- function(output, ...) {
  check_valid(output, "dptda_private_curve_test")
  c(differ = as.double(output$differ))
}

# The people of both groups have bars over disjoint halves of the range. One of them joins the other half. "Differ" is
# then less likely, most of all with a large alpha.
example_of.private_curve_test <- function(plan) {
  bar <- function(birth) persistence_diagram(1, birth, birth + 0.5)
  test_of <- function(note, sizes, ...) {
    x <- rep(list(bar(0), bar(0.5)), sizes)
    settings <- list(group = rep(c("a", "b"), sizes), curve = curve_betti(c(0, 1), dimension = 1, size = 2),
                     radius = 0.5, smooth = 2, permutations = 19, ...)
    release_example("curve_test", note, x, replace(x, 1, list(bar(0.5))), settings, sum(sizes))
  }
  list(test_of("", c(2, 2), epsilon = 3, alpha = 0.95), test_of("alpha = 0.35", c(3, 3), epsilon = 6, alpha = 0.35))
}

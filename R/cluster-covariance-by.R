# Covariances of groups of public levels (groups: number-by.R), by the rounds of private_covariance(), with groups
# instead of clusters. A row adds to the numbers of its own group only, in the coordinates in which this group's model
# is a standard Gaussian. The number of rows in a group is private, and counted in each round;
# inst/proofs/cluster-query.md proves the cost. The same holds for one group of all rows, if rows may be left out or
# people may have none.

#' Private covariances of groups
#'
#' [private_covariance()] with `by` releases the mean and the covariance of each group of public levels
#' ([private_groups] explains groups). Each group is found in its own coordinates, round by round.
#'
#' The privacy cost is that of one covariance, for any number of groups up to 1,000. The noise of a group is the noise
#' of a table with the rows of the group alone. Part of the budget goes to the number of its rows, which is private.
#' Rounds and lengths are chosen as if all groups had the same number of rows.
#'
#' All rounds count the rows of a group. Its size is the mean of these counts, in which more exact counts have more
#' weight. If the size cannot be distinguished from noise (20 rows never can), the group keeps the values that it had:
#' at first the middle of the box and the squares of half its sides, with infinite noise. The standard deviations in
#' `noise` show which groups are small. Shortened rows are not counted by group, so nothing shows what is lost of heavy
#' tails.
#'
#' If people have rows in several groups, a person's weight in a group is the fraction of that person's rows in the
#' group. Rows with missing values may be left out (`missing = "omit"` in [table_rows()]), and people may have no rows.
#' If you do not supply `by` then, the rows are one group: their number is private, and counted.
#'
#' @return An object of class `dptda_private_covariances`, a list with one `dptda_private_covariance` per group, named
#' by the levels (`"f, 2"` if several columns define the groups), with a group `"other"`. `n.obs` is the noisy number of
#' rows, or of people, and may be negative. `n_noise` is the standard deviation of its noise. There is no field `far`.
#' Each element has the guarantee of the whole release.
#'
#' Without `by`, if rows may be left out or people may have none, the result is one such element.
#' @seealso [private_covariance()], [plot.dptda_private_covariance()]
#' @examples
#' flowers <- private_covariance(iris, domain_box(c(4, 2), c(8, 5)), rho = 2,
#'   columns = c("Sepal.Length", "Sepal.Width"),
#'   by = list(Species = c("setosa", "versicolor", "virginica")))
#' flowers
#' flowers$setosa$cov
#' @name covariance_groups
NULL

# `axes`: the axes of groups, or an empty list.
covariance_with.list <- function(axes, units, columns, box, cost, rounds) {
  dimension <- length(box$lower)
  groups <- cell_table(axes, dimension + seq_along(axes))
  if (length(axes)) check_groups(table_size(groups))
  levels <- prod(vapply(axes, function(axis) max(1, length(axis$levels)), 0))
  queries <- plan_at_one_weight(units, digits_of = query_digits, plan_at = function(digits) {
    check_plan(list(global = group_queries(units$n, units$n / levels, dimension, cost, rounds, digits)), cost)
  })
  rho <- cost$spent[["rho"]]
  public <- c(list(n = units$n, box = box), if (length(axes)) list(by = lapply(axes, `[[`, "names")),
              list(rho = rho, queries = plan_rhos(queries)), weight_words(units, queries$weight))
  words <- paste0("rounded Gaussian noise on ", if (length(axes)) "sums by group" else "counts and sums", " in ",
                  count_of(length(queries$global), "round"))
  plan <- public_plan("private_covariance_by", n = units$n, columns = columns, box = box, groups = groups,
                      each = units$n / levels, queries = queries$global, weight = queries$weight,
                      units = units_noun(units$person))
  new_mechanism(plan, query_guarantee(cost, words, public, "private_covariance", person = units$person),
                adaptive = cost$spent)
}

max_groups <- 1000

check_groups <- function(size) {
  if (size >= 2 && size <= max_groups) return(invisible())
  stop_argument("by", "must make 2 to ", max_groups, " groups, including \"other\", because each group gets its own ",
                "covariance, not ", format_count(size), ".")
}

# Plans as many rounds, and as long rows, as covariance_queries() for equally large groups; exact for one group of all.
group_queries <- function(n, each, dimension, cost, rounds, digits) {
  each <- max(1, each)
  rho <- cost$spent[["rho"]]
  if (is.null(rounds)) rounds <- covariance_rounds(each, dimension, rho, digits)
  lapply(covariance_queries(each, dimension, rho, rounds, digits), function(like) {
    if (is.null(like)) return(NULL)
    options <- list(whitened = TRUE, hard = TRUE, lengthen = TRUE, stretch = like$stretch, least = like$least)
    plan_query(n, dimension, like$rho, options, 1, digits)
  })
}

# The size that a group needs to be refitted, in addition to the noise of its count.
least_group <- 20

# The noise of the mean of all counts so far, after each round. More exact counts have larger weights.
count_noises <- function(queries) 1 / sqrt(cumsum(vapply(queries, function(query) query$sd[1]^-2, 0)))

group_clears <- function(sd) 3 * sd + least_group

weakness_of.private_covariance_by <- function(plan) {
  least <- min(group_clears(count_noises(plan$queries)))
  if (plan$each > least) return(NULL)
  groups <- length(plan$groups$axes) > 0
  weak("no_fit", if (groups) "each group must have more than " else "it takes more than ",
       name_units(format_count(floor(least)), plan$units), " to be told from noise, and ",
       if (groups) "an equal share is " else "all are ", format(plan$each, digits = 2),
       ": mean and covariance will mostly stay the middle of the box and the squares of half its sides",
       least = floor(least * plan$n / plan$each) + 1, scales = FALSE)
}

# ---- rows ----------------------------------------------------------------------------------------------------------

rows_for.private_covariance_by <- function(plan, x) {
  axes <- plan$groups$axes
  by <- if (length(axes)) lapply(axes, `[[`, "levels")
  if (is.null(by) && !is_omitting(x)) return(check_point_rows(x, if (is_table(x)) plan$columns, plan$box))
  check_counted_rows(x, plan$columns, plan$box, by, "x", axes)
}

statistic_of.private_covariance_by <- function(plan, rows) {
  fetch_rows(weigh_rows(omit_missing(rows), plan$weight), length(plan$queries), plan$groups)
}

# Returns the exact sums of all groups, one column each. `x`: the result of fetch_rows(). A round is one part of the
# bar, however large the groups are.
sums_of_groups <- function(x, model, plan, query) {
  begin_part()
  sum_over(x, function(rows) {
    vapply(seq_along(rows$parts), function(k) {
      part <- rows$parts[[k]]
      if (nrow(part$data) == 0) return(double(length(query$scale)))
      as.vector(kernel_sums(part, model_of_group(model, k), plan$box, query, kernel_options()))
    }, double(length(query$scale)))
  })
}

model_of_group <- function(model, k) {
  list(weights = 1, means = model$means[, k, drop = FALSE], covariances = model$covariances[, , k, drop = FALSE])
}

# ---- rounds --------------------------------------------------------------------------------------------------------

draw_of.private_covariance_by <- function(plan, statistic, rng) {
  ask <- statistic
  state <- start_groups(length(plan$box$lower), table_size(plan$groups))
  with_shared_bar("Rounds over the rows", length(plan$queries), {
    for (query in plan$queries) {
      state <- refit_groups(state, ask(group_query(state$model, plan, query)), query)
    }
  })
  state
}

group_query <- function(model, plan, query) {
  list(cost = c(rho = query$rho), statistic = function(x) sums_of_groups(x, model, plan, query),
       draw = function(sums, rng) noisy_query(sums, query, rng, TRUE))
}

# Starts the state of the groups: a model of each; `size`, the mean of their noisy counts, and `precision`, one over its
# variance; `noise`, the standard deviations of the noise in each covariance and mean, infinite if unknown; `left`, its
# variances in the coordinates of the group; `least`, the smallest fraction of a variance that each refit could leave.
start_groups <- function(dimension, groups) {
  one <- standard_model(dimension)
  list(model = list(weights = rep(1 / groups, groups), means = matrix(0, dimension, groups),
                    covariances = array(one$covariances, c(dimension, dimension, groups))),
       size = double(groups), precision = 0, left = matrix(0, 2, groups),
       least = rep(list(double()), groups),
       noise = list(cov = array(Inf, c(dimension, dimension, groups)), center = matrix(Inf, dimension, groups)))
}

# Refits the groups. All rounds count the same rows. A group keeps its model if its size does not clear the noise, or if
# the noise would exceed the fraction `most` of a variance.
refit_groups <- function(state, seen, query, most = Inf) {
  precision <- query$sd[1]^-2
  state$size <- (state$precision * state$size + precision * seen$count) / (state$precision + precision)
  state$precision <- state$precision + precision
  sd <- 1 / sqrt(state$precision)
  seen$count <- state$size
  dimension <- nrow(state$model$means)
  for (k in which(state$size > group_clears(sd))) {
    before <- matrix(state$model$covariances[, , k], dimension)
    least <- least_left(query, dimension, state$size[k])
    if (least > most) next
    state$model <- refit_clusters(state$model, k, seen, query, least)
    noise <- refit_noise(before, state$size[k], sd, query, state$left[, k])
    state$noise$cov[, , k] <- noise$cov
    state$noise$center[, k] <- noise$center
    state$left[, k] <- noise$left
    state$least[[k]] <- c(state$least[[k]], least)
  }
  state
}

# The noise of a refit of `size` rows. In the coordinates of the previous model, S = L L', the noise on the products is
# a symmetric matrix E with variance s^2 on the diagonal and half of it beside: (L E L')_ab has the variance
# s^2 (S_aa S_bb + S_ab^2) / 2. The part of E along the identity, of variance s^2 / D, is joined by the noise of `size`.
# Both are stretched when the model is brought back to its length (lengthening()): by one over the slope of the observed
# scale in the true one. If the observed scale is too large, they are not stretched, but this is ignored: for ten
# columns, the stated noise of the scale is 6 percent too large. A round corrects only a fraction of the previous
# model's other errors, because rows are shortened. `left` carries on the remaining variances of E and of the mean. All
# of this assumes normal rows.
refit_noise <- function(before, size, sd, query, left) {
  dimension <- nrow(before)
  square <- dimension * query$stretch
  below <- stats::pchisq(square, dimension + c(2, 4))
  kappa <- shortened(1, dimension, query$stretch)
  mended <- (below[2] + square / (dimension + 2) * (1 - below[1])) / kappa
  slope <- below[1] / kappa
  far <- sqrt(2 * square) * exp(lgamma((dimension + 1) / 2) - lgamma(dimension / 2)) / dimension
  moved <- below[1] + far * stats::pchisq(square, dimension + 1, lower.tail = FALSE)
  step <- (query$sd[2] / (size * kappa))^2
  sd <- c(sd, noise_sd(query$scale[2] * query$unit[2], query$noise))
  left <- c((1 - mended)^2, (1 - moved)^2) * left + c(step, (sd[2] / size)^2)
  scale <- (step / dimension + (sd[1] / size)^2) / slope^2
  shape <- left[1] * ((tcrossprod(diag(before)) + before^2) / 2 - before^2 / dimension)
  list(cov = sqrt(shape + scale * before^2), center = sqrt(left[2] * diag(before)), left = left)
}

noise_of.private_covariance_by <- function(plan) {
  sizes <- vapply(plan$queries, function(query) query$scale[1] * query$unit[1], 0)
  lines <- lapply(split(seq_along(sizes), match(sizes, sizes)), function(same) {
    query <- plan$queries[[same[1]]]
    which <- if (length(same) == 1) same else paste(range(same), collapse = " to ")
    noise_table(paste0("the ", plan$units, if (length(plan$groups$axes)) " of a group", ", round ", which),
                new_noise("gaussian", query$scale[1], query$unit[1]))
  })
  do.call(rbind, unname(lines))
}

# ---- results -------------------------------------------------------------------------------------------------------

result_of.private_covariance_by <- function(plan, drawn) {
  dimension <- length(plan$box$lower)
  half <- unname(plan$box$upper - plan$box$lower) / 2
  scale <- as.vector(tcrossprod(half))
  center <- points_of_box(drawn$model$means, plan$box)
  square <- function(x, k) {
    structure(x[, , k] * scale, dim = rep(dimension, 2),
              dimnames = if (!is.null(plan$columns)) list(plan$columns, plan$columns))
  }
  named <- function(x) structure(as.vector(x), names = plan$columns)
  size_noise <- 1 / sqrt(drawn$precision)
  fields <- lapply(seq_along(drawn$size), function(k) {
    list(cov = square(drawn$model$covariances, k), center = named(center[k, ]), n.obs = drawn$size[k],
         noise = square(drawn$noise$cov, k), center_noise = named(drawn$noise$center[, k] * half),
         n_noise = size_noise)
  })
  if (!length(plan$groups$axes)) {
    return(new_private_release(c(fields[[1]], list(units = plan$units)), "dptda_private_covariance"))
  }
  new_private_covariances(fields, lapply(plan$groups$axes, `[[`, "names"), plan$units)
}

new_private_covariances <- function(fields, by, units) {
  cells <- do.call(expand.grid, c(lapply(by, function(x) factor(x, x)), KEEP.OUT.ATTRS = FALSE))
  names(fields) <- make.unique(do.call(paste, c(unname(lapply(cells, as.character)), sep = ", ")))
  new_result(fields, c("dptda_private_covariances", "dptda_private_release"), groups = cells, units = units)
}

# Checks an element, the covariance of one group.
is_group_covariance <- function(x) {
  is.list(x) && is_number_matrix(x$cov) && is_numbers(x$center) && is_one_number(x$n.obs) &&
    identical(dim(x$cov), rep(length(x$center), 2)) && is_number_matrix(x$noise) &&
    identical(dim(x$noise), dim(x$cov)) && length(x$center_noise) == length(x$center) && is_one_number(x$n_noise)
}

define_class("dptda_private_covariances", "private_covariance() with `by`", .bare = is.list,
             .valid = function(x) {
               fields <- unclass(x)
               groups <- attr(x, "groups", exact = TRUE)
               length(fields) > 0 && all(vapply(fields, is_group_covariance, NA)) && is.data.frame(groups) &&
                 nrow(groups) == length(fields) && is_one_string(attr(x, "units", exact = TRUE)) &&
                 length(unique(lapply(fields, function(one) dim(one$cov)))) == 1
             })

define_release("dptda_private_covariances", function(x) {
  fields <- unclass(x)
  list(lapply(seq_along(fields), function(k) fields[[k]]), names(fields), attr(x, "groups", exact = TRUE),
       attr(x, "units", exact = TRUE))
}, attributes = c("names", "groups", "units"))

# Returns one group as private_covariance() without groups would, with the guarantee of all groups.
group_covariance <- function(one, x) {
  found <- new_private_release(one, "dptda_private_covariance")
  guarantee <- privacy(x)
  if (is.null(guarantee)) found else attach_guarantee(found, guarantee)
}

#' @export
`[[.dptda_private_covariances` <- function(x, i, ...) {
  check_valid(x, "dptda_private_covariances")
  group_covariance(NextMethod(), x)
}

#' @export
`$.dptda_private_covariances` <- function(x, name) x[[name]]

#' @export
as.double.dptda_private_covariances <- function(x, ...) {
  check_valid(x, "dptda_private_covariances")
  unlist(lapply(unclass(x), `[[`, "cov"), use.names = FALSE)
}

# Returns one row for each group and pair of columns, each pair once.
#' @exportS3Method
result_table.dptda_private_covariances <- function(x) {
  groups <- attr(x, "groups", exact = TRUE)
  tables <- lapply(seq_along(x), function(k) {
    pairs <- result_table(x[[k]])
    cbind(groups[rep(k, nrow(pairs)), , drop = FALSE], n.obs = unclass(x)[[k]]$n.obs, pairs, row.names = NULL)
  })
  do.call(rbind, tables)
}

#' @export
print.dptda_private_covariances <- function(x, ...) {
  check_valid(x, "dptda_private_covariances")
  by <- names(attr(x, "groups", exact = TRUE))
  print_release(x, print_covariances(x), title = paste("private covariances by", paste(by, collapse = ", ")))
}

# Prints one line per group. The noise of a group is in percent of a variance.
print_covariances <- function(x) {
  fields <- unclass(x)
  first <- fields[[1]]
  dimension <- length(first$center)
  named <- if (is.null(names(first$center))) paste0("x", seq_len(dimension)) else names(first$center)
  shown <- utils::head(attr(x, "groups", exact = TRUE), 20)
  fields <- fields[seq_len(nrow(shown))]
  shown[[attr(x, "units", exact = TRUE)]] <- vapply(fields, function(one) format_beside(one$n.obs, one$n_noise), "")
  known <- vapply(fields, function(one) all(is.finite(one$noise)), NA)
  words <- function(of) vapply(fields, function(one) format(of(one), digits = 4), "")
  for (j in seq_len(min(dimension, 2))) {
    shown[[paste("mean", named[j])]] <- ifelse(known, words(function(one) one$center[[j]]), "-")
    shown[[paste("sd", named[j])]] <- ifelse(known, words(function(one) sqrt(one$cov[j, j])), "-")
  }
  part <- vapply(fields, function(one) mean(diag(one$noise) / diag(one$cov)), 0)
  shown$noise <- ifelse(known, paste0("+- ", format(100 * part, digits = 2, trim = TRUE), "%"), "too noisy")
  print(shown, row.names = FALSE)
  print_rest(length(x) - nrow(shown))
  if (dimension > 2) cat("and ", count_of(dimension - 2, "more column"), " (matrices: x[[1]]$cov)\n", sep = "")
  cat("standard deviation of noise: `noise` for variances, ", format(first$n_noise, digits = 2), " for ",
      attr(x, "units", exact = TRUE), "\n", sep = "")
  cat(uncounted_words(attr(x, "units", exact = TRUE)), sep = "\n")
  writeLines(narrow_words_by(x, named))
}

# Names each narrow column with its groups.
narrow_words_by <- function(x, named) {
  narrow <- lapply(unclass(x), narrow_columns, privacy(x)$public$box)
  column <- sort(unique(unlist(narrow, use.names = FALSE)))
  if (!length(column)) return(character())
  groups <- vapply(column, function(j) first_few(names(x)[vapply(narrow, function(own) j %in% own, NA)]), "")
  strwrap(paste0(first_few(paste0("`", named[column], "` of ", groups)), narrow_reason))
}

# A row moves from one group to the other, whose rows are at the same bounds of the box.
example_of.private_covariance_by <- function(plan) {
  settings <- list(box = domain_box(c(x = -1), 1), rho = 0.5, rounds = 1, by = list(g = c("a", "b")))
  part <- function(fit) c(unlist(lapply(unclass(fit)[1:2], function(one) c(one$n.obs, one$center, log(one$cov)))))
  rows <- function(group) data.frame(x = rep(c(-1, 1), c(1, 119)), g = c(group, rep(c("a", "b"), c(59, 60))))
  crowd <- function(groups) {
    few <- length(groups)
    people_example(data.frame(x = rep(c(-1, 1), c(few, 119)), g = c(groups, rep(c("a", "b"), c(59, 60))),
                              who = c(rep(1, few), 2:120)))
  }
  # one group: a row's missing value becomes a bound of the box
  gaps <- function(x) table_rows(data.frame(x = c(x, rep(c(-1, 1), 60))), missing = "omit")
  alone <- settings[names(settings) != "by"]
  list(release_example("covariance", "by", table_rows(rows("a")), table_rows(rows("b")), settings, part = part),
       release_example("covariance", "omit", gaps(NA), gaps(1), alone,
                       part = function(fit) c(fit$n.obs, fit$center, log(fit$cov))),
       release_example("covariance", "by, people", crowd(c("a", "a", "a")), crowd(c("b", "b")), settings,
                       part = part))
}

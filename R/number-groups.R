# Sums with a private number of summands: by group, for values that may be missing, and for people who may lack rows.
# Each sum is centered at the middle of its side and comes with a count. The joint cost of both is proved in
# inst/proofs/number-by.md.

# Reads the summed columns, one for each side of the box and in the same order, then the grouping columns.
check_counted_rows <- function(x, columns, box, by, arg = deparse1(substitute(x)), axes = by_axes(by)) {
  force(arg)
  force(axes) # checks `by` before the columns that it leaves
  if (is.matrix(x) && are_names(colnames(x))) x <- as.data.frame(x)
  if (is_table(x)) {
    known <- table_columns(x)
    if (is.null(columns)) columns <- if (has_columns(known, box$columns)) box$columns else setdiff(known, names(by))
    if (!is.null(box$columns) && setequal(columns, box$columns)) columns <- box$columns
  }
  rows <- if (!is.null(by)) check_by_rows(x, columns, by, arg) else check_rows(x, columns, arg, omit = TRUE)
  d <- length(box$lower)
  if (length(rows$types) != d + length(by)) {
    stop_argument(arg, "must have ", count_of(d, "column"), ", one for each side of the box",
                  if (length(by)) ", in addition to those of `by`", ", not ", length(rows$types) - length(by),
                  ". Choose them with `columns`.")
  }
  group_number_rows(rows, axes, d, box$classes)
}

# ---- sums with counts ----------------------------------------------------------------------------------------------

# Sums values in half steps from the middle of the lattice: 2 z - w, from -w to w, for z steps from its lower end and w
# steps in all. `counts`: the number of counts for each group: one, or one for each column if missing values are dropped
# by column.
counted_mechanism <- function(units, columns, box, cost, bits, name, axes, moments) {
  bits <- check_unit_bits(units, check_bits(bits, units$n, "bits"))
  lattice <- public_lattice(box, bits)
  most <- unname(lattice$last - lattice$first)
  d <- length(most)
  groups <- cell_table(axes, d + seq_along(axes))
  size <- table_size(groups)
  counts <- if (units$omit) d else 1
  check_table_size(cell_table(list(list(size = size * (counts + d)))), "by")
  moves <- counted_moves(d, counts, length(axes) > 0)
  planned <- plan_unit_noise(units, cost, l1 = c(rep(moves$l1[1], counts), moves$l1[2] * most),
                             l2_squared = c(rep(moves$l2_squared[1], counts), moves$l2_squared[2] * most^2),
                             largest = 2^(bits + 1))
  noise <- planned$noise
  step <- unname(lattice$step) / 2 * noise$step
  scale <- list(counts = noise$scale[1] * noise$step, sums = noise$scale[-seq_len(counts)] * step)
  times <- if (name == "private_sum") units$n + 64 * scale$counts else 2
  refuse_overflow(step * most * units$n + 64 * scale$sums + pmax(abs(box$lower), abs(box$upper)) * times)
  if (moments) {
    spreads <- plan_spreads(units, cost, lattice, planned$weight, moves$l1[2] / 2, moves$l2_squared[2] / 16)
    lattice$dropped <- spreads$dropped
    noise$scale <- c(noise$scale, spreads$scale)
    scale$moments <- spreads$scale * noise$step
  }
  guarantee <- new_guarantee(
    cost$measure, sensitivity = NA_real_,
    mechanism = paste0(noise_words(noise), " on counts and lattice sums", if (length(axes)) " of groups",
                       moment_words(moments)),
    public = c(list(n = units$n, box = box, bits = bits, scale = scale, step = lattice$step),
               if (length(axes)) list(by = lapply(axes, `[[`, "names")),
               weight_words(units, planned$weight)),
    sampler = "exact", step = name, spent = cost$known, person = units$person
  )
  plan <- public_plan(c(paste0(name, "_by"), "counted_sums", "derived", "additive"), n = units$n, columns = columns,
                      box = box, lattice = lattice, most = most, groups = groups, counts = counts, omit = units$omit,
                      unit = if (is.null(units$person)) "rows" else "people", person = units$person,
                      noise = new_noise(noise$kind, rep(noise$scale, each = size), noise$step), weight = planned$weight)
  new_mechanism(plan, guarantee)
}

# Bounds how far counts and sums move together, in units of their noise. Each entry is the cost of a count, or of a sum
# in units of its largest value, as if it were alone (number-by.md). With epsilon, counts of groups get the fraction
# `share`. It minimizes the variance of a mean whose squared distance from the middle is 1/3, in units of half the side,
# as for a uniform position.
counted_moves <- function(d, counts, grouped) {
  up <- 1 + 2^-40 # more than all rounding errors
  if (!grouped) return(list(l1 = c(2 * counts, 2 * d), l2_squared = c(4 / 3 * counts, 4 * d) * up))
  per_count <- d / counts # columns per count
  share <- 1 / (1 + (3 * per_count^2)^(1 / 3))
  list(l1 = c(2 * counts / share, 2 * d / (1 - share)) * up, l2_squared = c(4 * counts, 4 * d))
}

rows_for.counted_sums <- function(plan, x) {
  axes <- plan$groups$axes
  by <- if (length(axes)) lapply(axes, `[[`, "levels")
  if (!is.null(by) || plan$omit) return(check_counted_rows(x, plan$columns, plan$box, by, "x", axes))
  check_point_rows(x, if (is_table(x)) plan$columns, plan$box, min_rows = 0)
}

# Returns all counts, then all sums, then all spreads.
statistic_of.counted_sums <- function(plan, rows) {
  d <- length(plan$most)
  if (!plan$omit) return(unlist(centered_sums(plan, rows, seq_len(d)), use.names = FALSE))
  each <- lapply(seq_len(d), function(j) {
    taken <- c(j, plan$groups$columns)
    centered_sums(plan, omit_missing(take_columns(rows, taken)), j)
  })
  unlist(lapply(c("counts", "sums", "spreads"), function(what) lapply(each, `[[`, what)))
}

# Returns counts, sums, and spreads of some columns of the box, which come before the grouping columns in the rows.
centered_sums <- function(plan, rows, columns) {
  lattice <- lapply(plan$lattice, `[`, columns)
  groups <- cell_table(plan$groups$axes, length(columns) + seq_along(plan$groups$axes))
  found <- count_and_sum(weigh_rows(rows, plan$weight), lattice, seq_along(columns), groups)
  list(counts = found$count, sums = as.vector(2 * found$sums - outer(found$count, plan$most[columns])),
       spreads = as.vector(found$spreads))
}

weakness_of.counted_sums <- function(plan) {
  size <- table_size(plan$groups)
  # in half steps: a side has 2 * `most` of them
  first <- size * plan$counts + size * (seq_along(plan$most) - 1) + 1
  sd <- noise_deviation(plan$noise$kind, plan$noise$scale[first]) / plan$weight
  weak_sides(plan$n, max(0, (sd / (2 * plan$most))[plan$most > 0]), sub("_by$", "", class(plan)[1]), size)
}

# `sides`: the standard deviation of the noise on a sum, in sides of the box. Groups are assumed to be equally large.
weak_sides <- function(n, sides, name, groups = 1) {
  what <- if (name == "private_sum") "the sum, divided by the rows," else "the mean"
  each <- if (groups > 1) paste(" of each of", format_count(groups), "groups")
  weak_noise(n, groups * sides / middle_share, "the noise on ", what, each, " has a standard deviation of ",
             format(groups * sides / n, digits = 2), " times a side of the box. Guessing its middle, without data, ",
             "would be as accurate")
}

noise_of.counted_sums <- function(plan) {
  d <- length(plan$most)
  size <- table_size(plan$groups)
  each <- if (length(plan$groups$axes)) " of each group"
  quantity <- if (is.null(plan$columns)) paste("column", seq_len(d)) else plan$columns
  counted <- if (plan$counts == 1) paste0("the number of ", plan$unit, each) else
    paste0("the number of ", plan$unit, each, " with ", quantity)
  scale <- plan$noise$scale[seq(1, by = size, length.out = plan$counts + d)]
  unit <- plan$noise$step * c(rep(1, plan$counts), unname(plan$lattice$step) / 2)
  noise_table(c(counted, paste0("the sum of ", quantity, each, ", from the middle")),
              new_noise(plan$noise$kind, scale, unit))
}

result_of.counted_sums <- function(plan, drawn) {
  size <- table_size(plan$groups)
  d <- length(plan$most)
  first <- seq_len(size * plan$counts)
  scale <- plan$noise$scale[seq(1, by = size, length.out = length(drawn) / size)]
  of_column <- plan$counts + seq_len(d)
  moments <- if (!is.null(plan$lattice$dropped)) {
    list(spreads = matrix(utils::tail(drawn, size * d), size), scale = scale[of_column + d],
         unit = 4 * 2^plan$lattice$dropped / pmax(plan$most, 1)^2)
  }
  parts <- list(
    what = c(plan$what, sub("private_", "", sub("_by$", "", class(plan)[1])))[1], unit = plan$unit,
    weight = plan$weight, by = lapply(plan$groups$axes, `[[`, "names"), columns = plan$columns,
    kind = plan$noise$kind, most = plan$most,
    counts = matrix(drawn[first], size, d), sums = matrix(drawn[-first][seq_len(size * d)], size, d),
    moments = moments, scale = list(count = scale[1], sums = scale[of_column]),
    half_step = unname(plan$lattice$step) / 2, ends = unname(plan$lattice$first + plan$lattice$last),
    class = unique(unname(plan$box$classes))
  )
  new_private_groups(parts)
}

# ---- results -----------------------------------------------------------------------------------------------------

new_private_groups <- function(parts) {
  size <- nrow(parts$counts)
  d <- ncol(parts$counts)
  frame <- list()
  if (length(parts$by)) {
    cells <- do.call(expand.grid, c(lapply(parts$by, function(x) factor(x, x)), KEEP.OUT.ATTRS = FALSE))
    frame <- lapply(as.list(cells), rep, times = d)
  }
  if (d > 1) {
    named <- if (is.null(parts$columns)) paste0("x", seq_len(d)) else parts$columns
    frame[[group_column(parts)]] <- factor(rep(named, each = size), named)
  }
  ends <- group_intervals(parts, 0.95)
  # dates remain dates if all columns have the same class
  shown <- function(x) if (length(parts$class) == 1) in_class(as.vector(x), parts$class) else as.vector(x)
  frame <- c(frame, list(count = as.vector(parts$counts) / parts$weight, value = shown(group_values(parts))),
             if (!is.null(ends)) list(lower = shown(ends[, 1]), upper = shown(ends[, 2])),
             if (!is.null(parts$moments)) list(sd = group_deviations(parts)))
  new_result(frame, "dptda_private_groups", also = "data.frame", row.names = .set_row_names(size * d), parts = parts)
}

# Names the column of what has several lines for each group.
group_column <- function(parts) if (inherits(parts, "quantile_parts")) "name" else "column"

are_group_parts <- function(x) UseMethod("are_group_parts")

are_group_parts.default <- function(x) {
  is.list(x) && is_one_string(x$what) && x$what %in% c("sum", "mean", "proportion") && is_number_matrix(x$sums) &&
    is_number_matrix(x$counts) && identical(dim(x$sums), dim(x$counts)) && is_one_number(x$weight) &&
    is.list(x$scale) && all(lengths(x[c("most", "half_step", "ends")]) == ncol(x$sums)) &&
    (is.null(x$rounded) || x$rounded$how %in% c("round", "signif") && is_one_number(x$rounded$digits))
}

define_class("dptda_private_groups", "private_sum() or private_mean()", .bare = is.data.frame,
             count = is.double, value = is.double, lower = is_null_or(is.double), upper = is_null_or(is.double),
             sd = is_null_or(is.double),
             .valid = function(x) {
               parts <- attr(x, "parts", exact = TRUE)
               are_group_parts(parts) && length(parts$counts) == length(.subset2(x, "value")) && has_plain_columns(x) &&
                 all(c(names(parts$by), if (ncol(parts$counts) > 1) group_column(parts)) %in% names(x))
             })

has_plain_columns <- function(x) {
  columns <- unclass(x)
  is.list(columns) && all(vapply(columns, is.atomic, NA)) && all(lengths(columns) == length(columns[[1]]))
}

define_release("dptda_private_groups", function(x) {
  columns <- lapply(unclass(x), function(column) if (is.atomic(column)) column)
  counted <- are_row_numbers(x) && identical(c(attr(x, "row.names", exact = TRUE)), seq_len(max(0L, lengths(columns))))
  list(columns, names(x), counted, attr(x, "parts", exact = TRUE))
}, attributes = c("names", "row.names", "parts"))

# Returns sums, means, or quantiles in the units of the data.
group_values <- function(parts) UseMethod("group_values")

group_values.default <- function(parts) {
  wide <- function(x) rep(x, each = nrow(parts$counts))
  if (parts$what == "sum") {
    return(wide(parts$half_step) / parts$weight * (parts$sums + wide(parts$ends) * parts$counts))
  }
  ratio <- parts$sums / possible_counts(parts)
  wide(parts$half_step) * (pmin(pmax(ratio, -wide(parts$most)), wide(parts$most)) + wide(parts$ends))
}

# Returns the bounds of each interval, in two columns, or NULL if none is known.
group_intervals <- function(parts, level) UseMethod("group_intervals")

group_intervals.default <- function(parts, level) {
  wide <- function(x) rep(x, each = nrow(parts$counts))
  scale <- wide(parts$scale$sums)
  if (parts$what == "sum") {
    value <- as.vector(group_values(parts))
    off <- wide(parts$half_step) / parts$weight *
      two_noises(parts$kind, scale, parts$scale$count, wide(parts$ends), level)
    return(cbind(value - off, value + off))
  }
  ends <- noise_interval(parts, level)
  wide(parts$half_step) * (ends + wide(parts$ends))
}

#' @rdname private_groups
#' @order 2
#' @export
confint.dptda_private_groups <- function(object, parm, level = 0.95, of = c("data", "population"), ...) {
  check_no_dots(...)
  check_unchanged(object)
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  of <- check_target(of)
  data_ends <- function(x, level) {
    ends <- group_intervals(attr(x, "parts", exact = TRUE), level)
    if (is.null(ends)) stop_argument("object", "has no intervals, because noise moves the ranks of its quantiles.")
    ends
  }
  parts <- attr(object, "parts", exact = TRUE)
  finish_ends(target_ends(object, level, of, data_ends), group_labels(object), level, of,
              if (inherits(parts, "quantile_parts") && is.object(.subset2(object, "value"))) parts$class)
}

# Refuses results whose rows or values were changed, because their noise is stored for all rows in their order.
check_unchanged <- function(x, arg = deparse1(substitute(x))) {
  force(arg)
  check_valid(x, "dptda_private_groups", arg)
  parts <- attr(x, "parts", exact = TRUE)
  released <- unclass(new_private_groups(parts))
  kept <- if (is.null(parts$rounded)) c("count", "value")
  for (name in c(names(parts$by), if (ncol(parts$counts) > 1) group_column(parts), kept)) {
    now <- .subset2(x, name)
    if (is.numeric(now) || is.object(now) && !is.factor(now)) {
      same <- identical(as.double(unclass(now)), as.double(unclass(released[[name]])))
    } else same <- identical(as.character(now), as.character(released[[name]]))
    if (!same) {
      stop_argument(arg, "must be as it was released. Its rows were sorted or its numbers were changed, so its ",
                    "intervals no longer belong to them.")
    }
  }
  x
}

# Rounds all numbers alike. print() shows rounded numbers, and confint() uses the released ones.
#' @export
round.dptda_private_groups <- function(x, digits = 0, ...) round_groups(x, "round", check_number(digits))

#' @export
signif.dptda_private_groups <- function(x, digits = 6) round_groups(x, "signif", check_number(digits))

round_groups <- function(x, how, digits) {
  check_valid(x, "dptda_private_groups")
  guarantee <- privacy(x)
  columns <- intersect(c("count", "value", "lower", "upper", "sd"), names(x))
  for (name in columns) x[[name]] <- round_column(.subset2(x, name), how, digits)
  attr(x, "parts")$rounded <- list(how = how, digits = digits)
  if (is.null(guarantee)) x else attach_guarantee(x, guarantee)
}

# Rounds a column. For dates, it rounds the number of days or seconds.
round_column <- function(x, how, digits) {
  numbers <- get(how, baseenv())(as.double(unclass(x)), digits)
  attributes(numbers) <- attributes(x)
  numbers
}

#' @rdname private_groups
#' @order 3
#' @export
summary.dptda_private_groups <- function(object, level = 0.95, ...) {
  check_no_dots(...)
  if (is.null(privacy(object))) {
    # some lines of a result, or changed ones
    found <- value_or(summary(plain_frame(object)), NULL)
    if (is.null(found)) check_valid(object, "dptda_private_groups")
    return(found)
  }
  check_valid(object, "dptda_private_groups")
  parts <- attr(object, "parts", exact = TRUE)
  ends <- group_intervals(parts, level)
  table <- plain_frame(object)
  if (!is.null(ends)) {
    class <- if (is.object(table$value)) parts$class else "number"
    table[c("lower", "upper")] <- lapply(1:2, function(i) in_class(as.vector(ends[, i]), class))
  }
  new_result(list(title = groups_title(parts), table = table, level = level, guarantee = privacy(object)),
             "summary.dptda_private_value")
}

groups_title <- function(parts) {
  paste(c("private", parts$what, if (length(parts$by)) c("by", paste(names(parts$by), collapse = ", "))),
        collapse = " ")
}

# Returns labels such as "f, 2", or "f, 2: x" for several columns.
group_labels <- function(x) {
  parts <- attr(x, "parts", exact = TRUE)
  columns <- lapply(unclass(x)[names(parts$by)], as.character)
  words <- if (length(columns)) do.call(paste, c(unname(columns), sep = ", "))
  if (ncol(parts$counts) == 1) return(words)
  column <- as.character(.subset2(x, group_column(parts)))
  if (is.null(words)) column else paste0(words, ": ", column)
}

#' @rdname private_groups
#' @order 4
#' @export
print.dptda_private_groups <- function(x, level = 0.95, ...) {
  if (is.null(privacy(x))) {
    # some lines of a result, or changed ones
    shown <- structure(x, class = "data.frame", parts = NULL, privacy = NULL, released = NULL)
    words <- value_or(utils::capture.output(print(shown, ...)), NULL)
    if (is.null(words)) check_valid(x, "dptda_private_groups")
    writeLines(as.character(words))
    return(invisible(x))
  }
  check_valid(x, "dptda_private_groups")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  parts <- attr(x, "parts", exact = TRUE)
  print_release(x, print_groups(x, parts, level), title = groups_title(parts))
}

print_groups <- function(x, parts, level) {
  shown <- utils::head(plain_frame(x), 20)
  lines <- seq_len(nrow(shown))
  ends <- group_intervals(parts, level)[lines, , drop = FALSE]
  half <- if (is.null(ends)) 0 * lines + parts$width else (ends[, 2] - ends[, 1]) / 2
  dates <- is.object(shown$value)
  rounded <- parts$rounded
  beside <- function(values) {
    if (dates) return(format(in_class(as.vector(unclass(values)), parts$class)))
    if (!is.null(rounded)) return(as.character(values))
    vapply(lines, function(i) format_beside(values[i], half[i]), "")
  }
  counted <- noise_half_width(parts$kind, parts$scale$count, level) / parts$weight
  if (is.null(rounded)) shown$count <- vapply(shown$count, format_beside, "", counted)
  shown$value <- beside(shown$value)
  hidden <- are_hidden(parts, level)[lines]
  shown$value[hidden] <- "-"
  shown$lower <- shown$upper <- NULL
  if (!is.null(shown$sd)) {
    sd <- shown$sd
    class <- if (dates) parts$class
    shown$sd <- if (is.null(rounded)) deviation_words(sd, rep(class, length(sd))) else ifelse(sd > 0, sd, "-")
    shown$sd[hidden] <- "-"
  }
  gone <- c(if (any(hidden)) parts$what, if (any(shown$sd[!hidden] == "-")) "standard deviation (sd)")
  names(shown)[names(shown) == "value"] <- parts$what
  names(shown)[names(shown) == "count"] <- parts$unit
  words <- function(ends) {
    if (!is.null(rounded)) ends[] <- round_column(ends, rounded$how, rounded$digits)
    paste(beside(ends[, 1]), "to", beside(ends[, 2]))
  }
  # ends of quantiles were drawn for one level
  known <- min(level, parts$level)
  print(add_intervals(shown, x, ends, known, words), row.names = FALSE)
  print_rest(nrow(x) - nrow(shown))
  writeLines(population_words(x, known))
  cat("noise of `", parts$unit, "`: +- ", format(counted, digits = 3), " (", format_percent(level), ")",
      if (length(gone)) c(". \"-\": noise hides the ", paste(gone, collapse = " or the "), "."), "\n", sep = "")
  writeLines(c(wrap_lines(rank_words_of(parts, level)), end_words(x)))
}

# Returns lines about the noise of ranks, or none.
rank_words_of <- function(parts, level) UseMethod("rank_words_of")

rank_words_of.default <- function(parts, level) NULL

# Returns whether noise hides each value. The interval of a mean is then the whole side.
are_hidden <- function(parts, level) UseMethod("are_hidden")

are_hidden.default <- function(parts, level) {
  ends <- group_intervals(parts, level)
  if (parts$what == "sum") return(logical(nrow(ends)))
  wide <- function(x) rep(x, each = nrow(parts$counts))
  side <- wide(parts$half_step) * cbind(wide(parts$ends) - wide(parts$most), wide(parts$ends) + wide(parts$most))
  ends[, 1] <= side[, 1] & ends[, 2] >= side[, 2]
}

plain_frame <- function(x) {
  parts <- unclass(x)
  structure(parts[names(x)], row.names = .set_row_names(length(parts$value)), class = "data.frame")
}

#' @export
as.data.frame.dptda_private_groups <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_frame_dots(...)
  check_valid(x, "dptda_private_groups")
  as.data.frame(plain_frame(x), row.names = row.names, optional = optional)
}

#' @exportS3Method
tidy_table.dptda_private_groups <- function(x) {
  check_unchanged(x)
  frame <- as.data.frame(x)
  parts <- attr(x, "parts", exact = TRUE)
  first <- frame[names(parts$by)]
  first$term <- if (ncol(parts$counts) > 1) as.character(frame[[group_column(parts)]]) else
    rep(if (is.null(parts$columns)) parts$what else parts$columns, nrow(frame))
  first[c("estimate", "count")] <- frame[c("value", "count")]
  if (!is.null(frame$lower)) first[c("data.low", "data.high")] <- frame[c("lower", "upper")]
  around <- tidy_population(x, if (length(parts$class) == 1) parts$class)
  if (!is.null(around)) first[names(around)] <- around
  first
}

# ---- limits --------------------------------------------------------------------------------------------------------

# Limits bits: weights of people use four binary digits to be fair to all rows, and the lattice gets what remains.
check_unit_bits <- function(units, bits, squared = FALSE) {
  if (units$most == 0) return(bits)
  max(1, min(bits, floor((52 - ceiling(log2(units$n)) - 4) / (1 + squared))))
}

# Checks that sums of at most 2^bits steps per row are exact doubles.
check_bits <- function(bits, n, arg = deparse1(substitute(bits))) {
  bits <- check_count(bits, 1, 24, arg = arg)
  if (n * 2^bits > 2^52) {
    stop_argument(arg, "must be at most ", floor(52 - log2(n)), " for ", n, " rows, not ", bits, ".")
  }
  bits
}

# Refuses results beyond the largest double. Noise exceeds 64 times its scale with probability 1e-27.
refuse_overflow <- function(largest) {
  if (all(is.finite(largest))) return(invisible())
  stop_dptda(c("argument", "overflow"),
             "`box` must be nearer to zero. Results and their noise may exceed the largest double, 1.8e308.")
}

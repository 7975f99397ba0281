# An axis is a public total map from the value of one column to one of `size`
# cells. Rows are counted in memory by a kernel and in databases by SQL
# (base-rows-counts.R); both follow the same arithmetic, step by step, so that they
# give the same cells to the last bit.
#
#   origin, per, first, last   cell floor((x - origin) * per); the last cell from `last` on, the first before `first`
#   cuts                       number of cuts that are at most x
#   levels, names, other       by value; all other values in the cell `other`, a name
#   logical                    FALSE, TRUE
#   inner, absent              by the axis `inner`; missing values in the cell `absent`, from 0

# Cells of equal width between two bounds.
axis_cells <- function(lower, upper, size) {
  per <- size / (upper - lower)
  if (size == 1 || !is.finite(per)) return(axis_cuts(lower + (upper - lower) / size * seq_len(size - 1)))
  axis_uniform(lower, per, lower, upper, size)
}

# Cells of the nearest of increasing points; ties go to the upper point. The points of a grid are equally spaced up to a
# rounding, and the equally spaced values then decide the midpoints.
axis_nearest <- function(points) {
  size <- length(points)
  from <- points[1]
  to <- points[size]
  step <- (to - from) / (size - 1)
  even <- size > 2 && is.finite(1 / step) && is.finite(from - step / 2) &&
    all(abs(from + step * seq.int(0, size - 1) - points) <= 1e-9 * step)
  if (even) return(axis_uniform(from - step / 2, 1 / step, from, to, size))
  axis_cuts(halfway(points[-size], points[-1]))
}

# The smallest double that is as near to `upper` as to `lower`.
halfway <- function(lower, upper) {
  cut <- lower + (upper - lower) / 2
  short <- which(cut - lower < upper - cut)
  cut[short] <- vapply(short, function(i) {
    least_double(function(x) x - lower[i] >= upper[i] - x, cut[i], upper[i])
  }, 0)
  cut
}

# Cells between breaks, closed on the left. The outer cells include all values beyond the breaks.
axis_intervals <- function(breaks) axis_cuts(breaks[-c(1, length(breaks))])

axis_cuts <- function(cuts) list(size = length(cuts) + 1, cuts = as.double(cuts))

# Returns arithmetic that places a value among equally spaced breaks, or NULL:
#
#   origin, per or step        floor((x - origin) * per) is the cell, or floor((x - origin) / step)
#   and first, step, scale     floor((x - origin) * per + 1/2) is the cell, or one above it if x is below the cut of
#                              that number, which is (first + number * step) * scale, or / scale, depending on `form`
#
# All roundings are monotone in x. A cell is therefore right if it is right at its first cut and at the double below its
# last cut. Results beyond the cuts are less than the first cell, or more than the last.
equal_spaces <- function(breaks) {
  count <- length(breaks) - 2
  width <- (breaks[count + 2] - breaks[1]) / (count + 1)
  if (count < min_spaced_cuts || !is.finite(width) || width < 2^-1010 || width > 2^1010) return(NULL)
  cuts <- breaks[1 + seq_len(count)]
  if (any(abs(breaks[1] + seq_len(count) * width - cuts) > width / 4)) return(NULL)
  below <- double_below(cuts)
  number <- as.double(seq_len(count))
  steps <- unique(c(width, signif(width, 12), breaks[2] - breaks[1]))
  for (way in exact_ways(breaks[1], steps)) {
    place <- function(x) eval(exact_places[[way$form]], way, environment())
    if (all(place(cuts)[-count] == number[-count], place(below)[-1] == number[-count], place(cuts[count]) >= count,
            place(below[1]) < 1)) return(way)
  }
  per <- 1 / width
  nearest <- function(x) floor((x - breaks[1]) * per + 0.5)
  if (any(nearest(cuts) < number, nearest(below) > number)) return(NULL)
  for (line in cut_lines(breaks, steps)) {
    if (all(line_value(line, number) == cuts)) return(c(list(origin = breaks[1], per = per), line))
  }
}

exact_places <- list(exact = quote(floor((x - origin) * per)), divided = quote(floor((x - origin) / step)))

exact_ways <- function(origin, steps) {
  c(lapply(unique(1 / steps), function(per) list(form = "exact", origin = origin, per = per)),
    lapply(steps, function(step) list(form = "divided", origin = origin, step = step)))
}

# The usual forms of equally spaced numbers: seq(first, last, by = step), (k:n) * step, and (k:n) / scale or decimals.
cut_lines <- function(breaks, steps) {
  whole <- round(breaks[1] / steps)
  c(lapply(steps, function(step) list(form = "line", first = breaks[1], step = step)),
    Map(function(step, first) list(form = "product", first = first, step = 1, scale = step), steps, whole),
    decimal_line(breaks))
}

line_value <- function(line, number) {
  value <- line$first + number * line$step
  switch(line$form, line = value, product = value * line$scale, quotient = value / line$scale)
}

# Does the same for cuts alone: the first break is one step before them.
spaced_cuts <- function(cuts) {
  count <- length(cuts)
  if (count < min_spaced_cuts) return(NULL)
  steps <- c(cuts[2] - cuts[1], cuts[count] - cuts[count - 1])
  if (!all(is.finite(steps))) return(NULL)
  ends <- list(signif(c(cuts[1], cuts[count]) + c(-1, 1) * signif(steps, 12), 12),
               c(cuts[1], cuts[count]) + c(-1, 1) * steps)
  for (end in ends) {
    found <- equal_spaces(c(end[1], cuts, end[2]))
    if (!is.null(found)) return(found)
  }
}

# With fewer cuts, a list of conditions is as short.
min_spaced_cuts <- 3

# Equally spaced integers divided by a power of ten.
decimal_line <- function(breaks) {
  for (scale in 10^(0:15)) {
    whole <- round(breaks * scale)
    if (max(abs(whole)) > 2^52) return(NULL)
    step <- whole[2] - whole[1]
    if (all(whole / scale == breaks, diff(whole) == step)) {
      return(list(list(form = "quotient", first = whole[1], step = step, scale = scale)))
    }
  }
}

# Returns the largest double below each element.
double_below <- function(x) {
  size <- abs(x)
  wide <- size * (1 + 2^-52) # one double up, or two
  half <- size + (wide - size) / 2
  below <- ifelse(x > 0, size * (1 - 2^-53), -ifelse(half > size, half, wide))
  ifelse(size < 2^-1021, x - 2^-1074, below)
}

axis_uniform <- function(origin, per, lower, upper, size) {
  place <- function(x) (x - origin) * per
  # start of the last cell, so that rounding near its end does not matter
  last <- least_double(function(x) place(x) >= size - 1, lower, upper)
  list(size = size, origin = origin, per = per, first = lower, last = last)
}

# The smallest double from which on `holds` is true. It is false for `lower` and true for `upper`.
least_double <- function(holds, lower, upper) {
  repeat {
    middle <- lower + (upper - lower) / 2
    if (middle <= lower || middle >= upper) return(upper)
    if (holds(middle)) upper <- middle else lower <- middle
  }
}

axis_logical <- function() list(size = 2, cuts = 1, logical = TRUE)

# `other`: one of the names of the levels, or the name of a cell after them.
axis_levels <- function(levels, other = "other") {
  names <- union(level_names(levels), other)
  list(size = length(names), levels = levels, names = names, other = other)
}

# Returns codes from 0 of values that are not missing, by the arithmetic of src/core/base-rows.c.
axis_codes <- function(x, axis) {
  if (!is.null(axis$levels)) return(level_cells_of(x, axis) - 1)
  if (!is.null(axis$logical)) return(as.double(x))
  x <- as.double(x)
  if (is.null(axis$origin)) return(findInterval(x, axis$cuts))
  pmin(floor((pmin(pmax(x, axis$first), axis$last) - axis$origin) * axis$per), axis$size - 1)
}

# Returns codes of all values, with a cell for missing ones. A label of a factor may also be missing.
axis_codes_absent <- function(x, axis) {
  codes <- axis_codes(x, axis$inner)
  codes[is_absent(x)] <- axis$absent
  as.integer(codes)
}

is_absent <- function(x) if (is.factor(x)) is.na(x) | is.na(levels(x))[factor_codes(x)] %in% TRUE else is.na(x)

# Returns each element as a string, NA for other types. Strings are formatted one
# by one, not to a common width, and 100000 is 1e5 in any type. A string that does
# not parse as a number is NA among numbers.
cell_keys <- function(x, as_numbers) {
  if (is.logical(x)) return(as.character(x))
  if (is.character(x)) x <- canonical_strings(x)
  if (as_numbers) number_keys(as_plain_number(x)) else x
}

as_plain_number <- function(x) if (is.numeric(x)) as.double(x) else suppressWarnings(as.double(x))

# Integers are exact, as identifiers must be. In other numbers the last digits are
# rounding errors.
number_keys <- function(number) {
  number <- number + 0 # -0 is 0
  keys <- sprintf("%.15g", number)
  whole <- which(number == floor(number) & abs(number) >= 1e15 & abs(number) <= 2^53)
  keys[whole] <- sprintf("%.17g", number[whole])
  keys[is.na(number)] <- NA
  keys
}

# Returns the range of doubles, `lower` to `upper`, that share the key of each number.
key_range <- function(number) {
  key <- number_keys(number)
  end <- function(sign) {
    inner <- number
    outer <- number + sign * abs(number) * 2e-14
    for (i in seq_len(80)) {
      middle <- inner + (outer - inner) / 2
      same <- number_keys(middle) == key
      inner <- ifelse(same, middle, inner)
      outer <- ifelse(same, outer, middle)
    }
    inner
  }
  list(lower = end(-1), upper = end(1))
}

# Matches each level of a factor once; rows only select levels. Distinct numbers and logical values are also converted
# once each: equal values have one key. `names`: names of the cells, perhaps with `other`.
level_cells <- function(x, levels, other = "other", names = level_names(levels)) {
  as_numbers <- is.numeric(x) || is.numeric(levels)
  short <- is.numeric(x) || is.logical(x)
  values <- if (is.factor(x)) levels(x) else if (short) unique(x) else x
  cell <- match(cell_keys(values, as_numbers), cell_keys(levels, as_numbers), incomparables = NA)
  if (is.factor(x)) cell <- cell[factor_codes(x)]
  if (short) cell <- cell[match(x, values)]
  cell[is.na(cell)] <- match(other, names, nomatch = length(names) + 1L)
  cell
}

level_cells_of <- function(x, axis) level_cells(x, axis$levels, axis$other, axis$names)

# NA if a code, in a factor made by hand, is not the number of a level.
factor_codes <- function(x) {
  code <- as.integer(x)
  code[code < 1 | code > nlevels(x)] <- NA
  code
}

level_names <- function(levels) cell_keys(levels, is.numeric(levels))

# Reports releases at a bound of their box. Rows outside the box silently count as its bounds, so a release within its
# noise of a bound may come from a box in the wrong units. The report is post-processing of released and public numbers.
# A value more than two half widths from a bound is reported with probability at most 0.025.

# Returns the bound that each noise interval reaches, or NA. Intervals wider than a quarter of the side show nothing.
reached_bounds <- function(from, to, lower, upper) {
  bound <- ifelse(to >= upper, "upper", ifelse(from <= lower, "lower", NA))
  bound[to - from > (upper - lower) / 4] <- NA
  bound
}

# Returns one line for each bound, true whether rows lie beyond it or not. `names`: the names of all values.
bound_lines <- function(bound, names) {
  lines <- lapply(c(lower = "below", upper = "above"), function(beyond) {
    at <- which(bound == c(below = "lower", above = "upper")[[beyond]])
    if (!length(at)) return(NULL)
    paste0("At the ", bound[at[1]], " bound of the box, up to noise",
           if (!is.null(names)) paste0(": ", quote_names(names[at])),
           ". Rows ", beyond, " it, if any, count as the bound.")
  })
  wrap_lines(as.character(unlist(lines, use.names = FALSE)))
}

# Compares a sum per row with the box. A lattice ends at most one step within its box.
end_words.dptda_private_mean <- function(x) lattice_end_words(x, 1)

end_words.dptda_private_sum <- function(x) lattice_end_words(x, privacy(x)$public$n)

lattice_end_words <- function(x, n) {
  if (n < 1) return(character())
  public <- privacy(x)$public
  value <- as.vector(plain_value(x)) / n
  half <- value_half_width(x) / n + public$step
  bound_lines(reached_bounds(value - half, value + half, public$box$lower, public$box$upper), names(x))
}

# Compares the mean with the box. If all rows are at a bound, the mean is there, and the variance is 0.
end_words.dptda_private_var <- function(x) moment_end_words(x)

end_words.dptda_private_sd <- function(x) moment_end_words(x)

moment_end_words <- function(x) {
  most <- 2^privacy(x)$public$bits - 1
  mean <- unname(x$moments[, "sum"]) / x$rows
  half <- noise_half_width(x$noise$kind, x$noise$scale[1], 0.95) * x$noise$step / x$rows
  bound_lines(reached_bounds(mean - half, mean + half, -most, most), names(x))
}

# Skips proportions, because the user does not choose their box.
end_words.dptda_private_groups <- function(x) {
  parts <- attr(x, "parts", exact = TRUE)
  if (parts$what == "proportion") return(character())
  if (inherits(parts, "quantile_parts")) return(end_cell_words(parts$cell, parts$cells, group_labels(x)))
  wide <- function(x) rep(x, each = nrow(parts$sums))
  most <- wide(parts$most)
  ends <- noise_interval(parts, 0.95)
  bound_lines(reached_bounds(ends[, 1], ends[, 2], -most, most), group_labels(x))
}

# Ranks have noise, but cells do not: a quantile in an end cell is exactly there.
end_words.dptda_private_quantile <- function(x) end_cell_words(x$cell, lattice_cells(x$lattice), names(x))

end_cell_words <- function(cell, cells, labels) {
  ends <- c(first = 0, last = cells - 1)
  lines <- lapply(names(ends), function(name) {
    at <- which(cell == ends[[name]])
    if (!length(at) || cells < 3) return(NULL) # with two cells, both are at an end
    paste0("In the ", name, " cell of the box: ", paste(labels[at], collapse = ", "), ". Rows ",
           c(first = "below", last = "above")[[name]], " the box, if any, count there.")
  })
  wrap_lines(as.character(unlist(lines)))
}

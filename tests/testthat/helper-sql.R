# What the expressions that are printed as SQL (R/database-sql.R) mean: their verbs as functions of numbers, of one row.

sql_meaning <- local({
  over_last <- function(x, f) if (length(dim(x)) < 2) f(x) else apply(x, seq_len(length(dim(x)) - 1), f)
  list2env(parent = baseenv(), list(
    whole = function(x) floor(x),
    double = function(x) x,
    cases = function(...) {
      parts <- list(...)
      count <- length(parts) %/% 2
      like <- Reduce(function(a, b) if (length(b) > length(a) || is.null(dim(a)) && !is.null(dim(b))) b else a, parts)
      value <- like * NA_real_
      value[] <- if (length(parts) > 2 * count) parts[[2 * count + 1]] else NA_real_
      for (i in rev(seq_len(count))) {
        holds <- rep_len(parts[[2 * i - 1]], length(value))
        value[holds] <- rep_len(parts[[2 * i]], length(value))[holds]
      }
      value
    },
    # sum() adds in more digits
    total = function(x) over_last(x, function(v) Reduce(`+`, v)),
    least = function(x) over_last(x, min),
    first_least = function(x) over_last(x, which.min),
    first_most = function(x) over_last(x, which.max),
    at = function(k, x) x[k],
    running = function(x) Reduce(`+`, x, accumulate = TRUE), # as does cumsum()
    differences = function(x) diff(c(0, x)),
    one_if = function(x) as.double(x),
    between = function(x, lower, upper) pmin(pmax(x, lower), upper),
    near = function(x, most) x, moved = function(x, most) pmin(pmax(x, 0), most),
    search = function(x, cuts, leaves) leaves[findInterval(x, cuts) + 1]
  ))
})

sql_value <- function(expression, values) eval(expression, values, sql_meaning)

# The sums of the steps of a statement (R/cluster-query-steps.R) over rows of the box, one row after the other: a column
# for each of `cells`. The first term counts the rows of a cell. `weight`: what rows of people weigh.
run_steps <- function(steps, terms, Z, cells, weight = NULL) {
  after <- function(step, columns) {
    made <- lapply(step$words, sql_value, c(step$values, columns))
    kept <- columns[c(step$keep, if (!is.null(weight)) "weight")]
    both <- intersect(names(kept), names(made))
    made[both] <- Map(c, kept[both], made[both])
    c(kept[setdiff(names(kept), both)], made)
  }
  next_rows <- function(step, columns) {
    if (is.null(step$on)) return(list(after(step, columns)))
    rows <- lapply(seq_along(step$clusters$level), function(k) {
      own <- if (!is.null(step$clusters$whiten)) {
        list(m = step$clusters$mean[k, ], W = matrix(step$clusters$whiten[k, , ], ncol(step$clusters$mean)))
      }
      joined <- c(list(k = k), own, columns)
      if (sql_value(step$on, c(step$values, joined))) after(step, joined)
    })
    Filter(Negate(is.null), rows)
  }
  size <- NULL
  counted <- double(cells)
  for (i in seq_len(nrow(Z))) {
    rows <- list(c(list(z = Z[i, ]), if (!is.null(weight)) list(weight = weight[i])))
    for (step in steps) rows <- unlist(lapply(rows, next_rows, step = step), recursive = FALSE)
    for (row in rows) {
      numbers <- unlist(lapply(Filter(Negate(is.null), terms$words), sql_value, c(terms$values, row)))
      if (is.null(size)) sums <- matrix(0, size <- length(numbers) - 1, cells)
      counted[row$cell] <- counted[row$cell] + numbers[1]
      sums[, row$cell] <- sums[, row$cell] + numbers[-1]
    }
  }
  testthat::expect_equal(sum(counted), nrow(Z))
  unname(sums)
}

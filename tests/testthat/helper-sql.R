# The meaning of expressions that are printed as SQL (R/database-sql.R): their verbs as functions of the numbers of one
# row.

sql_meaning <- local({
  list2env(parent = baseenv(), list(
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
    one_if = function(x) as.double(x),
    between = function(x, lower, upper) pmin(pmax(x, lower), upper),
    near = function(x, most) x, moved = function(x, most) pmin(pmax(x, 0), most),
    search = function(x, cuts, leaves) leaves[findInterval(x, cuts) + 1]
  ))
})

sql_value <- function(expression, values) eval(expression, values, sql_meaning)

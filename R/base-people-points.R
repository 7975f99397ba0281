# Points of people where they are no table of rows: clouds of points, and points of a manifold. What is done to rows of
# people (base-people.R) is done to them, too: one point of each person is taken, or all of them are weighed.
#
# Of the class "dptda_people_points", a list with
#
#   points    a matrix with one point a row, or one a column where `columns` is TRUE
#   owner     whose each point is, from 1 to n; NULL where each person has one, or where points were counted (bins)
#   weights   what each point weighs, doubles of whole numbers; NULL where each weighs one, or was not weighed
#   unit      what a person weighs; NULL before weigh_rows() has said it
#
# and with `n`, `person`, `take` and `complete`, as rows have them. `units`: rows or bins that have these.
people_points <- function(fields, units, columns = FALSE, unit = NULL) {
  units <- unclass(units) # bins have no owners
  fields$columns <- columns
  fields[c("n", "person", "take", "complete", "owner", "unit")] <-
    list(as.double(units$n), units$person, units$take, units$complete, units$owner, unit)
  structure(fields, class = "dptda_people_points")
}

is_of_people <- function(x) !is.null(person_of(x))

# Rows in memory as points, a matrix with one a row.
read_points_of_rows <- function(x, arg, box = NULL, dimension = NULL) {
  refuse_database(x, arg)
  check_point_rows(x, NULL, box, dimension, arg)
}

settle_rows.dptda_people_points <- function(rows, rng) {
  if (is.null(rows$owner) || rows$take == "all") return(rows)
  chosen <- choose_rows(rows$owner, rng)
  rows$points <- if (rows$columns) rows$points[, chosen, drop = FALSE] else rows$points[chosen, , drop = FALSE]
  rows["owner"] <- list(NULL)
  rows
}

weigh_rows.dptda_people_points <- function(rows, weight) {
  if (!is.null(rows$owner)) {
    points <- rows$points
    columns <- if (rows$columns) lapply(seq_len(nrow(points)), function(j) points[j, ]) else points
    rows$weights <- as.double(weigh_each(columns, rows, weight))
  } else if (!is.null(rows$unit)) {
    rows$weights <- rows$weights * (weight / rows$unit) # bins: both are powers of two, this one is the larger
  }
  rows$unit <- weight
  rows
}

# What points weigh where each person weighs `unit`: NULL where each weighs one.
point_weights <- function(points, unit) {
  if (inherits(points, "dptda_people_points") && !identical(as.double(points$unit), as.double(unit))) {
    stop_dptda("argument", "Points of people have no weights.")
  }
  points$weights
}

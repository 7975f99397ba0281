# Treats points of people that are not rows of a table, such as clouds and points of a manifold, like rows of people
# (base-people.R): one point per person is drawn, or all points are weighted.
#
# The class "dptda_people_points" is a list with
#
#   points    a matrix with one point per row, or per column if `columns` is TRUE
#   owner     the person of each point, from 1 to n; NULL if each person has one point, or if points are bins
#   weights   the weight of each point, integers as doubles; NULL if each weight is one, or not set
#   unit      the weight of a person; NULL before weigh_rows()
#
# and with `n`, `person`, `take`, and `complete`, like rows. `units`: rows or bins that have these.
people_points <- function(fields, units, columns = FALSE, unit = NULL) {
  units <- unclass(units) # bins have no owners
  fields$columns <- columns
  fields[c("n", "person", "take", "complete", "owner", "unit")] <-
    list(as.double(units$n), units$person, units$take, units$complete, units$owner, unit)
  structure(fields, class = "dptda_people_points")
}

is_of_people <- function(x) !is.null(person_of(x))

# Rows in memory as points, a matrix with one point per row.
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

# The weights of points if each person has weight `unit`: NULL if each weight is one.
point_weights <- function(points, unit) {
  if (inherits(points, "dptda_people_points") && !identical(as.double(points$unit), as.double(unit))) {
    stop_dptda("argument", "Points of people are without weights.")
  }
  points$weights
}

# False guarantees for people with several rows. The true guarantee holds for a row, or for nobody. Data sets are data
# frames with `x` in [0, 1] and `who`. All claim epsilon = `claimed`. The query is the sum over people of the means of
# x, which one person moves by at most 1, or its part in each of ten cells, which one person moves by 2 in all.

visits_of <- function(...) {
  each <- list(...)
  data.frame(x = unlist(each), who = rep(seq_along(each), lengths(each)))
}

rows_each <- function(data) tabulate(data$who)

people_draws <- function(total) {
  force(total)
  function(data, runs) total(data) + laplace_noise(runs, 1 / claimed)
}

sum_of_means <- function(data) sum(tapply(data$x, data$who, mean))
sum_of_rows <- function(data) sum(data$x)
mean_of_rows <- function(data) length(rows_each(data)) * mean(data$x)
# all rows get the weight of a row of the person with the most rows
weighed_by_largest <- function(data) sum(data$x) / max(rows_each(data))

# Divides two units per person among the rows, rounded down. People with three rows are lost, and the others count as
# all people.
weighed_by_floors <- function(data) {
  weights <- (2 %/% rows_each(data))[data$who]
  length(rows_each(data)) * sum(weights * data$x) / max(sum(weights), 1)
}

cells_of <- function(data) factor(round(9 * data$x), 0:9)
cell_draws <- function(counts, scale) {
  force(counts)
  force(scale)
  function(data, runs) sweep(matrix(laplace_noise(10 * runs, scale), runs), 2, counts(data), `+`)
}
shares_in_cells <- function(data) c(tapply(1 / rows_each(data)[data$who], cells_of(data), sum, default = 0))
people_in_cells <- function(data) c(tapply(data$who, cells_of(data), function(who) length(unique(who)), default = 0))

people_lies <- function() {
  list(
    "people: each row counts for itself" = lie(people_draws(sum_of_rows), visits_of(0, c(1, 1, 1, 1)), visits_of(0, 0)),
    "people: the mean of all rows" = lie(people_draws(mean_of_rows), visits_of(1, 1, 1, rep(0, 50)),
                                         visits_of(1, 1, 1, 0)),
    "people: weights from the person with most rows" =
      lie(people_draws(weighed_by_largest), visits_of(1, 1, 1, rep(0, 50)), visits_of(1, 1, 1, 0)),
    "people: weights cut down to whole numbers" =
      lie(people_draws(weighed_by_floors), do.call(visits_of, c(rep(list(c(0, 0, 0)), 6), 0, 1)),
          do.call(visits_of, c(rep(list(c(0, 0, 0)), 6), 0, 0))),
    "people: once in each cell where a row is" =
      lie(cell_draws(people_in_cells, 2 / claimed), visits_of(0, 0:9 / 9), visits_of(0, 0), runs = 20000),
    "people: noise in groups as if nobody could leave one for another" =
      lie(cell_draws(shares_in_cells, 1 / claimed), visits_of(0, c(1, 1)), visits_of(0, c(0, 0, 0)), runs = 20000)
  )
}

honest_people <- function() {
  list(
    "people: the sum of means" = lie(people_draws(sum_of_means), visits_of(0, c(1, 1, 1, 1)), visits_of(0, 0)),
    "people: shares of rows in cells" = lie(cell_draws(shares_in_cells, 2 / claimed), visits_of(0, c(1, 1)),
                                            visits_of(0, c(0, 0, 0)))
  )
}

# Shapes of three tables: the counts of bars of Table 1 of Alipourjeddi and Miri (2024), and diagrams of the rows beside
# private ones and those of published points (their Figures 4 to 6).
#
# Bars: of the Rips complex of 1,000 rows of Adult, 800 of Poker-Hand, and all 303 of Cleveland (missing values: the
# median), up to dimension 2, with all columns as numbers (levels by their place in the alphabet) and nothing scaled,
# for ten draws of rows; those of dimension 2 of Adult and Poker-Hand for the first draw alone. The second dimension of
# Poker-Hand takes minutes and gigabytes.
#
# Diagrams: epsilon = 1 and delta = 1e-6 pay for the plane, the diagram and the mixture, by private_synthesis(method =
# "topology"); m0 = 0.05. The rows are brought into their own principal plane, of which the one that was released has
# noise; of the points of the plane only published ones are kept.
#
#   Rscript inst/simulations/tables-diagrams.R FOLDER
source("inst/simulations/tables-common.R")

# ---- Table 1 ---------------------------------------------------------------------------------------------------------

all_cleveland <- function() {
  rows <- read.csv(data_file("processed.cleveland.data"), header = FALSE, na.strings = "?",
                   col.names = names(cleveland_schema$columns))
  as.data.frame(lapply(rows, function(x) ifelse(is.na(x), median(x, na.rm = TRUE), x)))
}

as_numbers <- function(rows) vapply(rows, function(x) as.double(if (is.character(x)) factor(x) else x),
                                    double(nrow(rows)))

count_bars <- function(X, dimension) {
  tabulate(ripserr::vietoris_rips(X, max_dim = dimension)$dimension + 1, dimension + 1)
}

counted <- list(Adult = list(read = read_adult, rows = 1000, paper = c(1000, 27, 0)),
                `Poker-Hand` = list(read = read_poker, rows = 800, paper = c(800, 863, 564)),
                Cleveland = list(read = all_cleveland, rows = 303, paper = c(303, 199, 34)))

bars <- do.call(rbind, lapply(names(counted), function(name) {
  set.seed(95)
  own <- counted[[name]]
  rows <- own$read()
  draws <- if (nrow(rows) == own$rows) 1 else sized(10)
  do.call(rbind, lapply(seq_len(draws), function(draw) {
    X <- as_numbers(rows[sample(nrow(rows), own$rows), ])
    count <- count_bars(X, if (draw == 1) 2 else 1)
    data.frame(table = name, draw, dimension = seq_along(count) - 1, count, paper = own$paper[seq_along(count)])
  }))
}))
write_table(bars, "tables-bars")

# ---- Figures 4 to 6 --------------------------------------------------------------------------------------------------

diagrams_of <- function(name) {
  set.seed(96)
  table <- tables[[name]]
  rows <- table$read()
  method <- synthesis_topology()
  model <- private_synthesis(rows, table$schema, epsilon = 1, delta = 1e-6, method = method, rng = "R")$model
  bars <- function(diagram, what) {
    diagram <- as.data.frame(diagram)
    data.frame(table = rep(name, nrow(diagram)), what = rep(what, nrow(diagram)),
               diagram[c("dimension", "birth", "death")])
  }
  shape <- function(points, what) {
    bars(dtm_persistence(points, model$grid, m0 = method$m0, clip = method$clip, essential = "drop"), what)
  }
  list(points = data.frame(table = name, round(model$cloud, 2)), # for a picture
       bars = rbind(shape(principal_plane(rows, table$schema, method$side)(rows), "rows"),
                    shape(model$cloud, "published"), bars(model$diagram, "private")),
       distance = data.frame(table = name, what = rownames(model$distance), model$distance))
}
found <- lapply(names(tables), diagrams_of)
rounded <- function(part) {
  x <- do.call(rbind, lapply(found, `[[`, part))
  x[] <- lapply(x, function(column) if (is.numeric(column)) signif(column, 4) else column)
  x
}
write_points(rounded("points"), "tables-points")
write_table(rounded("bars"), "tables-diagrams")
write_table(rounded("distance"), "tables-distances")

# The paper's mechanism on its two circles, drawn exactly: five points in each of the dimensions 0 and 1, the sum of
# bottleneck distances as loss, no clipping. 500 data sets of n = 4,000 points for the values of epsilon (each data set
# serves them all), and 500 others for each n. Kang et al. (2024), Figures 4 and 5.
source("inst/simulations/common.R")
set.seed(4)

replicates <- sized(500)
m0 <- 0.2
epsilons <- c(0.1, 0.2, 0.5, 1, 2, 5, 10)
sizes <- c(400, 1000, 2000, 4000, 8000)

mechanism <- list(grid = circles_grid, m0 = m0, max_points = 5, learn_points = FALSE, utility = "sum")
do.call(same_as_package, c(list(two_circles(4000), clip = Inf, epsilon = 1), mechanism))

# One data set: the releases for all values of epsilon, and their errors.
one_data_set <- function(n, epsilons) {
  truth <- true_diagram(two_circles(n), circles_grid, m0)
  releases <- lapply(epsilons, function(epsilon) do.call(draw_releases,
                                                         c(list(truth, n, epsilon = epsilon), mechanism))[[1]])
  errors <- vapply(releases, distances, numeric(2), truth)
  list(
    points = Map(function(diagram, epsilon) cbind(rounded(diagram, 3), n = n, epsilon = epsilon), releases, epsilons),
    errors = data.frame(n = n, epsilon = rep(epsilons, each = 2), dimension = 0:1, error = as.vector(errors))
  )
}

many_data_sets <- function(n, epsilons) repetitions(replicates, function(i) one_data_set(n, epsilons))

by_epsilon <- many_data_sets(4000, epsilons)
by_size <- lapply(sizes, function(n) many_data_sets(n, 1))

error_table <- function(runs, varied) {
  errors <- do.call(rbind, lapply(runs, `[[`, "errors"))
  cbind(varied = varied, error_quantiles(errors$error, errors[c("n", "epsilon", "dimension")]))
}
write_table(
  rbind(error_table(by_epsilon, "epsilon"), error_table(unlist(by_size, recursive = FALSE), "n")),
  "two-circles-errors"
)

# The panels of Figure 4.
points <- function(runs) do.call(rbind, unlist(lapply(runs, `[[`, "points"), recursive = FALSE))
panels <- rbind(
  cbind(varied = "epsilon", subset(points(by_epsilon), epsilon %in% c(0.1, 1, 10))),
  cbind(varied = "n", subset(points(unlist(by_size, recursive = FALSE)), n %in% c(1000, 4000, 8000)))
)
# The window of the paper ends at 3. Points beyond it are counted, and not kept: they take two thirds of the room.
outside <- aggregate(list(outside = panels$death > 3), panels[c("varied", "n", "epsilon")], mean)
panels <- panels[panels$death <= 3, ]
# In one order, which a picture does not need, and which takes two thirds of the room.
panels <- panels[do.call(order, panels[c("varied", "n", "epsilon", "dimension", "birth", "death")]), ]
rownames(panels) <- NULL
truth <- true_diagram(two_circles(1e5), circles_grid, m0)
# A hundredth is less than a point of a picture: whole hundredths.
panels[c("birth", "death")] <- lapply(panels[c("birth", "death")], function(x) as.integer(round(100 * x)))
write_object(list(panels = panels, outside = outside, truth = rounded(truth)), "two-circles-points")
record_time("two-circles.R")

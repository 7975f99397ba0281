# Is the last state of a Markov chain a draw from the mechanism? The paper's mechanism (its Algorithm 1, but in a public
# triangle) on one data set of its two circles, n = 4,000: 200 chains of 10,000 steps for each of three step sizes,
# beside 2,000 exact draws (in the table: steps Inf of size 0).
source("inst/simulations/common.R")
set.seed(6)

chains <- sized(200)
steps <- 10000
exact_draws <- sized(2000)
step_sds <- c(0.01, 0.05, 0.2)
points_of_rows <- c(1, 3, 10, 30, 100, 300, 1000, 3000, 10000)

X <- two_circles(4000)
mechanism <- list(grid = circles_grid, epsilon = 1, m0 = 0.2, max_points = 5, utility = "sum")

one_chain <- function(step_sd) {
  chain <- do.call(nonprivate_chain, c(list(X, steps = steps, step_sd = step_sd, rng = "R"), mechanism))
  data.frame(step_sd, step = points_of_rows, dimension = rep(0:1, each = length(points_of_rows)),
             distance = as.vector(chain$distances[points_of_rows, ]))
}
many_chains <- function(step_sd) do.call(rbind, repetitions(chains, function(i) one_chain(step_sd)))
states <- do.call(rbind, lapply(step_sds, many_chains))

truth <- true_diagram(X, circles_grid, m0 = 0.2)
do.call(same_as_package, c(list(X, clip = Inf, learn_points = FALSE), mechanism))
exact <- do.call(draw_releases, c(list(truth, n = nrow(X), draws = exact_draws, learn_points = FALSE), mechanism))
exact <- data.frame(step_sd = 0, step = Inf, dimension = 0:1,
                    distance = as.vector(vapply(exact, distances, numeric(2), truth)))

quantiles <- function(x) error_quantiles(x$distance, x[c("step_sd", "step", "dimension")])
write_table(rbind(quantiles(states), quantiles(exact)), "chain")
record_time("chain.R")

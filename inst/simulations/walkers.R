# The three walkers: accelerations at 3,674 moments each, in units of gravity. Public box: the +-2 g that the
# accelerometers of phones measure by default. Kang et al. (2024), Figures 7 and 8, what their mechanism can do at best,
# and what clipping does.
#
# The paper takes 20,000 rows for each walker, which hold these moments, each 5.4 times on average. Rows that are
# repeated equally often do not change the distance to the measure, but they make the rate of the mechanism, epsilon /
# (2 sensitivity), larger: k = ceiling(m0 n) is 1,000 instead of 184. So the paper's mechanism at epsilon = 1 is run
# here as that on the moments at epsilon = 1000/184, which has the same distribution.
source("inst/simulations/common.R")
set.seed(7)

draws <- sized(500)
steps <- 50000
step_sd <- 0.02
clipped_epsilons <- c(0.5, 1, 2, 4)

rows <- readRDS(system.file("extdata", "walkers.rds", package = "dptda"))
walkers <- lapply(split(round(rows[c("x", "y", "z")] / 65536, 6), rows$walker), as.matrix)
grid <- domain_grid(domain_box(rep(-2, 3), rep(2, 3)), by = 0.1)
moments <- nrow(walkers$A)
paper_epsilon <- 1000 / ceiling(0.05 * moments)

paper <- list(grid = grid, m0 = 0.05, max_points = 5, utility = "sum")
fixed <- c(paper, learn_points = FALSE)
clipped <- list(grid = grid, m0 = 0.1, clip = 0.5)
do.call(same_as_package, c(list(walkers$A, clip = Inf, epsilon = paper_epsilon), fixed))
empty <- persistence_diagram()

# Releases of a walker with the true diagram `truth` of these settings.
releases <- function(truth, epsilon, settings) do.call(draw_releases,
                                                       c(list(truth, moments, epsilon = epsilon, draws = draws),
                                                         settings))

# Errors of the releases of one walker against each of the diagrams in the named list `truths`.
errors <- function(walker, settings, epsilon, releases, truths) {
  against <- function(name) {
    drawn <- vapply(releases, distances, numeric(2), truths[[name]])
    data.frame(walker, settings, epsilon, against = name, dimension = 0:1, error = as.vector(drawn))
  }
  do.call(rbind, lapply(names(truths), against))
}

# The paper's mechanism; with the rate of its published code, which is four times larger (each distance counts twice,
# and the number of dimensions is left out of the sensitivity); and clipped distances with a learned number of points.
study <- function(walker) {
  X <- walkers[[walker]]
  truth <- true_diagram(X, grid, 0.05)
  coarse <- list(unclipped = true_diagram(X, grid, 0.1), clipped = true_diagram(X, grid, 0.1, 0.5))
  stated <- releases(truth, paper_epsilon, fixed)
  coded <- releases(truth, 4 * paper_epsilon, fixed)
  ours <- lapply(clipped_epsilons, function(epsilon) releases(coarse$clipped, epsilon, clipped))
  chain <- do.call(nonprivate_chain, c(list(X, epsilon = paper_epsilon, steps = steps, step_sd = step_sd,
                                            rng = "R"), paper))
  thinned <- unique(round(10^seq(0, log10(steps), length.out = 400)))
  list(
    truth = rounded(truth), truth_clipped = rounded(coarse$clipped),
    paper = rounded(stated[[1]]), clipped = lapply(ours, function(drawn) rounded(drawn[[1]])),
    chain = cbind(step = thinned, round(chain$distances[thinned, ], 5)),
    empty = data.frame(walker, m0 = rep(c(0.05, 0.1, 0.1), each = 2),
                       against = rep(c("unclipped", names(coarse)), each = 2), dimension = 0:1,
                       error = round(unlist(lapply(c(list(truth), coarse), distances, empty)), 5)),
    errors = rbind(
      errors(walker, "paper", paper_epsilon, stated, list(unclipped = truth)),
      errors(walker, "code", 4 * paper_epsilon, coded, list(unclipped = truth)),
      do.call(rbind, Map(function(epsilon, drawn) errors(walker, "clipped", epsilon, drawn, coarse),
                         clipped_epsilons, ours))
    )
  )
}
studies <- setNames(repetitions(length(walkers), function(i) study(names(walkers)[i])), names(walkers))
gather <- function(what) do.call(rbind, unname(lapply(studies, `[[`, what)))

all_errors <- gather("errors")
write_table(error_quantiles(all_errors$error, all_errors[c("walker", "settings", "epsilon", "against", "dimension")]),
            "walkers-errors")
write_table(gather("empty"), "walkers-empty")
write_object(lapply(studies, `[`, c("truth", "truth_clipped", "paper", "clipped", "chain")), "walkers")

# What a plan would have said, without the data.
plan <- vapply(clipped_epsilons, function(epsilon) {
  power_diagram(moments, grid, epsilon = epsilon, m0 = 0.1, clip = 0.5, power = 0.9, level = 0.9)$persistence
}, 0)
write_table(data.frame(epsilon = clipped_epsilons, persistence = signif(plan, 4)), "walkers-plan")
record_time("walkers.R")

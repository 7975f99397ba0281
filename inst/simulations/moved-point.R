# One row moved: the diagrams of two circles (200 points each) before and after one point is moved midway between them,
# by the L1 distance to the measure and by the Vietoris-Rips filtration (ripserr).
# 200 data sets; the first is the one that is drawn. Kang et al. (2024), Figure 3.
source("inst/simulations/common.R")
set.seed(3)

replicates <- sized(200)
m0 <- 0.2
middle <- c(-0.177, -0.177) # halfway along the gap between the circles

# Without the component that never dies, as for essential = "drop".
rips <- function(X) {
  found <- as_dptda_diagram(ripserr::vietoris_rips(X, max_dim = 1, threshold = 3))
  found[is.finite(found$death), ]
}
dtm <- function(X) true_diagram(X, circles_grid, m0)

compare <- function(replicate) {
  before <- two_circles(400)
  after <- before
  after[1, ] <- middle
  diagrams <- list(dtm = list(dtm(before), dtm(after)), rips = list(rips(before), rips(after)))
  moved <- lapply(names(diagrams), function(filtration) {
    pair <- diagrams[[filtration]]
    data.frame(replicate, filtration, dimension = 0:1, distance = round(distances(pair[[1]], pair[[2]]), 5))
  })
  drawn <- if (replicate == 1) {
    list(before = round(before, 4), after = round(after, 4), diagrams = lapply(diagrams, lapply, rounded))
  }
  list(moved = do.call(rbind, moved), drawn = drawn)
}

compared <- repetitions(replicates, compare)
write_points(do.call(rbind, lapply(compared, `[[`, "moved")), "moved-point")
write_object(compared[[1]]$drawn, "moved-point")
record_time("moved-point.R")

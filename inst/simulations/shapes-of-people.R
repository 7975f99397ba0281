# One shape per person: mean curves, tests of two groups, clusters, and a mean diagram. Five populations of diagrams:
#
#   shapes   120 points near a circle, a figure eight, or a disc, whose size differs by person
#            (dtm_persistence(), loops; 300 people of each)
#   digits   USPS digits of 16 x 16 pixels (grid_persistence(), loops of the dark part; zip.train.gz of the Elements of
#            Statistical Learning, which is not shipped)
#   walkers  windows of 60 accelerations of three walkers, in space (Rips, loops; walkers_series.csv.gz). Windows
#            overlap, so they stand for people but are not people.
#   gait     a simulated walk with regular or irregular steps, as the delays of one acceleration (Rips, loops)
#   graphs   60 vertices and about 180 edges: random, small world, or preferential (degrees, components)
#
# Writes four tables:
#
#   shapes-of-people.csv           error of private_curve() for n people drawn with replacement, relative to the mean
#                                  curve of the population (its length), the root mean square of 100 releases. The
#                                  radius comes from 60 people as public look-alikes. `sampling`: without noise and cut
#   shapes-of-people-tests.csv     power of private_curve_test(), 1,000 tests each, 2,000 if both groups are the same
#   shapes-of-people-clusters.csv  adjusted Rand index of clusters of `shapes`: private_pca() to a plane with half of
#                                  epsilon (delta = 1e-6), then private_kmeans() by a grid with the other half, 20 runs
#   shapes-of-people-cells.csv     private_histogram() of birth and persistence of circles, a weight of one per person,
#                                  in cells of 0.1: how often a cell near the loop is above what noise reaches (95%),
#                                  how often one is that has no point of any circle, and how far the mean of the cells
#                                  near the loop is away, 100 runs
#
# and for pictures -curves, -plane, and -histogram. Errors have a standard error of up to 7%, powers of 1.6 points.
#
#   Rscript inst/simulations/shapes-of-people.R
source("inst/simulations/common.R")
source("inst/simulations/clusters-common.R")
set.seed(71)
options(dptda.weak_release = FALSE) # few people are shown, too

# ---- populations -----------------------------------------------------------------------------------------------------

planar <- function(kind, points = 120) {
  a <- runif(points, 0, 2 * pi)
  X <- switch(kind, circle = cbind(cos(a), sin(a)),
              `figure eight` = 0.62 * cbind(cos(a) + sample(c(-1, 1), points, TRUE), sin(a)),
              disc = sqrt(runif(points)) * cbind(cos(a), sin(a)))
  runif(1, 0.8, 1.2) * X + rnorm(2 * points, sd = 0.12)
}
plane <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.1)
loops_of <- function(X) dtm_persistence(X, plane, m0 = 0.08, clip = 2, essential = "drop")

rips <- function(X) as_dptda_diagram(ripserr::vietoris_rips(X, max_dim = 1))

# Steps of a mean length of 40 moments, in noise.
walk <- function(irregular) {
  steps <- cumsum(40 * exp(rnorm(40, 0, if (irregular) 0.25 else 0.05)))
  t <- seq_len(600)
  bump <- function(at) exp(-(t - at)^2 / 18) - 0.25 * exp(-(t - at - 8)^2 / 30) + 0.3 * exp(-(t - at - 16)^2 / 40)
  a <- rowSums(vapply(steps, bump, t + 0)) * exp(rnorm(1, 0, 0.1)) + rnorm(600, sd = 0.05)
  i <- round(seq(1, 576, length.out = 100))
  cbind(a[i], a[i + 8], a[i + 16])
}

draw_network <- function(kind, n = 60, k = 6) {
  A <- matrix(FALSE, n, n)
  if (kind == "random") A[upper.tri(A)] <- runif(n * (n - 1) / 2) < k / (n - 1)
  if (kind == "small world") {
    from <- rep(seq_len(n), k / 2)
    to <- (from + rep(seq_len(k / 2), each = n) - 1) %% n + 1
    moved <- runif(length(to)) < 0.15
    to[moved] <- sample.int(n, sum(moved), TRUE)
    A[cbind(pmin(from, to), pmax(from, to))[from != to, ]] <- TRUE
  }
  if (kind == "preferential") {
    degree <- rep(1, n)
    for (i in 5:n) {
      j <- sample.int(i - 1, 3, prob = degree[seq_len(i - 1)])
      A[cbind(j, i)] <- TRUE
      degree[j] <- degree[j] + 1
      degree[i] <- 3
    }
  }
  A | t(A)
}

# Components of the vertices of at least each degree, by joining the components of each edge. The one of the largest
# degree ends at level 0.
degree_diagram <- function(A) {
  level <- -rowSums(A)
  edges <- which(A & upper.tri(A), arr.ind = TRUE)
  at <- pmax(level[edges[, 1]], level[edges[, 2]])
  part <- seq_along(level)
  births <- level
  points <- NULL
  for (k in order(at)) {
    ends <- part[edges[k, ]]
    if (ends[1] == ends[2]) next
    ends <- ends[order(births[ends])]
    if (at[k] > births[ends[2]]) points <- rbind(points, c(births[ends[2]], at[k]))
    part[part == ends[2]] <- ends[1]
  }
  points <- rbind(points, cbind(births[unique(part)], 0))
  persistence_diagram(0, points[, 1], points[, 2])
}

of_kind <- function(kinds, count, draw) {
  label <- rep(kinds, each = count)
  list(label = label, diagrams = lapply(label, draw))
}
pixels <- read.table(gzfile(data_file("zip.train.gz")))
series <- read.csv(gzfile(data_file("walkers_series.csv.gz")))
windows <- unlist(lapply(unname(split(series, paste(series$walker, series$segment))), function(own) {
  lapply(seq(1, max(1, nrow(own) - 60), 15), function(i) own[i + 0:59, ])
}), recursive = FALSE)
windows <- windows[vapply(windows, function(own) !anyNA(own$x), NA)]

populations <- list(
  shapes = of_kind(c("circle", "figure eight", "disc"), sized(300), function(kind) loops_of(planar(kind))),
  digits = list(label = pixels[[1]], diagrams = lapply(seq_len(nrow(pixels)), function(i) {
    grid_persistence(matrix(as.numeric(pixels[i, -1]), 16), essential = "drop")
  })),
  walkers = list(label = vapply(windows, function(own) own$walker[1], ""),
                 diagrams = lapply(windows, function(own) rips(as.matrix(own[c("x", "y", "z")])))),
  gait = of_kind(c("regular", "irregular"), sized(300), function(kind) rips(walk(kind == "irregular"))),
  graphs = of_kind(c("random", "small world", "preferential"), sized(300), function(kind) {
    degree_diagram(draw_network(kind))
  })
)
people_of <- function(population, ...) {
  x <- populations[[population]]
  x$diagrams[x$label %in% c(...)]
}

# ---- mean curves -----------------------------------------------------------------------------------------------------

curves <- list(list("shapes", "landscape", curve_landscape(c(0, 1.2), 1)),
               list("digits", "normalized life", curve_life(c(-1, 1), 1)),
               list("walkers", "life", curve_life(c(0, 2), 1, normalize = FALSE)),
               list("graphs", "landscape", curve_landscape(c(-30, 0), 0)))
size <- function(v) sqrt(mean(v^2))

mean_errors <- function(population, name, curve) {
  diagrams <- populations[[population]]$diagrams
  if (length(diagrams) > 900) diagrams <- diagrams[sample.int(length(diagrams), 900)]
  values <- as.matrix(diagram_curve(diagrams, curve))
  truth <- colMeans(values)
  one <- function(n, epsilon) {
    radius <- curve_radius(diagrams[sample.int(length(diagrams), 60)], curve, n, epsilon = epsilon)
    drawn <- sample.int(length(diagrams), n, TRUE)
    release <- private_curve(diagrams[drawn], curve, radius, epsilon = epsilon, rng = "R")
    c(size(release$value - truth), size(colMeans(values[drawn, ]) - truth)) / size(truth)
  }
  each <- expand.grid(n = c(50, 100, 200, 500, 1000), epsilon = c(0.5, 1, 2))
  found <- Map(function(n, epsilon) {
    apply(simplify2array(repetitions(sized(100), function(i) one(n, epsilon))), 1, size)
  }, each$n, each$epsilon)
  data.frame(population, curve = name, each, error = signif(vapply(found, `[`, 0, 1), 3),
             sampling = signif(vapply(found, `[`, 0, 2), 3))
}
write_table(do.call(rbind, lapply(curves, function(x) do.call(mean_errors, x))), "shapes-of-people")

# ---- tests -----------------------------------------------------------------------------------------------------------

circles <- people_of("shapes", "circle")
rest <- people_of("shapes", "figure eight", "disc")
mixed <- function(part, people = 0.7 * length(circles)) {
  c(circles[seq_len(part * people)], rest[round(seq(1, length(rest), length.out = (1 - part) * people))])
}
landscape <- curve_landscape(c(0, 1.2), 1)
pairs <- list(
  list("70% circles, 30%", mixed(0.7), mixed(0.3), landscape),
  list("60% circles, 40%", mixed(0.6), mixed(0.4), landscape),
  list("digits 0, 8", people_of("digits", 0), people_of("digits", 8), curve_betti(c(-1, 1), 1)),
  list("digits 3, 5", people_of("digits", 3), people_of("digits", 5), curve_betti(c(-1, 1), 1)),
  list("walkers A, B", people_of("walkers", "A"), people_of("walkers", "B"), curve_life(c(0, 2), 1, normalize = FALSE)),
  list("gait: regular, irregular", people_of("gait", "regular"), people_of("gait", "irregular"),
       curve_life(c(0, 2), 1)),
  list("graphs: random, small world", people_of("graphs", "random"), people_of("graphs", "small world"),
       curve_landscape(c(-30, 0), 0)),
  list("the same: circles", circles, circles, landscape),
  list("the same: walkers A", people_of("walkers", "A"), people_of("walkers", "A"),
       curve_life(c(0, 2), 1, normalize = FALSE))
)
test_powers <- function(name, a, b, curve) {
  same <- startsWith(name, "the same")
  sizes <- if (same) list(c(100, 100), c(10, 90)) else lapply(c(25, 50, 100, 200), rep, 2)
  each <- expand.grid(size = seq_along(sizes), epsilon = c(0.5, 1, 2))
  do.call(rbind, Map(function(size, epsilon) {
    found <- power_curve_test(a, b, curve, sizes[[size]], epsilon, runs = sized(if (same) 2000 else 1000, 10),
                              seed = 72)
    data.frame(pair = name, n1 = found$n[1], n2 = found$n[2], epsilon, power = round(found$power, 4),
               noiseless = round(found$noiseless, 4))
  }, each$size, each$epsilon))
}
write_table(do.call(rbind, lapply(pairs, function(x) do.call(test_powers, x))), "shapes-of-people-tests")

# ---- clusters --------------------------------------------------------------------------------------------------------

# Ten cosines of each Betti curve, the columns of which have public bounds.
betti <- curve_betti(c(0, 1.2), 1)
waves <- outer((seq_len(betti$size) - 0.5) / betti$size, 0:9, function(t, j) cos(pi * t * j))
waves <- waves / rep(sqrt(colSums(waves^2)), each = betti$size)
cosines_of <- function(diagrams) as.matrix(diagram_curve(diagrams, betti)) %*% waves / sqrt(betti$size)
all_shapes <- cosines_of(populations$shapes$diagrams)
kind_of <- populations$shapes$label
box <- domain_box(rep(-1, 10), rep(1, 10))

cluster_once <- function(n, epsilon) {
  i <- sample.int(nrow(all_shapes), n, TRUE)
  axes <- private_pca(all_shapes[i, ], box, rank = 2, method = "ball", epsilon = epsilon / 2, delta = 1e-6, rng = "R")
  plane <- predict(axes, all_shapes[i, ])
  found <- private_kmeans(plane, domain_box(c(-1.5, -1.5), c(1.5, 1.5)), 3, method = "grid", epsilon = epsilon / 2,
                          rng = "R")
  list(plane = plane, found = found, kind = kind_of[i],
       index = rand_index(predict(found, plane), kind_of[i]),
       known = rand_index(kmeans(all_shapes[i, ], 3, nstart = 20)$cluster, kind_of[i]))
}
cluster_rows <- function(n, epsilon) {
  runs <- repetitions(sized(20), function(i) cluster_once(n, epsilon)[c("index", "known")])
  index <- vapply(runs, `[[`, 0, "index")
  data.frame(n, epsilon, low = quantile(index, 0.25), median = median(index), high = quantile(index, 0.75),
             nonprivate = median(vapply(runs, `[[`, 0, "known")), row.names = NULL)
}
settings <- expand.grid(n = c(300, 900, 2100), epsilon = c(1, 2))
table <- do.call(rbind, Map(cluster_rows, settings$n, settings$epsilon))
table[3:6] <- round(table[3:6], 3)
write_table(table, "shapes-of-people-clusters")

# ---- a mean diagram --------------------------------------------------------------------------------------------------

points_of <- function(diagrams) do.call(rbind, lapply(seq_along(diagrams), function(i) {
  own <- as.data.frame(diagrams[[i]])
  own <- own[own$dimension == 1, ]
  data.frame(birth = own$birth, persistence = own$death - own$birth, person = rep(i, nrow(own)))
}))
ends <- seq(0, 1.2, by = 0.1)
true_cell <- local({
  own <- points_of(circles)
  tall <- own$persistence > 0.25
  c(mean(own$birth[tall]), mean(own$persistence[tall]))
})
middle <- expand.grid(birth = ends[-1] - 0.05, persistence = ends[-1] - 0.05)
off <- middle$persistence > 0.2 # cells next to the diagonal hold the noise of each person's points
no_point <- local({
  own <- points_of(circles)
  table(cut(own$birth, ends), cut(own$persistence, ends)) == 0
})
histogram_once <- function(n, epsilon) {
  own <- points_of(circles[sample.int(length(circles), n, TRUE)])
  rows <- table_rows(own, c("birth", "persistence"), person = "person", people = n)
  release <- private_histogram(rows, list(birth = ends, persistence = ends), epsilon = epsilon, rng = "R")
  # no noise of a cell reaches this in 95% of releases
  far <- 2 / epsilon * -log(2 * (1 - 0.95^(1 / sum(off))))
  counts <- as.vector(unclass(release))
  above <- off & counts > far
  near <- abs(middle$birth - true_cell[1]) < 0.15 & abs(middle$persistence - true_cell[2]) < 0.15
  loop <- colSums(middle[above & near, ] * counts[above & near]) / sum(counts[above & near])
  c(found = any(above & near), false = any(above & no_point), birth = abs(loop[[1]] - true_cell[1]),
    persistence = abs(loop[[2]] - true_cell[2]))
}
cell_rows <- function(n, epsilon) {
  runs <- simplify2array(repetitions(sized(100), function(i) histogram_once(n, epsilon)))
  data.frame(n, epsilon, found = mean(runs["found", ]), false = mean(runs["false", ]),
             birth = signif(median(runs["birth", ], na.rm = TRUE), 3),
             persistence = signif(median(runs["persistence", ], na.rm = TRUE), 3))
}
settings <- expand.grid(n = c(100, 300), epsilon = c(0.5, 1, 2))
write_table(do.call(rbind, Map(cell_rows, settings$n, settings$epsilon)), "shapes-of-people-cells")

# ---- pictures --------------------------------------------------------------------------------------------------------

released <- function(n, epsilon, population, label, curve) {
  own <- people_of(population, label)
  radius <- curve_radius(own[sample.int(length(own), 60)], curve, n, epsilon = epsilon)
  release <- private_curve(own[sample.int(length(own), n, TRUE)], curve, radius, epsilon = epsilon, rng = "R")
  truth <- colMeans(as.matrix(diagram_curve(own, curve)))
  data.frame(population, label, n, grid = release$grid, value = signif(release$value, 3), truth = signif(truth, 3),
             round(confint(release), 5), check.names = FALSE)
}
drawn <- rbind(
  do.call(rbind, lapply(c(50, 200, 1000), released, epsilon = 1, "shapes", "circle", landscape)),
  do.call(rbind, lapply(c("circle", "figure eight", "disc"), function(label) {
    released(500, 1, "shapes", label, betti)
  })),
  do.call(rbind, lapply(c("A", "B"), function(label) {
    released(200, 1, "walkers", label, curve_life(c(0, 2), 1, normalize = FALSE))
  })),
  do.call(rbind, lapply(c(0, 8, 3, 5), function(label) released(500, 1, "digits", label, curve_betti(c(-1, 1), 1))))
)
names(drawn)[7:8] <- c("lower", "upper")
write_points(drawn, "shapes-of-people-curves")
one <- cluster_once(900, 2)
write_points(data.frame(round(one$plane, 3), kind = one$kind, cluster = predict(one$found, one$plane)),
             "shapes-of-people-plane")
seen <- points_of(circles[seq_len(sized(300))])
rows <- table_rows(seen, c("birth", "persistence"), person = "person", people = length(unique(seen$person)))
counts <- private_histogram(rows, list(birth = ends, persistence = ends), epsilon = 1, rng = "R")
write_points(data.frame(middle, count = round(as.vector(unclass(counts)), 1), loop_birth = round(true_cell[1], 3),
                        loop_persistence = round(true_cell[2], 3)), "shapes-of-people-histogram")
record_time("shapes-of-people.R")

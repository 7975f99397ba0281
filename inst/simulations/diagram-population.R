# How often the bands of population_band() cover the bottleneck distance from a private diagram to the diagram of the
# population, for five shapes in the plane, and how many released points they call features: true ones, and false ones.
# `rows` is the distance between the diagrams of the rows and of the population, which `sampling` bounds. The histogram
# has a tenth of the diagram's epsilon, and the narrowest bins whose average count is above twice the standard deviation
# of their noise. The population is a sample of 300,000 rows.
source("inst/simulations/common.R")
set.seed(77)
m0 <- 0.1
clip <- 1
epsilon <- 1
grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.25)

circle <- function(n, radius = 1) {
  angle <- runif(n, 0, 2 * pi)
  radius * cbind(cos(angle), sin(angle))
}
# Each row has a center of its own.
around <- function(points, centers) points + centers[sample.int(nrow(centers), nrow(points), replace = TRUE), ]
shapes <- list(
  circles = function(n) around(circle(n, 0.8) + rnorm(2 * n, sd = 0.05), rbind(c(-1, -1), c(1, 1))),
  outliers = function(n) {
    x <- circle(n)
    far <- runif(n) < 0.2
    x[far, ] <- runif(2 * sum(far), -2, 2)
    x
  },
  eight = function(n) around(circle(n, 0.9), rbind(c(-0.9, 0), c(0.9, 0))),
  blobs = function(n) around(matrix(rnorm(2 * n, sd = 0.2), n), rbind(c(-1.2, -1), c(1.2, -1), c(0, 1.2))),
  square = function(n) matrix(runif(2 * n, -1.5, 1.5), n) # without a feature
)
persistence <- function(diagram, q) (diagram$death - diagram$birth)[diagram$dimension == q]

one_run <- function(n, shape, population) {
  x <- shape(n)
  release <- private_diagram(x, grid, epsilon = epsilon, m0 = m0, clip = clip, rng = "R")
  breaks <- seq(-2, 2, length.out = floor(sqrt(n / (2 * sqrt(2) * 20 / epsilon))) + 1)
  bins <- private_histogram(as.data.frame(x), list(V1 = breaks, V2 = breaks), epsilon = epsilon / 10, rng = "R")
  band <- population_band(release, histogram = bins)
  rows <- distances(true_diagram(x, grid, m0, clip), population)
  released <- distances(release, population)
  of_method <- function(method) {
    own <- band$bands[band$bands$method == method, ]
    called <- vapply(0:1, function(q) sum(band$points[[method]] & band$points$dimension == q), 0)
    c(sampling = own$sampling[1], radius = max(own$radius), holds = all(released <= own$radius),
      rows_hold = all(rows <= own$sampling), counted(called, population))
  }
  c(rows = max(rows), released = max(released), proved = of_method("proved"), histogram = of_method("histogram"),
    evidence = counted(feature_evidence(release)$features$features, population))
}

# Features are points of the population with persistence above 0.1. All others are below 0.06.
features_of <- function(population) vapply(0:1, function(q) sum(persistence(population, q) > 0.1), 0)
counted <- function(called, population) {
  features <- features_of(population)
  c(found = sum(pmin(called, features)), false = any(called > features))
}

one_setting <- function(name, n, runs) {
  population <- true_diagram(shapes[[name]](300000), grid, m0, clip)
  runs <- sized(runs)
  x <- as.data.frame(do.call(rbind, repetitions(runs, function(i) one_run(n, shapes[[name]], population))))
  high <- function(x) quantile(x, 0.95, names = FALSE)
  data.frame(
    shape = name, n, runs, features = sum(features_of(population)), rows.high = high(x$rows),
    released.high = high(x$released), proved.sampling = x$proved.sampling[1], proved.radius = median(x$proved.radius),
    proved.rows_hold = mean(x$proved.rows_hold), proved.holds = mean(x$proved.holds),
    proved.found = mean(x$proved.found), proved.false = mean(x$proved.false), sampling = median(x$histogram.sampling),
    radius = median(x$histogram.radius), rows_hold = mean(x$histogram.rows_hold), holds = mean(x$histogram.holds),
    found = mean(x$histogram.found), false = mean(x$histogram.false), evidence.found = mean(x$evidence.found),
    evidence.false = mean(x$evidence.false)
  )
}

settings <- expand.grid(name = names(shapes), n = c(2000, 8000), stringsAsFactors = FALSE)
found <- do.call(rbind, Map(one_setting, settings$name, settings$n, runs = 60))
found[-(1:4)] <- lapply(found[-(1:4)], signif, 3)
write_table(found, "diagram-population")
record_time("diagram-population.R")

# Shapes in many dimensions: landmarks from a private mixture (epsilon = .5, delta = 1e-6), then a private diagram on
# them (epsilon = .5), both in the ledger. How often the number of points that are evidence is that of the shape, in
# each dimension: loops released alone, and components and loops together.
#
# 20 data sets (5 of the torus in R^50); for each `mixtures` releases of a mixture, and for each of these 20 / mixtures
# diagrams of each kind. So a percentage is over 400 releases, which depend on each other in groups. What is fixed
# beforehand, the same for all shapes of a row: the box, K0, the number of landmarks, m0, clip, 12 rounds. The evidence
# has the probability .95, which allows one false claim in twenty releases, or .99.
#
# The last setting has landmarks from 2,000 public points of the same torus, and no mixture (K0 = 0).
#
# Each setting has a seed of its own, 30 and its number. With numbers as arguments only these are run, and their rows
# replaced.
#
#   Rscript inst/simulations/high-dimension.R [SETTING...]
source("inst/simulations/high-dimension-common.R")
releases <- 20
levels <- c(0.95, 0.99)

setting <- function(shapes, D, n, sd, reach, K0, size, m0, clip, kinds, mixtures = 4, data_sets = 20,
                    public = FALSE) {
  list(shapes = shapes, D = D, n = n, sd = sd, reach = reach, K0 = K0, size = size, m0 = m0, clip = clip, kinds = kinds,
       mixtures = mixtures, data_sets = data_sets, public = public)
}
settings <- list(
  setting(c("two circles", "one circle", "blob", "three blobs"), 10, 2e4, 0.05, 3, 20, 500, 0.05, 0.35, list(1, 0:1)),
  setting("trefoil", 10, 2e4, 0.03, 3, 20, 500, 0.03, 0.35, list(1, 0:1)),
  setting("sphere", 10, 2e4, 0.03, 2, 20, 200, 0.03, 0.5, list(2, 0:2)),
  setting("torus", 10, 1e5, 0.03, 3, 40, 400, 0.01, 0.6, list(1, 1:2), mixtures = 1),
  setting("one circle", 50, 1e5, 0.05, 3, 8, 250, 0.05, 0.6, list(1, 0:1), mixtures = 1),
  setting("torus", 50, 1e5, 0.03, 3, 20, 400, 0.02, 0.7, list(1), mixtures = 1, data_sets = 5),
  setting("torus", 10, 1e5, 0.03, 3, 0, 400, 0.01, 1, list(1, 2), mixtures = 1, public = TRUE)
)
truth <- list(`two circles` = c(1, 2, 0), `one circle` = c(0, 1, 0), blob = c(0, 0, 0), `three blobs` = c(2, 0, 0),
              trefoil = c(0, 1, 0), sphere = c(0, 0, 1), torus = c(0, 2, 1))

# Counts of all releases on one data set: a list with one matrix for each kind and level.
one_data_set <- function(shape, s) {
  known <- if (s$public) 2000 else 0 # more points of the same shape, which are public
  Y <- shape_rows(shape, s$n + known, s$D, s$sd)
  X <- Y[seq_len(s$n), ]
  box <- domain_box(rep(-s$reach, s$D), rep(s$reach, s$D))
  found <- lapply(seq_len(s$mixtures), function(i) {
    model <- if (s$public) Y[-seq_len(s$n), ] else private_mixture(X, box, s$K0, epsilon = 0.5, delta = 1e-6, rng = "R")
    landmarks <- landmarks_from(model, s$size)
    lapply(s$kinds, function(dimensions) {
      evident_counts(X, landmarks, 0.5, s$m0, s$clip, dimensions, releases / s$mixtures, levels)
    })
  })
  lapply(seq_along(s$kinds), function(kind) lapply(seq_along(levels), function(level) {
    do.call(cbind, lapply(found, function(one) one[[kind]][[level]]))
  }))
}

one_row <- function(shape, s, dimensions, level, counts) {
  wanted <- truth[[shape]][dimensions + 1]
  right <- counts == wanted
  data.frame(shape, D = s$D, n = s$n, K0 = s$K0, landmarks = s$size, m0 = s$m0, clip = s$clip,
             released = paste(dimensions, collapse = "+"), level, dimension = dimensions, wanted,
             right = rowMeans(right),
             fewer = rowMeans(counts < wanted), more = rowMeans(counts > wanted))
}

one_shape <- function(shape, s) {
  found <- repetitions(sized(s$data_sets), function(i) one_data_set(shape, s))
  rows <- do.call(rbind, lapply(seq_along(s$kinds), function(kind)
                                do.call(rbind, lapply(seq_along(levels), function(level) {
    one_row(shape, s, s$kinds[[kind]], levels[level], do.call(cbind, lapply(found, function(one) one[[kind]][[level]])))
  }))))
  message(paste(utils::capture.output(print(rows, row.names = FALSE)), collapse = "\n"))
  rows
}

chosen <- as.integer(commandArgs(TRUE))
if (length(chosen) == 0) chosen <- seq_along(settings)
for (i in chosen) {
  set.seed(30 + i)
  rows <- cbind(setting = i, do.call(rbind, lapply(settings[[i]]$shapes, one_shape, settings[[i]])))
  path <- result_path("high-dimension.csv")
  before <- if (file.exists(path)) read.csv(path)
  rows <- rbind(before[before$setting != i, ], rows)
  write_table(rows[order(rows$setting), ], "high-dimension")
}
if (length(chosen) == length(settings)) record_time("high-dimension.R")

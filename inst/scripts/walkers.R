# The main job of the package, on two circles and on real data:
#
#   Rscript walkers.R FOLDER
#
# Writes circles.csv, walkers.csv (the private diagrams) and a picture of each into the folder, and prints the
# guarantees. The script is in the sources.

library(dptda)

folder <- c(commandArgs(TRUE), ".")[1]

# ---- Two circles, epsilon = 1 -------------------------------------------------------------------------------------
# 4,000 points on two circles: two pieces, so one finite class of dimension 0, and two loops.

two_circles <- function(n) {
  angle <- stats::runif(n, 0, 2 * pi)
  cbind(cos(angle) + rep_len(c(-1.7, 1.7), n), sin(angle)) + stats::rnorm(2 * n, sd = 0.05)
}

circles <- list(
  data = list("two circles" = two_circles(4000)),
  grid = domain_grid(domain_box(c(-3.5, -2), c(3.5, 2)), by = 0.1),
  epsilon = 1, m0 = 0.2, clip = 1.6
)

# ---- Three walkers ------------------------------------------------------------------------------------------------
# Accelerations of three people's phones while they walk, in units of gravity; one row is one moment, and one moment is
# what is protected: three people are too few to hide one of them among the others. The settings are public. They were
# chosen with the true diagrams in sight, which the owner of private data must not do; power_diagram() plans without
# data. What counts is how tall a feature is in units of the sensitivity, clip / (m0 n): a small clip looks at the dense
# places only, and makes their features tall there.

read_walkers <- function() {
  rows <- readRDS(system.file("extdata", "walkers.rds", package = "dptda"))
  lapply(split(round(rows[c("x", "y", "z")] / 65536, 6), paste("walker", rows$walker)), as.matrix)
}

walkers <- list(
  data = read_walkers(),
  grid = domain_grid(domain_box(c(-2, -1, -2), c(2, 2, 2)), by = 0.1),
  epsilon = 4, m0 = 0.06, clip = 0.5
)

# ---- Release, write, draw -----------------------------------------------------------------------------------------

release <- function(study) {
  lapply(study$data, private_diagram, grid = study$grid, epsilon = study$epsilon, m0 = study$m0, clip = study$clip)
}

# What the owner of private data must never show; without the class that never dies, as in the release.
true_diagrams <- function(study) {
  lapply(study$data, dtm_persistence, grid = study$grid, m0 = study$m0, clip = study$clip, max_dimension = 1,
         essential = "drop")
}

write_diagrams <- function(diagrams, file) {
  rows <- Map(function(name, diagram) cbind(data = rep(name, nrow(diagram)), as.data.frame(diagram)),
              names(diagrams), diagrams)
  utils::write.csv(do.call(rbind, unname(rows)), file, row.names = FALSE)
}

# Above (or on the left): the true diagrams, for once. Below: the releases.
draw_diagrams <- function(true, private, epsilon, file) {
  limits <- c(0, 1.03) * max(vapply(c(true, private), function(diagram) max(0, diagram$death), 0))
  panels <- if (length(true) > 1) c(2, length(true)) else c(1, 2)
  grDevices::png(file, width = 420 * panels[2], height = 450 * panels[1], res = 100)
  on.exit(grDevices::dev.off())
  graphics::par(mfcol = panels, mar = c(4, 4.4, 3, 1), las = 1, cex = 0.7, cex.main = 1)
  for (name in names(true)) {
    plot(true[[name]], diagLim = limits, main = paste0(name, "\ntrue, NOT PRIVATE: for the demo only"))
    plot(private[[name]], diagLim = limits, main = paste0(name, "\nprivate, epsilon = ", epsilon))
  }
}

# Is it luck? More releases, which the owner of private data would have to pay for. The features that count are those
# that the plan calls detectable, beside as many others as there are. Each is recognized if a point of the release that
# is evidence of a feature lies nearer to it than half its height.
planned_threshold <- function(study, n, features) {
  power_diagram(n, study$grid, study$epsilon, power = 0.95, m0 = study$m0, clip = study$clip,
                others = features)$persistence
}

# As many as possible: with more features beside it, one must be taller.
detectable_features <- function(study, true, n) {
  true <- true[order(true$birth - true$death), ]
  height <- true$death - true$birth
  count <- 0
  while (count < min(nrow(true), 9) && height[count + 1] > planned_threshold(study, n, count)) count <- count + 1
  true[seq_len(count), ]
}

recognized <- function(private, features) {
  steps <- feature_evidence(private)$steps
  evident <- steps[steps$evidence, ]
  seen <- vapply(seq_len(nrow(features)), function(i) {
    one <- features[i, ]
    away <- pmax(abs(evident$birth - one$birth), abs(evident$death - one$death))[evident$dimension == one$dimension]
    any(away < (one$death - one$birth) / 2)
  }, NA)
  all(seen)
}

count_recognized <- function(study, true, times = 10) {
  again <- replicate(times, release(study), simplify = FALSE)
  for (name in names(true)) {
    features <- detectable_features(study, true[[name]], nrow(study$data[[name]]))
    good <- vapply(again, function(private) recognized(private[[name]], features), NA)
    many <- nrow(features) != 1
    cat(name, ": ", nrow(features), if (many) " features are" else " feature is",
        " detectable by the plan (95 %), and ",
        if (many) "all of them are" else "it is", " recognized in ", sum(good), " of ", times, " more releases\n",
        sep = "")
  }
}

# A release of each data set, a file of each kind, the guarantees on the screen. `unit`: what is protected, in words.
show_study <- function(title, unit, study, stem) {
  cat("\n", title, ". Protected is ", unit, ".\nepsilon = ", study$epsilon, ", m0 = ", study$m0, ", clip = ",
      study$clip, "\n", sep = "")
  private <- release(study)
  true <- true_diagrams(study)
  for (name in names(private)) {
    cat("\n", name, "\n", sep = "")
    print(private[[name]])
  }
  files <- file.path(folder, paste0(stem, c(".csv", ".png")))
  write_diagrams(private, files[1])
  draw_diagrams(true, private, study$epsilon, files[2])
  cat("\nwritten: ", toString(files), "\n", sep = "")
  count_recognized(study, true)
}

show_study("Two circles", "one of 4,000 points, a row", circles, "circles")
show_study("Three walkers", "one moment of a walk, a row, and not a walker: three are too few to hide one", walkers,
           "walkers")
cat("\nThe pictures show the true diagrams too. They are not private, and are drawn for once, to compare with.\n")

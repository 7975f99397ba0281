# The noise of a release, from public numbers alone: the height of spurious points, the distance of the release from
# the true diagram, and the height that a feature needs to stand out. All three come from the distribution of the
# mechanism on an ideal diagram. It has `features` points of great persistence, far from each other and from the frame,
# and as many points of persistence up to `least` as possible. Let t be the radius of the ball around this diagram.
# Labels that match a feature are uniform in its square. All others are uniform in the strip of persistence up to
# 2 t + least. So each result is an integral over t, computed here as a sum, without random draws.
# inst/proofs/diagram-evidence.md proves that the ideal diagram is the worst one.
#
# Cost: less than a millisecond for a height or a radius. Rejected: the sampler on public diagrams of such features.
# It has the same distribution if they fit into the triangle. But it is ten times slower, has a simulation error, and
# needs a key apart from the user's random stream.

# Default of `least`, in means 1/rate of the exponential distribution. True points of at most this persistence do not
# count as features: they drown in the noise anyway, and the level of the test holds for any number of them.
least_steps <- 4

# The noise of one group of dimensions, in units of the bound. `least` is in units of the data, with the default
# `least_steps` times the mean.
noise_setting <- function(plan, group, least = NULL) {
  # at rates below this, everything is noise
  rate <- max(group$rate * plan$bound, 1e-6)
  list(rate = rate, bound = plan$bound, most = plan$max_points, learn = plan$learn_points,
       dimensions = group$dimensions, least = min(if (is.null(least)) least_steps / rate else least / plan$bound, 1))
}

# Numbers of features by dimension of a group: `count` in the first one, zero in the others.
features_in_first <- function(setting, count) c(count, rep(0, length(setting$dimensions) - 1))

# Fraction of the triangle with persistence up to `height`.
strip_area <- function(height) {
  height <- pmin(height, 1)
  height * (2 - height)
}

# Log of the measure of a group's diagrams, up to a constant. `features` counts by dimension the labels that match
# features, each in a square of radius t. The other labels lie in a region that covers the fraction `area` of the
# triangle. `area` may be a matrix with one row per t.
log_volume <- function(setting, t, features, area) {
  sum(features) * log(8 * t^2) + log_room(setting, features, area)
}

# The contribution of the other labels to it.
log_room <- function(setting, features, area) {
  free <- setting$most - features
  if (!setting$learn) {
    kept <- sum(lfactorial(setting$most) - lfactorial(free))
    return(kept + if (sum(free) > 0) sum(free) * log(area) else 0 * area)
  }
  room <- 0 * area
  for (j in seq_along(features)) {
    total <- 0
    for (labels in free[j]:0) {
      count <- features[j] + labels
      total <- total * area + exp(lfactorial(count) - lfactorial(labels) - count * log(2))
    }
    room <- room + log(total)
  }
  room
}

# Nodes of the sum over the radius t. They are evenly spaced in the logarithm of the distance beyond the smallest
# radius. The density of t is a polynomial of at most this degree times exp(-rate t).
radius_nodes <- function(setting, features) {
  degree <- sum(2 * features + setting$most)
  beyond <- exp(seq(log(1e-6), log(60 + 2 * degree), length.out = 600)) / setting$rate
  t <- setting$least / 2 + beyond
  list(t = t, beyond = beyond, step = log(beyond[2] / beyond[1]), strip = strip_area(2 * t + setting$least),
       log_weight = log(beyond) - setting$rate * t)
}

# Probability that no spurious point is taller than a height, over all dimensions of the group. Returns a function of
# heights.
chance_of_height <- function(setting, features) {
  nodes <- radius_nodes(setting, features)
  squares <- nodes$log_weight + sum(features) * log(8 * nodes$t^2)
  within <- squares + log_room(setting, features, nodes$strip)
  shift <- max(within)
  below <- c(0, cumsum(exp(within - shift)))
  # past the most likely radius, terms fall by far less than the range of doubles, so the tail sum cannot underflow
  beyond <- c(max(squares) + log(rev(cumsum(rev(exp(squares - max(squares)))))), -Inf)
  # the first term has the radii with strips up to the height, the second one the radii with higher strips
  function(height) {
    area <- strip_area(height)
    lower <- 1 + findInterval(area, nodes$strip)
    (below[lower] + exp(log_room(setting, features, area) + beyond[lower] - shift)) / below[length(below)]
  }
}

# The height that no spurious point exceeds with the given probability.
spurious_height <- function(setting, features, probability) {
  if (all(features >= setting$most)) return(0)
  setting$bound * reached_at(probability, chance_of_height(setting, features))
}

# Finds the point in [0, 1], to 2^-22, at which an increasing vectorized function with f(1) = 1 reaches a value.
# Returns 0 if the function starts above it.
reached_at <- function(value, f) {
  lower <- 0
  for (width in c(1, 2^-11)) {
    x <- lower + 0:2048 / 2048 * width
    y <- f(x)
    above <- which(c(y[-2049] >= value, TRUE))[1]
    if (above == 1) return(lower)
    lower <- x[above - 1]
  }
  lower + width / 2048 * min((value - y[above - 1]) / (y[above] - y[above - 1]), 1)
}

# Bounds the bottleneck distance between release and true diagram with the given probability. Returns the larger bound
# of two cases, with and without small true points: such points bring spurious labels closer to the truth. No distance
# exceeds half the range.
noise_radius <- function(setting, features, probability) {
  least <- unique(c(setting$least, 0))
  max(vapply(least, function(top) ideal_radius(replace(setting, "least", top), features, probability), 0))
}

# Computes the bound for one ideal diagram. With V(t) the volume of the ball, P(distance <= x) is proportional to the
# integral of rate exp(-rate t) V(min(t, x)).
ideal_radius <- function(setting, features, probability) {
  nodes <- radius_nodes(setting, features)
  volume <- log_volume(setting, nodes$t, features, nodes$strip)
  shift <- max(nodes$log_weight + volume)
  within <- cumsum(exp(nodes$log_weight + volume - shift))
  # nodes are evenly spaced in the logarithm, so the tail is divided by the step
  beyond <- exp(volume - setting$rate * nodes$t - shift) / setting$rate / nodes$step
  chance <- pmin((within + beyond) / within[length(within)], 1)
  setting$bound * min(nodes$t[which(chance >= probability)[1]], 0.5)
}

# Upper tail of the difference of two independent uniforms on [-1, 1].
difference_tail <- function(x) {
  x <- pmin(pmax(x, -2), 2)
  ifelse(x < 0, 1 - (2 + x)^2 / 8, (2 - x)^2 / 8)
}

# Probability to detect one more feature in the first dimension, for each given persistence: a released point within
# half its persistence is taller than `height`. `features` counts all other features by dimension. Exact for the ideal
# diagram. If the radius is below half the persistence, one label lies in the square of the feature, inside the strip or
# outside it (one at most). Above it, labels are free in the strip and in the area that the feature adds to it.
detection_chance <- function(setting, features, persistence, height) {
  one_more <- replace(features, 1, features[1] + 1)
  nodes <- radius_nodes(setting, one_more)
  p <- rep(persistence / setting$bound, each = length(nodes$t))
  seen <- seen_parts(setting, nodes, p, height / setting$bound)
  hits <- hit_measures(setting, nodes, features, one_more, pmin(nodes$strip + pmax(p - setting$least, 0)^2, 1), seen)
  # the step of the sum that contains the radius p / 2 is split
  cut <- log(pmax(p - setting$least, .Machine$double.xmin) / 2) - log(nodes$beyond)
  tight <- pmin(pmax(cut / nodes$step + 0.5, 0), 1)
  found <- tight * (hits$outside * seen$outside + hits$seen) + (1 - tight) * hits$found
  all <- tight * (hits$outside * seen$outside_at_all + hits$forced) + (1 - tight) * hits$free
  colSums(matrix(found, length(nodes$t))) / colSums(matrix(all, length(nodes$t)))
}

# Parts of the area near a feature at each radius, as fractions of the triangle. `forced` is its square inside the
# strip, `seen` and `found` are parts taller than `height`. `outside*` are probabilities for a label in the square.
seen_parts <- function(setting, nodes, p, height) {
  t <- nodes$t
  edge <- 2 * t + setting$least
  taller <- difference_tail(cbind((edge - p) / t, (pmax(edge, height) - p) / t, (height - p) / t, 2 * (height - p) / p))
  square <- 8 * t^2
  list(outside_at_all = taller[, 1], outside = taller[, 2], forced = square * (1 - taller[, 1]),
       seen = square * pmax(taller[, 3] - taller[, 1], 0),
       # the triangle has at most this area above the height
       found = pmin(2 * p^2 * taller[, 4], (1 - min(height, 1))^2))
}

# Measures of diagrams at each radius. `outside`: one more label is outside the strip. `forced`, `seen`, `found`: at
# least one free label is in that part of the strip or region. `free`: free labels are anywhere in the region.
hit_measures <- function(setting, nodes, features, one_more, region, parts) {
  areas <- cbind(1, nodes$strip, pmax(nodes$strip - parts$forced, 0), pmax(nodes$strip - parts$seen, 0), region,
                 pmax(region - parts$found, 0))
  others <- nodes$log_weight + log_volume(setting, nodes$t, features[-1], nodes$strip)
  within <- log_volume(setting, nodes$t, features[1], areas) + others
  outside <- log_volume(setting, nodes$t, one_more[1], areas[, 1:2]) + others
  shift <- max(within[, 1], outside[, 1])
  within <- exp(within - shift)
  list(outside = exp(outside[, 2] - shift), forced = within[, 2] - within[, 3], seen = within[, 2] - within[, 4],
       free = within[, 5], found = within[, 5] - within[, 6])
}

# Smallest persistence above `least` with a detection_chance() of at least the probability. Returns Inf if none has it,
# or if all labels are used by the other features.
detected_persistence <- function(setting, features, probability, height) {
  if (features[1] >= setting$most || setting$least >= 1) return(Inf)
  chance <- function(persistence) detection_chance(setting, features, persistence, height)
  first_reaching(chance, probability, setting$bound * max(setting$least, 1e-6), setting$bound)
}

# Smallest x in [lower, upper] with chance(x) >= probability for an increasing `chance`, or Inf. Bisects the logarithm
# to a relative precision of `digits`.
first_reaching <- function(chance, probability, lower, upper, digits = 1e-3) {
  if (chance(upper) < probability) return(Inf)
  if (chance(lower) >= probability) return(lower)
  while (upper > lower * (1 + digits)) {
    middle <- sqrt(lower * upper)
    if (chance(middle) >= probability) upper <- middle else lower <- middle
  }
  upper
}

# ---- the population --------------------------------------------------------------------------------------------------

# Returns the condition of theorem 6 of inst/proofs/diagram-accuracy.md that a release does not meet, or NULL.
population_fault <- function(plan) {
  if (plan$r != 1) return(paste("have `r = 1`, not", format(plan$r)))
  if (!inherits(plan$lattice$grid, "dptda_grid")) return("be on a domain_grid()")
  if (!is.null(plan$person)) "have one row per unit, not people with several rows"
}

# The bound of theorem 6. Each of the two parts fails with probability p, and independent groups of dimensions share p.
proved_band <- function(plan, p) {
  sampling <- proved_sampling(plan, p)
  groups <- lapply(plan$groups, function(group) {
    count <- length(group$dimensions)
    k <- 2 * count * plan$max_points
    top <- group$rate * plan$bound
    chance <- -count * (plan$max_points * log(2) + log(sum(2^-(0:plan$max_points))))
    lost <- log(p / length(plan$groups)) + chance + stats::pgamma(top, k, log.p = TRUE)
    noise <- ((if (k > 0) k * log(exp(1) * top / k) else 0) - lost) / group$rate
    data.frame(method = "proved", dimension = as.integer(group$dimensions), sampling = sampling, noise = noise,
               radius = 2 * sampling + noise)
  })
  do.call(rbind, groups)
}

# Returns A of theorem 6.
proved_sampling <- function(plan, p) {
  vertices <- prod(lengths(plan$lattice$grid$axes))
  columns <- length(plan$lattice$grid$axes)
  rounding <- plan$step + (sqrt(columns) + 1) / plan$lattice$scale
  plan$bound / plan$m0 * (sqrt(log(2 * vertices / p) / (2 * plan$n)) + 1 / plan$n) + rounding
}

# What a release shows of its own noise, from public numbers alone: how tall a
# spurious point gets, how far the release lies from the true diagram, and how
# tall a feature must be to stand out. The law behind all three is that of the
# mechanism on an ideal diagram: `features` points of great persistence, far from
# each other and from the frame, and as many points of a persistence of up to
# `least` as there may be. Given the radius t of the ball around it, labels that
# match a feature are uniform in its square, and all others are uniform in the
# strip of persistence at most 2 t + least. So everything is an integral over t,
# done here by a sum; no draw is made and no generator is touched.
# inst/proofs/diagram-evidence.md says why the ideal diagram is the worst one.
#
# Cost: a millisecond for a height or a radius. Rejected: the sampler on public
# diagrams of such features. It gives the same law where they fit into the
# triangle, but with an error of simulation and a key that must be kept apart from
# the user's stream, and ten times more slowly.

# How many times the mean 1/rate of the exponential a true point may persist and
# still be no feature, unless the user says otherwise: below, true points drown in
# the noise anyway, and the level of the test holds however many there are.
least_steps <- 4

# The noise of one group of dimensions, in units of the bound. `least` is in the
# units of the data; NULL: so many times the mean.
noise_setting <- function(plan, group, least = NULL) {
  # below this rate everything is noise, and above the other the sums would not end
  rate <- max(group$rate * plan$bound, 1e-6)
  list(rate = rate, bound = plan$bound, most = plan$max_points, learn = plan$learn_points,
       dimensions = group$dimensions, least = min(if (is.null(least)) least_steps / rate else least / plan$bound, 1))
}

# How many features each dimension of a group has: `count` in its first one.
features_in_first <- function(setting, count) c(count, rep(0, length(setting$dimensions) - 1))

# Part of the triangle that has a persistence of at most `height`.
strip_area <- function(height) {
  height <- pmin(height, 1)
  height * (2 - height)
}

# log of the measure of the diagrams of a group of which so many labels of each dimension (`features`, one number a
# dimension) match the features, each in a square of radius t, and the others lie in a region that has the part `area`
# of the triangle; up to a constant.
log_volume <- function(setting, t, features, area) {
  squares <- sum(features) * log(8 * t^2)
  free <- setting$most - features
  if (!setting$learn) {
    kept <- sum(lfactorial(setting$most) - lfactorial(free))
    return(squares + kept + if (sum(free) > 0) sum(free) * log(area) else 0)
  }
  for (j in seq_along(features)) {
    total <- 0
    for (labels in free[j]:0) {
      count <- features[j] + labels
      total <- total * area + exp(lfactorial(count) - lfactorial(labels) - count * log(2))
    }
    squares <- squares + log(total)
  }
  squares
}

# Nodes of the sum over the radius t: even steps of the logarithm of what is beyond
# the smallest one. The density of t is a polynomial of at most this degree times
# exp(-rate t).
radius_nodes <- function(setting, features) {
  degree <- sum(2 * features + setting$most)
  beyond <- exp(seq(log(1e-6), log(60 + 2 * degree), length.out = 600)) / setting$rate
  t <- setting$least / 2 + beyond
  list(t = t, beyond = beyond, step = log(beyond[2] / beyond[1]), strip = strip_area(2 * t + setting$least),
       log_weight = log(beyond) - setting$rate * t)
}

# Probability that no spurious point is taller than `height`, all dimensions of
# the group together.
chance_of_height <- function(setting, features) {
  nodes <- radius_nodes(setting, features)
  log_mass <- function(area) nodes$log_weight + log_volume(setting, nodes$t, features, area)
  all <- log_mass(nodes$strip)
  total <- sum(exp(all - max(all)))
  function(height) sum(exp(log_mass(pmin(nodes$strip, strip_area(height))) - max(all))) / total
}

# The height that no spurious point exceeds with the given probability.
spurious_height <- function(setting, features, probability) {
  chance <- chance_of_height(setting, features)
  if (all(features >= setting$most) || chance(0) >= probability) return(0)
  setting$bound * stats::uniroot(function(height) chance(height) - probability, c(0, 1), tol = 1e-7)$root
}

# The bottleneck distance from the true diagram that the release keeps with the
# given probability: with small points of the true diagram and without, as labels
# that have to go somewhere are less far from the truth where there are some. No
# distance is above half the range.
noise_radius <- function(setting, features, probability) {
  least <- unique(c(setting$least, 0))
  max(vapply(least, function(top) ideal_radius(replace(setting, "least", top), features, probability), 0))
}

# With V(t) the volume of the ball, P(distance <= x) is proportional to the integral
# of rate exp(-rate t) V(min(t, x)).
ideal_radius <- function(setting, features, probability) {
  nodes <- radius_nodes(setting, features)
  volume <- log_volume(setting, nodes$t, features, nodes$strip)
  shift <- max(nodes$log_weight + volume)
  within <- cumsum(exp(nodes$log_weight + volume - shift))
  # the sum is over even steps of a logarithm, so the tail counts one over a step
  beyond <- exp(volume - setting$rate * nodes$t - shift) / setting$rate / nodes$step
  chance <- pmin((within + beyond) / within[length(within)], 1)
  setting$bound * min(nodes$t[which(chance >= probability)[1]], 0.5)
}

# Upper tail of the difference of two independent uniforms on [-1, 1].
difference_tail <- function(x) {
  x <- pmin(pmax(x, -2), 2)
  ifelse(x < 0, 1 - (2 + x)^2 / 8, (2 - x)^2 / 8)
}

# Probability that one more feature in the first dimension, of the given
# persistence, has a released point within half its persistence that is taller
# than `height`; `features`: of each dimension, without it. Exact for the ideal
# diagram. While the radius is below half the persistence, a label lies in the
# square of the feature, outside the strip (one at most) or inside. Above it, labels
# are free in the strip and in what the feature adds to it.
detection_chance <- function(setting, features, persistence, height) {
  p <- persistence / setting$bound
  height <- height / setting$bound
  one_more <- replace(features, 1, features[1] + 1)
  nodes <- radius_nodes(setting, one_more)
  t <- nodes$t
  strip <- nodes$strip
  log_measure <- function(area, count = features[1]) {
    log_volume(setting, t, count, area) + nodes$log_weight + log_volume(setting, t, features[-1], strip)
  }
  shift <- max(log_measure(1), log_measure(1, one_more[1]))
  measure <- function(area, count = features[1]) exp(log_measure(area, count) - shift)
  # that at least one free label falls in a part of the region
  hit <- function(region, part) measure(region) - measure(pmax(region - part, 0))

  taller <- function(radius, level) difference_tail((level - p) / radius)
  square <- 8 * t^2
  edge <- 2 * t + setting$least
  outside <- measure(strip, one_more[1])
  forced <- outside * taller(t, edge) + hit(strip, square * (1 - taller(t, edge)))
  seen <- outside * taller(t, pmax(edge, height)) + hit(strip, square * pmax(taller(t, height) - taller(t, edge), 0))

  region <- pmin(strip + pmax(p - setting$least, 0)^2, 1)
  free <- measure(region)
  # the triangle has no more than this above the height
  found <- hit(region, min(2 * p^2 * taller(p / 2, height), (1 - min(height, 1))^2))
  # the step of the sum that holds the radius p / 2 is shared
  cut <- log(max(p - setting$least, .Machine$double.xmin) / 2) - log(nodes$beyond)
  tight <- pmin(pmax(cut / nodes$step + 0.5, 0), 1)
  sum(tight * seen + (1 - tight) * found) / sum(tight * forced + (1 - tight) * free)
}

# Smallest persistence above `least` of which detection_chance() reaches the
# probability; Inf: none does, or there is no label left for one more feature.
detected_persistence <- function(setting, features, probability, height) {
  if (features[1] >= setting$most || setting$least >= 1) return(Inf)
  chance <- function(persistence) detection_chance(setting, features, persistence, height)
  first_reaching(chance, probability, setting$bound * max(setting$least, 1e-6), setting$bound)
}

# Smallest x in [lower, upper] with chance(x) >= probability for a chance that
# increases, to a relative precision of `digits`, by bisection on the logarithm; Inf
# if there is none.
first_reaching <- function(chance, probability, lower, upper, digits = 1e-3) {
  if (chance(upper) < probability) return(Inf)
  if (chance(lower) >= probability) return(lower)
  while (upper > lower * (1 + digits)) {
    middle <- sqrt(lower * upper)
    if (chance(middle) >= probability) upper <- middle else lower <- middle
  }
  upper
}

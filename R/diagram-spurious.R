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
# Cost: less than a millisecond for a height or a radius. Rejected: the sampler on public
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
# of the triangle; up to a constant. `area` may be a matrix, with a row for each t.
log_volume <- function(setting, t, features, area) {
  sum(features) * log(8 * t^2) + log_room(setting, features, area)
}

# What the others add to it.
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

# Probability that no spurious point is taller than each of the heights, all dimensions of
# the group together.
chance_of_height <- function(setting, features) {
  nodes <- radius_nodes(setting, features)
  squares <- nodes$log_weight + sum(features) * log(8 * nodes$t^2)
  within <- squares + log_room(setting, features, nodes$strip)
  shift <- max(within)
  below <- c(0, cumsum(exp(within - shift)))
  # radii of which each is less likely than the one before fall by far less than a double can
  beyond <- c(max(squares) + log(rev(cumsum(rev(exp(squares - max(squares)))))), -Inf)
  # radii of which the strip is no higher, and those of which it is
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

# Where a function on [0, 1] that increases to 1, asked for many places at once, reaches a value, to 2^-22; 0 where it
# begins above.
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

# Probability that one more feature in the first dimension, of each of the given
# persistences, has a released point within half its persistence that is taller
# than `height`; `features`: of each dimension, without it. Exact for the ideal
# diagram. While the radius is below half the persistence, a label lies in the
# square of the feature, outside the strip (one at most) or inside. Above it, labels
# are free in the strip and in what the feature adds to it.
detection_chance <- function(setting, features, persistence, height) {
  one_more <- replace(features, 1, features[1] + 1)
  nodes <- radius_nodes(setting, one_more)
  p <- rep(persistence / setting$bound, each = length(nodes$t))
  seen <- seen_parts(setting, nodes, p, height / setting$bound)
  hits <- hit_measures(setting, nodes, features, one_more, pmin(nodes$strip + pmax(p - setting$least, 0)^2, 1), seen)
  # the step of the sum that holds the radius p / 2 is shared
  cut <- log(pmax(p - setting$least, .Machine$double.xmin) / 2) - log(nodes$beyond)
  tight <- pmin(pmax(cut / nodes$step + 0.5, 0), 1)
  found <- tight * (hits$outside * seen$outside + hits$seen) + (1 - tight) * hits$found
  all <- tight * (hits$outside * seen$outside_at_all + hits$forced) + (1 - tight) * hits$free
  colSums(matrix(found, length(nodes$t))) / colSums(matrix(all, length(nodes$t)))
}

# What of the square of a feature and of all that lies near it is taller than `height`, at each radius: parts of the
# triangle, and of a label outside the strip the probability; `forced` and `outside_at_all` of what is outside of it.
seen_parts <- function(setting, nodes, p, height) {
  t <- nodes$t
  edge <- 2 * t + setting$least
  taller <- difference_tail(cbind((edge - p) / t, (pmax(edge, height) - p) / t, (height - p) / t, 2 * (height - p) / p))
  square <- 8 * t^2
  list(outside_at_all = taller[, 1], outside = taller[, 2], forced = square * (1 - taller[, 1]),
       seen = square * pmax(taller[, 3] - taller[, 1], 0),
       # the triangle has no more than this above the height
       found = pmin(2 * p^2 * taller[, 4], (1 - min(height, 1))^2))
}

# Of the radii, the measure of diagrams with one more label outside of the strip, and of those with free labels of which
# at least one falls in a part of the strip, or of the region that the feature makes of it; `free` in the whole region.
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

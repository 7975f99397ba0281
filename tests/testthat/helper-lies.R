# Mechanisms that keep their guarantee, and the same mechanisms with one fault. First come faults that any mechanism of
# the package can have, then faults of one kind of mechanism.

# ---- faults of any mechanism ---------------------------------------------------------------------

# Each fault is a function of an example (mechanism_examples()). It returns the input of an audit: `draws`, their claim
# `measure`, and the number of `runs` that show a larger cost. It returns NULL if the example's draws do not show the
# fault.
generic_lies <- function() {
  list(
    "half of the noise" = function(example) {
      if (!is_shown(example)) return(NULL)
      example$mechanism$plan$noise$scale <- example$mechanism$plan$noise$scale / 2
      list(draws = example_draws(example), measure = example$mechanism$guarantee$measure, runs = 4000)
    },
    "three more rounds that were not spent" = function(example) {
      if (!is_shown(example)) return(NULL)
      query <- example_draws(example)
      list(draws = function(data, runs) do.call(cbind, lapply(1:4, function(i) query(data, runs))),
           measure = example$mechanism$guarantee$measure, runs = 4000)
    },
    # claims a fifth of the cost that a long audit has found (inst/audits). In the weakest case 4,000 runs show this
    # four times in five (for degrees by group: a third, two times in five). If few runs show nearly all of the cost, it
    # claims a tenth
    "a guarantee of less than was spent" = function(example) {
      measure <- example$mechanism$guarantee$measure
      found <- audited_bound(example$name)
      if (example$slow || !isTRUE(found > measure[[1]] * long_or(.2, .85))) return(NULL)
      if (!asks_long() && inherits(example$mechanism$plan, "additive")) return(NULL)
      list(draws = example_draws(example), measure = replace(measure, 1, found * long_or(1 / 5, 1 / 10)),
           runs = long_or(4000, 400))
    },
    # refutes every claim: here one that a hundred runs refute
    "no noise at all" = function(example) {
      list(draws = function(data, runs) rep(list(what_rows_give(example, data)), runs),
           measure = replace(example$mechanism$guarantee$measure, 1, 1), runs = 100)
    }
  )
}

# Do the draws of an example show halved noise? Integers with noise show their full cost. With epsilon and delta, and
# for several numbers that share an epsilon, one event shows only a part, as in the long audits. Half of the noise
# doubles epsilon and mu, and quadruples rho. An event that occurs in all of 4,000 runs, and never for the neighbor,
# shows an epsilon of 5.9. No larger claim can be refuted.
is_shown <- function(example) {
  found <- audited_bound(example$name)
  measure <- example$mechanism$guarantee$measure
  if (names(measure)[1] == "epsilon" && measure[[1]] > 5.5) return(FALSE)
  least <- if (names(measure)[1] == "epsilon" && length(measure) == 1) .6 else .25
  inherits(example$mechanism$plan, "additive") && (is.na(found) || found > least * measure[[1]])
}

# Draws runs of an example on a data set, in the form for audits.
example_draws <- function(example) {
  run <- object_runner(example$mechanism, example$part, "R")
  function(data, runs) run(data, runs, 1, function(...) NULL)
}

what_rows_give <- function(example, data) {
  statistic_of(example$mechanism$plan, mechanism_rows(example$mechanism, data, "x"))
}

audited_bound <- function(name) {
  table <- utils::read.csv(system.file("audits", "results", "audits.csv", package = "dptda"))
  table$lower[match(name, table$mechanism)]
}

audit_example <- function(example, draws = example_draws(example), measure = example$mechanism$guarantee$measure,
                          runs) {
  delta <- if ("delta" %in% names(measure)) measure[["delta"]] else 0
  audit_mechanism(NULL, example$x, example$neighbor, epsilon = as.list(measure)$epsilon, rho = as.list(measure)$rho,
                mu = as.list(measure)$mu, delta = delta, draws = draws, runs = runs)
}

# Repeats an audit up to twice if it misses a fault by chance. A fault missed once in five audits is then missed in 0.8%
# of cases.
is_rejected_in_three <- function(example, lie) {
  for (audit in 1:3) if (do.call(audit_example, c(list(example), lie))$rejected) return(TRUE)
  FALSE
}

# Returns the first example of each kind, or all of them in long tests.
examples_to_audit <- function(examples = mechanism_examples()) {
  kind <- vapply(examples, function(one) class(one$mechanism$plan)[1], "")
  examples[long_or(TRUE, !duplicated(kind))]
}

# ---- faults of one kind of mechanism -------------------------------------------------------------

# All claim epsilon = `claimed`, or a rho, under "replace one row". Functions of the data
# and a number of runs make all releases at once (`draws` of audit_mechanism()).
claimed <- 1
laplace_noise <- function(runs, scale) scale * (stats::rexp(runs) - stats::rexp(runs))

# A histogram over public levels, with noise on nonempty cells only.
occupied_draws <- function(data, runs) {
  vapply(tabulate(data, 3), function(count) if (count > 0) count + laplace_noise(runs, 2 / claimed) else double(runs),
         double(runs))
}

# Diagrams of numbers in [0, 1]. For the data {0, 0} and {0, 1} and m0 = 1 the
# bottleneck distance attains the sensitivity: audit_neighbors().
tiny_grid <- function() domain_grid(domain_box(0, 1), by = 0.05)

# The distance to a measure of all rows, with powers that may overflow. A row beyond the clip has weight zero and an
# infinite power. Zero times infinity is NaN, which is replaced by the clip.
overflowing_values <- function(data, queries, r, clip) {
  vapply(queries, function(x) {
    distances <- abs(data - x)
    last <- min(max(distances), clip)
    near <- distances < last
    value <- last * ((sum(near * (distances / last)^r) + sum(!near)) / length(data))^(1 / r)
    if (is.nan(value)) last else min(value, last)
  }, 0)
}

overflowing_draws <- function(epsilon, r = 3, clip = 1e-104) function(data, runs) {
  setup <- release_setup(matrix(data), tiny_grid(), epsilon, NULL, 1, r, clip, 0, 1, FALSE, "cap", "max")
  values <- overflowing_values(data, tiny_grid()$axes[[1]], r, clip)
  diagrams <- split_diagram(grid_persistence(values, max_dimension = 0, essential = "cap", cap = setup$plan$bound), 0)
  drawn_diagrams(draw_plan(setup$plan, diagrams, runs, "R"), runs)
}

drawn_diagrams <- function(points, runs) {
  lapply(split(seq_len(nrow(points)), factor(points[, "draw"], seq_len(runs))), function(rows) {
    new_diagram(as.integer(points[rows, "dimension"]), points[rows, "birth"], points[rows, "death"])
  })
}

# Components of numbers, with the 41 nearest of 82 rows, at places that `choose` computes from the rows. A row may move
# the diagram by 1/41. If places follow the rows, it moves it by half of the clip, which is 1.
places_draws <- function(choose) function(data, runs) {
  landmarks <- domain_landmarks(matrix(choose(data)))
  setup <- release_setup(matrix(data), landmarks, claimed, NULL, 0.5, 1, 1, 0, 1, FALSE, "drop", "max")
  diagrams <- lapply(true_diagrams(setup$plan, setup$cloud), `*`, setup$plan$step)
  drawn_diagrams(draw_plan(setup$plan, diagrams, runs, "R"), runs)
}
public_places <- function(data) c(0, 10)
row_places <- function(data) data[1:2]
lowest_places <- function(data) {
  candidates <- c(0, 0.02, 10)
  candidates[order(distance_to_measure(matrix(data), domain_landmarks(matrix(candidates)), 0.5, clip = 1))[1:2]]
}
two_heaps <- function(moved = 10) c(0, moved, rep(0, 40), rep(10, 40))

# The loop of four landmarks on a ring with integer values, each of which one row moves by a step (`data` are the
# values). Single precision has 24 digits: levels that differ in the 25th digit become equal, or differ by sixteen more
# steps.
raw_pairs <- function(values, lengths, cap) {
  levels <- structure(rips_edges(values, lengths, TRUE), Size = length(values), Diag = FALSE, Upper = FALSE,
                      class = "dist")
  found <- as.data.frame(ripserr::vietoris_rips(levels, max_dim = 1, threshold = cap))
  found[found$dimension == 1, ]
}
ring_lengths <- function() {
  lengths <- matrix(0x1p24, 4, 4)
  lengths[cbind(1:4, c(3, 4, 1, 2))] <- 0x1p26
  diag(lengths) <- 0
  lengths
}
# the edges of the ring enter 8 steps above a power of two
level_values <- function() rep(0x1p27 + 8 - 0x1p23, 4)
loop_of <- function(values, pairs) {
  found <- pairs(values, ring_lengths(), 0x1p28)
  cbind(found$birth, found$death)[found$dimension == 1, , drop = FALSE]
}
ranked_pairs <- function(values, lengths, cap) rips_pairs(values, lengths, cap, 1, whole = TRUE)
loop_draws <- function(pairs) function(data, runs) {
  points <- lattice_draws_of(list(loop_of(data, pairs)), 0x1p28, 1, claimed, 1, FALSE, runs)$points
  points[, 3:4]
}

# Scales rows by their own spread, then clamps them to [0, 1]. One far row moves all others near zero.
scaled_sum_draws <- function(data, runs) {
  sum(pmin(abs(scale(data)), 1)) + laplace_noise(runs, 1 / claimed)
}

# The published procedure, which uses the range of the true values for the triangle.
own_triangle_draws <- function(epsilon) function(data, runs) {
  values <- distance_to_measure(matrix(data), tiny_grid(), 1)
  setup <- release_setup(matrix(data), tiny_grid(), epsilon, NULL, 1, 1, Inf, 0, 10, TRUE, "cap", "max")
  setup$plan$levels <- round(max(values) / setup$plan$step)
  diagrams <- split_diagram(grid_persistence(values, max_dimension = 0, essential = "cap", cap = max(values)), 0)
  drawn_diagrams(draw_plan(setup$plan, diagrams, runs, "R"), runs)
}

# Computes the true cost of a mechanism on diagrams, whose groups are drawn separately.
diagram_cost <- function(mechanism) sum(vapply(mechanism$groups, `[[`, 0, "epsilon"))

# A mean of one point on the cap of a sphere: the point itself, which may move by the diameter. Returns ambient
# coordinates of the released points. `rows` turns data into points, and `center` is the center of the ball.
cap_center <- c(0, 0, 1)
cap_draws <- function(rows = private_coordinates, center = function(P) cbind(cap_center)) {
  function(data, runs) {
    P <- cbind(data)
    mechanism <- mean_plan(1, manifold_sphere(2), pi / 8, c(epsilon = claimed), method = "intrinsic")
    V <- rows(P, mechanism$manifold, center(P), mechanism$radius)
    mean <- normal_points(V, mechanism$manifold, mechanism$origin)
    t(released_points(draw_mean(mechanism, mean, runs, "R"), mechanism$manifold, center(P)))
  }
}
not_clamped <- function(P, manifold, center, radius) normal_coordinates(P, manifold, center)
# A mean of definite matrices with draws cut at exponents of 460 relative to the private mean. Far draws then show the
# mean (as the ratio of the logarithms of their eigenvalues).
cut_about_mean_draws <- function(data, runs) {
  M <- manifold_spd(2)
  V <- private_coordinates(matrix(data, 4), M, diag(2), sqrt(0.5))
  mechanism <- mean_plan(ncol(V), M, sqrt(0.5), c(epsilon = 0.1001), support = "manifold", method = "intrinsic")
  mean <- plan_statistic(mechanism, V)
  location <- normal_coordinates(cbind(mean), M, diag(2))
  W <- draw_laplace(runs, M, diag(2), mechanism$scale, rng = "R", origin = diag(2))$points
  apply(W, 2, function(w) {
    values <- eigen(symmetric_matrix(w, 2), TRUE, TRUE)$values
    values <- location[1] + pmax(-460, pmin(460, values)) # the mean is a multiple of the identity
    values[2] / values[1]
  })
}
crowd_of <- function(other) {
  side <- exp(0.5)
  array(c(rep(side * diag(2), 9), (if (other) 1 / side else side) * diag(2)), c(2, 2, 10))
}

cap_point <- function(angle) c(sin(angle), 0, cos(angle))

# Lines through the origin, released as basis vectors in the direction of the row.
leaning_basis_draws <- function(data, runs) {
  M <- manifold_grassmann(1, 3)
  center <- cbind(c(1, 0, 0))
  mechanism <- mean_plan(1, M, 0.4, c(epsilon = claimed), method = "intrinsic")
  mean <- plan_statistic(mechanism, private_coordinates(cbind(data), M, center, 0.4))
  points <- released_points(draw_mean(mechanism, mean, runs, "R"), M, center)
  t(points) * sign(colSums(points * data))
}

# The mean of two numbers in [-1, 1], which moves by 1. Noise conditioned on the interval has different constants at its
# end and in its middle.
conditioned_draws <- function(factor = 2) function(data, runs) {
  drawn <- draw_laplace(runs, manifold_euclidean(1), mean(data), factor * 1 / claimed, "ball", center = 0, radius = 1,
                        rng = "R")
  as.vector(drawn$points)
}

# A generator that is reset after the release, so that the next release draws the same noise.
replayed_release <- function(data) {
  state <- get(".Random.seed", globalenv())
  on.exit(assign(".Random.seed", state, globalenv()))
  sum(data) + laplace_noise(1, 1 / claimed)
}

# The same, once only, between the two numbers of one release.
replayed_pair <- function(data) {
  noise <- laplace_noise(1, 2 / claimed)
  c(sum(data), sum(data^2)) + noise
}

seeded_release <- function(data) {
  set.seed(17)
  sum(data) + laplace_noise(1, 1 / claimed)
}

# Omits the noise once in five hundred releases.
forgetful_draws <- function(data, runs) sum(data) + laplace_noise(runs, 1 / claimed) * (stats::runif(runs) > 1 / 500)

# A round of k-means at the centers -1 and 1, for numbers in [-1, 1]. If `noise_on_empty = FALSE`, a cluster without
# rows gets no noise.
kmeans_draws <- function(noise_on_empty = TRUE, rows = identity) function(data, runs) {
  spent <- new_cost(c(epsilon = claimed))
  plan <- plan_kmeans_lloyd(length(data), domain_box(-1, 1), 2, spent, rounds = 1)
  sums <- lloyd_sums(matrix(rows(data)), cbind(-1, 1), domain_box(-1, 1), plan)
  noisy <- matrix(add_noise(rep(as.vector(sums), runs), plan$scale, "laplace", "R"), 4)
  if (!noise_on_empty) noisy[, ] <- ifelse(rep(sums[c(1, 1, 3, 3)] > 0, runs), noisy, 0)
  # distance of all four from their values for two rows at -1, in units of the noise
  cbind(colSums(abs(noisy - c(2, -2 * 2^plan$bits, 0, 0)) / plan$scale), t(noisy))
}

# Scales the data by their own range, instead of the box.
own_range <- function(data) 2 * (data - min(data)) / max(diff(range(data)), 1e-9) - 1

# Clusters with a count below its noise keep their centers, which began at rows.
row_start_draws <- function(data, runs) {
  counts <- matrix(laplace_noise(2 * runs, 4 / claimed), runs) + length(data) / 2
  ifelse(counts > 12 / claimed, laplace_noise(2 * runs, 1), rep(data[1:2], each = runs))
}

# The second moment of a number in [-1, 1] about its noisy mean, with noise for a moment about zero: half of rho for
# each. The release is the log odds of 1 against -1.
centered_draws <- function(centered = TRUE) function(data, runs) {
  sd <- c(sqrt(4 / claimed), sqrt(1 / claimed))
  mean <- data + stats::rnorm(runs, 0, sd[1])
  about <- if (centered) mean else 0
  moment <- (data - about)^2 + stats::rnorm(runs, 0, sd[2])
  likely <- function(x) stats::dnorm(mean, x, sd[1], log = TRUE) +
    stats::dnorm(moment, (x - about)^2, sd[2], log = TRUE)
  likely(1) - likely(-1)
}

# Count, sum and sum of squares in two clusters of numbers in [-1, 1], with noise for the squared sensitivity `r`.
moment_draws <- function(r = 6) function(data, runs) {
  moments <- function(data) as.vector(vapply(list(data < 0, data >= 0), function(own)
                                             c(sum(own), sum(data[own]), sum(data[own]^2)), double(3)))
  way <- moments(abs(data)) - moments(-abs(data))
  noisy <- moments(data) + matrix(stats::rnorm(6 * runs, 0, sqrt(r / (2 * claimed))), 6)
  colSums(noisy * way)
}

# Numbers in units of a narrow cluster, with noise for numbers shortened to length one.
narrow_draws <- function(shortened) function(data, runs) {
  u <- data / 0.1
  if (shortened) u <- u / pmax(1, abs(u))
  cbind(sum(u) + stats::rnorm(runs, 0, 2 / sqrt(claimed)), sum(u^2) + stats::rnorm(runs, 0, 1 / sqrt(claimed)))
}

# Tables of codes of two levels. There are ten rows, and one of them links the first column to the second or to the ten
# others. So scores of parents move by the maximum, one up and ten down.
one_says <- function(second) cbind(rep(0:1, c(9, 1)), rep(0:1, c(9, 1)) * second,
                                   matrix(rep(0:1, c(9, 1)) * !second, 10, 10))
code_source <- function(data) {
  storage.mode(data) <- "integer"
  list(sizes = structure(rep(2L, ncol(data)), names = paste0("c", seq_len(ncol(data)))), n = nrow(data), codes = data)
}
parent_draws <- function(score = "distance", factor = 1, threshold = -Inf) function(data, runs) {
  source <- code_source(data)
  choice <- plan_parents(source$n, new_cost(c(epsilon = claimed)), claimed, 1, score)
  scores <- score_scopes_network(source, lapply(2:12, function(column) c(column, 1L)), choice)
  drawn <- draw_choice(scores, claimed * factor, choice$sensitivity[1], "R", runs)
  # drops parents with a low score, by the exact score
  ifelse(scores[drawn] > threshold * max(choice$sensitivity), drawn, 0)
}

# There are ten people, and one has a row with each of 300 codes, linked to the second column or to the ten others. The
# scores for the first column move by more than one row in ten moves them.
one_has_all <- function(second) {
  rows <- 300L
  code <- seq_len(rows) - 1L
  data <- rbind(matrix(0L, 9, 12), cbind(code, code * second, matrix(code * !second, rows, 10)), deparse.level = 0)
  storage.mode(data) <- "integer"
  structure(list(sizes = structure(rep(rows, 12), names = paste0("c", 1:12)), n = 10, codes = data, person = "who",
                 take = "all", complete = TRUE, owner = rep(1:10, rep(c(1L, rows), c(9, 1)))),
            class = "dptda_people_codes")
}
people_parent_draws <- function(of_row = FALSE) function(data, runs) {
  choice <- plan_parents(data$n, new_cost(c(epsilon = claimed)), claimed, 1, "information", 1024)
  scopes <- lapply(2:12, function(column) c(column, 1L))
  bound <- if (of_row) 1024 * choice$unit * information_sensitivity(data$n)[2] else people_information(choice, 300, 300)
  scores <- score_scopes_network(weigh_rows(data, 1024), scopes, choice)
  draw_choice(scores, claimed, bound, "R", runs)
}

# Counts of two columns with noise.
table_draws <- function(observed = FALSE) function(data, runs) {
  scale <- table_noise(new_cost(c(epsilon = claimed)), claimed, 1)$scale
  counts <- joint_counts(code_source(data), 1:2)
  noisy <- matrix(add_noise(rep(counts, runs), scale, "laplace", "R"), 4)
  if (observed) noisy <- noisy * (counts > 0)
  # distance of all counts from their values for two rows of zeros
  cbind(colSums(abs(noisy - c(2, 0, 0, 0)) / scale), t(noisy))
}
two_zeros <- function(other = 0) rbind(c(0, 0), other)

# A table of one column whose schema depends on the data: the number of its levels, or its last bound.
own_schema_release <- function(seen) function(data) {
  rows <- data.frame(a = data)
  fit <- private_synthesis(rows, schema_from_data(rows), claimed, method = "margins", rng = "R")
  c(seen(fit$schema$columns$a), model_margin(fit$model, 1L)[1])
}
level_count <- function(column) column$size
last_bound <- function(column) max(column$breaks)

# Centers with noise, and the labels of the rows from which they were computed.
labels_draws <- function(data, runs) {
  cbind(sum(data) + laplace_noise(runs, 2 / claimed), matrix(data > 0, runs, length(data), byrow = TRUE))
}

# Gaussian noise on a sum of numbers in [0, 1]: rho = 1 / (2 sd^2).
normal_draws <- function(sd) function(data, runs) stats::rnorm(runs, sum(data), sd)

# A fault: draws or mechanism, two data sets, claimed epsilon (or rho), and runs.
lie <- function(run, x, neighbor, epsilon = if (is.null(rho)) claimed, runs = 1500, rho = NULL) {
  vectorized <- "runs" %in% names(formals(run))
  list(draws = if (vectorized) run, mechanism = if (!vectorized) run, x = x, neighbor = neighbor, epsilon = epsilon,
       rho = rho, runs = runs)
}

# Adds loops, which need another package.
with_loops <- function(lies) {
  if (requireNamespace("ripserr", quietly = TRUE)) lies else lies[!startsWith(names(lies), "levels")]
}

# One step of a training on four rows, gradients in [-1, 1], a batch of one row. `claimed` is the cost that a full
# epsilon on the sum becomes by sampling without replacement. `known`: the batch comes from a public seed.
batch_draws <- function(known = FALSE, sensitivity = 2) function(data, runs) {
  inner <- log(1 + 4 * expm1(claimed))
  row <- if (known) 4 else sample.int(4, runs, TRUE)
  data[row] + laplace_noise(runs, sensitivity / inner)
}

# A sum of cut gradients with normal noise, divided by the number of rows with a gradient, which is not public, or by
# the number of rows.
divided_draws <- function(own) function(data, runs) {
  (sum(data) + stats::rnorm(runs, 0, 1 / sqrt(2 * claimed))) / if (own) max(1, sum(data != 0)) else length(data)
}

# --- releases with private numbers and other parts that are not private ----------------------------

# Each number has the noise that it needs, but the parts around it leak. `about` adds these parts.
around_draws <- function(about, numbers = 1) function(data) {
  about(sum(data) + laplace_noise(numbers, numbers / claimed), data)
}

# Counts of the occurring values, as from table(). `levels`: the public values.
occurring_release <- function(data) {
  cells <- table(data)
  cells[] <- cells + laplace_noise(length(cells), 2 / claimed)
  cells
}
public_cells_release <- function(data) occurring_release(factor(data, c("a", "b", "c")))

# As many rows as there are public groups, but named by the groups that occur.
row_names_of <- function(noisy, data) matrix(noisy, 2, 1, dimnames = list(paste0("group", data), "sum"))

rows_used <- function(noisy, data) structure(noisy, used = paste(sum(data > 0), "rows"))
numbers_used <- function(noisy, data) structure(noisy, used = sum(data))
class_of_rows <- function(noisy, data) structure(list(sum = noisy), class = c(if (any(data > 0)) "wide", "summary"))

# Two named numbers, the one with the larger true value first.
sorted_by_truth <- function(noisy, data) list(first = noisy[1], second = noisy[2])[order(-data)]

# Unprotected numbers after protected numbers.
long_tail <- function(noisy, data) c(noisy, data)
long_noise <- function(noisy, data) c(noisy, laplace_noise(500, 1))

# A signed zero, with the sign of the number that was rounded.
sign_of_zero <- function(noisy, data) c(noisy, round(sum(data) / 10 - 0.05))

# A number from a charged mechanism, and a decoder that was fitted to the rows.
raw_decoder_draws <- function(data, runs) cbind(sum(data) + laplace_noise(runs, 1 / claimed), mean(data))

planted_lies <- function() {
  with_loops(c(people_lies(), regression_lies(), list(
    "triangle taken from the data" = lie(own_triangle_draws(claimed), c(0, 0), c(0, 1), runs = 500),
    "powers that overflow" = lie(overflowing_draws(claimed), rep(0, 8000), rep(0:1, c(7999, 1)), runs = 500),
    "landmarks that are rows" = lie(places_draws(row_places), two_heaps(), two_heaps(0), runs = 500),
    "landmarks chosen by their values" = lie(places_draws(lowest_places), two_heaps(), two_heaps(0), runs = 500),
    "levels in single precision" = lie(loop_draws(raw_pairs), level_values(), level_values() + 1),
    "rows scaled by their own spread" = lie(scaled_sum_draws, rep(c(-1, 1), 10), c(rep(c(-1, 1), 9), -1, 1000)),
    "no noise on an empty cell" = lie(occupied_draws, c(1, 1, 2), c(1, 1, 1)),
    "replayed noise" = lie(replayed_release, c(0, 0.5), c(0, 1)),
    "replayed noise in one release" = lie(replayed_pair, c(0, 0.5), c(0, 1)),
    "fixed seed" = lie(seeded_release, c(0, 0.5), c(0, 1)),
    "points not clamped" = lie(cap_draws(rows = not_clamped), cap_point(-1.4), cap_point(1.4)),
    "center taken from the data" = lie(cap_draws(center = identity), cap_point(-0.4), cap_point(0.4)),
    "basis that leans on a row" = lie(leaning_basis_draws, c(1, 0, 0), c(-1, 0, 0)),
    "cut about the private mean" = lie(cut_about_mean_draws, crowd_of(FALSE), crowd_of(TRUE), epsilon = 0.1001),
    "conditioned without the 2" = lie(conditioned_draws(1), c(-1, 1), c(1, 1), runs = 60000),
    "k-means: no noise on an empty cluster" = lie(kmeans_draws(noise_on_empty = FALSE), c(-1, -1), c(1, -1),
                                                  runs = 3000),
    "k-means: the range of the rows for the box" = lie(kmeans_draws(rows = own_range), rep(c(-0.1, 0.1), 20),
                                                       c(rep(c(-0.1, 0.1), 19), -0.1, 1), runs = 3000),
    "k-means: centers that begin at rows" = lie(row_start_draws, c(0.3, 0.2), c(0.4, 0.2), runs = 3000),
    "second moments about the noisy mean" = lie(centered_draws(), -1, 1, rho = claimed, runs = 5000),
    "squared sensitivity without the counts" = lie(moment_draws(4), c(-1, 1), c(1, 1), rho = claimed, runs = 50000),
    "features not shortened" = lie(narrow_draws(FALSE), -1, 1, rho = claimed, runs = 3000),
    "network: a third of the sensitivity of scores" =
      lie(parent_draws(factor = 3), one_says(TRUE), one_says(FALSE), runs = 20000),
    "network: information in bits, its sensitivity in nats" =
      lie(parent_draws("information", 1 / log(2)), one_says(TRUE), one_says(FALSE), runs = 50000),
    "network: information of people with the constant of a row" =
      lie(people_parent_draws(of_row = TRUE), one_has_all(TRUE), one_has_all(FALSE), runs = 20000),
    "network: parents dropped by their exact score" = lie(parent_draws(threshold = .5), one_says(TRUE),
                                                          one_says(FALSE)),
    "network: noise on observed cells only" = lie(table_draws(observed = TRUE), two_zeros(), two_zeros(1)),
    "table: levels read from the rows" = lie(own_schema_release(level_count), c("u", "u"), c("u", "v"), runs = 300),
    "table: bounds read from the rows" = lie(own_schema_release(last_bound), c(0, 1), c(0, 1000), runs = 300),
    "names: the cells that occur" = lie(occurring_release, c("a", "b"), c("a", "c"), runs = 300),
    "names of the rows of a matrix" = lie(around_draws(row_names_of, 2), c(0, 0), c(0, 1), runs = 300),
    "an attribute" = lie(around_draws(rows_used), c(0, 0), c(0, 1), runs = 300),
    "a number in an attribute" = lie(around_draws(numbers_used), c(0, 0), c(0, 1), runs = 300),
    "a class" = lie(around_draws(class_of_rows), c(0, 0), c(0, 1), runs = 300),
    "the order of a list" = lie(around_draws(sorted_by_truth, 2), c(1, 0), c(0, 1), runs = 300),
    "what comes after a thousand numbers" = lie(around_draws(long_tail, 1000), c(0, 0), c(0, 1), runs = 300),
    "the sign of a zero" = lie(around_draws(sign_of_zero), c(0, 0), c(0, 1), runs = 300),
    "labels of the rows" = lie(labels_draws, c(-1, 1), c(1, 1)),
    "noise skipped once in 500 times" = lie(forgetful_draws, c(0, 0), c(0, 1), runs = 1e5),
    "rho, 10 % too little noise" = lie(normal_draws(0.9), c(0, 0), c(0, 1), runs = 2e5, rho = 1 / 2),
    "rho = 1/18, 10 % too little noise" = lie(normal_draws(2.7), c(0, 0), c(0, 1), runs = 2e5, rho = 1 / 18),
    "graph: both triangles flipped" = lie(both_triangles_draws, 0, 1),
    "graph: what is no edge stays none" = lie(non_edges_kept_draws, c(0, 1, 0), c(1, 1, 0)),
    "graph: one draw for all that is no edge" = lie(one_draw_draws, c(0, 0, 0), c(0, 0, 1)),
    "graph: old edges before new ones" = lie(unsorted_draws, c(0, 1, 0), c(1, 1, 0), runs = 20000),
    "graph: more flips than that, and the ledger of fewer" = lie(laplaceflip_draws, 0, 1, epsilon = 0.7, runs = 20000),
    "shape: a decoder trained on the rows" = lie(raw_decoder_draws, c(0, 0), c(0, 1)),
    "training: noise for Poisson samples, per length and not per twice that" =
      lie(batch_draws(sensitivity = 1), c(1, 1, 1, -1), rep(1, 4), runs = 50000),
    "training: batches from a seed that is known" =
      lie(batch_draws(known = TRUE), c(1, 1, 1, -1), rep(1, 4), runs = 20000),
    "training: divided by the rows that have a gradient" =
      lie(divided_draws(TRUE), c(1, 0), c(1, 1), rho = claimed, runs = 2e5)
  ), score_lies(), curve_lies(), curve_test_lies()))
}

# The same mechanisms without the fault, if the package has no example of them.
honest_twins <- function() {
  with_loops(c(honest_people(), honest_regression(), list(
    "table of public cells" = lie(public_cells_release, c("a", "b"), c("a", "c"), runs = 300),
    "many numbers" = lie(around_draws(long_noise, 1000), c(0, 0), c(0, 1), runs = 300),
    "public landmarks" = lie(places_draws(public_places), two_heaps(), two_heaps(0), runs = 200),
    "levels by their ranks" = lie(loop_draws(ranked_pairs), level_values(), level_values() + 1),
    "point on a sphere" = lie(cap_draws(), cap_point(-pi / 8), cap_point(pi / 8)),
    "k-means" = lie(kmeans_draws(), c(-1, -1), c(1, -1)),
    "second moments" = lie(centered_draws(FALSE), -1, 1, rho = claimed),
    "moments of two clusters" = lie(moment_draws(), c(-1, 1), c(1, 1), rho = claimed),
    "choice of parents" = lie(parent_draws(), one_says(TRUE), one_says(FALSE)),
    "choice of parents, information" = lie(parent_draws("information"), one_says(TRUE), one_says(FALSE)),
    "choice of parents, information of people" = lie(people_parent_draws(), one_has_all(TRUE), one_has_all(FALSE)),
    "counts of two columns" = lie(table_draws(), two_zeros(), two_zeros(1)),
    "shortened features" = lie(narrow_draws(TRUE), -1, 1, rho = claimed),
    "Gaussian sum, rho" = lie(normal_draws(1), c(0, 0), c(0, 1), rho = 1 / 2),
    "batches" = lie(batch_draws(), c(1, 1, 1, -1), rep(1, 4)),
    "divided by all rows" = lie(divided_draws(FALSE), c(1, 0), c(1, 1), rho = claimed)
  ), honest_scores(), honest_curves(), honest_curve_tests()))
}

audit_lie <- function(lie, level = 0.99) {
  audit_mechanism(lie$mechanism, lie$x, lie$neighbor, lie$epsilon, runs = lie$runs, draws = lie$draws,
                level = level, rho = lie$rho)
}

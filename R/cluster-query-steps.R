# What a query does to a row (src/core/cluster-query.c), step by step, as expressions for a database (database-sql.R).
# Each step has the columns `keep` of the one before and those of `words`, expressions of its columns and of `values`,
# public numbers. Of a step that joins there is one row for each cluster `k` for which `on` holds, with the constants of
# that cluster.
#
# What privacy rests on is compared in whole numbers: shares are cut at what is left of 2^share_bits, features that are
# too long are set to zero. Exponentials that are too small are not asked for, nor is any other number that is zero only
# for want of digits: one row could end a statement in PostgreSQL.
#
# Columns have one name each, or are a vector or an array: z, the row in the coordinates of the box, -1 to 1; u, from
# the means of clusters; q, features in whole steps; d, logarithms of densities, or squares of distances.
#
# A model is `level` (K), `mean` (K x D), `whiten` (K x D x D) and `stretch`: numbers, or words that stand for them.
# Where rows are `weighed` (R/database-people.R) each has a column `weight`, of which its shares are parts.

# `words`: a call of c(), quoted.
query_step <- function(keep, words, values = list()) list(keep = keep, words = as.list(words)[-1], values = values)

# How many columns of one kind a step has at most: databases have limits from 1,600 on.
most_step_columns <- 800

# The constants of steps that follow from a query: numbers, `whole` ones last, or words that stand for them. `half` of
# the stretch; `parts` and `share`, what a row has to share out; `unit`, a feature of 1, which is between `low` and
# `high`; and the `most` that squares of features add up to.
query_numbers <- function(query, dimension, stretch = 1) {
  unit <- 2^query$bits[1]
  reach <- (if (dimension < 8) 3 else 8) * unit
  list(half = stretch / 2, parts = 2^query$bits[2], unit = unit, low = -reach, high = reach,
       share = as_whole(2^query$bits[2]), most = as_whole(dimension * unit^2))
}

query_steps <- function(model, query, weighed = FALSE,
                        numbers = query_numbers(query, ncol(model$mean), model$stretch)) {
  dimension <- ncol(model$mean)
  clusters <- length(model$level)
  taken <- if (query$whitened) "z" else "q"
  steps <- if (!query$whitened) box_feature_steps(if (clusters > 1) "z", query$bits[1])
  steps <- c(steps, if (clusters == 1) one_cluster_steps(model, query, weighed) else if (isTRUE(query$nearest)) {
    c(nearest_steps(model$nearest), list(shared_step(model, taken, query, weighed, numbers$share)))
  } else {
    c(density_steps(model, union("z", taken), numbers$half), list(best_step(taken, dimension, query, weighed)),
      if (!query$hard) share_steps(taken, numbers, weighed),
      list(shared_step(model, taken, query, weighed, numbers$share)))
  })
  c(steps, if (query$whitened) feature_steps(dimension, numbers, isTRUE(query$far)))
}

# What a row has to share out: a public number, or its column `weight`.
whole_share <- function(whole, weighed) if (!weighed) list(weight = whole)

one_cluster_steps <- function(model, query, weighed) {
  whole <- whole_share(1L, weighed)
  if (!query$whitened) return(list(query_step("q", quote(c(cell = 1L, own = 1L, share = weight)), whole)))
  list(query_step(NULL, quote(c(cell = 1L, own = 1L, share = weight, u = total(W * (z[j] - m)))),
                  c(whole, whitening(model, 1))))
}

# The likeliest cluster; of weighed rows what find_turns() of the kernel takes the digits of, too.
best_step <- function(taken, dimension, query, weighed) {
  if (query$hard) return(query_step(taken, quote(c(best = first_most(d)))))
  if (!weighed) return(query_step(c(taken, "d"), quote(c(best = first_most(d)))))
  golden <- seq_len(dimension) * 0.6180339887498949
  query_step(c(taken, "d"), quote(c(best = first_most(d), turn = total(many * z))),
             list(many = 4096 * (1 + golden - floor(golden))))
}

# The nearest of some places, K x D, the first of equally near ones.
nearest_steps <- function(places) {
  list(distance_step("z", places), query_step("z", quote(c(best = first_least(d)))))
}

distance_step <- function(kept, places) {
  query_step(kept, quote(c(d = total((z[across] - C) * (z[across] - C)))),
             list(C = places, across = slice.index(array(0, dim(places)), 2)))
}

# Of some clusters (P): W and m, P x D x D, or D x D of one, and the place in a row of what they are for.
whitening <- function(model, part) {
  dimension <- ncol(model$mean)
  size <- c(length(part), dimension, dimension)
  j <- slice.index(array(0, size), 3)
  m <- array(model$mean[cbind(rep_len(part, length(j)), as.vector(j))], size)
  drop <- function(x) array(x, size[c(length(part) > 1, TRUE, TRUE)])
  list(W = drop(model$whiten[part, , ]), m = drop(m), j = drop(j))
}

# The logarithms of the densities, some clusters at a time.
density_steps <- function(model, kept, half) {
  clusters <- length(model$level)
  parts <- split(seq_len(clusters), (seq_len(clusters) - 1) %/% max(1, most_step_columns %/% ncol(model$mean)))
  steps <- lapply(parts, function(part) {
    first <- part[1] == 1
    list(query_step(c(kept, if (!first) "d"), quote(c(u = total(W * (z[j] - m)))), whitening(model, part)),
         query_step(c(kept, if (!first) "d"), quote(c(d = level - total(u * u) * half)),
                    list(level = model$level[part], half = half)))
  })
  unlist(unname(steps), recursive = FALSE)
}

# c: how much of what a row has to share out the clusters up to each have taken. The differences are their shares.
share_steps <- function(taken, numbers, weighed) {
  whole <- whole_share(numbers$share, weighed)
  kept <- c(taken, "best")
  before <- c(kept, if (weighed) "turn")
  c(list(
    query_step(c(before, "d"), quote(c(top = at(best, d)))),
    # what is smaller has no share, and adds nothing to the sum
    query_step(before, quote(c(e = cases(d - top < -700, 0, exp(d - top)))))
  ), if (weighed) split_steps(kept) else list(
    query_step(c(kept, "e"), quote(c(total = total(e)))),
    query_step(kept, quote(c(w = cases(e >= 0 & e <= total, whole(e / total * parts + 0.5), 0L))), numbers["parts"])
  ), list(
    # from here on in whole numbers
    query_step(kept, quote(c(w = cases(w > 0L, w, 0L)))),
    query_step(kept, quote(c(s = running(w)))),
    query_step(kept, quote(c(c = cases(s <= weight, s, weight))), whole)
  ))
}

# As split_weights() of the kernel: of a weight, which has few steps, what the clusters up to each have together is
# rounded, and where that turns differs from row to row.
split_steps <- function(kept) {
  list(
    query_step(kept, quote(c(v = running(e), total = total(e), t = turn - floor(turn)))),
    query_step(kept, quote(c(v = v / total * double(weight) + t - 0.5))),
    query_step(kept, quote(c(w = cases(v <= 0, 0L, v < double(weight), whole(v + 0.5), weight)))),
    query_step(kept, quote(c(w = differences(w))))
  )
}

# `cell`, `own`, `share` and the features of each row in each cluster of which it has a share. The likeliest cluster is
# always among them, so that no row is lost; there the row is counted.
shared_step <- function(model, taken, query, weighed, whole) {
  whole <- whole_share(whole, weighed)
  if (query$hard && !query$whitened) return(query_step(taken, quote(c(cell = best, own = 1L, share = weight)), whole))
  share <- if (query$hard) quote(weight) else quote(at(k, differences(c)))
  words <- list(cell = quote(k), own = quote(cases(k == best, 1L, 0L)), share = share)
  on <- if (query$hard) quote(k == best) else quote(at(k, differences(c)) > 0L | k == best)
  dimension <- ncol(model$mean)
  j <- list(j = slice.index(array(0, c(dimension, dimension)), 2))
  if (query$whitened) words$u <- quote(total(W * (z[j] - m[j])))
  list(keep = if (!query$whitened) taken, words = words, values = c(whole, j), on = on,
       clusters = if (query$whitened) model else model["level"])
}

# u becomes q, whole numbers whose squares add up to at most dimension 4^bits, as cluster_features() makes them. What is
# too long after its one step toward zero, which no database should see, has no share. `far`: the share of a row that is
# shortened, where such rows are counted.
feature_steps <- function(dimension, numbers, far) {
  kept <- c("cell", "own", "share", if (far) "far")
  values <- c(numbers[c("unit", "low", "high", "most")], D = as.double(dimension))
  first <- c("cell", "own", "share", "u")
  steps <- list(
    query_step(first, quote(c(square = total(u * u)))),
    query_step(c(kept, "u"), quote(c(scale = cases(square > D, sqrt(D / square), 1) * unit)), values),
    query_step(kept, quote(c(v = u * scale))),
    query_step(kept, quote(c(q = cases(v >= low & v <= high, whole(v + 0.5), 0L))), values),
    query_step(c(kept, "q"), quote(c(long = total(q * q)))),
    query_step(kept, quote(c(q = cases(long <= most | q == 0L, q, q > 0L, q - 1L, q + 1L))), values),
    query_step(c(setdiff(kept, "share"), "q"), quote(c(share = cases(share > 0L & total(q * q) <= most, share, 0L))),
               values)
  )
  if (!far) return(steps)
  append(steps, list(query_step(c(first, "square"), quote(c(far = cases(square > D, share, 0L))), values)), 1)
}

# Features of the box: z becomes q, whole numbers of at most 2^bits.
box_feature_steps <- function(kept, bits) {
  values <- list(unit = 2^bits, most = as_whole(2^bits))
  list(
    # what is out of the range, which nothing is, becomes 0
    query_step(kept, quote(c(q = cases(z * unit >= -unit & z * unit <= unit, whole(z * unit + 0.5), 0L))), values),
    query_step(kept, quote(c(q = cases(q >= -most & q <= most, q, 0L))), values)
  )
}

# The numbers of one cluster that are summed, whole ones: whether the row is counted there, the share, or what of it is
# far, the share times each feature, and times each product of two.
query_terms <- function(dimension, products = TRUE, far = FALSE) {
  pairs <- expand.grid(j = seq_len(dimension), i = seq_len(dimension))
  pairs <- pairs[pairs$j <= pairs$i, ]
  list(words = list(own = quote(own), share = if (far) quote(far) else quote(share), sums = quote(share * q),
                    products = if (products) quote(share * q[i] * q[j])), values = as.list(pairs))
}

# Rows by the center that is nearest, the first of those that are equally near; features of the box. `centers`: K x D.
mean_steps <- function(centers, bits, weighed = FALSE) {
  c(box_feature_steps("z", bits), list(
    distance_step("q", centers),
    query_step("q", quote(c(cell = first_least(d), own = 1L, share = weight)), whole_share(1L, weighed))
  ))
}

# As dpt_query_scores(): one sum for each of some starts. `model`: of one cluster; `centers`: starts x K x D.
score_steps <- function(model, centers, spread, bits) {
  dimension <- ncol(model$mean)
  clusters <- dim(centers)[2]
  values <- list(
    C = centers, across = slice.index(array(0, dim(centers)), 3), far = 1400 * spread, width = 2 * spread,
    constant = -dimension / 2 * log(spread) - log(clusters), unit = 2^bits, most = as_whole(6 * 2^bits)
  )
  list(
    query_step(NULL, quote(c(u = total(W * (z[j] - m)))), whitening(model, 1)),
    query_step(NULL, quote(c(d = total((u[across] - C) * (u[across] - C)), square = total(u * u))), values),
    query_step(c("d", "square"), quote(c(least = least(d)))),
    query_step(c("least", "square"), quote(c(total = total(cases(d - least > far, 0, exp((least - d) / width))))),
              values),
    query_step(NULL, quote(c(score = log(total) - least / width + constant + square / 2)), values),
    query_step(NULL, quote(c(cell = 1L, own = 1L, p = cases(score >= 3, most, score > -3,
                                                           whole((score + 3) * unit + 0.5), 0L))), values)
  )
}

score_terms <- function(bits, weighed = FALSE) {
  score <- quote(cases(p <= 0L, 0L, p >= most, most, p))
  list(words = list(own = quote(own), scores = if (weighed) call("*", quote(weight), score) else score),
       values = list(most = as_whole(6 * 2^bits)))
}

# The autoencoder, which replaces the plane and its linear decoder (src/core/publish-autoencoder.c). It is trained on
# noisy sums of clipped gradients over batches without replacement. Proof: inst/proofs/publish-autoencoder.md.

# Renyi divergences of all steps, at integer orders, if one row is replaced. Each adds rounded Gaussian noise of scale
# `noise` times 2 C to the sum of gradients of length C over a uniformly drawn batch. A sum of integers with this noise
# is a function of the sum with Gaussian noise.
training_curve <- function(n, batch, steps, noise) {
  alpha <- as.double(default_orders(FALSE))
  new_curve(alpha, keep_positive(steps * batch_renyi(alpha, batch / n, noise), 1))
}

# The smallest noise, per 2 C, for which training and other steps, which cost `rho`, keep epsilon and delta together.
# NULL if this needs more than 1000. `counted`: NULL, or the one `order` (less one) at which a budget counts, with a
# `rho` whose divergence bounds the one of all steps.
training_noise <- function(n, batch, steps, epsilon, delta, rho = 0, counted = NULL) {
  enough <- function(noise) {
    parts <- training_parts(n, batch, steps, noise, rho)
    parts_epsilon(parts, delta) + 2^-46 * (epsilon + 16) <= epsilon &&
      (is.null(counted) || parts_renyi(parts, counted$order) <= (1 + counted$order) * counted$rho)
  }
  if (!enough(1000)) return(NULL)
  low <- 0.1
  high <- 1000
  for (i in 1:50) {
    middle <- sqrt(low * high)
    if (enough(middle)) high <- middle else low <- middle
  }
  high
}

training_parts <- function(n, batch, steps, noise, rho) {
  add_parts(list(new_parts(renyi = training_curve(n, batch, steps, noise)), new_parts(rho = rho)))
}

# The fraction of the rho that epsilon and delta buy for training. `shares` divides the rest.
training_share <- 0.7

# Plans from public numbers. By default `batch` grows like the root of the number of rows, and is 256 for 45,222.
# `order` is the order at which the budget counts (counted_order()), if any. The best order for training differs from
# the order of a rho, which the budget has chosen. So the noise suffices for both, and training costs the budget at
# most the rho that epsilon and delta buy.
plan_autoencoder <- function(domain, cost, options, order = NULL) {
  if (!domain$reading$batches) {
    stop_argument("decoder", "must be \"linear\" for rows in a database. \"autoencoder\" is trained on batches of ",
                  "rows, which must be in memory.")
  }
  n <- domain$n
  check_decoded(domain, sum(domain$sizes))
  batch <- if (is.null(options$batch)) min(n, ceiling(1.203 * sqrt(n))) else options$batch
  if (batch > n) {
    stop_argument("batch", "must be at most the number of ", if (is.null(domain$units$person)) "rows." else "people.")
  }
  steps <- ceiling(options$passes * n / batch)
  rest <- options$shares[c("diagram", "mixture")]
  other <- rest / sum(rest) * (1 - training_share) * query_margin * cost$spent[["rho"]]
  measure <- as.list(cost$measure)
  noise <- training_noise(n, batch, steps, measure$epsilon, measure$delta, sum(other),
                          if (!is.null(order)) list(order = order, rho = cost$spent[["rho"]]))
  if (is.null(noise) && !is.null(order)) {
    stop_argument("budget",
                  "counts at a Renyi order at which no training satisfies `epsilon` and `delta`. Use a ",
                  "budget with `composition = \"basic\"`, or a larger `epsilon`.")
  }
  if (is.null(noise)) stop_argument("epsilon", "is too small for training the autoencoder.")
  training <- list(batch = batch, steps = steps, noise = noise, hidden = options$hidden, length = options$length,
                   learning = options$learning,
                   weights = 2 * sum(domain$sizes) * options$hidden + 6 * options$hidden + 2 + sum(domain$sizes))
  c(plan_shape(domain, cost, other, options), list(training = training, other = other))
}

# Reports, before anything is spent, if noise hides the training: compares the noise of a step with the sum of a batch
# whose gradients all have maximal length and one direction. Uses public numbers only.
tell_noise <- function(plan) {
  t <- plan$training
  times <- 2 * t$noise * sqrt(t$weights) / t$batch
  if (times <= 3) return(invisible())
  units <- if (is.null(plan$entity)) "rows" else "people"
  tell_dptda("noise", "With ", format_count(plan$n), " ", units, ", the noise of each training step is ",
             format(signif(times, 2)),
             " times as long as the largest sum of gradients. The autoencoder will learn next to nothing. The decoder ",
             "\"linear\" needs fewer ", units, ".")
}

autoencoder_guarantee <- function(plan, cost, domain) {
  t <- plan$training
  public <- synthesis_public(domain, 1, method = "topology", decoder = "autoencoder", box = plan$box,
                             grid = plan$diagram$grid, m0 = plan$m0, clip = plan$clip, k = plan$k,
                             noise_multiplier = t$noise, batch = t$batch, steps = t$steps, rho = plan$other)
  words <- paste0("rounded Gaussian noise on sums of clipped gradients over batches without replacement, ",
                  if (has_diagram(plan)) "exponential mechanism on the diagram of places, ",
                  "private mixture of the places")
  declared <- query_guarantee(cost, words, public, "private_synthesis", person = domain$units$person)
  entry <- list(step = "private_synthesis", measure = cost$measure,
                parts = training_parts(plan$n, t$batch, t$steps, t$noise, sum(plan$other)))
  assemble_guarantee(list(entry), fields_of(declared, plain_fields))
}

autoencoder_mechanism <- function(method, domain, cost, order) {
  plan <- plan_autoencoder(domain, cost, method, order)
  synthesis_mechanism("autoencoder", plan, domain, autoencoder_guarantee(plan, cost, domain), method = "topology")
}

announce.synthesis_autoencoder <- function(plan) tell_noise(plan)

statistic_of.synthesis_autoencoder <- function(plan, rows) unit_codes(rows)

draw_of.synthesis_autoencoder <- function(plan, statistic, rng) {
  list(model = draw_autoencoder(statistic, plan, rng),
       steps = shape_steps(plan, c(training = NA, plan$other), plan$training$noise))
}

draw_autoencoder <- function(codes, plan, rng) {
  weights <- train_autoencoder(codes, plan$sizes, plan$training, rng)
  network <- c(list(kind = "network", sizes = plan$sizes, side = plan$side),
               network_layers(weights, plan$sizes, plan$hidden))
  shape_model(network_places(codes, network), plan, rng, function(places) network)
}

train_autoencoder <- function(codes, sizes, training, rng) {
  .Call(ffi_publish_train_autoencoder, codes, unname(sizes), as.double(training$hidden),
        start_weights(sizes, training$hidden, rng),
        as.double(training$steps), as.double(training$batch), training$length, training$noise * 2 * 2^14,
        training$learning,
        kernel_options(rng, kernel_progress("Training")))
}

# Draws uniform weights that keep the sums of a layer near one. Shifts start at zero.
start_weights <- function(sizes, hidden, rng) {
  cells <- sum(sizes)
  layer <- function(count, inputs) (2 * draw_uniform(count, rng) - 1) * sqrt(3 / inputs)
  c(layer(cells * hidden, length(sizes)), double(hidden), layer(2 * hidden, hidden), double(2), layer(2 * hidden, 2),
    double(hidden),
    0.3 * layer(cells * hidden, hidden), double(cells))
}

# Converts weights to the layers of src/core/publish-autoencoder.h, as matrices with inputs in rows and outputs in
# columns.
network_layers <- function(weights, sizes, hidden) {
  cells <- sum(sizes)
  count <- c(cells * hidden, hidden, 2 * hidden, 2, 2 * hidden, hidden, cells * hidden, cells)
  parts <- split(weights, rep(seq_along(count), count))
  list(first = matrix(parts[[1]], cells, byrow = TRUE), first_shift = parts[[2]], place = matrix(parts[[3]], hidden),
       place_shift = parts[[4]], back = matrix(parts[[5]], 2), back_shift = parts[[6]],
       last = matrix(parts[[7]], hidden),
       last_shift = parts[[8]])
}

# Maps each row separately to the box of the plane. Sums have a fixed order, so there is no matrix product.
network_places <- function(codes, network) {
  before <- cumsum(network$sizes) - network$sizes
  hidden <- lapply(seq_along(network$first_shift), function(h) {
    sum <- rep(network$first_shift[h], nrow(codes))
    for (j in seq_along(before)) sum <- sum + network$first[before[j] + codes[, j] + 1L, h]
    tanh(sum)
  })
  place <- function(i) {
    sum <- rep(network$place_shift[i], nrow(codes))
    for (h in seq_along(hidden)) sum <- sum + network$place[h, i] * hidden[[h]]
    network$side * tanh(sum)
  }
  cbind(place(1), place(2))
}

# The unit is the length to which gradients are clipped.
noise_of.synthesis_autoencoder <- function(plan) {
  noise_table("each sum of clipped gradients, per clipping length",
              new_noise("gaussian", plan$training$noise * 2^15, 2^-14))
}

# ---- a step, for audits -------------------------------------------------------------------------

# One training step from zero weights, so that only the shifts of the scores have gradients.
training_mechanism <- function(sizes, training, rho) {
  step_mechanism("training_step", c(rho = rho), sizes = sizes, training = training,
                 weights = 0 * start_weights(sizes, training$hidden, public_key))
}

statistic_of.training_step <- function(plan, rows) rows$codes

draw_of.training_step <- function(plan, statistic, rng) {
  one <- plan$training
  .Call(ffi_publish_train_autoencoder, statistic, unname(plan$sizes), one$hidden, plan$weights, one$steps, one$batch,
        one$length,
        one$noise * 2^15, one$learning, kernel_options(rng))
}

# One row whose gradient has maximal length. Shows the direction of the step in weights that the two rows move apart.
example_of.training_step <- function(plan) {
  rows <- lapply(0:1, one_code, 5)
  training <- list(hidden = 1, steps = 1, batch = 1, length = 1e-3, noise = 1, learning = 0.5)
  mechanism <- training_mechanism(schema_sizes(rows[[1]]$schema), training, 0.5)
  shifts <- length(mechanism$plan$weights) - 4:3
  list(step_example("a step of training", mechanism, rows[[1]]$coded, rows[[2]]$coded, function(moved) {
    sum(sign(moved[shifts]) * c(1, -1))
  }))
}

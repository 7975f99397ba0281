# The autoencoder: gradients by finite differences, the cut in integers, the training against a slow one, the
# accountant. A statistical test has a fixed seed, and a false-alarm rate of 1e-6 unless another is stated.
rarely <- 1e-6

network_case <- function(seed, rows = 6, hidden = 3) {
  set.seed(seed)
  sizes <- c(a = 3L, b = 2L, c = 4L)
  codes <- vapply(sizes, function(size) sample.int(size, rows, TRUE) - 1L, integer(rows))
  codes <- matrix(codes, rows)
  weight <- start_weights(sizes, hidden, "R") + stats::rnorm(2 * sum(sizes) * hidden + 6 * hidden + 2 + sum(sizes),
                                                             sd = 0.3)
  list(codes = codes, sizes = sizes, hidden = hidden, weight = weight)
}

see_gradients <- function(case, clip = 1, weight = case$weight) {
  .Call(ffi_test_autoencoder, case$codes, unname(case$sizes), as.double(case$hidden), weight, clip, kernel_options())
}

# The loss by the matrices that R makes of the weights.
slow_loss <- function(case, weight = case$weight) {
  network <- c(network_layers(weight, case$sizes, case$hidden), list(sizes = case$sizes, side = 3))
  p <- network_probabilities(network, 1:3, network_places(case$codes, network))
  -Reduce(`+`, Map(function(p, j) log(p[cbind(seq_len(nrow(p)), case$codes[, j] + 1)]), p, 1:3))
}

test_that("the loss is that of the layers as matrices", {
  for (seed in 1:5) {
    case <- network_case(seed)
    expect_equal(see_gradients(case)$loss, slow_loss(case))
  }
})

test_that("gradients are those of the loss, by finite differences, row by row", {
  for (seed in 1:3) {
    case <- network_case(seed)
    slow <- t(vapply(seq_along(case$weight), function(k) {
      step <- replace(0 * case$weight, k, 1e-5)
      (see_gradients(case, weight = case$weight + step)$loss -
       see_gradients(case, weight = case$weight - step)$loss) / 2e-5
    }, double(6)))
    expect_equal(see_gradients(case)$gradient, slow, tolerance = 1e-7)
  }
})

test_that("a cut gradient is never longer than its bound, in whole numbers, and near what it was cut from", {
  most <- 4^14
  longest <- 0
  for (seed in 1:10) for (clip in c(1e-3, 0.05, 1, 3, 1e6)) {
    case <- network_case(seed, rows = 20)
    seen <- see_gradients(case, clip)
    expect_true(all(seen$cut == floor(seen$cut)))
    square <- colSums(seen$cut^2)
    expect_true(all(square <= most))
    longest <- max(longest, square / most)
    length <- sqrt(colSums(seen$gradient^2))
    wanted <- seen$gradient * rep(2^14 / pmax(clip, length), each = nrow(seen$gradient))
    expect_lt(max(abs(seen$cut - wanted)), 1.6)
  }
  expect_gt(longest, 0.998)
})

test_that("weights that are no good give gradients of zero or of the bound, and no more", {
  case <- network_case(1)
  for (bad in c(NaN, Inf, -Inf, 1e308, 1e100)) {
    seen <- see_gradients(case, weight = replace(case$weight, c(1, 20, 40), bad))
    expect_true(all(colSums(seen$cut^2) <= 4^14))
    expect_false(anyNA(seen$cut))
  }
  expect_true(all(see_gradients(case, weight = 0 * case$weight + NaN)$cut == 0))
})

test_that("the gradient of a row does not depend on the others", {
  case <- network_case(2, rows = 9)
  all <- see_gradients(case)
  for (i in 1:9) {
    one <- case
    one$codes <- case$codes[i, , drop = FALSE]
    expect_identical(see_gradients(one)$gradient[, 1], all$gradient[, i])
  }
})

slow_training <- function(case, steps, clip, rate) {
  weight <- case$weight
  mean <- square <- total <- 0 * weight
  averaged <- steps - steps %/% 2
  for (t in seq_len(steps)) {
    slope <- rowSums(see_gradients(case, clip, weight)$cut) * clip / (2^14 * nrow(case$codes))
    mean <- mean + 0.1 * (slope - mean)
    square <- square + 0.001 * (slope^2 - square)
    weight <- weight - rate * (mean / (1 - 0.9^t)) / (sqrt(square / (1 - 0.999^t)) + 1e-8)
    if (t > steps - averaged) total <- total + weight
  }
  if (steps > 0) total / averaged else weight
}

train_case <- function(case, steps, batch, noise = 2^-46, length = 0.7, rng = "R") {
  .Call(ffi_publish_train_autoencoder, case$codes, unname(case$sizes), as.double(case$hidden), case$weight,
        as.double(steps),
        as.double(batch), length, noise * 2 * 2^14, 0.05, kernel_options(rng))
}

test_that("training is that of a slow one where batches are all rows and noise is not seen, whatever the threads", {
  for (steps in c(0, 1, 2, 7, 30)) {
    case <- network_case(3, rows = 11)
    slow <- slow_training(case, steps, 0.7, 0.05)
    expect_equal(train_case(case, steps, 11), slow, tolerance = 1e-10)
    one <- withr::with_options(list(dptda.threads = 1L), train_case(case, steps, 11))
    two <- withr::with_options(list(dptda.threads = 2L), train_case(case, steps, 11))
    expect_identical(one, two)
  }
})

test_that("batches are uniform sets of rows", {
  # one step of a batch of two of four rows: Adam's first step is the sign of the sum, and that tells which two they
  # were
  set.seed(4)
  withr::local_options(dptda.threads = 1L) # to wake another one takes longer than a step
  case <- network_case(4, rows = 4)
  case$codes[] <- c(0:2, 0L, rep(0:1, 2), 3:0)
  counts <- table(replicate(1500, paste(signif(train_case(case, 1, 2, length = 1e3), 8), collapse = " ")))
  expect_length(counts, 6)
  expect_gt(stats::chisq.test(counts)$p.value, rarely)
})

# One column, and weights of zero: the shifts of its scores alone have gradients, the share of each code less one for a
# row's own.
one_column <- function(codes, size) {
  case <- list(codes = matrix(codes), sizes = c(a = size), hidden = 1)
  case$weight <- 0 * start_weights(case$sizes, case$hidden, "R")
  case
}

test_that("each step has a fresh batch", {
  # two steps of one of two rows, whose gradients are opposite: four outcomes, one for each order
  set.seed(14)
  case <- one_column(0:1, 2L)
  shift <- length(case$weight)
  ends <- vapply(1:2, function(row) train_case(one_column(row - 1L, 2L), 2, 1)[shift], 0)
  drawn <- replicate(2000, train_case(case, 2, 1)[shift])
  counts <- table(signif(drawn, 8))
  expect_length(counts, 4)
  # four counts, false-alarm rate 8e-7
  expect_true(all(counts >= stats::qbinom(1e-7, 2000, 1 / 4) & counts <=
                  stats::qbinom(1e-7, 2000, 1 / 4, lower.tail = FALSE)))
  # the same row twice, be it the one or the other
  expect_equal(range(drawn), sort(ends))
})

test_that("the noise on a sum has the scale of the ledger: `noise` times twice the longest gradient, in each weight", {
  # four rows of one code, whose gradients are cut, and noise as large as their sum in the shift of this code: how often
  # the noise turns its sign tells the scale. Each count has a false-alarm rate of 1e-6
  set.seed(5)
  withr::local_options(dptda.threads = 1L)
  runs <- 2000
  for (size in c(5L, 2L)) {
    case <- one_column(rep(0L, 4), size)
    away <- 1 / size - c(1, rep(0, size - 1))
    shifts <- length(case$weight) - (size - 1):0
    length <- 0.1 / size
    longest <- 4 * length * away / sqrt(sum(away^2))
    noise <- max(abs(longest)) / (2 * length)
    training <- list(hidden = 1, steps = 1, batch = 4, length = length, noise = noise, learning = 0.5)
    # Adam's first step is the sign of the sum
    positive <- with_replaced("start_weights", function(...) case$weight,
                              replicate(runs, train_autoencoder(case$codes, case$sizes, training, "R") < 0))
    sums <- replace(0 * case$weight, shifts, longest)
    chance <- stats::pnorm(sums / (2 * length * noise))
    expect_equal(range(chance), stats::pnorm(c(-1, 1 / (size - 1))))
    for (k in seq_along(chance)) expect_gt(stats::binom.test(sum(positive[k, ]), runs, chance[k])$p.value, rarely)
    # what has no gradient has noise of its own
    for (k in seq_len(shifts[1] - 2)) {
      expect_gt(stats::binom.test(sum(positive[k, ] == positive[k + 1, ]), runs)$p.value, rarely)
    }
  }
})

test_that("training has the steps and the batches that the ledger has, and the noise in steps of the cut", {
  case <- network_case(9, rows = 12)
  training <- list(hidden = case$hidden, steps = 3, batch = 5, length = 0.5, noise = 1.7, learning = 0.1)
  set.seed(31)
  trained <- train_autoencoder(case$codes, case$sizes, training, "R")
  set.seed(31)
  weights <- start_weights(case$sizes, case$hidden, "R")
  by_hand <- .Call(ffi_publish_train_autoencoder, case$codes, unname(case$sizes), as.double(case$hidden), weights, 3, 5,
                   0.5, 1.7 * 2 * 2^14, 0.1,
                   kernel_options("R"))
  expect_identical(trained, by_hand)
})

test_that("each step has fresh noise", {
  # two steps of one direction move a weight by twice the rate, where noise is all there is: the same noise does so
  # everywhere
  set.seed(15)
  case <- network_case(5, rows = 8)
  moved <- abs(train_case(case, 2, 8, noise = 1000) - case$weight) / 0.05
  expect_lt(mean(moved > 1.999), 0.2)
  expect_equal(max(moved), 2, tolerance = 0.01)
})

# The batches with one row, with the other row, and with neither have sums at most one sensitivity apart: in a plane, at
# the corners of a triangle. The moments of lemma 16 bound E(|p - q|^j / r^j) there, by quadrature.
test_that("moments of batches hold for sums at the corners of a triangle", {
  for (noise in c(0.5, 1, 3)) {
    step <- 0.1
    places <- seq(-11, 11 + 6 / noise, by = step)
    z <- expand.grid(x = places, y = places)
    log_ratio <- function(a) (z$x * a[1] + z$y * a[2]) / noise - sum(a^2) / (2 * noise^2)
    p <- log_ratio(c(1, 0))
    q <- log_ratio(c(0.5, sqrt(0.75)))
    top <- pmax(p, q)
    log_gap <- top + log(abs(exp(p - top) - exp(q - top)))
    log_weight <- -(z$x^2 + z$y^2) / 2 - log(2 * pi) + 2 * log(step)
    moments <- vapply(2:6, function(j) log_sum(log_weight + j * log_gap), 0)
    expect_true(all(moments < ternary_moments(6, noise)[2:6]))
    # and are those of the pair, whose centers are as far apart as each from the third
    expect_equal(moments[1], log(2 * exp(1 / noise^2) - 2 * exp(1 / (2 * noise^2))), tolerance = 1e-6)
  }
})

test_that("the noise of the design comes out, and not that of another theorem", {
  noise <- training_noise(45222, 256, 884, 1, 1e-6)
  expect_equal(noise, 1.728, tolerance = 0.001)
  # the theorem for Poisson samples asks for less, per C and not per 2 C
  poisson <- privacy_subsample(1.2146, 884, rate = 256 / 45222)
  expect_lte(privacy_convert(poisson, delta = 1e-6)$measure[["epsilon"]], 1)
  expect_gt(parts_epsilon(training_parts(45222, 256, 884, 1.2146 / 2, 0), 1e-6), 7)
  # more of anything needs more noise
  expect_gt(training_noise(45222, 256, 884, 1, 1e-6, rho = 0.005), noise)
  expect_gt(training_noise(45222, 512, 884, 1, 1e-6), noise)
  expect_null(training_noise(100, 100, 10, 1e-6, 1e-9))
})

small <- list(decoder = "autoencoder", hidden = 3, batch = 20, passes = 0.5, size = 8, cloud = 40, steps = 50, k = 2,
              rounds = 2)

small_network <- function(settings = list()) do.call(synthesis_topology, utils::modifyList(small, settings))

release_network <- function(..., settings = list()) {
  n <- 400
  data <- data.frame(a = rep(c(TRUE, FALSE), n / 2), b = rep(c("u", "v", "w", "u"), n / 4))
  suppressMessages(private_synthesis(data, table_schema(a = schema_logical(), b = c("u", "v", "w")), ...,
                                     method = small_network(settings), rng = "R"))
}

test_that("the guarantee is what was declared, and no more is spent", {
  set.seed(6)
  fit <- release_network(epsilon = 2, delta = 1e-5)
  expect_identical(privacy(fit)$measure, c(epsilon = 2, delta = 1e-5))
  found <- privacy_convert(privacy(fit), delta = 1e-5)$measure[["epsilon"]]
  expect_lte(found, 2)
  expect_gt(found, 1.999)
  # the noise that was used is that of the ledger
  public <- privacy(fit)$public
  expect_identical(privacy(fit)$parts, training_parts(400, public$batch, public$steps, public$noise_multiplier,
                                                      sum(public$rho)))
  budget <- privacy_budget(epsilon = 3, delta = 1e-4, composition = "basic")
  release_network(epsilon = 2, delta = 1e-5, budget = budget)
  expect_error(release_network(epsilon = 2, delta = 1e-5, budget = budget), class = "dptda_error_budget")
})

test_that("diagram and mixture keep the parts that the ledger has beside the training", {
  data <- data.frame(a = rep(c(TRUE, FALSE), 200))
  source <- c(encode_table(data, table_schema(a = schema_logical()), "data"),
              list(schema = table_schema(a = schema_logical())))
  declared <- check_cost(2, NULL, 1e-5)
  plan <- suppressMessages(plan_autoencoder(public_part(source), declared, small_network()))
  cost <- c(diagram = sum(vapply(plan$diagram$groups, function(group) group$epsilon^2 / 8, 0)),
            mixture = sum(plan_rhos(plan$mixture)))
  expect_true(all(cost <= plan$other))
  expect_true(all(cost > 0.99 * plan$other))
  expect_equal(sum(plan$other), (1 - training_share) * declared$spent[["rho"]], tolerance = 1e-6)
  expect_identical(plan$diagram$n, 400)
})

test_that("a budget of just these terms pays, however it adds up, and no more than for any other release of them", {
  skip_if_instrumented()
  set.seed(11)
  for (composition in c("auto", "concentrated", "basic")) for (terms in list(c(2, 1e-5), c(0.7, 1e-9))) {
    of_terms <- function(times) privacy_budget(epsilon = times * terms[1], delta = terms[2], composition = composition)
    budget <- of_terms(1)
    fit <- release_network(epsilon = terms[1], delta = terms[2], budget = budget)
    expect_identical(privacy(fit)$measure, c(epsilon = terms[1], delta = terms[2]))
    expect_lte(privacy_convert(privacy(fit), delta = terms[2])$measure[["epsilon"]], terms[1])
    expect_lte(budget$spent[["epsilon"]], terms[1])
    expect_gt(budget$spent[["epsilon"]], 0.999 * terms[1])
    expect_error(release_network(epsilon = terms[1], delta = terms[2], budget = budget), class = "dptda_error_budget")
    if (composition != "concentrated") next
    # of a larger one it takes no more than the rho that epsilon and delta buy
    larger <- of_terms(4)
    other <- of_terms(4)
    release_network(epsilon = terms[1], delta = terms[2], budget = larger)
    release_network(epsilon = terms[1], delta = terms[2], budget = other, settings = list(decoder = "linear"))
    expect_lte(larger$spent[["epsilon"]], other$spent[["epsilon"]])
  }
  # the price is more noise, and only there
  noise <- function(budget) privacy(release_network(epsilon = 2, delta = 1e-5, budget = budget))$public$noise_multiplier
  plain <- noise(NULL)
  expect_identical(noise(privacy_budget(epsilon = 3, delta = 1e-4, composition = "basic")), plain)
  expect_gt(noise(privacy_budget(epsilon = 2, delta = 1e-5, composition = "concentrated")), plain)
  # orders beyond those of the accountant: what to do is said, and nothing is spent
  budget <- privacy_budget(epsilon = 1e-3, delta = 1e-9, composition = "concentrated")
  expect_error(release_network(epsilon = 1e-3, delta = 1e-9, budget = budget, settings = list(passes = 0.05)),
               "composition = \"basic\"",
               class = "dptda_error_argument")
  expect_identical(budget$spent[["epsilon"]], 0)
})

test_that("rows are drawn from it, and a margin is that of the cloud", {
  set.seed(7)
  fit <- release_network(epsilon = 1, delta = 1e-5)
  drawn <- simulate(fit, 50)
  expect_identical(names(drawn), c("a", "b"))
  expect_equal(sum(model_margin(fit$model, 1:2)), 1)
  expect_identical(nrow(simulate(fit, 0)), 0L)
})

test_that("a row is brought to its place by itself", {
  case <- network_case(8, rows = 30)
  network <- c(network_layers(case$weight, case$sizes, case$hidden), list(sizes = case$sizes, side = 3))
  X <- network_places(case$codes, network)
  expect_true(all(abs(X) <= 3))
  for (i in 1:30) expect_identical(network_places(case$codes[i, , drop = FALSE], network), X[i, , drop = FALSE])
})

test_that("with no noise to speak of it learns what columns have to do with each other", {
  set.seed(9)
  case <- network_case(9, rows = 200, hidden = 6)
  case$codes[, 2] <- as.integer(case$codes[, 1] > 0)
  case$codes[, 3] <- case$codes[, 1]
  before <- mean(see_gradients(case)$loss)
  case$weight <- train_case(case, 400, 50, length = 2)
  expect_lt(mean(see_gradients(case)$loss), 0.4 * before)
})

test_that("where it cannot learn it says so by public numbers, and what it cannot do is refused", {
  data <- data.frame(a = rep(c(TRUE, FALSE), 150))
  schema <- table_schema(a = schema_logical())
  plan <- function(..., settings = list()) {
    source <- c(encode_table(data, schema, "data"), list(schema = schema))
    method <- small_network(settings)
    announce(method_mechanism(method, public_part(source), method_cost(method, ...), "R")$plan)
  }
  expect_message(plan(1, NULL, 1e-6, settings = list(hidden = 50)), "next to nothing", class = "dptda_message_noise")
  expect_silent(plan(1e5, NULL, 1e-6))
  expect_error(plan(NULL, 1, NULL), "^`rho` must be NULL here: training",
               class = "dptda_error_argument")
  expect_error(plan(1, NULL, NULL), "^`delta` must be given with `epsilon`: training",
               class = "dptda_error_argument")
  expect_error(plan(1e5, NULL, 1e-6, settings = list(batch = 301)), "batch", class = "dptda_error_argument")
  expect_error(suppressMessages(plan(1e-9, NULL, 1e-9)), class = "dptda_error_argument")
})

test_that("an interrupt ends a training", {
  case <- network_case(10, rows = 500, hidden = 50)
  before <- .Call(ffi_test_live_blocks)
  expect_match(conditionMessage(within_time(0.3, train_case(case, 1e6, 500))), "time limit")
  expect_identical(.Call(ffi_test_live_blocks), before)
})

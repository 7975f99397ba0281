# The distribution of the privacy loss of many mechanisms, on a lattice of losses. Each mechanism is replaced by a pair
# of distributions that dominates it. Both are moved to the lattice so that they still dominate, tilted towards the
# losses that matter, and convolved by Fourier transforms. Every error is bounded and added. Statements and proofs:
# inst/proofs/accounting-losses.md.
#
# An element is a `kind` of mechanism, its parameters, and the `count` of equal mechanisms:
#
#   pure       `size`: epsilon
#   gaussian   `noise`, `rate` = 1
#   batches    `noise`, `rate`: fixed batches, one row replaced
#   poisson    `noise`, `rate`: Poisson sampling, one row added or removed
#
# Bounded ranges are no elements. Their best bound is not a distribution, but the function stick_at().

loss_elements <- function(parts) {
  pure <- lapply(merged_runs(c(parts$pure, parts$leak_epsilon)), function(run) {
    list(kind = "pure", size = run$value, count = run$count)
  })
  sampled <- function(kind) {
    numbers <- matrix(as.double(parts[[kind]]), 3)
    lapply(seq_len(ncol(numbers)), function(i) {
      list(kind = kind, noise = numbers[1, i], rate = numbers[2, i], count = numbers[3, i])
    })
  }
  c(pure, if (parts$mu > 0) list(list(kind = "gaussian", noise = 1 / parts$mu, rate = 1, count = 1)),
    sampled("poisson"), sampled("batches"))
}

# Groups epsilons, and rounds them up if there are more than 20 different ones.
merged_runs <- function(epsilons) {
  for (digits in 12:1) {
    groups <- runs(epsilons, digits)
    if (length(groups) <= 20) return(groups)
  }
  groups
}

# Choice of the tilt and the lattice -------------------------------------------

# Approximates logarithms of moments E(exp(s loss)).
element_log_mgf <- function(element, s, reversed) {
  if (element$kind == "pure") {
    up <- (1 + s) * element$size
    down <- -s * element$size
    top <- pmax(up, down)
    return(top + log1p(exp(-abs(up - down))) - log_one_plus_exp(element$size))
  }
  if (element$kind == "gaussian") return(s * (1 + s) / (2 * element$noise^2))
  reach <- max(abs(s), 1 + s) / element$noise + 10
  poisson <- element$kind == "poisson"
  from <- if (poisson) -10 else .5 / element$noise
  step <- .2
  z <- seq(from + step / 2, max(reach, from + 10), by = step)
  loss <- mixture_loss(z, element$noise, element$rate)
  weight <- stats::dnorm(z, log = TRUE) + log(step)
  if (poisson) {
    return(vapply(s, function(s) log_sum(weight + (if (reversed) -s else 1 + s) * loss), 0))
  }
  atom <- log1p(-element$rate) + log(-expm1(log(2) + stats::pnorm(-from, log.p = TRUE)))
  vapply(s, function(s) log_sum(c(weight + (1 + s) * loss, weight - s * loss, atom)), 0)
}

# The same for the worst distribution of one bounded range.
range_log_mgf <- function(epsilon, s) log_sinhc(abs(s + .5) * epsilon) - log_sinhc(epsilon / 2)

log_sinhc <- function(x) ifelse(x < 1e-3, x^2 / 6, x + log1p(-exp(-2 * x)) - log(2 * pmax(x, 1e-3)))

# The loss of a mixture of two normals with standard deviation one, against the one at zero.
mixture_loss <- function(z, noise, rate) {
  t <- z / noise - 1 / (2 * noise^2)
  ifelse(t > 1, t + log(rate + (1 - rate) * exp(-pmax(t, 1))), log1p(rate * expm1(pmin(t, 1))))
}

# Returns the tilt, the lattice, and the order of the bound on its upper end, for one epsilon or one log delta. All of
# these are choices, which need not be exact.
lattice_plan <- function(elements, ranges, reversed, epsilon = NULL, log_delta = NULL) {
  noise <- unlist(lapply(elements, function(element) if (element$kind %in% c("poisson", "batches")) element$noise))
  # no tail beyond 60 standard deviations can matter
  most <- if (length(noise)) 60 * min(noise) - 1 else 1e8
  if (most <= 0) return(NULL)
  log_mgf <- function(s) {
    total <- 0 * s
    for (element in elements) total <- total + element$count * element_log_mgf(element, s, reversed)
    total
  }
  orders <- 10^seq(-6, log10(most), length.out = 80)
  known <- log_mgf(orders)
  all <- known
  for (range in ranges) all <- all + range$count * range_log_mgf(range$value, orders)
  cost <- if (is.null(log_delta)) renyi_log_delta(all / orders, orders, epsilon) else
    renyi_epsilon(all / orders, orders, log_delta)
  allowed <- rep(TRUE, length(orders))
  for (round in 1:2) {
    tilt <- which.min(ifelse(allowed, cost, NA))
    if (!length(tilt)) return(NULL)
    theta <- orders[tilt]
    if (!is.null(log_delta)) epsilon <- max(0, cost[tilt])
    log_tail <- renyi_log_delta(all[tilt] / theta, theta, epsilon) - 28
    upper <- ifelse(allowed, (known - log_tail) / orders, NA)
    top <- min(upper, na.rm = TRUE)
    below <- theta - orders
    below <- below[below > -most]
    low <- max((known[tilt] - log_mgf(below) - 23) / (theta - below), na.rm = TRUE)
    # the tilted losses above `top` wrap around, to below epsilon
    beyond <- orders > theta
    wrapped <- (known[beyond] - known[tilt] + 23) / (orders[beyond] - theta)
    low <- min(low, epsilon - most_of(ranges) - if (any(beyond)) max(0, min(wrapped, na.rm = TRUE) - top) else 0)
    width <- (top - min(low, 0.99 * top)) * 1.02
    if (!is.finite(width) || width <= 0) return(NULL)
    # higher orders are not exact on the lattice
    allowed <- orders <= max(300 / width, orders[1])
  }
  count <- sum(vapply(elements, `[[`, 0, "count"))
  size <- 2^min(17, max(13, ceiling(log2(400 * sqrt(count)))))
  step <- width / size
  # few digits, so that multiples are exact
  grid <- 2^(floor(log2(step)) - 20)
  step <- ceiling(step / grid) * grid
  if (step < 2^-900) return(NULL)
  list(theta = signif_bits(theta), step = step, size = size, last = ceiling(top / step),
       order = orders[which.min(upper)], log_tail = log_tail)
}

most_of <- function(ranges) sum(vapply(ranges, function(range) range$value * range$count, 0))

signif_bits <- function(x) {
  grid <- 2^(floor(log2(x)) - 20)
  round(x / grid) * grid
}

# Elements on the lattice ------------------------------------------------------

# Returns upper bounds `log_p` of the logarithms of the probabilities of the losses step * (first, first + 1, ...), and
# the bound `log_lost` for an infinite loss.
element_losses <- function(element, plan, reversed) {
  switch(element$kind,
    pure = pure_element(element$size, plan$step),
    sampled_element(element, plan, reversed)
  )
}

pure_element <- function(epsilon, step) {
  atom <- function(loss) {
    first <- floor(loss / step)
    rest <- loss - first * step
    share <- c(expm1(step - rest) / expm1(step), expm1(-rest) / expm1(-step))
    list(first = first, p = log(pmin(pmax(share, 0), 1) + 2^-48) + stats::plogis(loss, log.p = TRUE))
  }
  down <- atom(-epsilon)
  up <- atom(epsilon)
  between <- up$first - down$first - 2
  log_p <- if (between >= 0) c(down$p, rep(-Inf, between), up$p) else {
    # both atoms are in neighboring cells
    c(down$p[1], log_sum(c(down$p[2], up$p[1])), up$p[2])
  }
  list(first = down$first, log_p = raised(log_p, 1 + abs(log_p), by = 2^-46), log_lost = -Inf)
}

# Poisson sampling, in one direction. Batches and Gaussians have a symmetric pair, with the same positive losses.
sampled_element <- function(element, plan, reversed) {
  noise <- element$noise
  rate <- element$rate
  step <- plan$step
  symmetric <- element$kind != "poisson"
  far <- sqrt(2 * (log(element$count) + 1 - plan$log_tail))
  # one cell more, in case that the least loss is a lattice point
  first <- if (symmetric) 0 else floor(max(log1p(-rate), mixture_loss(-far, noise, rate)) / step) - 1
  last <- ceiling(mixture_loss(far + 1 / noise, noise, rate) / step)
  if (!is.finite(last) || last - first > 2^22) return(NULL)
  j <- first:last
  loss <- j * step
  # Boundaries are moved by more than their error, to the side where losses of the direction are rounded up.
  slip <- 2^-48 * (1 + abs(loss) + log(1 / rate) + 1 / noise^2)
  if (2 * max(slip) > step) return(NULL)
  z <- mixture_place(loss + if (reversed && !symmetric) slip else -slip, noise, rate)
  if (!symmetric) z[1] <- -Inf
  z <- cummax(z)
  lower <- z[-length(z)]
  upper <- z[-1]
  log_q <- log_normal_mass(lower, upper)
  log_shifted <- log_normal_mass(lower, upper, 1 / noise)
  log_a <- if (rate == 1) log_shifted else log_add(log1p(-rate) + log_q, log(rate) + log_shifted)
  empty <- log_a == -Inf
  ratio <- exp(pmin(pmax(loss[-length(loss)] + log_q - log_a, -step), 0))
  ratio[empty] <- 1
  slip <- pmax(slip[-1], slip[-length(slip)])
  error <- (2^-46 * (1 + abs(log_q) + abs(log_a) + abs(loss[-1])) + 2 * slip) * exp(step) / -expm1(-step)
  error[empty] <- 0
  share_up <- -expm1(log(ratio)) / -expm1(-step) + error
  share_down <- expm1(step + log(ratio)) / expm1(step) + error
  up <- log_a + log(pmax(share_up, 0))
  down <- log_a + log(pmax(share_down, 0))
  log_p <- log_add(c(-Inf, up), c(down, -Inf))
  tail <- max(z)
  log_lost <- log_add(if (rate < 1) log1p(-rate) + stats::pnorm(-tail, log.p = TRUE) else -Inf,
                      log(rate) + stats::pnorm(1 / noise - tail, log.p = TRUE))
  log_rest <- stats::pnorm(-tail, log.p = TRUE)
  mirrored <- rev(log_p - loss)
  if (symmetric) {
    mirrored[1] <- log_add(mirrored[1], log_rest)
    atom <- log(max(0, -expm1(log(2) + stats::pnorm(-.5 / noise, log.p = TRUE))) * (1 - rate) + 2^-48)
    middle <- log_sum(c(log_p[1], mirrored[length(mirrored)], if (rate < 1) atom))
    log_p <- c(mirrored[-length(mirrored)], middle, log_p[-1])
    first <- -last
  } else if (reversed) {
    log_p <- mirrored
    log_p[1] <- log_add(log_p[1], log_rest)
    first <- -last
    # losses above the last cell
    log_lost <- if (log1p(-rate) < loss[1]) stats::pnorm(-far, log.p = TRUE) else -Inf
  }
  list(first = first, log_p = raised(log_p, 1 + abs(log_p), by = 2^-46),
       log_lost = raised(log_lost, 1 + abs(log_lost), by = 2^-46))
}

log_add <- function(a, b) {
  top <- pmax(a, b)
  ifelse(top == -Inf, -Inf, top + log1p(exp(-abs(a - b))))
}

# The inverse of mixture_loss(), -Inf below its range.
mixture_place <- function(loss, noise, rate) {
  if (rate == 1) return(noise * loss + 1 / (2 * noise))
  # exp(loss) - (1 - rate), by the difference that keeps most digits
  rest <- ifelse(loss < -log(2), exp(loss) - (1 - rate), expm1(pmin(loss, 1)) + rate)
  ratio <- ifelse(loss > 1, loss + log1p(-(1 - rate) * exp(-pmax(loss, 1))), log(pmax(rest, 0)))
  noise * (ratio - log(rate)) + 1 / (2 * noise)
}

# Computes logarithms of the probabilities of intervals under a normal distribution with mean `shift`. Short intervals
# use Gauss-Legendre quadrature with eight nodes, so that small probabilities keep their digits.
log_normal_mass <- function(lower, upper, shift = 0) {
  width <- upper - lower
  width[is.nan(width)] <- 0
  center <- (lower + upper) / 2 - shift
  short <- width * pmax(1, abs(center) / 40) < 1 / 16
  value <- rep(-Inf, length(width))
  i <- which(short & width > 0)
  if (length(i)) {
    total <- 0
    for (k in 1:4) {
      for (side in c(-1, 1)) {
        move <- side * legendre_node[k] * width[i] / 2
        total <- total + legendre_weight[k] * exp(-move * (center[i] + move / 2))
      }
    }
    value[i] <- log(total * width[i] / 2) - center[i]^2 / 2 - log(2 * pi) / 2
  }
  i <- which(!short)
  if (length(i)) {
    left <- lower[i] - shift
    right <- upper[i] - shift
    flip <- center[i] > 0
    near <- stats::pnorm(ifelse(flip, -left, right), log.p = TRUE)
    value[i] <- near + log(-expm1(stats::pnorm(ifelse(flip, -right, left), log.p = TRUE) - near))
  }
  value
}

legendre_node <- c(0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959, 0.96028985649753623168)
legendre_weight <- c(0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054, 0.10122853629037625915)

# Convolution ------------------------------------------------------------------

# Returns the tilted distribution of the sum of all losses, with the bounds of all errors, or NULL.
lattice_losses_of <- function(elements, plan, reversed) {
  size <- plan$size
  stages <- log2(size)
  product <- 1
  log_scale <- lost <- uncertain <- growth <- tail <- rounding <- 0
  all <- sum(vapply(elements, `[[`, 0, "count"))
  for (element in elements) {
    known <- element_losses(element, plan, reversed)
    if (is.null(known)) return(NULL)
    j <- known$first + seq_along(known$log_p) - 1
    loss <- j * plan$step
    tilted <- known$log_p + plan$theta * loss
    scale <- log_sum(tilted)
    if (!is.finite(scale)) return(NULL)
    weight <- exp(tilted - scale + 2^-50 * (1 + abs(known$log_p) + plan$theta * abs(loss) + abs(scale)))
    weight[known$log_p == -Inf] <- 0
    folded <- fold(weight, known$first, size)
    norm <- sqrt(sum(folded^2))
    transformed <- fourier(folded)
    product <- product * (if (element$count == 1) transformed else complex_power(transformed, element$count))
    uncertain <- uncertain + element$count * norm
    growth <- growth + element$count * (stages * 2^-49 * sqrt(size) * norm + max(log(sum(weight)), 0) + 2^-40)
    log_scale <- log_scale + element$count * scale
    rounding <- rounding + element$count * abs(scale)
    lost <- lost + element$count * exp(known$log_lost)
    moment <- log_sum(known$log_p + plan$order * loss)
    sizes <- 1 + abs(moment) + max(abs(known$log_p[known$log_p > -Inf])) + plan$order * max(abs(loss))
    tail <- tail + element$count * (moment + 2^-50 * sizes)
  }
  if (growth > .1) return(NULL)
  weight <- Re(fourier(product, 1)) / size
  norm <- sqrt(sum(weight^2))
  error <- 1.2 * (stages * 2^-49 * uncertain + (stages * 2^-49 + (all + length(elements)) * 2^-48) * norm)
  last <- plan$last * plan$step
  index <- seq(plan$last - size + 1, plan$last)
  list(loss = index * plan$step, weight = weight[index %% size + 1], theta = plan$theta,
       log_scale = log_scale + 2^-46 * (1 + rounding), error = error,
       log_lost = log_add(log(lost * (1 + 2^-40) + 2^-1074), tail - plan$order * last + 2^-46 * plan$order * abs(last)))
}

# Adds up weights whose indices agree modulo `size`, in an order that begins with index zero.
fold <- function(weight, first, size) {
  before <- first %% size
  padded <- c(numeric(before), weight)
  padded <- c(padded, numeric(-length(padded) %% size))
  rowSums(matrix(padded, size))
}

complex_power <- function(x, n) complex(modulus = exp(n * log(Mod(x))), argument = n * Arg(x))

# Computes the Fourier transform of a vector whose length is a power of two, by the algorithm of Stockham. Its rounding
# error is known (proof page), which is not so for stats::fft().
fourier <- function(x, sign = -1) {
  n <- length(x)
  half <- n / 2
  angle <- 2 * (seq_len(half) - 1) / n
  turn <- complex(real = cospi(angle), imaginary = sign * sinpi(angle))
  first <- seq_len(half)
  x <- as.complex(x)
  width <- 1
  while (width < n) {
    top <- x[first]
    low <- x[half + first]
    factor <- rep(turn[seq.int(1, half, by = width)], each = width)
    x <- rbind(matrix(top + low, width), matrix((top - low) * factor, width))
    width <- 2 * width
  }
  as.vector(x)
}

# Bounded ranges ---------------------------------------------------------------

# Prepares stick_at() for bounded ranges: NULL if there are none, NA if there are too many. For several ranges, the
# table has the largest delta over all ways to choose their intervals one after the other, in any order. Its values are
# upper bounds at multiples of a step. The recursion goes over the numbers of ranges of each group (runs()).
range_sticks <- function(epsilons) {
  epsilons <- epsilons[epsilons > 0]
  if (!length(epsilons)) return(NULL)
  if (length(epsilons) == 1) return(list(total = epsilons, one = epsilons))
  # the table needs short steps
  if (sum(epsilons) > 200 || min(epsilons) < 2^-500) return(NA)
  for (digits in 12:1) {
    groups <- runs(epsilons, digits)
    values <- vapply(groups, `[[`, 0, "value")
    counts <- vapply(groups, `[[`, 0, "count")
    total <- sum_up(values * counts)
    cells <- ceiling(max(8 * total / min(values), 1000))
    work <- prod(counts + 1) * cells^2 * sum(values) / total
    if (work <= 2e7) return(c(list(total = total), range_table(values, counts, total / cells * (1 + 2^-50), cells)))
  }
  NA
}

range_table <- function(values, counts, step, cells) {
  x <- (-cells:cells) * step
  states <- as.matrix(expand.grid(lapply(counts, function(count) 0:count)))
  places <- cumprod(c(1, counts + 1))[seq_along(counts)]
  known <- list(pmax(-expm1(x), 0))
  # in this order, each state comes after the states with one range less
  for (i in seq_len(nrow(states))[-1]) {
    left <- which(states[i, ] > 0)
    known[[i]] <- do.call(pmax, lapply(left, function(k) add_range(known[[i - places[k]]], x, step, values[k])))
  }
  list(x = x, step = step, value = known[[length(known)]])
}

# Adds one range: the largest mean of `value` over the starts of the interval. Between two multiples of the step, the
# mean is c + a s - b / s for s = exp(-start), so it exceeds its ends by at most b (exp(step) - 1)^2 / (4 s).
add_range <- function(value, x, step, epsilon) {
  cells <- ceiling(epsilon / step)
  before <- x[1] - ((cells + 1):1) * step
  all <- c(-expm1(before), value)
  later <- chord(value, x, step, c(before, x) + epsilon)
  place <- cells + 1 + seq_along(x)
  mean_at <- function(j) {
    up <- expm1(j * step - epsilon) / expm1(-epsilon)
    up * all[place - j] + (1 - up) * later[place - j]
  }
  best <- last <- value
  for (j in seq_len(cells)) {
    upper <- all[place - j + 1]
    # the chord of the cell at s = 0
    start <- upper + (all[place - j] - upper) / -expm1(-step)
    bend <- start * exp(j * step - epsilon) * expm1(step)^2 / (-4 * expm1(-epsilon))
    here <- mean_at(j)
    best <- pmax(best, pmax(last, here) + bend)
    last <- here
  }
  raised(pmin(best, 1), by = 2^-46)
}

# Interpolates between multiples of the step, linearly in exp(x). Beyond them, the function is known.
chord <- function(value, x, step, at) {
  i <- pmin(pmax(floor((at - x[1]) / step) + 1, 1), length(x) - 1)
  part <- pmin(pmax(expm1(at - x[i]) / expm1(step), 0), 1)
  inside <- value[i] + part * (value[i + 1] - value[i])
  ifelse(at <= x[1], -expm1(at), ifelse(at >= x[length(x)], 0, inside))
}

# Returns upper bounds of the hockey stick of all ranges together.
stick_at <- function(sticks, at) {
  if (is.null(sticks)) return(-expm1(pmin(at, 0)))
  if (!is.null(sticks$one)) return(exp(range_log_delta(at, sticks$one)))
  at <- at - 2^-50 * (abs(at) + sticks$total)
  ifelse(at < sticks$total, raised(pmax(chord(sticks$value, sticks$x, sticks$step, at), 2^-1000), by = 2^-44), 0)
}

# Conversions ------------------------------------------------------------------

# Returns log delta at one epsilon, and the part of it that comes from the error of the convolution. All losses that
# count must be above the first one of the lattice.
lattice_log_delta <- function(losses, sticks, epsilon) {
  least <- epsilon - max(0, sticks$total)
  if (least < losses$loss[1]) return(c(0, 1))
  above <- losses$loss > least
  ahead <- losses$loss[above] - epsilon
  stick <- exp(-losses$theta * ahead) * stick_at(sticks, -ahead)
  slack <- losses$error * sqrt(sum(stick^2)) + length(losses$loss) * 2^-1000
  total <- (max(sum(losses$weight[above] * stick), 0) + slack) * (1 + 2^-33)
  if (!is.finite(total)) return(c(0, 1))
  size <- losses$theta * (abs(epsilon) + max(abs(losses$loss)))
  value <- log(total) + losses$log_scale - losses$theta * epsilon + 2^-46 * (1 + abs(losses$log_scale) + size)
  c(min(0, log_add(value, losses$log_lost)), slack / total)
}

directions <- function(elements) {
  if (any(vapply(elements, function(element) element$kind == "poisson", NA))) c(FALSE, TRUE) else FALSE
}

# Returns bounds on log delta at all epsilons, or zeros if there is no distribution.
elements_log_delta <- function(elements, ranges, sticks, epsilon) {
  worst <- rep(-Inf, length(epsilon))
  for (reversed in directions(elements)) {
    losses <- NULL
    for (i in order(epsilon)) {
      value <- if (!is.null(losses)) lattice_log_delta(losses, sticks, epsilon[i])
      if (is.null(value) || is.na(value[2]) || value[2] > 2^-20) {
        plan <- lattice_plan(elements, ranges, reversed, epsilon = epsilon[i])
        losses <- if (!is.null(plan)) lattice_losses_of(elements, plan, reversed)
        value <- if (!is.null(losses)) lattice_log_delta(losses, sticks, epsilon[i])
      }
      worst[i] <- max(worst[i], if (is.null(value) || is.na(value[1])) 0 else value[1])
    }
  }
  worst
}

# Returns an epsilon that has at most this log delta, or Inf. If the error of the convolution is large there, chooses
# the tilt again. If it is at the lower end of the lattice, where smaller ones have no bound, moves the lattice down.
elements_epsilon <- function(elements, ranges, sticks, log_delta) {
  worst <- 0
  for (reversed in directions(elements)) {
    least <- Inf
    plan <- lattice_plan(elements, ranges, reversed, log_delta = log_delta)
    for (round in 1:6) {
      losses <- if (!is.null(plan)) lattice_losses_of(elements, plan, reversed)
      if (is.null(losses)) break
      width <- diff(range(losses$loss))
      excess <- function(epsilon) lattice_log_delta(losses, sticks, epsilon)[1] - log_delta
      epsilon <- smallest_enough(excess, max(losses$loss) + max(0, sticks$total))
      least <- min(least, epsilon)
      if (!is.finite(epsilon) || epsilon == 0) break
      inside <- epsilon - max(0, sticks$total) - losses$loss[1] > .01 * width
      if (inside && isTRUE(lattice_log_delta(losses, sticks, epsilon)[2] < 2^-20)) break
      plan <- lattice_plan(elements, ranges, reversed, epsilon = if (inside) epsilon else max(0, epsilon - width / 4))
    }
    worst <- max(worst, least)
  }
  worst
}

# Finds the smallest epsilon at which `excess` is not positive, between zero and `high`. Moves the approximate solution
# up until it is one, so that an error of the search is on the safe side.
smallest_enough <- function(excess, high) {
  if (isTRUE(excess(0) <= 0)) return(0)
  if (!isTRUE(excess(high) <= 0)) return(Inf)
  near <- function(epsilon) {
    value <- excess(epsilon)
    if (is.nan(value)) 1e3 else max(value, -1e3)
  }
  epsilon <- stats::uniroot(near, c(0, high), tol = 2^-36 * high)$root
  step <- 2^-40 * high
  while (epsilon < high && !isTRUE(excess(epsilon) <= 0)) {
    epsilon <- epsilon + step
    step <- 2 * step
  }
  min(epsilon, high)
}

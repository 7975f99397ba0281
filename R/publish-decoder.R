# The linear decoder maps places in the plane to codes, using the moments (publish-moments.R). No code here uses rows.
#
# Let w_c be the vector of code c of a column (on a scale, followed by the square of its place), u a place, and z =
# (1, u). The code is drawn with probabilities
#
#   p_c(u) proportional to exp(w_c' theta z),
#
# the distribution of largest entropy among those that have, over the cloud of places, the moments that the regression
# on the plane gives: the mean of w and its products with u. theta maximizes the mean over the cloud of sum(theta *
# target) - log(sum(exp(w_c' theta z))). This function is concave, and its gradient is the difference of both moments.
# A small ridge keeps theta finite if noisy moments fit no probabilities. So margins keep their spread, and no
# probability is truncated. A regression truncated at zero and one has margins that are 0.14 off on the columns of a
# census, where these are 0.01 off.

decoder_ridge <- 1e-4

# `plane`: mean and loads of the moments. `cloud`: a sample of places. Returns `features` and `theta` by column.
linear_decoder <- function(plane, book, cloud) {
  tell <- repeat_progress("Fitting the decoder")
  fit <- function(column, places) {
    second <- if (column$kind == "scale") plane$second[places[1]]
    tell(places[1] / book$width)
    fit_column(column_features(column, book), plane$mean[places], plane$loads[places, , drop = FALSE], second, cloud)
  }
  list(kind = "linear", columns = Map(fit, book$columns, book$places))
}

column_features <- function(column, book) {
  W <- column$whole / 2^book$bits
  if (column$kind == "scale") cbind(W, W[, 1]^2) else W
}

fit_column <- function(W, mean, loads, second, cloud) {
  width <- length(mean)
  Z <- cbind(1, cloud)
  # noise may move means beyond the range of the vectors
  mean <- pmin(pmax(mean, min(W)), max(W))
  target <- cbind(mean, tcrossprod(mean, colMeans(cloud)) + pmin(pmax(loads, -1), 1) %*% cloud_covariance(cloud))
  if (!is.null(second)) target <- rbind(target, c(pmin(pmax(second, 0), 1 / 4), 0 * cloud[1, ]))
  free <- matrix(TRUE, ncol(W), ncol(Z))
  if (!is.null(second)) free[width + 1, -1] <- FALSE # the square does not depend on the place
  # the search needs the loss and the gradient at the same point, one after the other
  last <- NULL
  at <- function(theta) {
    if (!identical(theta, last$theta)) last <<- c(list(theta = theta), decoder_loss(theta, W, Z, target, free))
    last
  }
  found <- stats::optim(start_theta(mean, target)[free], function(theta) at(theta)$loss, function(theta)
                        at(theta)$gradient,
                        method = "L-BFGS-B", control = list(maxit = 150))
  theta <- 0 * target
  theta[free] <- found$par
  list(features = W, theta = theta)
}

# The covariance of the cloud, which differs slightly from the rows. Means still match those of the rows, and slopes
# match the regression.
cloud_covariance <- function(cloud) crossprod(cloud) / nrow(cloud) - tcrossprod(colMeans(cloud))

# Starts at the logarithms of the probabilities, for levels.
start_theta <- function(mean, target) {
  theta <- 0 * target
  levels <- seq_along(mean)
  if (nrow(target) == length(mean)) theta[levels, 1] <- log(pmax(mean + 1 / length(mean), 1e-4))
  theta
}

decoder_loss <- function(theta, W, Z, target, free) {
  whole <- 0 * target
  whole[free] <- theta
  score <- times_features(tcrossprod(Z, whole), t(W))
  highest <- row_maxima(score)
  weight <- exp(score - highest)
  total <- rowSums(weight)
  gradient <- crossprod(times_features(weight / total, W), Z) / nrow(Z) - target + decoder_ridge * whole
  loss <- mean(highest + log(total)) - sum(whole * target) + decoder_ridge / 2 * sum(theta^2)
  # a step of the search may go too far, and must be able to return
  list(loss = min(loss, 1e300, na.rm = TRUE), gradient = pmin(pmax(gradient[free], -1e150), 1e150))
}

# Computes x %*% W. For levels, W has one number on its diagonal and another beside it. For 41 levels, this takes a
# twentieth of the work.
times_features <- function(x, W) {
  size <- nrow(W)
  if (size < 2 || ncol(W) != size) return(x %*% W)
  alike <- matrix(W[2], size, size)
  diag(alike) <- W[1]
  if (identical(W, alike)) (W[1] - W[2]) * x + W[2] * rowSums(x) else x %*% W
}

# Checks whether a decoder fits a table of these sizes.
fits_sizes <- function(decoder, sizes) {
  switch(decoder$kind, linear = is_linear_decoder(decoder, sizes), network = is_network_decoder(decoder, sizes), FALSE)
}

is_linear_decoder <- function(decoder, sizes) {
  one <- function(x) {
    is.list(x) && is_number_matrix(x$features) && is_number_matrix(x$theta) && are_moderate(x$features) &&
      are_moderate(x$theta) &&
      identical(dim(x$theta), c(ncol(x$features), 3L))
  }
  is.list(decoder$columns) && all(vapply(decoder$columns, one, NA)) &&
    identical(vapply(decoder$columns, function(column) nrow(column$features), 0L), sizes)
}

# Probabilities of the codes of some columns (places) at places in the plane, with one row per place.
decoder_probabilities <- function(decoder, columns, U) {
  if (decoder$kind == "network") return(network_probabilities(decoder, columns, U))
  Z <- cbind(rep(1, nrow(U)), U)
  lapply(decoder$columns[columns], function(column) softmax(tcrossprod(tcrossprod(Z, column$theta), column$features)))
}

softmax <- function(score) {
  weight <- exp(score - row_maxima(score))
  weight / rowSums(weight)
}

# Parts of a decoder for the kernel that draws rows (src/core/publish-decode.h). The scores of all codes are `shift`
# plus `slope` times the place, or times the hidden numbers that `back` computes from it.
decoder_layers <- function(decoder) {
  if (decoder$kind == "network") {
    return(list(back = decoder$back / decoder$side, back_shift = decoder$back_shift, slope = decoder$last,
                shift = decoder$last_shift))
  }
  scores <- do.call(rbind, lapply(decoder$columns, function(column) column$features %*% column$theta))
  list(back = NULL, back_shift = NULL, slope = t(scores[, -1, drop = FALSE]), shift = scores[, 1])
}

network_probabilities <- function(decoder, columns, U) {
  out <- tanh((U / decoder$side) %*% decoder$back + rep(decoder$back_shift, each = nrow(U)))
  score <- out %*% decoder$last + rep(decoder$last_shift, each = nrow(U))
  places <- split(seq_along(decoder$last_shift), rep(seq_along(decoder$sizes), decoder$sizes))
  lapply(places[columns], function(place) softmax(score[, place, drop = FALSE]))
}

is_network_decoder <- function(decoder, sizes) {
  layers <- decoder[c("back", "back_shift", "last", "last_shift", "side")]
  all(vapply(layers, are_moderate, NA)) && is_one_number(decoder$side) && decoder$side > 0 &&
    identical(decoder$sizes, sizes) &&
    identical(dim(decoder$back), c(2L, length(decoder$back_shift))) &&
    identical(dim(decoder$last), c(length(decoder$back_shift), sum(sizes))) && length(decoder$last_shift) == sum(sizes)
}

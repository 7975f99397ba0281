# Integers of any length in plain R, with limbs of 16 bits, the lowest first. They are an oracle for
# src/core/base-long.c, and for K-norm noise from the random words of a kernel.
whole_trim <- function(a) a[seq_len(max(0, which(a != 0)))]

whole_carry <- function(a) {
  carry <- 0
  i <- 0
  while (i < length(a) || carry > 0) {
    i <- i + 1
    value <- carry + if (i <= length(a)) a[i] else 0
    a[i] <- value %% 2^16
    carry <- value %/% 2^16
  }
  whole_trim(a)
}

whole_of <- function(x) whole_carry(x %/% 2^(16 * (0:8)) %% 2^16 * (x >= 2^(16 * (0:8)))) # a double below 2^53

whole_pad <- function(a, count) c(a, double(max(0, count - length(a))))

whole_add <- function(a, b) {
  count <- max(length(a), length(b))
  whole_carry(whole_pad(a, count) + whole_pad(b, count))
}

whole_multiply <- function(a, b) {
  sum <- double(length(a) + length(b))
  for (i in seq_along(a)) {
    at <- i - 1 + seq_along(b)
    sum[at] <- sum[at] + a[i] * b
    if (i %% 64 == 0) sum <- whole_pad(whole_carry(sum), length(sum))
  }
  whole_carry(sum)
}

whole_compare <- function(a, b) {
  count <- max(length(a), length(b))
  differ <- which(whole_pad(a, count) != whole_pad(b, count))
  if (!length(differ)) return(0L)
  if (whole_pad(a, count)[max(differ)] < whole_pad(b, count)[max(differ)]) -1L else 1L
}

whole_bits <- function(a) if (length(a)) as.vector(vapply(a, function(x) x %/% 2^(0:15) %% 2, double(16))) else double()
whole_from_bits <- function(bits) {
  bits <- c(bits, double(-length(bits) %% 16))
  whole_trim(as.vector(2^(0:15) %*% matrix(bits, 16)))
}

whole_shift <- function(a, left) {
  bits <- whole_bits(a)
  whole_from_bits(if (left >= 0) c(double(left), bits) else bits[-seq_len(min(-left, length(bits)))])
}

# Finds the root by trying each bit, from the highest on.
root_of_limbs <- function(a) {
  root <- double()
  for (place in rev(seq_len(8 * length(a)))) {
    tried <- whole_add(root, whole_shift(1, place - 1))
    if (whole_compare(whole_multiply(tried, tried), a) <= 0) root <- tried
  }
  root
}

whole_raw <- function(a) as.raw(as.vector(rbind(a %% 256, a %/% 256)))
whole_value <- function(a) sum(a * 2^(16 * (seq_along(a) - 1)))

# ---- K-norm noise from words ---------------------------------------------------------------------------------------

# Returns the draws of a kernel with this key in order: words for limbs, and words that are split into bits.
words_source <- function(key, count) {
  words <- .Call(ffi_test_words, count, list(key, 1L, NULL))
  taken <- 0
  pool <- limbs <- double()
  word <- function() words[, taken <<- taken + 1]
  list(
    limb = function() {
      if (!length(limbs)) limbs <<- word()
      first <- limbs[1]
      limbs <<- limbs[-1]
      first
    },
    below = function(bound) {
      bits <- ceiling(log2(bound))
      repeat {
        if (length(pool) < bits) pool <<- whole_bits(word())
        drawn <- sum(pool[seq_len(bits)] * 2^(seq_len(bits) - 1))
        pool <<- pool[-seq_len(bits)]
        if (drawn < bound) return(drawn)
      }
    }
  )
}

new_uniform <- function() list2env(list(limbs = double(), whole = 0, negative = FALSE))

limb_of <- function(from, x, place) {
  while (length(x$limbs) < place) x$limbs <- c(x$limbs, from$limb())
  x$limbs[place]
}

uniform_below <- function(from, a, b) {
  place <- 1
  while (limb_of(from, a, place) == limb_of(from, b, place)) place <- place + 1
  limb_of(from, a, place) < limb_of(from, b, place)
}

slow_exponential <- function(from) {
  whole <- 0
  repeat {
    x <- last <- new_uniform()
    n <- 0
    while (uniform_below(from, y <- new_uniform(), last)) {
      last <- y
      n <- n + 1
    }
    x$whole <- whole
    if (n %% 2 == 0) return(x)
    whole <- whole + 1
  }
}

slow_half <- function(from) {
  last <- new_uniform()
  if (limb_of(from, last, 1) >= 2^15) return(TRUE)
  n <- 1
  while (uniform_below(from, y <- new_uniform(), last)) {
    last <- y
    n <- n + 1
  }
  n %% 2 == 0
}

slow_step <- function(from, k, x) {
  n <- 0
  last <- x
  repeat {
    if (!uniform_below(from, z <- new_uniform(), last)) return(n %% 2 == 0)
    f <- from$below(2 * k + 2)
    if (f == 2 * k + 1 || (f == 2 * k && !uniform_below(from, new_uniform(), x))) return(n %% 2 == 0)
    last <- z
    n <- n + 1
  }
}

slow_normal <- function(from) {
  all_of <- function(count, coin) {
    for (i in seq_len(count)) if (!coin()) return(FALSE)
    TRUE
  }
  repeat {
    k <- 0
    while (slow_half(from)) k <- k + 1
    if (!all_of(k * (k - 1), function() slow_half(from))) next
    x <- new_uniform()
    if (!all_of(k + 1, function() slow_step(from, k, x))) next
    x$whole <- k
    x$negative <- from$below(2) == 1
    return(x)
  }
}

# Computes the integer part of 2^p times the variate. Limbs are drawn four at a time.
slow_floor <- function(from, x, p) {
  limbs <- 4 * ceiling(p / 64)
  limb_of(from, x, limbs)
  whole_shift(whole_trim(c(rev(x$limbs[seq_len(limbs)]), whole_pad(whole_of(x$whole), 4))), p - 16 * limbs)
}

# Makes one release, in integer steps. The scale is s / 2^q.
slow_norm <- function(from, v, s, q, first = 64) {
  D <- length(v)
  g <- lapply(v, function(i) slow_normal(from))
  e <- replicate(floor((D + 1) / 2), slow_exponential(from))
  h <- if (D %% 2 == 0) slow_normal(from)
  p <- first
  repeat {
    E <- Reduce(whole_add, lapply(e, function(x) slow_floor(from, x, p)), double())
    low <- whole_shift(E, p + 1)
    high <- whole_shift(whole_add(E, length(e)), p + 1)
    if (!is.null(h)) {
      t <- slow_floor(from, h, p)
      low <- whole_add(low, whole_multiply(t, t))
      t <- whole_add(t, 1)
      high <- whole_add(high, whole_multiply(t, t))
    }
    a <- whole_multiply(root_of_limbs(low), s)
    b <- whole_multiply(whole_add(root_of_limbs(high), 1), s)
    z <- double()
    for (i in seq_len(D)) {
      t <- slow_floor(from, g[[i]], p)
      x <- whole_value(whole_shift(whole_multiply(a, t), -(2 * p + q)))
      y <- whole_value(whole_shift(whole_multiply(b, whole_add(t, 1)), -(2 * p + q)))
      if (x != y) break
      z[i] <- if (g[[i]]$negative) v[i] - x - 1 else v[i] + x
    }
    if (length(z) == D) return(z)
    p <- p + min(p, 64)
  }
}

# True diagrams of many kinds and the mechanisms that release them, for evidence.R and evidence-places.R.
probability <- 0.95
range_least <- function(rate) 4 / rate # `least` of feature_evidence()

# A mechanism whose values are in [0, 1], with this rate for each group of dimensions. Grid, rows and budget are such
# that it has it; diagrams take the place of rows, so that nothing is ever computed on the grid.
square <- domain_grid(domain_box(c(0, 0), c(1, 1)), size = 2)
mechanism_of <- function(dimensions, utility, learn, rate, most = 10) {
  n <- 1000 # the sensitivity is 1 / n
  shares <- if (utility == "max") 1 else dimensions
  mechanism <- private_diagram(unseen(n), square, epsilon = 2 * rate * shares / n, m0 = 1, clip = 1, max_points = most,
                                 dimensions = seq_len(dimensions) - 1, learn_points = learn, utility = utility)
  price <- privacy_price(mechanism)
  stopifnot(all.equal(price$noise$scale, rep(1 / rate, shares)), all.equal(price$guarantee$public$bound, 1))
  mechanism
}

# ---- true diagrams ---------------------------------------------------------------------------------------------------

bars <- function(birth, persistence) cbind(birth, birth + persistence)
nothing <- matrix(0, 0, 2)
spread <- function(count, p) bars(if (count) (seq_len(count) - 0.5) / count * (1 - p) else numeric(), rep(p, count))
heap <- function(count, p, gap = 0) bars((1 - p) / 2 + gap * seq_len(count), rep(p, count))
framed <- function(count, p) bars(rep(c(0, 1 - p), length.out = count), rep(p, count))
corner <- function(count, p) bars(rep(0, count), rep(p, count))
small <- function(count, top, how = runif(count, 0, top)) bars(runif(count) * (1 - how), how)
tallest <- function(rate) if (rate < 100) 0.9 else 0.6
# persistences from the height at which a point starts to be a feature to far above the noise
around <- function(rate) Filter(function(p) p < 0.95, range_least(rate) * c(1.01, 1.5, 2.5, 4, 6, 9, 12, 18, 30))
counts <- c(0, 1, 2, 4)

# Each kind: a list of diagrams of dimension 0. In two dimensions the other one is empty, or has the same.
kinds <- list(
  "tall, apart" = function(rate) lapply(counts, spread, tallest(rate)),
  "tall, the same place" = function(rate) lapply(c(2, 4, 8), heap, tallest(rate)),
  "tall, close pairs" = function(rate) lapply(c(2, 4), heap, tallest(rate), gap = 1 / rate),
  "tall, at the frame" = function(rate) lapply(c(1, 2, 4), framed, tallest(rate)),
  "many small points" = function(rate) {
    unlist(lapply(c(10, 100, 2000), function(n) lapply(counts, function(k) {
      rbind(spread(k, tallest(rate)), small(n, range_least(rate)))
    })), recursive = FALSE)
  },
  "many points of just `least`" = function(rate) {
    lapply(counts, function(k) rbind(spread(k, tallest(rate)), small(300, how = rep(range_least(rate), 300))))
  },
  "one near the noise" = function(rate) {
    unlist(lapply(around(rate), function(p) list(spread(1, p), corner(1, p))), recursive = FALSE)
  },
  "several near the noise" = function(rate) {
    unlist(lapply(around(rate), function(p) c(lapply(c(2, 4), spread, p), lapply(c(2, 4), heap, p))), recursive = FALSE)
  },
  "several near the noise, with small points" = function(rate) {
    lapply(around(rate), function(p) rbind(spread(2, p), small(1000, range_least(rate))))
  },
  "several near the noise, in the corner" = function(rate) {
    unlist(lapply(around(rate), function(p) lapply(2:4, corner, p)), recursive = FALSE)
  },
  "not promised: small up to 2 `least`, not counted" = function(rate) {
    lapply(counts, function(k) rbind(spread(k, tallest(rate)), small(2000, 2 * range_least(rate))))
  },
  "not promised: more than max_points" = function(rate) list(heap(12, 0.3))
)

as_logical <- function(diagrams) {
  whole <- do.call(rbind, diagrams)
  persistence_diagram(rep(seq_along(diagrams) - 1, vapply(diagrams, nrow, 0L)), whole[, 1], whole[, 2])
}

counted <- function(diagrams, least) vapply(diagrams, function(d) sum(d[, 2] - d[, 1] > least), 0)

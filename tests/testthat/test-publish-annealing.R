# Clouds moved toward a diagram: the kernel against a slow annealing in R, which has the same proposals and coins.

slow_values <- function(cloud, grid, k, clip) {
  vertices <- as.matrix(grid)
  apply(vertices, 1, function(v) {
    level <- pmin(floor(sqrt(colSums((t(cloud) - v)^2)) * (512 / clip) + 0.5), 512)
    sum(sort(level)[seq_len(k)]) * (clip / (k * 512))
  })
}

slow_distances <- function(cloud, grid, k, clip, diagram) {
  values <- slow_values(cloud, grid, k, clip)
  if (length(grid$axes) > 1) values <- array(values, dim(grid))
  own <- grid_persistence(values, essential = "drop")
  bottleneck_distance(own, diagram, dimension = seq_along(grid$axes) - 1)
}

slow_anneal <- function(start, proposal, which, coin, grid, m0, clip, diagram, temperature) {
  k <- ceiling(m0 * nrow(start))
  now <- best <- start
  first <- distance <- slow_distances(now, grid, k, clip, diagram)
  loss <- least <- sum(first)
  for (step in seq_len(nrow(proposal))) {
    then <- now
    then[which[step], ] <- proposal[step, ]
    found <- slow_distances(then, grid, k, clip, diagram)
    warmth <- temperature[1] * (temperature[2] / temperature[1])^((step - 1) / nrow(proposal))
    if (log(coin[step]) * warmth > loss - sum(found)) next
    now <- then
    loss <- sum(found)
    if (loss < least) {
      least <- loss
      best <- now
      distance <- found
    }
  }
  list(points = best, start = first, distance = distance)
}

annealing_case <- function(axes, points = 20, steps = 60) {
  grid <- domain_grid(domain_box(rep(-1, axes), seq_len(axes)), size = c(7, 5, 4)[seq_len(axes)])
  cloud <- function(count) matrix(stats::runif(count * axes, -1, 1.5), count, axes)
  diagram <- dtm_persistence(cloud(15), grid, m0 = 0.1, essential = "drop", max_dimension = axes - 1)
  list(start = cloud(points), proposal = cloud(steps), which = as.double(sample(points, steps, TRUE)),
       coin = stats::runif(steps), grid = grid,
       m0 = 0.15, clip = 0.8, diagram = diagram, temperature = c(0.1, 0.001))
}

test_that("the kernel does what a slow annealing does, on one to three axes", {
  for (axes in 1:3) for (seed in 1:4) {
    set.seed(10 * axes + seed)
    case <- annealing_case(axes)
    expect_equal(do.call(anneal, case), do.call(slow_anneal, case), tolerance = 1e-12)
  }
})

test_that("the best cloud is kept, whose distance is what is said, and which is never farther than the start", {
  set.seed(2)
  for (i in 1:10) {
    case <- annealing_case(2, points = sample(40, 1), steps = sample(0:100, 1))
    found <- do.call(anneal, case)
    k <- ceiling(case$m0 * nrow(case$start))
    expect_equal(found$distance, slow_distances(found$points, case$grid, k, case$clip, case$diagram))
    expect_lte(sum(found$distance), sum(found$start))
    # every point stood there at the start or was proposed
    expect_true(all(found$points[, 1] %in% c(case$start[, 1], case$proposal[, 1])))
  }
  case <- annealing_case(2, steps = 0)
  expect_identical(do.call(anneal, case)$points, case$start)
})

test_that("points beyond the clip, equal points and one point are fine", {
  set.seed(3)
  case <- annealing_case(2, points = 1, steps = 20)
  expect_equal(do.call(anneal, case), do.call(slow_anneal, case), tolerance = 1e-12)
  case <- annealing_case(2)
  case$start[] <- 0.25
  case$proposal[1:30, ] <- 1e6
  expect_equal(do.call(anneal, case), do.call(slow_anneal, case), tolerance = 1e-12)
  case$diagram <- case$diagram[0, ]
  expect_equal(do.call(anneal, case), do.call(slow_anneal, case), tolerance = 1e-12)
})

test_that("a ring that the start has not is found", {
  set.seed(4)
  grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), size = 20)
  angle <- stats::runif(300, 0, 2 * pi)
  ring <- dtm_persistence(cbind(cos(angle), sin(angle)), grid, m0 = 0.1, essential = "drop")
  proposal <- matrix(stats::runif(16000, -2, 2), 8000)
  found <- anneal(matrix(stats::runif(200, -2, 2), 100), proposal, as.double(sample(100, 8000, TRUE)),
                  stats::runif(8000), grid, 0.1, 2,
                  ring, c(0.01, 0.001))
  expect_lt(found$distance[2], 0.5 * found$start[2])
})

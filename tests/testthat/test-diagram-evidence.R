two_rings <- function(n) rbind(circle_points(n / 2) * .5 - 1, circle_points(n / 2) * .5 + 1)

# A release into which something that knows nothing of diagrams wrote another row.
with_other_rows <- function(release) {
  parts <- list(dimension = c(release$dimension, 0L), birth = c(release$birth, 0.123), death = c(release$death, 0.456))
  kept <- attributes(release)
  kept$row.names <- seq_along(parts$birth)
  `attributes<-`(parts, kept)
}

# The number of features that are claimed in each of `draws` releases of true diagrams on [0, 1].
claimed <- function(diagrams, rate, learn, draws, utility = "max", most = 8) {
  dimensions <- seq_along(diagrams) - 1
  groups <- if (utility == "max") list(list(dimensions = dimensions, rate = rate)) else
    lapply(dimensions, function(q) list(dimensions = q, rate = rate))
  mechanism <- ideal_plan(groups, most, learn)
  points <- as.data.frame(draw_plan(mechanism, diagrams, draws, "R"))
  points$persistence <- points$death - points$birth
  points <- points[order(points$draw, -points$persistence), ]
  level <- .95^(1 / length(groups))
  heights <- new.env()
  counts <- matrix(0, draws, length(dimensions))
  for (group in groups) {
    setting <- noise_setting(mechanism, group)
    height <- function(state) {
      key <- paste(state, collapse = " ")
      if (is.null(heights[[key]])) heights[[key]] <- spurious_height(setting, state, level)
      heights[[key]]
    }
    own <- points[points$dimension %in% group$dimensions, ]
    for (rows in split(seq_len(nrow(own)), own$draw)) {
      state <- rep(0, length(group$dimensions))
      for (row in rows) {
        if (own$persistence[row] <= height(state)) break
        here <- match(own$dimension[row], group$dimensions)
        state[here] <- state[here] + 1
      }
      counts[own$draw[rows[1]], group$dimensions + 1] <- state
    }
  }
  counts
}

found_without_regions <- function(found) {
  found$steps$region <- NA_real_
  found
}

test_that("more features than there are, are claimed with 5 percent at most, and tall ones are found", {
  # seed fixed; false alarm 1e-6 for each of 24 comparisons (five standard errors above 5 percent)
  set.seed(421)
  draws <- 2500
  tall <- function(births, p = .7) cbind(births, births + p)
  small <- function(count) {
    p <- stats::runif(count, 0, 4 / 125)
    b <- stats::runif(count) * (1 - p)
    cbind(b, b + p)
  }
  none <- matrix(0, 0, 2)
  cases <- list(
    nothing = list(none), apart = list(tall(c(.05, .25))), close = list(tall(c(.15, .15, .16))),
    frame = list(tall(c(0, .3))),
    small = list(rbind(tall(c(.05, .25)), small(500))), two = list(tall(.15), rbind(tall(c(.05, .25)), small(100)))
  )
  for (name in names(cases)) {
    truth <- vapply(cases[[name]], function(d) sum(d[, 2] - d[, 1] > .1), 0)
    for (utility in if (name == "two") c("max", "sum") else "max") {
      counts <- claimed(cases[[name]], 125, TRUE, draws, utility)
      true <- matrix(truth, draws, length(truth), byrow = TRUE)
      expect_lt(mean(rowSums(counts > true) > 0), .05 + 5 * sqrt(.05 * .95 / draws))
      # persistence .7 is far above what is detectable
      expect_gt(mean(rowSums(counts < true) == 0), .95)
    }
  }
})

test_that("a feature of the detectable persistence is found as often as promised, small points or none", {
  # false alarm 1e-6
  set.seed(422)
  for (learn in c(TRUE, FALSE)) {
    setting <- noise_setting(list(bound = 1, max_points = 8, learn_points = learn), list(rate = 125, dimensions = 0))
    height <- spurious_height(setting, 1, .95)
    p <- detected_persistence(setting, 1, .95, height)
    birth <- stats::runif(500)
    for (extra in list(NULL, cbind(birth * .97, birth * .97 + .03))) {
      D <- rbind(cbind(c(.1, .5 - p / 2), c(.8, .5 + p / 2)), extra)
      expect_gt(mean(claimed(list(D), 125, learn, 2500) >= 2), .95 - 5 * sqrt(.05 * .95 / 2500))
    }
  }
})

test_that("the function on a release is the test that was simulated, and knows all rows that were released", {
  set.seed(423)
  X <- two_rings(2000)
  for (utility in c("max", "sum")) {
    release <- private_diagram(X, small_grid(.1), epsilon = 4, m0 = .1, clip = 1, utility = utility, rng = "R")
    state <- .Random.seed
    found <- feature_evidence(release)
    expect_identical(.Random.seed, state)
    expect_identical(found, feature_evidence(release))
    expect_identical(feature_evidence(release[release$dimension == 1, ]), found)
    expect_identical(feature_evidence(release[0, ]), found)
    expect_identical(found$features$dimension, 0:1)
    # two rings: one more piece and two loops, very tall
    expect_true(all(found$features$features >= 1:2))
    steps <- as.data.frame(found)
    expect_identical(steps, found$steps)
    expect_identical(steps$evidence, !is.na(steps$persistence) & steps$persistence > steps$threshold)
    expect_equal(steps$persistence, steps$death - steps$birth)
    for (q in 0:1) {
      own <- steps[steps$dimension == q, ]
      expect_identical(own$step, seq_len(nrow(own)))
      expect_identical(sum(own$evidence), found$features$features[q + 1])
      expect_false(is.unsorted(own$threshold))
      released <- sort(release$death[release$dimension == q] - release$birth[release$dimension == q], decreasing = TRUE)
      expect_equal(own$persistence[own$evidence], released[seq_len(sum(own$evidence))])
    }
    expect_true(all(found$radii$radius > 0) && !is.unsorted(found$radii$radius))
    expect_equal(found$least, 4 / diagram_plan(2000, small_grid(.1), new_cost(c(epsilon = 4)), .1, 1, 1, 0:1, 10, TRUE,
                                               utility)$groups[[1]]$rate)
  }
})

test_that("what is asked for is obeyed: a higher probability and larger small points need taller points", {
  release <- small_release(max_points = 4)
  band <- function(...) min(feature_evidence(release, ...)$steps$threshold) # that of the first step
  expect_gt(band(level = .99), band(level = .9))
  expect_gt(band(least = 1), band(least = 0))
  expect_identical(feature_evidence(release, least = .1)$least, .1)
})

test_that("a release without a point, and one that may not have any, say what would have been seen", {
  X <- cbind(stats::runif(200, -2, 2), stats::runif(200, -2, 2))
  empty <- private_diagram(X, small_grid(), epsilon = .3, m0 = .1, max_points = 0)
  expect_identical(nrow(empty), 0L)
  expect_match(format(feature_evidence(empty)),
               "no evidence of a feature of dimension 0 or 1 \\(95 ?%\\); no further point was possible$")
  expect_output(print(empty), "no evidence of a feature")
  expect_output(print(summary(empty)), "no further feature could have been detected")
  # drawn until one is empty
  for (i in 1:100) {
    empty <- private_diagram(X, small_grid(), epsilon = 2, m0 = .2, max_dimension = 0)
    if (nrow(empty) == 0) break
  }
  expect_identical(nrow(empty), 0L)
  expect_match(format(feature_evidence(empty)),
               "^no evidence of a feature of dimension 0 \\(95 ?%\\); (a|any) point .*evidence, and .* detected$")
  expect_identical(feature_evidence(empty)$features$features, 0L)
  expect_identical(summary(empty)$dimension, 0L)
})

test_that("print, summary and plot say the same probability and the same counts", {
  skip_if_not_installed("ggplot2")
  set.seed(424)
  release <- private_diagram(two_rings(2000), small_grid(.1), epsilon = 4, m0 = .1, clip = 1, rng = "R")
  found <- feature_evidence(release)
  line <- format(found)
  expect_match(line,
               paste("^at least 3 features \\(95 ?%\\): 1 of dimension 0 and 2 of dimension 1;",
                     "(a )?further points? with persistence (below|above) .*$"))
  expect_match(gsub("\\s+", " ", paste(utils::capture.output(print(release)), collapse = " ")), line, fixed = TRUE)
  expect_match(gsub("\\s+", " ", paste(utils::capture.output(print(found)), collapse = " ")), line, fixed = TRUE)
  expect_output(print(summary(release)), "at least 3 features", fixed = TRUE)
  expect_output(print(summary(release)), "noise radius \\(95 ?%\\): ")
  expect_output(print(summary(release)), format(privacy(release))[1], fixed = TRUE)
  table <- as.data.frame(summary(release))
  expect_identical(class(table), "data.frame")
  expect_identical(names(table), c("dimension", "points", "essential", "largest", "median", "total", "features", "band",
                                   "detectable", "radius"))
  expect_identical(table$features, found$features$features)
  expect_identical(table$radius, found$features$radius)
  said <- paste(c(format_counts(found), format_regions(found, "diagram"), "seeded: not private"), collapse = "; ")
  expect_identical(ggplot2::autoplot(release)$labels$subtitle, paste(strwrap(said, 56), collapse = "\n"))
})

test_that("the marks of a picture are those of the evidence", {
  set.seed(425)
  release <- private_diagram(two_rings(2000), small_grid(.1), epsilon = 4, m0 = .1, clip = 1, rng = "R")
  found <- feature_evidence(release)
  marks <- mark_regions(diagram_marks(release), found)
  placed <- found$steps[!is.na(found$steps$region), ]
  expect_gt(nrow(placed), 0)
  expect_identical(marks$full, !is.na(marks$region))
  expect_identical(marks$birth[marks$full], placed$birth[match(marks$death[marks$full], placed$death)])
  expect_true(all(marks$death - marks$birth > 2 * marks$region, na.rm = TRUE))
  expect_true(all(placed$evidence))
  noise <- noise_marks(found, NULL, NULL, Inf)
  expect_equal(noise$bands, signif(found$features$band[1], 3))
  expect_identical(noise$detectable, max(found$features$detectable))
  expect_identical(noise_marks(found, .2, NULL, 1e-9), list(bands = .2, detectable = double()))
  # a diagram that is no release, and one whose rows were changed, have no evidence
  plain <- persistence_diagram(0, 0, 1)
  expect_null(default_evidence(plain))
  expect_true(all(mark_regions(diagram_marks(plain), NULL)$full))
  expect_true(all(is.na(mark_regions(diagram_marks(plain), NULL)$region)))
  expect_named(summary(plain), c("dimension", "points", "essential", "largest", "median", "total"))
  expect_null(default_evidence(with_other_rows(release)))
  # a row that stands there twice is no release, and nothing is marked twice
  twice <- release[rep(which(marks$full)[1], 2), ]
  expect_identical(sum(mark_regions(diagram_marks(twice), found)$full), 1L)
})

test_that("a picture names its marks, shows the evidence that it is given, and says that it was seeded", {
  set.seed(426)
  X <- two_rings(2000)
  release <- private_diagram(X, small_grid(.1), epsilon = 4, m0 = .1, clip = 1, rng = "R")
  surely <- feature_evidence(release, level = .99)
  keys <- c(region_name(feature_evidence(release)), "may be noise", "detectable")
  words <- drawn_text(plot(release))
  expect_true(all(keys %in% words))
  expect_match(words, "\\(95 ?%\\).*; seeded: not private$", all = FALSE)
  expect_match(drawn_text(plot(release, evidence = surely)), "true point \\(99 ?%\\)", all = FALSE)
  expect_false("may be noise" %in% drawn_text(plot(release, band = FALSE)))
  expect_true("seeded: not private" %in% drawn_text(plot(release, evidence = FALSE)))
  in_one_line <- function(...) paste(drawn_text(...), collapse = " ")
  expect_match(in_one_line(plot(release, "barcode")), "; dark lines: ends of true bars; seeded")
  # counted, and too low for a place to be known
  low <- found_without_regions(feature_evidence(release))
  expect_match(in_one_line(plot(release, evidence = low)), "; locations not known; seeded")
  expect_no_match(drawn_text(plot(release, evidence = low)), "true point")
  expect_true("band" %in% drawn_text(plot(persistence_diagram(0, 0, 1), band = .2)))
  expect_no_match(drawn_text(plot(private_diagram(X, small_grid(.1), epsilon = 4, m0 = .1, clip = 1))), "seeded")
  skip_if_not_installed("ggplot2")
  expect_true(all(keys %in% drawn_text(print(ggplot2::autoplot(release)))))
  expect_match(drawn_text(print(ggplot2::autoplot(release, evidence = surely))), "true point \\(99 ?%\\)", all = FALSE)
  expect_false("may be noise" %in% drawn_text(print(ggplot2::autoplot(release, band = FALSE))))
})

test_that("releases of every kind can be drawn in every way", {
  skip_if_not_installed("ggplot2")
  releases <- list(small_release(), small_release(utility = "sum"), small_release(max_points = 0),
                   small_release(epsilon = 1e-9), small_release(epsilon = 1e300), small_release(essential = "cap"))
  types <- c("diagram", "barcode", "rotated")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (k in seq_along(releases)) {
    release <- releases[[k]]
    # each release in one way, and the first in all; in `make check` all in all
    for (type in if (k == 1) types else long_or(types, types[k %% 3 + 1])) for (evidence in c(TRUE, FALSE)) {
      expect_silent(plot(release, type, evidence = evidence))
      expect_silent(print(ggplot2::autoplot(release, type, evidence = evidence)))
    }
    expect_silent(plot(release, dimension = 1, band = .1, legend = FALSE))
    found <- feature_evidence(release)
    expect_identical(withVisible(plot(found)), list(value = found, visible = FALSE))
  }
})

test_that("what is no release, and what is no probability, gives a classed error that names the argument", {
  release <- small_release()
  argument_error <- function(expr, name) {
    error <- expect_error(expr, class = "dptda_error_argument")
    expect_match(conditionMessage(error), paste0("`", name, "`"), fixed = TRUE)
  }
  argument_error(feature_evidence(), "release")
  for (bad in list(NULL, 1, persistence_diagram(0, 0, 1), as.data.frame(release), rbind(release, release),
                   with_other_rows(release))) {
    argument_error(feature_evidence(bad), "release")
  }
  for (bad in list(0, 1, -1, NA, "a", c(.5, .6), NULL)) {
    argument_error(feature_evidence(release, level = bad), "level")
  }
  for (bad in list(-1, NA, "a", c(0, 1), Inf)) argument_error(feature_evidence(release, least = bad), "least")
  argument_error(feature_evidence(release, .9), "...")
  argument_error(plot(release, evidence = NA), "evidence")
  other <- private_diagram(two_rings(400), small_grid(), epsilon = 50, m0 = .1, clip = 1)
  argument_error(plot(release, evidence = feature_evidence(other)), "evidence")
  argument_error(plot(persistence_diagram(0, 0, 1), evidence = feature_evidence(release)), "evidence")
  argument_error(ggplot2::autoplot(release, evidence = 1), "evidence")
})

test_that("nothing is claimed of a fixed number of points", {
  release <- small_release(learn_points = FALSE, max_points = 3)
  expect_null(default_evidence(release))
  expect_error(feature_evidence(release), "learn_points", class = "dptda_error_argument")
  expect_output(print(release), "<private persistence diagram>")
  expect_named(summary(release), c("dimension", "points", "essential", "largest", "median", "total"))
})

test_that("a release that was damaged has no evidence and no unclassed error", {
  release <- small_release()
  damages <- list(function(x) `attr<-`(x, "released", NULL), function(x) `attr<-`(x, "released", list(1)),
                  function(x) `attr<-`(x, "released", "junk"), function(x) `attr<-`(x, "released", list(rows = 5)))
  for (damage in damages) for (rows in list(seq_len(nrow(release)), 0)) {
    damaged <- damage(release[rows, ])
    expect_null(privacy(damaged))
    expect_output(print(damaged), "ersistence diagram")
    expect_error(feature_evidence(damaged), class = "dptda_error_argument")
  }
  for (field in c("clip", "dimensions", "max_points", "n", "grid")) for (value in list(NULL, NA, list(),
    c(1, 2), "a")) {
    changed <- release
    guarantee <- attr(changed, "privacy")
    guarantee$public[field] <- list(value)
    attr(changed, "privacy") <- guarantee
    expect_error(feature_evidence(changed), class = "dptda_error_argument")
    expect_output(print(changed), "diagram")
  }
})

test_that("a simulation takes a diagram for the true one, and its evidence is that of releases", {
  grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.2)
  X <- two_rings(400)
  for (utility in c("max", "sum")) {
    settings <- list(grid = grid, epsilon = 8, m0 = 0.1, clip = 1, utility = utility)
    mechanism <- do.call(private_diagram, c(list(unseen(400)), settings))
    for (seed in 1:5) {
      set.seed(seed)
      release <- do.call(private_diagram, c(list(X, rng = "R"), settings))
      simulated <- simulate(mechanism, 1, seed = seed, x = X)
      expect_identical(as.data.frame(simulated[[1]]), as.data.frame(release))
      for (least in list(NULL, 0, 0.2)) {
        known <- feature_evidence(release, least = least)$features
        expect_equal(feature_evidence(simulated, least = least)[c("dimension", "features", "band")],
                     known[c("dimension", "features", "band")])
      }
    }
    # all at once as one by one
    many <- simulate(mechanism, 20, seed = 1, x = X)
    one_by_one <- lapply(seq_along(many), function(i) {
      feature_evidence(structure(many[i], class = "dptda_simulation", mechanism = mechanism))[-1]
    })
    expect_equal(feature_evidence(many)[-1], do.call(rbind, one_by_one))
    expect_true(any(feature_evidence(many)$features > 0))
  }

  # a diagram is moved to the lattice, and dimensions that are not released do not count
  step <- privacy_price(mechanism)$guarantee$public$step
  truth <- persistence_diagram(c(0, 1, 1), c(0.1, 0.3, 0.2) + 0.3 * step, c(0.9, 0.8, 0.4))
  nearest <- persistence_diagram(truth$dimension, step * round(truth$birth / step), truth$death)
  expect_false(identical(nearest$birth, truth$birth))
  expect_equal(simulate(mechanism, 3, seed = 2, x = nearest), simulate(mechanism, 3, seed = 2, x = truth))
  loops <- private_diagram(unseen(400), grid, epsilon = 8, m0 = 0.1, clip = 1, dimensions = 1)
  expect_equal(simulate(loops, 3, seed = 2, x = truth), simulate(loops, 3, seed = 2, x = truth[truth$dimension == 1, ]))
  # no noise to speak of
  sharp <- private_diagram(unseen(1e6), grid, epsilon = 100, m0 = 1, clip = 1)
  expect_lt(max(bottleneck_distance(simulate(sharp, 1, seed = 1, x = truth)[[1]], truth, dimension = 0:1)), 1e-4)
})

test_that("the evidence of what is no simulation of diagrams is refused", {
  counts <- simulate(private_count(unseen(2), epsilon = 1), 2, x = c(TRUE, FALSE))
  expect_error(feature_evidence(counts), class = "dptda_error_argument")
  line <- domain_grid(domain_box(0, 1), by = 0.1)
  diagrams <- simulate(private_diagram(unseen(2), line, epsilon = 1, m0 = 1), 2, x = c(0, 1))
  expect_identical(feature_evidence(diagrams)$draw, 1:2)
  expect_error(feature_evidence(diagrams[1]), class = "dptda_error_argument")
  expect_error(feature_evidence(replace(diagrams, 1, 3)), class = "dptda_error_argument")
  expect_error(feature_evidence(diagrams, level = 1), class = "dptda_error_argument")
  expect_error(feature_evidence(diagrams, least = -1), class = "dptda_error_argument")
  none <- structure(list(), class = "dptda_simulation", mechanism = attr(diagrams, "mechanism"))
  expect_identical(nrow(feature_evidence(none)), 0L)
})

# Diagrams in the place of rows, values in [0, 1], the rate of the law of d_B.
place_mechanism <- function(rate, dimensions = 1, utility = "max") {
  shares <- if (utility == "max") 1 else dimensions
  grid <- domain_grid(domain_box(c(0, 0), c(1, 1)), size = 2)
  private_diagram(unseen(1000), grid, epsilon = 2 * rate * shares / 1000, m0 = 1, clip = 1,
                    dimensions = seq_len(dimensions) - 1, utility = utility)
}

# For each release: whether a region holds no true point, and the largest distance from the true diagram.
judged_places <- function(mechanism, truth, draws) {
  releases <- simulate(mechanism, draws, x = truth)
  found <- feature_evidence(releases)
  dimensions <- sort(unique(found$dimension))
  judge <- function(k) {
    own <- found[found$draw == k, ]
    points <- as.data.frame(releases[[k]])
    points$persistence <- points$death - points$birth
    counted <- unlist(lapply(seq_along(dimensions), function(i) {
      mine <- which(points$dimension == dimensions[i])
      mine[order(-points$persistence[mine])][seq_len(own$features[i])]
    }))
    region <- own$region[match(points$dimension, dimensions)]
    placed <- counted[points$persistence[counted] > 2 * region[counted]]
    free <- as.data.frame(truth)
    lost <- vapply(placed, function(j) {
      near <- free$dimension == points$dimension[j] &
        pmax(abs(free$birth - points$birth[j]), abs(free$death - points$death[j])) <= region[j]
      !any(near)
    }, NA)
    distance <- vapply(dimensions, function(q) bottleneck_distance(releases[[k]], truth, dimension = q), 0)
    c(lost = any(lost), placed = length(placed), distance = max(distance), region = max(own$region))
  }
  as.data.frame(t(vapply(seq_len(draws), judge, c(lost = 0, placed = 0, distance = 0, region = 0))))
}

test_that("regions hold true points wherever the release is as near as they say, and in 95 percent of releases", {
  skip_if_instrumented()
  set.seed(441)
  draws <- long_or(600, 150)
  for (setting in list(list(125, 1, "max", 1), list(125, 1, "max", 3), list(125, 2, "max", 2), list(125, 2, "sum", 2),
                       list(30, 1, "max", 2))) {
    count <- setting[[4]]
    birth <- (seq_len(count) - 0.5) / count * 0.3
    truth <- persistence_diagram(rep(0, count + 20), c(birth, (1:20) / 30), c(birth + 0.65, (1:20) / 30 + 0.01))
    seen <- judged_places(do.call(place_mechanism, setting[1:3]), truth, draws)
    expect_false(any(seen$lost & seen$distance <= seen$region))
    expect_lte(sum(seen$lost), stats::qbinom(1 - 1e-5, draws, 0.05))
    if (setting[[1]] == 125) expect_gt(mean(seen$placed), 0.9 * count)
  }
})

test_that("the region of a release is that of simulations, and grows with what was counted", {
  set.seed(442)
  mechanism <- place_mechanism(125)
  drawn <- simulate(mechanism, 5, x = persistence_diagram(c(0, 0), c(0.1, 0.3), c(0.7, 0.9)))
  region <- feature_evidence(drawn)$region
  expect_identical(region, vapply(feature_evidence(drawn)$features, function(count) {
    noise_radius(noise_setting(mechanism$plan, mechanism$plan$groups[[1]]), count + 1, 0.95)
  }, 0))
  setting <- noise_setting(mechanism$plan, mechanism$plan$groups[[1]])
  radius <- vapply(0:10, function(count) region_radius(setting, count, 0.95), 0)
  expect_false(is.unsorted(radius))
  expect_identical(radius[11], radius[10]) # no label is left for one more
  two <- noise_setting(place_mechanism(125, 2)$plan, place_mechanism(125, 2)$plan$groups[[1]])
  for (counts in list(c(0, 0), c(1, 3), c(10, 2))) {
    expect_gte(region_radius(two, counts, 0.95), noise_radius(two, counts, 0.95))
  }
  release <- private_diagram(two_rings(2000), small_grid(.1), epsilon = 4, m0 = .1, clip = 1, rng = "R")
  steps <- feature_evidence(release)$steps
  expect_true(all(is.na(steps$region[!steps$evidence])))
  expect_length(unique(steps$region[!is.na(steps$region)]), 1)
  expect_gt(feature_evidence(release, level = .999)$steps$region[1], steps$region[1])
})

test_that("the corners of a region are where births and deaths are off by as much, turned as its marks are", {
  mark <- list(x = 0.2, y = 0.9, region = 0.1)
  corners <- region_corners(mark, "diagram")
  expect_equal(range(corners$x), c(0.1, 0.3))
  expect_equal(range(corners$y), c(0.8, 1))
  turned <- region_corners(list(x = (0.2 + 0.9) / 2, y = (0.9 - 0.2) / 2, region = 0.1), "rotated")
  back <- data.frame(birth = turned$x - turned$y, death = turned$x + turned$y)
  expect_equal(sort(unique(signif(back$birth, 6))), c(0.1, 0.3))
  expect_equal(sort(unique(signif(back$death, 6))), c(0.8, 1))
  ends <- region_ends(data.frame(birth = 0.2, death = 0.9, region = 0.1), 4)
  expect_equal(ends, data.frame(from = c(0.1, 0.8), to = c(0.3, 1), row = c(4, 4)))
})

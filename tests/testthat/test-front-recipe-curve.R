# The mean curve of a recipe, whose settings compute the diagram of each person's rows.

# Rows of people who walk around one loop each.
walkers <- function(n, rows = 40) {
  withr::with_seed(1, do.call(rbind, lapply(seq_len(n), function(i) {
    angle <- stats::runif(rows, 0, 2 * pi)
    size <- stats::runif(1, 2, 4)
    data.frame(who = paste0("w", i), x = size * cos(angle), y = size * sin(angle))
  })))
}

curve_recipe <- function(n, ...) {
  settings <- list(release = "curve", box = list(x = c(-5, 5), y = c(-5, 5)), spacing = 0.5, m0 = 0.1, clip = 5,
                   curve = "landscape", range = c(0, 5), dimension = 1, radius = 0.6, epsilon = 1e4)
  list(unit = list(people = n, person = "who"), releases = list(utils::modifyList(settings, list(...))))
}

test_that("a mean curve is that of each person's own rows, by the settings of the recipe", {
  rows <- walkers(30)
  grid <- domain_grid(domain_box(c(x = -5, y = -5), c(x = 5, y = 5)), by = 0.5)
  curves <- list(landscape = curve_landscape(c(0, 5), 0, level = 2, size = 32), betti = curve_betti(c(0, 5), 1),
                 life = curve_life(c(0, 5), 1, normalize = FALSE))
  settings <- list(landscape = list(level = 2, size = 32, dimension = 0), betti = list(),
                   life = list(normalize = FALSE))
  for (name in names(curves)) {
    diagrams <- lapply(split(rows[c("x", "y")], rows$who), dtm_persistence, grid, m0 = 0.1, r = 2, clip = 5)
    own <- list(curve = name, r = 2, radius = if (name == "landscape") 1 else 20, smooth = 16)
    recipe <- release_recipe(do.call(curve_recipe, utils::modifyList(c(list(30), own), settings[[name]])))
    plan <- recipe_mechanisms(recipe)$curve$plan
    parts <- recipe_parts(recipe)
    room <- recipe_room(recipe, parts)
    room$x <- rows
    expected <- statistic_of(plan, own_diagrams(unname(diagrams)))
    expect_identical(statistic_of(plan, own_diagrams(rows_of_part(parts$curve, room))), expected)
    made <- recipe_release(recipe, rows[sample(nrow(rows)), ])$curve
    # sqrt(32) times the length of the noise, which exceeds 60 scales with a probability below 1e-12
    exact <- result_of(plan, expected)$value
    expect_gt(max(exact), 0.04 * own$radius)
    expect_lt(max(abs(made$value - exact)), 0.002 * own$radius)
    expect_identical(made$curve, curves[[name]])
    expect_identical(made$smooth, 16)
    expect_identical(privacy(made)$person, "who")
    expect_match(privacy(made)$public$about, "x.*, spacing = 0.5, m0 = 0.1, clip = 5, r = 2")
  }
})

test_that("the script and the command line make the mean curve of the recipe", {
  skip_if_not_installed("yaml")
  folder <- withr::local_tempdir()
  file <- file.path(folder, "rows.csv")
  utils::write.csv(walkers(20), file, row.names = FALSE)
  # a second release has numbers in its names, and its own function
  recipe <- curve_recipe(20)
  recipe$releases[[2]] <- utils::modifyList(recipe$releases[[1]], list(name = "each", clip = 1e-3 + 0.1 + 0.2,
                                                                       range = c(0, 0.2)))
  recipe <- release_recipe(recipe)
  expect_identical(recipe$releases[[2]]$name, "release_each")
  script <- recipe_script(recipe)
  expect_true(all(nchar(script) <= 80))
  room <- list2env(as.list(asNamespace("dptda"))[getNamespaceExports("dptda")], new.env(parent = globalenv()))
  lines <- sub("commandArgs(TRUE)", deparse1(c(file, folder)), script, fixed = TRUE)
  utils::capture.output(eval(parse(text = lines[lines != "library(dptda)"]), room))
  ours <- recipe_release(recipe, file)
  for (name in c("curve", "release_each")) {
    expect_identical(privacy(room[[name]])$steps, privacy(ours[[name]])$steps)
    expect_lt(max(abs(room[[name]]$value - ours[[name]]$value)), 0.02)
  }
  expect_identical(formals(room$each_1), formals(room$each_2))
  expect_false(identical(body(room$each_1), body(room$each_2)))
  kept <- file.path(folder, "plan.yaml")
  writeLines(format(recipe), kept)
  expect_identical(release_recipe(kept), recipe)
  shown <- utils::capture.output(status <- dptda_command(c("release", kept, file, "--out", folder, "--no-picture")))
  expect_identical(status, 0L)
  expect_match(shown, "mean landscape of level 1, dimension 1 of 20 diagrams", all = FALSE)
  expect_output(expect_identical(dptda_command(c("audit", kept, "--release", "curve", "--runs", "40")), 0L), "declared")
  expect_true(draw_release_file(ours$curve, file.path(folder, "curve.png")))
})

test_that("people without a shape change nothing that anybody could see, and the shape of a neighbor does", {
  rows <- walkers(12)
  recipe <- release_recipe(curve_recipe(12, epsilon = 1))
  withr::local_options(dptda.weak_release = FALSE)
  for (odd in list(data.frame(who = "w1", x = 0, y = 0), data.frame(who = "w1", x = c(-1, 1) * 1e300, y = Inf))) {
    other <- rbind(odd, rows[rows$who != "w1", ])
    expect_no_warning(expect_no_message(made <- recipe_release(recipe, other)$curve))
    expect_identical(privacy(made)$measure, c(epsilon = 1))
  }
  # rows are checked before anything is spent
  budget <- privacy_budget(epsilon = 1, person = "who")
  expect_error(recipe_release(recipe, rows[rows$who != "w1", ], budget = budget), "must have 12 people",
               class = "dptda_error_argument")
  expect_error(recipe_release(recipe, transform(rows, x = replace(x, 3, NA)), budget = budget), "missing values",
               class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
  recipe_release(recipe, rows, budget = budget)
  expect_identical(budget$spent, 1)
  # made-up neighbors of an audit differ by a curve
  pair <- neighbor_rows(recipe, lookalike_rows(recipe))
  expect_length(unique(pair$x$who), 12)
  parts <- recipe_parts(recipe)
  room <- recipe_room(recipe, parts)
  sides <- lapply(pair, function(rows) {
    room$x <- rows
    statistic_of(recipe_mechanisms(recipe)$curve$plan, own_diagrams(rows_of_part(parts$curve, room)))
  })
  expect_gt(max(abs(sides$x - sides$neighbor)), 2^20)
})

test_that("a preview computes some diagrams, and repeats them for all people", {
  recipe <- release_recipe(curve_recipe(500, spacing = 1))
  rows <- lookalike_rows(recipe)
  parts <- recipe_parts(recipe)
  room <- recipe_room(recipe, parts)
  room$x <- rows
  all <- rows_of_part(parts$curve, room)
  some <- rows_of_part(parts$curve, room, 20)
  expect_length(some, 500)
  expect_identical(some, rep_len(all[1:20], 500))
  expect_gt(mean(vapply(all, function(one) any(one$dimension == 1), NA)), 0.9)
  few <- make_preview(recipe)
  expect_false(few$fewer)
  expect_identical(few$simulated[[1]]$n, 500)
  expect_true(make_preview(release_recipe(curve_recipe(1e5, spacing = 1)))$fewer)
  expect_null(make_preview(release_recipe(curve_recipe(500, spacing = 0.01))))
})

test_that("settings of a mean curve that are wrong, or would release only noise, are refused", {
  expect_refusals({
    release_recipe(c(curve_recipe(9)["releases"], list(unit = list(rows = 9))))
    release_recipe(curve_recipe(9, radius = NULL))
    release_recipe(curve_recipe(9, range = NULL))
    release_recipe(curve_recipe(9, curve = NULL))
    release_recipe(curve_recipe(9, curve = "silhouette"))
    release_recipe(curve_recipe(9, curve = "function(own) 1"))
    release_recipe(curve_recipe(9, each = "dtm_persistence"))
    release_recipe(curve_recipe(9, range = 5))
    release_recipe(curve_recipe(9, range = c(5, 0)))
    release_recipe(curve_recipe(9, range = c("2024-01-01", "2024-12-31")))
    release_recipe(curve_recipe(9, range = c(5, 6)))
    release_recipe(curve_recipe(9, dimension = 2))
    release_recipe(curve_recipe(9, dimension = 0.5))
    release_recipe(curve_recipe(9, radius = 0))
    release_recipe(curve_recipe(9, radius = 1e200))
    release_recipe(curve_recipe(9, level = 0))
    release_recipe(curve_recipe(9, level = 2, curve = "betti"))
    release_recipe(curve_recipe(9, normalize = TRUE))
    release_recipe(curve_recipe(9, normalize = "no", curve = "life"))
    release_recipe(curve_recipe(9, size = 5000))
    release_recipe(curve_recipe(9, smooth = 0))
    release_recipe(curve_recipe(9, m0 = 0))
    release_recipe(curve_recipe(9, box = list(who = c(0, 1), y = c(0, 1))))
    recipe_mechanisms(curve_recipe(9, smooth = 70))
    recipe_mechanisms(curve_recipe(9, range = c(1, 1 + 1e-15)))
    recipe_mechanisms(curve_recipe(9, spacing = 1e-9))
  })
})

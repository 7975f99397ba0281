# Tables by their shape: the ledger, hostile settings and rows, and what is drawn.

quick <- list(size = 8, cloud = 60, steps = 100, k = 2, rounds = 2)

shape_schema <- function() {
  table_schema(age = schema_numeric(0, 100, cells = 5), sex = c("f", "m"),
               grade = schema_categorical(c("low", "mid"), ordered = TRUE, missing = "level"))
}

shape_data <- function(n) {
  young <- stats::runif(n) < 0.4
  data.frame(age = ifelse(young, stats::runif(n, 10, 30), stats::runif(n, 50, 100)),
             sex = ifelse(stats::runif(n) < ifelse(young, 0.9, 0.2), "f", "m"),
             grade = ifelse(young == (stats::runif(n) < 0.9), "low", "mid"))
}

quick_topology <- function(settings = list()) do.call(synthesis_topology, utils::modifyList(quick, settings))

release_shape <- function(data, schema = shape_schema(), ..., settings = list(), rng = "R") {
  private_synthesis(data, schema, ..., method = quick_topology(settings), rng = rng)
}

test_that("the ledger adds up to what was declared, exactly", {
  set.seed(1)
  data <- shape_data(300)
  for (rho in c(1, 0.1, 1 / 3, 1e-3, 77.7)) {
    fit <- release_shape(data, rho = rho)
    expect_identical(privacy(fit)$measure, c(rho = rho))
    expect_identical(sum(privacy(fit)$ledger$value), rho)
    expect_identical(privacy(fit)$ledger$step, paste0("private_synthesis: ", c("moments", "diagram", "mixture")))
    expect_identical(sum(summary(fit)$rho), rho)
  }
  fit <- release_shape(data, epsilon = 1, delta = 1e-6)
  expect_identical(privacy(fit)$measure, c(epsilon = 1, delta = 1e-6))
  expect_lte(privacy_convert(privacy(fit), delta = 1e-6)$measure[["epsilon"]], 1)
  expect_gt(privacy_convert(privacy(fit), delta = 1e-6)$measure[["epsilon"]], 0.999)
})

test_that("each step keeps its part", {
  set.seed(2)
  source <- c(encode_table(shape_data(500), shape_schema(), "x"), list(schema = shape_schema()))
  for (rho in c(0.01, 0.5, 20)) {
    plan <- plan_topology(public_part(source), new_cost(c(rho = rho)), quick_topology())
    expect_identical(sum(plan$parts), rho)
    cost <- c(
      moments = plan$moments$rho,
      diagram = sum(vapply(plan$diagram$groups, function(group) group$epsilon^2 / 8, 0)),
      mixture = sum(plan_rhos(plan$mixture))
    )
    expect_true(all(cost <= plan$parts))
    expect_true(all(cost > 0.99 * plan$parts))
  }
})

test_that("the diagram has the noise of so many rows, and the mixture knows how many there are", {
  source <- c(encode_table(shape_data(500), shape_schema(), "x"), list(schema = shape_schema()))
  for (m0 in c(0.05, 0.3)) for (clip in c(0.5, 1)) {
    plan <- plan_topology(public_part(source), new_cost(c(rho = 0.5)), quick_topology(list(m0 = m0, clip = clip)))
    # one row of k nearest, from nothing to the clip; the lattice of distances rounds it up by a little
    expect_gte(plan$diagram$sensitivity, clip / (m0 * 500))
    expect_equal(plan$diagram$sensitivity, clip / (m0 * 500), tolerance = 1e-3)
    expect_true(all(vapply(plan$mixture$queries, `[[`, 0, "n") == 500))
  }
})

test_that("what a release draws is what was planned and charged: sums, diagram and mixture, by either decoder", {
  set.seed(15)
  data <- shape_data(300)
  originals <- list(moments = draw_moments, steps = draw_steps, mixture = draw_mixture, questions = open_questions)
  for (decoder in c("linear", "autoencoder")) {
    seen <- list()
    fit <- with_replaced("draw_moments", function(sums, plan, rng) {
      seen$moments <<- plan
      originals$moments(sums, plan, rng)
    }, with_replaced("draw_steps", function(mechanism, ...) {
      seen$diagram <<- mechanism
      originals$steps(mechanism, ...)
    }, with_replaced("open_questions", function(seen, adaptive, rng) {
      expect_true(all(abs(seen) <= 3))
      originals$questions(seen, adaptive, rng)
    }, with_replaced("draw_mixture", function(ask, box, plan, n, rng) {
      seen$mixture <<- plan
      expect_identical(n, 300)
      expect_identical(unname(box$upper), c(3, 3))
      originals$mixture(ask, box, plan, n, rng)
    }, suppressMessages(release_shape(data, epsilon = 2, delta = 1e-5,
                                      settings = list(decoder = decoder, hidden = 2, passes = 0.2)))))))
    cost <- c(diagram = sum(vapply(seen$diagram$groups, function(group) group$epsilon^2 / 8, 0)),
              mixture = sum(plan_rhos(seen$mixture)))
    if (decoder == "linear") {
      cost <- c(moments = seen$moments$rho, cost)
      expect_identical(seen$moments, plan_moments(300, shape_schema(), seen$moments$rho))
    }
    charged <- privacy(fit)$public$rho
    expect_identical(names(charged), names(cost))
    expect_true(all(cost <= charged))
    expect_true(all(cost > 0.99 * charged))
    # a row of the 15 nearest, up to the clip
    expect_equal(seen$diagram$sensitivity, 1 / 15, tolerance = 1e-3)
  }
})

test_that("each number of the moments has the noise of its kind: sums, squares and products", {
  set.seed(14)
  source <- c(encode_table(shape_data(500), shape_schema(), "x"), list(schema = shape_schema()))
  plan <- plan_moments(500, source$schema, 0.5)
  book <- plan$book
  exact <- moment_sums(source, book)
  upper <- upper.tri(diag(book$width), diag = TRUE)
  noise <- replicate(200, {
    drawn <- draw_moments(exact, plan, "R")
    products <- drawn$covariance + tcrossprod(drawn$mean)
    500 * c(2^book$bits * drawn$mean, 4^book$bits * products[upper]) - exact
  })
  kind <- c(rep("sum", book$width), ifelse(row(upper)[upper] == col(upper)[upper], "square", "product"))
  # three sums of squares, at both ends: false-alarm rate 6e-7
  for (one in names(plan$scale)) {
    own <- noise[kind == one, ]
    chance <- stats::pchisq(sum((own / plan$scale[[one]])^2), length(own))
    expect_gt(min(chance, 1 - chance), 1e-7)
  }
})

test_that("a budget is charged once, before anything is drawn, and what cannot be spent is not done", {
  set.seed(3)
  data <- shape_data(200)
  budget <- privacy_budget(rho = 1)
  release_shape(data, rho = 0.75, budget = budget)
  expect_identical(budget$spent, 0.75)
  expect_error(release_shape(data, rho = 0.5, budget = budget), class = "dptda_error_budget")
  expect_identical(budget$spent, 0.75)
})

test_that("rows of any kind give codes of the schema", {
  set.seed(4)
  schema <- shape_schema()
  hostile <- list(
    shape_data(1), shape_data(2), shape_data(30),
    data.frame(age = rep(Inf, 50), sex = rep("neither", 50), grade = NA),
    data.frame(age = rep(c(-1e300, 1e300), 25), sex = rep(c("f", "m"), 25),
               grade = rep(c("low", "mid", "else", NA, "low"), 10))
  )
  for (data in hostile) for (rho in c(1e-4, 1, 1e4)) {
    drawn <- simulate(release_shape(data, rho = rho, settings = if (rho > 1)
                                    list(scale = c("age", "grade")) else list()), 40)
    expect_identical(names(drawn), names(schema$columns))
    expect_identical(nrow(drawn), 40L)
    expect_true(all(drawn$age >= 0 & drawn$age <= 100))
  }
  expect_identical(nrow(simulate(release_shape(shape_data(30), rho = 1), 0)), 0L)
})

test_that("schemas of one column, and of columns with one code, are fine", {
  set.seed(5)
  only <- table_schema(a = schema_categorical("x", other = "x"))
  expect_identical(as.character(simulate(release_shape(data.frame(a = rep("x", 9)), only, rho = 1), 5)$a), rep("x", 5))
  truth <- table_schema(a = schema_logical())
  drawn <- simulate(release_shape(data.frame(a = rep(c(TRUE, FALSE), c(900, 100))), truth, rho = 100), 4000)
  expect_equal(mean(drawn$a), 0.9, tolerance = 0.07) # .85 to .91 by seed, of a cloud of 60 points
})

test_that("with little noise the model has the margins of the rows, and what they have to do with each other", {
  set.seed(6)
  data <- shape_data(4000)
  fit <- release_shape(data, rho = 1e4, settings = list(cloud = 400, steps = 400, k = 4, size = 16))
  drawn <- simulate(fit, 2e4, seed = 1)
  expect_equal(mean(drawn$sex == "f"), mean(data$sex == "f"), tolerance = 0.05)
  expect_equal(mean(drawn$age < 40), mean(data$age < 40), tolerance = 0.1)
  true <- stats::cor(data$age < 40, data$sex == "f")
  expect_gt(stats::cor(drawn$age < 40, drawn$sex == "f"), 0.5 * true)
  # the plane of so few columns takes a part of what each says by itself for what they have in common
  expect_lt(stats::cor(drawn$age < 40, drawn$sex == "f"), 1.4 * true)
  # margins that are computed are those of what is drawn: 20,000 draws, 5 standard deviations
  margin <- model_margin(fit$model, 1:2)
  expect_equal(sum(margin), 1)
  seen <- tabulate(1 + as.integer(findInterval(drawn$age, 20 * 1:4)) + 5 * (as.integer(drawn$sex) - 1), 15) / 2e4
  expect_lt(max(abs(seen - margin)), 0.05)
})

test_that("annealing ends no farther from the private diagram than it began, and says how far", {
  set.seed(7)
  fit <- release_shape(shape_data(1000), rho = 1)
  distance <- fit$model$distance
  expect_lte(sum(distance["end", ]), sum(distance["start", ]))
  own <- anneal(fit$model$cloud, matrix(0, 0, 2), double(), double(), fit$model$grid, 0.05, 1, fit$model$diagram,
                c(1, 1))
  expect_equal(own$start, unname(distance["end", ]))
})

test_that("without a share for the diagram there is none, nothing is moved, and the others have all", {
  set.seed(10)
  data <- shape_data(1000)
  without <- c(moments = 0.6, diagram = 0, mixture = 0.2)
  for (case in list(list(rho = 1 / 3), list(epsilon = 1, delta = 1e-6))) {
    budget <- do.call(privacy_budget, case)
    fit <- do.call(release_shape, c(list(data), case, list(settings = list(shares = without), budget = budget)))
    expect_null(fit$model$diagram)
    expect_null(fit$model$distance)
    expect_identical(summary(fit)$step, c("moments", "mixture"))
    expect_equal(summary(fit)$rho[1] / sum(summary(fit)$rho), 0.75)
    expect_no_match(format(privacy(fit))[2], "diagram")
    expect_identical(privacy(fit)$measure, unlist(case))
    expect_output(print(fit), "method topology")
    expect_identical(nrow(simulate(fit, 7)), 7L)
  }
  expect_identical(privacy(release_shape(data, rho = 1 / 3, settings = list(shares = without)))$ledger$step,
                   paste0("private_synthesis: ", c("moments", "mixture")))
  # the cloud is that of the mixture as it was drawn: the same as with a diagram that moves nothing
  fit <- release_shape(data, rho = 1, settings = list(steps = 0))
  expect_identical(fit$model$distance["start", ], fit$model$distance["end", ])
  for (bad in list(c(moments = 0, diagram = 1, mixture = 1), c(moments = 1, diagram = 1, mixture = 0),
                   c(moments = 1, diagram = -1, mixture = 1))) {
    expect_error(release_shape(data, rho = 1, settings = list(shares = bad)), "diagram may be 0",
                 class = "dptda_error_argument")
  }
})

test_that("a row is brought into the plane by itself", {
  set.seed(8)
  schema <- shape_schema()
  book <- encoding_book(schema)
  codes <- encode_table(shape_data(100), schema, "x")$codes
  plane <- list(mean = stats::rnorm(book$width), project = matrix(stats::rnorm(2 * book$width, sd = 3), book$width))
  X <- project_codes(codes, plane, book, 3)
  for (i in 1:100) expect_identical(project_codes(codes[i, , drop = FALSE], plane, book, 3), X[i, , drop = FALSE])
  slow <- (encode_codes(book, codes) / 2^book$bits - rep(plane$mean, each = 100)) %*% plane$project
  expect_equal(X, pmin(pmax(slow, -3), 3))
  expect_true(all(abs(X) <= 3) && any(abs(X) == 3))
})

test_that("a seed repeats a release, which says so, and the system's entropy does not", {
  data <- shape_data(100)
  again <- function(rng) {
    set.seed(9)
    release_shape(data, rho = 1, rng = rng)
  }
  expect_identical(again("R"), again("R"))
  expect_match(format(privacy(again("R")))[1], "SEEDED")
  expect_false(identical(again("os")$model$cloud, again("os")$model$cloud))
})

test_that("what it cannot do is refused before anything is spent", {
  data <- shape_data(100)
  budget <- privacy_budget(rho = 10)
  refused <- function(..., class = "dptda_error_argument")
    expect_error(release_shape(..., budget = budget), class = class)
  expect_error(release_shape(data, epsilon = 1), "`delta` must be given", class = "dptda_error_argument")
  refused(data, rho = 1e-30)
  refused(data, rho = 1, settings = list(shares = c(1, 2, 3)))
  refused(data, rho = 1, settings = list(size = 1))
  refused(data, rho = 1, settings = list(m0 = 0))
  refused(data, rho = 1, settings = list(clip = -1))
  refused(data, rho = 1, settings = list(unknown = 1))
  refused(data, rho = 1, settings = list(scale = "nobody"))
  refused(data, rho = 1, settings = list(temperature = 1))
  refused(data.frame(a = 1:3), table_schema(a = as.character(1:2000)), rho = 1)
  data$age[3] <- NA
  expect_error(release_shape(data, rho = 1, budget = budget), "missing values", class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
})

# ---- rows in a database ----------------------------------------------------------------------------------------------

as_source <- function(data, schema = shape_schema())
  utils::modifyList(encode_table(data, schema, "data"), list(schema = schema))

# Numbers of more cells than one search has parts, texts, a truth, and cells for what is missing.
wide_shape <- function(n) {
  data <- shape_data(n)
  data$grade[1:2] <- c(NA, "else")
  data$old <- data$age > 60
  data$age[1:4] <- c(-Inf, Inf, 0, 100)
  data$part <- rep(1:2, length.out = n)
  data
}
wide_shape_schema <- function() {
  table_schema(age = schema_numeric(0, 100, breaks = c(1, 4, 9, 16:60)), sex = c("f", "m"), old = schema_logical(),
               grade = schema_categorical(c("low", "mid"), ordered = TRUE, missing = "level"))
}

expect_same_places <- function(connection, data) {
  schema <- wide_shape_schema()
  book <- encoding_book(schema, scale = "age")
  plane <- list(mean = stats::rnorm(book$width), project = matrix(stats::rnorm(2 * book$width, sd = 3), book$width))
  plane$project[2, ] <- c(1e-310, 0)
  here <- project_codes(as_source(data, schema)$codes, plane, book, 3)
  people <- dplyr::tbl(connection, "people")
  plan <- list(diagram = list(grid = domain_grid(domain_box(c(-3, -3), c(3, 3)), size = 9)))
  for (partition in list(NULL, "part")) {
    places <- database_places(as_source(table_rows(people, partition = partition), schema), plane_tables(plane, book))
    # the integers of a query and of the cells of the diagram
    fine <- plane_cells(plan)
    expect_identical(count_rows(places, list(fine)), count_rows(matrix_rows(here), list(fine)))
    expect_identical(sum(plane_cloud(places, plan)$weights), as.double(nrow(data)))
    box <- domain_box(c(-3, -3), c(3, 3))
    query <- list(whitened = TRUE, hard = TRUE, stretch = 1, bits = c(12, 0))
    model <- list(weights = rep(1 / 3, 3), means = matrix(c(-1, 0, 1), 2, 3),
                  covariances = array(0.01 + diag(0.01, 2), c(2, 2, 3)))
    expect_identical(query_sums(as_pieces(places), model, box, query), query_sums(here, model, box, query))
  }
  # nothing is cut yet, and the place of a row is that in memory to the last digit
  found <- as.matrix(dplyr::collect(dplyr::select(places$table, "place1", "place2")))
  cut <- matrix(pmin(pmax(found, -3), 3), nrow(found))
  expect_identical(cut[order(cut[, 1], cut[, 2]), ], here[order(here[, 1], here[, 2]), ])
}

test_that("rows of a database have the places that they have in memory: SQLite", {
  set.seed(10)
  data <- wide_shape(150)
  expect_same_places(local_sqlite(data), data)
})

test_that("a row of a database that changes between statements has a place too, and without a diagram none is counted",
          {
  set.seed(11)
  data <- wide_shape(20)
  data$sex[3] <- NA
  schema <- wide_shape_schema()
  book <- encoding_book(schema, scale = "age")
  plane <- list(mean = stats::rnorm(book$width), project = matrix(stats::rnorm(2 * book$width), book$width))
  connection <- local_sqlite(data)
  places <- database_places(as_source(table_rows(dplyr::tbl(connection, "people")), schema), plane_tables(plane, book))
  plan <- list(diagram = list(grid = domain_grid(domain_box(c(-3, -3), c(3, 3)), size = 9)))
  expect_identical(sum(plane_cloud(places, plan)$weights), 20)
  fit <- with_replaced("plane_cloud.dptda_database_rows", function(...) stop("counted"), {
    private_synthesis(dplyr::tbl(local_sqlite(related_rows(50)), "people"), related_schema(), rho = 1, rng = "R",
                      method = synthesis_topology(shares = c(moments = 0.5, diagram = 0, mixture = 0.5), size = 6,
                                                  cloud = 30, steps = 5, k = 2, rounds = 2))
  })
  expect_null(fit$model$diagram)
})

test_that("rows of a database have the places that they have in memory: PostgreSQL", {
  set.seed(10)
  data <- wide_shape(150)
  expect_same_places(local_postgres(data), data)
})

test_that("a table in a database gives the model that it gives in memory, but for the cells of the diagram", {
  set.seed(11)
  data <- shape_data(300)
  connection <- local_sqlite(data)
  people <- dplyr::tbl(connection, "people")
  release <- function(data, ...) {
    set.seed(12)
    release_shape(data, rho = 1, ...)
  }
  there <- release(people)
  binned <- function(places, plan) {
    counts <- count_rows(matrix_rows(places), list(plane_cells(plan)))[[1]]
    list(points = cell_points(counts$cell, plane_points(plan)), weights = counts$count, total = nrow(places),
         binned = TRUE)
  }
  # memory, with the rows at the points of the finer grid
  here <- with_replaced("draw_plane_diagram", local({
    original <- draw_plane_diagram
    function(cloud, setup, rng) original(binned(cloud$points, list(diagram = setup)), setup, rng)
  }), release(data))
  expect_identical(there$model, here$model)
  expect_identical(privacy(there)$ledger, privacy(here)$ledger)
  expect_identical(summary(there), summary(here))
  expect_identical(dim(simulate(there, 20, seed = 1)), c(20L, 3L))
})

test_that("in a database too, what is not spent is not done, and a network is refused", {
  set.seed(13)
  data <- shape_data(60)
  connection <- local_sqlite(data)
  people <- dplyr::tbl(connection, "people")
  budget <- privacy_budget(rho = 1)
  asked <- function(...) stop("a statement after the budget has said no")
  with_replaced("ask_statement", function(rows, statement) {
    # the number of rows comes before
    if (grepl("cell", statement) && grepl("GROUP BY", statement)) asked()
    DBI::dbGetQuery(database_connection(rows), statement)
  }, expect_error(release_shape(people, rho = 2, budget = budget), class = "dptda_error_budget"))
  expect_error(release_shape(people, epsilon = 1, delta = 1e-6, settings = list(decoder = "autoencoder"),
                             budget = budget),
               "`decoder` must be.*database", class = "dptda_error_argument")
  expect_error(release_shape(dplyr::mutate(people, age = NA_real_), rho = 1, budget = budget),
               "missing values.*missing = \"level\"",
               class = "dptda_error_argument")
  # a driver that would read a large table at once
  withr::with_options(list(dptda.kept_numbers = 100), {
    check <- check_reading
    with_replaced("check_reading", function(rows, ...) {
      rows$dialect$streams <- function() FALSE
      check(rows, ...)
    }, expect_error(release_shape(people, rho = 1, budget = budget), "all rows into R at once",
                    class = "dptda_error_database"))
  })
  expect_identical(budget$spent[[1]], 0)
  release_shape(people, rho = 0.75, budget = budget)
  expect_identical(budget$spent[[1]], 0.75)
})

test_that("a schema that is too wide is refused by its sizes, without tables of its columns", {
  schema <- table_schema(a = schema_categorical(1:3000), b = schema_logical())
  data <- data.frame(a = 1:3, b = TRUE)
  megabytes <- sum(gc(reset = TRUE)[, 2])
  expect_error(private_synthesis(data, schema, rho = 1, method = "topology"), "coordinates",
               class = "dptda_error_argument")
  # where they were made first it took 178
  expect_lt(sum(gc()[, 6]) - megabytes, 50)
})

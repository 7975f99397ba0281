# Models of whole tables: what all methods share.

needs_delta <- function(method) method == "topology" # Gaussian noise alone
synthesis <- function(method, data = related_rows(100), ..., epsilon = 2, rng = "R") {
  delta <- if (needs_delta(method)) 1e-3
  private_synthesis(data, related_schema(), epsilon, delta = delta, method = quick_method(method), ..., rng = rng)
}
quick_method <- function(name, ...) {
  switch(name, privbayes = synthesis_privbayes(theta = .05), dp2pub = synthesis_dp2pub(theta = .05),
         topology = synthesis_topology(size = 8, cloud = 60, steps = 50, ...), name)
}
methods <- function() method_names("synthesis")

test_that("every method gives a model from which rows are drawn", {
  set.seed(1)
  for (method in methods()) {
    fit <- synthesis(method)
    expect_identical(fit$method, method)
    expect_s3_class(fit, "dptda_synthesis")
    expect_identical(privacy(fit)$measure, c(epsilon = 2, delta = if (needs_delta(method)) 1e-3))
    drawn <- simulate(fit, 70, seed = 3)
    expect_identical(simulate(fit, 70, seed = 3), drawn)
    expect_identical(names(drawn), c("a", "b", "c"))
    expect_identical(vapply(drawn, class, ""), c(a = "factor", b = "logical", c = "numeric"))
    expect_true(all(drawn$c >= 0 & drawn$c <= 100))
    expect_identical(dim(simulate(fit, 0)), c(0L, 3L))
    expect_identical(levels(simulate(fit, 0)$a), c("u", "v", "w"))
    expect_identical(nrow(simulate(fit)), 100L)
    for (columns in list(2L, c(3L, 1L))) {
      margin <- model_margin(fit$model, columns)
      expect_length(margin, prod(fit$model$sizes[columns]))
      expect_true(all(margin >= 0) && sum(margin) > 0)
    }
  }
})

test_that("simulate() leaves the generator as it found it", {
  fit <- synthesis("privbayes", rng = "os")
  set.seed(2)
  first <- stats::runif(1)
  set.seed(2)
  simulate(fit, 10, seed = 5)
  expect_identical(stats::runif(1), first)
  set.seed(4)
  once <- simulate(fit, 10)
  expect_false(identical(simulate(fit, 10), once))
  set.seed(4)
  expect_identical(simulate(fit, 10), once)
})

test_that("seeds repeat a release, and the guarantee says so", {
  data <- related_rows(60)
  for (method in methods()) {
    set.seed(3)
    first <- synthesis(method, data)
    set.seed(3)
    expect_identical(synthesis(method, data), first)
    expect_output(print(first), "SEEDED: NOT PRIVATE")
  }
})

test_that("a table in a database gives what it gives in memory", {
  set.seed(4)
  data <- related_rows(60)
  connection <- local_sqlite(data)
  for (method in c("privbayes", "margins", "aim", "mst")) {
    set.seed(5)
    here <- synthesis(method, data)
    set.seed(5)
    there <- synthesis(method, dplyr::tbl(connection, "people"))
    expect_identical(there$model, here$model)
  }
  data$c[7] <- NA
  DBI::dbWriteTable(connection, "holes", data)
  budget <- privacy_budget(epsilon = 2)
  expect_error(synthesis("margins", dplyr::tbl(connection, "holes"), budget = budget), "missing values",
               class = "dptda_error_argument")
  expect_identical(budget$spent[[1]], 0)
})

test_that("missing values are refused before anything is spent, or are drawn", {
  data <- related_rows(60)
  data$b[3] <- NA
  budget <- privacy_budget(epsilon = 2)
  for (method in methods()) {
    expect_error(synthesis(method, data, budget = budget), "must not contain missing values",
                 class = "dptda_error_argument")
  }
  expect_identical(budget$spent[[1]], 0)
  schema <- table_schema(b = schema_logical(missing = "level"), c = schema_numeric(0, 100, 5))
  fit <- private_synthesis(data, schema, 1e5, method = "privbayes", rng = "R")
  expect_lt(abs(mean(is.na(simulate(fit, 5000, seed = 1)$b)) - 1 / 60), .02)
})

test_that("a schema that was read from the data is on the guarantee", {
  data <- related_rows(60)
  fit <- private_synthesis(data, schema_from_data(data), 1, method = "margins")
  expect_output(print(fit), "SCHEMA READ FROM THE DATA: NOT PRIVATE")
  expect_output(print(privacy(fit)), "SCHEMA READ FROM THE DATA: NOT PRIVATE")
  expect_false(grepl("NOT PRIVATE", paste(format(privacy(synthesis("margins", data, rng = "os"))), collapse = "")))
})

test_that("a model that was changed has lost its guarantee", {
  fit <- synthesis("privbayes")
  fit$n <- 7
  expect_null(privacy(fit))
  fit$model$network <- list()
  expect_error(simulate(fit, 3), class = "dptda_error_argument")
})

test_that("a model that was changed by hand is refused by class, whatever is asked of it", {
  set.seed(10)
  # places in a model, and what they are changed to
  nodes <- list(list(c("network", 1, "column"), 1.5), list(c("network", 1, "column"), 9L),
                list(c("network", 2, "parents"), 0L),
                list(c("network", 2, "parents"), quote(x)), list(c("network", 3, "probability"), "a"),
                list("network", NA),
                list(c("measured", "scopes"), list(1L, "a", 9)), list(c("measured", "noise"), NA),
                list(c("measured", "noise", "scale"), "a"),
                list(c("measured", "noise", "kind"), function(x) x))
  fields <- list(list("n", 0), list("n", Inf), list("sizes", c(a = 3L, b = 2L, c = 6L)))
  cells <- list(list("potential", list()), list(c("weight", 1), quote(x)), list(c("weight", 1), factor(1:3)),
                list("scopes", list(4L)),
                list("classes", c(a = 3L, b = 2L, c = 5L, a = 3L)), list(c("potential", 1), as.list(1:3)))
  put <- function(x, path, value) {
    at <- if (grepl("^[0-9]+$", path[1])) as.integer(path[1]) else path[1]
    x[[at]] <- if (length(path) == 1) value else put(x[[at]], path[-1], value)
    x
  }
  for (method in c("privbayes", "mst")) {
    fit <- synthesis(method)
    for (change in c(fields, if (method == "mst") cells else nodes)) {
      damaged <- fit
      damaged$model <- put(unclass(fit$model), change[[1]], change[[2]])
      class(damaged$model) <- class(fit$model)
      for (ask in list(simulate, plot, function(x) plot(x, which = "margins"), print, summary)) {
        expect_error(ask(damaged), class = "dptda_error_argument", label = paste(change[[1]], collapse = " "))
      }
    }
  }
})

test_that("numbers that no release has are refused as well", {
  set.seed(52)
  changed <- function(fit, change) {
    fit$model <- change(unclass(fit$model))
    class(fit$model) <- class(model)
    fit
  }
  set <- function(...) function(model) utils::modifyList(model, list(...))
  node <- function(change) function(model) {
    model$network[[2]]$probability <- change(model$network[[2]]$probability)
    model
  }
  decoder <- function(name, factor) function(model) {
    model$decoder$columns[[1]][[name]] <- factor * model$decoder$columns[[1]][[name]]
    model
  }
  cases <- list(
    privbayes = list(node(function(p) 0 * p), node(function(p) 2 * p), node(function(p) p * 1e308),
                     set(measured = list(noise = list(kind = c("laplace", "gaussian")))),
                     set(measured = list(noise = list(scale = Inf))),
                     set(measured = list(noise = list(scale = -1)))),
    mst = list(function(model) replace(model, "weight", list(lapply(model$weight, `*`, 0))), function(model)
               replace(model, "class_of", list(list())),
               function(model) replace(model, "weight", list(lapply(model$weight, `*`, Inf))), function(model)
                 replace(model, "share", list(lapply(model$share, `*`, 0))),
               function(model) replace(model, "share", list(model$share[1]))),
    topology = list(decoder("features", 1e308), decoder("theta", 1e300), function(model)
                    replace(model, "cloud", list(1 / (0 * model$cloud))))
  )
  for (method in names(cases)) {
    fit <- synthesis(method)
    model <- fit$model
    for (change in cases[[method]])
    for (ask in list(simulate, plot, function(x) plot(x, which = "margins"), print, summary)) {
      expect_error(ask(changed(fit, change)), class = "dptda_error_argument")
    }
  }
})

test_that("models are shown", {
  set.seed(6)
  for (method in methods()) {
    fit <- synthesis(method)
    expect_output(print(fit), paste0("method ", method, ": 100 rows, 3 columns"))
    expect_identical(as.data.frame(summary(fit)), fit$steps)
    expect_identical(summary(fit)$step, fit$steps$step)
    withr::with_pdf(withr::local_tempfile(), {
      expect_identical(plot(fit), fit)
      plot(fit, which = "margins", main = "own")
    })
  }
  expect_identical(nrow(model_edges(synthesis("margins")$model)), 0L)
  expect_output(print(private_synthesis(related_rows(9), related_schema(), rho = 1, method = "margins")), "rho = 1")
})

test_that("what is shown says which pairs of columns the model holds", {
  set.seed(61)
  data <- related_rows(400)
  apart <- function(model, pair) {
    joint <- matrix(model_margin(model, pair), model$sizes[[pair[1]]])
    joint <- joint / sum(joint)
    sum(abs(joint - outer(rowSums(joint), colSums(joint)))) / 2
  }
  for (method in methods()) {
    fit <- synthesis(method, data, epsilon = 20)
    held <- model_pairs(fit$model)
    expect_identical(names(held), c("from", "to"))
    expect_true(all(held$from < held$to) && !anyDuplicated(held))
    # against the distances of all pairs from independence: who is joined by pairs, and nobody else
    together <- diag(3) > 0
    together[cbind(held$from, held$to)] <- together[cbind(held$to, held$from)] <- TRUE
    for (i in 1:2) together <- together %*% together > 0
    for (pair in utils::combn(3, 2, simplify = FALSE)) {
      if (pair[1] %in% held$from && any(held$from == pair[1] & held$to == pair[2])) {
        expect_gt(apart(fit$model, pair), 1e-3)
      }
      # flipped rows are whole ones
      if (method != "dp2pub" && !together[pair[1], pair[2]]) expect_lt(apart(fit$model, pair), 1e-9)
    }
    if (method != "margins") expect_gt(nrow(held), 1)
    words <- if (nrow(held) == 0) "none of 3" else if (nrow(held) == 3) "all 3" else paste(nrow(held), "of 3")
    for (show in list(fit, summary(fit))) {
      expect_output(print(show), paste("associations modeled:", words), fixed = TRUE)
      for (name in sprintf("\n  `%s` and `%s`", letters[held$from], letters[held$to])) {
        expect_output(print(show), name, fixed = TRUE)
      }
    }
  }
})

# What is printed, in one line.
unwrapped <- function(x) gsub("\\s+", " ", paste(utils::capture.output(print(x)), collapse = " "))

test_that("a model that has lost every pair says so, whatever made it", {
  set.seed(62)
  data <- related_rows(60)
  nothing <- "associations modeled: none of 3 pairs. Columns are drawn independently."
  lost <- private_synthesis(data, related_schema(), 0.1, method = "privbayes", rng = "R")
  for (fit in list(lost, synthesis("margins", data))) {
    expect_identical(nrow(model_pairs(fit$model)), 0L)
    for (show in list(fit, summary(fit))) expect_match(unwrapped(show), nothing, fixed = TRUE)
  }
  # flipped rows stay together where no cluster does
  randomized <- private_synthesis(data, related_schema(), 0.1, method = "dp2pub", rng = "R")
  expect_match(unwrapped(randomized),
               "none of 3 pairs. Columns keep only the association that randomized response preserves.",
               fixed = TRUE)
  # codes that are all in one class depend on nothing
  model <- synthesis("aim", data, epsilon = 20)$model
  expect_gt(nrow(joined_pairs(model, model$classes)), 0)
  expect_identical(nrow(joined_pairs(model, replace(model$classes, 1:3, 1L))), 0L)
  # a decoder that does not look at the place
  for (decoder in c("linear", "autoencoder")) {
    fit <- private_synthesis(related_rows(400), related_schema(), 20, delta = 1e-3, rng = "R",
                             method = quick_method("topology", decoder = decoder))
    expect_identical(nrow(model_pairs(fit$model)), 3L)
    expect_output(print(fit), "all 3 pairs\n  `a` and `b`\n", fixed = TRUE)
    fit$model$cloud[] <- 0
    for (show in list(fit, summary(fit))) expect_match(unwrapped(show), nothing, fixed = TRUE)
  }
  # a conditional distribution that is the same for all values of a parent
  fit <- synthesis("privbayes", data, epsilon = 20)
  expect_gt(nrow(model_pairs(fit$model)), 0)
  fit$model$network <- lapply(fit$model$network, function(node) {
    node$probability[] <- node$probability[, 1]
    node
  })
  expect_identical(nrow(model_pairs(fit$model)), 0L)
})

test_that("what is shown of a pair is the noise on the counts of the two", {
  set.seed(64)
  data <- related_rows(400)
  # counts that were released, added up to those of a pair: what many releases differ by
  released <- list(
    mst = function(model) model$count[[match(list(1:2), model$scopes)]],
    privbayes = function(model) {
      scope <- model$measured$scopes[[1]]
      if (all(1:2 %in% scope)) sum_counts(model$measured$counts[[1]], scope, 1:2, model$sizes)
    }
  )
  for (method in names(released)) {
    fits <- lapply(1:30, function(i) synthesis(method, data)$model)
    fits <- Filter(function(model) length(released[[method]](model)) == 6, fits)
    said <- unique(do.call(rbind, lapply(fits, function(model) pair_noise(model, data.frame(from = 1L, to = 2L)))))
    expect_identical(said$cells, 6)
    counts <- vapply(fits, released[[method]], double(6))
    expect_equal(sqrt(mean(apply(counts, 1, stats::var))), said$noise, tolerance = 0.15)
  }
  # so much that nothing can be seen
  drowned <- private_synthesis(related_rows(30), related_schema(), 0.1, method = synthesis_privbayes(theta = 0.001),
                               rng = "R")
  expect_output(print(drowned), "noise exceeds the mean count of a cell: [1-3] of these pairs")
  expect_no_match(paste(utils::capture.output(print(synthesis("mst", data, epsilon = 20))), collapse = " "), "exceeds")
})

test_that("a model is shown by what it holds, and then by what was spent", {
  people <- as.data.frame(Titanic)
  people <- people[rep(seq_len(nrow(people)), people$Freq), 1:4]
  people$Place <- rep_len(1:8, nrow(people))
  schema <- table_schema(Class = c("1st", "2nd", "3rd", "Crew"), Sex = c("Male", "Female"), Age = c("Child", "Adult"),
                         Survived = c("No", "Yes"), Place = 1:8)
  for (method in c("aim", "mst", "privbayes", "margins")) {
    fit <- withr::with_seed(7, private_synthesis(people, schema, 5, method = method, rng = "R"))
    shown <- capture.output(print(fit))
    expect_lte(length(shown), 23)
    expect_false(any(grepl("NA", shown)))
    expect_match(shown, "^epsilon spent: ", all = FALSE)
    expect_match(shown, "^noise of single columns: up to [0-9.]+ ?% ",
                 all = FALSE)
    expect_false(any(grepl("NA", capture.output(print(summary(fit))))))
    # of declared cells less than is counted, and why
    expect_identical(any(grepl("rare cells merged, since noise would hide them: 2 of ", shown)),
                     any(model_merged(fit$model) > 1))
  }
  expect_match(paste(drawn_text(plot(fit)), collapse = " "), "columns joined in the model, method margins")
})

test_that("many pairs are counted, and one column has none", {
  set.seed(63)
  d <- 8
  data <- as.data.frame(matrix(stats::runif(300) < 0.5, 300, d))
  schema <- do.call(table_schema, structure(rep(list(schema_logical()), d), names = names(data)))
  fit <- private_synthesis(data, schema, 50, delta = 1e-3, method = "mst", rng = "R")
  expect_match(unwrapped(fit),
               "associations modeled: 7 of 28 pairs. Other pairs are related only through these. noise of pairs: ",
               fixed = TRUE)
  for (show in list(fit, summary(fit), privacy(fit))) {
    lines <- grep("SEEDED", utils::capture.output(print(show)), invert = TRUE, value = TRUE)
    expect_lte(max(nchar(lines)), getOption("width"))
  }
  shown <- utils::capture.output(print(summary(fit)))
  expect_length(grep("^  `V[1-8]` and `V[1-8]`: 4 cells, mean count 75, noise ", shown), 7)
  one <- private_synthesis(data[1], table_schema(V1 = schema_logical()), 1, rng = "R")
  expect_no_match(paste(utils::capture.output(print(one)), collapse = " "), "pairs")
})

test_that("where nobody says a method it follows public numbers, and is not empty", {
  set.seed(65)
  data <- related_rows(400)
  for (cost in list(list(epsilon = 1), list(epsilon = 1, delta = 1e-6), list(rho = 0.1))) {
    release <- function(...) do.call(private_synthesis, c(list(data, related_schema(), rng = "R"), cost, list(...)))
    set.seed(66)
    fit <- release()
    expect_output(print(fit), "method aim")
    expect_identical(privacy(fit)$public$method, "aim")
    expect_gt(nrow(model_pairs(fit$model)), 0)
    set.seed(66)
    expect_identical(release(method = "aim"), fit)
    plan <- do.call(private_synthesis, c(list(unseen(400), schema = related_schema()), cost))
    expect_identical(plan$guarantee$public$method, "aim")
  }
  wide <- do.call(table_schema, structure(rep(list(schema_logical()), 51), names = paste0("c", 1:51)))
  expect_identical(private_synthesis(unseen(400), wide, epsilon = 1)$plan$method, "mst")
})

test_that("budgets are split into parts that add up, whatever they are", {
  set.seed(7)
  total <- c(exp(stats::rnorm(1000, 0, 5)), 2^-30, 1, 3, .1)
  parts <- vapply(total, function(one) split_cost(new_cost(c(epsilon = one)), c(network = .3, margins = .7)),
                  c(network = 0, margins = 0))
  expect_identical(parts[1, ] + parts[2, ], total)
  expect_equal(parts[1, ], .3 * total, tolerance = 1e-9)
})

test_that("wrong arguments are refused", {
  data <- related_rows(9)
  bad <- function(...) expect_error(private_synthesis(data, related_schema(), ...), class = "dptda_error_argument")
  bad()
  bad(1, rho = 1)
  bad(rho = 1, delta = .1)
  bad(1, delta = 0)
  bad(1, method = "topology")
  bad(1, method = "none")
  bad(1, method = 5)
  bad(1, method = kmeans_lloyd())
  bad(1, theta = 4)
  bad(1, rng = "none")
  expect_error(private_synthesis(data, c("a"), 1), "table_schema", class = "dptda_error_argument")
  expect_error(simulate(synthesis("margins"), -1), class = "dptda_error_argument")
})

# What stands in for everything that a release draws from rows, and knows of none: noise takes the place of counts, a
# choice goes by the number of candidates, a diagram is drawn as if there were none, a network stays as it began.
# (Flipped codes are drawn in a kernel from the codes and have no such place.)
blind <- list(
  add_noise = function(values, scale, kind, rng) {
    in_place <- function(values) round(40 * (1 + sin(seq_along(values))))
    if (is.list(values)) lapply(values, in_place) else in_place(values)
  },
  draw_choice = function(scores, epsilon, sensitivity, rng, count = 1) 1 + length(scores) %/% 2,
  choose_parents = function(source, scopes, score, choice, sensitivity, rng) {
    list(place = 1 + length(scopes) %/% 2, score = score)
  },
  draw_start = function(X, global, box, clusters, choice, rng)
    start_model(global, draw_centers(clusters, nrow(global$means), rng)),
  true_diagrams = function(plan, cloud) rep(list(matrix(0, 0, 2)), length(plan$dimensions)),
  train_autoencoder = function(codes, sizes, training, rng) start_weights(sizes, training$hidden, rng),
  training_noise = function(...) 2 # of public numbers, but found in seconds
)
run_blind <- function(run, names) if (length(names))
  with_replaced(names[1], blind[[names[1]]], run_blind(run, names[-1])) else run()

test_that("all of a release that knows of the rows went through noise or a choice", {
  cases <- c(lapply(setdiff(methods(), "dp2pub"), function(name) list(name, quick_method(name))),
             list(list("topology", quick_method("topology", decoder = "autoencoder", hidden = 3))))
  set.seed(8)
  here <- related_rows(100)
  # same number of rows; nothing else in common, but no message either
  there <- data.frame(a = "no level", b = FALSE, c = c(-Inf, rep(1e300, 99)))
  for (case in cases) {
    # what is said of a release is part of it
    release <- function(data) {
      set.seed(9)
      said <- testthat::capture_messages(
        fit <- private_synthesis(data, related_schema(), 2, delta = if (needs_delta(case[[1]])) 1e-3,
                                 method = case[[2]], rng = "R")
      )
      list(said = said, printed = utils::capture.output(print(fit)), bits = serialize(fit, NULL))
    }
    first <- run_blind(function() release(here), names(blind))
    expect_identical(run_blind(function() release(there), names(blind)), first)
    expect_false(identical(run_blind(function() release(here), "training_noise")$bits, first$bits))
  }
})

test_that("what no noise keeps is refused in these words by every method, before anything is spent, and only that", {
  set.seed(50)
  data <- related_rows(100)
  short <- function(name) if (name == "topology") synthesis_topology(cloud = 20, steps = 10) else name
  for (method in methods()) for (kind in c("epsilon", "delta", "rho", "mu")) {
    pure <- kind == "epsilon"
    if (pure && needs_delta(method) || !pure && method == "dp2pub") next
    for (least in c(5e-324, 1e-300, 1e-12, 1e-4)) {
      budget <- privacy_budget(epsilon = if (pure) 1, rho = if (!pure && kind != "mu") 1, mu = if (kind == "mu") 1)
      tried <- tryCatch({
        fit <- private_synthesis(data, related_schema(), epsilon = if (kind %in% c("epsilon", "delta")) least,
                                 rho = if (kind == "rho") least, mu = if (kind == "mu") least,
                                 delta = if (kind == "delta") 1e-6, method = short(method), rng = "R",
                                 budget = if (kind != "delta") budget)
        expect_identical(dim(simulate(fit, 3)), c(3L, 3L))
        "made"
      }, dptda_error_argument = conditionMessage)
      if (least == 1e-4) expect_identical(tried, "made")
      # with a delta, there is noise for every epsilon
      if (least < 1e-100 && kind != "delta") expect_false(tried == "made")
      if (tried != "made") {
        expect_match(tried, "^`(epsilon|rho|mu)` (or the rho of `mu` or `delta` )?is (so|too) small")
        expect_identical(budget$spent, 0)
      }
    }
  }
})

test_that("of the largest budgets there are none is spent in vain", {
  set.seed(51)
  data <- related_rows(60)
  for (method in methods()) for (kind in c("epsilon", "rho", "mu")) {
    if (kind == "epsilon" && needs_delta(method) || kind != "epsilon" && method == "dp2pub") next
    # the square of a larger mu is not a double
    for (most in if (kind == "mu") c(2^60, 1e150) else c(2^60, 1e300, 7e307, .Machine$double.xmax)) {
      measure <- structure(list(most), names = kind)
      budget <- do.call(privacy_budget, measure)
      short <- if (method == "topology") synthesis_topology(cloud = 20, steps = 10) else method
      settings <- list(data, related_schema(), method = short, budget = budget, rng = "R")
      fit <- do.call(private_synthesis, c(settings, measure))
      expect_identical(budget$spent, most)
      spent <- if (kind == "mu") most^2 / 2 else most
      expect_lte(sum(fit$steps[[if (kind == "epsilon") "cost_epsilon" else "rho"]] / spent), 1 + 1e-9)
      expect_identical(nrow(simulate(fit, 5)), 5L)
    }
  }
})

test_that("a matrix whose columns have names is a table, and one that was scaled by its rows is none", {
  schema <- table_schema(eruptions = schema_numeric(1, 6, cells = 5), waiting = schema_numeric(40, 100, cells = 5))
  release <- function(x) {
    set.seed(3)
    private_synthesis(x, schema, epsilon = 1, rng = "R")
  }
  expect_equal(simulate(release(as.matrix(faithful)), 5, seed = 1), simulate(release(faithful), 5, seed = 1))
  expect_error(release(unname(as.matrix(faithful))), "not a double matrix", class = "dptda_error_argument")
  expect_error(release(scale(faithful)), "scaled by its own rows", class = "dptda_error_argument")
})

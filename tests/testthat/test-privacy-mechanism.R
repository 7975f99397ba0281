# Mechanisms are public: nothing of the rows is in them, and what is drawn from one is what the exported function
# releases.

# The mechanism that a call makes, caught before any row is looked at.
caught_mechanism <- function(call, frame) {
  caught <- NULL
  with_replaced("draw_release", function(mechanism, ...) {
    caught <<- mechanism
    stop("caught")
  }, try(eval(call, frame), silent = TRUE))
  caught
}

# Rows with a number and a string that occur nowhere else, `times` over.
rare_number <- 0.71828182845
rare_frame <- function(times) {
  rows <- recorded_rows()[rep(seq_len(60), times), ]
  row.names(rows) <- NULL
  rows$a[7] <- rare_number
  rows$group[7] <- "rarely"
  frame <- recording_frame(rows)
  frame$X <- as.matrix(rows[c("a", "b")])
  frame$tensors <- rep(frame$tensors, times)
  frame$tensors[[2]] <- diag(c(1 + rare_number / 10, 1))
  frame$poles <- frame$poles[rep(1:8, times), ]
  frame
}

holds_bytes <- function(mechanism, bytes) length(grepRaw(bytes, serialize(mechanism, NULL), fixed = TRUE)) > 0

made_mechanisms <- function(times) {
  calls <- recorded_releases()
  calls <- calls[!names(calls) %in% not_releases]
  # so many rows are too many for the delta of one of the calls
  made <- suppressWarnings(lapply(calls, caught_mechanism, rare_frame(times)), classes = "dptda_warning_delta")
  Filter(Negate(is.null), made)
}

# Calls that release nothing.
not_releases <- c("noise", "points on a manifold", "Markov chain")

test_that("no mechanism holds anything of the rows", {
  few <- made_mechanisms(1)
  many <- made_mechanisms(100)
  expect_identical(names(few), setdiff(names(recorded_releases()), not_releases))
  expect_identical(names(many), names(few))
  for (name in names(few)) {
    expect_false(moving_parts(few[[name]]), label = paste("a function or an environment in:", name))
    expect_false(holds_bytes(few[[name]], writeBin(rare_number, raw(), endian = "big")),
                 label = paste("a number of the rows in:", name))
    expect_false(holds_bytes(few[[name]], charToRaw("rarely")), label = paste("a string of the rows in:", name))
    # 5,940 rows more
    grown <- length(serialize(many[[name]], NULL)) - length(serialize(few[[name]], NULL))
    expect_lt(grown, 10000, label = paste("by how much", name, "grew"))
  }
})

# All that a mechanism is made of; a number of rows may be an integer or a double.
bits_of <- function(mechanism) exact_lines(rapply(as.list(unclass(mechanism)), as.double, "integer", how = "replace"))

# By the examples: neighbors have one number of rows, and of the rows nothing else may be in a mechanism, no sum of all
# of them either.
test_that("a mechanism is the same for neighbors, and what its number of rows and public arguments make", {
  withr::local_options(dptda.weak_release = FALSE)
  for (example in Filter(function(one) !is.null(one$release), mechanism_examples())) {
    made <- lapply(example[c("x", "neighbor")], function(x) {
      bits_of(caught_mechanism(as.call(c(list(as.name(example$release), x), example$settings)), globalenv()))
    })
    said <- if (!identical(made$x, made$neighbor)) "is another one for a neighbor: something of the rows is in it" else
      if (!identical(made$x, bits_of(example$mechanism))) {
        paste0("is not what ", example$release, "() makes of as many unseen() rows: it may ",
               "hold something of them")
      }
    expect(is.null(said), paste0("the mechanism of ", example$name, " ", said, "; see ",
                                 file_of(class(example$mechanism$plan))))
  }
})

# Which kernels ask for randomness, of the system or of R's stream, while `code` runs; a public key is none. "R": its
# stream has moved, by a kernel or by itself.
draws_within <- function(code) {
  asked <- character()
  plain <- kernel_options
  set.seed(1)
  before <- get(".Random.seed", globalenv())
  with_replaced("kernel_options", function(rng = NULL, ...) {
    if (is.character(rng)) asked <<- c(asked, rng)
    plain(rng, ...)
  }, code)
  unique(c(asked, if (!identical(before, get(".Random.seed", globalenv()))) "R"))
}

test_that("what the rows give draws nothing: it comes before the charge", {
  for (example in mechanism_examples()) {
    rows <- settle_rows(rows_for(example$mechanism$plan, example$x), "R")
    drawn <- draws_within(statistic_of(example$mechanism$plan, rows))
    classes <- class(example$mechanism$plan)
    expect(length(drawn) == 0, paste0("statistic_of() of ", example$name, " draws, before the charge: draw_of() does; ",
                                      "see ", file_of(classes)))
  }
  expect_identical(draws_within(rdiscrete_laplace(1, 1)), "os")
  expect_identical(draws_within(stats::runif(1)), "R")
})

test_that("the search for rows in mechanisms finds them", {
  rows <- rare_frame(1)$rows
  kept <- new_mechanism(public_plan("own", rows = rows), NULL)
  expect_true(holds_bytes(kept, writeBin(rare_number, raw(), endian = "big")))
  expect_true(holds_bytes(kept, charToRaw("rarely")))
  expect_true(moving_parts(new_mechanism(public_plan("own", draw = function() rows), NULL)))
  expect_true(moving_parts(new_mechanism(public_plan("own", x = structure(1, rows = globalenv())), NULL)))
})

test_that("questions cost no more than was spent, and end with their release", {
  query <- function(cost) list(cost = c(rho = cost), statistic = identity, draw = function(exact, rng) exact)
  questions <- open_questions(7, c(rho = 1), "R")
  expect_identical(questions$ask(query(.75)), 7)
  expect_error(questions$ask(query(.26)), "more than its release has left", class = "dptda_error_budget")
  expect_identical(questions$ask(query(.25)), 7)
  expect_error(questions$ask(query(1e-9)), class = "dptda_error_budget")
  expect_error(open_questions(7, c(rho = 1), "R")$ask(list(cost = c(epsilon = .1))),
               class = "dptda_error_budget")
  for (cost in c(NA, NaN)) {
    expect_error(open_questions(7, c(rho = 1), "R")$ask(query(cost)), class = "dptda_error_budget")
  }
  questions <- open_questions(rare_number, c(rho = 1), "R")
  questions$close()
  expect_error(questions$ask(query(.1)), "after its release had ended", class = "dptda_error_budget")
  # who keeps it keeps no rows
  expect_false(holds_bytes(questions$ask, writeBin(rare_number, raw(), endian = "big")))
  # nothing can be taken back
  questions <- open_questions(7, c(rho = 1), "R")
  expect_error(questions$ask(query(-1)), class = "dptda_error_budget")
})

# The shares of adaptive releases: all that is asked is all that was spent, up to roundings.
test_that("adaptive releases ask for what they pay", {
  frame <- recording_frame(recorded_rows())
  opened <- open_questions
  for (name in c("covariance", "covariance, epsilon and delta", "mixture", "mixture, hard, box",
                 "bounds by quantiles")) {
    asked <- total <- 0
    with_replaced("open_questions", function(seen, adaptive, rng) {
      questions <- opened(seen, adaptive, rng)
      total <<- adaptive
      list(ask = function(query) {
        asked <<- asked + query$cost[[1]]
        questions$ask(query)
      }, close = questions$close)
    }, eval(recorded_everywhere()[[name]], frame))
    expect_equal(asked, total[[1]], tolerance = 1e-9, label = name)
  }
})

test_that("many draws at once have the law of single ones", {
  rows <- recording_frame(recorded_rows())
  set.seed(21)
  for (call in list(quote(private_count(rows, columns = "inside", epsilon = 1)),
                    quote(private_sum(rows, box, rho = .5, columns = c("a", "b"))))) {
    mechanism <- caught_mechanism(call, rows)
    seen <- statistic_of(mechanism$plan, check_rows(rows$rows, if (length(mechanism$plan$unit))
                                                    c("a", "b") else "inside", "rows"))
    many <- draws_of(mechanism$plan, seen, 4000, "R")
    single <- do.call(rbind, lapply(1:4000, function(run) draw_of(mechanism$plan, seen, "R")))
    expect_identical(dim(many), dim(single))
    # fails once in 10^6 where the laws are equal, and the seed is fixed
    for (j in seq_len(ncol(many))) expect_gt(suppressWarnings(stats::ks.test(many[, j], single[, j])$p.value), 1e-6)
  }
})

test_that("a release with epsilon and delta is declared as such, and has Gaussian noise", {
  frame <- recording_frame(recorded_rows())
  for (call in list(quote(private_count(rows, columns = "inside", epsilon = 1, delta = 1e-6)),
                    quote(private_table(rows, c("u", "v"), epsilon = 1, delta = 1e-6, columns = "group")),
                    quote(private_quantile(rows, c(-2, 2), .5, epsilon = 1, delta = 1e-6, columns = "a",
                                           method = "counts")),
                    quote(private_mean(rows, box, epsilon = 1, delta = 1e-6, columns = c("a", "b"))),
                    quote(private_frechet_mean(tensors, manifold_spd(2), diag(2), .5, epsilon = 1, delta = 1e-6)))) {
    guarantee <- privacy(eval(call, frame))
    expect_identical(guarantee$measure, c(epsilon = 1, delta = 1e-6))
    expect_match(guarantee$mechanism, "rounded Gaussian noise")
    kept <- privacy_convert(guarantee, to = "epsilon", delta = 1e-6)$measure[["epsilon"]]
    expect_lte(kept, 1)
    expect_gt(kept, 1 - 1e-6) # nothing is wasted
    budget <- privacy_budget(epsilon = 1, delta = 1e-6)
    eval(as.call(c(as.list(call), list(budget = budget))), frame)
    expect_error(eval(as.call(c(as.list(call), list(budget = budget))), frame), class = "dptda_error_budget")
  }
})

test_that("what cannot be had is refused in one sentence that says why", {
  frame <- recording_frame(recorded_rows())
  said <- function(call) conditionMessage(expect_error(eval(call, frame), class = "dptda_error_argument"))
  expect_identical(said(quote(private_graph(edges, rho = 1, n = 9))),
                   "`rho` must be NULL here: each pair is flipped, which keeps a pure epsilon. Give `epsilon` instead.")
  expect_match(said(quote(private_graph(edges, epsilon = 1, delta = .1, n = 9))),
               "^`delta` must be NULL here: each pair")
  expect_match(said(quote(private_diagram(X, grid, epsilon = 1, delta = .1, m0 = .2))),
               "^`delta` must be NULL here: a diagram")
  expect_match(said(quote(private_mixture(X, box, 2, epsilon = 1))),
               "^`delta` must be given with `epsilon`, or `rho` or `mu` instead of both: ")
  expect_match(said(quote(private_mean(X, box, rho = 1, delta = .1))),
               "^`delta` must be NULL with `rho`. Use it with `epsilon`.")
  expect_match(said(quote(private_mean(X, box, epsilon = 1, delta = 0))), "^`delta` must be one finite number above 0")
})

test_that("a delta of 1 / n or more is warned of, once, by public numbers and before anything is spent", {
  warn_of_weak()
  warned <- function(code) {
    told <- character()
    withCallingHandlers(code, dptda_warning_weak = function(cnd) {
      if (inherits(cnd, "dptda_warning_delta")) told <<- c(told, conditionMessage(cnd))
      tryInvokeRestart("muffleWarning")
    })
    told
  }
  box <- domain_box(0, 1)
  for (delta in c(.1, .5, .99)) {
    for (call in list(quote(private_count(unseen(10), epsilon = 1, delta = delta)),
                      quote(private_count(rep(TRUE, 10), epsilon = 1, delta = delta)),
                      quote(private_mean(rep(.5, 10), box, epsilon = 1, delta = delta)),
                      quote(private_covariance(rep(.5, 10), box, epsilon = 1, delta = delta)),
                      quote(private_kmeans(rep(.5, 10), box, 1, epsilon = 1, delta = delta)),
                      quote(private_synthesis(data.frame(a = rep("u", 10)), table_schema(a = c("u", "v")), epsilon = 1,
                                              delta = delta, method = "margins")))) {
      told <- warned(eval(call))
      expect_length(told, 1)
      expect_match(told, paste0("^`delta` is ", delta, "[.] A release that publishes one row, .* below 1 / 10[.]$"))
    }
  }
  people <- unseen(1000, person = "patient")
  expect_match(warned(private_count(as_unseen(people), epsilon = 1, delta = .001)),
               "all rows of one person, .* 1 / 1,000[.]$")
  for (none in list(quote(private_count(unseen(10), epsilon = 1, delta = .099)),
                    quote(private_count(unseen(10), epsilon = 1)),
                    quote(private_count(unseen(10), rho = 1)), quote(private_count(unseen(1), epsilon = 1, delta = .5)),
                    quote(private_count(as_unseen(people), epsilon = 1, delta = .0009)))) {
    expect_identical(warned(eval(none)), character())
  }
  # what is warned of can be given up: nothing is spent
  budget <- privacy_budget(epsilon = 1, delta = .9)
  tryCatch(private_count(rep(TRUE, 10), epsilon = 1, delta = .5, budget = budget), dptda_warning_delta = identity)
  expect_identical(nrow(budget$ledger), 0L)
  # it says the same of all rows
  said <- function(x) warned(private_count(x, epsilon = 1, delta = .5))
  expect_identical(said(rep(TRUE, 10)), said(rep(c(TRUE, FALSE), 5)))
})

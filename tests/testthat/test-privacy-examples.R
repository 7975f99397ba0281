# All that every mechanism must have, as far as examples have to be evaluated: tools/release.R sees the rest. Whatever
# is missing is said by the name of the mechanism and of the file to write.

# The classes of plans for which there is a way from rows to numbers: of releases, and of their steps.
mechanism_classes <- function() {
  namespace <- asNamespace("dptda")
  sub("^statistic_of[.]", "", ls(namespace, pattern = "^statistic_of[.]"))
}

is_method <- function(generic, classes) {
  found <- lapply(classes, function(class) {
    utils::getS3method(generic, class, optional = TRUE, envir = asNamespace("dptda"))
  })
  !vapply(found, is.null, NA)
}

examples <- mechanism_examples()
release_examples <- Filter(function(one) !is.null(one$release), examples)
releases <- unique(vapply(release_examples, `[[`, "", "release"))
reached_examples <- Filter(function(one) length(only_reached(one$release)) > 0, release_examples)
release_name <- function(one) one$release

# Another release with an argument that is given.
short_forms <- c(private_median = "private_quantile", private_cor = "private_covariance")

test_that("every mechanism has an example, and so has every release", {
  covered <- unique(unlist(lapply(examples, function(one) class(one$mechanism$plan))))
  without <- setdiff(mechanism_classes(), covered)
  expect_nothing_missing(lapply(without, function(class) {
    has_no("example", class, paste0("example_of.", class, "() in ", file_of(class)))
  }))
  exported <- setdiff(grep("^private_", getNamespaceExports("dptda"), value = TRUE), names(short_forms))
  expect_nothing_missing(lapply(setdiff(exported, releases), function(name) {
    has_no("example", name, "an example_of() method for its plan, beside the release")
  }))
})


test_that("a release of unseen rows is its mechanism, and charges nothing", {
  for (example in release_examples) {
    expect_s3_class(example$mechanism, "dptda_mechanism")
    if (example$release == "private_synthesis") next # asks a budget at which order it counts
    budget <- budget_of_example(example)
    expect_error(do.call(example$release, c(list(unseen(10)), example$settings, list(budget = budget))),
                 "^`budget` must be NULL for unseen\\(\\) rows", class = "dptda_error_argument", label = example$name)
    expect_true(all(budget$spent == 0), label = example$name)
  }
})
test_that("every mechanism has the methods that all ask for", {
  for (example in examples) {
    classes <- class(example$mechanism$plan)
    wanted <- c("rows_for", "statistic_of", "draw_of", "result_of", "noise_of")
    if (inherits(example$mechanism$plan, "additive") && !any(is_method("noise_of", setdiff(classes, "additive")))) {
      wanted <- c(wanted, "noise_target")
    }
    for (generic in wanted) {
      expect_nothing_missing(if (!any(is_method(generic, c(classes, "default")))) {
        has_no(paste("method for", generic), example$name,
               paste0(generic, ".", classes[1], "() in ", file_of(classes)))
      })
    }
  }
})

test_that("every mechanism says what it is for", {
  for (example in examples) {
    price <- privacy_price(example$mechanism)
    class <- class(example$mechanism$plan)[1]
    expect_nothing_missing(if (!nrow(price$noise) && !is.null(example$release)) {
      has_no("noise in its price", class, paste0("noise_of.", class, "() in ", file_of(class)))
    })
    expect_equal(sum(price$ledger$value[price$ledger$measure == names(price$guarantee$measure)[1]]),
                 price$guarantee$measure[[1]], info = example$name)
  }
})

test_that("nothing of the rows is in a mechanism of an example, and no function", {
  for (example in examples) {
    # a metric of the user's own is a function
    if (grepl("a function", example$name)) next
    expect_false(moving_parts(example$mechanism), label = paste("a function or an environment in:", example$name))
  }
})

# The rows of an example, `n` of them.
some_rows <- function(x, n) {
  rows <- if (n > 0) rep(1, n) else integer()
  if (is.data.frame(x) || is.matrix(x)) return(x[rows, , drop = FALSE])
  if (is.array(x)) return(x[, , rows, drop = FALSE])
  x[rows]
}

# Of a list some numbers may be missing, or infinite where there is no bound; none is what 0 / 0 is.
is_finite_release <- function(x) {
  numbers <- unlist(rapply(list(unclass(x)), as.double, "numeric", how = "unlist"))
  !any(is.nan(numbers)) && (!inherits(x, "dptda_private_value") || all(is.finite(numbers)))
}

# A graph has vertices and no rows; points on a sphere that are one vector are one row.
test_that("no rows, or one, are refused before anything is spent, or released as finite numbers", {
  for (example in reached_examples[!duplicated(vapply(reached_examples, release_name, ""))]) {
    if (is_graph_release(example$release)) next
    for (n in 0:1) {
      budget <- privacy_budget(epsilon = 100, delta = .5)
      rows <- structure(list(some_rows(example$x, n)), names = names(formals(example$release))[1])
      found <- tryCatch(
        suppressWarnings(do.call(example$release, c(rows, example$settings, list(budget = budget, rng = "R")))),
        error = identity
      )
      label <- paste0(example$release, "() of ", n, " row", if (n != 1) "s", ", see ",
                      file_of(class(example$mechanism$plan)))
      if (inherits(found, "error")) {
        expect(inherits(found, "dptda_error"), paste(label, "failed by an error of R's:", conditionMessage(found)))
        expect(nrow(budget$ledger) == 0, paste(label, "failed after it had been spent:", conditionMessage(found)))
      } else {
        expect(is_finite_release(found), paste(label, "released what is no number"))
        expect(nrow(budget$ledger) > 0, paste(label, "was not spent"))
      }
    }
  }
})

# Standard deviations of 2,000 results, as far as a price says them of results: of numbers that are whole or sums, and
# of the pairs of a graph. Of a sample of 2,000 they are known to 3 percent, Laplace noise to 4: six of these are 25
# percent.
test_that("the noise that a price states is the spread of 2,000 results", {
  set.seed(330)
  for (example in reached_examples) {
    price <- privacy_price(example$mechanism)
    plan <- example$mechanism$plan
    # what is computed from the numbers that get noise: these, in their own units
    derived <- inherits(plan, "derived")
    direct <- inherits(plan, "additive") && is.double(simulate(example$mechanism, 1, x = example$x)[[1]])
    if (!direct && example$release != "private_graph") next
    numbers <- if (derived) {
      study_draws(example$mechanism, example$x, 2000, "R") %*% diag(price$noise$scale / plan$noise$scale)
    } else {
      do.call(rbind, lapply(simulate(example$mechanism, 2000, x = example$x), function(one) {
        if (is.double(one)) one$value else example$part(one)
      }))
    }
    spread <- apply(numbers, 2, stats::sd)
    stated <- rep_len(price$noise$sd, length(spread))
    expect(all(abs(spread / stated - 1) < .25),
           paste0(example$name, " states noise of standard deviation ", paste(signif(stated, 3), collapse = ", "),
                  ", and has ",
                  paste(signif(spread,
                               3), collapse = ", "), ": see noise_of() in ", file_of(class(example$mechanism$plan))))
    within <- price$noise$within
    if (!anyNA(within)) {
      center <- rep(apply(numbers, 2, stats::median), each = nrow(numbers))
      inside <- mean(abs(numbers - center) <= rep(rep_len(within, ncol(numbers)), each = nrow(numbers)) + 1e-9)
      expect(inside > .93, paste(example$name, "states that its noise stays within", signif(within[1], 3),
                                 "95 times of 100, and it does",
                                 round(100 * inside), "times"))
    }
  }
})

# Of one choice the law itself is asked: results that are off by k have the weight exp(-k / scale). With the seed below
# no right one is refused, and with others one in a million.
test_that("what a price states of the exponential mechanism holds in 2,000 results", {
  set.seed(331)
  asked <- 0
  for (example in reached_examples) {
    noise <- privacy_price(example$mechanism)$noise
    noise <- noise[noise$kind == "exponential mechanism" & !is.na(noise$within), ]
    if (!nrow(noise)) next
    file <- file_of(class(example$mechanism$plan))
    if (is.null(example$off)) {
      expect_nothing_missing(has_no("`off`", example$name, paste("it in release_example() in", file)))
      next
    }
    results <- simulate(example$mechanism, 2000, x = example$x)
    off <- vapply(results, example$off, 0)
    inside <- mean(off <= noise$within[1] + 1e-9)
    expect(inside > .93, paste0(example$name, " states that it is off by ", signif(noise$within[1], 3),
                                " at most 95 times of 100, and it is ", round(100 * inside),
                                " times: see noise_of() in ", file))
    # by halving, cells with rows have many distances in them, those of the digits of the rows
    # and cells that are drawn together have the weights of the largest of their distances
    plan <- example$mechanism$plan
    alone <- length(results[[1]]$value) == 1 && is.null(plan$splits) && is.null(plan$targets)
    if (isTRUE(example$mechanism$guarantee$steps[[1]]$parts$range > 0) && alone) {
      value <- vapply(results, function(one) format(one$value), "")
      count <- table(value)
      count <- count[count >= 50]
      # of a thousand cells only one has so many
      if (length(count) < 2) next
      asked <- asked + 1
      weight <- exp(-off[match(names(count), value)] / noise$scale[1])
      expect(stats::chisq.test(count, p = weight / sum(weight))$p.value > 1e-6,
             paste0(example$name, " states a scale of ", signif(noise$scale[1], 3), ", and its results do not have ",
                    "the weights exp(-off / scale): see noise_of() in ", file))
    }
  }
  expect_gte(asked, if (length(reached_examples) == length(release_examples)) 2 else 0)
})

test_that("noise that no sum shows is that of the plan", {
  for (example in reached_examples) {
    noise <- example$mechanism$plan$noise
    # of a cell that is drawn the price says how far its rank may be off, and no deviation
    if (is.null(noise) || noise$kind == "exponential") next
    if (is.double(simulate(example$mechanism, 1, x = example$x)[[1]]) &&
      inherits(example$mechanism$plan, "additive")) next
    said <- privacy_price(example$mechanism)$noise
    drawn <- noise_deviation(noise$kind, noise$scale)
    drawn <- drawn * noise$step
    # of sums with counts in other units, in those of each
    counted <- inherits(example$mechanism$plan, "counted_sums")
    if (counted) drawn <- noise_deviation(noise$kind, noise$scale) / noise$scale
    stated <- if (counted) said$sd / said$scale else said$sd
    expect_true(all(vapply(drawn, function(one) any(abs(stated / one - 1) < 1e-9), NA)), label = example$name)
  }
})

test_that("every mechanism has been audited", {
  table <- utils::read.csv(system.file("audits", "results", "audits.csv", package = "dptda"))
  expect_nothing_missing(lapply(setdiff(names(examples), table$mechanism), function(name) {
    has_no("row in inst/audits/results/audits.csv", name, paste0("it by Rscript inst/audits/audits.R 20000 '", name,
                                                                 "'"))
  }))
})

test_that("examples are found by a part of their names", {
  expect_named(mechanism_examples("private_count(rho)"), "private_count(rho)")
  expect_length(mechanism_examples("no such mechanism"), 0)
  expect_error(mechanism_examples(1), class = "dptda_error_argument")
  expect_error(mechanism_examples(c("a", "b")), class = "dptda_error_argument")
})

test_that("no promise has a floating-point number in it, but of noise on a manifold that is asked for by name", {
  said <- lapply(examples, function(one) one$mechanism$guarantee$inexact)
  by_name <- vapply(examples, function(one) identical(one$mechanism$plan$method, "intrinsic"), NA)
  expect_true(any(by_name))
  expect_length(unlist(said[!by_name]), 0)
  expect_true(all(lengths(said[by_name]) == 1))
})

test_that("what is drawn is drawn by kernels with a proof, in whole numbers, or the guarantee says otherwise", {
  script <- checkout_file("tools", "samplers.R")
  skip_if(is.null(script), "not in a checkout")
  printed <- in_new_session(readLines(script))
  expect_null(attr(printed, "status"), info = tail(printed, 3))
  expect_match(printed, " of [0-9]+ examples draw noise in doubles$", all = FALSE)
})

# Each operation on releases gives what it gives on their plain numbers, and the guarantee of what it was computed of.

four_cells <- function(...) private_table(c("a", "a", "b"), levels = c("a", "b", "c"), ..., epsilon = 1)

expect_kept <- function(result, plain, guarantee) {
  expect_s3_class(result, c("dptda_private_derived", "dptda_private_value", "dptda_result"), exact = TRUE)
  expect_identical(result$value, plain)
  expect_identical(privacy(result), guarantee)
}

drops_guarantee <- function(code) {
  said <- list()
  result <- withCallingHandlers(code, dptda_message_guarantee = function(cnd) {
    said <<- c(said, list(cnd))
    invokeRestart("muffleMessage")
  })
  expect_length(said, 1)
  expect_null(privacy(result))
  expect_false(inherits(result, "dptda_private_value"))
  conditionMessage(said[[1]])
}

# Not an expectation for each, of which there are thousands.
is_kept <- function(result, plain, guarantee) {
  identical(class(result), c("dptda_private_derived", "dptda_private_value", "dptda_result")) &&
    identical(result$value, plain) && identical(privacy(result), guarantee)
}

test_that("each of Ops with public numbers keeps the guarantee, on both sides, of numbers and vectors", {
  operators <- c("+", "-", "*", "/", "^", "%%", "%/%", "==", "!=", "<", "<=", ">", ">=", "&", "|")
  others <- list(2, -1.5, 3L, TRUE, 0, c(1, 2), 1:12, NA, NaN, Inf, double(), NULL, matrix(1:4, 4), 1i)
  count <- private_count(rep(TRUE, 10), epsilon = noiseless)
  wrong <- character()
  tried <- 0
  for (release in list(count, four_cells(), private_mean(cbind(u = 1:3, v = 1), domain_box(c(0, 0), c(4, 4)), 1))) {
    plain <- release$value
    for (name in operators) for (other in others) {
      f <- get(name, mode = "function")
      expected <- suppressWarnings(tryCatch(list(f(plain, other), f(other, plain)), error = function(cnd) NULL))
      if (is.null(expected)) next
      tried <- tried + 1
      kept <- suppressWarnings(is_kept(f(release, other), expected[[1]], privacy(release)) &&
                                 is_kept(f(other, release), expected[[2]], privacy(release)))
      if (!kept) wrong <- c(wrong, paste(class(release)[1], name, deparse1(other)))
    }
    for (f in list(`-`, `+`, `!`)) expect_kept(f(release), f(plain), privacy(release))
  }
  expect_identical(wrong, character())
  expect_gt(tried, 500)
  expect_warning(four_cells() + 1:3, "not a multiple")
})

test_that("each of Math and Summary keeps the guarantee", {
  groups <- c("abs", "sign", "sqrt", "floor", "ceiling", "trunc", "round", "signif", "exp", "log", "expm1", "log1p",
              "cos", "sin", "tan", "cospi", "sinpi", "tanpi", "acos", "asin", "atan", "cosh", "sinh", "tanh", "acosh",
              "asinh", "atanh", "lgamma", "gamma", "digamma", "trigamma", "cumsum", "cumprod", "cummax", "cummin",
              "all", "any", "sum", "prod", "max", "min", "range")
  for (release in list(private_count(rep(TRUE, 10), epsilon = 1), four_cells(), four_cells()[0])) {
    plain <- release$value
    kept <- suppressWarnings(vapply(groups, function(name) {
      f <- get(name, mode = "function")
      is_kept(f(release), f(plain), privacy(release))
    }, NA))
    expect_identical(groups[!kept], character())
    expect_kept(round(release / 7, 2), round(plain / 7, 2), privacy(release))
    expect_kept(signif(release / 7, digits = 2), signif(plain / 7, 2), privacy(release))
    expect_kept(log(abs(release) + 1, base = 2), log(abs(plain) + 1, 2), privacy(release))
    expect_kept(sum(release, 1:3, NA, na.rm = TRUE), sum(plain, 1:3), privacy(release))
    expect_kept(max(release, 4), max(plain, 4), privacy(release))
    expect_kept(mean(release), mean(plain), privacy(release))
    expect_kept(median(release), stats::median(plain), privacy(release))
    expect_kept(quantile(release, c(.1, .5)), stats::quantile(plain, c(.1, .5)), privacy(release))
    expect_kept(diff(release), diff(plain), privacy(release))
    expect_kept(unique(release), unique(plain), privacy(release))
  }
})

test_that("subsets, orders, copies and changes keep the guarantee, with names and sides", {
  h <- four_cells()
  plain <- h$value
  own <- privacy(h)
  expect_kept(h["b"], plain["b"], own)
  expect_kept(h[["b"]], plain[["b"]], own)
  expect_kept(h[], plain, own)
  expect_kept(h[-1], plain[-1], own)
  expect_kept(h[c(TRUE, FALSE)], plain[c(TRUE, FALSE)], own)
  expect_kept(h[c(1, NA)], plain[c(1, NA)], own)
  expect_kept(h[9], plain[9], own)
  expect_kept(h[0], plain[0], own)
  expect_kept(h[h > 0], plain[plain > 0], own)
  expect_kept(rev(h), rev(plain), own)
  expect_kept(sort(h), sort(plain), own)
  expect_kept(sort(h, decreasing = TRUE), sort(plain, decreasing = TRUE), own)
  expect_kept(sort(h, method = "radix"), sort(plain, method = "radix"), own)
  expect_kept(head(h, 2), plain[1:2], own)
  expect_kept(tail(h, -1), plain[-1], own)
  expect_kept(rep(h, times = 2), rep(plain, 2), own)
  expect_kept(rep(h, each = 2), rep(plain, each = 2), own)
  expect_kept(t(h), t(plain), own)
  expect_kept(c(h, z = 5), c(plain, z = 5), own)
  expect_kept(ifelse(h > 1, h, 0), ifelse(plain > 1, plain, 0), own)
  changed <- h
  changed[changed < 1] <- 0
  expect_kept(changed, replace(plain, plain < 1, 0), own)
  expect_kept(replace(h, 2, 9), replace(plain, 2, 9), own)
  changed[["a"]] <- 7
  expect_identical(changed$value[["a"]], 7)
  expect_identical(privacy(changed), own)
  names(changed) <- 1:4
  expect_identical(names(changed), as.character(1:4))
  expect_identical(privacy(changed), own)
  expect_kept(unname(h), unname(plain), own)
  long <- h
  length(long) <- 6
  expect_kept(long, `length<-`(plain, 6), own)
  m <- h
  dim(m) <- c(2, 2)
  matrix_of <- matrix(unname(plain), 2)
  expect_kept(m, matrix_of, own)
  expect_kept(m[1, ], matrix_of[1, ], own)
  expect_kept(m[, 2, drop = FALSE], matrix_of[, 2, drop = FALSE], own)
  expect_kept(m[cbind(1:2, 1:2)], matrix_of[cbind(1:2, 1:2)], own)
  expect_kept(m[[1, 2]], matrix_of[[1, 2]], own)
  expect_kept(head(m, 1), head(matrix_of, 1), own)
  expect_kept(t(m) * 2, t(matrix_of) * 2, own)
  dimnames(m) <- list(c("u", "v"), NULL)
  expect_identical(rownames(m), c("u", "v"))
  expect_kept(m["u", ], matrix_of[1, ], own)
  m[1, ] <- 0
  expect_identical(unname(m$value), rbind(0, matrix_of[2, ]))
  expect_output(print(m), "post-processed private table.*\\[,1\\].*epsilon = 1")
  expect_identical(as.data.frame(m)$V1, unname(m$value)[, 1])
})

test_that("two releases compose, and one that comes in twice is spent once", {
  x <- four_cells()
  y <- private_mean(1:3, domain_box(0, 4), epsilon = .5)
  both <- privacy_compose(x, y)
  for (name in c("+", "-", "*", "/", "^", "%%", "<", "==", "&")) {
    f <- get(name, mode = "function")
    expect_kept(f(x, y), f(x$value, y$value), both)
    expect_kept(f(x, x), f(x$value, x$value), privacy(x))
  }
  expect_kept(x / sum(x), x$value / sum(x$value), privacy(x))
  expect_kept(x[y > 0], x$value[y$value > 0], both)
  expect_kept(max(x, y), max(x$value, y$value), both)
  expect_kept(round(x, y * 0), round(x$value), both)
  expect_kept(c(x, y, x), c(x$value, y$value, x$value), both)
  expect_kept((x + y) - (y * x), (x$value + y$value) - (y$value * x$value), both)
  changed <- x
  changed[2] <- y
  expect_identical(privacy(changed), both)
  # whoever composes by hand says how often
  expect_identical(privacy_compose(x, x)$measure, c(epsilon = 2))
  # equal values are no sign of one draw
  z <- private_count(rep(TRUE, 10), epsilon = noiseless)
  again <- private_count(rep(TRUE, 10), epsilon = noiseless)
  expect_identical(z$value, again$value)
  expect_identical(privacy(z - z), privacy(z))
  expect_identical(privacy(z - again), privacy_compose(z, again))
  three <- x + y + z
  expect_equal(privacy(three)$measure, c(epsilon = 1.5 + noiseless))
  # other measures
  gaussian <- private_count(TRUE, rho = .1)
  expect_identical(privacy(x + gaussian)$measure, privacy_compose(x, gaussian)$measure)
})

test_that("releases for unlike relations or units are refused in one sentence", {
  x <- private_count(TRUE, epsilon = 1)
  for (relation in c("add_remove", "edge")) {
    other <- attach_guarantee(x, privacy_declare(epsilon = 1, relation = relation))
    for (code in list(function() x + other, function() other < x, function() c(x, other), function() max(x, other),
                      function() x[other > 0])) {
      expect_error(code(), "do not add up", class = "dptda_error_relation")
    }
  }
  # patients and doctors, in operations of several releases and of what was made of them
  visits <- data.frame(patient = c(1L, 1L, 2L), doctor = c(1L, 2L, 2L), well = TRUE)
  of <- function(person) private_count(table_rows(visits, "well", person = person), epsilon = 1)
  patients <- of("patient")
  for (other in list(of("doctor"), x, of("doctor") / 2, privacy_group(privacy(patients), 2))) {
    if (inherits(other, "dptda_guarantee")) other <- attach_guarantee(x, other)
    for (code in list(function() patients + other, function() other < 2 * patients, function() c(patients, other),
                      function() max(patients, other), function() patients[other > 0])) {
      expect_error(code(), "do not add up", class = "dptda_error_relation")
    }
  }
  both <- patients / of("patient")
  expect_identical(privacy(both)$measure, c(epsilon = 2))
  expect_identical(privacy(both)$person, "patient")
  expect_identical(privacy(round(patients) - patients), privacy(patients))
  pair <- attach_guarantee(x, privacy_group(privacy(x), 2))
  expect_error(x * pair, "different units", class = "dptda_error_relation")
  expect_identical(privacy(pair * 2)$unit, privacy(pair)$unit)
})

test_that("a chain of ten operations costs what its release did, and is as large", {
  x <- private_count(rep(TRUE, 50), epsilon = 1)
  y <- x
  for (i in 1:10) y <- (y * 2 + x) / 3 - 1
  expect_identical(privacy(y), privacy(x))
  expect_length(sources_of(y), 1)
  expect_lt(object.size(y), object.size(x + 1) + 1000)
  other <- private_count(rep(TRUE, 50), epsilon = .25)
  for (i in 1:10) y <- y + other - x
  expect_identical(privacy(y), privacy_compose(x, other))
})

test_that("what is not known to be public drops the guarantee with one message that shows no value", {
  x <- private_count(rep(TRUE, 123), epsilon = noiseless)
  lost <- pmax(x, 1e9)
  odd <- structure(7, class = "unheard")
  doubts <- list(
    function() x == "a", function() "a" == x, function() x + odd, function() odd * x, function() c(x, "a"),
    function() c(x, list(1)), function() x + lost, function() lost + x,
    function() round(lost), function() sum(lost), function() lost[1], function() max(x, odd), function() x[lost],
    function() x[factor(1)], function() replace(x, 1, "a"), function() replace(x, 1, odd), function() lost + 1,
    function() x + unclass(private_count(TRUE, 1)), function() mean(lost), function() `names<-`(x, odd)
  )
  for (code in doubts) {
    said <- suppressWarnings(drops_guarantee(code()))
    expect_match(said, "carries no guarantee")
    expect_no_match(said, "123|1e[+]?09|7")
  }
  expect_match(drops_guarantee(x == "a"), "`==`.*a character vector, which is not known to be public")
  expect_match(drops_guarantee(round(lost)), "`round()`", fixed = TRUE)
  # what can be done is done, what cannot be is R's error
  expect_identical(suppressMessages(x == "123"), TRUE)
  expect_identical(suppressMessages(lost + 1), 1e9 + 1)
  expect_error(x + "a", "non-numeric")
})

test_that("what is meant to be plain is plain, silently", {
  x <- four_cells()
  for (f in list(as.numeric, as.integer, as.character, as.logical, as.vector, as.list, unclass, format, is.na,
                 which.max, function(x) x$value, function(x) sapply(x, identity), function(x) audit_features(x))) {
    expect_silent(plain <- f(x + 0))
    expect_null(privacy(plain))
    expect_false(inherits(plain, "dptda_private_value"))
  }
  expect_identical(lapply(x, identity), as.list(x$value))
  # simulated numbers never had a guarantee
  simulated <- simulate(private_count(unseen(2), epsilon = 1), 1, x = c(TRUE, FALSE))[[1]]
  expect_silent(error <- abs(simulated - 1))
  expect_false(inherits(error, "dptda_private_value"))
  expect_match(drops_guarantee(x + simulated), "not a release")
  # R does not ask
  for (result in list(max(0, x), c(0, x), pmax(0, x), pmin(x, -1e9))) expect_null(privacy(result))
})

test_that("other classes with rules of their own take no guarantee with them", {
  x <- private_count(rep(TRUE, 10), epsilon = 1)
  for (other in list(Sys.Date(), Sys.time(), factor("a"), as.difftime(3, units = "days"))) {
    expect_null(privacy(suppressWarnings(suppressMessages(x + other))))
    expect_null(privacy(suppressWarnings(suppressMessages(other + x))))
  }
})

test_that("a result that was changed has no guarantee", {
  y <- four_cells() / 2
  marked <- y
  attr(marked, "extra") <- 1
  for (copy in list(marked, `mostattributes<-`(y$value + 1, attributes(y)), pmax(y, 1e9), unclass(y),
                    `attributes<-`(y$value * 2, attributes(y)))) {
    expect_null(privacy(copy))
  }
  expect_match(drops_guarantee(`attributes<-`(y$value * 3, attributes(y)) / 2), "changed")
  bare <- y
  attr(bare, "sources") <- NULL
  expect_match(drops_guarantee(bare + 1), "changed")
})

test_that("results are saved and read, and are still of the same draw", {
  x <- four_cells()
  y <- x / sum(x)
  file <- withr::local_tempfile()
  saveRDS(list(x, y), file)
  read <- readRDS(file)
  expect_identical(read, list(x, y))
  expect_identical(privacy(read[[1]] * y), privacy(x))
  expect_identical(privacy(unserialize(serialize(y, NULL)) - x), privacy(x))
  # no cell that was left out is in the file
  one <- private_table("a", levels = "a", epsilon = noiseless) * 0 + c(987654321, 1)
  expect_false(grepl("987654321", paste(deparse(one["other"]), collapse = ""), fixed = TRUE))
})

test_that("seeded draws are told apart by what they gave, and stay the same by their seed", {
  draw <- function(seed) {
    set.seed(seed)
    four_cells(rng = "R")
  }
  x <- draw(1)
  expect_identical(draw(1), x)
  expect_null(attr(x, "draw"))
  expect_identical(privacy(x / sum(x)), privacy(x))
  expect_identical(privacy(x - draw(1)), privacy(x))
  expect_identical(privacy(x + draw(2)), privacy_compose(x, draw(2)))
  expect_output(print(round(x)), "SEEDED: NOT PRIVATE")
  expect_output(print(x + four_cells()), "SEEDED: NOT PRIVATE")
})

test_that("a mark is of the system, and says nothing", {
  marks <- replicate(200, attr(private_count(TRUE, 1), "draw"))
  expect_match(marks, "^[0-9a-f]{32}$")
  expect_false(anyDuplicated(marks) > 0)
  x <- private_count(TRUE, 1)
  attr(x, "draw") <- NULL
  expect_identical(privacy(x), privacy(private_count(TRUE, 1)))
  # what nobody can tell is another draw each time
  expect_identical(privacy(x - x)$measure, c(epsilon = 2))
  expect_identical(privacy(2 * x), privacy(x))
  expect_identical(names(four_cells()$noise), c("kind", "scale", "step"))
  expect_error(four_cells()$draw, "no field", class = "dptda_error_argument")
})

test_that("noise is stated of linear functions, and of nothing else", {
  x <- four_cells()
  bounds <- function(...) structure(confint(...), of = NULL)
  ends <- bounds(x)
  expect_identical(attr(confint(3 * x), "of"), "data")
  expect_error(confint(3 * x, of = "population"), "^`of` must be \"data\" for this release",
               class = "dptda_error_argument")
  expect_equal(bounds(3 * x), 3 * ends)
  expect_equal(bounds(x / 4 + 1), ends / 4 + 1)
  expect_equal(unname(bounds(2 - x)), unname(2 - ends[, 2:1]))
  expect_equal(bounds(x * c(1, -2, 3, 0)),
               t(apply(ends * c(1, -2, 3, 0), 1, sort)) |> `dimnames<-`(dimnames(ends)))
  expect_equal(bounds(x["b"]), ends["b", , drop = FALSE])
  expect_equal(bounds(rev(x)), ends[4:1, ])
  expect_equal(bounds((x * c(1, 2, 3, 4))[c("c", "a")])[1, ], 3 * ends["c", ])
  expect_equal(unname(bounds(c(2 * x, 5))), unname(rbind(2 * ends, c(5, 5))))
  expect_equal(unname(bounds(c(p = 2 * x, q = 5))), unname(rbind(2 * ends, c(5, 5))))
  expect_equal(bounds(`names<-`(x, 1:4)), `rownames<-`(ends, 1:4))
  expect_equal(unname(bounds(rep(x, 2))), unname(rbind(ends, ends)))
  two <- private_mean(cbind(1:3, 4:6), domain_box(c(0, 0), c(4, 9)), epsilon = 1)
  expect_equal(bounds(c(two, x) * 2)[1:2, ], bounds(two * 2), ignore_attr = TRUE)
  expect_equal(bounds(two[2] + 1, level = .5), bounds(two, level = .5)[2, , drop = FALSE] + 1)
  gaussian <- private_count(TRUE, rho = 1)
  spread <- private_var(1:3, domain_box(0, 4), epsilon = 1)
  middle <- private_quantile(1:9, c(0, 10), .5, epsilon = 1)
  unknown <- list(x * x, x + x, x / sum(x), 1 / x, x^2, round(x), sum(x), x %% 2, x > 0, sort(x), x[x > 0], x + NA,
                  x * Inf, cumsum(x), x + gaussian, c(x, gaussian), c(x, round(x)), x[c(1, NA)], replace(x, 1, 0),
                  c(round(x), sum(x)), c(sum(x)), c(round(x), 5), c(x * Inf, x), c(middle, middle), c(x, spread),
                  -spread, spread[1], 2 * middle, x[0], x * 1i, mean(x), unique(x), `length<-`(x, 5),
                  ifelse(x > 0, x, 0))
  for (result in unknown) {
    expect_null(result$noise)
    expect_error(confint(result), "The noise of other results", class = "dptda_error_argument")
    expect_no_match(capture.output(print(result)), "data (", fixed = TRUE)
  }
  expect_output(print(2 * x), "data (95%)", fixed = TRUE)
  expect_output(print(2 * x, level = .5), "data (50%)", fixed = TRUE)
})

test_that("intervals of linear functions hold the noise as often as they say", {
  # false alarm: 1e-6, with a fixed seed
  set.seed(702)
  x <- private_table(integer(), levels = 1:3999, epsilon = 0.5, rng = "R")
  ends <- confint(10 - 3 * x[4000:1])
  expect_gte(sum(ends[, 1] <= 10 & ends[, 2] >= 10), stats::qbinom(1e-6, 4000, .95))
  expect_equal(summary(10 - 3 * x)$table$sd[1], stats::sd((3 * x)$value), tolerance = .1)
})

test_that("a result says what it is, and its guarantee", {
  x <- four_cells()
  expect_output(print(round(x / 3, 1)), "^<post-processed private table>\n.* a .*\nepsilon = 1 differential")
  both <- x / private_count(TRUE, .5)
  expect_output(print(both), "<post-processed private table, private count>.*composition of 2 steps")
  expect_output(print(rep(x, 100)), "... and 380 more", fixed = TRUE)
  expect_output(print(rep(x, 100) / x), "... and 200 more", fixed = TRUE)
  expect_output(print(x[0] > 1), "post-processed")
  expect_identical(as.data.frame(x / 2)$half_width, as.data.frame(x)$half_width / 2)
  expect_identical(names(as.data.frame(x > 2)), c("name", "value"))
  expect_setequal(utils::.DollarNames(round(x), ""), c("value", "noise"))
  expect_null(round(x)$noise)
  expect_error(round(x)$breaks, "no field", class = "dptda_error_argument")
  # in the place of a public number the answer says what to do
  expect_error(private_count(TRUE, epsilon = x[["a"]]), "as.numeric()", fixed = TRUE, class = "dptda_error_argument")
})

test_that("summary() has value, noise, interval and guarantee", {
  x <- four_cells()
  found <- summary(x)
  expect_s3_class(found, "summary.dptda_private_value")
  expect_identical(found$table$value, unname(x$value))
  expect_equal(found$table$sd, rep(noise_deviation("laplace", x$noise$scale), 4))
  expect_equal(as.matrix(as.data.frame(found)[c("lower", "upper")]), confint(x), ignore_attr = TRUE)
  expect_identical(found$guarantee, privacy(x))
  expect_output(print(found), "<private table>.*noise sd.*interval \\(95%\\).*epsilon = 1")
  expect_output(print(summary(x, level = .5)), "interval (50%)", fixed = TRUE)
  expect_output(print(summary(round(x))), "<post-processed private table>")
  expect_identical(names(summary(round(x))$table), c("name", "value"))
  expect_equal(summary(2 * x)$table$sd, 2 * found$table$sd)
  quantile <- private_quantile(1:9, c(0, 10), c(.2, .5), epsilon = 1, method = "counts")
  expect_identical(names(summary(quantile)$table), c("name", "value", "lower", "upper"))
  expect_equal(summary(quantile)$table$upper, unname(confint(quantile)[, 2]))
  for (release in list(private_count(TRUE, 1), private_sd(1:9, domain_box(0, 9), 1), x > 1, t(x), x[0], x * 1i)) {
    expect_output(print(summary(release)), "epsilon = 1")
  }
  expect_error(summary(x, level = 2), "`level`", class = "dptda_error_argument")
  expect_error(summary(x, lev = .5), class = "dptda_error_argument")
})

test_that("whatever an argument is, arithmetic raises no error of our own and claims nothing false", {
  x <- private_count(rep(TRUE, 10), epsilon = 1)
  for (value in list(list(), list(1), "nothing", character(), NA_character_, NULL, mean, quote(y), 1i, as.raw(1),
                     globalenv(), data.frame(a = 1), factor("a"), Sys.time(), y ~ x)) {
    for (f in list(`+`, `==`, `&`, c, max, round, function(x, y) x[y], function(x, y) replace(x, 1, y))) {
      result <- suppressWarnings(suppressMessages(tryCatch(f(x, value), error = identity)))
      if (inherits(result, "error")) {
        expect_false(inherits(result, "dptda_error"))
      } else if (!is.null(value) && !is.complex(value) && !is.character(value)) {
        expect_null(privacy(result))
      }
    }
  }
})

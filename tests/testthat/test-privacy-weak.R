# Calls by the number of rows or vertices `n` and a budget, all that public numbers are: of a release and its mechanism.
weak_calls <- function() {
  box <- domain_box(c(0, 0), c(1, 1))
  line <- domain_box(0, 1)
  grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.25)
  cells <- seq(0, 1, length.out = 11)
  square <- function(n) matrix(0.5, n, 2)
  by <- list(g = c("a", "b"))
  groups <- function(n) data.frame(x = rep(0.5, n), g = rep("a", n))
  truths <- function(n) rep(TRUE, n)
  schema <- table_schema(a = schema_numeric(0, 1, cells = 4), b = schema_numeric(0, 1, cells = 8))
  cells_of <- function(n) data.frame(a = rep(0.5, n), b = rep(0.5, n))
  synthesis <- function(method) list(two("synthesis", schema = schema, method = method), cells_of, "noise")
  two <- function(what, ...) {
    force(what)
    more <- list(...)
    function(n, x, ...) list(what = what, settings = c(more, list(...)), n = n, x = x(n))
  }
  list(
    mean = list(two("mean", box = box), square, "noise"), sum = list(two("sum", box = box), square, "noise"),
    var = list(two("var", box = box), square, "noise"), sd = list(two("sd", box = box), square, "noise"),
    count = list(two("count"), truths, "noise"), proportion = list(two("proportion"), truths, "noise"),
    histogram = list(two("histogram", breaks = cells), function(n) rep(0.5, n), "noise"),
    table = list(two("table", levels = letters), function(n) rep("a", n), "noise"),
    median = list(two("quantile", box = c(0, 1), probs = 0.5), function(n) rep(0.5, n), "noise"),
    quartiles = list(two("quantile", box = c(0, 1), probs = 1:3 / 4), function(n) rep(0.5, n), "noise"),
    counts = list(two("quantile", box = c(0, 1), probs = 0.5, method = "counts"), function(n) rep(0.5, n), "noise"),
    groups = list(two("mean", box = domain_box(c(x = 0), 1), by = by), groups, "noise"),
    frechet = list(two("frechet_mean", manifold = manifold_euclidean(2), center = c(0.5, 0.5), radius = 0.7), square,
                   "noise"),
    aim = synthesis("aim"), mst = synthesis("mst"), privbayes = synthesis("privbayes"), margins = synthesis("margins"),
    bounds = list(two("bounds"), function(n) rep(0.5, n), "no_box"),
    covariance = list(two("covariance", box = box), square, "no_fit"),
    mixture = list(two("mixture", box = box, k = 2), square, "no_fit"),
    lloyd = list(two("kmeans", box = box, k = 3), square, "no_fit"),
    tree = list(two("kmeans", box = box, k = 3, method = "tree"), square, "no_fit"),
    cube = list(two("kmeans", box = box, k = 3, method = "cube"), square, "no_fit"),
    grid = list(two("kmeans", box = box, k = 3, method = "grid"), square, "no_fit"),
    one = list(two("kmeans", box = line, k = 1), function(n) matrix(0.5, n), "no_fit"),
    diagram = list(two("diagram", grid = grid, m0 = 0.2, max_dimension = 1), square, "power")
  )
}

mechanism_of <- function(call) do.call(paste0("private_", call$what), c(list(unseen(call$n)), call$settings))

release_of <- function(call, ...) do.call(paste0("private_", call$what), c(list(call$x), call$settings, list(...)))

test_that("releases that can say little warn of it before anything is spent, and can be ended", {
  warn_of_weak()
  calls <- weak_calls()
  for (name in names(calls)) {
    one <- calls[[name]]
    few <- one[[1]](4, one[[2]], rho = 0.01)
    budget <- privacy_budget(rho = 1)
    told <- tryCatch(release_of(few, budget = budget), dptda_warning_weak = identity)
    expect_s3_class(told, paste0("dptda_warning_", one[[3]]))
    expect_s3_class(told, c("dptda_warning_weak", "dptda_warning", "warning"))
    expect_match(conditionMessage(told), "^With 4 rows .*and rho = 0.01, .* to stop here[.]$", label = name)
    expect_identical(budget$spent, 0)
    # the price says it as well
    price <- privacy_price(mechanism_of(few))
    expect_identical(conditionMessage(told),
                     paste(price$weak, "No budget has been spent yet. Set options(warn = 2) to stop here."))
    expect_output(print(price), "NOTE: With 4 rows")
    # once, and what is released is released
    said <- character()
    withCallingHandlers(release_of(few, budget = budget), warning = function(cnd) {
      said <<- c(said, conditionMessage(cnd))
      invokeRestart("muffleWarning")
    })
    expect_identical(said, conditionMessage(told))
    expect_equal(budget$spent, 0.01)
    many <- one[[1]](1e6, one[[2]], rho = 0.5)
    expect_null(privacy_price(mechanism_of(many))$weak, label = name)
  }
})

test_that("as many rows as the warning asks for are enough for there to be none, and so is the budget", {
  calls <- weak_calls()
  asked <- function(words) as.numeric(gsub(",", "", sub(".*It takes about ([0-9,]+) rows.*", "\\1", words)))
  costs <- list(list(rho = 0.01), list(mu = 0.14), list(rho = 3))
  for (name in setdiff(names(calls), "diagram")) for (measure in costs) {
    one <- calls[[name]]
    words <- function(n, measure) {
      privacy_price(mechanism_of(do.call(one[[1]], c(list(n, function(n) NULL), measure))))$weak
    }
    n <- 4
    said <- words(n, measure)
    if (is.null(said)) next
    # at this mu, quartiles of few rows are counted, and of more rows halved, which is off by 5% more ranks
    rows <- ceiling(asked(said) * (if (name == "quartiles" && names(measure) == "mu") 1.1 else 1))
    expect_null(words(rows, measure), label = paste(name, "with as many rows"))
    form <- names(measure)
    if (!grepl(paste0("or ", form, " = "), said)) next
    enough <- sub(paste0(".*or ", form, " = ([0-9.e+-]+)[;.,].*"), "\\1", sub("([0-9])[.] *$", "\\1;.", said))
    expect_null(words(n, structure(list(as.numeric(enough)), names = form)), label = paste(name, "and", form))
  }
  expect_match(privacy_price(private_mean(unseen(4), c(0, 1), epsilon = 0.1))$weak, "57|29 rows, or epsilon = ")
  # a delta is not a number that the noise is proportional to
  expect_match(privacy_price(private_mean(unseen(4), c(0, 1), epsilon = 0.1, delta = 1e-6))$weak, "rows[.]$")
})

test_that("the thresholds are what they are said to be", {
  weak_of <- function(...) !is.null(privacy_price(...)$weak)
  # the noise of a sum of d columns of width 1 has the scale d / epsilon
  n <- 40
  for (d in 1:3) {
    box <- domain_box(rep(0, d), rep(1, d))
    for (factor in c(0.98, 1.02)) {
      epsilon <- factor * sqrt(2) * d / (n / 2)
      expect_identical(weak_of(private_mean(as_unseen(n), box, epsilon = epsilon)), factor < 1)
      expect_identical(weak_of(private_sum(as_unseen(n), box, epsilon = epsilon)), factor < 1)
      rho <- factor^2 * d / (n / 2)^2 / 2
      expect_identical(weak_of(private_mean(as_unseen(n), box, rho = rho)), factor < 1)
    }
  }
  for (factor in c(0.98, 1.02)) {
    expect_identical(weak_of(private_count(unseen(1000), epsilon = factor * sqrt(2) / 500)), factor < 1)
    expect_identical(weak_of(private_histogram(unseen(1000), 0:10, epsilon = factor * 2 * sqrt(2) / (1000 / 10))),
                     factor < 1)
  }
  # by groups, each of which has a half of the rows, as its count and its sum have their shares of epsilon
  sums <- private_mean(unseen(1000), domain_box(c(x = 0), 1), epsilon = 0.01, by = list(g = c("a", "b")))
  size <- table_size(sums$plan$groups)
  off <- privacy_price(sums)$noise$sd[2] / (1000 / size)
  expect_match(privacy_price(sums)$weak, paste("standard deviation of", format(off, digits = 2), "times"))
})

test_that("a warned mixture and k-means stay where they are drawn", {
  skip_if_instrumented()
  warn_of_weak()
  set.seed(711)
  box <- domain_box(c(0, 0), c(1, 1))
  # of rows in one place, most centers come there where nothing is warned of, and hardly one where something is
  near <- function(n, epsilon) {
    x <- matrix(0.5, n, 2)
    fit <- suppressWarnings(private_kmeans(x, box, 1, epsilon = epsilon, rng = "R"), classes = "dptda_warning_weak")
    sum((fit$centers - 0.5)^2)
  }
  expect_lt(stats::median(replicate(40, near(2000, 1))), 1e-3)
  expect_warning(private_kmeans(matrix(0.5, 4, 2), box, 1, epsilon = 0.1), class = "dptda_warning_no_fit")
  expect_gt(stats::median(replicate(40, near(4, 0.1))), 0.1)
})

test_that("graphs of which nothing can be seen are warned of", {
  warn_of_weak()
  empty <- function(n) matrix(0, n, n)
  budget <- privacy_budget(epsilon = 9, relation = "edge")
  told <- tryCatch(private_graph(empty(100), epsilon = 1, budget = budget), dptda_warning_power = conditionMessage)
  expect_match(told,
               paste("^With 100 vertices and epsilon = 1, not even two communities .*",
                     "Use about .* vertices, or epsilon = 1[.]7[.] See power_graph"))
  expect_identical(budget$spent, 0)
  expect_no_warning(private_graph(empty(220), epsilon = 1))
  expect_no_warning(private_graph(empty(100), epsilon = 1.7))
  # with nothing to see, or nothing to release, there is no advice that there is not
  expect_match(privacy_price(private_graph(unseen(100), epsilon = 0))$weak, "Use about epsilon = ")
  expect_match(privacy_price(private_graph(unseen(2), epsilon = 4))$weak, "Use about [0-9]+ vertices\\. See")
  for (n in 0:1) expect_null(privacy_price(private_graph(as_unseen(n), epsilon = 1))$weak)
})

test_that("a mean on a manifold is warned of where its noise moves it as far as the ball reaches", {
  balls <- list(list(manifold_spd(2), diag(2), 0.5), list(manifold_sphere(2), c(0, 0, 1), 0.7),
                list(manifold_rotation(3), diag(3), 0.6))
  for (ball in balls) for (cost in list(list(epsilon = 1), list(rho = 0.05), list(epsilon = 1, method = "tangent"))) {
    price <- function(n) privacy_price(do.call(private_frechet_mean, c(list(as_unseen(n)), ball, cost)))
    few <- price(3)
    expect_match(few$weak, "the noise moves the mean by about .* guessing its center, without data, is as accurate")
    enough <- as.numeric(gsub(",", "", sub(".*It takes about ([0-9,]+) rows.*", "\\1", few$weak)))
    many <- price(2 * enough)
    expect_null(many$weak)
    # of twice as many rows, so that in 95 percent it stays within the ball, or not far beyond
    expect_lt(many$noise$within, 1.5 * ball[[3]])
  }
})

test_that("releases for people are told in people", {
  warn_of_weak()
  rows <- table_rows(data.frame(x = rep(0.5, 9), who = rep(1:3, 3)), "x", person = "who")
  releases <- list(function(...) private_mean(rows, c(0, 1), ...), function(...) private_kmeans(rows, c(0, 1), 2, ...),
                   function(...) private_histogram(rows, 0:2, ...))
  for (release in releases) {
    told <- tryCatch(release(epsilon = 0.1), dptda_warning_weak = conditionMessage)
    expect_match(told, "^With 3 people and epsilon = 0.1, .* people")
    expect_no_match(told, "rows")
  }
})

test_that("one option turns all of them off, and what it may be is checked", {
  release <- function() private_histogram(rep(0.5, 4), 0:100, epsilon = 0.1, delta = 0.3)
  expect_no_warning(release())
  withr::local_options(dptda.weak_release = NULL)
  told <- character()
  withCallingHandlers(release(), dptda_warning_weak = function(cnd) {
    told <<- c(told, class(cnd)[1])
    invokeRestart("muffleWarning")
  })
  expect_identical(told, c("dptda_warning_delta", "dptda_warning_noise"))
  for (bad in list("no", NA, 0, c(TRUE, TRUE))) {
    withr::local_options(dptda.weak_release = bad)
    expect_error(release(), "option `dptda.weak_release` must be TRUE or FALSE", class = "dptda_error_argument")
  }
})

test_that("audits of releases of a few rows are silent, and leave the option as it was", {
  withr::local_options(dptda.weak_release = NULL)
  release <- function(x) as.numeric(private_count(x, epsilon = 0.5))
  expect_no_warning(audit_mechanism(release, c(TRUE, FALSE), c(TRUE, TRUE), epsilon = 0.5, runs = 40))
  drawn <- function(x, runs) replicate(runs, release(x))
  expect_no_warning(audit_mechanism(draws = drawn, x = c(TRUE, FALSE), neighbor = c(TRUE, TRUE), epsilon = 0.5,
                                    runs = 40))
  expect_null(getOption("dptda.weak_release"))
  expect_error(without_weak(stop("ended")), "ended")
  expect_null(getOption("dptda.weak_release"))
})

test_that("columns in unlike units are warned of before a diagram is paid for, and rescaled ones are not", {
  warn_of_weak()
  of <- function(upper, ...) {
    grid <- domain_grid(domain_box(c(visits = 0, income = 0), upper), size = 20)
    privacy_price(private_diagram(unseen(2000), grid, epsilon = 1, m0 = 0.1, ...))$weak
  }
  expect_match(of(c(5, 1e5)),
               "than 2.5, half the diagonal of the grid without `income`, .*domain_rescale")
  expect_null(of(c(5, 5)))
  # pieces may lie along the longest side
  expect_null(of(c(5, 1e5), max_dimension = 0))
  budget <- privacy_budget(epsilon = 1)
  X <- cbind(visits = rep(0:5, 20), income = 1e5 * (1:120) / 120)
  grid <- domain_grid(domain_box(c(visits = 0, income = 0), c(5, 1e5)), size = 20)
  expect_error(tryCatch(private_diagram(X, grid, epsilon = 1, m0 = 0.1, budget = budget),
                        dptda_warning_power = function(cnd) stop("ended")), "ended")
  expect_identical(budget$spent, 0)
})

test_that("no loop is more persistent than the sides beside the longest allow", {
  set.seed(31)
  for (sides in list(c(6, 1), c(1, 4), c(5, 1, 1.5))) {
    d <- length(sides)
    half <- sqrt(sum(sides[-which.max(sides)]^2)) / 2
    grid <- domain_grid(domain_box(0 * sides, sides), by = 0.1)
    # a frame of the plane, or a tube along the longest side
    pushed <- if (d == 2) 1:2 else setdiff(seq_len(d), which.max(sides))
    tallest <- vapply(1:5, function(i) {
      X <- vapply(sides, function(side) stats::runif(1000, 0, side), double(1000))
      to <- cbind(1:1000, pushed[1 + (stats::runif(1000) < 0.5)])
      X[to] <- sides[to[, 2]] * (stats::runif(1000) < 0.5)
      found <- distance_to_measure(X, grid, m0 = 0.01)
      found <- as.data.frame(grid_persistence(found, max_dimension = d - 1))
      loops <- found[found$dimension > 0 & is.finite(found$death), ]
      max(0, loops$death - loops$birth)
    }, 0)
    # vertices are half a step from where a path would go
    expect_lte(max(tallest), half + 0.1)
    expect_gt(max(tallest), 0.3 * half)
  }
})

test_that("one is one row or one person", {
  weak <- function(n) privacy_price(private_quantile(as_unseen(n), c(0, 1), 0.5, epsilon = 1))$weak
  expect_match(weak(1), "^With 1 row .* off by about 1 row in rank")
  expect_match(weak(unseen(1, person = "person")), "^With 1 person .* off by about 1 person in rank")
  expect_identical(name_units("2.6", "rows"), "2.6 rows")
  clusters <- weak_shares(1, 1, 0.5, "center", "rows")
  expect_match(clusters$words, "about 1 row to stand out from noise")
  expect_match(radius_words(1)[1], "farther than 1 standard deviation from")
})

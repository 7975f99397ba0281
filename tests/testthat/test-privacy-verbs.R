# Each verb over an example of each class: a new class without one of them fails here, by its name.

# What results are made of and users do not hold alone (the rows themselves, and the parts of models and methods), and
# classes that stand for others.
parts_alone <- c("dptda_rows", "dptda_unseen", "dptda_network_model", "dptda_randomized_model",
                 "dptda_randomized_counts", "dptda_topology_model", "dptda_tree_model")

all_objects <- local({
  made <- NULL
  function() {
    if (is.null(made)) made <<- c(own_objects(), further_objects())
    made
  }
})

# Of classes that have no methods of their own.
further_objects <- function() {
  list(
    dptda_power_graph = power_graph(epsilon = 1, p_in = .3, p_out = .2, power = .8),
    dptda_power_diagram = power_diagram(1000, small_grid(1), epsilon = 5, m0 = .1, clip = 1, power = .8)
  )
}

# Methods are classes too.
is_method_class <- function(class) !is.null(known_classes[[class]]$make)

result_classes <- function() {
  setdiff(Filter(Negate(is_method_class), ls(known_classes)), c(parts_alone, "dptda_private_mean"))
}

drawn_classes <- function() setdiff(method_classes("plot"), parts_alone)

# What keeps a class from `verb`, or "".
complain <- function(classes, verb) {
  said <- vapply(classes, function(class) {
    object <- all_objects()[[class]]
    if (is.null(object)) return("no object: write one in written_objects() of tests/testthat/helper-calls.R")
    answer <- tryCatch(verb(object), error = conditionMessage)
    if (isTRUE(answer)) "" else if (is.character(answer)) answer else "not what it should be"
  }, "")
  paste(names(said), said, sep = ": ")[nzchar(said)]
}

test_that("every class has an example, a text and a table", {
  quiet <- function(x) { utils::capture.output(found <- format(x)); is.character(found) && length(found) > 0 }
  expect_identical(complain(result_classes(), quiet), character())
  expect_identical(complain(result_classes(), function(x) is.data.frame(as.data.frame(x))), character())
})

test_that("what is printed is what format() gives, where no class has another text", {
  shared <- intersect(setdiff(method_classes("print"), method_classes("format")), names(all_objects()))
  same <- function(x) identical(format(x), utils::capture.output(print(x)))
  # the database draws nothing for these; a picture of a mean of points is the same twice
  expect_identical(complain(shared, same), character())
})

test_that("a wrong field of any class is an error that says which there are", {
  wrong <- function(x) {
    cnd <- tryCatch(x$no_such_field, error = identity)
    inherits(cnd, "dptda_error_argument") && grepl("no_such_field", conditionMessage(cnd), fixed = TRUE)
  }
  classes <- union(result_classes(), parts_alone)
  expect_identical(complain(classes, wrong), character())
  by_name <- function(x) is.data.frame(x) || is.atomic(x) ||
    inherits(tryCatch(x[["no_such_field"]], error = identity), "dptda_error_argument")
  expect_identical(complain(classes, by_name), character())
})

test_that("fields that are there are read as of a list, and one that may be missing is NULL", {
  same <- function(x) {
    # groups get the guarantee of all as they are read
    if (!is.list(x) || inherits(x, c("dptda_budget", "dptda_private_covariances"))) return(TRUE)
    plain <- unclass(x)
    all(vapply(names(plain), function(name) {
      identical(eval(call("$", x, as.name(name))), plain[[name]]) && identical(x[[name]], plain[[name]])
    }, NA)) && (length(plain) == 0 || identical(x[[1]], plain[[1]]))
  }
  expect_identical(complain(result_classes(), same), character())
  expect_null(domain_box(0, 1)$columns)
})

test_that("a field's error names the class, the field and what was meant", {
  mixture <- all_objects()$dptda_mixture
  expect_refusals({
    mixture$covariance
    mixture[["mean"]]
    mixture$nothing
    persistence_diagram(0, 0, 1)$deaths
  })
  # never the beginning of a name alone
  for (name in c("weight", "mean", "cov")) expect_error(mixture[[name]], class = "dptda_error_argument")
  expect_error(mixture[["cov", exact = FALSE]], class = "dptda_error_argument")
})

test_that("a diagram stays a data frame in all but a wrong column", {
  diagram <- persistence_diagram(c(0, 1), c(0, .5), c(1, .7))
  expect_null(diagram[["none"]])
  expect_identical(diagram[["birth"]], c(0, .5))
  expect_identical(diagram[[2, "death"]], .7)
  expect_true(all(as.data.frame(diagram) == diagram, diagram == as.data.frame(diagram)))
  expect_identical(sum(diagram), 3.2)
  expect_error(diagram$none, class = "dptda_error_argument")
})

test_that("tidy() and glance() take every class that is a table", {
  skip_if_not_installed("generics")
  classes <- result_classes()
  expect_identical(complain(classes, function(x) is.data.frame(generics::tidy(x))), character())
  one <- function(x) is.data.frame(found <- generics::glance(x)) && nrow(found) == 1
  expect_identical(complain(classes, one), character())
  tidy <- generics::tidy(private_mean(data.frame(a = 1:3, b = 0), domain_box(c(0, 0), c(4, 4)), epsilon = 1))
  expect_named(tidy, c("term", "estimate", "noise.sd", "data.low", "data.high", "std.error", "conf.low", "conf.high"))
  glance <- generics::glance(private_count(c(TRUE, FALSE), epsilon = 1))
  expect_identical(glance$epsilon, 1)
  expect_identical(glance$n, 2L)
})

test_that("damaged objects are refused by the verbs too", {
  skip_if_not_installed("generics")
  for (class in c("dptda_mixture", "dptda_box", "dptda_private_kmeans", "dptda_tomato", "dptda_guarantee")) {
    empty <- new_result(list(), class)
    for (verb in list(as.data.frame, format, generics::tidy, generics::glance)) {
      expect_error(verb(empty), class = "dptda_error_argument")
    }
  }
})

test_that("every class that plots has an autoplot() that ggplot2 builds", {
  skip_if_not_installed("ggplot2")
  skip_if_not_installed("igraph")
  classes <- drawn_classes()
  builds <- function(x) {
    if (inherits(x, "dptda_merging") && length(x$mode_of) < 2) return(TRUE)
    inherits(ggplot2::ggplot_build(ggplot2::autoplot(x)), "ggplot_built")
  }
  expect_identical(complain(classes, builds), character())
  expect_no_warning(ggplot2::ggplot_build(ggplot2::autoplot(
    private_histogram(c(.1, .6), breaks = c(0, .2, 1), epsilon = 1))))
})

test_that("pictures have a scale only for what a layer maps, or ggplot2 4 warns", {
  skip_if_not_installed("ggplot2")
  skip_if_not_installed("igraph")
  mapped <- function(picture) {
    mappings <- c(list(picture$mapping), lapply(picture$layers, `[[`, "mapping"))
    used <- unlist(lapply(mappings, names))
    all(vapply(picture$scales$scales, function(scale) {
      any(scale$aesthetics %in% used) || any(c("x", "y") %in% scale$aesthetics)
    }, NA))
  }
  shapes <- ggplot2::ggplot(data.frame(x = 1), ggplot2::aes(x = .data$x, y = 1)) + ggplot2::geom_point() +
    ggplot2::scale_shape_manual(values = 1)
  expect_false(mapped(shapes))
  drawn <- function(x) {
    if (inherits(x, "dptda_merging") && length(x$mode_of) < 2) return(TRUE)
    mapped(ggplot2::autoplot(x))
  }
  expect_identical(complain(drawn_classes(), drawn), character())
  pairs <- persistence_diagram(c(0, 1, 2), c(0, .1, .2), c(Inf, .4, .3))
  for (type in c("diagram", "barcode", "rotated")) expect_true(mapped(ggplot2::autoplot(pairs, type)), info = type)
  expect_identical(length(ggplot2::autoplot(pairs)$scales$get_scales("shape")$palette(3)), 3L)
  expect_null(ggplot2::autoplot(pairs[0, ])$scales$get_scales("shape"))
})

test_that("pictures of ggplot2 are opaque, so that gray text is not on a dark slide", {
  skip_if_not_installed("ggplot2")
  skip_if_not_installed("igraph")
  opaque <- function(x) {
    if (inherits(x, "dptda_merging") && length(x$mode_of) < 2) return(TRUE)
    theme <- ggplot2::theme_gray() + ggplot2::autoplot(x)$theme
    identical(ggplot2::calc_element("plot.background", theme)$fill, "white")
  }
  expect_identical(complain(drawn_classes(), opaque), character())
})

test_that("labels keep the names of rows, and augment() puts them beside the rows", {
  skip_if_not_installed("generics")
  mixture <- as_mixture(list(weights = c(2, 1), means = rbind(c(0, 0), c(3, 0)), covariances = list(diag(2), diag(2))))
  X <- rbind(here = c(0, 0), there = c(3, 0))
  expect_identical(predict(mixture, X), c(here = 1L, there = 2L))
  expect_identical(rownames(predict(mixture, X, type = "probability")), c("here", "there"))
  expect_named(predict(mixture, X, type = "logdensity"), c("here", "there"))
  expect_null(names(predict(mixture, unname(X))))
  expect_null(names(predict(mixture, data.frame(a = 1:2, b = 0))))
  expect_named(predict(mixture, data.frame(a = 1:2, b = 0, row.names = c("u", "v"))), c("u", "v"))
  expect_named(predict(cluster_morse(mixture), X, k = 1), c("here", "there"))
  fit <- private_kmeans(X, domain_box(c(-1, -1), c(4, 1)), 2, rho = 1)
  expect_named(predict(fit, X), c("here", "there"))
  for (found in list(generics::augment(mixture, X), generics::augment(fit, as.data.frame(X)),
                     generics::augment(cluster_morse(mixture), X, k = 2))) {
    expect_identical(levels(found$.cluster), c("1", "2"))
    expect_identical(nrow(found), 2L)
  }
  # beside columns that the model has not
  named <- private_kmeans(data.frame(a = 0:1, b = 1), domain_box(c(a = -1, b = -1), c(4, 1)), 2, rho = 1)
  expect_named(generics::augment(named, data.frame(name = "u", b = 1, a = 0)), c("name", "b", "a", ".cluster"))
  labels <- cluster_tomato(circle_points(20), "dtm", 3, prominence = .1)
  expect_identical(as.integer(generics::augment(labels, circle_points(20))$.cluster), as.integer(labels$labels))
})

test_that("coef() are the released numbers and vcov() the covariance of their noise", {
  box <- domain_box(c(a = 0, b = 0), c(1, 10))
  release <- private_mean(data.frame(a = c(0, 1), b = c(3, 4)), box, epsilon = 1)
  expect_identical(coef(release), release$value)
  expect_identical(dim(vcov(release)), c(2L, 2L))
  # as simulated: 4000 draws tell a variance to 7 percent (three standard errors of noise with kurtosis 6)
  mechanism <- private_mean(unseen(2), box, epsilon = 1)
  drawn <- t(vapply(simulate(mechanism, 4000, seed = 1, x = cbind(a = c(0, 1), b = c(3, 4))), as.double, double(2)))
  expect_equal(unname(diag(vcov(release))), unname(apply(drawn, 2, stats::var)), tolerance = .15)
  expect_error(vcov(private_quantile(1:9, c(0, 10), .5, epsilon = 1)), class = "dptda_error_argument")
  expect_identical(dimnames(vcov(private_count(TRUE, epsilon = 1))), rep(list("private count"), 2))
})

test_that("a standard deviation of noise is given if, and only if, it is about a quarter of the interval", {
  values <- Filter(is_private_value, own_objects())
  expect_gte(length(values), 5)
  for (class in names(values)) {
    x <- values[[class]]
    tidy <- as.list(generics::tidy(x))
    if (is.null(tidy$noise.sd)) {
      expect_error(vcov(x), class = "dptda_error_argument", label = class)
    } else {
      ratio <- (tidy$data.high - tidy$data.low) / tidy$noise.sd
      expect_true(all(ratio > 2.5 & ratio < 8), label = class)
      expect_equal(unname(diag(vcov(x))), tidy$noise.sd^2, label = class)
    }
  }
})

test_that("covariances and k-means have the names of R's own", {
  X <- cbind(a = rep(c(0, 1), 50), b = rep(1:4, 25))
  fit <- private_covariance(X, domain_box(c(-1, 0), c(2, 5)), rho = 10)
  expect_identical(names(fit)[1:3], names(stats::cov.wt(X)))
  expect_identical(fit$n.obs, nrow(X))
  expect_identical(as.double(fit), as.double(fit$cov))
  expect_true(all(c("centers", "size") %in% intersect(
    names(private_kmeans(X, domain_box(c(-1, 0), c(2, 5)), 2, rho = 1)), names(stats::kmeans(X, 2)))))
})

test_that("a picture of many columns says which are drawn", {
  X <- matrix(rep(0:1, 30), 10)
  fit <- private_kmeans(X, domain_box(double(6), rep(1, 6)), 2, rho = 1)
  expect_true(any(grepl("columns x1, x2 of 6", drawn_text(plot(fit)), fixed = TRUE)))
  expect_false(any(grepl("of 6", drawn_text(plot(fit, columns = c(2, 5))), fixed = TRUE)))
  mixture <- as_mixture(list(weights = 1, means = matrix(0, 1, 6), covariances = list(diag(6))))
  expect_true(any(grepl("of 6", drawn_text(plot(mixture)), fixed = TRUE)))
  skip_if_not_installed("ggplot2")
  expect_match(gsub("\n", " ", ggplot2::autoplot(fit)$labels$subtitle), "x1, x2 of 6")
  expect_match(gsub("\n", " ", ggplot2::autoplot(mixture, columns = c(3, 4))$labels$subtitle), "x3, x4 of 6")
})

test_that("results in columns of a tibble are shown by what they are", {
  skip_if_not_installed("tibble")
  skip_if_not_installed("pillar")
  mixture <- all_objects()$dptda_mixture
  shown <- utils::capture.output(print(tibble::tibble(fit = list(mixture), n = 1)))
  expect_match(shown, "<mixture>", all = FALSE, fixed = TRUE)
  expect_identical(nrow(tibble::as_tibble(mixture)), 2L)
  values <- tibble::tibble(value = private_mean(data.frame(a = 0, b = 1), domain_box(c(0, 0), c(1, 1)), epsilon = 1))
  expect_identical(nrow(values), 2L)
  expect_no_error(utils::capture.output(print(values)))
})

test_that("a covariance is drawn by its correlations, and those of noise alone are told apart", {
  fit <- new_result(list(cov = rbind(c(4, 1, 0), c(1, 1, 0.5), c(0, 0.5, 1)), center = c(a = 0, b = 0, c = 0),
                         n.obs = 9, noise = matrix(c(1, 0.1, 0.3, 0.1, 1, 0.3, 0.3, 0.3, 1), 3), far = NULL,
                         settled = NULL), "dptda_private_covariance")
  dimnames(fit$cov) <- list(letters[1:3], letters[1:3])
  cells <- correlation_cells(fit)
  expect_equal(cells$cor, c(1, 0.5, 0, 0.5, 1, 0.5, 0, 0.5, 1))
  expect_identical(which(cells$noisy), c(3L, 6L, 7L, 8L)) # .5 beside noise of .3, and 0
  expect_identical(correlation_colors(c(-1, 0, 1)), c("#D55E00", "#FFFFFF", "#0072B2"))
  words <- drawn_text(plot(fit))
  expect_true(all(c("a", "b", "c", "0.50", "1.00") %in% words))
  expect_true(any(grepl("in gray", words)))
  expect_identical(as.data.frame(fit)$noise, fit$noise[upper.tri(fit$noise, diag = TRUE)])
  many <- new_result(list(cov = diag(13), center = numeric(13), n.obs = 9, noise = matrix(1, 13, 13)),
                     "dptda_private_covariance")
  expect_false("1.00" %in% drawn_text(plot(many)))
})

test_that("pictures have each cell and each name in its place", {
  skip_if_not_installed("ggplot2")
  # a correlation of 1 that rounding puts above it has its color
  fit <- withr::with_seed(1, private_covariance(USArrests, domain_box(rep(0, 4), c(20, 350, 100, 50)), rho = 20,
                                                rng = "R"))
  fit$cov[] <- tcrossprod(c(0.1, 0.3, 0.7, 1.1)) * (1 + 1e-14 * (diag(4) == 0))
  expect_lte(max(correlation_cells(fit)$cor), 1)
  built <- ggplot2::ggplot_build(ggplot2::autoplot(fit))$data[[1]]
  expect_false("grey50" %in% built$fill)
  # levels of one name in two columns: each in its own order
  schema <- table_schema(a = c("x", "y"), b = c("y", "x"))
  rows <- data.frame(a = rep("x", 500), b = "y")
  model <- private_synthesis(rows, schema, epsilon = 10, rng = "R", method = "margins")
  built <- ggplot2::ggplot_build(ggplot2::autoplot(model))
  tall <- Filter(function(bar) bar$y > 0.5, split(built$data[[1]], seq_len(nrow(built$data[[1]]))))
  expect_identical(vapply(tall, function(bar) as.integer(bar$x), 0L, USE.NAMES = FALSE), c(1L, 1L))
  expect_s3_class(upright_where_long(strrep("a", c(40, 40))), "theme")
  expect_false(inherits(upright_where_long(c("a", "b")), "theme"))
})

test_that("arithmetic with a result that is a list, or a table by groups, is an error that names its numbers", {
  lists <- Filter(is_listed_result, all_objects())
  expect_gt(length(lists), 20)
  for (x in lists) {
    rounds <- inherits(x, "dptda_private_groups")
    if (!rounds) expect_error(round(x), class = "dptda_error_argument", info = class(x)[1])
    expect_error(sum(x, 1), class = "dptda_error_argument")
    expect_error(2 * x, class = "dptda_error_argument")
    expect_error(-x, class = "dptda_error_argument")
    expect_error(x == x, class = "dptda_error_argument")
  }
  mixture <- all_objects()$dptda_mixture
  expect_error(round(mixture, 2), fixed = TRUE,
               "`round()` needs one table of numbers. `x`, made by as_mixture(), has several: `")
  expect_error(round(all_objects()$dptda_private_covariances), "`x[[1]]$cov`", fixed = TRUE,
               class = "dptda_error_argument")
  kmeans <- all_objects()$dptda_private_kmeans
  expect_error(abs(kmeans), "privacy(kmeans) is the guarantee of each", fixed = TRUE)
  groups <- private_mean(warpbreaks, list(breaks = c(0, 80)), by = list(wool = c("A", "B")), epsilon = 1)
  expect_error(groups / 2, "`groups$value`", fixed = TRUE, class = "dptda_error_argument")
  expect_error(max(groups), class = "dptda_error_argument")
  expect_length(round(groups$value), 3)
})

test_that("what has no intervals says what has, and what to use", {
  objects <- all_objects()
  words <- c(dptda_private_kmeans = "least", dptda_mixture = "privacy_price", dptda_private_covariance = "$noise",
             dptda_private_covariances = "$noise", dptda_private_pca = "$noise", dptda_diagram = "feature_evidence()")
  for (class in names(words)) {
    expect_error(confint(objects[[class]]), words[[class]], fixed = TRUE, class = "dptda_error_argument", info = class)
    expect_error(confint(objects[[class]]), "has no intervals.*Counts, sums, means, variances, and quantiles have")
  }
  release <- objects$dptda_private_covariance
  expect_error(confint(release), "`release$noise`", fixed = TRUE)
})

test_that("names on the left of a picture find room in its margin", {
  grDevices::pdf(NULL, 6.25, 4.17)
  on.exit(grDevices::dev.off())
  before <- graphics::par("mar")
  for (cex in c(1, 0.8)) for (names in list(c("complaints, and what they are about", "b"), "b")) {
    graphics::par(cex = cex)
    saved <- left_room(names)
    expect_gte(graphics::par("mai")[2], min(max(graphics::strwidth(names, "inches")), 0.39 * 6.25))
    expect_lte(graphics::par("mai")[2], 0.45 * 6.25)
    graphics::par(saved)
    expect_identical(graphics::par("mar"), before)
  }
  # which the pictures leave as they were
  groups <- private_mean(warpbreaks, list(breaks = c(0, 80)), by = list(wool = c("A", "B"), tension = c("L", "M", "H")),
                         epsilon = 9)
  for (x in list(groups, all_objects()$dptda_private_covariance)) {
    plot(x)
    expect_identical(graphics::par("mar"), before)
  }
})

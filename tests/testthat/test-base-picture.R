# What all pictures share: titles that are there and readable, labels that do not lie on each other, an opaque ground.

# Each text of a picture of base graphics: where it begins, in points from the lower left corner, and its size.
drawn_places <- function(code, width = 7.5, height = 5) {
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file, compress = FALSE, useKerning = FALSE, width = width, height = height)
  tryCatch(force(code), finally = grDevices::dev.off())
  lines <- grep("Tj", lines_of_pdf(file), value = TRUE)
  number <- "(-?[0-9.]+) "
  found <- regmatches(lines, regexec(paste0(strrep(number, 6), "Tm \\((.*)\\) Tj"), lines))
  found <- do.call(rbind, found)
  at <- matrix(as.double(found[, 2:7]), ncol = 6)
  data.frame(text = gsub("\\\\([()])", "\\1", found[, 8]), x = at[, 5], y = at[, 6], size = sqrt(at[, 1]^2 + at[, 2]^2),
             upright = at[, 1] == 0)
}

small <- list(width = 3.75, height = 3.4)
wide <- function(n, low) low + seq_len(n) %% 7 / 10
groups_of_means <- function() {
  rows <- data.frame(v = wide(4000, c(3000, 12000, 15000, 5000)), g = c("a", "b", "c", "d"))
  private_mean(rows, list(v = c(0, 20000)), by = list(g = c("a", "b", "c", "d")), epsilon = 1, rng = "R")
}

test_that("the title of the axis at the left is never on its labels", {
  set.seed(71)
  rows <- cbind(x = wide(2000, 3e4), y = -wide(2000, c(2e5, 3e5)))
  box <- domain_box(c(x = 0, y = -1e6), c(5e4, 0))
  pictures <- list(
    groups_of_means(), private_sum(wide(1000, 0), c(0, 2e4), epsilon = 1, rng = "R"),
    private_histogram(wide(1e5, 0), c(0, .5, 1), epsilon = 1, rng = "R"),
    private_pca(rows, box, 1, rho = 1, rng = "R"), private_kmeans(rows, box, 2, rho = 1, rng = "R"),
    private_mixture(rows, box, 1, rho = 1, rng = "R"),
    private_mean(as.Date("2024-01-01") + 0:9, as.Date(c("1900-01-01", "2100-01-01")), epsilon = 1, rng = "R")
  )
  for (picture in pictures) for (size in list(list(), small)) {
    shown <- do.call(drawn_places, c(list(quote(plot(picture))), size))
    title <- shown[shown$upright, ]
    # one title, whose letters stand to the left of this line
    expect_identical(nrow(title), 1L)
    labels <- shown[!shown$upright & grepl("^-?[0-9][-0-9.e+]*$", shown$text) & shown$y > min(shown$y) + 50, ]
    expect_gt(nrow(labels), 1)
    expect_true(all(labels$x > title$x), info = class(picture)[1])
    expect_gt(title$x, 5)
  }
})

test_that("pictures have a title that names the release, and `main` replaces it", {
  set.seed(72)
  count <- private_count(rep(c(TRUE, FALSE), 20), epsilon = 1, rng = "R")
  table <- private_table(c("a", "b"), c("a", "b"), epsilon = 1, rng = "R")
  quantile <- private_quantile(1:99, c(0, 100), .5, epsilon = 1, rng = "R")
  for (case in list(list(count, "Private count"), list(table, "Private table"), list(quantile, "Private quantile"),
                    list(groups_of_means(), "Private mean by group"))) {
    release <- case[[1]]
    expect_true(case[[2]] %in% drawn_text(plot(release)))
    expect_false(case[[2]] %in% drawn_text(plot(release, main = "")))
    expect_true("mine" %in% drawn_text(plot(release, main = "mine")))
    if (requireNamespace("ggplot2", quietly = TRUE)) {
      expect_true(case[[2]] %in% drawn_text(print(ggplot2::autoplot(release))))
    }
  }
  # a single number is named, and digits stand upright
  shown <- drawn_places(plot(count))
  expect_true("count" %in% shown$text)
  expect_false(any(shown$upright & grepl("[0-9]", shown$text)))
})

test_that("a group that noise hides does not flatten the others", {
  set.seed(73)
  release <- groups_of_means()
  hidden <- are_hidden(attr(release, "parts"), 0.95)
  expect_identical(which(hidden), 5L)
  ends <- as.matrix(confint(release))
  shown <- shown_ends(ends[, 1], ends[, 2], hidden)
  expect_identical(unname(shown[1:4, ]), unname(ends[1:4, ]))
  expect_lt(diff(range(shown)), 1.21 * diff(range(ends[1:4, ])))
  expect_identical(unname(shown_ends(1:2, 3:4, c(TRUE, TRUE))), cbind(1:2, 3:4))
  expect_true(any(grepl("dotted: noise hides the mean", drawn_text(plot(release)))))
  skip_if_not_installed("ggplot2")
  built <- ggplot2::ggplot_build(ggplot2::autoplot(release))$data[[1]]
  expect_lt(diff(range(built$ymin, built$ymax)), 16000)
})

test_that("levels of a table of two columns are in the order of print, first and above", {
  set.seed(74)
  release <- private_table(warpbreaks, list(wool = c("A", "B"), tension = c("L", "M", "H")), epsilon = 1, rng = "R")
  shown <- drawn_places(plot(release))
  y <- shown$y[match(c("L", "M", "H", "other"), shown$text)]
  expect_false(is.unsorted(-y, strictly = TRUE))
  skip_if_not_installed("ggplot2")
  built <- ggplot2::ggplot_build(ggplot2::autoplot(release))
  expect_identical(built$layout$panel_params[[1]]$y$get_labels(), rev(c("L", "M", "H", "other")))
})

test_that("correlations of ten columns can be read on a page and on half of one", {
  names <- c("income", "age", "household", "education", "hours_week", "commute", "savings", "debt", "rent",
             "satisfaction")
  cov <- 0.3 + diag(0.7, 10)
  dimnames(cov) <- list(names, names)
  fit <- structure(list(cov = cov, center = stats::setNames(numeric(10), names), n.obs = 9, noise = cov * 0 + 0.4,
                        far = NULL, settled = NULL), class = "dptda_private_covariance")
  for (size in list(list(), small)) {
    shown <- do.call(drawn_places, c(list(quote(plot(fit))), size))
    expect_setequal(intersect(shown$text, names), names)
    expect_true(all(shown$size[shown$text %in% names] >= 6))
    numbers <- shown[grepl("^-?([01]?[.][0-9]+|[01])$", shown$text), ]
    expect_identical(nrow(numbers), 100L)
    expect_true(all(numbers$size >= 5))
    # of two numbers in one line, none begins before the other ends: a digit is .556 of the size wide, a point .278
    for (line in split(numbers, round(numbers$y))) {
      line <- line[order(line$x), ]
      point <- grepl(".", line$text, fixed = TRUE)
      ends <- line$x + line$size * (0.556 * (nchar(line$text) - point) + 0.278 * point)
      expect_true(all(line$x[-1] >= ends[-nrow(line)] - 0.5))
    }
    above <- shown[shown$upright & shown$text %in% names, ]
    expect_identical(nrow(above), 10L)
  }
})

test_that("the finding above a diagram is in readable size, in lines that fit", {
  set.seed(75)
  angle <- stats::runif(2000, 0, 2 * pi)
  release <- private_diagram(cbind(cos(angle), sin(angle)), domain_grid(domain_box(c(-2, -2), c(2, 2)), by = .25),
                             epsilon = 5, m0 = .1, clip = 1, rng = "R")
  for (size in list(list(), small)) {
    shown <- do.call(drawn_places, c(list(quote(plot(release))), size))
    finding <- grep("at least|no feature|seeded", shown$text)
    expect_gt(length(finding), 0)
    expect_true(all(shown$size[finding] >= 9))
    expect_true(all(shown$x[finding] >= 0))
  }
})

test_that("circles, ellipses and edges are explained", {
  set.seed(76)
  rows <- cbind(x = stats::rnorm(500), y = stats::rnorm(500))
  box <- domain_box(c(x = -4, y = -4), c(4, 4))
  means <- private_kmeans(rows, box, 2, rho = 5, covariance = TRUE, rng = "R")
  mixture <- private_mixture(rows, box, 1, rho = 5, rng = "R")
  graph <- private_graph(square(cbind(1:9, 2:10), 10), epsilon = 2, rng = "R")
  said <- function(picture) paste(drawn_text(picture), collapse = " ")
  expect_match(said(plot(means)), "circles: larger for larger clusters; ellipses: 95%", fixed = TRUE)
  expect_match(said(plot(mixture)), "ellipses: 95% of each component; thicker", fixed = TRUE)
  expect_lt(edge_opacity(list(n = 3, edges = list(from = integer(3e4)))), 0.02)
  expect_equal(edge_opacity(list(n = 3, edges = list(from = 1L))), 0.6)
  skip_if_not_installed("igraph")
  expect_match(said(plot(graph)), "[0-9]+ edges?, about [0-9.]+% of them noise")
  skip_if_not_installed("ggplot2")
  expect_match(said(print(ggplot2::autoplot(means))), "circles: larger", fixed = TRUE)
  expect_match(said(print(ggplot2::autoplot(graph))), "of them noise")
})

test_that("words above a picture are broken where they are too wide", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  graphics::plot.new()
  words <- "at least 3 features (95%): 1 of dimension 0 and 2 of dimension 1"
  expect_identical(break_lines(words, 100, 1), words)
  lines <- break_lines(words, 2, 1)
  expect_gt(length(lines), 1)
  expect_identical(paste(lines, collapse = " "), words)
  expect_true(all(graphics::strwidth(lines, "inches") <= 2))
  expect_identical(break_lines(NULL, 1, 1), character())
})

test_that("in half a page no name is left out or cut, and titles fit", {
  set.seed(74)
  rows <- cbind(first.column = 1:200 / 20, second.column = 1:200 / 50, third.column = 1:200 / 20,
                fourth.column = 1:200 / 400)
  means <- private_mean(rows, domain_box(double(4), c(10, 6, 10, 1)), epsilon = 1, rng = "R")
  half <- function(code) do.call(drawn_places, list(substitute(code), width = 5, height = 4.6), envir = parent.frame())
  expect_true(all(colnames(rows) %in% half(plot(means))$text))
  ages <- paste0(seq(25, 75, 10), "-", seq(34, 84, 10))
  table <- private_table(data.frame(age = ages, b = "a"), list(age = ages, b = "a"), epsilon = 1, rng = "R")
  expect_true(all(c(ages, "other") %in% half(plot(table))$text))
  schema <- table_schema(a = c("x", "y"), b = c("x", "y"))
  data <- data.frame(a = rep(c("x", "y"), 100), b = "x")
  model <- private_synthesis(data, schema, epsilon = 1, rng = "R")
  for (picture in list(quote(plot(model)), quote(plot(evaluate_synthesis(model, data))))) {
    shown <- drawn_places(eval(picture), width = 4, height = 4)
    title <- shown[which.max(nchar(shown$text) * shown$size), ]
    expect_gt(title$x, 0)
    expect_lt(title$size, 14.4)
  }
})

test_that("bars of several columns are named by their levels, so that labels are not cut to the same text", {
  set.seed(75)
  table <- private_table(mtcars, list(cyl = c(4, 6, 8), gear = 3:5, am = 0:1), epsilon = 5, rng = "R")
  shown <- drawn_places(plot(table))$text
  expect_true(all(c("4, 3, 0", "other, other, other") %in% shown))
  expect_true(any(grepl("labels: cyl, gear, am", shown)))
})

test_that("the legend of a diagram lies below the diagonal, and no key of it among the points", {
  set.seed(76)
  angle <- 2 * pi * 1:4000 / 4000
  grid <- domain_grid(domain_box(c(-1.5, -1.5), c(1.5, 1.5)), by = 0.1)
  release <- private_diagram(cbind(cos(angle), sin(angle)), grid, epsilon = 4, m0 = 0.2, clip = 1.6, rng = "R")
  for (size in c(3.75, 5, 7.5)) {
    shown <- drawn_places(plot(release), width = size, height = size)
    at <- function(word) shown[shown$text == word, ]
    low <- at("dimension 1")
    expect_identical(nrow(low), 1L)
    expect_lt(low$size, 12.1)
    expect_gt(low$x, low$y)
  }
})

test_that("pictures of ggplot2 show what those of base graphics show", {
  skip_if_not_installed("ggplot2")
  set.seed(77)
  shown <- function(picture) drawn_text(print(picture))
  # degrees: as many vertices as have this degree or more, at each place between two degrees
  graph <- matrix(0, 30, 30)
  graph[1:10, 1:10] <- 1
  degrees <- private_degrees(graph, epsilon = 5, n = 30, rng = "R")
  step <- ggplot2::layer_data(ggplot2::autoplot(degrees) + ggplot2::theme_void())
  expect_false(is.unsorted(step$x))
  expect_false(is.unsorted(-step$y, strictly = TRUE))
  for (at in c(0.5, 3.5, 8)) {
    # "vh": down at a degree, then on to the next
    expect_identical(step$y[sum(step$x < at) + 1] + 0, as.double(sum(degrees$degrees >= at)))
  }
  expect_true("Private degrees" %in% shown(ggplot2::autoplot(degrees)))
  expect_true("Private degrees" %in% drawn_text(plot(degrees)))
  # quantiles: what lines are
  median <- private_median(1:500, c(0, 1000), epsilon = 1, rng = "R")
  deciles <- private_quantile(1:500, c(0, 1000), 1:9 / 10, epsilon = 0.01, rng = "R")
  expect_true(any(grepl("lines: their ranks", shown(ggplot2::autoplot(median)))))
  expect_true(any(grepl("no bound is proved", shown(ggplot2::autoplot(deciles)))))
  expect_true(any(grepl("no bound is proved", drawn_text(plot(deciles)))))
  expect_false(any(grepl("no bound is proved", drawn_text(plot(median)))))
  # the axes of a private PCA are counted
  pca <- private_pca(cbind(a = 1:2000 / 20, b = 1:2000 %% 7), domain_box(c(0, 0), 100), 1, rho = 1, rng = "R")
  expect_false(any(c("1.25", "1.50") %in% shown(ggplot2::autoplot(pca))))
  # clusters: the box, and no axis without a column
  clusters <- private_kmeans(cbind(a = rep(c(20, 80), 500)), domain_box(0, 100), 2, epsilon = 5, rng = "R")
  built <- ggplot2::ggplot_build(ggplot2::autoplot(clusters))$layout$panel_params[[1]]
  expect_lte(built$x.range[1], 0)
  expect_gte(built$x.range[2], 100)
  expect_false("0.025" %in% shown(ggplot2::autoplot(clusters)))
})

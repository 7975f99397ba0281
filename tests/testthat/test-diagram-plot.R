up <- persistence_diagram(c(0, 0, 0, 1, 2, 9), c(0, 0.1, 0.4, 0.5, 0.5, 1), c(Inf, 0.3, 1.1, 1.6, 0.5, 2))
down <- persistence_diagram(c(0, 1), c(3, 2), c(-Inf, 1), sublevel = FALSE)
degenerate <- list(persistence_diagram(), persistence_diagram(0, 1, Inf), persistence_diagram(1, 1, 1),
                   persistence_diagram(0, rep(2, 50), rep(2, 50)), persistence_diagram(0, 1:400, 2:401),
                   persistence_diagram(0:1, c(-Inf, -Inf), c(1, Inf)), persistence_diagram(0, Inf, 1, sublevel = FALSE))
types <- c("diagram", "barcode", "rotated")

with_device <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  force(code)
}

test_that("every kind of diagram can be drawn in every way, and comes back invisibly", {
  with_device({
    for (type in types) for (d in c(list(up, down), degenerate)) {
      expect_silent(plot(d, type))
      expect_identical(withVisible(plot(d, type, band = 0.1, dimension = 0, legend = FALSE)),
                       list(value = d, visible = FALSE))
    }
    expect_silent(plot(up, rotated = TRUE, main = "a", xlab = "b", ylab = "c", col = "red", pch = 4, lwd = 2))
    expect_silent(plot(up, diagLim = c(0, 5), dimension = 1:0, col = c("red", "blue")))
    expect_silent(plot(up, col = grDevices::rainbow(6), add = TRUE))
    expect_identical(graphics::par("pty"), "m")
  })
})

test_that("endless classes are on the line, not left out, and the aspect is equal", {
  with_device({
    plot(up)
    usr <- graphics::par("usr")
    expect_equal(usr[1:2], usr[3:4])
    pin <- graphics::par("pin")
    level <- essential_level(usr, TRUE)
    expect_true(level > 2 && level < usr[4])
    plot(down)
    expect_lt(essential_level(graphics::par("usr"), FALSE), 1)
  })
  marks <- diagram_marks(up, "rotated")
  expect_equal(marks$y[2:3], c(0.1, 0.35))
  expect_equal(marks$x, c(0, 0.2, 0.75, 1.05, 0.5, 1.5))
  expect_identical(marks$essential, c(TRUE, rep(FALSE, 5)))
})

test_that("a dimension keeps its color whatever else is shown, and the user's colors follow the dimensions", {
  all <- diagram_marks(up)
  one <- diagram_marks(up, dimension = 1)
  expect_identical(one$col, all$col[all$dimension == 1])
  expect_identical(diagram_marks(up, dimension = 1:0, col = c("red", "blue"))$col, c("blue", "blue", "blue", "red"))
  expect_identical(diagram_marks(up, col = letters[1:6])$col, letters[1:6])
})

test_that("bad plot arguments get a classed error", {
  with_device({
    expect_error(plot(up, "pie"), class = "dptda_error_argument")
    expect_error(plot(up, diagLim = c(2, 1)), class = "dptda_error_argument")
    expect_error(plot(up, diagLim = 1), class = "dptda_error_argument")
    expect_error(plot(up, band = -1), class = "dptda_error_argument")
    expect_error(plot(up, dimension = "a"), class = "dptda_error_argument")
    expect_error(plot(up, rotated = TRUE, barcode = TRUE), class = "dptda_error_argument")
    expect_error(plot(up, col = character()), class = "dptda_error_argument")
    expect_error(plot(up, add = NA), class = "dptda_error_argument")
  })
})

test_that("autoplot draws the same pictures", {
  skip_if_not_installed("ggplot2")
  with_device({
    # each kind in one way, and each way of one kind; in `make check` all
    diagrams <- c(list(up, down), degenerate)
    for (k in seq_along(types)) for (d in diagrams[long_or(seq_along(diagrams),
                                                           c(1, seq(k + 1, length(diagrams), by = 3)))]) {
      type <- types[k]
      picture <- ggplot2::autoplot(d, type, band = 0.1)
      expect_s3_class(picture, "ggplot")
      expect_silent(print(picture))
    }
  })
  expect_error(ggplot2::autoplot(up, "pie"), class = "dptda_error_argument")
})

test_that("the range of a diagram has one name, and its rings and bars go together", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  d <- persistence_diagram(c(0, 1), c(0, .2), c(1, .9))
  for (wrong in list(list(xlim = c(0, 1)), list(ylim = c(0, 1)))) {
    expect_error(do.call(plot, c(list(d), wrong)), "`diagLim`", class = "dptda_error_argument")
  }
  expect_silent(plot(d, band = FALSE))
  for (bad in list(TRUE, NA, "a", c(1, 2))) expect_error(plot(d, band = bad), class = "dptda_error_argument")
  skip_if_not_installed("ggplot2")
  expect_error(ggplot2::autoplot(d, xlim = c(0, 1)), "`diagLim`", class = "dptda_error_argument")
  expect_error(ggplot2::autoplot(d, bands = 1), "no argument `bands`", class = "dptda_error_argument")
})

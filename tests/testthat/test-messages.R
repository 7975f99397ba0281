# What people are told who call on data that nobody prepared: the argument and the column, what it is, what it must be
# and the way out. Nothing here is drawn: each call fails before.

flowers <- domain_box(c(Sepal.Length = 0, Sepal.Width = 0, Petal.Length = 0), c(8, 5, 7))
four <- domain_box(c(0, 0, 0, 0), c(8, 5, 7, 3))
flat <- domain_box(c(0, 0), c(8, 5))
square <- domain_grid(flat, size = 5)
mpg <- mtcars$mpg
visits <- data.frame(age = c(31, 44, 58), when = as.Date("2024-02-27") + 0:2, smokes = c(TRUE, FALSE, TRUE),
                     dose = c("1", "2", "n/a"))
visits$at <- as.POSIXct("2024-02-27", tz = "UTC") + 0:2
visits$took <- as.difftime(1:3, units = "hours")
visits$id <- structure(c(1, 2, 3), class = "yearmon")
visits$notes <- list("a", 1:2, NULL)
visits$pressure <- matrix(1:6, 3)
visits$local <- as.POSIXlt(visits$at)
year <- as.Date(c("2024-01-01", "2025-01-01"))

test_that("a column that is no number is named, with what it is and the ones that are numbers", {
  expect_refusals(private_mean(iris, four, 1))
  expect_refusals(private_sum(iris[3:5], c(0, 7), 1))
  for (column in c("when", "dose", "at", "took", "id", "notes", "pressure", "local")) {
    expect_refusals(private_mean(visits[c("age", column)], flat, 1))
  }
  expect_refusals(private_var(as.matrix(iris), four, 1))
  expect_refusals(private_sd(iris$Species, c(0, 3), 1))
  expect_refusals(private_quantile(iris, c(0, 8), 0.5, 1, columns = "Species"))
  expect_refusals(private_quantile(visits$when, c(0, 8), 0.5, 1))
  expect_refusals(private_histogram(visits, 0:3, 1, columns = "when"))
  expect_refusals(private_table(visits, "2024-02-27", 1, columns = "when"))
  expect_refusals(private_bounds(infert, 1))
  expect_refusals(private_covariance(iris, four, rho = 1))
  expect_refusals(private_mixture(iris, four, 3, rho = 1))
  expect_refusals(private_frechet_mean(iris[3:5], manifold_euclidean(3), rep(0, 3), 10, 1))
  expect_refusals(private_count(mtcars, 1, columns = "am"))
  expect_refusals(private_proportion(mpg, 1))
  expect_refusals(private_synthesis(iris, table_schema(Species = schema_numeric(0, 3)), 1))
  expect_refusals(private_mean(mtcars$weight, c(0, 6), 1))
})

test_that("dates go with dates", {
  expect_refusals(private_mean(visits, year, 1, columns = "age"))
  expect_refusals(private_mean(visits, year, 1, columns = "at"))
  expect_refusals(private_mean(visits["dose"], year, 1))
  expect_refusals(private_quantile(visits, as.POSIXct(year), 0.5, 1, columns = "when"))
  expect_refusals(private_quantile(visits, year, 0.5, 1, columns = "local"))
  expect_refusals(private_sum(visits$when, year, 1))
  expect_refusals(private_histogram(visits$when, "months", 1))
  expect_refusals(private_synthesis(visits, table_schema(when = schema_numeric(0, 1)), 1))
  expect_refusals(private_synthesis(visits, table_schema(age = schema_date(year)), 1))
  expect_refusals(schema_date(2024, 2025))
  expect_refusals(schema_date(year, by = "day of the week"))
  expect_refusals(domain_box(list(year[1], 0), list(100, year[2])))
})

test_that("columns that are not there, are too many or have other names are named", {
  expect_refusals(private_mean(iris[c(1, 2, 4)], flowers, 1))
  expect_refusals(private_mean(mtcars, c(0, 40), 1))
  expect_refusals(private_mean(mtcars, c(0, 40), 1, columns = "mgp"))
  expect_refusals(private_mean(mtcars, flat, 1, columns = c("mpg", "mpg")))
  expect_refusals(private_quantile(mtcars, c(0, 40), 0.5, 1, columns = c("mpg", "hp")))
  expect_refusals(private_count(iris, 1))
  expect_refusals(private_diagram(iris[1:3], square, m0 = 0.1, epsilon = 1))
  expect_refusals(private_synthesis(mtcars, table_schema(Species = levels(iris$Species)), 1))
  expect_refusals(table_rows(iris, "species"))
  expect_refusals(table_rows(sum))
})

test_that("public arguments that are missing, swapped or of another kind say what they must be", {
  expect_refusals(private_mean(mpg, epsilon = 1))
  expect_refusals(private_mean(mpg, c(40, 0), 1))
  expect_refusals(private_mean(c(0, 40), mpg, 1))
  expect_refusals(private_quantile(mpg, 0.5, c(0, 40), 1))
  expect_refusals(private_kmeans(mpg, 3))
  expect_refusals(private_histogram(mpg, 10))
  expect_refusals(private_histogram(mtcars, list(mpg = 0:40, cyl = 8), 1, columns = c("mpg", "cyl")))
  expect_refusals(private_histogram(mtcars, list(mpg = 0:40), 1, columns = c("mpg", "cyl")))
  expect_refusals(private_table(iris$Species))
  expect_refusals(private_table(iris, "Species", 1))
  expect_refusals(private_table(Titanic, c("Yes", "No"), 1))
  expect_refusals(private_count(iris$Species, 1))
  expect_refusals(private_mean(iris, domain_box(c(Sepal.Length = 0), 8), 1, by = "Species"))
  expect_refusals(private_mean(mpg, c(0, 40), 1, by = list(cyl = c(4, 6, 8))))
  expect_refusals(private_synthesis(iris, epsilon = 1))
  expect_refusals(private_diagram(iris[1:2], square, epsilon = 1))
  expect_refusals(private_diagram(airquality[c("Ozone", "Wind")], square, epsilon = 1, m0 = 0.1))
  expect_refusals(private_mean(airquality$Ozone, c(0, 200), 1))
  expect_refusals(private_table(mtcars$cyl, mtcars$cyl, 1))
  expect_refusals({
    private_histogram(mtcars, list(mpg = 0:2e4, hp = 0:2e4), 1, columns = c("mpg", "hp"))
  })
  expect_refusals(private_diagram(iris[1:2], flat, m0 = 0.1, epsilon = 1))
  expect_refusals(private_graph(data.frame(from = "a", to = "b"), 1, n = 2))
  expect_refusals(private_synthesis(iris, list(Species = 1:2), 1))
  expect_refusals(private_count(mtcars["am"], 1))
  expect_refusals(private_table(infert, list(educ = "a"), 1))
  expect_refusals(private_median(infert["age"], domain_box(c(Age = 15), 50), 1))
  expect_refusals(private_mean(infert, domain_box(c(Age = 15), 50), 1))
  expect_refusals(privacy_convert(c(eps = 1)))
  expect_refusals(private_synthesis(iris, table_schema(Specie = "a"), 1))
  expect_refusals(private_mean(mtcars, list(mpg = c(0, 40), cyl = c(8, 4)), 1))
  expect_refusals(table_schema(list(Species = "setosa")))
  expect_refusals(domain_box(c(0, 10), c(1, 5)))
  expect_refusals(domain_box(c(a = 0, b = 0), c(a = 1, c = 1)))
  expect_refusals(private_kmeans(iris[1:4], four, 3, 1, method = kmeans_lloyd))
})

test_that("names of arguments and what they cost", {
  expect_refusals(private_mean(mpg, lower = 0, upper = 40, epsilon = 1))
  expect_refusals(private_mean(X = mpg, box = c(0, 40), epsilon = 1))
  expect_refusals(private_mean(mpg, c(0, 40), eps = 1))
  expect_refusals(private_mean(mpg, c(0, 40), 1, NULL, 1e-6))
  expect_refusals(private_mean(mpg, c(0, 40), 1, 1e-6))
  expect_refusals(private_mean(mpg, c(0, 40), "1"))
  expect_refusals(private_kmeans(iris[1:4], four, centers = 3, epsilon = 1))
  expect_refusals(kmeans_lloyd(10))
  pure <- privacy_budget(epsilon = 1)
  expect_refusals(private_count(mpg > 20, 2, budget = pure))
  expect_refusals(private_count(mpg > 20, rho = 1, budget = pure))
  expect_refusals(private_count(mpg > 20, 0.5, delta = 1e-6, budget = pure))
  expect_refusals(private_graph(matrix(0, 3, 3), 1, budget = pure))
  expect_refusals(private_mean(mpg, c(0, 40), 1, pure))
  expect_identical(pure$spent, 0)
})

test_that("numbers of rows are public, and have limits", {
  expect_refusals(private_count(unseen(epsilon = 1)))
  expect_refusals(private_count(unseen(-5), 1))
  expect_refusals(private_count(unseen(1e20), 1))
  expect_refusals(private_count(unseen(mpg > 20), 1))
  expect_refusals(private_mean(unseen(1e12), c(0, 8), 1))
  expect_refusals(private_var(unseen(1), c(0, 1), 1))
})

test_that("no message shows a value or a row of the data", {
  secret <- 7654.321
  told <- function(code) tryCatch({
    code
    "released" # the digits of noise may be any
  }, error = conditionMessage)
  box <- domain_box(c(0, 0), c(1, 1))
  made <- function(class) structure(secret, class = class)
  classes <- list(factor(secret), as.character(secret), made("Date"), made(c("POSIXct", "POSIXt")), made("integer64"),
                  as.difftime(secret, units = "hours"), I(list(secret)), complex(real = secret), matrix(secret, 1, 2))
  for (column in classes) {
    rows <- data.frame(a = secret)
    rows$b <- column
    said <- c(told(private_mean(rows, box, 1)), told(private_mean(rows$b, c(0, 1), 1)),
              told(private_quantile(rows$b, c(0, 1), 0.5, 1)), told(private_count(rows, 1, columns = "b")),
              told(private_mean(c(0, 1), c(secret, -secret), 1)))
    expect_no_match(said, "7654|1990|321")
  }
})

test_that("breaks that do not increase, diagrams that are none and lists of edges that are none are what is named", {
  expect_refusals(private_histogram(mpg, c(50, 15), 1))
  expect_refusals(private_histogram(visits$when, year[c(1, 2, 2)], 1))
  expect_refusals(private_histogram(mpg, c(1, NA, 3), 1))
  diagram <- persistence_diagram(0, 0, 1)
  expect_refusals(bottleneck_distance(diagram, 3))
  expect_refusals(bottleneck_distance(diagram, diagram))
  expect_refusals(graph_debias(iris))
  expect_refusals(private_mean(mtcars, c(low = 50, high = 350), 1))
  expect_refusals(private_count(quakes, 1, columns = "mag", by = list(stations = 10:20)))
})

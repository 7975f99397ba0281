# How often intervals of confint() of synthetic data have the truth: five tables, three statistics of each.
#
# A table is the population. 2,000 rows are drawn from it with replacement and published (five columns, AIM, epsilon 1
# alone), and intervals at level .9 are made from 20 runs, 20 times: of a model whose mechanism was told nothing
# (`has`), and of one whose workload has the columns that a statistic looks at, and no others (`told`). The truth is
# the statistic of all rows of the table, with all their digits. `naive`: how often the interval of the same statistic
# that sees drawn rows as if they were real has the truth (normal, from 20 bootstrap samples of the drawn rows).
# `warned`: how often a warning said that the statistic looks at what the model does not hold; `quiet`: as `has`, of the
# others.
#
#   Rscript inst/simulations/tables-intervals.R FOLDER
#
# The tables are those of tables-common.R, and two that are made here.
source("inst/simulations/tables-common.R")

rows_published <- 2000
runs <- 20
repeats <- 20

share_difference <- function(yes, group) mean(yes[group]) - mean(yes[!group])

adult <- function() read_adult()[c("age", "sex", "hours_per_week", "education_num", "salary")]

cleveland_columns <- c("age", "sex", "thalach", "oldpeak", "num")

made_shop <- function() {
  set.seed(93)
  n <- 50000
  carat <- round(pmin(3, rgamma(n, 3, 4)), 2)
  clarity <- sample(c("low", "middle", "high"), n, TRUE, c(0.3, 0.5, 0.2))
  price <- pmin(2e4, 3000 * carat^1.5 * c(low = 0.7, middle = 1, high = 1.5)[clarity] * exp(rnorm(n, 0, 0.3)))
  data.frame(carat, clarity, price, gift = runif(n) < 0.3, age = pmin(90, pmax(18, round(rnorm(n, 45, 15)))))
}

made_normal <- function() {
  set.seed(94)
  n <- 50000
  x <- rnorm(n)
  y <- 0.5 * x + rnorm(n)
  data.frame(x, y, z = 0.3 * y + rnorm(n), u = rnorm(n), v = runif(n) < plogis(x))
}

normal_column <- schema_numeric(-4, 4, cells = 16)

populations <- list(
  Adult = list(
    read = adult, schema = schema_columns(adult_schema, names(adult())),
    workload = ~ age + salary * sex + hours_per_week * education_num,
    statistic = function(rows) c(
      mean = mean(rows$age),
      difference = share_difference(rows$salary == ">50K", rows$sex == "Male"),
      slope = coef(lm(hours_per_week ~ education_num, rows))[[2]]
    )
  ),
  Poker = list(read = function() read_poker()[c(1:4, 11)], schema = schema_columns(poker_schema, c(1:4, 11)),
               workload = ~ rank1 * hand + rank1 * rank2,
               statistic = function(rows) {
                 number <- function(x) as.numeric(as.character(x))
                 c(mean = mean(number(rows$rank1)),
                   difference = share_difference(rows$hand == "0", number(rows$rank1) > 7),
                   slope = coef(lm(number(rank2) ~ number(rank1), rows))[[2]])
               }),
  Cleveland = list(read = function() read_cleveland()[cleveland_columns],
                   schema = schema_columns(cleveland_schema, cleveland_columns),
                   workload = ~ num * sex + thalach * age,
                   statistic = function(rows) c(
                     mean = mean(rows$thalach),
                     difference = share_difference(rows$num != 0, rows$sex == 1),
                     slope = coef(lm(thalach ~ age, rows))[[2]]
                   )),
  Shop = list(read = made_shop, schema = table_schema(
    carat = schema_numeric(0, 3, cells = 15), clarity = c("low", "middle", "high"),
    price = schema_numeric(0, 2e4, cells = 20), gift = schema_logical(), age = schema_numeric(18, 90, cells = 12)
  ), workload = ~ price * clarity + price * carat, statistic = function(rows) c(
    mean = mean(rows$price), difference = share_difference(rows$price > 3000, rows$clarity == "high"),
    slope = coef(lm(price ~ carat, rows))[[2]]
  )),
  Normal = list(read = made_normal, schema = table_schema(
    x = normal_column, y = normal_column, z = normal_column, u = normal_column, v = schema_logical()
  ), workload = ~ v * x + y * x, statistic = function(rows) c(
    mean = mean(rows$y), difference = share_difference(rows$v, rows$x > 0), slope = coef(lm(y ~ x, rows))[[2]]
  ))
)

naive_ends <- function(model, statistic) {
  drawn <- simulate(model)
  spread <- apply(replicate(runs, statistic(drawn[sample.int(nrow(drawn), replace = TRUE), ])), 1, sd)
  cbind(statistic(drawn) - qnorm(0.95) * spread, statistic(drawn) + qnorm(0.95) * spread)
}

run_population <- function(population, rows, truth) {
  sample <- rows[sample.int(nrow(rows), rows_published, replace = TRUE), ]
  model <- private_synthesis(sample, population$schema, 1, rng = "R")
  told <- private_synthesis(sample, population$schema, 1, method = synthesis_aim(workload = population$workload),
                            rng = "R")
  warned <- integer()
  note <- function(cnd) {
    warned <<- unique(cnd$pairs$number)
    tryInvokeRestart("muffleWarning")
  }
  ends <- withCallingHandlers(confint(model, population$statistic, level = 0.9, runs = runs),
                              dptda_warning_unheld = note)
  warned <- seq_along(truth) %in% warned
  seen <- list(has = ends, told = suppressWarnings(confint(told, population$statistic, level = 0.9, runs = runs)),
               naive = naive_ends(model, population$statistic))
  has <- lapply(seen, function(ends) ends[, 1] <= truth & truth <= ends[, 2])
  widths <- lapply(seen, function(ends) ends[, 2] - ends[, 1])
  names(widths) <- paste0(names(seen), "_width")
  data.frame(statistic = names(truth), has, widths, warned, quiet = ifelse(warned, NA, has$has))
}

results <- lapply(names(populations), function(name) {
  message(name)
  population <- populations[[name]]
  rows <- population$read()
  truth <- population$statistic(rows)
  set.seed(95)
  found <- do.call(rbind, repetitions(repeats, function(i) run_population(population, rows, truth)))
  means <- stats::aggregate(found[-1], found["statistic"], mean, na.rm = TRUE)
  data.frame(table = name, means[match(names(truth), means$statistic), ], truth = truth, row.names = NULL)
})
results <- do.call(rbind, results)
numbers <- c("has_width", "told_width", "naive_width", "truth")
results[numbers] <- lapply(results[numbers], signif, digits = 3)
print(colMeans(results[c("has", "told", "naive", "warned")]))
print(weighted.mean(results$quiet, 1 - results$warned, na.rm = TRUE))
write_table(results, "tables-intervals")

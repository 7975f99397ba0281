# How often intervals of confint() of synthetic data have the truth: five tables, three statistics of each.
#
# A table is the population. 2,000 rows are drawn from it with replacement, of three tables 20,000 as well, and
# published (five columns, AIM, epsilon 1 alone), and intervals at level .9 are made from 20 runs, 20 times: of a model
# whose mechanism was told nothing (`has`), and of one whose workload has the columns that a statistic looks at, and no
# others (`told`). The truth is the statistic of all rows of the table, with all their digits. `naive`: how often the
# interval of the same statistic that sees drawn rows as if they were real has the truth (normal, from 20 bootstrap
# samples of the drawn rows). `unheld`, `coarse`: how often a warning said that the statistic looks at what the model
# does not hold, or that cells are coarse for it; `told_warned`: either, of the models with a workload. `quiet`,
# `told_quiet`: as `has` and `told`, of the others. That the square of the bias counts was settled with other seeds.
#
#   Rscript inst/simulations/tables-intervals.R FOLDER
#
# The tables are those of tables-common.R, and two that are made here.
source("inst/simulations/tables-common.R")

runs <- sized(20)
repeats <- sized(c("2000" = 20, "20000" = 20))

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

# The ends, and which numbers were warned of, and how.
told_ends <- function(model, statistic, truth) {
  unheld <- coarse <- integer()
  ends <- withCallingHandlers(
    confint(model, statistic, level = 0.9, runs = runs),
    dptda_warning_unheld = function(cnd) {
      unheld <<- cnd$pairs$number
      tryInvokeRestart("muffleWarning")
    },
    dptda_warning_coarse = function(cnd) {
      coarse <<- cnd$numbers
      tryInvokeRestart("muffleWarning")
    }
  )
  list(ends = ends, unheld = seq_along(truth) %in% unheld, coarse = seq_along(truth) %in% coarse)
}

run_population <- function(population, rows, truth, published) {
  sample <- rows[sample.int(nrow(rows), published, replace = TRUE), ]
  model <- private_synthesis(sample, population$schema, 1, rng = "R")
  told <- private_synthesis(sample, population$schema, 1, method = synthesis_aim(workload = population$workload),
                            rng = "R")
  has <- told_ends(model, population$statistic, truth)
  told <- told_ends(told, population$statistic, truth)
  seen <- list(has = has$ends, told = told$ends, naive = naive_ends(model, population$statistic))
  within <- lapply(seen, function(ends) ends[, 1] <= truth & truth <= ends[, 2])
  widths <- lapply(seen, function(ends) ends[, 2] - ends[, 1])
  names(widths) <- paste0(names(seen), "_width")
  warned <- told$unheld | told$coarse
  data.frame(statistic = names(truth), within, widths, unheld = has$unheld, coarse = has$coarse,
             quiet = ifelse(has$unheld | has$coarse, NA, within$has), told_warned = warned,
             told_quiet = ifelse(warned, NA, within$told))
}

results <- lapply(names(populations), function(name) {
  population <- populations[[name]]
  rows <- population$read()
  truth <- population$statistic(rows)
  sizes <- as.numeric(names(repeats))
  found <- lapply(sizes[sizes <= nrow(rows) / 2 | sizes == sizes[1]], function(published) {
    message(name, " ", published)
    set.seed(95)
    times <- repeats[[as.character(published)]]
    found <- do.call(rbind, repetitions(times, function(i) run_population(population, rows, truth, published)))
    means <- stats::aggregate(found[-1], found["statistic"], mean, na.rm = TRUE)
    quiet <- stats::aggregate(!is.na(found[c("quiet", "told_quiet")]), found["statistic"], sum)
    means[c("quiet_times", "told_quiet_times")] <- quiet[c("quiet", "told_quiet")]
    data.frame(table = name, rows = published, means[match(names(truth), means$statistic), ], truth = truth,
               row.names = NULL)
  })
  do.call(rbind, found)
})
results <- do.call(rbind, results)
numbers <- c("has_width", "told_width", "naive_width", "truth", "quiet", "told_quiet")
results[numbers] <- lapply(results[numbers], signif, digits = 3)
quiet_of <- function(part) {
  c(colMeans(part[c("has", "told", "naive", "unheld", "coarse", "told_warned")]),
    quiet = stats::weighted.mean(part$quiet, part$quiet_times, na.rm = TRUE), times = sum(part$quiet_times),
    told_quiet = stats::weighted.mean(part$told_quiet, part$told_quiet_times, na.rm = TRUE),
    times = sum(part$told_quiet_times))
}
print(signif(do.call(rbind, lapply(split(results, results$rows), quiet_of)), 3))
write_table(results, "tables-intervals")

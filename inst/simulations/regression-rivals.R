# Errors of private_lm() and private_glm() beside others, on the same rows, for delta = 1e-6. Linear models: the root
# mean square over slopes of (private slope - slope of lm()) / (its standard error). AdaSSP (Wang 2018) is written here,
# with Gaussian noise on X'X, X'y, and the smallest eigenvalue, a third of rho each. DPpack has linear and logistic
# regression by objective perturbation (linear: gamma = 0.01). "aim" and "mst" are lm() on rows that private_synthesis()
# releases. Logistic models: deviance per row and area under the curve of held-out rows. Medians over `runs` releases.
# Boxes and levels are chosen by hand, and the rounds of private_lm() were designed on these tables, so expect less on
# others. Needs the folder of data; rows of DPpack need that package.
source("inst/simulations/common.R")
set.seed(49)
epsilons <- c(0.25, 1, 4)
delta <- 1e-6
most_rows <- 10000

# ---- tables ----------------------------------------------------------------------------------------------------------

read_adult <- function() {
  rows <- read.csv(data_file("adult.data.gz"), header = FALSE, strip.white = TRUE)
  married <- rows$V6 %in% c("Married-civ-spouse", "Married-AF-spouse")
  data.frame(age = rows$V1, education = rows$V5, hours = rows$V13, sex = rows$V10,
             marital = ifelse(married, "married", ifelse(rows$V6 == "Never-married", "never", "once")),
             race = ifelse(rows$V9 %in% c("White", "Black"), rows$V9, "Other"), rich = rows$V15 == ">50K")
}
adult_levels <- list(sex = c("Male", "Female"), marital = c("married", "never", "once"),
                     race = c("White", "Black", "Other"))
adult_box <- list(age = c(17, 90), education = c(1, 16), hours = c(1, 99))

magic_box <- Map(c, c(0, 0, 1, 0, 0, -500, -400, -300, 0, 0), c(400, 300, 6, 1, 1, 500, 400, 300, 90, 500))
names(magic_box) <- paste0("V", 1:10)
read_magic <- function() transform(read.csv(data_file("magic04.data.gz"), header = FALSE), gamma = V11 == "g")

read_heart <- function() {
  rows <- na.omit(read.csv(data_file("processed.cleveland.data"), header = FALSE, na.strings = "?"))
  data.frame(age = rows$V1, pressure = rows$V4, rate = rows$V8, depression = rows$V10, man = rows$V2,
             angina = rows$V9, pain = as.character(rows$V3), ill = rows$V14 > 0)
}

# Columns of Adult, and an event that 3 % of the rows have, by drawing.
read_rare <- function() {
  rows <- read_adult()
  unit <- function(x, side) (x - mean(side)) / (diff(side) / 2)
  logit <- -3.6 + 0.8 * unit(rows$age, adult_box$age) + 2 * unit(rows$education, adult_box$education) -
    0.8 * (rows$marital == "never") - 0.6 * (rows$marital == "once") + 0.9 * unit(rows$hours, adult_box$hours)
  transform(rows, event = runif(nrow(rows)) < plogis(logit))
}

wide <- function(names, response) reformulate(names, response)
linear_tables <- list(
  quakes = list(rows = function() datasets::quakes, formula = mag ~ depth + stations,
                box = list(mag = c(3, 8), depth = c(0, 700), stations = c(0, 150))),
  Boston = list(rows = function() MASS::Boston, formula = medv ~ rm + lstat + ptratio + nox,
                box = list(medv = c(0, 60), rm = c(3, 9), lstat = c(0, 50), ptratio = c(10, 25), nox = c(0.3, 1))),
  `Adult hours` = list(rows = read_adult, formula = hours ~ age + education + sex + marital + race, box = adult_box,
                       levels = adult_levels),
  `MAGIC length` = list(rows = read_magic, formula = wide(paste0("V", 2:10), "V1"), box = magic_box),
  diamonds = list(rows = function() as.data.frame(ggplot2::diamonds),
                  formula = log(price) ~ log(carat) + depth + table + cut + color + clarity,
                  box = list(price = c(100, 20000), carat = c(0.1, 10), depth = c(40, 80), table = c(40, 80)),
                  levels = lapply(ggplot2::diamonds[c("cut", "color", "clarity")], levels)),
  SDSS = list(rows = function() read.csv(data_file("Skyserver_SQL2_27_2018_6_51_39_PM.csv.gz")),
              formula = z ~ u + g + r + i, box = Map(c, c(u = 10, g = 10, r = 10, i = 10, z = 10), 25))
)
logistic_tables <- list(
  `Adult income` = list(rows = read_adult, formula = rich ~ age + education + hours + sex + marital + race,
                        box = adult_box, levels = adult_levels),
  `MAGIC class` = list(rows = read_magic, formula = wide(paste0("V", 1:10), "gamma"), box = magic_box),
  `rare event` = list(rows = read_rare, formula = event ~ age + education + hours + sex + marital + race,
                      box = adult_box, levels = adult_levels),
  heart = list(rows = read_heart, formula = ill ~ age + pressure + rate + depression + man + angina + pain,
               box = list(age = c(20, 90), pressure = c(80, 220), rate = c(60, 220), depression = c(0, 7),
                          man = c(0, 1), angina = c(0, 1)), levels = list(pain = as.character(1:4)))
)

# The rows with levels as factors and each variable in its side. For rivals, the design `X` with columns in [-1, 1] (the
# constant, numbers, and indicators of levels), halves of ranges of its columns without the constant, the squared length
# `square` of its rows, and the response `y` in [-1, 1] or logical, with its own `half`.
prepare <- function(table, rows) {
  for (name in names(table$levels)) {
    rows[[name]] <- factor(as.character(rows[[name]]), table$levels[[name]])
  }
  for (name in names(table$box)) rows[[name]] <- pmin(pmax(rows[[name]], table$box[[name]][1]), table$box[[name]][2])
  terms <- attr(terms(table$formula), "term.labels")
  response <- deparse1(table$formula[[2]])
  side <- function(term) { # of a variable, or of its logarithm
    if (!is.null(table$box[[term]])) return(table$box[[term]])
    log(table$box[[all.vars(str2lang(term))]])
  }
  columns <- lapply(terms, function(term) {
    if (!is.null(table$levels[[term]])) {
      return(list(X = outer(as.integer(rows[[term]]), seq_along(table$levels[[term]])[-1], `==`) + 0,
                  half = rep(1, length(table$levels[[term]]) - 1)))
    }
    x <- eval(str2lang(term), rows)
    list(X = (x - mean(side(term))) / (diff(side(term)) / 2), half = diff(side(term)) / 2)
  })
  y <- eval(table$formula[[2]], rows)
  d <- list(rows = rows, X = cbind(1, do.call(cbind, lapply(columns, `[[`, "X"))),
            halves = unlist(lapply(columns, `[[`, "half")), square = 1 + length(terms), y = y)
  if (is.logical(y)) return(d)
  d$half <- diff(side(response)) / 2
  d$middle <- mean(side(response))
  d$y <- (y - d$middle) / d$half
  d
}

# ---- methods ---------------------------------------------------------------------------------------------------------

# The rho that a release with `epsilon` and `delta` spends.
rho_of <- function(epsilon) {
  sides <- list(x = c(0, 1), y = c(0, 1))
  private_lm(unseen(1e6), y ~ x, sides, epsilon = epsilon, delta = delta)$guarantee$public$rho
}

symmetric_noise <- function(p, sd) {
  N <- matrix(0, p, p)
  N[upper.tri(N)] <- rnorm(p * (p - 1) / 2, sd = sd)
  N + t(N) + diag(rnorm(p, sd = sd * sqrt(2)))
}

adassp <- function(d, epsilon) {
  p <- ncol(d$X)
  sd <- d$square / sqrt(2 * rho_of(epsilon) / 3)
  A <- crossprod(d$X)
  least <- max(min(eigen(A, TRUE, only.values = TRUE)$values) + rnorm(1, sd = sd), 0)
  ridge <- max(0, sd * sqrt(p * log(2 * p^2 / 0.05)) - least)
  b <- crossprod(d$X, d$y) + rnorm(p, sd = 2 * sd / sqrt(d$square))
  drop(solve(A + symmetric_noise(p, sd) + diag(ridge, p), b))
}

by_dppack <- function(d, epsilon) {
  X <- as.data.frame(d$X[, -1])
  lower <- vapply(X, function(x) if (all(x %in% 0:1)) 0 else -1, 0)
  upper <- rep(1, ncol(X))
  if (is.logical(d$y)) {
    fit <- DPpack::LogisticRegressionDP$new("l2", epsilon, 0.01)
    fit$fit(X, data.frame(y = as.numeric(d$y)), upper.bounds = upper, lower.bounds = lower, add.bias = TRUE)
  } else {
    fit <- DPpack::LinearRegressionDP$new("l2", epsilon, delta, 0.01)
    fit$fit(X, data.frame(y = d$y), upper.bounds = c(upper, 1), lower.bounds = c(lower, -1), add.bias = TRUE)
  }
  as.numeric(fit$coeff)
}

# Levels that no row may have are left out.
ours <- function(table, d, epsilon, fun) {
  arguments <- list(d$rows, table$formula, table$box, levels = table$levels, rng = "R")
  cost <- if (is.finite(epsilon)) list(epsilon = epsilon, delta = delta) else list(rho = 1e9)
  fit <- suppressWarnings(do.call(fun, c(arguments, cost)))
  coef(fit)[!grepl("other$", names(coef(fit)))]
}

# DPpack may stop; how many releases it made is in `runs`.
several <- function(method, runs, one) {
  if (method != "DPpack") return(replicate(sized(runs), one(), simplify = FALSE))
  found <- replicate(sized(runs), tryCatch(one(), error = function(e) NULL), simplify = FALSE)
  Filter(Negate(is.null), found)
}

medians <- function(found) signif(apply(do.call(rbind, found), 2, median), 4)

# ---- linear models ---------------------------------------------------------------------------------------------------

linear_rows <- function(name) {
  table <- linear_tables[[name]]
  rows <- table$rows()
  if (nrow(rows) > most_rows) rows <- rows[sample(nrow(rows), most_rows), ]
  d <- prepare(table, rows)
  known <- lm(table$formula, d$rows)
  X <- model.matrix(known)
  y <- d$middle + d$half * d$y
  measure <- function(slopes, fitted) {
    error <- (slopes - coef(known)[-1]) / sqrt(diag(vcov(known)))[-1]
    c(error = sqrt(mean(error^2)), fit = 1 - sum((y - fitted)^2) / sum((y - mean(y))^2))
  }
  in_units <- function(b) measure(d$half * b[-1] / d$halves, d$middle + d$half * drop(d$X %*% b))
  stopifnot(in_units(lm.fit(d$X, d$y)$coefficients)[["error"]] < 1e-6)
  row <- function(method, epsilon, runs, one) {
    found <- several(method, runs, one)
    if (!length(found)) return(NULL)
    data.frame(data = name, n = nrow(X), p = ncol(X), method, epsilon, runs = length(found), t(medians(found)))
  }
  own <- function(epsilon) function() {
    b <- ours(table, d, epsilon, private_lm)[colnames(X)]
    measure(b[-1], drop(X %*% b))
  }
  all <- list(row("lm", Inf, 1, function() measure(coef(known)[-1], fitted(known))),
              row("private_lm", Inf, 1, own(Inf)))
  for (epsilon in epsilons) {
    all <- c(all, list(row("private_lm", epsilon, 21, own(epsilon)),
                       row("AdaSSP", epsilon, 21, function() in_units(adassp(d, epsilon))),
                       if (requireNamespace("DPpack", quietly = TRUE)) {
                         row("DPpack", epsilon, 3, function() in_units(by_dppack(d, epsilon)))
                       }))
  }
  if (name == "Adult hours") all <- c(all, synthetic_rows(table, d, row, measure, X))
  do.call(rbind, all)
}

# lm() on as many rows as the table has, of a private synthesis.
synthetic_rows <- function(table, d, row, measure, X) {
  schema <- table_schema(age = schema_numeric(17, 90, cells = 16), education = schema_numeric(1, 16, cells = 15),
                         hours = schema_numeric(1, 99, cells = 14), sex = adult_levels$sex,
                         marital = adult_levels$marital, race = adult_levels$race)
  rows <- d$rows[all.vars(table$formula)]
  rows[names(adult_levels)] <- lapply(rows[names(adult_levels)], as.character)
  settings <- expand.grid(method = c("aim", "mst"), epsilon = c(1, 4), stringsAsFactors = FALSE)
  Map(function(method, epsilon) {
    row(paste("lm on rows of", method), epsilon, 3, function() {
      fit <- private_synthesis(rows, schema, epsilon = epsilon, delta = delta, method = method, rng = "R")
      drawn <- as.data.frame(simulate(fit, nrow(rows), seed = sample.int(1e6, 1)))
      for (name in names(adult_levels)) drawn[[name]] <- factor(as.character(drawn[[name]]), adult_levels[[name]])
      for (name in names(adult_box)) drawn[[name]] <- as.numeric(as.character(drawn[[name]]))
      b <- coef(lm(table$formula, drawn))[colnames(X)]
      measure(b[-1], drop(X %*% b))
    })
  }, settings$method, settings$epsilon)
}

# ---- logistic models -------------------------------------------------------------------------------------------------

deviance_of <- function(eta, y) mean(-2 * (y * eta - ifelse(eta > 30, eta, log1p(exp(pmin(eta, 30))))))
area_of <- function(eta, y) {
  ranks <- rank(eta)
  (sum(ranks[y]) - sum(y) * (sum(y) + 1) / 2) / (sum(y) * sum(!y))
}

logistic_rows <- function(name) {
  table <- logistic_tables[[name]]
  rows <- table$rows()
  chosen <- sample(nrow(rows), min(2 * most_rows, nrow(rows)))
  half <- length(chosen) %/% 2
  d <- prepare(table, rows[chosen[seq_len(half)], ])
  held <- prepare(table, rows[chosen[-seq_len(half)], ])
  X <- model.matrix(table$formula, held$rows)
  y <- held$y
  measure <- function(eta) c(deviance = deviance_of(eta, y), area = area_of(eta, y))
  row <- function(method, epsilon, runs, one) {
    found <- several(method, runs, function() measure(drop(one())))
    if (!length(found)) return(NULL)
    data.frame(data = name, n = half, p = ncol(d$X), method, epsilon, runs = length(found), t(medians(found)))
  }
  known <- suppressWarnings(glm(table$formula, binomial(), d$rows))
  own <- function(epsilon) function() X %*% ours(table, d, epsilon, private_glm)[colnames(X)]
  all <- list(row("rate alone", Inf, 1, function() rep(qlogis(mean(d$y)), nrow(X))),
              row("glm", Inf, 1, function() X %*% coef(known)), row("private_glm", Inf, 1, own(Inf)))
  for (epsilon in epsilons) {
    all <- c(all, list(row("private_glm", epsilon, 15, own(epsilon)),
                       if (requireNamespace("DPpack", quietly = TRUE)) {
                         row("DPpack", epsilon, 3, function() held$X %*% by_dppack(d, epsilon))
                       }))
  }
  do.call(rbind, all)
}

of_tables <- function(tables, rows_of) {
  do.call(rbind, repetitions(length(tables), function(i) {
    started <- proc.time()[[3]]
    found <- rows_of(names(tables)[i])
    message(names(tables)[i], ": ", round(proc.time()[[3]] - started), " s")
    found
  }))
}
write_table(of_tables(linear_tables, linear_rows), "regression-rivals")
write_table(of_tables(logistic_tables, logistic_rows), "regression-rivals-logistic")
record_time("regression-rivals.R")

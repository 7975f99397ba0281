# What the scripts on whole tables share. The data are those of Alipourjeddi and Miri (2024), all of the UCI Machine
# Learning Repository, and they are not shipped. A script takes the folder that holds them as its argument, or from the
# environment variable DPTDA_DATA:
#
#   adult.data.gz, adult.test.gz         "Adult" (Becker and Kohavi 1996); its 45,222 complete rows
#   poker-hand-training-true.data.gz     "Poker Hand" (Cattral and Oppacher 2002)
#   processed.cleveland.data             "Heart Disease", Cleveland (Janosi, Steinbrunn, Pfisterer and Detrano 1988)
#
# each in the folder itself or in one below. The schemas below were written from the repository's descriptions of the
# columns, not from the rows.
source("inst/simulations/common.R")

words <- function(x) strsplit(gsub("\\s+", " ", trimws(x)), " ")[[1]]

# ---- Adult -----------------------------------------------------------------------------------------------------------

adult_schema <- table_schema(
  age = schema_numeric(0, 100, cells = 20, whole = TRUE),
  workclass = words("Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked"),
  fnlwgt = schema_numeric(0, 1.5e6, cells = 15, whole = TRUE),
  education = schema_categorical(words("Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th HS-grad Some-college
                                        Assoc-voc Assoc-acdm Bachelors Masters Prof-school Doctorate"),
                                 ordered = TRUE, other = "HS-grad"),
  education_num = schema_numeric(0.5, 16.5, cells = 16, whole = TRUE),
  marital_status = words("Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent
                          Married-AF-spouse"),
  occupation = words("Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners
                      Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv
                      Armed-Forces"),
  relationship = words("Wife Own-child Husband Not-in-family Other-relative Unmarried"),
  race = words("White Asian-Pac-Islander Amer-Indian-Eskimo Other Black"),
  sex = schema_categorical(c("Female", "Male"), other = "Female"),
  capital_gain = schema_numeric(0, 1e5, breaks = c(1, 2500, 5000, 7500, 10000, 15000, 25000, 50000), whole = TRUE),
  capital_loss = schema_numeric(0, 5000, breaks = c(1, 1000, 1500, 1750, 2000, 2500, 3000), whole = TRUE),
  hours_per_week = schema_numeric(0, 100, cells = 20, whole = TRUE),
  native_country = words("United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India
                          Japan
                          Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal
                          Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala
                          Nicaragua Scotland Thailand Yugoslavia El-Salvador Trinadad&Tobago Peru Hong
                          Holand-Netherlands"),
  salary = schema_categorical(c("<=50K", ">50K"), other = "<=50K")
)

# The columns by name, in another order or fewer of them.
schema_columns <- function(schema, columns) do.call(table_schema, schema$columns[columns])

adult_categorical <- c("workclass", "education", "marital_status", "occupation", "relationship", "race", "sex",
                       "native_country", "salary")

read_adult <- function() {
  read <- function(file, skip) {
    rows <- read.csv(data_file(file), header = FALSE, strip.white = TRUE, skip = skip,
                     col.names = names(adult_schema$columns))
    rows[rowSums(rows == "?") == 0, ]
  }
  rows <- rbind(read("adult.data.gz", 0), read("adult.test.gz", 1))
  rows$salary <- sub(".", "", rows$salary, fixed = TRUE) # labels of the second file end with a dot
  rows
}

adult_targets <- list(
  salary = function(rows) rows$salary == ">50K",
  education = function(rows) !rows$education %in% words("Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th HS-grad"),
  sex = function(rows) rows$sex == "Female",
  marital_status = function(rows) rows$marital_status == "Never-married"
)

# ---- Poker-Hand ------------------------------------------------------------------------------------------------------

poker_schema <- do.call(table_schema, c(
  rep(list(schema_categorical(1:4, other = "1"), schema_categorical(1:13, ordered = TRUE, other = "1")), 5),
  list(schema_categorical(0:9, other = "0"))
) |> stats::setNames(c(rbind(paste0("suit", 1:5), paste0("rank", 1:5)), "hand")))

read_poker <- function() {
  read.csv(data_file("poker-hand-training-true.data.gz"), header = FALSE, col.names = names(poker_schema$columns))
}

poker_targets <- list(hand = function(rows) rows$hand != 0)

# ---- Cleveland -------------------------------------------------------------------------------------------------------

cleveland_schema <- table_schema(
  age = schema_numeric(20, 90, cells = 14, whole = TRUE),
  sex = schema_categorical(0:1, other = "0"),
  cp = schema_categorical(1:4, other = "4"),
  trestbps = schema_numeric(80, 220, cells = 14, whole = TRUE),
  chol = schema_numeric(100, 600, cells = 10, whole = TRUE),
  fbs = schema_categorical(0:1, other = "0"),
  restecg = schema_categorical(0:2, other = "0"),
  thalach = schema_numeric(60, 210, cells = 15, whole = TRUE),
  exang = schema_categorical(0:1, other = "0"),
  oldpeak = schema_numeric(0, 8, cells = 8),
  slope = schema_categorical(1:3, ordered = TRUE, other = "2"),
  ca = schema_categorical(0:3, ordered = TRUE, other = "0"),
  thal = schema_categorical(c(3, 6, 7), other = "3"),
  num = schema_categorical(0:4, ordered = TRUE, other = "0")
)

read_cleveland <- function() {
  rows <- read.csv(data_file("processed.cleveland.data"), header = FALSE, na.strings = "?",
                   col.names = names(cleveland_schema$columns))
  stats::na.omit(rows)
}

cleveland_targets <- list(num = function(rows) rows$num != 0)

tables <- list(
  Adult = list(schema = adult_schema, read = read_adult, targets = adult_targets),
  Cleveland = list(schema = cleveland_schema, read = read_cleveland, targets = cleveland_targets),
  Poker = list(schema = poker_schema, read = read_poker, targets = poker_targets)
)

# ---- places of rows ----------------------------------------------------------------------------------------

# Which cell or level of its column each value is in, from 1.
row_codes <- function(rows, schema) {
  one <- function(x, column) {
    if (column$type == "numeric") return(findInterval(x, column$breaks, rightmost.closed = TRUE, all.inside = TRUE))
    levels <- as.character(column$axis$levels)
    code <- match(as.character(x), levels)
    replace(code, is.na(code), match(column$axis$other, levels, nomatch = length(levels) + 1))
  }
  mapply(one, rows[names(schema$columns)], schema$columns)
}

# A row as a vector: for each column one coordinate for each code, 1 at its own and 0 elsewhere, less the mean of
# these, in steps of 2^-10 as synthesis_topology() has it.
row_vectors <- function(rows, schema) {
  codes <- row_codes(rows, schema)
  sizes <- vapply(schema$columns, `[[`, 0, "size")
  do.call(cbind, lapply(seq_along(sizes), function(j) {
    round(2^10 * (diag(sizes[j]) - 1 / sizes[j]))[codes[, j], ] / 2^10
  }))
}

# The principal plane of some rows, without privacy: a function that brings rows there, into the box, where variances
# are one.
principal_plane <- function(rows, schema, side = 3) {
  X <- row_vectors(rows, schema)
  center <- colMeans(X)
  axes <- eigen(cov(X), symmetric = TRUE)
  project <- axes$vectors[, 1:2] / rep(sqrt(axes$values[1:2]), each = ncol(X))
  function(rows) pmin(pmax((row_vectors(rows, schema) - rep(center, each = nrow(rows))) %*% project, -side), side)
}

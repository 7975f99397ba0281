# Looks at rows that stay in a database: each is one SQL statement, which goes through the steps of
# cluster-query-steps.R and sums whole numbers. Where a database hands rows over to R a kernel looks at pieces of them
# (database-pieces.R): the sums are the same.
#
# A statement names one subquery for each step of the arithmetic. Planners like to write the inner into the outer ones,
# and would compute a distance as often as it is used; a limit that no table reaches stops them. What selects the rows,
# and all that depends on a database's ways, is written by dbplyr. The steps themselves, SELECT and GROUP BY of plain
# names, are not: for them dbplyr 2.3 takes twenty seconds a statement, and its queries within queries are more than
# SQLite parses.

# A row in the coordinates of the box: -1 next to the lower end too, where a quotient may be too small for a double, and
# the middle for what is missing.
box_place <- quote(cases(present, cases(x <= near, -1, 0 - x <= end, 1, 2 * ((x - lower) / width) - 1), 0))

box_sql <- function(rows, box) {
  places <- seq_along(box$lower)
  width <- box$upper - box$lower
  values <- list(
    x = vapply(places, column_double, "", rows = rows), present = vapply(places, column_present, "", rows = rows),
    near = box$lower + width * 2^-58, end = -box$upper, lower = box$lower, width = width
  )
  structure(sql_of(box_place, values, rows$dialect), names = numbered("z", places), rank = NULL)
}

numbered <- function(stem, numbers) paste0(stem, numbers)

# A statement so far: `queries`, of which `last` is the name of the last; `columns`, the words for the columns of that
# one; `carried`, columns that all queries have: `parts`, of a partition, and `people`, what rows of people weigh and
# whether they are the first of a person. The first query is the rows in the coordinates of the box, with what the rows
# have `beside`. `total`: what asks how many rows there are, where that is not known beforehand.
start_statement <- function(rows, box) {
  dialect <- rows$dialect
  z <- box_sql(rows, box)
  limit <- limit_clause(dialect)
  base <- paste0(mapped_query(rows, c(z, rows$beside)), limit)
  stem <- "step"
  while (grepl(stem, base, ignore.case = TRUE)) stem <- paste0(stem, "s")
  parts <- if (!is.null(rows$partition)) fill_word(dialect$quoted, "part_of_rows")
  own <- names(rows$beside)
  beside <- stats::setNames(lapply(own, function(name) fill_word(dialect$quoted, name)), own)
  columns <- c(list(z = fill_word(dialect$quoted, names(z))), beside)
  statement <- list(dialect = dialect, carried = parts, parts = parts, stem = stem, columns = columns,
                    queries = character(), limit_clause = limit)
  if (asks_total(rows)) statement$total <- function(sums) total_of_sums(rows, sums)
  statement <- add_query(statement, base)
  statement$started <- length(statement$queries)
  if (is_weighed(rows)) carry_people(statement, rows) else statement
}

# What rows weigh, bounded in whole numbers, from here on a column of all queries.
carry_people <- function(statement, rows) {
  most <- person_most(rows)
  words <- structure(fill_word(rows$dialect$quoted, names(most)), names = names(most))
  values <- as.list(structure(sql_bounded(words, 0 * most, most, rows), names = c("own_weight", "begins")))
  known <- names(statement$columns)
  statement <- add_step(statement, query_step(known, quote(c(weight = own_weight, first = begins)), values))
  statement$columns <- statement$columns[known]
  statement$people <- as.list(words)
  statement$carried <- c(statement$parts, unname(words))
  statement
}

add_query <- function(statement, query) {
  statement$last <- fill_word(statement$dialect$quoted, paste0(statement$stem, length(statement$queries) + 1))
  statement$queries <- c(statement$queries, paste0(statement$last, " AS (", query, ")"))
  statement
}

# The next of the steps of cluster-query-steps.R.
add_step <- function(statement, step) {
  if (!is.null(step$on)) return(add_join(statement, step))
  columns <- step_columns(statement, step)
  statement$columns <- columns$all
  add_query(statement, paste0(columns$select, " FROM ", statement$last, statement$limit_clause))
}

# `all`: the columns after a step; `select`: the words that make them.
step_columns <- function(statement, step, known = statement$columns) {
  words <- sql_of_each(step$words, c(step$values, statement$people, known), statement$dialect)
  all <- known[step$keep]
  own <- Map(own_names, names(words), words, lengths(all)[names(words)])
  made <- fill_word(statement$dialect$quoted, unlist(own, use.names = FALSE))
  of <- rep(names(words), lengths(words))
  for (name in names(words)) {
    all[[name]] <- if (is.null(all[[name]])) structure(made[of == name], dim = dim(words[[name]])) else
      c(all[[name]], made[of == name])
  }
  kept <- c(statement$carried, unlist(known[step$keep], use.names = FALSE))
  list(all = all, select = paste0("SELECT ", paste(c(kept, paste(unlist(words), "AS", made)), collapse = ", ")))
}

# One column has the name itself; where some are there `before`, or NA, others are numbered on.
own_names <- function(name, words, before) {
  if (is.na(before)) before <- 0
  if (length(dim(words)) < 2) return(if (length(words) + before > 1) paste0(name, before + seq_along(words)) else name)
  places <- arrayInd(seq_along(words), dim(words))
  paste0(name, do.call(paste, c(as.data.frame(places), sep = "_")))
}

# One row for each cluster in which a row has a share, with the constants of that cluster; each row has one. (SQLite
# does not change the order of an outer join.)
add_join <- function(statement, step) {
  rows <- statement$last
  constants <- cluster_columns(step$clusters, statement$dialect)
  statement <- add_constants(statement, length(step$clusters$level), constants)
  known <- c(constants$known, statement$columns)
  columns <- step_columns(statement, step, known)
  on <- sql_of(step$on, c(step$values, statement$people, known), statement$dialect)
  statement$columns <- columns$all
  join <- statement$dialect$join
  from <- paste0(" FROM ", rows, join[1], statement$last, join[2], on)
  add_query(statement, paste0(columns$select, from, statement$limit_clause))
}

# The constants of clusters as columns: `leaves`, what they are for each cluster, by name, and `known`, as expressions
# see them. One that is zero for all clusters is none.
cluster_columns <- function(model, dialect) {
  known <- list(k = fill_word(dialect$quoted, "k"))
  if (is.null(model$whiten)) return(list(leaves = list(), known = known))
  size <- dim(model$whiten)
  dimension <- size[2]
  used <- matrix(colSums(matrix(!is.na(model$whiten), size[1])) > 0, dimension)
  pairs <- which(used, arr.ind = TRUE)
  whiten <- lapply(seq_len(nrow(pairs)), function(p) model$whiten[, pairs[p, 1], pairs[p, 2]])
  names(whiten) <- paste("w", pairs[, 1], pairs[, 2], sep = "_")
  mean <- lapply(seq_len(dimension), function(j) model$mean[, j])
  names(mean) <- paste0("m", seq_len(dimension))
  known$m <- fill_word(dialect$quoted, names(mean))
  known$W <- matrix(NA_character_, dimension, dimension)
  known$W[pairs] <- fill_word(dialect$quoted, names(whiten))
  list(leaves = c(mean, whiten), known = known)
}

# A table in the statement itself, one row a cluster. Constants are written in CASE, with all their digits, and made
# doubles after that.
add_constants <- function(statement, clusters, constants) {
  dialect <- statement$dialect
  numbers <- dbplyr::copy_inline(dialect$connection, data.frame(k = seq_len(clusters)))
  statement <- add_query(statement, dbplyr::remote_query(numbers))
  if (length(constants$leaves) == 0) return(statement)
  k <- constants$known$k
  names <- fill_word(dialect$quoted, names(constants$leaves))
  cuts <- as.character(seq_len(clusters)[-1])
  words <- vapply(constants$leaves, function(x) sql_search(k, cuts, ifelse(is.na(x), sql_number(0, dialect), x)), "")
  for (words in list(words, sql_double(names, dialect))) {
    select <- paste0("SELECT ", paste(c(k, paste(words, "AS", names)), collapse = ", "))
    statement <- add_query(statement, paste0(select, " FROM ", statement$last, statement$limit_clause))
  }
  statement
}

# ---- sums ----------------------------------------------------------------------------------

# Sums, from -2^52 to 2^52, come from the database with this added to them. RSQLite makes R's missing value of -2^31,
# where the other numbers of its column are small: such rows would end a release that is spent. None comes after this,
# and none leaves the doubles that bit64 reads without a warning.
sum_origin <- 2^52 - 1

# Sums by `cell`, over the parts of a partition first. The first of `terms` is 1 where a row is counted: of people what
# it weighs, and whether a person begins there.
add_sums <- function(statement, terms) {
  dialect <- statement$dialect
  values <- c(terms$values, statement$people, statement$columns)
  terms <- unlist(sql_of_each(terms$words, values, dialect), use.names = FALSE)
  sums <- fill_word(dialect$quoted, numbered("sum", seq_along(terms[-1])))
  counts <- fill_word(dialect$quoted, c("counted", if (!is.null(statement$people)) "people"))
  counted <- if (is.null(statement$people)) terms[1] else paste(terms[1], "*", unlist(statement$people))
  statement <- group_sums(statement, fill_word(dialect$big, c(counted, terms[-1])), c(counts, sums))
  sums_from <- paste(fill_word(dialect$big, sums), "+", sql_integer(sum_origin))
  words <- c("1", fill_word(dialect$big, c(statement$columns$cell, counts, sums_from)))
  names <- c(fill_word(dialect$quoted, c("table", "cell", c("rows", "people")[seq_along(counts)])), sums)
  answers <- paste0("SELECT ", paste(words, "AS", names, collapse = ", "), " FROM ", statement$last)
  total <- if (!is.null(statement$total)) c(" UNION ALL ", statement$total(numbered("sum", seq_along(sums))))
  answers <- paste(c(answers, total), collapse = "")
  started <- seq_len(statement$started)
  list(first = paste0("WITH ", paste(statement$queries[started], collapse = ",\n")),
       rest = paste0(paste0(",\n", statement$queries[-started], collapse = ""), "\n", answers))
}

# `names`: of the sums of `terms`.
group_sums <- function(statement, terms, names) {
  cell <- statement$columns$cell
  group <- function(statement, by, words) {
    select <- paste0("SELECT ", paste(c(by, paste(words, "AS", names)), collapse = ", "))
    add_query(statement, paste0(select, " FROM ", statement$last, " GROUP BY ", paste(by, collapse = ", ")))
  }
  statement <- group(statement, c(statement$parts, cell), paste0("SUM(", terms, ")"))
  if (length(statement$parts)) group(statement, cell, paste0("SUM(", names, ")")) else statement
}

# ---- statements with room for constants ------------------------------------------------------

# A release asks for the same statement again and again, with other constants: it is written once, before anything is
# spent, with a mark in the place of each constant, and is kept with the rows (`prepared`). `key` says what it is for.
slots_sql <- function(numbers, from = 0, known_zero = FALSE) {
  words <- paste0("\001", from + seq_along(numbers), "\001")
  if (known_zero) words[numbers == 0] <- NA
  array(words, if (is.null(dim(numbers))) length(numbers) else dim(numbers))
}

new_template <- function(key, written, dialect) {
  pieces <- strsplit(written$rest, "\001", fixed = TRUE)[[1]]
  places <- seq_along(pieces)[c(FALSE, TRUE)]
  list(key = key, first = written$first, pieces = pieces, places = places, constants = as.integer(pieces[places]),
       dialect = dialect)
}

fill_template <- function(template, question) {
  words <- c(sql_number(question$numbers, template$dialect), sql_integer(question$whole))
  template$pieces[template$places] <- words[template$constants]
  paste0(template$first, paste(template$pieces, collapse = ""))
}

# `question`: its `key`, its constants, `numbers` and after them `whole` ones, and `steps` and `terms`, functions of
# nothing that write it.
question_template <- function(rows, box, question) {
  key <- c(question$key, box = list(list(box$lower, box$upper)))
  for (template in rows$prepared) if (identical(template$key, key)) return(template)
  statement <- if (is.null(rows$start)) start_statement(rows, box) else rows$start
  for (step in question$steps()) statement <- add_step(statement, step)
  new_template(key, add_sums(statement, question$terms()), rows$dialect)
}

write_question <- function(rows, box, question) fill_template(question_template(rows, box, question), question)

# Rows with templates for questions, each of which the database is shown before anything is spent, with constants.
prepare_questions <- function(rows, box, questions) {
  for (question in questions) {
    template <- before_rows(question_template(rows, box, question), rows$arg)
    if (any(vapply(rows$prepared, identical, NA, template))) next
    try_statement(rows, dbplyr::sql(fill_template(template, question)))
    rows$prepared <- c(rows$prepared, list(template))
  }
  rows
}

# What query_model() gives, one row for each cluster.
cluster_constants <- function(model, box, query) {
  model <- query_model(model, box, query$stretch)
  dimension <- nrow(model$mean)
  whiten <- array(model$whiten, c(dimension, dimension, length(model$level)))
  list(level = model$level, mean = t(model$mean), whiten = aperm(whiten, c(3, 1, 2)), stretch = model$stretch,
       nearest = if (!is.null(model$nearest)) t(model$nearest))
}

# Where constants are zero they are left out, and the statement is another one. (Features of the box are few.)
query_parts <- function(model, box, query, weighed) {
  constants <- cluster_constants(model, box, query)
  clusters <- length(constants$level)
  mean <- constants$mean
  whiten <- constants$whiten
  known <- c(constants$level, mean, whiten, constants$nearest)
  numbers <- query_numbers(query, ncol(mean), constants$stretch)
  steps <- function() {
    words <- list(level = slots_sql(constants$level), mean = slots_sql(mean, clusters, TRUE),
                  whiten = slots_sql(whiten, clusters + length(mean), TRUE),
                  nearest = if (!is.null(constants$nearest)) {
                    slots_sql(constants$nearest, clusters + length(mean) + length(whiten))
                  })
    slots <- as.vector(slots_sql(numbers, length(known)))
    query_steps(words, query, weighed, structure(as.list(slots), names = names(numbers)))
  }
  far <- isTRUE(query$far)
  list(key = list("query", clusters, query$hard, query$whitened, far, if (!query$whitened) query$bits, mean == 0,
                  whiten == 0, is.null(constants$nearest)),
       numbers = c(known, unlist(numbers[1:5], use.names = FALSE)), whole = unlist(numbers[6:7], use.names = FALSE),
       steps = steps,
       terms = function() query_terms(ncol(mean), far = far))
}

query_statement <- function(rows, model, box, query) {
  write_question(rows, box, query_parts(model, box, query, is_weighed(rows)))
}

mean_question <- function(centers, bits, weighed) {
  centers <- t(flush_to_zero(centers))
  list(key = list("means", dim(centers), bits), numbers = as.vector(centers),
       steps = function() mean_steps(slots_sql(centers), bits, weighed),
       terms = function() query_terms(ncol(centers), products = FALSE))
}

means_statement <- function(rows, centers, box, bits) {
  write_question(rows, box, mean_question(centers, bits, is_weighed(rows)))
}

# Of starts x clusters x columns.
score_question <- function(global, box, starts, spread, bits, weighed) {
  model <- query_model(global, box)
  dimension <- nrow(model$mean)
  mean <- t(model$mean)
  whiten <- array(model$whiten, c(1, dimension, dimension))
  centers <- aperm(array(unlist(starts), c(dim(starts[[1]]), length(starts))), c(3, 2, 1))
  steps <- function() {
    words <- list(level = "0.0", mean = slots_sql(mean, 0, TRUE), whiten = slots_sql(whiten, length(mean), TRUE))
    score_steps(words, slots_sql(centers, length(mean) + length(whiten)), spread, bits)
  }
  list(key = list("scores", dim(centers), spread, bits, mean == 0, whiten == 0), numbers = c(mean, whiten, centers),
       steps = steps, terms = function() score_terms(bits, weighed))
}

score_statement <- function(rows, global, box, starts, spread, bits) {
  rows$dialect <- with_logarithm(rows$dialect, log_name(rows$dialect))
  write_question(rows, box, score_question(global, box, starts, spread, bits, is_weighed(rows)))
}

# ---- asking ----------------------------------------------------------------------------------

# The sums of an answer, one column a cluster. Rows with shares in several clusters are counted where they are
# likeliest.
read_query <- function(answer, rows, clusters, size) {
  answer <- check_answer(answer, rows, 1)
  part <- answer[answer$table == 1, ]
  if (!all(part$cell %in% seq_len(clusters)) || anyDuplicated(part$cell)) {
    stop_dptda("database", "The database finds a cluster for rows of `", rows$arg,
               "` that there is not; there is no release.")
  }
  sums <- matrix(0, size, clusters)
  sums[, part$cell] <- t(as.matrix(part[numbered("sum", seq_len(size))])) - sum_origin
  sums
}

# A query comes after the charge.
ask_query <- function(rows, statement, clusters, size) {
  begin_part()
  rows <- charged_rows(rows)
  statement <- dbplyr::sql(before_rows(statement, rows$arg))
  read_query(ask_statement(rows, statement), rows, clusters, size)
}

query_sums.dptda_database_rows <- function(x, model, box, query) {
  dimension <- length(x$columns)
  size <- 1 + dimension + dimension * (dimension + 1) / 2
  ask_query(x, query_statement(x, model, box, query), ncol(model$means), size)
}

lloyd_sums.dptda_database_rows <- function(x, centers, box, plan) {
  ask_query(x, means_statement(x, centers, box, plan$bits), ncol(centers), 1 + length(x$columns))
}

answer_of_query.dptda_database_rows <- function(x, model, box, query) list(sums = query_sums(x, model, box, query))

# ---- rows that are read piece by piece ------------------------------------------------------

query_sums.dptda_pieces <- function(x, model, box, query) {
  sum_over_pieces(x, function(piece) query_sums(piece, model, box, query))
}

lloyd_sums.dptda_pieces <- function(x, centers, box, plan) {
  sum_over_pieces(x, function(piece) lloyd_sums(piece, centers, box, plan))
}

start_scores.dptda_pieces <- function(x, global, box, starts, spread, bits) {
  sum_over_pieces(x, function(piece) start_scores(piece, global, box, starts, spread, bits))
}

# ---- the choice of a start -----------------------------------------------------------------

start_parts <- function(starts, clusters) {
  split(seq_len(starts), (seq_len(starts) - 1) %/% max(1, most_step_columns %/% clusters))
}

start_scores.dptda_database_rows <- function(x, global, box, starts, spread, bits) {
  parts <- start_parts(length(starts), ncol(starts[[1]]))
  unlist(lapply(parts, function(part) {
    ask_query(x, score_statement(x, global, box, starts[part], spread, bits), 1, length(part))
  }), use.names = FALSE)
}

# ---- before anything is spent -----------------------------------------------------------------

# What a database calls the natural logarithm, or NULL.
log_name <- function(dialect) {
  if (!dialect$answers || length(dialect$logarithm) == 1) return(dialect$logarithm[1])
  Find(function(name) has_function(dialect$connection, name, "2.0", log(2)), dialect$logarithm)
}

has_function <- function(connection, name, argument, value) {
  question <- paste0("SELECT ", name, "(", argument, ") AS one_value")
  answer <- value_or(suppressWarnings(DBI::dbGetQuery(connection, question)), NULL)
  is.data.frame(answer) && isTRUE(abs(as.double(answer[[1]]) - value) < 1e-9)
}

# The statements are written, and shown, for models like those to come.
ready_queries.dptda_database_rows <- function(rows, box, plan) {
  if (hands_over(rows)) {
    check_answer(ask_database(rows, present_query(rows)), rows, 1)
    return(as_pieces(rows))
  }
  dimension <- length(box$lower)
  k <- plan$clusters
  queries <- c(plan$global, plan$queries)
  soft <- k > 1 && !all(vapply(plan$queries, `[[`, NA, "hard"))
  needed <- c(if (soft || !is.null(plan$choice)) "EXP", if (!is.null(plan$choice)) "LN",
              if (any(vapply(queries, `[[`, NA, "whitened"))) "SQRT")
  if (!is.null(plan$choice)) rows$dialect <- with_logarithm(rows$dialect, log_name(rows$dialect))
  check_functions(rows, needed)
  one <- trial_model(dimension, 1)
  weighed <- is_weighed(rows)
  many <- trial_model(dimension, k)
  like <- function(query) c(many, if (isTRUE(query$nearest)) list(nearest = many$means))
  questions <- c(if (!is.null(plan$means)) list(mean_question(many$means, plan$means, weighed)),
                 lapply(unique(plan$global), query_parts, model = one, box = box, weighed = weighed),
                 lapply(unique(plan$queries), function(query) query_parts(like(query), box, query, weighed)))
  if (!is.null(plan$choice)) {
    starts <- rep(list(many$means), length(start_parts(plan$choice$starts, k)[[1]]))
    question <- score_question(one, box, starts, start_spread(k, dimension), plan$choice$bits, weighed)
    questions <- c(questions, list(question))
  }
  rows$start <- before_rows(start_statement(rows, box), rows$arg)
  rows <- prepare_questions(rows, box, questions)
  check_answer(ask_database(rows, present_query(rows)), rows, 1)
  rows
}

# Rows without a missing value are those of cell 1.
present_query <- function(rows) {
  present <- vapply(seq_along(rows$columns), column_present, "", rows = rows)
  mapped <- mapped_query(rows, c(cell = where_present(present, "1.0", rows)))
  with_total(cell_answer(mapped, rows, 1), rows)
}

# Dense in all constants, as a model is that was fitted.
trial_model <- function(dimension, clusters) {
  S <- 0.01 + diag(0.01, dimension)
  means <- matrix(seq_len(dimension * clusters) / (dimension * clusters + 1), dimension)
  list(weights = rep(1 / clusters, clusters), means = means, covariances = array(S, c(dimension, dimension, clusters)))
}

check_functions <- function(rows, functions) {
  connection <- database_connection(rows)
  functions <- as.character(functions)
  if (!rows$dialect$answers) return(invisible())
  ask <- list(EXP = function() has_function(connection, "EXP", "-1.0", exp(-1)),
              LN = function() !is.null(log_name(rows$dialect)),
              SQRT = function() has_function(connection, "SQRT", "2.0", sqrt(2)))
  missing <- functions[!vapply(functions, function(name) ask[[name]](), NA)]
  if (length(missing)) {
    stop_dptda("database", "The database of `", rows$arg, "` has no ", paste(missing, collapse = " and no "),
               "; rounds with `features = \"box\"` and `assignment = \"hard\"` need no such function.")
  }
}

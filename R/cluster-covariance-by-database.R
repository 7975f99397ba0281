# Covariances of groups of rows that stay in a database: the statement of a round at clusters,
# in which a row is joined with the constants of its own group, whose number is found in the first subquery.

max_database_groups <- 200

ready_groups.dptda_database_rows <- function(rows, plan) {
  check_database_groups(table_size(plan$groups))
  if (is_omitting(rows) && !is_weighed(rows)) rows <- rows_left(rows)
  dimension <- length(plan$box$lower)
  points <- take_columns(rows, seq_len(dimension))
  check_functions(rows, "SQRT")
  rows <- add_group_number(rows, plan$groups)
  rows$start <- before_rows(start_statement(rows, plan$box), rows$arg)
  trial <- trial_model(dimension, table_size(plan$groups))
  questions <- lapply(unique(plan$queries), group_question, model = trial, box = plan$box, weighed = is_weighed(rows))
  rows <- prepare_questions(rows, plan$box, questions)
  check_answer(ask_database(points, present_query(points)), points, 1)
  count_cells(rows, list(plan$groups))
  rows
}

check_database_groups <- function(size) {
  if (size <= max_database_groups) return(invisible())
  stop_argument("by", "must make at most ", max_database_groups, " groups of rows in a database, not ",
                format_count(size), ".")
}

# `best`, a column of the first subquery: the group of a row, from 1; the first where one of its columns is missing,
# which was an error before.
add_group_number <- function(rows, groups) {
  found <- table_cell(groups, rows)
  present <- paste(found$present, collapse = " AND ")
  rows$beside <- c(best = big_word(if (nzchar(present)) sql_case(present, found$cell, "1.0") else found$cell, rows))
  rows
}

group_question <- function(model, box, query, weighed) {
  constants <- cluster_constants(model, box, query)
  mean <- constants$mean
  whiten <- constants$whiten
  steps <- function() {
    words <- list(level = character(nrow(mean)), mean = slots_sql(mean, 0, TRUE),
                  whiten = slots_sql(whiten, length(mean), TRUE))
    group_steps(words, query, weighed)
  }
  list(key = list("groups", query$bits, mean == 0, whiten == 0), numbers = c(mean, whiten), steps = steps,
       terms = function() query_terms(ncol(mean)))
}

# `level` says how many groups there are.
group_steps <- function(model, query, weighed) {
  dimension <- ncol(model$mean)
  words <- quote(c(cell = k, own = 1L, share = weight, u = total(W * (z[j] - m[j]))))
  j <- list(j = slice.index(array(0, c(dimension, dimension)), 2))
  step <- query_step(NULL, words, c(whole_share(1L, weighed), j))
  c(list(c(step, list(on = quote(k == best), clusters = model))),
    feature_steps(dimension, query_numbers(query, dimension), FALSE))
}

sums_of_groups.dptda_database_rows <- function(x, model, plan, query) {
  statement <- write_question(x, plan$box, group_question(model, plan$box, query, is_weighed(x)))
  ask_query(x, statement, table_size(plan$groups), length(query$scale))
}

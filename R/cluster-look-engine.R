# Looks at rows that stay in an engine: each is one SQL statement, which goes through the steps of src/core/cluster-look.c,
# operation by operation in doubles, and sums whole numbers. What privacy rests on is compared in whole numbers there too:
# shares are cut at what is left of 2^share_bits, features that are too long are set to zero. Exponentials that are too
# small are not asked for, nor is any other number that is zero only for want of digits: one row could end a statement in
# PostgreSQL.
#
# A statement names one subquery for each step of the arithmetic. Planners like to write the inner into the outer ones, and
# would compute a distance as often as it is used; a limit that no table reaches stops them. What selects the rows, and
# all that depends on an engine's ways, is written by dbplyr. The steps themselves, SELECT and GROUP BY of plain names, are
# not: for them dbplyr 2.3 takes twenty seconds a statement, and its queries within queries are more than SQLite parses.

# The first step: `words`, SQL by names, of the rows. `queries` are the subqueries so far, `last` the name of the last
# one; `carried` are columns that all of them have.
start_steps <- function(rows, words) {
  dialect <- rows$dialect
  carried <- if (!is.null(rows$partition)) "part_of_rows"
  base <- mapped_rows(rows, lapply(as.list(words), dbplyr::sql))
  base <- dbplyr::remote_query(if (!dialect$limits) base else utils::head(base, most_rows))
  total <- dbplyr::remote_query(grouped(mapped_rows(rows, list(one = 1L), integer()), rows, character()))
  stem <- "step"
  while (grepl(stem, paste(base, total), ignore.case = TRUE)) stem <- paste0(stem, "s")
  steps <- list(
    dialect = dialect, carried = carried, stem = stem, queries = character(), last = NULL
  )
  add_query(add_query(steps, total), base)
}

add_query <- function(steps, query) {
  steps$last <- query_name(steps, length(steps$queries) + 1)
  steps$queries <- c(steps$queries, paste0(steps$last, " AS (", query, ")"))
  steps
}

query_name <- function(steps, number) sql_names(steps, paste0(steps$stem, number))

# The next step has the columns `kept`, names, and those of `words`.
next_step <- function(steps, kept, words) {
  select <- select_words(steps, c(steps$carried, kept), words)
  add_query(steps, paste0(select, " FROM ", steps$last, fence(steps$dialect)))
}

select_words <- function(steps, kept, words) {
  paste0("SELECT ", paste(c(sql_names(steps, kept), paste(words, "AS", sql_names(steps, names(words)))), collapse = ", "))
}

fence <- function(dialect) if (dialect$limits) paste(" LIMIT", sql_integer(most_rows))

# Plain names between the quotes of the engine.
sql_names <- function(steps, names) if (length(names)) fill_word(steps$dialect$quoted, names) else character()

sql_big <- function(steps, words) fill_word(steps$dialect$big, words)

# floor(words) as a big integer.
sql_whole <- function(steps, words) sql_big(steps, fill_word(steps$dialect$floor, words))

numbered <- function(stem, numbers) paste0(stem, numbers)

# SQL by the names stem1, stem2 and so on.
words_of <- function(stem, words) structure(words, names = numbered(stem, seq_along(words)))

sql_if <- function(condition, value, otherwise = "0") paste0("CASE WHEN ", condition, " THEN ", value, " ELSE ", otherwise, " END")

# Names of the numbers below and on the diagonal of a matrix, row by row.
pairs_of <- function(stem, dimension) {
  i <- rep(seq_len(dimension), seq_len(dimension))
  data.frame(i = i, j = sequence(seq_len(dimension)), name = paste(stem, i, sequence(seq_len(dimension)), sep = "_"))
}

# ---- words ---------------------------------------------------------------------------

# A row in the coordinates of the box, as read_rows(): -1 next to the lower end too, where a quotient may be too small for
# a double, and the middle for what is missing.
box_words <- function(rows, box) {
  words <- vapply(seq_along(rows$columns), function(j) {
    x <- column_double(rows, j)
    lower <- box$lower[j]
    width <- box$upper[j] - lower
    place <- paste0("2.0 * ((", x, " - ", sql_number(lower), ") / ", sql_number(width), ") - 1.0")
    near <- lower + width * 2^-58
    inside <- sql_case(c(paste(x, "<=", sql_number(near)), sql_from(x, box$upper[j])), c("(-1.0)", "1.0"), place)
    paste0("CASE WHEN ", column_present(rows, j), " THEN ", inside, " ELSE 0.0 END")
  }, "")
  words_of("z", words)
}

# W (z - mean) as one word for each feature, of words for the numbers.
whiten_words <- function(W, mean, z) {
  vapply(seq_along(z), function(i) {
    used <- which(!is.na(W[i, seq_len(i)]))
    away <- ifelse(is.na(mean[used]), z[used], paste0("(", z[used], " - ", mean[used], ")"))
    paste0(W[i, used], " * ", away, collapse = " + ")
  }, "")
}

square_word <- function(u) paste0(u, " * ", u, collapse = " + ")

# Numbers as words, NA for a zero.
constant_words <- function(x) {
  words <- sql_number(x)
  words[x == 0] <- NA
  array(words, if (is.null(dim(x))) length(x) else dim(x))
}

# The least of some numbers; those of an earlier place have been found to be more than some that come.
least_word <- function(x) sql_case(least_conditions(x, "<="), x[-length(x)], x[length(x)])

least_conditions <- function(x, sign) {
  vapply(seq_len(length(x) - 1), function(k) {
    paste(x[k], sign, x[-seq_len(k)], collapse = " AND ")
  }, "")
}

# leaves[k] for the number k of a cluster.
cluster_case <- function(k, leaves) sql_search(k, as.character(seq_along(leaves)[-1]), leaves)

# ---- from rows to shares ---------------------------------------------------------------

# How many columns of one kind a step has at most: engines have limits from 1,600 on.
most_step_columns <- 800

# Adds the logarithms of the densities, d1, d2 and so on, some clusters at a time.
density_steps <- function(steps, model, kept) {
  dimension <- nrow(model$mean)
  clusters <- ncol(model$mean)
  z <- numbered("z", seq_len(dimension))
  W <- array(constant_words(array(model$whiten, c(dimension, dimension, clusters))), c(dimension, dimension, clusters))
  mean <- constant_words(model$mean)
  for (part in split(seq_len(clusters), (seq_len(clusters) - 1) %/% max(1, most_step_columns %/% dimension))) {
    u <- lapply(part, function(k) paste0("u", k, "_", seq_len(dimension)))
    words <- lapply(part, function(k) whiten_words(matrix(W[, , k], dimension), mean[, k], sql_names(steps, z)))
    steps <- next_step(steps, kept, structure(unlist(words), names = unlist(u)))
    density <- vapply(seq_along(part), function(i) {
      paste0(sql_number(model$level[part[i]]), " - (", square_word(sql_names(steps, u[[i]])), ") / 2.0")
    }, "")
    names(density) <- numbered("d", part)
    steps <- next_step(steps, kept, density)
    kept <- c(kept, names(density))
  }
  steps
}

# `best`, the first of the likeliest clusters.
best_step <- function(steps, kept, clusters) {
  d <- sql_names(steps, numbered("d", seq_len(clusters)))
  next_step(steps, kept, c(best = nearest_cluster(d, ">=")))
}

nearest_cluster <- function(d, sign) {
  sql_case(least_conditions(d, sign), as.character(seq_len(length(d) - 1)), as.character(length(d)))
}

# c1, c2 and so on: how much of 2^bits the clusters up to each have taken. The differences are their shares.
share_steps <- function(steps, kept, clusters, bits) {
  each <- seq_len(clusters)
  name <- function(stem) sql_names(steps, numbered(stem, each))
  whole <- 2^bits
  top <- cluster_case(sql_names(steps, "best"), name("d"))
  steps <- next_step(steps, c(kept, numbered("d", each)), c(top = top))
  away <- paste(name("d"), "-", sql_names(steps, "top"))
  # what is smaller has no share, and adds nothing to the sum
  steps <- next_step(steps, kept, words_of("e", sql_if(paste(away, "< (-700.0)"), "0.0", paste0("EXP(", away, ")"))))
  steps <- next_step(steps, c(kept, numbered("e", each)), c(total = paste(name("e"), collapse = " + ")))
  total <- sql_names(steps, "total")
  wanted <- sql_whole(steps, paste(name("e"), "/", total, "*", sql_number(whole), "+ 0.5"))
  steps <- next_step(steps, kept, words_of("w", sql_if(paste(name("e"), ">= 0 AND", name("e"), "<=", total), wanted)))
  # from here on in whole numbers
  steps <- next_step(steps, kept, words_of("w", sql_if(paste(name("w"), "> 0"), name("w"))))
  running <- vapply(each, function(k) paste(name("w")[seq_len(k)], collapse = " + "), "")
  steps <- next_step(steps, kept, words_of("s", running))
  most <- sql_integer(whole)
  next_step(steps, kept, words_of("c", sql_if(paste(name("s"), "<=", most), name("s"), most)))
}

# One row for each cluster in which a row has a share, with the constants of that cluster; `words` are columns of the two.
# The likeliest cluster is always among them, so that no row is lost. (Of an outer join SQLite does not change the order.)
join_clusters <- function(steps, kept, words, model, hard) {
  rows <- steps$last
  carried <- steps$carried
  steps <- cluster_constants(steps, model)
  steps$carried <- carried
  k <- sql_names(steps, "k")
  taken <- paste(k, "=", sql_names(steps, "best"))
  if (!hard) {
    taken <- paste0(cluster_case(k, share_words(steps, length(model$level))), " > 0 OR ", taken)
  }
  add_query(steps, paste0(select_words(steps, c(steps$carried, kept), words), " FROM ", rows, " LEFT JOIN ", steps$last,
                          " ON ", taken, fence(steps$dialect)))
}

share_words <- function(steps, clusters) {
  c <- sql_names(steps, numbered("c", seq_len(clusters)))
  c(c[1], paste(c[-1], "-", c[-clusters])[clusters > 1])
}

# A table in the statement itself, one row a cluster. Constants are written in CASE, with all their digits, and made
# doubles after that.
cluster_constants <- function(steps, model) {
  columns <- model$columns
  numbers <- dbplyr::copy_inline(steps$dialect$connection, data.frame(k = seq_along(model$level)))
  steps <- add_query(steps, dbplyr::remote_query(numbers))
  steps$carried <- NULL # of a row they know nothing
  if (length(columns) == 0) return(steps)
  words <- vapply(columns, function(x) cluster_case(sql_names(steps, "k"), sql_number(x)), "")
  steps <- next_step(steps, "k", words)
  next_step(steps, "k", structure(sql_double(sql_names(steps, names(columns)), steps$dialect), names = names(columns)))
}

# ---- from shares to features and sums ----------------------------------------------------

# u1, u2 and so on become q1, q2 and so on, whole numbers whose squares add up to at most dimension 4^bits, as
# whole_features() makes them. What is too long after its one step toward zero, which no engine should see, has no share.
feature_steps <- function(steps, kept, dimension, bits) {
  each <- seq_len(dimension)
  unit <- 2^bits
  name <- function(stem) sql_names(steps, numbered(stem, each))
  most <- sql_integer(dimension * 4^bits)
  steps <- next_step(steps, c(kept, numbered("u", each)), c(square = square_word(name("u"))))
  square <- sql_names(steps, "square")
  d <- sql_number(dimension)
  scale <- sql_if(paste(square, ">", d), paste0("SQRT(", d, " / ", square, ")"), "1.0")
  steps <- next_step(steps, c(kept, numbered("u", each)), c(scale = paste(scale, "*", sql_number(unit))))
  steps <- next_step(steps, kept, words_of("v", paste(name("u"), "*", sql_names(steps, "scale"))))
  steps <- next_step(steps, kept, words_of("q", nearest_words(steps, name("v"), (if (dimension < 8) 3 else 8) * unit)))
  q <- name("q")
  steps <- next_step(steps, c(kept, numbered("q", each)), c(long = square_word(q)))
  moved <- paste0("CASE WHEN ", sql_names(steps, "long"), " <= ", most, " OR ", q, " = 0 THEN ", q, " WHEN ", q,
                  " > 0 THEN ", q, " - 1 ELSE ", q, " + 1 END")
  steps <- next_step(steps, kept, words_of("q", moved))
  share <- sql_names(steps, "share")
  share <- sql_if(paste0(share, " > 0 AND ", square_word(q), " <= ", most), share)
  next_step(steps, c(setdiff(kept, "share"), numbered("q", each)), c(share = share))
}

# Features of the box: z1, z2 and so on become q1, q2 and so on, whole numbers of at most 2^bits.
box_feature_steps <- function(steps, kept, dimension, bits) {
  z <- sql_names(steps, numbered("z", seq_len(dimension)))
  q <- sql_names(steps, numbered("q", seq_len(dimension)))
  unit <- 2^bits
  steps <- next_step(steps, kept, words_of("q", nearest_words(steps, paste(z, "*", sql_number(unit)), unit)))
  inside <- paste0(q, " >= (-", sql_integer(unit), ") AND ", q, " <= ", sql_integer(unit))
  next_step(steps, kept, words_of("q", sql_if(inside, q)))
}

# As nearest(), but for numbers out of the range, which there are none of: 0.
nearest_words <- function(steps, x, most) {
  sql_if(paste(x, ">=", sql_number(-most), "AND", x, "<=", sql_number(most)), sql_whole(steps, paste(x, "+ 0.5")))
}

# The numbers of one cluster that are summed, whole ones: the share, that times each feature, and times each product.
look_terms <- function(steps, dimension, products = TRUE) {
  share <- sql_names(steps, "share")
  q <- sql_names(steps, numbered("q", seq_len(dimension)))
  terms <- c(share, paste(share, "*", q))
  if (products) {
    pairs <- pairs_of("q", dimension)
    terms <- c(terms, paste(share, "*", q[pairs$i], "*", q[pairs$j]))
  }
  words_of("sum", terms)
}

look_statement <- function(rows, model, box, look) {
  dimension <- length(rows$columns)
  model <- look_model(model, box, look_stretch(look))
  clusters <- length(model$level)
  each <- seq_len(dimension)
  z <- numbered("z", each)
  steps <- start_steps(rows, box_words(rows, box))
  taken <- z
  if (!look$whitened) {
    taken <- numbered("q", each)
    steps <- box_feature_steps(steps, if (clusters > 1) z, dimension, look$bits[1])
  }
  if (clusters == 1) {
    start <- c(cell = "1", own = "1", share = "1")
    W <- matrix(constant_words(matrix(model$whiten, dimension)), dimension)
    features <- words_of("u", whiten_words(W, constant_words(model$mean[, 1]), sql_names(steps, z)))
    steps <- next_step(steps, if (!look$whitened) taken, c(start, if (look$whitened) features))
  } else {
    steps <- density_steps(steps, model, union(z, taken))
    steps <- best_step(steps, c(taken, if (!look$hard) numbered("d", seq_len(clusters))), clusters)
    if (!look$hard) steps <- share_steps(steps, c(taken, "best"), clusters, look$bits[2])
    steps <- shared_rows(steps, taken, model, look)
  }
  if (look$whitened) steps <- feature_steps(steps, c("cell", "own", "share"), dimension, look$bits[1])
  sum_steps(steps, c(own = sql_names(steps, "own"), look_terms(steps, dimension)))
}

# `cell`, `own`, `share` and the features of each row in each cluster of which it has a share.
shared_rows <- function(steps, taken, model, look) {
  clusters <- length(model$level)
  best <- sql_names(steps, "best")
  whole <- sql_integer(2^look$bits[2])
  if (look$hard && !look$whitened) return(next_step(steps, taken, c(cell = best, own = "1", share = whole)))
  k <- sql_names(steps, "k")
  words <- c(cell = k, own = paste0("CASE WHEN ", k, " = ", best, " THEN 1 ELSE 0 END"),
             share = if (look$hard) whole else cluster_case(k, share_words(steps, clusters)))
  if (!look$whitened) return(join_clusters(steps, taken, words, model, look$hard))
  constants <- constant_columns(model)
  model$columns <- constants$columns
  W <- constants$W
  W[!is.na(W)] <- sql_names(steps, W[!is.na(W)])
  features <- whiten_words(W, sql_names(steps, constants$mean), sql_names(steps, taken))
  words <- c(words, words_of("u", features))
  join_clusters(steps, character(), words, model, look$hard)
}

# Counts and sums of the rows that are nearest to each center, the first of those that are equally near; features of the
# box.
means_statement <- function(rows, centers, box, bits) {
  dimension <- length(rows$columns)
  clusters <- ncol(centers)
  centers <- without_dust(centers)
  z <- numbered("z", seq_len(dimension))
  q <- numbered("q", seq_len(dimension))
  steps <- box_feature_steps(start_steps(rows, box_words(rows, box)), z, dimension, bits)
  z <- sql_names(steps, z)
  steps <- next_step(steps, q, words_of("d", distance_words(z, centers)))
  d <- sql_names(steps, numbered("d", seq_len(clusters)))
  cell <- if (clusters > 1) nearest_cluster(d, "<=") else "1"
  steps <- next_step(steps, q, c(cell = cell, own = "1", share = "1"))
  sum_steps(steps, c(own = "1", look_terms(steps, dimension, products = FALSE)))
}

# The square of the distance from each center.
distance_words <- function(x, centers) {
  vapply(seq_len(ncol(centers)), function(k) square_word(paste0("(", x, " - ", sql_number(centers[, k]), ")")), "")
}

lloyd_sums.dptda_database_rows <- function(X, centers, box, plan) {
  ask_look(X, means_statement(X, centers, box, plan$bits), ncol(centers), 1 + length(X$columns))
}

# The constants of clusters as columns: their values, one a cluster, and their names where they stand.
constant_columns <- function(model) {
  dimension <- nrow(model$mean)
  clusters <- ncol(model$mean)
  pairs <- pairs_of("w", dimension)
  whiten <- array(model$whiten, c(dimension, dimension, clusters))
  values <- lapply(seq_len(nrow(pairs)), function(p) whiten[pairs$i[p], pairs$j[p], ])
  used <- vapply(values, function(x) any(x != 0), NA)
  W <- matrix(NA_character_, dimension, dimension)
  W[as.matrix(pairs[used, c("i", "j")])] <- pairs$name[used]
  mean <- numbered("m", seq_len(dimension))
  means <- lapply(seq_len(dimension), function(j) model$mean[j, ])
  columns <- structure(c(means, values[used]), names = c(mean, pairs$name[used]))
  list(columns = columns, W = W, mean = mean)
}

# Sums, from -2^52 to 2^52, come from the engine with this added to them. RSQLite makes R's missing value of -2^31, where the
# other numbers of its column are small: such rows would end a release that is paid. None comes after this, and none leaves
# the doubles that bit64 reads without a warning.
sum_origin <- 2^52 - 1

# Sums by `cell`, over the parts of a partition first, and below them the number of all rows: the statement.
sum_steps <- function(steps, terms) {
  name <- sql_names(steps, names(terms))
  cell <- sql_names(steps, "cell")
  group <- function(steps, by, words) {
    add_query(steps, paste0(select_words(steps, by, structure(words, names = names(terms))), " FROM ", steps$last,
                            " GROUP BY ", paste(sql_names(steps, by), collapse = ", ")))
  }
  steps <- group(steps, c(steps$carried, "cell"), paste0("SUM(", sql_big(steps, terms), ")"))
  if (length(steps$carried)) steps <- group(steps, "cell", paste0("SUM(", name, ")"))
  columns <- function(table, cell, rows, sums) {
    select_words(steps, character(), c(table = table, cell = sql_big(steps, cell), rows = sql_big(steps, rows),
                                       structure(sql_big(steps, sums), names = names(terms))[-1]))
  }
  paste0("WITH ", paste(steps$queries, collapse = ",\n"), "\n",
         columns("1", cell, name[1], paste(name, "+", sql_integer(sum_origin))), " FROM ", steps$last, " UNION ALL ",
         columns("0", "0", sql_names(steps, "rows"), rep("0", length(terms))), " FROM ", query_name(steps, 1))
}

# The sums of an answer, one column a cluster. Rows with shares in several clusters are counted where they are likeliest.
read_look <- function(answer, rows, clusters, size) {
  answer <- check_answer(answer, rows, 1)
  part <- answer[answer$table == 1, ]
  if (!all(part$cell %in% seq_len(clusters)) || anyDuplicated(part$cell)) {
    stop_dptda("engine", "The engine finds a cluster for rows of `", rows$arg, "` that there is not; there is no release.")
  }
  sums <- matrix(0, size, clusters)
  sums[, part$cell] <- t(as.matrix(part[numbered("sum", seq_len(size))])) - sum_origin
  sums
}

# A look comes after the payment.
ask_look <- function(rows, statement, clusters, size) {
  begin_part()
  rows <- paid_rows(rows)
  statement <- dbplyr::sql(before_rows(statement, rows$arg))
  read_look(ask_statement(rows, statement), rows, clusters, size)
}

look_sums.dptda_database_rows <- function(X, model, box, look) {
  rows <- X
  dimension <- length(rows$columns)
  size <- 1 + dimension + dimension * (dimension + 1) / 2
  ask_look(rows, look_statement(rows, model, box, look), ncol(model$means), size)
}

seen_by_look.dptda_database_rows <- function(X, model, box, look) list(sums = look_sums(X, model, box, look))

# ---- the choice of a start -----------------------------------------------------------------

# As dpt_look_scores(): one sum for each of some starts, each of them a matrix of centers.
score_statement <- function(rows, global, box, starts, spread, bits) {
  dimension <- length(rows$columns)
  clusters <- ncol(starts[[1]])
  model <- look_model(global, box)
  each <- seq_along(starts)
  steps <- start_steps(rows, box_words(rows, box))
  W <- matrix(constant_words(matrix(model$whiten, dimension)), dimension)
  z <- sql_names(steps, numbered("z", seq_len(dimension)))
  whitened <- whiten_words(W, constant_words(model$mean[, 1]), z)
  steps <- next_step(steps, character(), words_of("u", whitened))
  u <- sql_names(steps, numbered("u", seq_len(dimension)))
  distance <- lapply(each, function(s) paste0("d", s, "_", seq_len(clusters)))
  words <- structure(unlist(lapply(starts, distance_words, x = u)), names = unlist(distance))
  steps <- next_step(steps, character(), c(words, square = square_word(u)))
  distance_names <- lapply(distance, function(names) sql_names(steps, names))
  least <- numbered("least", each)
  nearest <- vapply(distance_names, function(d) if (clusters > 1) least_word(d) else d, "")
  steps <- next_step(steps, c(unlist(distance), "square"), words_of("least", nearest))
  near <- sql_names(steps, least)
  total <- vapply(each, function(s) {
    d <- distance_names[[s]]
    exponential <- paste0("EXP((", near[s], " - ", d, ") / ", sql_number(2 * spread), ")")
    paste(sql_if(paste(d, "-", near[s], ">", sql_number(1400 * spread)), "0.0", exponential), collapse = " + ")
  }, "")
  steps <- next_step(steps, c(least, "square"), words_of("total", total))
  constant <- -dimension / 2 * log(spread) - log(clusters)
  logarithm <- engine_log(steps$dialect, sql_names(steps, numbered("total", each)))
  score <- paste0(logarithm, " - ", near, " / ", sql_number(2 * spread), " + ", sql_number(constant), " + ",
                  sql_names(steps, "square"), " / 2.0")
  steps <- next_step(steps, character(), words_of("score", score))
  most <- sql_integer(6 * 2^bits)
  score <- sql_names(steps, numbered("score", each))
  whole <- sql_whole(steps, paste0("(", score, " + 3.0) * ", sql_number(2^bits), " + 0.5"))
  points <- paste0("CASE WHEN ", score, " >= 3 THEN ", most, " WHEN ", score, " > (-3.0) THEN ", whole, " ELSE 0 END")
  steps <- next_step(steps, character(), c(cell = "1", words_of("p", points)))
  p <- sql_names(steps, numbered("p", each))
  terms <- paste0("CASE WHEN ", p, " <= 0 THEN 0 WHEN ", p, " >= ", most, " THEN ", most, " ELSE ", p, " END")
  sum_steps(steps, c(own = "1", words_of("sum", terms)))
}

start_parts <- function(starts, clusters) {
  split(seq_len(starts), (seq_len(starts) - 1) %/% max(1, most_step_columns %/% clusters))
}

start_scores.dptda_database_rows <- function(X, global, box, starts, spread, bits) {
  parts <- start_parts(length(starts), ncol(starts[[1]]))
  unlist(lapply(parts, function(part) {
    ask_look(X, score_statement(X, global, box, starts[part], spread, bits), 1, length(part))
  }), use.names = FALSE)
}

# ---- before anything is paid -----------------------------------------------------------------

# What an engine calls the natural logarithm.
engine_log <- function(dialect, words) paste0(log_name(dialect), "(", words, ")")

log_name <- function(dialect) {
  if (!dialect$answers) return(dialect$logarithm[1])
  Find(function(name) has_function(dialect$connection, name, "2.0", log(2)), dialect$logarithm)
}

has_function <- function(connection, name, argument, value) {
  question <- paste0("SELECT ", name, "(", argument, ") AS one_value")
  answer <- value_or(suppressWarnings(DBI::dbGetQuery(connection, question)), NULL)
  is.data.frame(answer) && isTRUE(abs(as.double(answer[[1]]) - value) < 1e-9)
}

looked_at.dptda_database_rows <- function(rows) rows

ready_looks.dptda_database_rows <- function(rows, box, plan) {
  dimension <- length(box$lower)
  k <- plan$clusters
  looks <- c(plan$global, plan$looks)
  soft <- k > 1 && !all(vapply(plan$looks, `[[`, NA, "hard"))
  needed <- c(if (soft || !is.null(plan$choice)) "EXP", if (!is.null(plan$choice)) "LN",
              if (any(vapply(looks, `[[`, NA, "whitened"))) "SQRT")
  ready_rows(rows, needed, function() {
    shown <- c(if (!is.null(plan$means)) means_statement(rows, trial_model(dimension, k)$means, box, plan$means),
               lapply(unique(plan$global), look_statement, rows = rows, model = trial_model(dimension, 1), box = box),
               lapply(unique(plan$looks), look_statement, rows = rows, model = trial_model(dimension, k), box = box))
    if (is.null(plan$choice)) return(shown)
    starts <- rep(list(trial_model(dimension, k)$means), length(start_parts(plan$choice$starts, k)[[1]]))
    c(shown, score_statement(rows, trial_model(dimension, 1), box, starts, start_spread(k, dimension), plan$choice$bits))
  })
}

# An engine says whether it knows the functions, is shown the statements, by models like those to come, and counts the
# missing values.
ready_rows <- function(rows, functions, statements) {
  check_functions(rows, functions)
  for (statement in before_rows(statements(), rows$arg)) try_statement(rows, dbplyr::sql(statement))
  check_answer(ask_engine(rows, present_query(rows)), rows, 1)
  rows
}

# Rows without a missing value are those of cell 1.
present_query <- function(rows) {
  present <- vapply(seq_along(rows$columns), column_present, "", rows = rows)
  mapped <- mapped_rows(rows, list(cell = where_present(present, "1.0")))
  dplyr::union_all(answer_of(grouped(mapped, rows, "cell"), 1L, quote(cell)), total_query(rows))
}

# Dense in all constants, as a model is that was fitted.
trial_model <- function(dimension, clusters) {
  S <- 0.01 + diag(0.01, dimension)
  means <- matrix(seq_len(dimension * clusters) / (dimension * clusters + 1), dimension)
  list(weights = rep(1 / clusters, clusters), means = means, covariances = array(S, c(dimension, dimension, clusters)))
}

check_functions <- function(rows, functions) {
  connection <- engine_connection(rows)
  functions <- as.character(functions)
  if (!rows$dialect$answers) return(invisible())
  ask <- list(EXP = function() has_function(connection, "EXP", "-1.0", exp(-1)), LN = function() !is.null(log_name(rows$dialect)),
              SQRT = function() has_function(connection, "SQRT", "2.0", sqrt(2)))
  missing <- functions[!vapply(functions, function(name) ask[[name]](), NA)]
  if (length(missing)) {
    stop_dptda("engine", "The engine of `", rows$arg, "` has no ", paste(missing, collapse = " and no "),
               "; looks with `features = \"box\"` and `assignment = \"hard\"` need no such function.")
  }
}

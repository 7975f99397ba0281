# What the statements look like for databases that are not here, by connections that dbplyr simulates. Versions of
# dbplyr quote and break lines in ways of their own, so pieces are looked at.

skip_if_not_installed("dbplyr")

simulated <- list(
  mssql = list(double = "(TRY_)?CAST\\(x AS FLOAT\\)", truth = "WHEN t <> 0 THEN"),
  hive = list(double = "CAST\\(x AS DOUBLE\\)"),
  snowflake = list(double = "CAST\\(x AS DOUBLE\\)"),
  oracle = list(double = "CAST\\(x AS BINARY_DOUBLE\\)", truth = "WHEN t <> 0 THEN"),
  redshift = list(double = "CAST\\(x AS (FLOAT|DOUBLE PRECISION)\\)"),
  impala = list(double = "CAST\\(x AS DOUBLE\\)"),
  spark_sql = list(double = "CAST\\(x AS DOUBLE\\)")
)

simulated_rows <- function(name, partition = NULL) {
  simulate <- get0(paste0("simulate_", name), asNamespace("dbplyr"))
  skip_if(is.null(simulate), paste("this dbplyr has no", name))
  table <- dbplyr::lazy_frame(x = 1, s = "a", t = TRUE, shard = 1L, con = simulate())
  database_rows(table, c("x", "s", "t"), c("number", "text", "logical"), 100, "x", partition)
}

# On one line, without quotes of names and the space within brackets.
plain_sql <- function(query) {
  words <- gsub("[`\"\\[\\]]", "", query, perl = TRUE)
  gsub("\\s+\\)", ")", gsub("\\(\\s+", "(", gsub("\\s+", " ", words)))
}

cells <- cell_table(list(axis_cells(0, 1, 4), axis_levels(c("a", "o'x")), axis_logical()), 1:3)

# A table that is spread over servers.
spread_rows <- function(columns = c("x", "s", "t"), partition = NULL) {
  frame <- stats::setNames(data.frame(1, "a", TRUE, 1L), c(columns, "shard"))
  table <- dbplyr::lazy_frame(frame, con = dbplyr::simulate_dbi("ClickhouseConnection"))
  database_rows(table, columns, c("number", "text", "logical"), 100, "x", partition)
}

test_that("rows that are spread over servers are grouped by one query of the table itself", {
  one_query <- function(sql) lengths(regmatches(sql, gregexpr("SELECT", sql))) == 1 && !grepl("inner_rows", sql)
  rows <- spread_rows()
  count <- count_query(rows, list(cells))
  sums <- sum_query(rows, public_lattice(domain_box(-1, 1), 10), 1, cell_table(list(axis_levels("a")), 2))
  for (query in c(count, sums)) expect_true(one_query(query))
  # words that are named first mean what a query within says
  sql <- plain_sql(count)
  expect_match(sql, "^WITH .* AS given0_cell SELECT 1 AS table, least\\(greatest\\(given0_cell, 0\\), 24\\) AS cell")
  expect_match(sql, "GROUP BY cell$")
  within <- rows
  within$dialect$spread <- FALSE
  named <- sub("^WITH (.*) AS given0_cell SELECT.*", "\\1", sql)
  expect_match(plain_sql(count_query(within, list(cells))), paste0("(SELECT ", named, " AS cell FROM"), fixed = TRUE)
  expect_match(plain_sql(sums), "SUM\\(given[0-9]_sum1\\)")
  whole <- sum_query(rows, public_lattice(domain_box(-1, 1), 10), 1, NULL)
  expect_true(one_query(whole))
  expect_match(plain_sql(whole), "COALESCE(SUM(least(greatest(given0_sum1, 0), 1024)), 0)", fixed = TRUE)
  # a column with a name of ours would be taken for it, and parts and people have queries of their own
  for (column in c("cell", "rows", "table", "sum12", "given0_cell")) {
    expect_false(one_query(count_query(spread_rows(c(column, "s", "t")), list(cells))))
  }
  expect_false(one_query(count_query(spread_rows(partition = "shard"), list(cells))))
})

test_that("of a query only some columns and rows of one table are taken for the table", {
  taken <- function(query) sub(selected_rows, "\\1", query, perl = TRUE)
  expect_identical(taken("SELECT *\nFROM `people`"), "`people`")
  expect_identical(taken("SELECT `x`, `a b`\nFROM \"people\""), "\"people\"")
  expect_identical(taken("SELECT *, 1 AS `one_row`\nFROM `people`\nWHERE (`x` < 3.0) AND (`s` IN ('a', 'b'))"),
                   "`people`\nWHERE (`x` < 3.0) AND (`s` IN ('a', 'b'))")
  others <- c("SELECT DISTINCT `x`\nFROM `people`", "SELECT *\nFROM `people`\nLIMIT 5",
              "SELECT *, `x` + 1 AS `z`\nFROM `people`",
              "SELECT `x` AS `u`\nFROM `people`", "SELECT *\nFROM `people`\nWHERE (`x` > (SELECT 1))",
              "SELECT *\nFROM `people` LEFT JOIN `more`", "SELECT *\nFROM (SELECT 1) `q01`", "SELECT *\nFROM `a`, `b`",
              "SELECT *\nFROM `people` WHERE (`x` > 1) group by `x`", "SELECT *\nFROM `people` FINAL",
              "SELECT 1 AS `x`\nFROM `people`")
  expect_identical(taken(others), others)
})

for (name in names(simulated)) {
  words <- simulated[[name]]

  test_that(paste("the statement that counts is one that the database may know:", name), {
    sql <- plain_sql(count_query(simulated_rows(name), list(cells)))
    truth <- if (is.null(words$truth)) "WHEN t THEN" else words$truth
    expect_match(sql, words$double)
    expect_match(sql, paste0("CASE ", truth, " 1.0 ELSE 0.0 END"))
    expect_match(sql, paste0(words$double, " < 0.25 THEN 0.0 WHEN ", words$double, " < 0.75 THEN FLOOR\\(",
                             words$double, " \\* 4.0\\) WHEN 0.0 - ", words$double, " <= \\(-0.75\\) THEN 3.0 END"))
    expect_match(sql, "CASE WHEN s = 'a' THEN 0.0 WHEN s = 'o''x' THEN 1.0 ELSE 2.0 END", fixed = TRUE)
    expect_match(sql, "s IS NOT NULL AND t IS NOT NULL", fixed = TRUE)
    expect_match(sql, "GROUP BY cell")
    expect_match(sql, "CASE WHEN cell < 1 THEN 1 WHEN cell > 24 THEN 24 ELSE cell END AS cell", fixed = TRUE)
    expect_match(sql, "SELECT 1 AS table, cell AS cell, (TRY_)?CAST\\(.*COUNT(_BIG)?\\(\\*\\) AS .* AS rows")
    expect_no_match(sql, "COLLATE|DISTINCT|JOIN|ORDER BY|LIMIT|TOP|UNION")
  })

  test_that(paste("the statement that sums is one that the database may know:", name), {
    sql <- plain_sql(sum_query(simulated_rows(name), public_lattice(domain_box(-1, 1), 10), 1, NULL))
    expect_match(sql, paste0(words$double, " <= \\(-1.0\\) THEN 0.0 WHEN ", words$double, " < 1.0 THEN FLOOR\\(",
                             words$double, " / 0.001953125 \\+ 0.5\\) - \\(-512.0\\) WHEN \\(", words$double,
                             " <= 0 OR 0.0 - ", words$double, " <= 0\\) THEN 1024.0 END"))
    # one group needs no grouping
    expect_no_match(sql, "GROUP BY")
    expect_match(sql, "WHEN COUNT(_BIG)?\\(sum1\\) = COUNT(_BIG)?\\(\\*\\) THEN .*CAST\\(1 AS .*END AS cell")
    bound <- "CASE WHEN sum1 < 0 THEN 0 WHEN sum1 > 1024 THEN 1024 ELSE sum1 END"
    expect_match(sql, paste0("COALESCE(SUM(", bound, "), 0) AS "), fixed = TRUE)
    expect_match(sql, ", 0\\) AS .*(BIGINT|NUMBER\\(19\\))\\) AS sum1")
    grouped <- sum_query(simulated_rows(name), public_lattice(domain_box(-1, 1), 10), 1,
                         cell_table(list(axis_logical()), 3))
    expect_match(plain_sql(grouped), paste(bound, "AS sum1"), fixed = TRUE)
    expect_match(plain_sql(grouped), "SUM\\(sum1\\) AS .*GROUP BY cell")
  })

  test_that(paste("rows of people are weighed by windows of each person:", name), {
    rows <- simulated_rows(name)
    rows[c("person", "take", "complete")] <- list("shard", "all", TRUE)
    rows$person_id <- list(name = "shard", kind = "whole")
    sql <- plain_sql(count_query(weigh_rows(rows, 1024), list(cells)))
    window <- "OVER \\(PARTITION BY person_of_row"
    expect_match(sql, paste0("ROW_NUMBER\\(\\) ", window, " ORDER BY ", words$double, ", s, t\\)"))
    expect_match(sql, paste0("COUNT(_BIG)?\\(\\*\\) ", window, "\\)"))
    expect_match(sql, "SUM\\(weight\\) AS .*\\) AS rows, .*SUM\\(first\\) AS .*\\) AS people")
    expect_match(sql, "CASE WHEN weight < 0 THEN 0 WHEN weight > 1024 THEN 1024 ELSE weight END", fixed = TRUE)
    expect_no_match(sql, "LIMIT|TOP|COLLATE|DISTINCT|JOIN|UNION")
    expect_error(count_query(rows, list(cells)), "without weights", class = "dptda_error_argument")
    rows$take <- "one"
    one <- plain_sql(count_query(settle_rows(rows, "os"), list(cells)))
    expect_match(one, if (name == "oracle") "MOD\\(.*, 2147483629\\)" else "% 2147483629")
    expect_match(one, "place_of_row = rows_of_person - ", fixed = TRUE)
    expect_no_match(one, "weight")
  })

  test_that(paste("over a partition the parts are counted first:", name), {
    sql <- plain_sql(count_query(simulated_rows(name, "shard"), list(cells)))
    expect_match(sql, "GROUP BY part_of_rows, cell")
    expect_match(sql, "CAST(COALESCE(SUM(rows), 0) AS ", fixed = TRUE)
  })
}

test_that("numbers are refused where a double has no name that is known", {
  lattice <- public_lattice(domain_box(-1, 1), 10)
  for (name in c("mysql", "teradata", "dbi")) {
    rows <- simulated_rows(name)
    if (!grepl("NUMERIC|DECIMAL", dbplyr::translate_sql(as.double(x), con = dbplyr::remote_con(rows$table)))) next
    expect_error(count_query(rows, list(cells)), "double", class = "dptda_error_database")
    expect_error(sum_query(rows, lattice, 1, NULL), "double", class = "dptda_error_database")
    expect_match(plain_sql(count_query(rows, list(cell_table(list(axis_levels("a")), 2)))), "s = 'a'", fixed = TRUE)
  }
})

test_that("a database that nothing is asked of is refused by its name", {
  rows <- simulated_rows("mysql")
  rows$dialect[c("refused", "answers")] <- list("MySQL", TRUE)
  expect_error(refuse_unknown_database(rows), "MySQL", class = "dptda_error_database")
  for (class in c("MariaDBConnection", "MySQLConnection", "MariaDB", "MySQL")) {
    connection <- dbplyr::simulate_mysql()
    class(connection) <- c(class, class(connection))
    expect_identical(dialect_of(connection)$refused, "MySQL")
  }
})

for (name in names(simulated)) {
  words <- simulated[[name]]

  test_that(paste("the statement that rounds read is one that the database may know:", name), {
    sql <- plain_sql(piece_query(simulated_rows(name), 1))
    expect_match(sql, paste0("^SELECT CASE WHEN .* THEN ", words$double, " END AS point1 FROM "))
    expect_no_match(sql, "TOP|COLLATE|DISTINCT|JOIN|UNION|GROUP")
  })
}

# Weights people whose rows stay in a database. The weight of a row is a column of a query below all others. Window
# functions compute it from the place of the row among the rows of its person, in the order of all columns of the
# release, and from their number. They stand in their own subquery, which no planner merges into the query that reads
# it. The queries above it add up weights instead of rows. Each statement also returns the number of people and their
# total weight, so a release fails if windows split one person or merge two.
#
# People are equal if their bytes are equal, if the dialect has a word for that (database-dialect.R), and otherwise if
# the database calls them equal. The same word counts people and weights their rows.
#
# Rows of people have `person_id`: the `name` of the column and its `kind`, "whole" (integers) or "text". Weighted rows
# also have `weight`, the weight of a person, and their table has the columns `weight_names` (database-counts.R) and the
# person (database-sums.R).

read_people.tbl_lazy <- function(x, columns, person, people, take, partition) {
  known <- table_columns(x)
  if (!is_one_string(person) || !person %in% known) {
    stop_argument("person", "must be the name of a column of `x` for rows in a database.")
  }
  check_people_count(people)
  if (!is.null(partition)) {
    stop_argument("partition", "cannot be given with `person`, because weights need all rows of a person, on all ",
                  "servers. Make one row per person in the database.")
  }
  rows <- uncounted_rows(x, if (is.null(columns)) setdiff(known, person) else columns, "x")
  rows$state <- reading_state(rows)
  rows$person_id <- list(name = person, kind = person_kind(rows, person, take))
  check_windows(rows)
  if (is.null(people)) tell_filtered(rows)
  counted <- seen_by(count_people(rows))
  if (is.null(people) && counted$people == 0) stop_argument("x", "must have at least one person.")
  if (counted$missing > 0) stop_missing_people("person")
  if (counted$people > min(people, max_people)) {
    stop_argument("people", "must be at least the number of people who have rows.")
  }
  add_people(rows, if (is.null(people)) counted$people else people, person, take, is.null(people))
}

# Accepts integers and text, by the types of the database: with doubles, one person may have several spellings, or two
# people the same one.
person_kind <- function(rows, person, take) {
  rows$columns <- person
  type <- database_types(rows)
  kind <- if (type == "text") "text" else if (is_whole_column(rows)) "whole"
  if (is.null(kind)) {
    stop_argument("person", "must be a column that the database declares to hold integers or text, but `", person,
                  "` is not. Computed columns often have no declared type. Write it into a table as integers or text ",
                  "(as.integer() or as.character() before DBI::dbWriteTable()).")
  }
  if (take == "one" && kind == "text") {
    stop_argument("person", "must be a column of integers if `rows_of_person` is \"one\" and rows are in a database.")
  }
  kind
}

# Whether the database declares that the only column holds integers. R may read them as another type.
is_whole_column <- function(rows) {
  none <- no_rows(rows)
  if (!is.null(rows$dialect$whole_types)) {
    return(before_rows(declared_types(rows$dialect, none), rows$arg) %in% rows$dialect$whole_types)
  }
  x <- before_rows(dplyr::collect(none), rows$arg)[[1]]
  is.integer(x) && !is.object(x) || inherits(x, "integer64")
}

# The number of people, and the number of rows without a person.
count_people <- function(rows) {
  id <- added_columns(rows)[["id"]]
  ids <- do.call(dplyr::transmute, c(list(rows$table), structure(list(dbplyr::sql(person_word(rows))), names = id)))
  each <- dplyr::group_by(computed_once(ids, rows), !!as.name(id))
  each <- dplyr::summarise(each, rows = dplyr::n(), .groups = "drop")
  word <- sql_name(id, rows$dialect)
  row_count <- sql_name("rows", rows$dialect)
  missing <- paste0("COALESCE(SUM(CASE WHEN ", word, " IS NULL THEN ", row_count, " ELSE 0 END), 0)")
  answer <- ask_database(rows, dplyr::summarise(
    each, people = dbplyr::sql(big_word(count_word(word, rows), rows)),
    missing = dbplyr::sql(big_word(missing, rows)), big = dbplyr::sql(big_word(big_integer, rows))
  ))
  check_big_integers(answer, rows)
  lapply(answer, as.double)
}

# Tries the query for weights of rows on an empty selection. Some databases, and old versions, lack window functions.
check_windows <- function(rows) {
  placed <- placed_rows(rows, function(word) sql_double(word, rows$dialect), order_words(rows))
  query <- written_query(rows, placed)
  tryCatch(try_statement(rows, query), dptda_error_database = function(cnd) {
    if (has_windows(rows)) stop(cnd)
    stop_dptda("database", "The database of `x` lacks window functions (ROW_NUMBER and COUNT, with OVER), which are ",
               "needed to weight rows of people. Read the table into R, or make one row per person in the database. ",
               conditionMessage(cnd))
  })
}

# Checks whether the database supports window functions, independently of the table.
has_windows <- function(rows) {
  one <- "SELECT ROW_NUMBER() OVER (ORDER BY one) AS place, COUNT(*) OVER () AS many FROM (SELECT 1 AS one) one_row"
  value_or({
    try_statement(rows, dbplyr::sql(one))
    TRUE
  }, FALSE)
}

# The person of a row in a form for comparison, or NULL if it is missing.
person_word <- function(rows) {
  fill_word(rows$dialect$people[[rows$person_id$kind]], sql_name(rows$person_id$name, rows$dialect))
}

# Names that no column has.
added_columns <- function(rows) {
  added <- c(id = "person_of_row", place = "place_of_row", many = "rows_of_person", known = "known_person",
           weight = "weight_of_row", first = "first_of_person", mixed = "mixed_person")
  while (any(tolower(added) %in% tolower(rows$columns))) added <- structure(paste0(added, "_"), names = names(added))
  added
}

# ---- weights -------------------------------------------------------------------------------------------------

weigh_rows.dptda_database_rows <- function(rows, weight) weigh_in_order(rows, weight)

# `order`: words of the columns of the release, which order the rows of each person.
weigh_in_order <- function(rows, weight, order = order_words(rows)) {
  if (is.null(rows$person_id)) return(rows)
  added <- added_columns(rows)
  dialect <- rows$dialect
  name <- function(which) sql_name(added[[which]], dialect)
  values <- list(j = name("place"), m = name("many"), W = as.double(weight), most = 2^52 / weight)
  first <- paste(name("place"), "=", sql_number(1, dialect))
  weighed <- list(sql_of(person_weight, values, dialect), sql_case(first, name("known"), "0"), name("id"))
  names(weighed) <- added[c("weight", "first", "id")]
  rows$table <- add_layer(placed_rows(rows, function(word) sql_double(word, dialect), order), weighed, rows)
  rows$weight <- as.integer(weight)
  rows$weight_names <- added[names(person_names(rows))]
  rows
}

# Doubles are exact if m W is below 2^52, and so is the floor of a quotient. If a person has more rows, the first W rows
# have weight one each: the total is W, as for all other people.
person_weight <- quote(cases(
  m < most, floor((j * W + floor(m / 2)) / m) - floor(((j - 1) * W + floor(m / 2)) / m), j <= W, 1, 0
))

# The columns of the release, with the place of each row among the rows of its person, in this order, and their number,
# converted to `kind`, and the words of `more` for a person.
placed_rows <- function(rows, kind, order, more = character()) {
  added <- added_columns(rows)
  base <- add_layer(rows$table, structure(list(person_word(rows)), names = added[["id"]]), rows)
  # without a condition, SQLite merges a query with a limit into the query that sorts for the windows: nothing is then
  # computed once, and sorting takes four times as long
  if (rows$dialect$anew) base <- dplyr::filter(base, dbplyr::sql("1 = 1"))
  person <- sql_name(added[["id"]], rows$dialect)
  parted <- paste("PARTITION BY", person)
  words <- list(place = kind(paste0("ROW_NUMBER() OVER (", parted, " ORDER BY ", toString(order), ")")),
                many = kind(paste0(rows$dialect$count, " OVER (", parted, ")")),
                known = sql_case(paste(person, "IS NULL"), "0", "1"), id = person)
  add_layer(base, structure(c(words, more), names = added[c(names(words), names(more))]), rows)
}

# A query of the columns of the release and others, computed separately.
add_layer <- function(table, words, rows) {
  words <- c(column_words(rows), words)
  # spliced, because a column `.data` would be mistaken for the table
  before_rows(computed_once(dplyr::transmute(table, !!!lapply(words, dbplyr::sql)), rows), rows$arg)
}

# Words that distinguish rows as the release uses them, in the order of memory: doubles by value, text by bytes.
order_words <- function(rows) vapply(seq_along(rows$columns), order_word, "", rows = rows)

order_word <- function(rows, place) {
  dialect <- rows$dialect
  name <- column_name(rows, place)
  if (!is.null(dialect$order)) return(fill_word(dialect$order, name))
  type <- rows$types[place]
  if (type %in% c("number", "decimal", class_types)) column_double(rows, place) else
    if (type == "text") fill_word(dialect$text, name) else name
}

# ---- one row of each person --------------------------------------------------------------------------------------

# Draws one row per person. Public numbers are mixed with the number of a person by arithmetic on integers below 2^63,
# the same in all databases: a polynomial of degree two, whose values are independent for any three people if the
# numbers are drawn uniformly below the prime. The row is then the one of memory (settle_rows()), and the same for all
# queries.
settle_rows.dptda_database_rows <- function(rows, rng) settle_in_database(rows, rng)

# `whole`: the places of columns without missing values, whichever rows are drawn.
settle_in_database <- function(rows, rng, whole = seq_along(rows$types)) {
  if (is.null(rows$person_id) || rows$take == "all") return(rows)
  if (!is_omitting(rows) && length(whole) && rows$dialect$answers) refuse_any_missing(take_columns(rows, whole))
  added <- added_columns(rows)
  dialect <- rows$dialect
  big <- function(word) fill_word(dialect$big, word)
  numbers <- sql_integer(floor(mixing_primes[1] * .Call(ffi_base_draw_units, 6, kernel_options(rng))))
  mixed <- mixed_person(big(sql_name(added[["id"]], dialect)), numbers, dialect)
  placed <- placed_rows(rows, big, order_words(rows), list(mixed = mixed))
  name <- function(which) sql_name(added[[which]], dialect)
  chosen <- paste0(name("place"), " = ", name("many"), " - ", dialect$modulo(name("mixed"), name("many")), " AND ",
                   name("known"), " = 1")
  rows$table <- add_layer(dplyr::filter(placed, dbplyr::sql(chosen)), list(), rows)
  rows$person_id <- NULL
  rows
}

# Primes below 2^31: the remainders by both identify a number up to 2^62.
mixing_primes <- c(2147483647, 2147483629)

mixed_person <- function(id, numbers, dialect) {
  primes <- sql_integer(mixing_primes)
  left <- vapply(primes, function(p) {
    paste0("(", dialect$modulo(paste0("(", dialect$modulo(id, p), " + ", p, ")"), p), ")") # of numbers below zero, too
  }, "")
  modulo <- function(...) paste0("(", dialect$modulo(paste0("(", ..., ")"), primes[1]), ")")
  linear <- modulo(numbers[1], " * ", left[1], " + ", numbers[2], " * ", left[2], " + ", numbers[3])
  modulo(numbers[4], " * ", modulo(linear, " * ", linear), " + ", numbers[5], " * ", linear, " + ", numbers[6])
}

# Like check_answer(), for all rows.
refuse_any_missing <- function(rows) {
  rows$person_id <- NULL
  present <- vapply(seq_along(rows$columns), column_there, "", rows = rows)
  mapped <- mapped_query(rows, c(cell = where_present(present, "1.0", rows)))
  answer <- ask_database(rows, cell_answer(mapped, rows, 1))
  if (anyNA(answer$cell)) stop_missing_values(rows, also = text_among_numbers)
}

# Prints SQL from R expressions. A computation on a row is written once, as an expression of the few operators and verbs
# below, and printed in the dialect of a database. Tests evaluate the same expression as numbers (helper-sql.R), which
# defines the result, operation by operation in doubles of IEEE 754.
#
# A name in an expression is one of `values`: words of SQL, such as the columns of a query, or numbers.
#
#   + - * /, < <= > >=, & |             as in R
#   floor                               as in R
#   cases(c1, v1, c2, v2, ..., v)       value of the first condition that holds, otherwise the last one, if given
#   one_if(c)                           1 if a condition holds, otherwise 0
#   near(x, most), moved(x, most)       an integer not far from 0 to most; one moved there: if the dialect has words
#   between(x, lower, upper)            a number moved between two others: if the dialect has a word
#   search(x, cuts, leaves)             leaves[i] for values at or above cut i - 1 of the increasing cuts
#
# Numbers are constants: doubles with all their digits; R's integers, and numbers marked by as_whole(), as integers.
# Both operands have one type, or two types for which the database itself has that operator. Anybody may define another
# operator for doubles and integers in PostgreSQL (base-rows.md). A constant that is known to be zero is NA, and is not
# subtracted.

as_whole <- function(x) structure(x, whole = TRUE)

# R evaluates the expression, with printers instead of its functions.
sql_of <- function(expression, values, dialect) {
  words <- eval(expression, values, dialect$printers)
  if (is.character(words)) words else sql_constant(words, dialect)
}

sql_constant <- function(x, dialect) {
  if (!is.integer(x) && !isTRUE(attr(x, "whole"))) return(sql_number(x, dialect))
  sprintf(ifelse(x < 0, "(%.0f)", "%.0f"), as.double(x) + 0) # zero has no sign
}

# ---- words -----------------------------------------------------------------------------

# Exact constants. A negative number is in parentheses, because two minus signs start a comment. More than 15 digits
# need an exponent, or some databases read a decimal and convert it with an error. An infinite number becomes the
# largest double, which is also beyond every box, because infinity lacks a common word.
sql_number <- function(x, dialect) {
  x <- pmin(pmax(x, -.Machine$double.xmax), .Machine$double.xmax)
  words <- sprintf("%.15g", x)
  long <- which(is.finite(x))
  long <- long[as.double(words[long]) != x[long]]
  words[long] <- sprintf("%.16e", x[long])
  words <- ifelse(grepl("[.e]", words), words, paste0(words, ".0"))
  if (!is.null(dialect$number)) words <- dialect$number(words)
  ifelse(x < 0, paste0("(", words, ")"), words)
}

sql_integer <- function(x) sprintf("%.0f", as.double(x) + 0) # zero has no sign

# Replaces "@" by words.
fill_word <- function(template, words) {
  parts <- strsplit(paste0(template, "@"), "@", fixed = TRUE)[[1]]
  filled <- parts[1]
  for (part in parts[-1]) filled <- paste0(filled, words, part)
  filled
}

sql_case <- function(conditions, values, otherwise = NULL) {
  paste0("CASE ", paste0("WHEN ", conditions, " THEN ", values, collapse = " "),
         if (!is.null(otherwise)) paste0(" ELSE ", otherwise), " END")
}

# `leaves[i]` for values at or above cut i - 1 of the increasing cuts. Each level divides the leaves into eight
# consecutive parts, because parsers allow few levels of CASE within CASE (SQLite about twelve, SQL Server ten).
sql_search <- function(x, cuts, leaves) {
  count <- length(leaves)
  if (count == 1) return(leaves)
  parts <- min(search_parts, count)
  last <- (seq_len(parts) * count) %/% parts
  if (parts == count) return(sql_case(paste(x, "<", cuts), leaves[-count], leaves[count]))
  first <- c(0, last[-parts]) + 1
  found <- vapply(seq_len(parts), function(i) {
    places <- seq.int(first[i], last[i])
    sql_search(x, cuts[places[-length(places)]], leaves[places])
  }, "")
  sql_case(paste(x, "<", cuts[last[-parts]]), found[-parts], found[parts])
}

search_parts <- 8

# ---- printers ----------------------------------------------------------------------------

# How tightly words bind, as their attribute `rank`. Words without it are atomic. Words that bind more loosely than
# their position allows get brackets.
sql_ranks <- c(or = 1, and = 2, comparison = 3, sum = 4, product = 5)

sql_infix <- function(sign, kind, right = sql_ranks[[kind]] + 1) {
  rank <- sql_ranks[[kind]]
  force(right)
  function(a, b) {
    text <- paste(if (isTRUE(attr(a, "rank") < rank)) paste0("(", a, ")") else a, sign,
                  if (isTRUE(attr(b, "rank") < right)) paste0("(", b, ")") else b)
    structure(text, rank = rank)
  }
}

sql_difference <- sql_infix("-", "sum")

# A negative number, or a difference. Zero is not subtracted.
sql_minus <- function(a, b) {
  if (missing(b)) return(-a)
  if (is.na(b)) a else sql_difference(a, b)
}

sql_cases <- function(...) {
  words <- list(...)
  count <- length(words) %/% 2
  text <- "CASE"
  for (i in seq_len(count)) text <- paste(text, "WHEN", words[[2 * i - 1]], "THEN", words[[2 * i]])
  if (length(words) > 2 * count) text <- paste(text, "ELSE", words[[2 * count + 1]])
  paste(text, "END")
}

# Printers for all databases. Constants are already words (with_constants()).
sql_printers <- list(
  `+` = sql_infix("+", "sum"), `-` = sql_minus, `*` = sql_infix("*", "product"), `/` = sql_infix("/", "product"),
  `<` = sql_infix("<", "comparison"), `<=` = sql_infix("<=", "comparison"), `>` = sql_infix(">", "comparison"),
  `>=` = sql_infix(">=", "comparison"), `&` = sql_infix("AND", "and", sql_ranks[["and"]]),
  `|` = sql_infix("OR", "or", sql_ranks[["or"]]), `(` = function(x) x, cases = sql_cases, search = sql_search
)

# A sign before one number is a negative number.
with_constants <- function(printer, dialect) {
  function(...) {
    words <- list(...)
    if (length(words) == 1) return(printer(...))
    numbers <- !vapply(words, is.character, NA)
    words[numbers] <- lapply(words[numbers], sql_constant, dialect)
    do.call(printer, words)
  }
}

# The printers of a dialect: an environment in which sql_of() evaluates.
printers_of <- function(dialect) {
  in_words <- function(template) {
    parts <- strsplit(template, "@", fixed = TRUE)[[1]]
    function(x) paste0(parts[1], x, parts[2])
  }
  one_or_zero <- sql_number(1:0, dialect)
  specific <- list(floor = in_words(dialect$floor), one_if = if (!is.null(dialect$one_if)) in_words(dialect$one_if) else
    function(x) sql_cases(x, one_or_zero[1], one_or_zero[2]))
  for (word in c("near", "moved")) if (!is.null(dialect[[word]])) specific[[word]] <- whole_printer(dialect[[word]])
  if (!is.null(dialect$between)) {
    specific$between <- function(x, lower, upper) {
      dialect$between(x, sql_constant(lower, dialect), sql_constant(upper, dialect))
    }
  }
  printers <- sql_printers
  constant <- setdiff(names(printers), "(")
  printers[constant] <- lapply(printers[constant], with_constants, dialect)
  list2env(c(printers, specific), parent = emptyenv())
}

whole_printer <- function(word) function(x, most) word(x, as.vector(most))

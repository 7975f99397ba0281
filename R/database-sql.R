# SQL from R expressions. What is done to a row is written once, as an expression of the few operators and verbs below,
# and printed in the dialect of a database; the tests evaluate the same expression as numbers (helper-sql.R), which says
# what must come out there, operation by operation in doubles of IEEE 754.
#
# A name in an expression is one of `values`: words of SQL, such as the columns of a query, or numbers. Words and
# numbers come as vectors or arrays, and an expression of them is printed once for all: d - top, where d are five
# columns and top is one, is five words, as it is five numbers for R.
#
#   + - * /, < <= > >= ==, & |, x[i]    as in R; `i` are public numbers
#   floor, sqrt, exp, log               as in R
#   whole(x)                            floor(x) as a big integer
#   cases(c1, v1, c2, v2, ..., v)       the value of the first condition that holds, else the last one, if there is one
#   one_if(c)                           1 where a condition holds, 0 elsewhere
#   total(x)                            the sum over the last dimension, from left to right
#   least(x)                            the least over the last dimension
#   first_least(x), first_most(x)       the first place, from 1, of the least or of the greatest
#   at(k, x)                            the element of x at the place k
#   running(x), differences(x)          sums of the first, the first two and so on; the way back
#   near(x, most), moved(x, most)       a whole number not far from 0 to most; one moved there: where there are words
#   between(x, lower, upper)            a number moved between two others: where there is a word
#   search(x, cuts, leaves)             leaves[i] for what is at or above i - 1 of the increasing cuts
#
#   double(x)                           a whole number as a double, where one stands beside doubles
#
# Numbers are constants: doubles with all their digits; integers of R, and what as_whole() marks, as whole numbers.
# Both sides of a sign have one type, or two types for which the database itself has that sign: of doubles and whole
# numbers anybody may define another one in PostgreSQL (base-rows.md). Where a constant is known to be zero its word is
# NA: what it is a factor of is not printed, nor is it taken away.

as_whole <- function(x) structure(x, whole = TRUE)

# R evaluates the expression, with printers in the place of its functions.
sql_of <- function(expression, values, dialect) {
  words <- eval(expression, values, dialect$printers)
  if (is.character(words)) words else sql_constant(words, dialect)
}

# The same of several, a list.
sql_of_each <- function(expressions, values, dialect) {
  words <- lapply(expressions, eval, values, dialect$printers)
  numbers <- !vapply(words, is.character, NA)
  words[numbers] <- lapply(words[numbers], sql_constant, dialect)
  words
}

sql_constant <- function(x, dialect) {
  if (!is.integer(x) && !isTRUE(attr(x, "whole"))) return(structure(sql_number(x, dialect), dim = dim(x)))
  structure(sprintf(ifelse(x < 0, "(%.0f)", "%.0f"), as.double(x) + 0), dim = dim(x)) # zero has no sign
}

# ---- words -----------------------------------------------------------------------------

# Exact constants. A number below zero in brackets: two minus signs are a comment. What has more than 15 digits
# has an exponent, or some databases read a decimal, of which they make a double with an error. An infinite number is
# beyond every box, as the largest double is, and no word for it is known everywhere.
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

# Words in the place of "@".
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

# `leaves[i]` for what is at or above i - 1 of the increasing cuts: of eight parts that the leaves are in one after the
# other, as parsers have little room for CASE within CASE (SQLite's ends at some twelve of them, SQL Server at ten).
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

# How tightly words hold together, as their attribute `rank`; words without one are whole. What is looser than its place
# allows stands in brackets.
sql_ranks <- c(or = 1, and = 2, comparison = 3, sum = 4, product = 5)

sql_infix <- function(sign, kind, right = sql_ranks[[kind]] + 1) {
  rank <- sql_ranks[[kind]]
  force(right)
  function(a, b) {
    size <- if (length(a) < length(b) || is.null(dim(a))) dim(b) else dim(a)
    zero <- is.na(a) | is.na(b)
    text <- paste(if (isTRUE(attr(a, "rank") < rank)) paste0("(", a, ")") else a, sign,
                  if (isTRUE(attr(b, "rank") < right)) paste0("(", b, ")") else b)
    text[zero] <- NA
    structure(text, rank = rank, dim = size)
  }
}

sql_difference <- sql_infix("-", "sum")

# A number below zero, or a difference. Zero is not taken away: what stays is whole, and stands in brackets where others
# are differences.
sql_minus <- function(a, b) {
  if (missing(b)) return(-a)
  text <- sql_difference(a, b)
  if (!anyNA(text)) return(text)
  text[] <- ifelse(is.na(text), a, paste0("(", text, ")"))
  structure(text, rank = attr(a, "rank"))
}

sql_cases <- function(...) {
  words <- list(...)
  count <- length(words) %/% 2
  text <- "CASE"
  for (i in seq_len(count)) text <- paste(text, "WHEN", words[[2 * i - 1]], "THEN", words[[2 * i]])
  if (length(words) > 2 * count) text <- paste(text, "ELSE", words[[2 * count + 1]])
  size <- Find(Negate(is.null), lapply(words, dim))
  structure(paste(text, "END"), dim = if (length(text) == prod(size)) size)
}

# `join` makes one word of those along the last dimension.
over_last <- function(x, join) {
  size <- dim(x)
  if (length(size) < 2) return(join(x))
  flat <- matrix(x, ncol = size[length(size)])
  text <- vapply(seq_len(nrow(flat)), function(i) join(flat[i, ]), "")
  if (length(size) > 2) array(text, size[-length(size)]) else text
}

sql_total <- function(x) {
  if (isTRUE(attr(x, "rank") < sql_ranks[["product"]])) x[!is.na(x)] <- paste0("(", x[!is.na(x)], ")")
  structure(over_last(x, function(words) paste(words[!is.na(words)], collapse = " + ")), rank = sql_ranks[["sum"]])
}

# Those of an earlier place have been found to be more than some that come.
is_first <- function(x, sign) {
  vapply(seq_len(length(x) - 1), function(k) paste(x[k], sign, x[-seq_len(k)], collapse = " AND "), "")
}

sql_first <- function(sign) function(x) {
  over_last(x, function(x) if (length(x) == 1) "1" else sql_case(is_first(x, sign), seq_len(length(x) - 1), length(x)))
}

sql_least <- function(x) {
  over_last(x, function(x) {
    if (length(x) == 1) as.vector(x) else sql_case(is_first(x, "<="), x[-length(x)], x[length(x)])
  })
}

sql_differences <- function(x) {
  structure(c(x[1], paste(x[-1], "-", x[-length(x)])[length(x) > 1]), rank = sql_ranks[["sum"]])
}

sql_running <- function(x) {
  structure(vapply(seq_along(x), function(k) paste(x[seq_len(k)], collapse = " + "), ""), rank = sql_ranks[["sum"]])
}

sql_at <- function(k, x) sql_search(k, as.character(seq_along(x)[-1]), as.vector(x))

# What is the same in all databases. Constants are words already (with_constants()).
sql_printers <- list(
  `+` = sql_infix("+", "sum"), `-` = sql_minus, `*` = sql_infix("*", "product"), `/` = sql_infix("/", "product"),
  `<` = sql_infix("<", "comparison"), `<=` = sql_infix("<=", "comparison"), `>` = sql_infix(">", "comparison"),
  `>=` = sql_infix(">=", "comparison"), `==` = sql_infix("=", "comparison"),
  `&` = sql_infix("AND", "and", sql_ranks[["and"]]), `|` = sql_infix("OR", "or", sql_ranks[["or"]]),
  `(` = function(x) x, `[` = function(x, i) structure(as.vector(x)[i], dim = dim(i), rank = attr(x, "rank")),
  cases = sql_cases, total = sql_total, least = sql_least, first_least = sql_first("<="), first_most = sql_first(">="),
  differences = sql_differences, running = sql_running, at = sql_at, search = sql_search
)

# A sign before one number is the number below zero, and places are no constants.
with_constants <- function(printer, dialect) {
  function(...) {
    words <- list(...)
    if (length(words) == 1) return(printer(...))
    numbers <- !vapply(words, is.character, NA)
    words[numbers] <- lapply(words[numbers], sql_constant, dialect)
    do.call(printer, words)
  }
}

whole_printer <- function(word) if (!is.null(word)) function(x, most) structure(word(x, as.vector(most)), dim = dim(x))

# Those of a dialect: an environment in which sql_of() evaluates.
printers_of <- function(dialect) {
  in_words <- function(template) {
    parts <- strsplit(template, "@", fixed = TRUE)[[1]]
    function(x) structure(paste0(parts[1], x, parts[2]), dim = dim(x))
  }
  specific <- list(floor = in_words(dialect$floor), whole = in_words(fill_word(dialect$big, dialect$floor)),
              sqrt = in_words("SQRT(@)"), exp = in_words("EXP(@)"), log = in_words(paste0(dialect$logarithm[1], "(@)")))
  if (!is.null(dialect$double)) specific$double <- in_words(dialect$double)
  one_or_zero <- sql_number(1:0, dialect)
  specific$one_if <- if (!is.null(dialect$one_if)) in_words(dialect$one_if) else
    function(x) sql_cases(x, one_or_zero[1], one_or_zero[2])
  for (word in c("near", "moved")) specific[[word]] <- whole_printer(dialect[[word]])
  if (!is.null(dialect$between)) {
    specific$between <- function(x, lower, upper) {
      structure(dialect$between(x, sql_constant(lower, dialect), sql_constant(upper, dialect)), dim = dim(x))
    }
  }
  printers <- sql_printers
  constant <- setdiff(names(printers), c("(", "["))
  printers[constant] <- lapply(printers[constant], with_constants, dialect)
  list2env(c(printers, specific), parent = emptyenv())
}

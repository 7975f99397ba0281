# Tuples of codes as vectors of numbers. A book has for each column of a schema a table of whole numbers, one row for
# each code; a row of data becomes the rows of these tables that its codes choose, one after the other. So it is a total
# map of each row by itself, whose lengths are public: inst/proofs/publish-topology.md, "The vector of a row".
#
# A column of levels has one coordinate for each code, 1 at its own and 0 elsewhere, less the mean of these, so that its
# vectors have one length. A column on a scale (numbers, or levels in order) has one coordinate, from -1/2 for the first
# cell to 1/2 for the last, and one for each code that is not on the scale (other, missing), 1 at this and 0 elsewhere.
#
# A book is a list of
#   columns   by column: `kind` ("levels" or "scale"), `whole` (size x width), `own` (how many codes are on the scale)
#   places    by column: which coordinates of the vector are its own
#   width     how many coordinates there are in all
#   bits      a step is 2^-bits
#   longest   no vector is longer than the root of this, in steps
encoding_book <- function(schema, bits = 10, scale = NULL) {
  columns <- Map(book_column, schema$columns, columns_on_scale(schema, scale), 2^bits)
  width <- vapply(columns, function(column) ncol(column$whole), 0L)
  last <- cumsum(width)
  list(columns = columns, places = Map(seq.int, last - width + 1, last), width = sum(width), bits = bits,
       longest = sum(vapply(columns, function(column) max(rowSums(column$whole^2)), 0)))
}

# Numbers and levels in order are on a scale from there on. More coordinates do not make rows longer, and one for each
# level keeps the shape of a margin: fourteen columns of a census, numbers in fifteen cells, have margins .016 off, and
# .083 on scales.
most_levels <- 50

columns_on_scale <- function(schema, scale = NULL) {
  if (!is.null(scale)) return(names(schema$columns) %in% scale)
  vapply(schema$columns, function(column) column$type %in% c("numeric", "ordered") && column$size > most_levels, NA)
}

# The width of a book, without the tables: those of a column of 3,000 levels take 72 megabytes.
book_width <- function(schema, scale = NULL) {
  sum(mapply(function(column, on_scale) if (on_scale) 1 + column$size - codes_on_scale(column) else column$size,
             schema$columns, columns_on_scale(schema, scale)))
}

book_column <- function(column, on_scale, steps) {
  size <- as.integer(column$size)
  if (!on_scale) return(list(kind = "levels", whole = round(steps * (diag(size) - 1 / size))))
  own <- codes_on_scale(column)
  whole <- matrix(0, size, 1 + size - own)
  whole[seq_len(own), 1] <- round(steps * scale_places(column, own))
  for (i in seq_len(size - own)) whole[own + i, 1 + i] <- steps
  list(kind = "scale", whole = whole)
}

# All but a cell for missing values and one for other values that is not among the levels.
codes_on_scale <- function(column) {
  levels <- column$axis$levels
  as.integer(column$axis$size - (!is.null(levels) && !column$axis$other %in% level_names(levels)))
}

# From -1/2 to 1/2, increasing: the middles of cells of numbers, the ranks of levels.
scale_places <- function(column, own) {
  if (own < 2) return(rep(0, own))
  middle <- if (column$type == "numeric") column$breaks[-1] / 2 + column$breaks[-length(column$breaks)] /
    2 else seq_len(own)
  (middle - middle[1]) / (middle[own] - middle[1]) - 1 / 2
}

# Slow computations with tables of codes.

coded <- function(n, sizes) {
  codes <- vapply(sizes, function(size) sample.int(size, n, replace = TRUE) - 1L, integer(n))
  list(sizes = structure(as.integer(sizes), names = letters[seq_along(sizes)]), n = n, codes = matrix(codes, n))
}

# Counts every cell of a scope, the first column fastest.
slow_counts <- function(source, columns) {
  columns <- scope_places(columns, source)
  if (length(columns) == 0) return(as.double(source$n))
  factors <- lapply(columns, function(j) factor(source$codes[, j], seq_len(source$sizes[j]) - 1))
  as.double(do.call(table, factors))
}

# Lists all tables of counts of n rows in `cells` cells, one per row.
all_tables <- function(cells, n) {
  if (cells == 1) return(matrix(n))
  do.call(rbind, lapply(0:n, function(first) cbind(first, all_tables(cells - 1, n - first), deparse.level = 0)))
}

# Computes the largest change of a score if one row moves to another cell. `score`: a function of a matrix with a table
# in each row.
largest_move <- function(score, cells, n) {
  tables <- all_tables(cells, n)
  key <- function(tables) as.vector(tables %*% (n + 1)^(seq_len(cells) - 1))
  known <- score(tables)
  at <- key(tables)
  moves <- expand.grid(from = seq_len(cells), to = seq_len(cells))
  most <- 0
  for (i in which(moves$from != moves$to)) {
    there <- tables[, moves$from[i]] > 0
    moved <- at[there] - (n + 1)^(moves$from[i] - 1) + (n + 1)^(moves$to[i] - 1)
    most <- max(most, abs(known[there] - known[match(moved, at)]))
  }
  most
}

# Draws rows of three dependent columns.
related_rows <- function(n) {
  a <- sample(c("u", "v", "w"), n, replace = TRUE, prob = c(.5, .3, .2))
  b <- ifelse(stats::runif(n) < .8, a == "u", stats::runif(n) < .5)
  data.frame(a, b, c = pmin(99, 30 * match(a, c("u", "v", "w")) + 20 * b * stats::runif(n)), stringsAsFactors = FALSE)
}
related_schema <- function(cells = 5) {
  table_schema(a = schema_categorical(c("u", "v", "w"), other = "w"), b = schema_logical(),
               c = schema_numeric(0, 100, cells = cells))
}

# Draws codes at places slowly, by one coin for each row and column.
slow_codes <- function(decoder, columns, U, coins) {
  one <- function(p, coin) as.integer(rowSums(t(apply(p, 1, cumsum))[, -ncol(p), drop = FALSE] <= coin * rowSums(p)))
  codes <- Map(function(p, j) if (ncol(p) == 1 || nrow(U) == 0) integer(nrow(U)) else one(p, coins[, j]),
               decoder_probabilities(decoder, seq_len(columns), U), seq_len(columns))
  matrix(unlist(codes, use.names = FALSE), nrow(U), columns)
}

see_codes <- function(decoder, sizes, U, coins) {
  layers <- decoder_layers(decoder)
  .Call(ffi_test_decode, U, coins, layers$back, layers$back_shift, layers$slope, layers$shift, sizes, kernel_options())
}

decoder_sizes <- function(decoder) {
  if (decoder$kind == "network") unname(decoder$sizes) else unname(vapply(decoder$columns, function(column)
    nrow(column$features), 0L))
}

draw_decoded <- function(decoder, U) {
  sizes <- decoder_sizes(decoder)
  see_codes(decoder, sizes, U, matrix(stats::runif(nrow(U) * length(sizes)), nrow(U)))
}

# Encodes rows as vectors, in steps.
encode_codes <- function(book, codes) {
  X <- matrix(0, nrow(codes), book$width)
  for (j in seq_along(book$columns)) X[, book$places[[j]]] <- book$columns[[j]]$whole[codes[, j] + 1L, ]
  X
}

# Returns the method with default settings, as an object instead of a name.
margins <- function() default_method("synthesis", "margins")

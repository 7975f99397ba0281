# Selects cells of tables of several columns: by one index for each column, as in as.table(), or by their levels in one
# string, as in "f, 2". Names of both kinds are public.

#' @export
`[.dptda_private_table` <- function(x, ...) moved(chosen_cells(x, `[`, ...), "[", x, places_given(...))

#' @export
`[[.dptda_private_table` <- function(x, ...) moved(chosen_cells(x, `[[`, ...), "[[", x, places_given(...))

#' @export
`[<-.dptda_private_table` <- function(x, ..., value) change_cells(x, `[<-`, "[<-", ..., value = value)

#' @export
`[[<-.dptda_private_table` <- function(x, ..., value) change_cells(x, `[[<-`, "[[<-", ..., value = value)

# Returns a function that selects numbers in the positions of `x`.
chosen_cells <- function(x, choose, ...) {
  cells <- cells_of_table(x)
  if (is.null(cells)) return(function(plain) choose(plain, ...))
  if (index_count(...) == length(cells)) {
    return(function(plain) choose(array(plain, lengths(cells, use.names = FALSE), cells), ...))
  }
  if (!is_one_index(...)) return(function(plain) choose(plain, ...))
  place <- full_names(..1, cells, names(x))
  function(plain) choose(plain, place)
}

# Returns NULL for one column, or if another function copied only some of the attributes.
cells_of_table <- function(x) {
  if (!is_private_value(x)) check_valid(x, "dptda_private_table")
  cells <- attr(x, "cells", exact = TRUE)
  if (is.list(cells) && prod(lengths(cells)) == length(x) && length(names(x)) == length(x)) cells
}

change_cells <- function(x, change, operation, ..., value) {
  cells <- cells_of_table(x)
  plain <- plain_value(x)
  new <- plain_value(value, "value")
  result <- if (!is.null(cells) && index_count(...) == length(cells)) {
    all <- change(array(plain, lengths(cells, use.names = FALSE), cells), ..., value = new)
    structure(as.vector(all), names = names(plain))
  } else if (!is.null(cells) && is_one_index(...)) {
    change(plain, full_names(..1, cells, names(x)), value = new)
  } else change(plain, ..., value = new)
  keep_guarantee(result, list(x, value), operation, places = places_given(...))
}

# Counts indices, including empty ones: there are two in x[1, ].
index_count <- function(...) {
  names <- names(substitute(alist(...)))
  ...length() - sum(names %in% c("drop", "exact"))
}

# Returns whether the only index is a vector of plain names.
is_one_index <- function(...) ...length() == 1 && !identical(substitute(alist(...))[[2]], quote(expr = )) &&
  is.character(..1) && !is.object(..1)

# Replaces "f, 2" by "sex f, school 2", if no other cell has the same levels in one string.
full_names <- function(index, cells, names) {
  short <- joined_levels(cells)
  twice <- short %in% short[duplicated(short)]
  place <- match(index, ifelse(twice | short %in% names, NA, short), incomparables = NA)
  meant <- !index %in% names & !is.na(place)
  index[meant] <- names[place[meant]]
  index
}

joined_levels <- function(cells) {
  do.call(paste, c(unname(expand.grid(cells, KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE)), sep = ", "))
}

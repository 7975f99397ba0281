# Weights people with several rows each. Their number is public, and the guarantee protects all rows of a person. No row
# is discarded, and no bound on the rows of a person is needed: the rows of each person have the same total weight, as
# integers (inst/proofs/base-people.md).
#
# Rows of people, which are also "dptda_rows", have
#
#   n         the number of people, public; the number of rows is private
#   person    the name of the people: patients and doctors are different units. NULL for all other rows
#   complete  whether each person has a row, so that the total weight is n times the weight of a person
#   take      "all" rows of a person, or "one", drawn
#   owner     in memory: the person of each row, from 1 to n
#   weight    in memory: the weight of each row, set by weigh_rows()
#
# A release calls three steps of this file: public_units() gives its mechanism the public facts about the rows,
# units_weight() the weight of a person in its sums, and weigh_rows(), first in statistic_of(), weights the rows.

# ---- public numbers --------------------------------------------------------------

# The name of the people to whom rows, or a result of rows, belong, or NULL.
person_of <- function(rows) {
  if (is.list(rows) && !is.data.frame(rows)) unclass(rows)[["person"]] else attr(rows, "person", exact = TRUE)
}

# The public size for a mechanism: a number of rows, or unseen() rows for people or missing values. Accepts rows in the
# form of any release: rows, graphs, clouds, and points in columns.
public_units <- function(rows) {
  person <- person_of(rows)
  omit <- is_omitting(rows)
  if (is.null(person) && !omit) return(row_count(rows))
  if (is.null(person)) return(new_unseen(as.double(rows$n), NULL, "all", TRUE, TRUE))
  new_unseen(as.double(rows$n), person, rows$take, rows$complete, omit)
}

row_count <- function(rows) {
  if (!is.list(rows)) return(ncol(rows))
  rows <- unclass(rows) # not all have both
  c(rows[["n"]], rows[["total"]])[1]
}

# The same in the form that a mechanism uses: `n`, the number of rows or people; `person`, their name or NULL;
# `complete`; `most`, the largest number of binary digits in the weight of a person (more than ten make no visible
# difference). `exact`: whether the computation needs a public total weight of all rows, which exists if each person has
# a row (lemma C, and results divided by the number of people). `omit`: whether the release supports rows that leave
# missing values out, so that a unit may have none.
check_public_units <- function(n, least = 1, exact = FALSE, arg = "n", omit = FALSE) {
  if (missing(n)) stop_missing(arg)
  if (!is_unseen(n)) {
    check_count(n, least, arg = arg)
    return(list(n = n, person = NULL, complete = TRUE, take = NULL, most = 0, omit = FALSE))
  }
  check_valid(n, "dptda_unseen", arg)
  if (n$omit && !omit) {
    stop_argument("missing", "cannot be \"omit\" here, because that works only for ", registered$omitting, ". Leave ",
                  "it out for rows whose missing values table_rows(x, missing = value) replaces.")
  }
  if (exact && !n$complete) {
    stop_argument("people", "cannot be given here, nor `complete = FALSE` in unseen(), because this release requires ",
                  "people with at least one row each. Count with `people`, or leave out people without rows.")
  }
  if (n$n < least) {
    stop_argument(c(n$arg, arg)[1], "must ", if (is.null(n$arg)) "be" else "have", " at least ",
                  count_units(least, n$person), ".")
  }
  list(n = n$n, person = n$person, complete = n$complete && !n$omit, omit = n$omit,
       take = if (!is.null(n$person)) n$rows_of_person,
       most = if (!is.null(n$person) && n$rows_of_person == "all") 10 else 0)
}

# The weight of a person: a power of two, 1 for rows. `fits`: the number of binary digits that fit.
units_weight <- function(units, fits) 2^max(0, min(units$most, floor(fits)))

# "3 rows", or "3 people".
count_units <- function(n, person) name_units(format_count(n), units_noun(person))

# `number`: as printed, so that "1" takes the singular.
name_units <- function(number, units) {
  paste(number, if (number == "1") c(rows = "row", people = "person")[[units]] else units)
}

# The plural name of the units.
units_noun <- function(person) if (is.null(person)) "rows" else "people"

# Refuses people with all their rows, for releases without a proof for them.
refuse_people <- function(units, release) {
  if (is.null(units$person) || units$most == 0) return(invisible())
  stop_argument("rows_of_person", "must be \"one\" in table_rows(), or in unseen() for a mechanism, because ",
                release, " works only with one row per person.")
}

# ---- weights of rows -------------------------------------------------------------

# Returns the weights of rows, or NULL if each row has weight one. Rows of people have `person`, and are never counted
# without weights: what counts them takes the weights from here.
weights_of <- function(person, weight, arg) {
  if (!is.null(person) && is.null(weight)) stop_argument(arg, "has rows of people without weights.")
  weight
}

# Rows whose counts and sums are weighted, with `weight` for each person. The order of rows uses all columns of `rows`:
# a release with several queries weights rows once, or a person would not be one mixture of rows in all queries.
weigh_rows <- function(rows, weight) UseMethod("weigh_rows")

weigh_rows.default <- function(rows, weight) rows

weigh_rows.dptda_memory_rows <- function(rows, weight) {
  if (is.null(rows$owner)) return(rows)
  columns <- if (is.matrix(rows$data)) rows$data else lapply(unname(rows$data), sort_key)
  rows$weight <- weigh_each(columns, rows, weight)
  rows
}

# Integers, one for each row of `rows`. `columns` order the rows of each person.
weigh_each <- function(columns, rows, weight) {
  .Call(ffi_base_weigh_rows, columns, rows$owner, rows$n, weight, kernel_options(progress = kernel_progress("Weights")))
}

# Sorts numbers and logical values by value, and text by its bytes.
sort_key <- function(x) {
  if (is.factor(x)) return(level_ranks(levels(x))[as.integer(x)])
  if (!is.character(x)) return(if (is.double(x)) as.double(x) else as.integer(x))
  x <- canonical_strings(x)
  known <- unique(x)
  level_ranks(known)[match(x, known)]
}

level_ranks <- function(known) match(known, sort(canonical_strings(known), method = "radix"))

# Draws one row per person if the release uses only one, before all other steps and for all queries. The release then
# uses one row per person, whichever was drawn.
settle_rows <- function(rows, rng) UseMethod("settle_rows")

settle_rows.default <- function(rows, rng) rows

settle_rows.dptda_memory_rows <- function(rows, rng) {
  if (is.null(rows$owner) || rows$take == "all") return(rows)
  # whether a missing value is an error must not depend on which rows are drawn
  found <- if (!is_omitting(rows)) missing_column(rows)
  if (!is.null(found)) stop_missing_values(rows, found)
  chosen <- choose_rows(rows$owner, rng)
  rows$data <- if (is.matrix(rows$data)) rows$data[chosen, , drop = FALSE] else lapply(rows$data, `[`, chosen)
  rows$owner <- NULL
  rows
}

# The position of one row of each person with rows. Owners are numbered in order of appearance, so there are at most as
# many as rows. People without rows need no memory or time.
choose_rows <- function(owner, rng) {
  many <- tabulate(owner)
  first <- cumsum(c(0, many[-length(many)]))
  u <- floor(.Call(ffi_base_draw_units, as.double(length(many)), kernel_options(rng)) * many)
  order(owner, method = "radix")[(first + u + 1)[many > 0]]
}

# The number of rows in memory, which is private for people.
memory_count <- function(rows) if (is.matrix(rows$data)) nrow(rows$data) else length(rows$data[[1]])

# ---- reading ---------------------------------------------------------------------

# Names people if a vector alone gives the owners of rows. The name equals no other, because neither a call nor a symbol
# proves that two vectors are about the same people. It does not depend on the vector.
unnamed_people <- function() {
  drawn <- .Call(ffi_base_draw_units, 4, kernel_options("os"))
  paste(unnamed_prefix, paste(sprintf("%04x", floor(65536 * drawn)), collapse = ""))
}
unnamed_prefix <- "unnamed vector"

is_unnamed_people <- function(person) is_one_string(person) && startsWith(person, paste0(unnamed_prefix, " "))

# Advice about people without a name, or NULL if all have one.
naming_hint <- function(people) {
  if (any(vapply(people, is_unnamed_people, NA))) {
    ". A vector does not name its people. Name them by table_rows(person = list(patient = ...))"
  }
}

# Returns names in one form, for comparison. R fails on strings that are not valid text.
check_person <- function(person) {
  good <- is_one_string(person) && !is.object(person)
  plain <- if (good) canonical_strings(as.vector(person)) else NA
  if (is.na(plain) || !nzchar(plain)) {
    stop_argument("person", "must be NULL or a nonempty string, the name of the people, not ",
                  if (good && is.na(plain)) "a string that is not valid in its encoding" else describe(person), ".")
  }
  plain
}

# `ids`: the person of each row.
memory_people <- function(rows, ids, name, people, take, arg = "person") {
  check_people_count(people)
  owner <- person_codes(ids, memory_count(rows), arg)
  found <- if (length(owner)) max(owner) else 0
  if (is.null(people) && found == 0) stop_argument(rows$arg, "must have at least one person.")
  if (!is.null(people) && people < found) {
    stop_argument("people", "must be at least the number of people who have rows.")
  }
  add_people(rows, if (is.null(people)) found else people, name, take, is.null(people), owner = owner)
}

check_people_count <- function(people) {
  if (!is.null(people)) check_count(people, 1, max_people, arg = "people")
}

add_people <- function(rows, n, name, take, complete, owner = NULL) {
  rows$n <- as.double(n)
  rows[c("person", "take", "complete")] <- list(name, take, complete)
  rows$owner <- owner
  rows
}

# Whether doubles are integers of R.
are_whole_doubles <- function(x) {
  is.double(x) && !is.object(x) && all(is.na(x) | (x == floor(x) & abs(x) <= .Machine$integer.max))
}

# Accepts integers, also if a file was read into doubles, and text only. With other doubles, one person may have several
# spellings, or two people share one (beyond 2^53).
person_codes <- function(ids, n, arg) {
  if (length(dim(ids)) > 1 || length(ids) != n) {
    named <- is.character(ids) && is.null(dim(ids))
    stop_argument(arg, "must be the name of a column, or have one integer or string per row",
                  if (named && length(ids) == 1) ", but `x` has no column of this name",
                  if (named && length(ids) > 1) ". Combine several columns by paste() or interaction()", ".")
  }
  if (is.factor(ids) && typeof(ids) == "integer") {
    ids <- as.character(ids)
  } else if (typeof(ids) == "double" && inherits(ids, "integer64")) {
    ids <- integer64_keys(ids) # by their bits: as.character() is right only where bit64 is loaded
  } else if (are_whole_doubles(ids)) {
    ids <- as.integer(ids)
  } else if (is.object(ids) || !(is.integer(ids) || is.character(ids))) {
    stop_argument(arg, "must hold integers or strings, not ", describe_column(ids),
                  if (is.double(ids) && !is.object(ids)) {
                    " with fractions or beyond 2^31. Use as.character() to convert it"
                  }, ".")
  }
  if (is.character(ids)) {
    absent <- anyNA(ids)
    ids <- canonical_strings(ids)
    if (!absent && anyNA(ids)) stop_argument(arg, "must hold valid strings, but some are not valid in their encoding.")
  }
  if (anyNA(ids)) stop_missing_people(arg)
  match(ids, unique(ids))
}

stop_missing_people <- function(arg) {
  stop_argument(arg, "must not contain missing values, because each row must belong to a person. Give such rows their ",
                "own people, or leave them out before `people` are counted.")
}

# ---- one person's data after the other ------------------------------------------

# For code that reads people's data one after the other: values of value_of_person() then depend on no other person, and
# the caller hears and sees nothing: neither conditions, bars of progress, and the last error, nor another state of R's
# generator.
for_each_person <- function(code) {
  kinds <- RNGkind()
  shown <- options(dptda.progress = FALSE)
  on.exit({
    options(shown)
    forget_error()
  })
  with_seed(1, tryCatch(suppressMessages(suppressWarnings(code)),
                        finally = suppressWarnings(RNGkind(kinds[1], kinds[2], kinds[3]))))
}

# Returns the value of code that reads one person's data, or NULL if it fails or jumps to the top level. It starts at a
# public seed.
value_of_person <- function(code) {
  set.seed(1, "Mersenne-Twister", "Inversion", "Rejection")
  unheard(code, signals = TRUE)
}

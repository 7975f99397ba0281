# The steps of a ledger as text, and back (privacy-ledger.R has the lines that they are in). Numbers come back bit by bit, whatever the
# locale; names and paths are ASCII. Readers take many texts at once, since a ledger is long, and answer NULL to what is none.

# Parts that are as new_parts() has them are not written. A table without orders is not none: it has no text, and no
# finite amount either.
write_step <- function(step) {
  parts <- step$parts
  curve <- parts$renyi
  as_new <- new_parts()
  unlike <- vapply(names(parts), function(name) !identical(parts[[name]], as_new[[name]]), NA)
  parts <- c(parts[unlike & names(parts) != "renyi"], list(alpha = curve$alpha, renyi = curve$epsilon))
  paste0(write_name(step$step), "(", write_fields(step$measure), ")[", write_fields(parts), "]")
}

# The steps of many texts at once, since a ledger is long; NULL if one of them is none.
read_steps <- function(texts) {
  open <- regexpr("(", texts, fixed = TRUE)
  middle <- regexpr(")[", texts, fixed = TRUE)
  names <- substr(texts, 1, open - 1)
  measures <- read_fields(substr(texts, open + 1, middle - 1))
  parts <- read_fields(substr(texts, middle + 2, nchar(texts) - 1))
  good <- all(open > 0 & middle > open & endsWith(texts, "]")) && is_good(measures) && is_good(parts) &&
    all(measures$count == 1) && all(measures$key %in% c("epsilon", "delta", "rho", "mu", "renyi")) &&
    all(parts$key %in% c(names(new_parts()), "alpha"))
  if (!good) return(NULL)
  of_measure <- places_of(measures, length(texts))
  of_parts <- places_of(parts, length(texts))
  names <- vapply(names, read_name, "", USE.NAMES = FALSE)
  steps <- lapply(seq_along(texts), function(i) {
    read_step(names[i], measures, of_measure[[i]], parts, of_parts[[i]])
  })
  if (!any(vapply(steps, is.null, NA))) steps
}

read_step <- function(name, measures, of_measure, parts, of_parts) {
  if (!length(of_measure)) return(NULL)
  measure <- unlist(measures$values[of_measure])
  names(measure) <- measures$key[of_measure]
  keys <- parts$key[of_parts]
  read <- new_parts()
  plain <- !keys %in% c("alpha", "renyi")
  read[keys[plain]] <- parts$values[of_parts[plain]]
  if (!all(plain)) {
    of <- function(key) unlist(parts$values[of_parts[keys == key]])
    read["renyi"] <- list(list(alpha = of("alpha"), epsilon = of("renyi")))
  }
  if (all(keys %in% c("pure", "range")) || is_parts(read)) list(step = name, measure = measure, parts = read)
}

# Named lists of numbers, as key=1,2;other=3.
write_fields <- function(fields) {
  fields <- fields[lengths(fields) > 0]
  paste(names(fields), vapply(fields, function(values) paste(write_numbers(values), collapse = ","), ""), sep = "=",
        collapse = ";", recycle0 = TRUE)
}

# The fields of many texts: each has an `owner` (which text), a `key`, its `values` and their `count`.
read_fields <- function(texts) {
  pairs <- strsplit(texts, ";", fixed = TRUE)
  flat <- as.character(unlist(pairs))
  equal <- regexpr("=", flat, fixed = TRUE)
  words <- strsplit(substr(flat, equal + 1, nchar(flat)), ",", fixed = TRUE)
  numbers <- as.numeric(unlist(words))
  count <- lengths(words)
  before <- cumsum(count) - count
  list(
    owner = rep.int(seq_along(texts), lengths(pairs)), key = substr(flat, 1, equal - 1), count = count,
    values = lapply(seq_along(flat), function(i) numbers[before[i] + seq_len(count[i])])
  )
}

# All of them amounts, and none of them twice.
is_good <- function(fields) {
  own <- paste(fields$owner, fields$key)
  all_amounts(fields$values) && all(fields$count > 0) && all(match(own, own) == seq_along(own))
}

# For each text the places of its fields.
places_of <- function(fields, texts) {
  count <- tabulate(fields$owner, texts)
  before <- cumsum(count) - count
  lapply(seq_len(texts), function(i) before[i] + seq_len(count[i]))
}

# What can be an amount of anything here.
all_amounts <- function(fields) all(unlist(fields) >= 0 & is.finite(unlist(fields)))

# The shortest of three forms that is read back bit by bit, whatever the locale.
write_numbers <- function(x) {
  text <- rep(NA_character_, length(x))
  for (form in c("%.15g", "%.17g", "%a")) {
    open <- is.na(text)
    tried <- sub(",", ".", sprintf(form, x[open]), fixed = TRUE)
    text[open] <- ifelse(as.numeric(tried) == x[open], tried, NA)
  }
  text
}

plain_signs <- charToRaw(paste(c(LETTERS, letters, 0:9, " _.,:*/-"), collapse = ""))

write_name <- function(name) {
  bytes <- charToRaw(enc2utf8(name))
  signs <- rawToChar(ifelse_raw(bytes %in% plain_signs, bytes), multiple = TRUE)
  paste(ifelse(bytes %in% plain_signs, signs, sprintf("%%%02X", as.integer(bytes))), collapse = "")
}

# The bytes that are kept, an "x" for the others.
ifelse_raw <- function(keep, bytes) {
  bytes[!keep] <- charToRaw("x")
  bytes
}

read_name <- function(text) {
  name <- if (grepl("%", text, fixed = TRUE)) rawToChar(read_path(text)) else text
  Encoding(name) <- "UTF-8"
  name
}

# A path as the system has it, byte by byte.
write_path <- function(file) {
  bytes <- charToRaw(file)
  paste(ifelse(bytes %in% plain_signs, path_signs[as.integer(bytes) + 1], sprintf("%%%02X", as.integer(bytes))),
        collapse = "")
}

path_signs <- c("", rawToChar(as.raw(1:127), multiple = TRUE), character(128))

read_path <- function(text) {
  parts <- strsplit(text, "%", fixed = TRUE)[[1]]
  coded <- parts[-1]
  bytes <- suppressWarnings(strtoi(substr(coded, 1, 2), 16L))
  bytes[is.na(bytes)] <- 0L # no path has that
  after <- lapply(substr(coded, 3, nchar(coded)), charToRaw)
  c(charToRaw(parts[1]), unlist(Map(c, lapply(bytes, as.raw), after)))
}

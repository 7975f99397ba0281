# The steps of a ledger as text, and back (budget-ledger.R has the lines that they are in). Numbers come back bit by
# bit, whatever the locale; names and paths are ASCII. Readers take many texts at once, since a ledger is long, and
# answer NULL to what is none.

# Parts that are as new_parts() has them are not written. A table without orders is not none: it has no text, and no
# finite amount either.
write_step <- function(step) {
  parts <- step$parts
  curve <- parts$renyi
  parts$renyi <- NULL
  for (name in c("mu", "rho")) if (identical(parts[[name]], 0)) parts[[name]] <- NULL
  if (!is.null(curve)) parts <- c(parts, list(alpha = curve$alpha, renyi = curve$epsilon))
  texts <- field_texts(c(step$measure, parts)) # at once: a number takes longer than all that is around it
  of_measure <- seq_along(texts) <= length(step$measure)
  paste0(write_name(step$step), "(", paste(texts[of_measure], collapse = ";"), ")[",
         paste(texts[!of_measure], collapse = ";"), "]")
}

# What read_steps() answers. Of the texts that were read last it remembers the steps: charges come in few kinds.
recall_steps <- function(texts) {
  known <- steps_read$last # as one: code of the user's may run and read others meanwhile
  found <- match(texts, known$texts)
  if (!anyNA(found)) return(known$steps[found])
  steps <- read_steps(texts)
  if (is.null(steps)) return(NULL)
  new <- which(is.na(found))
  new <- new[seq_len(min(most_remembered, length(new)))]
  old <- seq_len(min(most_remembered - length(new), length(known$texts)))
  steps_read$last <- list(texts = c(texts[new], known$texts[old]), steps = c(steps[new], known$steps[old]))
  steps
}

steps_read <- new.env(parent = emptyenv())
steps_read$last <- list(texts = character(), steps = list())
most_remembered <- 50

# The steps of many texts at once, since a ledger is long; NULL if one of them is none. Measures and parts are read in
# one go, first all measures and then all parts.
read_steps <- function(texts) {
  open <- regexpr("(", texts, fixed = TRUE)
  middle <- regexpr(")[", texts, fixed = TRUE)
  if (!all(open > 0 & middle > open & endsWith(texts, "]"))) return(NULL)
  fields <- read_fields(c(substr(texts, open + 1, middle - 1), substr(texts, middle + 2, nchar(texts) - 1)))
  of_measure <- fields$owner <= length(texts)
  good <- is_good(fields) && all(fields$count[of_measure] == 1) && all(fields$key[of_measure] %in% measure_keys) &&
    all(fields$key[!of_measure] %in% parts_keys)
  if (!good) return(NULL)
  places <- places_of(fields, 2 * length(texts))
  names <- vapply(substr(texts, 1, open - 1), read_name, "", USE.NAMES = FALSE)
  steps <- lapply(seq_along(texts), function(i) {
    read_step(names[i], fields, places[[i]], places[[length(texts) + i]])
  })
  if (!any(vapply(steps, is.null, NA))) steps
}

measure_keys <- c("epsilon", "delta", "rho", "mu", "renyi")
parts_keys <- c("pure", "range", "leak", "leak_epsilon", "mu", "rho", "renyi", "alpha")

read_step <- function(name, fields, of_measure, of_parts) {
  if (!length(of_measure)) return(NULL)
  measure <- unlist(fields$values[of_measure])
  names(measure) <- fields$key[of_measure]
  keys <- fields$key[of_parts]
  read <- no_parts
  plain <- !keys %in% c("alpha", "renyi")
  read[keys[plain]] <- fields$values[of_parts[plain]]
  if (!all(plain)) {
    numbers_of <- function(key) unlist(fields$values[of_parts[keys == key]])
    read["renyi"] <- list(list(alpha = numbers_of("alpha"), epsilon = numbers_of("renyi")))
  }
  if (all(keys %in% c("pure", "range")) || is_parts(read)) list(step = name, measure = measure, parts = read)
}

# Named lists of numbers, as key=1,2;other=3.
write_fields <- function(fields) paste(field_texts(fields), collapse = ";")

field_texts <- function(fields) {
  count <- lengths(fields)
  numbers <- write_numbers(unlist(fields, use.names = FALSE))
  if (any(count > 1)) {
    before <- cumsum(count) - count
    numbers <- vapply(which(count > 0), function(i) paste(numbers[before[i] + seq_len(count[i])], collapse = ","), "")
  }
  paste(names(fields)[count > 0], numbers, sep = "=", recycle0 = TRUE)
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
  keys <- paste(fields$owner, fields$key)
  all_amounts(fields$values) && all(fields$count > 0) && all(match(keys, keys) == seq_along(keys))
}

# For each text the places of its fields.
places_of <- function(fields, texts) {
  count <- tabulate(fields$owner, texts)
  before <- cumsum(count) - count
  lapply(seq_len(texts), function(i) before[i] + seq_len(count[i]))
}

# What can be an amount of anything here.
all_amounts <- function(fields) {
  numbers <- unlist(fields)
  all(numbers >= 0 & is.finite(numbers))
}

refuse_amounts <- function(arg) {
  stop_dptda("budget", "`", arg, "` cannot be charged an amount that is negative, infinite or no number.")
}

# The first of `forms` that is read back bit by bit, or the last one. The locale and the options of the session do not
# matter.
write_numbers <- function(x, forms = c("%.15g", "%.17g", "%a")) {
  text <- rep(NA_character_, length(x))
  for (form in forms) {
    open <- which(is.na(text))
    if (!length(open)) break
    tried <- sub(",", ".", sprintf(form, as.double(x[open])), fixed = TRUE)
    same <- which(as.numeric(tried) == x[open] | form == forms[length(forms)] & !is.na(x[open]))
    text[open[same]] <- tried[same]
  }
  text
}

# What stands for each byte: the sign itself if it is a plain one.
byte_texts <- local({
  plain <- charToRaw(paste(c(LETTERS, letters, 0:9, " _.,:*/-"), collapse = ""))
  texts <- sprintf("%%%02X", 0:255)
  texts[as.integer(plain) + 1] <- rawToChar(plain, multiple = TRUE)
  texts
})

write_bytes <- function(bytes) paste(byte_texts[as.integer(bytes) + 1], collapse = "")

write_name <- function(name) write_bytes(charToRaw(enc2utf8(name)))

read_name <- function(text) {
  name <- if (grepl("%", text, fixed = TRUE)) rawToChar(read_path(text)) else text
  Encoding(name) <- "UTF-8"
  name
}

# A path as the system has it, byte by byte.
write_path <- function(file) write_bytes(charToRaw(file))

read_path <- function(text) {
  parts <- strsplit(text, "%", fixed = TRUE)[[1]]
  coded <- parts[-1]
  bytes <- suppressWarnings(strtoi(substr(coded, 1, 2), 16L))
  bytes[is.na(bytes)] <- 0L # no path has that
  after <- lapply(substr(coded, 3, nchar(coded)), charToRaw)
  c(charToRaw(parts[1]), unlist(Map(c, lapply(bytes, as.raw), after)))
}

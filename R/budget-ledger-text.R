# Conversion of the steps of a ledger to text and back. The lines are described in budget-ledger.R. Numbers are read
# back bit by bit in every locale. Names and paths are ASCII. Readers take many texts in one call, since ledgers are
# long, and return NULL for invalid texts.

# Writes one step. Parts with the default values of new_parts() are omitted. A Renyi table without orders would be lost,
# but its cost is infinite, so it is never charged.
write_step <- function(step) {
  parts <- step$parts
  curve <- parts$renyi
  parts$renyi <- NULL
  for (name in c("mu", "rho")) if (identical(parts[[name]], 0)) parts[[name]] <- NULL
  if (!is.null(curve)) {
    parts <- c(parts, list(alpha = curve$alpha, renyi = curve$epsilon), curve[names(curve) %in% samples])
  }
  texts <- field_texts(c(step$measure, parts)) # one call for all numbers, which is faster
  of_measure <- seq_along(texts) <= length(step$measure)
  paste0(write_name(step$step), "(", paste(texts[of_measure], collapse = ";"), ")[",
         paste(texts[!of_measure], collapse = ";"), "]")
}

# Returns the same as read_steps(). Remembers recently read steps, because charges are of few kinds.
recall_steps <- function(texts) {
  known <- steps_read$last # copied once, since user code may replace it meanwhile
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

# Reads the steps of many texts, or returns NULL if one text is not a step. All measures and then all parts are read in
# one call, because ledgers are long.
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

samples <- c("poisson", "batches")
measure_keys <- c("epsilon", "delta", "rho", "mu", "renyi")
parts_keys <- c("pure", "range", "leak", "leak_epsilon", "mu", "rho", "renyi", "alpha", samples)

read_step <- function(name, fields, of_measure, of_parts) {
  if (!length(of_measure)) return(NULL)
  measure <- unlist(fields$values[of_measure])
  names(measure) <- fields$key[of_measure]
  keys <- fields$key[of_parts]
  read <- no_parts
  plain <- !keys %in% c("alpha", "renyi", samples)
  read[keys[plain]] <- fields$values[of_parts[plain]]
  if (!all(plain)) {
    numbers_of <- function(key) unlist(fields$values[of_parts[keys == key]])
    read["renyi"] <- list(list(alpha = numbers_of("alpha"), epsilon = numbers_of("renyi")))
    for (key in intersect(samples, keys)) read$renyi[[key]] <- numbers_of(key)
  }
  if (all(keys %in% c("pure", "range")) || is_parts(read)) list(step = name, measure = measure, parts = read)
}

# Writes named lists of numbers as key=1,2;other=3.
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

# Reads the fields of many texts. A field has an `owner` (index of its text), a `key`, `values`, and their `count`.
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

# Checks that all values are amounts, and that no text has a key twice.
is_good <- function(fields) {
  keys <- paste(fields$owner, fields$key)
  all_amounts(fields$values) && all(fields$count > 0) && all(match(keys, keys) == seq_along(keys))
}

# Returns the indices of the fields of each text.
places_of <- function(fields, texts) {
  count <- tabulate(fields$owner, texts)
  before <- cumsum(count) - count
  lapply(seq_len(texts), function(i) before[i] + seq_len(count[i]))
}

# Checks that all numbers are finite and not negative.
all_amounts <- function(fields) {
  numbers <- unlist(fields)
  all(numbers >= 0 & is.finite(numbers))
}

refuse_amounts <- function(arg) {
  stop_dptda("budget", "`", arg, "` cannot be charged a negative, infinite, or missing amount.")
}

# Writes each number in the first of `forms` that is read back bit by bit, or in the last form. The result does not
# depend on the locale or on options of the session.
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

# The text of each byte: the character itself if it is plain, otherwise %XX.
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

# Encodes a path byte by byte, as the system stores it.
write_path <- function(file) write_bytes(charToRaw(file))

read_path <- function(text) {
  parts <- strsplit(text, "%", fixed = TRUE)[[1]]
  coded <- parts[-1]
  bytes <- suppressWarnings(strtoi(substr(coded, 1, 2), 16L))
  bytes[is.na(bytes)] <- 0L # a zero byte, which no path contains
  after <- lapply(substr(coded, 3, nchar(coded)), charToRaw)
  c(charToRaw(parts[1]), unlist(Map(c, lapply(bytes, as.raw), after)))
}

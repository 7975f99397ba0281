# Reads a text file into columns of strings. Lines are rows, each read by itself (inst/proofs/front-lines.md).

separators <- c(",", ";", "\t", "|")

# Column names from the first line. `length`, the line's bytes, is absent if the line cannot be divided into fields.
text_header <- function(text, separator, file) {
  header <- .Call(ffi_front_header, text, separator, kernel_options())
  if (is.null(header)) header <- list(names = first_line(text))
  where <- encodeString(basename(file), quote = "\"")
  if (!all(validEnc(header$names))) {
    stop_argument("file", "must be in UTF-8, and the first line of ", where, " is not.")
  }
  header$names <- trimws(header$names)
  if (identical(header$names, "")) {
    stop_argument("file", "must have the names of its columns in its first line, and ", where, " has none.")
  }
  header
}

first_line <- function(text) {
  start <- text[seq_len(min(length(text), 1e6))]
  end <- which(start %in% charToRaw("\r\n"))[1]
  line <- rawToChar(if (is.na(end)) start else start[seq_len(end - 1)])
  Encoding(line) <- "UTF-8"
  line
}

stop_no_table <- function(file) {
  stop_argument("file", "must be a table: in ", encodeString(basename(file), quote = "\""), " some lines have more or ",
                "fewer fields than the first one, or a quote that is not closed, or text behind a closing quote. ",
                "Within quotes write a quote twice, and no line that could be a row by itself.")
}

# All bytes of a file, decompressed if necessary, without the byte order mark that spreadsheets write.
file_text <- function(file) {
  where <- encodeString(basename(file), quote = "\"")
  unread <- function(cnd) {
    stop_argument("file", "must be a file that can be read, and ", where, " cannot be read to its end.")
  }
  bytes <- tryCatch(all_bytes(file), error = unread, warning = unread)
  if (starts_with(bytes, as.raw(c(0xff, 0xfe))) || starts_with(bytes, as.raw(c(0xfe, 0xff)))) {
    stop_argument("file", "must be in UTF-8, and ", where, " is in UTF-16. Spreadsheets write UTF-8 as \"CSV UTF-8\".")
  }
  if (has_zero(bytes)) {
    stop_argument("file", "must be text in UTF-8, and ", where, " has zero bytes.")
  }
  mark <- as.raw(c(0xef, 0xbb, 0xbf))
  if (starts_with(bytes, mark)) bytes[-seq_along(mark)] else bytes
}

# Searches in blocks, since grepRaw() does not accept long vectors.
has_zero <- function(bytes, size = 2^24) {
  for (from in seq(0, length(bytes), size)) {
    piece <- if (length(bytes) <= size) bytes else bytes[seq_len(min(size, length(bytes) - from)) + from]
    if (length(grepRaw(as.raw(0), piece, fixed = TRUE))) return(TRUE)
  }
  FALSE
}

all_bytes <- function(file) {
  bytes <- read_to_end(file(file, "rb", raw = TRUE)) # a pipe can be read only once
  open <- compressed_by(bytes)
  if (is.null(open)) bytes else unpacked(bytes, open)
}

# Returns the function that opens files with these first bytes for compressed output, or NULL.
compressed_by <- function(bytes) {
  first <- utils::head(bytes, 10)
  if (starts_with(first, as.raw(c(0x1f, 0x8b)))) return(gzfile)
  if (starts_with(first, charToRaw("BZh")) && starts_with(first[-(1:4)], charToRaw("1AY&SY"))) return(bzfile)
  if (starts_with(first, as.raw(c(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0)))) xzfile
}

# Decompresses a file. For a truncated file, R silently returns the part before the cut. So another compressed part is
# appended, and R reads it only if the file is complete.
unpacked <- function(bytes, open) {
  copy <- tempfile("dptda-")
  on.exit(unlink(copy))
  mark <- charToRaw("the end of the file of rows")
  output <- file(copy, "wb")
  tryCatch(for (from in seq(0, length(bytes) - 1, 2^24)) {
    writeBin(bytes[seq_len(min(2^24, length(bytes) - from)) + from], output)
  }, finally = close(output))
  output <- open(copy, "ab")
  tryCatch(writeBin(mark, output), finally = close(output))
  text <- read_to_end(gzfile(copy, "rb"))
  size <- length(text) - length(mark)
  if (size < 0 || !identical(text[seq_along(mark) + size], mark)) stop("the file is not all there")
  text[seq_len(size)]
}

read_to_end <- function(input) {
  on.exit(close(input))
  parts <- list()
  while (length(part <- readBin(input, "raw", 2^26))) parts[[length(parts) + 1]] <- part
  if (length(parts)) do.call(c, parts) else raw()
}

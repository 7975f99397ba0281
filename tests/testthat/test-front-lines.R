# Each row of a text file is read by itself: quotes, open ones too, decide nothing about other rows.

bytes_file <- function(bytes, envir = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".csv", .local_envir = envir)
  writeBin(if (is.character(bytes)) charToRaw(enc2utf8(bytes)) else bytes, file)
  file
}

# The definition, slowly: the fields of a line, whether a quote is open at its end (then `rest` is what is within).
read_line_slowly <- function(line, separator = ",", open = NULL) {
  letters <- strsplit(line, "")[[1]]
  fields <- character()
  i <- 1
  repeat {
    blanks <- i
    while (is.null(open) && blanks <= length(letters) && letters[blanks] %in% setdiff(c(" ", "\t"), separator)) {
      blanks <- blanks + 1
    }
    if (!is.null(open) || (blanks <= length(letters) && letters[blanks] == "\"")) {
      value <- open
      if (is.null(open)) i <- blanks + 1
      open <- NULL
      repeat {
        if (i > length(letters)) return(list(kind = "open", fields = fields, rest = paste(value, collapse = "")))
        if (letters[i] == "\"" && (i == length(letters) || letters[i + 1] != "\"")) break
        value <- c(value, letters[i])
        i <- i + if (letters[i] == "\"") 2 else 1
      }
      i <- i + 1
      while (i <= length(letters) && letters[i] %in% setdiff(c(" ", "\t"), separator)) i <- i + 1
    } else {
      value <- NULL
      while (i <= length(letters) && letters[i] != separator) {
        value <- c(value, letters[i])
        i <- i + 1
      }
    }
    fields <- c(fields, paste(value, collapse = ""))
    if (i > length(letters)) return(list(kind = "whole", fields = fields))
    if (letters[i] != separator) return(list(kind = "broken"))
    i <- i + 1
  }
}

# Rows of `k` fields, as a matrix, or NULL.
read_rows_slowly <- function(lines, k, separator = ",") {
  begins <- function(line) {
    read <- read_line_slowly(line, separator)
    (read$kind == "whole" && length(read$fields) == k) || (read$kind == "open" && length(read$fields) < k)
  }
  rows <- list()
  i <- 1
  while (i <= length(lines)) {
    if (k > 1 && !nzchar(lines[i])) {
      i <- i + 1
      next
    }
    read <- read_line_slowly(lines[i], separator)
    fields <- read$fields
    while (read$kind == "open") {
      i <- i + 1
      if (i > length(lines) || begins(lines[i])) return(NULL)
      read <- read_line_slowly(lines[i], separator, paste0(read$rest, "\n"))
      fields <- c(fields, read$fields)
    }
    if (read$kind == "broken" || length(fields) != k) return(NULL)
    rows[[length(rows) + 1]] <- fields
    i <- i + 1
  }
  matrix(as.character(unlist(rows)), ncol = k, byrow = TRUE)
}

read_rows <- function(text, k, separator = ",") {
  read <- .Call(ffi_front_rows, charToRaw(text), separator, 0, k, seq_len(k), FALSE, kernel_options())
  if (!is.null(read)) matrix(as.character(unlist(read)), ncol = k)
}

test_that("a quote in the middle of a field is a character", {
  # two of them in one column, and all rows between them stood in one field
  size <- c(rep("40 cm", 300), "17\" wide", rep("60 cm", 500), "19\" wide", rep("20 cm", 198))
  file <- rows_file(c("id;size;weight", paste(1:1000, size, 1:1000 / 8, sep = ";")))
  read <- table_file(file, c(id = "number", size = "text", weight = "number"))
  expect_identical(read, data.frame(id = 1:1000 + 0, size = size, weight = 1:1000 / 8))
  # in each row
  file <- rows_file(c("name,n", paste0("Ann \"the ", 1:50, "\" Lee,", 1:50)))
  expect_identical(table_file(file, c(n = "number", name = "text")),
                   data.frame(n = 1:50 + 0, name = paste0("Ann \"the ", 1:50, "\" Lee")))
})

test_that("a quote that is left open swallows no row", {
  lines <- paste0(1:60, ",", rep(c("x", "y"), 30), ",", 60:1)
  wrong <- list(c("2,\"o,3", "50,p\",3"), c("2,\"o,3", "50,\"p,3"), c("\"2,o,3", "5\",p,3"), c("2,o,\"3", "50,p,3\""),
                c("2,\"o,3", "50,\",3"), c("2,\"\"\"o,3", "50,p\"\"\",3"))
  for (pair in wrong) for (at in list(c(2, 50), c(2, 3))) {
    file <- rows_file(c("id,name,left", replace(lines, at, pair)))
    expect_error(table_file(file, c(id = "text", left = "text")), "a quote that is not closed",
                 class = "dptda_error_argument", info = pair)
  }
  # what a row of its own makes of this does not matter to the others
  expect_error(table_file(rows_file(c("a,b", "1,\"x", "2,y\"")), c(a = "text")), class = "dptda_error_argument")
  expect_error(table_file(rows_file(c("a,b", "1,\"x\" y", "2,z")), c(a = "text")), class = "dptda_error_argument")
})

test_that("quoted text may have line breaks that are no rows", {
  text <- c("plain", "two\nlines", "a \"b\"\n\nc; d", "\"", "", "x,y", " s ")
  frame <- data.frame(id = as.character(seq_along(text)), said = text, left = "z")
  file <- withr::local_tempfile(fileext = ".csv")
  for (end in c("\n", "\r\n")) {
    utils::write.table(frame, file, sep = ",", qmethod = "double", row.names = FALSE, eol = end)
    expect_identical(table_file(file, c(id = "text", said = "text", left = "text"), missing = character()), frame)
  }
  # of a line that could be a row nobody knows which it is
  for (said in c("one\n2,two", "one\n2,two,3\nfour", "one\n")) {
    utils::write.table(rbind(frame, c("8", said, "z")), file, sep = ",", qmethod = "double", quote = 2,
                       row.names = FALSE)
    expect_error(table_file(file, c(id = "text")), "could be a row by itself", class = "dptda_error_argument")
  }
})

test_that("blanks about quotes are no part of a field", {
  file <- rows_file(c("\"a\", \"b\"  ,c", "1,  \"x, \"\"y\"\"\" , \" z \"", "2, y , z"))
  expect_identical(table_file(file, c(a = "number", b = "text", c = "text")),
                   data.frame(a = c(1, 2), b = c("x, \"y\"", " y "), c = c(" z ", " z")))
  tabs <- rows_file(c("a\tb", "\t\"x\"", "\"1\"\t"))
  expect_identical(table_file(tabs, c(a = "text", b = "text"), missing = character()),
                   data.frame(a = c("", "1"), b = c("x", "")))
})

test_that("rows are those of the definition, for all short texts", {
  alphabet <- c("x", ",", "\"", "\n", " ")
  different <- character()
  for (size in 1:long_or(7, 5)) {
    texts <- do.call(paste0, expand.grid(rep(list(alphabet), size)))
    texts <- texts[grepl("\"", texts, fixed = TRUE)]
    for (k in 1:2) for (text in texts[seq(1, length(texts), length.out = min(length(texts), long_or(5000, 700)))]) {
      lines <- strsplit(text, "\n", fixed = TRUE)[[1]] # an empty one at the end is none
      if (!identical(read_rows(text, k), read_rows_slowly(lines, k))) different <- c(different, text)
    }
  }
  expect_identical(different, character())
})

test_that("whatever two rows are replaced by, the others are read as before or nothing is", {
  withr::local_seed(4)
  k <- 2
  alphabet <- c("x", "yy", ",", "\"", "\"", "\"\"", "\n", "\r\n", "\r", " ")
  text_of <- function(size) paste(sample(alphabet, size, TRUE), collapse = "")
  # what writers make, and any text: those that are one row by themselves
  random <- replicate(long_or(20000, 5000), text_of(sample(3:12, 1)))
  quoted <- replicate(500, paste0("\"", gsub("\"+", "\"\"", replicate(k, text_of(5))), "\"", collapse = ","))
  odd <- c("1,\",x\ny,\"", "\",\n,\",2", "5,\"\n\"") # openings and closings look alike
  texts <- paste0(c(random, quoted, odd), "\n")
  read <- lapply(texts, read_rows, k = k)
  rows <- which(vapply(read, function(one) is.matrix(one) && nrow(one) == 1, NA))
  expect_gt(sum(grepl("\n.*\n$", texts[rows])), 100)
  accepted <- moved <- 0
  for (i in 1:long_or(50000, 5000)) {
    chosen <- rows[sample(length(rows), 6, TRUE)]
    before <- do.call(rbind, read[chosen])
    pieces <- texts[chosen]
    if (!identical(read_rows(paste(pieces, collapse = ""), k), before)) moved <- moved + 1
    # two rows of one person are replaced by any text, of as many lines as it wants
    at <- list(c(1, 3), c(2, 4), c(2, 6))[[sample(3, 1)]]
    pieces[at] <- if (i %% 3) texts[c(sample(rows, 1), sample(length(texts), 1))] else c("1,\"x\n", "y\",3\n")
    now <- read_rows(paste(pieces, collapse = ""), k)
    if (is.null(now)) next
    accepted <- accepted + 1
    own <- lapply(pieces[at], read_rows, k = k)
    expected <- replace(read[chosen], at, own)
    # a text that is no table by itself is read with none of the others
    if (!identical(now, do.call(rbind, expected))) moved <- moved + 1
  }
  expect_gt(accepted, long_or(500, 50))
  expect_identical(moved, 0)
})

test_that("line ends, marks and bytes that are no text", {
  expect_identical(table_file(bytes_file("a,b\r1,2\r3,4"), c(b = "number"))$b, c(2, 4))
  expect_identical(table_file(bytes_file("a,b\r\n1,2\r\n\r\n3,4\r\n"), c(b = "number"))$b, c(2, 4))
  expect_identical(table_file(bytes_file("a\r\n#1\r\n'2\r\n\r\n\\n"), c(a = "text"))$a, c("#1", "'2", NA, "\\n"))
  expect_identical(table_file(bytes_file("\ufeffa,b\n\ufeff1,2"), c(a = "text"))$a, "\ufeff1")
  zero <- as.raw(c(charToRaw("a,b\n1"), 0, charToRaw("2,x\n")))
  expect_error(table_file(bytes_file(zero), c(b = "text")), "zero bytes", class = "dptda_error_argument")
  wide <- as.raw(rbind(as.integer(charToRaw("a,b\n1,2\n")), 0)) # UTF-16 without its mark
  expect_error(table_file(bytes_file(wide), c(b = "text")), "zero bytes", class = "dptda_error_argument")
  expect_error(table_file(bytes_file(raw()), c(b = "text")), "has none", class = "dptda_error_argument")
  latin <- c(charToRaw("a,b\n1,2\n"), as.raw(0xe9), charToRaw(",3\n"))
  expect_error(table_file(bytes_file(latin), c(a = "text")), "not text", class = "dptda_error_values")
  expect_identical(table_file(bytes_file(latin), c(b = "number"))$b, c(2, 3))
})

test_that("a compressed file that is cut off or damaged is an error", {
  withr::local_seed(6)
  lines <- c("n", sample(1e6, 30000))
  for (open in list(gzfile, bzfile, xzfile)) {
    packed <- withr::local_tempfile(fileext = ".csv.gz")
    writeLines(lines, output <- open(packed, "wb"))
    close(output)
    bytes <- readBin(packed, "raw", 1e7)
    read <- function(bytes) table_file(bytes_file(bytes), c(n = "number"))$n
    expect_identical(read(bytes), as.double(lines[-1]))
    # as of several files in one
    twice <- table_file(bytes_file(c(bytes, bytes)), c(n = "text"))$n
    expect_identical(twice, c(lines[-1], lines))
    for (size in floor(length(bytes) * c(.1, .5, .99, 1 - c(9, 8, 4, 1) / length(bytes)))) {
      expect_error(read(bytes[seq_len(size)]), "can be read", class = "dptda_error_argument")
    }
    damaged <- replace(bytes, floor(length(bytes) / 2) + 1:4, as.raw(0))
    utils::capture.output(expect_error(read(damaged), "can be read", class = "dptda_error_argument"))
  }
})

test_that("a pipe is read, and a file that only begins as a compressed one", {
  expect_identical(table_file(bytes_file("BZh,b\n1,2\n"), c(b = "number"))$b, 2)
  skip_on_os("windows")
  file <- withr::local_tempfile()
  system2("mkfifo", shQuote(file))
  rows <- paste0(1:5000, ",", 5000:1)
  text <- bytes_file(paste(c("a,b", rows, ""), collapse = "\n"))
  system2("sh", c("-c", shQuote(paste("cat", shQuote(text), ">", shQuote(file)))), wait = FALSE)
  expect_identical(table_file(file, c(a = "number"))$a, 1:5000 + 0)
})

test_that("zero bytes are found wherever they stand", {
  for (size in 1:9) {
    bytes <- as.raw(seq_len(size))
    for (at in seq_len(size)) expect_true(has_zero(replace(bytes, at, as.raw(0)), 4))
    expect_false(has_zero(bytes, 4))
  }
  expect_false(has_zero(raw()))
})

test_that("many columns are named in no time", {
  names <- paste0("column_", 1:50000)
  file <- rows_file(c(paste(names, collapse = ","), rep(paste(seq_along(names), collapse = ","), 3)))
  expect_identical(table_file(file, c(column_50000 = "number", column_1 = "number")),
                   data.frame(column_50000 = rep(50000, 3), column_1 = 1))
})

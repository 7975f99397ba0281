# Small public settings and data that many tests share.
small_box <- function() domain_box(c(-2, -2), c(2, 2))
small_grid <- function(by = .25) domain_grid(small_box(), by = by)
circle_points <- function(n = 400) {
  angle <- 2 * pi * seq_len(n) / n
  cbind(cos(angle), sin(angle))
}
small_release <- function(..., epsilon = 2, m0 = .1) {
  private_diagram(circle_points(), small_grid(), epsilon = epsilon, m0 = m0, ...)
}

# Returns the text of a picture, as written to a PDF.
drawn_text <- function(code, width = 7, height = 7) {
  file <- tempfile(fileext = ".pdf")
  on.exit(unlink(file))
  grDevices::pdf(file, compress = FALSE, useKerning = FALSE, width = width, height = height)
  tryCatch(force(code), finally = grDevices::dev.off())
  words <- grep("Tj", lines_of_pdf(file), value = TRUE)
  gsub("\\\\([()])", "\\1", sub("^.*?\\((.*)\\) Tj.*$", "\\1", words))
}

# Reads a PDF, which has bytes that are not valid UTF-8.
lines_of_pdf <- function(file) iconv(readLines(file, warn = FALSE), "ISO-8859-1", "UTF-8")

# Finds files that are not installed in the checkout from which the package was built, if there is one.
checkout_file <- function(...) {
  file <- file.path(Sys.getenv("DPTDA_CHECKOUT", test_path("..", "..")), ...)
  if (file.exists(file)) file
}

# Returns the printed text as one line, for any width.
print_in_one_line <- function(x) gsub("\\s+", " ", paste(utils::capture.output(print(x)), collapse = " "))

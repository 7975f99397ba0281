# Where the payments of a budget are kept. A budget is a handle, a list that may
# be copied freely, since nothing in it says what has been spent:
#
#   in memory  list(held): a pointer to a place that belongs to this session and
#              that R code cannot reach (ffi-privacy-ledger.c). It pays in
#              the process that made it and nowhere else.
#   in a file  list(file, id, terms): where the ledger is and which it must be.
#              Whoever can write there pays: the truth is in the file.
#
# Both pay by comparing and exchanging: the price is worked out from the account
# as it was read, and the payment is made only if that still is the account,
# with no R code between. Else it is worked out anew. Callbacks, finalizers and
# event loops that spend while a payment is under way therefore count.
#
# Handles are read by hand, never by `$`: a subclass could answer in their place.
# What goes into an account and what readers get of it are copies: some packages
# change the attributes of an object in place (data.table::setattr()).

# An account is a list of the terms (measure, total, unit_rows, relation,
# composition, order) and of `steps`, as in a guarantee.
new_account <- function(terms) c(terms, list(steps = list()))

new_held_budget <- function(terms) {
  # one thread and no option of the user: there is nothing to compute
  held <- .Call(ffi_privacy_hold, detach_copy(new_account(terms)), list("os", 1L, NULL))
  structure(list(held = held), class = "dptda_budget")
}

new_file_budget <- function(ledger) {
  structure(list(file = ledger$file, id = ledger$id, terms = ledger$terms), class = "dptda_budget")
}

# Whether it is one still: not taken apart, and not of an old version.
is_handle <- function(budget) {
  handle <- if (typeof(budget) == "list") unclass(budget)
  if (is.null(handle[["file"]])) return(nzchar(.Call(ffi_privacy_owner, handle[["held"]])))
  is_one_string(handle[["file"]]) && is_one_string(handle[["id"]])
}

define_class("dptda_budget", "privacy_budget()", .whole = is_handle)

# The fields of a handle, as a plain list.
budget_handle <- function(budget, arg) unclass(check_class(budget, "dptda_budget", "privacy_budget()", arg))

budget_account <- function(budget, arg = "budget") {
  handle <- budget_handle(budget, arg)
  if (is.null(handle[["file"]])) .Call(ffi_privacy_held, handle$held) else read_own_ledger(handle, arg)$account
}

# The same for those who only read.
read_account <- function(budget, arg) detach_copy(budget_account(budget, arg))

detach_copy <- function(x) unserialize(serialize(x, NULL))

# Adds the steps that `price`, a function of the account, gives; it raises an
# error where the account does not reach.
pay_steps <- function(budget, price, arg) {
  handle <- budget_handle(budget, arg)
  pay <- if (is.null(handle[["file"]])) pay_in_memory else pay_in_file
  while (!pay(handle, price, arg)) NULL
  invisible(budget)
}

# Memory -----------------------------------------------------------------------

pay_in_memory <- function(handle, price, arg) {
  refuse_copies(handle, arg)
  seen <- .Call(ffi_privacy_held, handle$held)
  paid <- seen
  paid$steps <- c(seen$steps, detach_copy(price(seen)))
  .Call(ffi_privacy_exchange, handle$held, seen, paid)
}

# What a copy spent would be in no ledger but its own, and each of them could
# spend the whole.
refuse_copies <- function(handle, arg) {
  if (!is.null(handle[["file"]])) return(invisible())
  switch(.Call(ffi_privacy_owner, handle$held),
    forked = stop_dptda("budget", "`", arg, "` cannot pay in a forked worker, which has only a copy of it; spend in ",
                        "the main process, or keep the budget in a file, which workers share: privacy_budget(file = )."),
    copied = stop_dptda("budget", "`", arg, "` cannot pay: it is a copy that was saved, sent to a worker or restored, ",
                        "and belongs to the session that made it; pay there, or keep the budget in a file, which ",
                        "sessions and workers share: privacy_budget(file = ).")
  )
  invisible()
}

# File --------------------------------------------------------------------------
#
# Lines of text, appended and never changed:
#
#   the title
#   terms | id | epsilon=1;unit_rows=1 | replace | auto | path | checksum
#   1 | time | process | private_count(epsilon=0.1)[pure=0.1] | checksum
#
# A step is name(measure)[parts], steps of one payment are joined by " + ".
# Numbers are written such that they are read back bit by bit; names are ASCII,
# with %XX for all but letters, digits and a few signs. Nothing is ever
# evaluated. A checksum is that of the checksum before it and of its line, so
# that a line that was changed, lost or moved shows.
#
# Why text and `filelock`, not SQLite: people can read the text anywhere, one
# line a payment is all that is stored, and filelock needs nothing but R; RSQLite
# brings ten packages, and its files need it to be read. What SQLite would have
# given is crash safety:
#
# A payment is one write of one line under the lock, synced before anything is
# drawn. If the process dies before the write, nothing was paid or drawn. If it
# dies within, the last line is torn: it does not end in a newline and its
# checksum fails. It does not count, and nothing was drawn for it, since drawing
# waits for the write to return. The next payment ends it by the mark "[torn]".
# If it dies after the write, the line is whole and counts, drawn or not. A line
# that lacks nothing but its newline counts (an editor may have taken it). Any
# other line that does not fit was damaged, and the whole ledger is refused.
#
# The lock is a file beside the ledger (locks of one file would be lost with any
# of its readers, as POSIX has it). Should locks not work, as on some network
# drives, or the lock file be removed meanwhile: a payment counts only if the
# file had the size that was read, and only once it was read back right
# after what it was worked out from. Of two that race, the second is refused, and
# so is, from then on, the ledger.

ledger_title <- "Ledger of a privacy budget. Written by the R package dptda; whoever changes a line loses the budget."
torn_mark <- " [torn]"

pay_in_file <- function(handle, price, arg) {
  with_ledger_lock(handle$file, arg, {
    ledger <- read_own_ledger(handle, arg)
    steps <- price(ledger$account)
    append_line(ledger, payment_text(ledger, steps), arg)
  })
}

# What the session has read of each ledger, by its id: lines are checked once, and
# none of them may go away.
ledgers_read <- new.env(parent = emptyenv())

# The ledger of a handle, which must be the one that it was made for.
read_own_ledger <- function(handle, arg) {
  ledger <- read_ledger(handle$file, arg)
  if (ledger$id != handle$id || !identical(ledger$terms, handle$terms)) {
    stop_ledger(arg, handle$file, "is the ledger of another budget than `", arg, "`")
  }
  ledger
}

# A list of `file`, `id`, `terms`, `made_at` (where the file was made), `account`, `count` (payments), `sum` (the last
# checksum), `bytes` (all of them), `lines` (how many of these are whole lines),
# `join` (what has to come before the next line).
read_ledger <- function(file, arg) {
  bytes <- read_bytes(file, arg)
  whole <- max(0, which(bytes == as.raw(10)))
  ledger <- ledgers_read[[ledger_id(bytes)]]
  if (!is.null(ledger) && !starts_with(bytes, ledger$bytes[seq_len(ledger$lines)])) {
    stop_ledger(arg, file, "has lost payments that this session has seen")
  }
  if (is.null(ledger)) ledger <- list(lines = 0, count = -1, sum = "")
  ledger[c("file", "bytes")] <- list(file, bytes)
  # of each line its own bytes, without what ends it
  lines <- strsplit(plain_text(bytes_between(bytes, ledger$lines, whole)), "\n", fixed = TRUE)[[1]]
  if (ledger$lines == 0 && !identical(lines[1], ledger_title)) stop_no_ledger(arg, file)
  for (line in if (ledger$lines == 0) lines[-1] else lines) {
    if (endsWith(line, torn_mark)) next
    ledger <- read_line(ledger, line)
    if (is.null(ledger)) stop_ledger(arg, file, "was damaged or changed by hand: a line does not fit its checksum")
  }
  ledger$lines <- whole
  if (ledger$count >= 0) assign(ledger$id, ledger, envir = ledgers_read)
  ledger <- read_tail(ledger, plain_text(bytes_between(bytes, whole, length(bytes))))
  if (ledger$count < 0) stop_no_ledger(arg, file)
  refuse_copied_file(ledger, arg)
  ledger
}

# A file may be moved, but not be in two places.
refuse_copied_file <- function(ledger, arg) {
  if (ledger$made_at == ledger$file || !file.exists(ledger$made_at) || dir.exists(ledger$made_at)) return(invisible())
  if (ledger_id(read_bytes(ledger$made_at, arg)) != ledger$id) return(invisible())
  stop_ledger(arg, ledger$file, "is a copy of ", encodeString(ledger$made_at, quote = "\""), "; go on with that one")
}

# The last line, if it does not end: torn, or whole but for that.
read_tail <- function(ledger, tail) {
  ledger$join <- ""
  if (!nzchar(tail)) return(ledger)
  counted <- read_line(ledger, tail)
  ledger <- if (is.null(counted)) ledger else counted
  ledger$join <- paste0(if (is.null(counted)) torn_mark, "\n")
  ledger
}

# The ledger with one line more, or NULL if that is none.
read_line <- function(ledger, line) {
  cut <- regexpr(" \\| [0-9a-f]{16}$", line)
  if (cut < 0) return(NULL)
  text <- substr(line, 1, cut - 1)
  sum <- substr(line, cut + 3, nchar(line))
  if (sum != .Call(ffi_privacy_checksum, c(ledger$sum, text))) return(NULL)
  fields <- strsplit(text, " | ", fixed = TRUE)[[1]]
  ledger <- if (ledger$count < 0) read_terms(ledger, fields) else read_payment(ledger, fields)
  if (is.null(ledger)) return(NULL)
  ledger$sum <- sum
  ledger$count <- ledger$count + 1
  ledger
}

read_terms <- function(ledger, fields) {
  if (length(fields) != 6 || fields[1] != "terms" || !fields[4] %in% names(relations) ||
        !fields[5] %in% compositions) {
    return(NULL)
  }
  numbers <- read_fields(fields[3])
  if (!all_amounts(numbers)) return(NULL)
  measure <- intersect(names(numbers), c("epsilon", "rho"))
  if (length(measure) != 1 || !"unit_rows" %in% names(numbers)) return(NULL)
  ledger$id <- fields[2]
  ledger$made_at <- read_name(fields[6])
  ledger$terms <- list(
    measure = measure,
    total = if (is.null(numbers$delta)) numbers[[measure]] else c(unlist(numbers[measure]), delta = numbers$delta),
    unit_rows = numbers$unit_rows, relation = relations[[fields[4]]], composition = fields[5], order = numbers$order
  )
  ledger$account <- new_account(ledger$terms)
  ledger
}

terms_text <- function(id, terms, file) {
  numbers <- c(stats::setNames(list(terms$total[[1]]), terms$measure),
               if (length(terms$total) == 2) list(delta = terms$total[["delta"]]),
               list(unit_rows = terms$unit_rows, order = terms$order))
  paste("terms", id, write_fields(numbers), names(relations)[match(terms$relation, relations)], terms$composition,
        write_name(file), sep = " | ")
}

read_payment <- function(ledger, fields) {
  if (length(fields) != 4 || !identical(fields[1], format_whole(ledger$count + 1))) return(NULL)
  steps <- lapply(strsplit(fields[4], " + ", fixed = TRUE)[[1]], read_step)
  if (!length(steps) || any(vapply(steps, is.null, NA))) return(NULL)
  ledger$account$steps <- c(ledger$account$steps, steps)
  ledger
}

payment_text <- function(ledger, steps) {
  time <- paste(format(Sys.time(), "%Y-%m-%d %H:%M:%S", tz = "UTC"), "UTC")
  paste(format_whole(ledger$count + 1), time, paste("process", Sys.getpid()),
        paste(vapply(steps, write_step, ""), collapse = " + "), sep = " | ")
}

format_whole <- function(x) format(x, scientific = FALSE, trim = TRUE)

# FALSE if the file has another size than the ledger that was read.
append_line <- function(ledger, text, arg, made_in = NULL) {
  sum <- .Call(ffi_privacy_checksum, c(ledger$sum, text))
  new <- charToRaw(paste0(ledger$join, text, " | ", sum, "\n"))
  outcome <- .Call(ffi_privacy_append, ledger$file, new, length(ledger$bytes), made_in)
  if (outcome == "moved") return(FALSE)
  if (nzchar(outcome)) stop_ledger(arg, ledger$file, "cannot be written to: ", outcome)
  if (!starts_with(read_bytes(ledger$file, arg), c(ledger$bytes, new))) {
    stop_ledger(arg, ledger$file, "was written to by two processes at once: locks do not work there")
  }
  TRUE
}

# A step as text ------------------------------------------------------------------

write_step <- function(step) {
  parts <- step$parts
  curve <- parts$renyi
  parts <- c(parts[setdiff(names(parts), "renyi")], list(alpha = curve$alpha, renyi = curve$epsilon))
  some <- vapply(parts, function(values) length(values) > 0 && !identical(values, 0), NA)
  paste0(write_name(step$step), "(", write_fields(as.list(step$measure)), ")[", write_fields(parts[some]), "]")
}

read_step <- function(text) {
  piece <- regmatches(text, regexec("^([^][()]*)\\(([^][()]*)\\)\\[([^][()]*)\\]$", text))[[1]]
  if (length(piece) != 4) return(NULL)
  measure <- read_fields(piece[3])
  parts <- read_fields(piece[4])
  if (!all_amounts(measure) || !all_amounts(parts)) return(NULL)
  known <- c("epsilon", "delta", "rho", "mu", "renyi")
  if (!length(measure) || !all(names(measure) %in% known & lengths(measure) == 1)) return(NULL)
  if (!all(names(parts) %in% c(names(new_parts()), "alpha")) || length(parts$alpha) != length(parts$renyi)) return(NULL)
  curve <- if (!is.null(parts$renyi)) list(alpha = parts$alpha, epsilon = parts$renyi)
  parts[c("alpha", "renyi")] <- NULL
  list(step = read_name(piece[2]), measure = unlist(measure), parts = do.call(new_parts, c(parts, list(renyi = curve))))
}

# Named lists of numbers, as key=1,2;other=3.
write_fields <- function(fields) {
  fields <- fields[lengths(fields) > 0]
  paste(names(fields), vapply(fields, function(values) paste(write_numbers(values), collapse = ","), ""), sep = "=",
        collapse = ";", recycle0 = TRUE)
}

read_fields <- function(text) {
  pairs <- strsplit(strsplit(text, ";", fixed = TRUE)[[1]], "=", fixed = TRUE)
  values <- lapply(pairs, function(pair) as.numeric(strsplit(pair[2], ",", fixed = TRUE)[[1]]))
  stats::setNames(values, vapply(pairs, `[`, "", 1))
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
  name <- utils::URLdecode(text)
  Encoding(name) <- "UTF-8"
  name
}

# Files ----------------------------------------------------------------------------

# Makes the ledger, or opens one that is there. `terms`: NULL for any.
open_ledger <- function(file, terms, arg) {
  file <- ledger_path(file, arg)
  with_ledger_lock(file, arg, {
    if (!file.exists(file)) make_ledger(file, terms, arg)
    ledger <- read_ledger(file, arg)
    if (!is.null(terms)) check_terms(ledger, terms, arg)
    ledger
  })
}

make_ledger <- function(file, terms, arg) {
  if (is.null(terms)) {
    stop_ledger(arg, file, "does not exist; to make it, give `epsilon` or `rho`")
  }
  empty <- list(file = file, bytes = raw(), sum = "", join = paste0(ledger_title, "\n"))
  # 128 bits: no budget that was or will be has them
  id <- paste(sprintf("%04x", floor(65536 * .Call(ffi_base_draw_units, 8, list("os", 1L, NULL)))), collapse = "")
  if (!append_line(empty, terms_text(id, terms, file), arg, made_in = dirname(file))) {
    stop_ledger(arg, file, "cannot be made")
  }
}

check_terms <- function(ledger, terms, arg) {
  compared <- c("measure", "total", "unit_rows", "relation", "composition") # the order follows from them
  unlike <- compared[!mapply(identical, ledger$terms[compared], terms[compared])]
  if (!length(unlike)) return(invisible())
  stop_ledger(arg, ledger$file, "is kept under other terms than these (", paste(unlike, collapse = ", "),
              "); privacy_budget(file = ) alone opens it as it is")
}

# One path for all who use the ledger, wherever they stand.
ledger_path <- function(file, arg) {
  if (!is_one_string(file) || !nzchar(file)) {
    stop_argument(arg, "must be NULL or the path of a file, not ", describe(file), ".")
  }
  if (dir.exists(file)) stop_ledger(arg, file, "is a folder")
  if (!dir.exists(dirname(file))) stop_ledger(arg, file, "would be in a folder that does not exist")
  if (file.exists(file)) return(normalizePath(file, "/"))
  file.path(normalizePath(dirname(file), "/"), basename(file))
}

# An error is raised after the lock is given back: a handler may want to pay.
with_ledger_lock <- function(file, arg, code) {
  outcome <- locked(file, arg, tryCatch(code, dptda_error = identity))
  if (inherits(outcome, "dptda_error")) stop(outcome)
  outcome
}

locked <- function(file, arg, code) {
  if (!requireNamespace("filelock", quietly = TRUE)) {
    stop_dptda("package", "A budget in a file needs the package filelock: install.packages(\"filelock\").")
  }
  lock <- tryCatch(filelock::lock(paste0(file, ".lock"), timeout = 60000), error = function(condition) {
    stop_ledger(arg, file, "cannot be locked: ", conditionMessage(condition))
  })
  if (is.null(lock)) stop_ledger(arg, file, "has been locked by another process for a minute")
  on.exit(filelock::unlock(lock))
  code
}

read_bytes <- function(file, arg) {
  size <- file.size(file)
  if (is.na(size)) stop_ledger(arg, file, "does not exist, or may not be read")
  # what is no file has no size, and may wait forever when it is opened
  if (size == 0) return(raw())
  tryCatch(suppressWarnings(readBin(file, "raw", size)), error = function(condition) {
    stop_ledger(arg, file, "cannot be read: ", conditionMessage(condition))
  })
}

# Those after the first `from`, up to `to`.
bytes_between <- function(bytes, from, to) bytes[from + seq_len(to - from)]

starts_with <- function(bytes, first) length(bytes) >= length(first) && identical(bytes[seq_along(first)], first)

# Anything that no ledger contains becomes a question mark, and fits no checksum.
plain_text <- function(bytes) {
  number <- as.integer(bytes)
  bytes[number != 10 & (number < 32 | number > 126)] <- charToRaw("?")
  rawToChar(bytes)
}

# Of the bytes of any file; "none" where there is none.
ledger_id <- function(bytes) {
  terms <- strsplit(plain_text(utils::head(bytes, 1000)), "\n", fixed = TRUE)[[1]][2]
  id <- strsplit(terms, " | ", fixed = TRUE)[[1]][2]
  if (is.na(id)) "none" else id
}

stop_ledger <- function(arg, file, ...) {
  stop_dptda("ledger", "the file of `", arg, "`, ", encodeString(file, quote = "\""), ", ", ..., ".")
}

stop_no_ledger <- function(arg, file) {
  stop_ledger(arg, file, "is not the ledger of a budget; if it was cut off while privacy_budget() made it, nothing ",
              "was paid from it, and it can be removed")
}

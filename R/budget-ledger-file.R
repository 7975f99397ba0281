# Files of ledgers: path, lock, and bytes. The content of the bytes is described in budget-ledger.R.

# Returns one absolute path for all users of a ledger, regardless of their working directories.
ledger_path <- function(file, arg) {
  if (!is_one_string(file) || is.object(file) || !nzchar(file)) {
    stop_argument(arg, "must be NULL or the path of a file, not ", describe(file), ".")
  }
  native <- native_path(file, arg)
  unusual <- function(condition) {
    if (inherits(condition, "dptda_error")) stop(condition)
    stop_argument(arg, "must be a path that this system can use: ", substr(conditionMessage(condition), 1, 200))
  }
  tryCatch(find_path(native, arg), error = unusual, warning = unusual)
}

# Returns the path in the bytes that the system uses. Refuses characters that the locale cannot represent. Also refuses
# paths with different bytes in UTF-8: the lock is opened in UTF-8 and would be another file.
native_path <- function(file, arg) {
  native <- if (Encoding(file) != "bytes" && validEnc(file)) enc2native(file)
  good <- !is.null(native) && identical(enc2utf8(native), enc2utf8(file)) &&
    (.Platform$OS.type == "windows" || identical(charToRaw(enc2utf8(native)), charToRaw(native)))
  if (!good) {
    stop_argument(arg, "must be a path of ASCII characters, or of UTF-8 characters in a UTF-8 locale.")
  }
  native
}

find_path <- function(file, arg) {
  if (nchar(file, "bytes") > 4000) stop_argument(arg, "must be a path of at most 4000 bytes.")
  if (dir.exists(file)) stop_ledger(arg, file, "is a folder")
  if (!dir.exists(dirname(file))) stop_ledger(arg, file, "would be in a folder that does not exist")
  if (file.exists(file)) return(normalizePath(file, "/"))
  file.path(normalizePath(dirname(file), "/"), basename(file))
}

# Runs code under the lock. Errors are raised after the lock is released, because a handler may spend.
with_ledger_lock <- function(file, arg, code) {
  outcome <- locked(file, arg, tryCatch(code, dptda_error = identity))
  if (inherits(outcome, "dptda_error")) stop(outcome)
  outcome
}

locked <- function(file, arg, code) {
  if (!requireNamespace("filelock", quietly = TRUE)) {
    stop_dptda("package", "A budget in a file needs the package filelock: install.packages(\"filelock\").")
  }
  native_path(file, arg)
  wait <- ledger_wait()
  lock <- tryCatch(filelock::lock(paste0(file, ".lock"), timeout = 1000 * wait), error = function(condition) {
    stop_ledger(arg, file, "cannot be locked: ", conditionMessage(condition))
  })
  if (is.null(lock)) {
    stop_ledger(arg, file, "is locked by another process", if (wait > 0) c(", after ", count_of(wait, "second")))
  }
  on.exit(filelock::unlock(lock))
  code
}

# Returns the number of seconds that a charge waits for a charge of another process.
ledger_wait <- function() {
  seconds <- getOption("dptda.ledger_wait", 60)
  if (!is_one_number(seconds) || seconds < 0 || seconds > 86400) {
    stop_dptda("argument", "The option `dptda.ledger_wait` must be one number of seconds from 0 to 86400, not ",
               describe(seconds), ".")
  }
  round(seconds)
}

# Returns the bytes after the first `from`, up to `to`.
bytes_between <- function(bytes, from, to) bytes[from + seq_len(to - from)]

starts_with <- function(bytes, first) length(bytes) >= length(first) && identical(bytes[seq_along(first)], first)

# Replaces bytes that no ledger contains by question marks, so that their lines fail the checksum.
plain_text <- function(bytes) {
  number <- as.integer(bytes)
  bytes[number != 10 & (number < 32 | number > 126)] <- charToRaw("?")
  rawToChar(bytes)
}

# Finds the id of a ledger in the bytes of any file. Returns "none" if the bytes do not contain an id.
ledger_id <- function(bytes) {
  terms <- strsplit(plain_text(bytes[seq_len(min(1000, length(bytes)))]), "\n", fixed = TRUE)[[1]][2]
  id <- strsplit(terms, " | ", fixed = TRUE)[[1]][2]
  if (is.na(id)) "none" else id
}

# `arg`: "file" or "ledger" if it is the path itself, otherwise the name of a budget with this file.
stop_ledger <- function(arg, file, ...) {
  stop_dptda("ledger", if (!arg %in% c("file", "ledger")) "the file of ", "`", arg, "`, ",
             encodeString(file, quote = "\""), ", ", ..., ".")
}

stop_no_ledger <- function(arg, file) {
  stop_ledger(arg, file, "is not the ledger of a budget. If privacy_budget() was interrupted while creating it, ",
              "nothing was spent, and you can delete the file")
}

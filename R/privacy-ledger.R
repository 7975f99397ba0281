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
# For the same reason nothing that reads or pays calls a function for which the
# user can write a method (a test sees to it): sort.int(), not sort(); sprintf(),
# not format(); match(), not unique().
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
  paid <- .Call(ffi_privacy_pay, handle$held, length(seen$steps), price(seen))
  if (is.na(paid)) refuse_amounts(arg)
  paid
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
#   moved | path | checksum
#
# A step is name(measure)[parts], steps of one payment are joined by " + ".
# Numbers are written such that they are read back bit by bit; names are ASCII,
# with %XX for all but letters, digits and a few signs. Paths are bytes, of which
# each has its %XX, so that no locale can read them otherwise. Nothing is ever
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
  read_own_ledger(handle, arg) # nobody waits while the many lines before the last ones are read
  with_ledger_lock(handle$file, arg, {
    ledger <- settle_ledger(read_own_ledger(handle, arg), arg)
    steps <- price(ledger$account)
    after <- append_line(ledger, payment_text(ledger, steps), arg)
    if (!is.null(after)) check_written(ledger, after, steps, arg)
    !is.null(after)
  })
}

# What was paid is what will be read.
check_written <- function(before, after, steps, arg) {
  amounts <- function(step) step[c("measure", "parts")]
  written <- after$account$steps[length(before$account$steps) + seq_along(steps)]
  if (identical(lapply(written, amounts), lapply(steps, amounts))) return(invisible())
  stop_ledger(arg, before$file, "does not keep this payment as it was made")
}

# What the session has read of each ledger, by its id: lines are checked once, and
# none of them may go away.
ledgers_read <- new.env(parent = emptyenv())

# The ids of the ledgers, by the place where the session has seen them.
places_seen <- new.env(parent = emptyenv())

# The ledger of a handle, which must be the one that it was made for.
read_own_ledger <- function(handle, arg) {
  ledger <- read_ledger(handle$file, arg)
  if (ledger$id != handle$id || !identical(ledger$terms, handle$terms)) {
    stop_ledger(arg, handle$file, "is the ledger of another budget than `", arg, "`")
  }
  ledger
}

# A list of `file`, `id`, `terms`, `home` (where the ledger is kept, as written by write_path()), `account`, `count`
# (payments), `sum` (the last checksum), `seen` (the bytes up to the last line that counts), `open` (whether that
# line lacks its end), `bytes` (all of them), `join` (what has to come before the next line).
read_ledger <- function(file, arg) take_bytes(file, read_bytes(file, arg), arg)

# The ledger that these bytes are. What the session has seen of it need not be read again, but must be there.
take_bytes <- function(file, bytes, arg) {
  ledger <- ledgers_read[[ledger_id(bytes)]]
  if (!is.null(ledger) && !starts_with(bytes, ledger$seen)) {
    stop_ledger(arg, file, "has lost payments that this session has seen")
  }
  if (is.null(ledger)) ledger <- list(seen = raw(), open = FALSE, count = -1, sum = "")
  ledger <- suppressWarnings(take_lines(ledger, file, bytes, arg)) # a number that is none is refused later
  refuse_copied_file(ledger, arg)
  refuse_replaced(file, ledger$id, arg)
  remember_ledger(ledger, file, arg)
  remember_place(ledger)
  ledger
}

# Code of the user's may have run and paid since this was read (a finalizer): what the session has seen never gets less.
remember_ledger <- function(ledger, file, arg) {
  known <- ledgers_read[[ledger$id]]
  if (!is.null(known) && length(known$seen) > length(ledger$seen)) {
    if (!starts_with(known$seen, ledger$seen)) stop_ledger(arg, file, "has lost payments that this session has seen")
    return(invisible())
  }
  assign(ledger$id, ledger, envir = ledgers_read)
}

take_lines <- function(ledger, file, bytes, arg) {
  new <- bytes_between(bytes, length(ledger$seen), length(bytes))
  if (ledger$open && length(new)) {
    if (new[1] != newline) stop_damaged(arg, file)
    new <- new[-1]
    ledger$open <- FALSE
  }
  whole <- max(0, which(new == newline))
  tail <- plain_text(bytes_between(new, whole, length(new)))
  # of each line its own bytes, without what ends it
  lines <- strsplit(plain_text(new[seq_len(whole)]), "\n", fixed = TRUE)[[1]]
  if (!length(ledger$seen)) {
    if (!identical(lines[1], ledger_title)) stop_no_ledger(arg, file)
    lines <- lines[-1]
  }
  ledger <- read_lines(ledger, lines)
  if (is.null(ledger)) stop_damaged(arg, file)
  # the last line, if it does not end: torn, or whole but for that
  counted <- if (nzchar(tail)) read_lines(ledger, tail)
  if (!is.null(counted)) ledger <- counted
  if (ledger$count < 0) stop_no_ledger(arg, file)
  torn <- nzchar(tail) && is.null(counted)
  ledger$open <- ledger$open || !is.null(counted)
  ledger$seen <- bytes[seq_len(length(bytes) - if (torn) length(new) - whole else 0)]
  ledger$bytes <- bytes
  ledger$join <- paste0(if (torn) torn_mark, if (torn || ledger$open) "\n")
  ledger$file <- file
  ledger
}

newline <- as.raw(10)

stop_damaged <- function(arg, file) {
  stop_ledger(arg, file, "was damaged or changed by hand: a line does not fit its checksum")
}

# A file may be moved, but not be in two places.
refuse_copied_file <- function(ledger, arg) {
  if (ledger$home == write_path(ledger$file)) return(invisible())
  there <- .Call(ffi_privacy_peek, read_path(ledger$home), 1000)
  if (is.character(there)) {
    stop_ledger(arg, ledger$file, "was kept in ", home_words(ledger), ", of which this session cannot tell whether it ",
                "still is there: ", there)
  }
  if (ledger_id(there) != ledger$id) return(invisible())
  stop_ledger(arg, ledger$file, "is a copy of ", home_words(ledger), "; go on with that one")
}

home_words <- function(ledger) encodeString(rawToChar(read_path(ledger$home)), quote = "\"")

# A ledger that was moved says so: copies of it are copies of where it is now.
settle_ledger <- function(ledger, arg) {
  place <- write_path(ledger$file)
  if (ledger$home == place) return(ledger)
  settled <- append_line(ledger, paste("moved", place, sep = " | "), arg)
  if (is.null(settled)) stop_ledger(arg, ledger$file, "was written to by two processes at once")
  settled
}

# A ledger that is found elsewhere is not gone from where it was before.
remember_place <- function(ledger) {
  place <- place_key(ledger$file)
  if (identical(places_seen[[place]], ledger$id)) return(invisible())
  for (other in names(places_seen)) if (places_seen[[other]] == ledger$id) rm(list = other, envir = places_seen)
  assign(place, ledger$id, envir = places_seen)
}

place_key <- function(file) .Call(ffi_privacy_checksums, "", write_path(file))

# Of a ledger with payments that was seen in a place, and whose place another one has taken (`id`: NULL for one that is
# to be made), somebody has gone back to the start.
refuse_replaced <- function(file, id, arg) {
  before <- places_seen[[place_key(file)]]
  if (is.null(before) || identical(before, id) || ledgers_read[[before]]$count == 0) return(invisible())
  stop_ledger(arg, file, "was the ledger of another budget, which paid in this session and is gone; open it where it ",
              "is now, or keep the new budget in another file")
}

# The ledger with these lines more, or NULL if one of them does not fit.
read_lines <- function(ledger, lines) {
  lines <- lines[!endsWith(lines, torn_mark)]
  if (!length(lines)) return(ledger)
  text <- substr(lines, 1, nchar(lines) - 19) # " | " and 16 digits
  sums <- .Call(ffi_privacy_checksums, ledger$sum, text)
  if (!identical(lines, paste(text, sums, sep = " | "))) return(NULL)
  ledger$sum <- sums[length(sums)]
  fields <- strsplit(text, " | ", fixed = TRUE)
  if (ledger$count >= 0) return(read_entries(ledger, fields))
  ledger <- read_terms(ledger, fields[[1]])
  if (!is.null(ledger)) read_entries(ledger, fields[-1])
}

# Payments and moves.
read_entries <- function(ledger, fields) {
  first <- vapply(fields, `[`, "", 1)
  moves <- first == "moved"
  if (any(lengths(fields) != ifelse(moves, 2, 4))) return(NULL)
  if (any(moves)) ledger$home <- fields[[max(which(moves))]][2]
  numbers <- ledger$count + seq_len(sum(!moves))
  if (!identical(first[!moves], format_whole(numbers))) return(NULL)
  texts <- as.character(unlist(strsplit(vapply(fields[!moves], `[`, "", 4), " + ", fixed = TRUE)))
  # many payments are alike
  distinct <- match(texts, texts)
  distinct <- distinct[distinct == seq_along(texts)]
  steps <- read_steps(texts[distinct])
  if (is.null(steps)) return(NULL)
  ledger$account$steps <- c(ledger$account$steps, steps[match(texts, texts[distinct])])
  ledger$count <- ledger$count + length(numbers)
  ledger
}

read_terms <- function(ledger, fields) {
  if (length(fields) != 6 || fields[1] != "terms" || !fields[4] %in% names(relations) ||
        !fields[5] %in% compositions) {
    return(NULL)
  }
  read <- read_fields(fields[3])
  if (!is_good(read) || !all(read$count == 1)) return(NULL)
  numbers <- read$values
  names(numbers) <- read$key
  measure <- names(numbers)[names(numbers) %in% c("epsilon", "rho")]
  if (length(measure) != 1 || !"unit_rows" %in% names(numbers)) return(NULL)
  ledger$id <- fields[2]
  ledger$home <- fields[6]
  ledger$terms <- list(
    measure = measure,
    total = if (is.null(numbers$delta)) numbers[[measure]] else c(unlist(numbers[measure]), delta = numbers$delta),
    unit_rows = numbers$unit_rows, relation = relations[[fields[4]]], composition = fields[5], order = numbers$order
  )
  ledger$account <- new_account(ledger$terms)
  ledger$count <- 0
  ledger
}

terms_text <- function(id, terms, file) {
  numbers <- c(structure(list(terms$total[[1]]), names = terms$measure),
               if (length(terms$total) == 2) list(delta = terms$total[["delta"]]),
               list(unit_rows = terms$unit_rows, order = terms$order))
  paste("terms", id, write_fields(numbers), names(relations)[match(terms$relation, relations)], terms$composition,
        write_path(file), sep = " | ")
}

payment_text <- function(ledger, steps) {
  paste(format_whole(ledger$count + 1), time_text(), paste("process", Sys.getpid()),
        paste(vapply(steps, write_step, ""), collapse = " + "), sep = " | ")
}

time_text <- function() {
  now <- unclass(as.POSIXlt.POSIXct(Sys.time(), "UTC"))
  sprintf("%04d-%02d-%02d %02d:%02d:%02d UTC", as.integer(now$year + 1900), as.integer(now$mon + 1),
          as.integer(now$mday), as.integer(now$hour), as.integer(now$min), as.integer(floor(now$sec)))
}

format_whole <- function(x) sprintf("%.0f", x)

# The ledger with that line, as it was read back; NULL if the file has another size than the ledger that was read.
append_line <- function(ledger, text, arg, made_in = NULL) {
  sum <- .Call(ffi_privacy_checksums, ledger$sum, text)
  new <- charToRaw(paste0(ledger$join, text, " | ", sum, "\n"))
  outcome <- .Call(ffi_privacy_append, ledger$file, new, length(ledger$bytes), made_in)
  if (outcome == "moved") return(NULL)
  if (nzchar(outcome)) stop_ledger(arg, ledger$file, "cannot be written to: ", outcome)
  bytes <- read_bytes(ledger$file, arg)
  if (!starts_with(bytes, c(ledger$bytes, new))) {
    stop_ledger(arg, ledger$file, "was written to by two processes at once: locks do not work there")
  }
  take_bytes(ledger$file, bytes, arg)
}

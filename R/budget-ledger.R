# Storage for the charges of a budget. A budget is a handle, a list that may be copied freely, because it does not
# contain the charges:
#
#   in memory  list(held): a pointer to memory of this session that R code cannot reach (ffi-budget-ledger.c). Only the
#              process that made the budget can charge it.
#   in a file  list(file, id, terms): the path of the ledger, its id, and its terms. The charges are in the file, so
#              anyone who can write to it can spend.
#
# Both charge by compare-and-swap. The price is computed from the account as it was read. The charge is made only if the
# account is still the same, with no R code between comparison and charge. Otherwise the price is computed again.
# Callbacks, finalizers and event loops that spend during a charge therefore count.
#
# Handles are read without `$`, because a subclass could define its own method. For the same reason, code that reads or
# charges never calls a function for which users can write a method: use sort.int(), not sort(); sprintf(), not
# format(); match(), not unique(). A test checks this.
# Accounts store copies and return copies, because some packages change the attributes of an object in place
# (data.table::setattr()).

# An account is a list of the terms (measure, total, unit_rows, relation, person for budgets of people, composition,
# order) and of `steps`, as in a guarantee. Code that charges gets an account with a `tally` instead of the steps, their
# running sums (accounting-tally.R). So the time of a charge does not depend on the number of earlier charges.
new_account <- function(terms) c(terms, list(steps = list()))

# `units`: the relation and, only for budgets of people, `person`.
new_terms <- function(measure, total, unit_rows, units, composition, order) {
  c(list(measure = measure, total = total, unit_rows = unit_rows), units,
    list(composition = composition, order = order))
}

new_held_budget <- function(terms) {
  # default settings of a call, because nothing is drawn or computed
  held <- .Call(ffi_budget_hold, detach_copy(new_account(terms)), list("os", 1L, NULL))
  new_result(list(held = held), "dptda_budget")
}

new_file_budget <- function(ledger) {
  new_result(list(file = ledger$file, id = ledger$id, terms = ledger$terms), "dptda_budget")
}

# Checks that `budget` is still a valid handle: complete, and not from an old version.
is_handle <- function(budget) {
  handle <- if (typeof(budget) == "list") unclass(budget)
  if (is.null(handle[["file"]])) return(nzchar(.Call(ffi_budget_owner, handle[["held"]])))
  is_one_string(handle[["file"]]) && is_one_string(handle[["id"]])
}

define_class("dptda_budget", "privacy_budget()", .valid = is_handle)

# Returns the fields of a handle as a plain list.
budget_handle <- function(budget, arg) unclass(check_class(budget, "dptda_budget", "privacy_budget()", arg))

budget_account <- function(budget, arg = "budget") {
  handle <- budget_handle(budget, arg)
  if (is.null(handle[["file"]])) .Call(ffi_budget_held, handle$held, 0) else whole_account(read_own_ledger(handle, arg))
}

# Returns the account without its steps, with their tally.
charging_account <- function(budget, arg = "budget") {
  handle <- budget_handle(budget, arg)
  if (is.null(handle[["file"]])) held_account(handle$held) else read_own_ledger(handle, arg)$account
}

# Returns the account with its last `most` steps.
account_end <- function(budget, most) {
  account <- charging_account(budget, "x")
  from <- max(0, account$tally$count - most)
  handle <- unclass(budget)
  account$steps <- if (is.null(handle[["file"]])) {
    .Call(ffi_budget_held, handle$held, from)$steps
  } else {
    steps_after(ledgers_read[[handle$id]], from)
  }
  account$steps <- account$steps[seq_len(min(most, length(account$steps)))]
  account
}

# Returns an account in memory without its steps, with their tally.
held_account <- function(held) {
  size <- .Call(ffi_budget_size, held)
  key <- sprintf("%.0f", size[2])
  tally <- if (size[2] > 0) tallies[[key]]
  if (is.null(tally)) tally <- new_tally()
  account <- .Call(ffi_budget_held, held, tally$count)
  account$tally <- add_to_tally(tally, account, account$steps)
  account["steps"] <- list(NULL)
  if (size[2] > 0) remember_tally(key, account$tally)
  account
}

# Returns a copy of the account, for code that only reads.
read_account <- function(budget, arg) detach_copy(budget_account(budget, arg))

detach_copy <- function(x) unserialize(serialize(x, NULL))

# Charges the steps that `price`, a function of the account, returns. `price` raises an error if the budget does not
# suffice.
charge_steps <- function(budget, price, arg) {
  handle <- budget_handle(budget, arg)
  charge <- if (is.null(handle[["file"]])) charge_in_memory else charge_in_file
  while (!charge(handle, price, arg)) NULL
  invisible(budget)
}

# Memory -----------------------------------------------------------------------

charge_in_memory <- function(handle, price, arg) {
  refuse_copies(handle, arg)
  seen <- held_account(handle$held)
  spent <- .Call(ffi_budget_charge, handle$held, seen$tally$count, price(seen))
  if (is.na(spent)) refuse_amounts(arg)
  spent
}

# Refuses copies of a budget in memory. A charge to a copy would be missing from the original, so each copy could spend
# the whole budget.
refuse_copies <- function(handle, arg) {
  if (!is.null(handle[["file"]])) return(invisible())
  switch(.Call(ffi_budget_owner, handle$held),
    forked = stop_dptda("budget", "`", arg,
                        "` cannot be charged in a forked worker, which has only a copy of it. Charge it ",
                        "in the main process, or keep the budget in a file that workers share: ",
                        "privacy_budget(file = )."),
    copied = stop_dptda("budget", "`", arg,
                        "` cannot be charged: it is a copy that was saved, sent to a worker or restored, ",
                        "and belongs to the session that made it. Charge it there, or keep the budget in a file that ",
                        "sessions and workers share: privacy_budget(file = ).")
  )
  invisible()
}

# File --------------------------------------------------------------------------
#
# A ledger consists of lines of text, which are appended and never changed:
#
#   the title
#   terms | id | epsilon=1;unit_rows=1 | replace | auto | path | checksum
#         for people: ... | person | auto | path | patient | checksum
#   1 | time | process | private_count(epsilon=0.1)[pure=0.1] | checksum
#   moved | path | checksum
#
# A step is name(measure)[parts]. Steps of one charge are joined by " + ". Numbers are written so that they can be read
# back bit by bit. Names are ASCII: only letters, digits and a few signs are plain, and all other bytes are %XX. Paths
# are encoded byte by byte in the same way, so that their meaning does not depend on the locale. Nothing is ever
# evaluated. Each checksum covers the previous checksum and its own line, so that a changed, lost or moved line is
# detected.
#
# Text and `filelock` are used instead of SQLite. People can read the text anywhere, only one line per charge is stored,
# and filelock needs only R. RSQLite brings ten packages, and its files cannot be read without it. SQLite would provide
# crash safety, which is achieved here as follows.
#
# A charge is one write of one line under the lock, synced before anything is drawn. If the process dies before the
# write, nothing was spent or drawn. If it dies during the write, the last line is torn: its newline is missing and its
# checksum fails. A torn line does not count, and nothing was drawn for it, because drawing waits for the write to
# return. The next charge ends it with the mark "[torn]". If the process dies after the write, the line is complete and
# counts, whether or not anything was drawn. A line also counts if only its newline is missing, since an editor may have
# removed it. Any other invalid line was damaged, and the whole ledger is refused.
#
# The lock is a separate file beside the ledger. POSIX locks on the ledger itself would be lost when the process closes
# any other handle of it. Locks may fail, as on some network drives, or the lock file may be removed while it is held.
# Therefore a charge counts only if the file still had the size that was read, and if the new line was then found
# directly after the lines from which its price was computed. If two charges race, the second is refused, and so is the
# ledger from then on.

ledger_title <- "Ledger of a privacy budget. Written by the R package dptda; whoever changes a line loses the budget."
torn_mark <- " [torn]"

charge_in_file <- function(handle, price, arg) {
  read_own_ledger(handle, arg) # reads most lines before the lock, so that nobody waits for them
  with_ledger_lock(handle$file, arg, {
    ledger <- settle_ledger(read_own_ledger(handle, arg), arg)
    steps <- price(ledger$account)
    after <- append_line(ledger, charge_text(ledger, steps), arg)
    if (!is.null(after)) check_written(after, steps, arg)
    !is.null(after)
  })
}

# Checks that the written steps, when read back, are equal to the charged steps.
check_written <- function(after, steps, arg) {
  amounts <- function(step) step[c("measure", "parts")]
  written <- after$latest[seq_along(steps)]
  if (identical(lapply(written, amounts), lapply(steps, amounts))) return(invisible())
  stop_ledger(arg, after$file, "does not keep this charge as it was made")
}

# The ledgers that this session has read, by id. Lines are checked only once, and none of them may disappear.
ledgers_read <- new.env(parent = emptyenv())

# The ids of the ledgers, by the place where this session has read them.
places_seen <- new.env(parent = emptyenv())

# Returns the ledger of a handle, which must be the ledger that the handle was made for.
read_own_ledger <- function(handle, arg) {
  ledger <- ledgers_read[[handle$id]]
  if (is.null(ledger) || !is_as_seen(ledger, handle$file)) ledger <- read_ledger(handle$file, arg)
  if (ledger$id != handle$id || !identical(ledger$terms, handle$terms)) {
    stop_ledger(arg, handle$file, "is the ledger of another budget than `", arg, "`")
  }
  ledger
}

# A ledger is a list of
#   file, id, terms    its path, id and terms
#   place, home        its path, and the path that it records for itself, both as written by write_path()
#   account            the terms, and the tally of the steps
#   steps, latest      the steps in pieces (add_pieces()), and the steps that were read last
#   count, sum         the number of charges, and the last checksum
#   seen               number of bytes up to the end of the last line that counts
#   open               whether that line lacks its newline
#   from, tail         the start of the last line with a checksum, and the bytes from there up to `seen`
#   rest               the bytes after `seen`: a torn line
#   facts              facts that show whether the file was written to (ffi_budget_read())
#   join               text to write before the next line
#
# Lines are not read twice. The file is unchanged if it has the same size and times and ends in the same bytes. It has
# grown if it is the same file, is longer, and still has the last known line in its place. The checksum of that line
# covers all lines before it, and the checksums of later lines must continue from it. After any other change the whole
# file is read, and it must begin with the known lines.
new_ledger <- function(file, join = "") {
  list(file = file, place = write_path(file), id = "", steps = list(), latest = list(), count = -1, sum = "", seen = 0,
       open = FALSE, from = 0, tail = raw(), rest = raw(), facts = numeric(), join = join)
}

is_as_seen <- function(ledger, file) {
  if (ledger$file != file || ledger$home != ledger$place) return(FALSE)
  seen_bytes <- .Call(ffi_budget_read, file, ledger$from, most_bytes)
  is.list(seen_bytes) && identical(seen_bytes[[1]], ledger$facts) &&
    identical(seen_bytes[[2]], c(ledger$tail, ledger$rest))
}

most_bytes <- 2^50

read_ledger <- function(file, arg) {
  known <- ledgers_read[[ledger_id(read_bytes(file, arg, 0, 1000)$bytes)]]
  ledger <- if (is.null(known)) new_ledger(file) else known
  seen_bytes <- read_bytes(file, arg, ledger$from)
  if (!starts_with(seen_bytes$bytes, ledger$tail)) stop_lost(arg, file)
  if (!is.null(known) && !has_grown(ledger, seen_bytes)) check_from_start(ledger, file, arg)
  ledger <- take_bytes(ledger, file, seen_bytes, arg)
  # user code, such as a finalizer, may have spent in the meantime
  if (remember_ledger(ledger)) ledger else read_ledger(file, arg)
}

# Returns the facts of a file, and its bytes from `from` on.
read_bytes <- function(file, arg, from, most = most_bytes) {
  seen_bytes <- .Call(ffi_budget_read, file, from, most)
  if (is.character(seen_bytes)) stop_ledger(arg, file, "does not exist, or cannot be read: ", seen_bytes)
  list(facts = seen_bytes[[1]], bytes = seen_bytes[[2]])
}

# Checks that the file is unchanged or became longer. The first two facts are device and number, the third is the size.
has_grown <- function(ledger, seen_bytes) {
  identical(seen_bytes$facts, ledger$facts) ||
    identical(seen_bytes$facts[1:2], ledger$facts[1:2]) && seen_bytes$facts[3] > ledger$facts[3]
}

# Checks that a file that was changed or replaced still begins with all known lines.
check_from_start <- function(known, file, arg) {
  bytes <- read_bytes(file, arg, 0, known$seen)$bytes
  again <- suppressWarnings(take_lines(new_ledger(file), file, bytes, arg))
  if (again$sum != known$sum || again$seen != known$seen) stop_lost(arg, file)
}

stop_lost <- function(arg, file) stop_ledger(arg, file, "has lost charges that this session has seen")

# Returns the ledger with the lines found in its file from `from` on.
take_bytes <- function(ledger, file, seen_bytes, arg) {
  if (ledger$file != file) ledger$place <- write_path(file)
  ledger <- suppressWarnings(take_lines(ledger, file,
                                        bytes_between(seen_bytes$bytes, length(ledger$tail), length(seen_bytes$bytes)),
                                        arg)) # invalid numbers are refused later
  place_ledger(ledger, seen_bytes$facts, arg)
}

# Returns the ledger with the facts of its file. Raises an error if the ledger must not be in its present place.
place_ledger <- function(ledger, facts, arg) {
  ledger$facts <- facts
  refuse_copied_file(ledger, arg)
  place <- place_key(ledger$file)
  if (identical(places_seen[[place]], ledger$id)) return(ledger)
  refuse_replaced(ledger$file, ledger$id, arg)
  remember_place(ledger, place)
  ledger
}

# Stores the ledger, unless this session has already read more of it. Returns FALSE in that case.
remember_ledger <- function(ledger) {
  known <- ledgers_read[[ledger$id]]
  if (!is.null(known) && known$seen > ledger$seen) return(FALSE)
  assign(ledger$id, ledger, envir = ledgers_read)
  TRUE
}

take_lines <- function(ledger, file, bytes, arg) {
  new <- bytes
  if (ledger$open && length(new)) {
    if (new[1] != newline) stop_damaged(arg, file)
    new <- new[-1]
    ledger$tail <- c(ledger$tail, newline)
    ledger$seen <- ledger$seen + 1
    ledger$open <- FALSE
  }
  ends <- which(new == newline)
  whole <- max(0, ends)
  tail <- plain_text(bytes_between(new, whole, length(new)))
  # splits the complete lines, without their newlines
  lines <- strsplit(plain_text(new[seq_len(whole)]), "\n", fixed = TRUE)[[1]]
  begins <- c(0, ends)
  ledger$latest <- list()
  if (ledger$seen == 0) {
    if (!identical(lines[1], ledger_title)) stop_no_ledger(arg, file)
    lines <- lines[-1]
    begins <- begins[-1]
  }
  summed <- which(!endsWith(lines, torn_mark))
  ledger <- read_lines(ledger, lines[summed])
  if (is.null(ledger)) stop_damaged(arg, file)
  # the last line, if its newline is missing: it counts if its checksum fits, and is torn otherwise
  counted <- if (nzchar(tail) && !endsWith(tail, torn_mark)) read_lines(ledger, tail)
  if (!is.null(counted)) ledger <- counted
  if (ledger$count < 0) stop_no_ledger(arg, file)
  torn <- nzchar(tail) && is.null(counted)
  seen <- length(new) - if (torn) length(new) - whole else 0
  last <- if (!is.null(counted)) whole else if (length(summed)) begins[summed[length(summed)]]
  ledger$tail <- c(if (is.null(last)) ledger$tail, bytes_between(new, if (is.null(last)) 0 else last, seen))
  ledger$seen <- ledger$seen + seen
  ledger$from <- ledger$seen - length(ledger$tail)
  ledger$rest <- bytes_between(new, seen, length(new))
  ledger$open <- ledger$open || !is.null(counted)
  ledger$join <- paste0("", if (torn) torn_mark, if (torn || ledger$open) "\n")
  ledger$file <- file
  ledger
}

newline <- as.raw(10)

stop_damaged <- function(arg, file) {
  stop_ledger(arg, file, "was damaged or changed by hand: a line does not fit its checksum")
}

# Adds steps to the pieces of a ledger. Each piece is at least twice as long as the next one, so that each step is
# copied only a few times.
add_pieces <- function(pieces, steps) {
  if (!length(steps)) return(pieces)
  pieces <- c(pieces, list(steps))
  while ((last <- length(pieces)) > 1 && length(pieces[[last - 1]]) < 2 * length(pieces[[last]])) {
    pieces <- c(pieces[seq_len(last - 2)], list(c(pieces[[last - 1]], pieces[[last]])))
  }
  pieces
}

# Returns the steps after the first `from`.
steps_after <- function(ledger, from) {
  before <- cumsum(lengths(ledger$steps)) - lengths(ledger$steps)
  wanted <- lapply(seq_along(before), function(i) {
    piece <- ledger$steps[[i]]
    skipped <- min(max(from - before[i], 0), length(piece))
    if (skipped > 0) piece[skipped + seq_len(length(piece) - skipped)] else piece
  })
  if (length(wanted)) do.call(c, wanted) else list()
}

whole_account <- function(ledger) {
  account <- ledger$account
  account$steps <- steps_after(ledger, 0)
  account
}

# Refuses a ledger that is in two places. It may be moved, but not copied.
refuse_copied_file <- function(ledger, arg) {
  if (ledger$home == ledger$place) return(invisible())
  original <- .Call(ffi_budget_peek, read_path(ledger$home), 1000)
  if (is.character(original)) {
    stop_ledger(arg, ledger$file, "was kept in ", home_words(ledger), ", and this session cannot check whether that ",
                "file still exists: ", original)
  }
  if (ledger_id(original) != ledger$id) return(invisible())
  stop_ledger(arg, ledger$file, "is a copy of ", home_words(ledger), ". Use the original")
}

home_words <- function(ledger) encodeString(rawToChar(read_path(ledger$home)), quote = "\"")

# Records a move in the ledger, so that copies are later compared with its new place.
settle_ledger <- function(ledger, arg) {
  if (ledger$home == ledger$place) return(ledger)
  settled <- append_line(ledger, paste("moved", ledger$place, sep = " | "), arg)
  if (is.null(settled)) stop_ledger(arg, ledger$file, "was written to by two processes at once")
  settled
}

# Records the place of a ledger and forgets its former places, so that it does not count as lost from them.
remember_place <- function(ledger, place) {
  for (other in names(places_seen)) if (places_seen[[other]] == ledger$id) rm(list = other, envir = places_seen)
  assign(place, ledger$id, envir = places_seen)
}

place_key <- function(file) .Call(ffi_budget_checksums, "", write_path(file))

# Raises an error if the place of a known ledger with charges has been taken by another one (`id`, or NULL for a new
# ledger). Otherwise a user could start again with a fresh budget.
refuse_replaced <- function(file, id, arg) {
  before <- places_seen[[place_key(file)]]
  if (is.null(before) || identical(before, id) || ledgers_read[[before]]$count == 0) return(invisible())
  stop_ledger(arg, file,
              "is where the ledger of another budget was, which was charged in this session. Open that ledger ",
              "where it is now, or keep the new budget in another file")
}

# Returns the ledger with additional lines, or NULL if one of them does not fit its checksum.
read_lines <- function(ledger, lines) {
  if (!length(lines)) return(ledger)
  text <- substr(lines, 1, nchar(lines) - 19) # " | " and 16 digits
  sums <- .Call(ffi_budget_checksums, ledger$sum, text)
  if (!identical(lines, paste(text, sums, sep = " | "))) return(NULL)
  ledger$sum <- sums[length(sums)]
  fields <- strsplit(text, " | ", fixed = TRUE)
  if (ledger$count >= 0) return(read_entries(ledger, fields))
  ledger <- read_terms(ledger, fields[[1]])
  if (!is.null(ledger)) read_entries(ledger, fields[-1])
}

# Reads charges and moves.
read_entries <- function(ledger, fields) {
  first <- vapply(fields, `[`, "", 1)
  moves <- first == "moved"
  if (any(lengths(fields) != ifelse(moves, 2, 4))) return(NULL)
  if (any(moves)) ledger$home <- fields[[max(which(moves))]][2]
  numbers <- ledger$count + seq_len(sum(!moves))
  if (!identical(first[!moves], format_whole(numbers))) return(NULL)
  texts <- as.character(unlist(strsplit(vapply(fields[!moves], `[`, "", 4), " + ", fixed = TRUE)))
  # each distinct step is read once, since many charges are equal
  distinct <- match(texts, texts)
  distinct <- distinct[distinct == seq_along(texts)]
  steps <- recall_steps(texts[distinct])
  if (is.null(steps)) return(NULL)
  which <- match(texts, texts[distinct])
  ledger$account$tally <- add_to_tally(ledger$account$tally, ledger$account, steps, which)
  ledger$steps <- add_pieces(ledger$steps, steps[which])
  ledger$latest <- c(ledger$latest, steps[which])
  ledger$count <- ledger$count + length(numbers)
  ledger
}

read_terms <- function(ledger, fields) {
  if (!length(fields) %in% 6:7 || fields[1] != "terms" || !fields[4] %in% names(relations) ||
        !fields[5] %in% compositions) {
    return(NULL)
  }
  # the field for the name exists only for people
  if ((fields[4] == "person") != (length(fields) == 7)) return(NULL)
  person <- if (length(fields) == 7) canonical_strings(read_name(fields[7]))
  if (!is.null(person) && (is.na(person) || !nzchar(person))) return(NULL)
  read <- read_fields(fields[3])
  if (!is_good(read) || !all(read$count == 1)) return(NULL)
  numbers <- read$values
  names(numbers) <- read$key
  measure <- names(numbers)[names(numbers) %in% c("epsilon", "rho", "mu")]
  if (length(measure) != 1 || !"unit_rows" %in% names(numbers)) return(NULL)
  ledger$id <- fields[2]
  ledger$home <- fields[6]
  ledger$terms <- new_terms(
    measure, if (is.null(numbers$delta)) numbers[[measure]] else c(unlist(numbers[measure]), delta = numbers$delta),
    numbers$unit_rows, c(list(relation = relations[[fields[4]]]), if (!is.null(person)) list(person = person)),
    fields[5], numbers$order
  )
  ledger$account <- c(ledger$terms, list(steps = NULL, tally = new_tally()))
  ledger$count <- 0
  ledger
}

terms_text <- function(id, terms, file) {
  numbers <- c(structure(list(terms$total[[1]]), names = terms$measure),
               if (length(terms$total) == 2) list(delta = terms$total[["delta"]]),
               list(unit_rows = terms$unit_rows, order = terms$order))
  paste(c("terms", id, write_fields(numbers), names(relations)[match(terms$relation, relations)], terms$composition,
          write_path(file), if (!is.null(terms$person)) write_name(terms$person)), collapse = " | ")
}

charge_text <- function(ledger, steps) {
  paste(format_whole(ledger$count + 1), time_text(), paste("process", Sys.getpid()),
        paste(vapply(steps, write_step, ""), collapse = " + "), sep = " | ")
}

time_text <- function() {
  now <- unclass(as.POSIXlt.POSIXct(Sys.time(), "UTC"))
  sprintf("%04d-%02d-%02d %02d:%02d:%02d UTC", as.integer(now$year + 1900), as.integer(now$mon + 1),
          as.integer(now$mday), as.integer(now$hour), as.integer(now$min), as.integer(floor(now$sec)))
}

format_whole <- function(x) sprintf("%.0f", x)

# Appends a line and returns the ledger as read back, or NULL if the size of the file had changed.
append_line <- function(ledger, text, arg, made_in = NULL) {
  sum <- .Call(ffi_budget_checksums, ledger$sum, text)
  new <- charToRaw(paste0(ledger$join, text, " | ", sum, "\n"))
  outcome <- .Call(ffi_budget_append, ledger$file, new, ledger$seen + length(ledger$rest), made_in)
  if (outcome == "moved") return(NULL)
  if (nzchar(outcome)) stop_ledger(arg, ledger$file, "cannot be written to: ", outcome)
  seen_bytes <- read_bytes(ledger$file, arg, ledger$from)
  written <- c(ledger$tail, ledger$rest, new)
  if (!starts_with(seen_bytes$bytes, written)) {
    stop_ledger(arg, ledger$file, "was written to by two processes at once: locks do not work there")
  }
  alone <- ledger$count >= 0 && !nzchar(ledger$join) && length(seen_bytes$bytes) == length(written)
  after <- if (alone) {
    take_own_line(ledger, text, sum, new, seen_bytes$facts, arg)
  } else {
    take_bytes(ledger, ledger$file, seen_bytes, arg)
  }
  remember_ledger(after)
  after
}

# Returns the same ledger as take_bytes() for a complete line of this session, written after complete lines and found
# unchanged. It is faster, because the end of the line and its checksum are already known.
take_own_line <- function(ledger, text, sum, bytes, facts, arg) {
  ledger$latest <- list()
  after <- read_entries(ledger, strsplit(text, " | ", fixed = TRUE))
  if (is.null(after)) stop_damaged(arg, ledger$file)
  after$sum <- sum
  after$from <- ledger$seen
  after$seen <- ledger$seen + length(bytes)
  after$tail <- bytes
  place_ledger(after, facts, arg)
}

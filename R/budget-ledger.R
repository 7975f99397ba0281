# Where the charges of a budget are kept. A budget is a handle, a list that may
# be copied freely, since nothing in it says what has been spent:
#
#   in memory  list(held): a pointer to a place that belongs to this session and
#              that R code cannot reach (ffi-budget-ledger.c). It is charged in
#              the process that made it and nowhere else.
#   in a file  list(file, id, terms): where the ledger is and which it must be.
#              Whoever can write there spends: the truth is in the file.
#
# Both charge by comparing and exchanging: the price is worked out from the account
# as it was read, and the charge is made only if that still is the account,
# with no R code between. Else it is worked out anew. Callbacks, finalizers and
# event loops that spend while a charge is under way therefore count.
#
# Handles are read by hand, never by `$`: a subclass could answer in their place.
# For the same reason nothing that reads or charges calls a function for which the
# user can write a method (a test sees to it): sort.int(), not sort(); sprintf(),
# not format(); match(), not unique().
# What goes into an account and what readers get of it are copies: some packages
# change the attributes of an object in place (data.table::setattr()).

# An account is a list of the terms (measure, total, unit_rows, relation, of
# people their name, person, composition, order) and of `steps`, as in a guarantee. Who charges gets one that has
# `tally` for its steps, what they add up to (accounting-tally.R): a charge takes as
# long after many others as after none.
new_account <- function(terms) c(terms, list(steps = list()))

# `units`: the relation, and what people are called. Only terms of a budget for people have `person`.
new_terms <- function(measure, total, unit_rows, units, composition, order) {
  c(list(measure = measure, total = total, unit_rows = unit_rows), units,
    list(composition = composition, order = order))
}

new_held_budget <- function(terms) {
  # one thread and no option of the user: there is nothing to compute
  held <- .Call(ffi_budget_hold, detach_copy(new_account(terms)), list("os", 1L, NULL))
  new_result(list(held = held), "dptda_budget")
}

new_file_budget <- function(ledger) {
  new_result(list(file = ledger$file, id = ledger$id, terms = ledger$terms), "dptda_budget")
}

# Whether it is one still: not taken apart, and not of an old version.
is_handle <- function(budget) {
  handle <- if (typeof(budget) == "list") unclass(budget)
  if (is.null(handle[["file"]])) return(nzchar(.Call(ffi_budget_owner, handle[["held"]])))
  is_one_string(handle[["file"]]) && is_one_string(handle[["id"]])
}

define_class("dptda_budget", "privacy_budget()", .valid = is_handle)

# The fields of a handle, as a plain list.
budget_handle <- function(budget, arg) unclass(check_class(budget, "dptda_budget", "privacy_budget()", arg))

budget_account <- function(budget, arg = "budget") {
  handle <- budget_handle(budget, arg)
  if (is.null(handle[["file"]])) .Call(ffi_budget_held, handle$held, 0) else whole_account(read_own_ledger(handle, arg))
}

# Without its steps.
charging_account <- function(budget, arg = "budget") {
  handle <- budget_handle(budget, arg)
  if (is.null(handle[["file"]])) held_account(handle$held) else read_own_ledger(handle, arg)$account
}

# With the last `most` of its steps.
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

# An account in memory without its steps, but with their tally.
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

# The same for those who only read.
read_account <- function(budget, arg) detach_copy(budget_account(budget, arg))

detach_copy <- function(x) unserialize(serialize(x, NULL))

# Adds the steps that `price`, a function of the account, gives; it raises an
# error where the account does not reach.
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

# What a copy spent would be in no ledger but its own, and each of them could
# spend the whole.
refuse_copies <- function(handle, arg) {
  if (!is.null(handle[["file"]])) return(invisible())
  switch(.Call(ffi_budget_owner, handle$held),
    forked = stop_dptda("budget", "`", arg,
                        "` cannot be charged in a forked worker, which has only a copy of it; spend in ",
                        "the main process, or keep the budget in a file, which workers share: ",
                        "privacy_budget(file = )."),
    copied = stop_dptda("budget", "`", arg,
                        "` cannot be charged: it is a copy that was saved, sent to a worker or restored, ",
                        "and belongs to the session that made it; spend there, or keep the budget in a file, which ",
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
#         of people: ... | person | auto | path | patient | checksum
#   1 | time | process | private_count(epsilon=0.1)[pure=0.1] | checksum
#   moved | path | checksum
#
# A step is name(measure)[parts], steps of one charge are joined by " + ".
# Numbers are written such that they are read back bit by bit; names are ASCII,
# with %XX for all but letters, digits and a few signs. Paths are bytes, of which
# each has its %XX, so that no locale can read them otherwise. Nothing is ever
# evaluated. A checksum is that of the checksum before it and of its line, so
# that a line that was changed, lost or moved shows.
#
# Why text and `filelock`, not SQLite: people can read the text anywhere, one
# line a charge is all that is stored, and filelock needs nothing but R; RSQLite
# brings ten packages, and its files need it to be read. What SQLite would have
# given is crash safety:
#
# A charge is one write of one line under the lock, synced before anything is
# drawn. If the process dies before the write, nothing was spent or drawn. If it
# dies within, the last line is torn: it does not end in a newline and its
# checksum fails. It does not count, and nothing was drawn for it, since drawing
# waits for the write to return. The next charge ends it by the mark "[torn]".
# If it dies after the write, the line is whole and counts, drawn or not. A line
# that lacks nothing but its newline counts (an editor may have taken it). Any
# other line that does not fit was damaged, and the whole ledger is refused.
#
# The lock is a file beside the ledger (locks of one file would be lost with any
# of its readers, as POSIX has it). Should locks not work, as on some network
# drives, or the lock file be removed meanwhile: a charge counts only if the
# file had the size that was read, and only once it was read back right
# after what it was worked out from. Of two that race, the second is refused, and
# so is, from then on, the ledger.

ledger_title <- "Ledger of a privacy budget. Written by the R package dptda; whoever changes a line loses the budget."
torn_mark <- " [torn]"

charge_in_file <- function(handle, price, arg) {
  read_own_ledger(handle, arg) # nobody waits while the many lines before the last ones are read
  with_ledger_lock(handle$file, arg, {
    ledger <- settle_ledger(read_own_ledger(handle, arg), arg)
    steps <- price(ledger$account)
    after <- append_line(ledger, charge_text(ledger, steps), arg)
    if (!is.null(after)) check_written(after, steps, arg)
    !is.null(after)
  })
}

# What was spent is what will be read.
check_written <- function(after, steps, arg) {
  amounts <- function(step) step[c("measure", "parts")]
  written <- after$latest[seq_along(steps)]
  if (identical(lapply(written, amounts), lapply(steps, amounts))) return(invisible())
  stop_ledger(arg, after$file, "does not keep this charge as it was made")
}

# What the session has read of each ledger, by its id: lines are checked once, and
# none of them may go away.
ledgers_read <- new.env(parent = emptyenv())

# The ids of the ledgers, by the place where the session has seen them.
places_seen <- new.env(parent = emptyenv())

# The ledger of a handle, which must be the one that it was made for.
read_own_ledger <- function(handle, arg) {
  ledger <- ledgers_read[[handle$id]]
  if (is.null(ledger) || !is_as_seen(ledger, handle$file)) ledger <- read_ledger(handle$file, arg)
  if (ledger$id != handle$id || !identical(ledger$terms, handle$terms)) {
    stop_ledger(arg, handle$file, "is the ledger of another budget than `", arg, "`")
  }
  ledger
}

# A ledger is a list of
#   file, id, terms    where it is, and which it is
#   place, home        where it is and where it is kept, as written by write_path()
#   account            the terms, and the tally of the steps
#   steps, latest      the steps in pieces (steps_after()), and those that were read last
#   count, sum         charges, and the last checksum
#   seen               bytes up to the end of the last line that counts
#   open               whether that line lacks its end
#   from, tail         where the last line with a checksum begins, and the bytes from there up to `seen`
#   rest               the bytes after `seen`: a torn line
#   facts              what told that the file was not written to (ffi_budget_read())
#   join               what has to come before the next line
#
# What was read is not read again. The file is as it was seen if it has the same size and times and ends in the same
# bytes; it has grown if it is the same file, is longer, and the last line that was seen is where it was: the sum in
# that line is one of all lines before it, and every line after it has to follow from it. If anything else has changed,
# all of it is read and must begin with what was seen.
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
  # code of the user's may have run and spent since (a finalizer)
  if (remember_ledger(ledger)) ledger else read_ledger(file, arg)
}

# The facts of a file, and its bytes from `from` on.
read_bytes <- function(file, arg, from, most = most_bytes) {
  seen_bytes <- .Call(ffi_budget_read, file, from, most)
  if (is.character(seen_bytes)) stop_ledger(arg, file, "does not exist, or cannot be read: ", seen_bytes)
  list(facts = seen_bytes[[1]], bytes = seen_bytes[[2]])
}

# Nothing of it was written to, or only its end was: device and number are the first two facts, the size is the third.
has_grown <- function(ledger, seen_bytes) {
  identical(seen_bytes$facts, ledger$facts) ||
    identical(seen_bytes$facts[1:2], ledger$facts[1:2]) && seen_bytes$facts[3] > ledger$facts[3]
}

# A file that was written to, or that took the place of another, still begins with all lines that were seen.
check_from_start <- function(known, file, arg) {
  bytes <- read_bytes(file, arg, 0, known$seen)$bytes
  again <- suppressWarnings(take_lines(new_ledger(file), file, bytes, arg))
  if (again$sum != known$sum || again$seen != known$seen) stop_lost(arg, file)
}

stop_lost <- function(arg, file) stop_ledger(arg, file, "has lost charges that this session has seen")

# The ledger after what was found in its file from `from` on.
take_bytes <- function(ledger, file, seen_bytes, arg) {
  if (ledger$file != file) ledger$place <- write_path(file)
  ledger <- suppressWarnings(take_lines(ledger, file,
                                        bytes_between(seen_bytes$bytes, length(ledger$tail), length(seen_bytes$bytes)),
                                        arg)) # a number that is none is refused later
  place_ledger(ledger, seen_bytes$facts, arg)
}

# The ledger of a file with these facts, unless it should not be where it is.
place_ledger <- function(ledger, facts, arg) {
  ledger$facts <- facts
  refuse_copied_file(ledger, arg)
  place <- place_key(ledger$file)
  if (identical(places_seen[[place]], ledger$id)) return(ledger)
  refuse_replaced(ledger$file, ledger$id, arg)
  remember_place(ledger, place)
  ledger
}

# What the session has seen never gets less. Whether this is the most of it.
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
  # of each line its own bytes, without what ends it
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
  # the last line, if it does not end: torn, or whole but for that
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

# The steps of a ledger are in pieces, each at least twice as long as the next one: adding to them takes no longer when
# there are many.
add_pieces <- function(pieces, steps) {
  if (!length(steps)) return(pieces)
  pieces <- c(pieces, list(steps))
  while ((last <- length(pieces)) > 1 && length(pieces[[last - 1]]) < 2 * length(pieces[[last]])) {
    pieces <- c(pieces[seq_len(last - 2)], list(c(pieces[[last - 1]], pieces[[last]])))
  }
  pieces
}

# Those after the first `from`.
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

# A file may be moved, but not be in two places.
refuse_copied_file <- function(ledger, arg) {
  if (ledger$home == ledger$place) return(invisible())
  original <- .Call(ffi_budget_peek, read_path(ledger$home), 1000)
  if (is.character(original)) {
    stop_ledger(arg, ledger$file, "was kept in ", home_words(ledger), ", of which this session cannot tell whether it ",
                "still is there: ", original)
  }
  if (ledger_id(original) != ledger$id) return(invisible())
  stop_ledger(arg, ledger$file, "is a copy of ", home_words(ledger), "; go on with that one")
}

home_words <- function(ledger) encodeString(rawToChar(read_path(ledger$home)), quote = "\"")

# A ledger that was moved says so: copies of it are copies of where it is now.
settle_ledger <- function(ledger, arg) {
  if (ledger$home == ledger$place) return(ledger)
  settled <- append_line(ledger, paste("moved", ledger$place, sep = " | "), arg)
  if (is.null(settled)) stop_ledger(arg, ledger$file, "was written to by two processes at once")
  settled
}

# A ledger that is found elsewhere is not gone from where it was before.
remember_place <- function(ledger, place) {
  for (other in names(places_seen)) if (places_seen[[other]] == ledger$id) rm(list = other, envir = places_seen)
  assign(place, ledger$id, envir = places_seen)
}

place_key <- function(file) .Call(ffi_budget_checksums, "", write_path(file))

# Of a ledger with charges that was seen in a place, and whose place another one has taken (`id`: NULL for one that is
# to be made), somebody has gone back to the start.
refuse_replaced <- function(file, id, arg) {
  before <- places_seen[[place_key(file)]]
  if (is.null(before) || identical(before, id) || ledgers_read[[before]]$count == 0) return(invisible())
  stop_ledger(arg, file,
              "was the ledger of another budget, which was charged in this session and is gone; open it where it ",
              "is now, or keep the new budget in another file")
}

# The ledger with these lines more, or NULL if one of them does not fit.
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

# Charges and moves.
read_entries <- function(ledger, fields) {
  first <- vapply(fields, `[`, "", 1)
  moves <- first == "moved"
  if (any(lengths(fields) != ifelse(moves, 2, 4))) return(NULL)
  if (any(moves)) ledger$home <- fields[[max(which(moves))]][2]
  numbers <- ledger$count + seq_len(sum(!moves))
  if (!identical(first[!moves], format_whole(numbers))) return(NULL)
  texts <- as.character(unlist(strsplit(vapply(fields[!moves], `[`, "", 4), " + ", fixed = TRUE)))
  # many charges are alike
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
  # people have a name, and nothing else has one
  if ((fields[4] == "person") != (length(fields) == 7)) return(NULL)
  person <- if (length(fields) == 7) canonical_strings(read_name(fields[7]))
  if (!is.null(person) && (is.na(person) || !nzchar(person))) return(NULL)
  read <- read_fields(fields[3])
  if (!is_good(read) || !all(read$count == 1)) return(NULL)
  numbers <- read$values
  names(numbers) <- read$key
  measure <- names(numbers)[names(numbers) %in% c("epsilon", "rho")]
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

# The ledger with that line, as it was read back; NULL if the file has another size than the ledger that was read.
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

# What take_bytes() makes of a whole line that this session wrote behind whole lines, and found in its place, byte by
# byte: where it ends and what its checksum is need not be found out.
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

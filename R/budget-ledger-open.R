# How the ledger of a budget in a file is made and opened. What its bytes say is budget-ledger.R, where it is
# budget-ledger-file.R.

# Makes the ledger, or opens one that is there. `terms`: NULL for any.
open_ledger <- function(file, terms, arg) {
  asked <- file
  file <- ledger_path(file, arg)
  # Nobody waits while the many lines are read. Whether they are a ledger is judged below: its maker may be writing it.
  if (file.exists(file)) tryCatch(read_ledger(file, arg), dptda_error_ledger = function(condition) NULL)
  with_ledger_lock(file, arg, {
    if (!file.exists(file)) make_ledger(file, terms, arg, asked)
    ledger <- read_ledger(file, arg)
    # by the name that people use, too: a link may have been turned
    refuse_replaced(typed_path(asked), ledger$id, arg)
    if (!is.null(terms)) check_terms(ledger, terms, arg)
    ledger <- settle_ledger(ledger, arg)
    assign(place_key(typed_path(asked)), ledger$id, envir = places_seen)
    ledger
  })
}

# As it was typed, from the root on, with all of its links.
typed_path <- function(file) {
  file <- path.expand(enc2native(file))
  if (grepl("^(/|[A-Za-z]:|\\\\\\\\)", file)) file else file.path(getwd(), file)
}

make_ledger <- function(file, terms, arg, asked) {
  if (is.null(terms)) {
    stop_ledger(arg, file, "does not exist; to make it, give `epsilon` or `rho`")
  }
  for (place in c(file, typed_path(asked))) refuse_replaced(place, NULL, arg)
  empty <- new_ledger(file, join = paste0(ledger_title, "\n"))
  # 128 bits: no budget that was or will be has them
  id <- paste(sprintf("%04x", floor(65536 * .Call(ffi_base_draw_units, 8, list("os", 1L, NULL)))), collapse = "")
  if (is.null(append_line(empty, terms_text(id, terms, file), arg, made_in = dirname(file)))) {
    stop_ledger(arg, file, "cannot be made")
  }
}

check_terms <- function(ledger, terms, arg) {
  # the order follows from them
  compared <- c("measure", "total", "unit_rows", "relation", "person", "composition")
  unlike <- compared[!vapply(compared, function(term) identical(ledger$terms[[term]], terms[[term]]), NA)]
  if (!length(unlike)) return(invisible())
  stop_ledger(arg, ledger$file, "is kept under other terms than these (", paste(unlike, collapse = ", "),
              "); privacy_budget(file = ) alone opens it as it is")
}

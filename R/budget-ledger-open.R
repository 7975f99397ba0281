# Creation and opening of ledgers in files. Their content is described in budget-ledger.R, and their paths and locks in
# budget-ledger-file.R.

# Opens a ledger, and makes it first if the file does not exist. `terms`: the required terms, or NULL for any.
open_ledger <- function(file, terms, arg) {
  asked <- file
  file <- ledger_path(file, arg)
  # reads most lines before the lock, so that nobody waits; ignores errors: the maker may not have finished the file
  if (file.exists(file)) tryCatch(read_ledger(file, arg), dptda_error_ledger = function(condition) NULL)
  with_ledger_lock(file, arg, {
    if (!file.exists(file)) make_ledger(file, terms, arg, asked)
    ledger <- read_ledger(file, arg)
    # also checks the path as typed, because a link may point to another file now
    refuse_replaced(typed_path(asked), ledger$id, arg)
    if (!is.null(terms)) check_terms(ledger, terms, arg)
    ledger <- settle_ledger(ledger, arg)
    assign(place_key(typed_path(asked)), ledger$id, envir = places_seen)
    ledger
  })
}

# Returns the absolute path as typed, with all of its links.
typed_path <- function(file) {
  file <- path.expand(enc2native(file))
  if (grepl("^(/|[A-Za-z]:|\\\\\\\\)", file)) file else file.path(getwd(), file)
}

make_ledger <- function(file, terms, arg, asked) {
  if (is.null(terms)) {
    stop_ledger(arg, file, "does not exist. To create it, give `epsilon`, `rho`, or `mu`")
  }
  for (place in c(file, typed_path(asked))) refuse_replaced(place, NULL, arg)
  empty <- new_ledger(file, join = paste0(ledger_title, "\n"))
  # 128 random bits, so that no two budgets have the same id
  id <- paste(sprintf("%04x", floor(65536 * .Call(ffi_base_draw_units, 8, list("os", 1L, NULL)))), collapse = "")
  if (is.null(append_line(empty, terms_text(id, terms, file), arg, made_in = dirname(file)))) {
    stop_ledger(arg, file, "cannot be made")
  }
}

check_terms <- function(ledger, terms, arg) {
  # the order follows from these terms
  compared <- c("measure", "total", "unit_rows", "relation", "person", "composition")
  unlike <- compared[!vapply(compared, function(term) identical(ledger$terms[[term]], terms[[term]]), NA)]
  if (!length(unlike)) return(invisible())
  stop_ledger(arg, ledger$file, "has other terms than you gave (", paste(unlike, collapse = ", "),
              "). privacy_budget(file = ) alone opens it as it is")
}

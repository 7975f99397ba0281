# Errors are classed conditions: `dptda_error_<kind>`, then `dptda_error`.
# The message is one sentence that names the argument as the user typed it,
# states what it must be and what it is. It never shows a value of the data.

# `parent`: the error of a user's function that this error reports.
# The parts of a message may be vectors of strings, or NULL.
stop_dptda <- function(kind, ..., call = NULL, parent = NULL) {
  message <- paste0(c(...), collapse = "")
  condition <- structure(
    class = c(paste0("dptda_error_", kind), "dptda_error", "error", "condition"),
    c(list(message = message, call = call), if (!is.null(parent)) list(parent = parent))
  )
  stop(condition)
}

# Called from C after a kernel has been cleaned up (ffi-call.c).
stop_kernel <- function(kind, message) stop_dptda(kind, message)

# Warnings are classed in the same way: `dptda_warning_<kind>`. `fields`: further fields for handlers.
warn_dptda <- function(kind, ..., fields = list()) {
  condition <- structure(
    class = c(paste0("dptda_warning_", kind), "dptda_warning", "warning", "condition"),
    c(list(message = paste0(...), call = NULL), fields)
  )
  warning(condition)
}

# Announces facts worth knowing before a long wait: `dptda_message_<kind>`.
tell_dptda <- function(kind, ...) {
  condition <- structure(
    class = c(paste0("dptda_message_", kind), "dptda_message", "message", "condition"),
    list(message = paste0(..., "\n"), call = NULL)
  )
  message(condition)
}

# Raises an error about an argument. The words complete the sentence "`arg` ...".
stop_argument <- function(arg, ...) stop_dptda("argument", "`", arg, "` ", ...)

# Runs code that calls a function of the user. `when` describes the call that failed. A worker that died is not its
# fault.
blame_argument <- function(arg, code, when = "") {
  tryCatch(code, error = function(parent) {
    if (inherits(parent, "dptda_error_worker")) stop(parent)
    stop_argument(arg, "failed", when, ": ", conditionMessage(parent), parent = parent)
  })
}

# Returns the value of `code`, or `otherwise` if it fails. A time limit during `code` is not a failure and is raised
# again, with a fixed message, because `code` may be anyone's.
value_or <- function(code, otherwise) {
  tryCatch(code, error = function(cnd) if (is_time_limit(cnd)) pass_on_limit() else otherwise)
}

pass_on_limit <- function() stop("reached elapsed time limit", call. = FALSE)

pass_on_interrupt <- function() {
  signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
  invokeRestart("abort")
}

# Detects R's own errors of setTimeLimit() by their messages in any language, because they have no class of their own.
# Errors of packages that set a limit have one, such as TimeoutException. No method is called.
time_limits <- paste("reached", c("elapsed", "session elapsed", "CPU", "session CPU"), "time limit")
is_time_limit <- function(condition) {
  plain <- is.list(condition) && identical(oldClass(condition), c("simpleError", "error", "condition"))
  told <- if (plain) .subset2(unclass(condition), "message")
  is.character(told) && length(told) == 1 && told %in% c(time_limits, gettext(time_limits, domain = "R"))
}

# Describes a public argument in a message: its type and shape, or its value if it is one short public scalar.
describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.data.frame(x)) return("a data frame")
  if (is_released_number(x)) return("a released value (as.numeric() gives its numbers)")
  if (is.matrix(x)) return(paste(with_article(typeof(x)), "matrix"))
  if (is.function(x)) return("a function")
  if (is.list(x) && !is.object(x)) return("a list")
  if (inherits(x, "factor")) return("a factor")
  if (is.atomic(x) && length(x) == 1) {
    shown <- if (is.character(x)) encodeString(x, quote = "\"", na.encode = TRUE) else format(x)
    return(substr(shown, 1, 40))
  }
  if (is.atomic(x)) return(paste(with_article(typeof(x)), "vector of length", length(x)))
  describe_object(x)
}

describe_object <- function(x) {
  if (inherits(x, "dptda_unseen")) return("unseen() rows, which hold no data")
  paste0("an object of class \"", class(x)[1], "\"")
}

# Whether an object holds numbers from a release.
is_released_number <- function(x) UseMethod("is_released_number")

is_released_number.default <- function(x) FALSE

# Describes data: never by a value, and by the class if that is the problem.
describe_data <- function(x) {
  if (is.object(x) && !is.data.frame(x)) return(describe_object(x))
  if (is.null(x) || is.matrix(x) || !is.atomic(x)) return(describe(x))
  paste(with_article(typeof(x)), if (is.null(dim(x))) "vector" else "array")
}

# Describes a column of a table that should hold plain numbers.
describe_column <- function(x) {
  if (is.data.frame(x)) return("a data frame")
  if (length(dim(x)) > 1) return("a matrix")
  if (is.factor(x)) return("a factor")
  if (is.object(x)) return(paste0("of class \"", class(x)[1], "\""))
  if (is.list(x)) return("a list")
  paste(with_article(typeof(x)), "vector")
}

# Lists names of columns or arguments, the first ones if there are many.
quote_names <- function(names, most = 12) {
  more <- length(names) - most
  shown <- paste0("`", if (more > 1) names[seq_len(most)] else names, "`", collapse = ", ")
  if (more > 1) paste0(shown, " and ", more, " more") else shown
}

# Writes a name as code. R forbids empty names and names above 10,000 bytes.
show_name <- function(name) {
  if (nzchar(name) && nchar(name, "bytes") <= 1e4) deparse1(as.name(name), backtick = TRUE) else "column"
}

# 200,000 and not 2e+05.
format_count <- function(n) format(n, big.mark = ",", decimal.mark = ".", scientific = FALSE, trim = TRUE)

# Writes text that programs read, or that names a part of a result, independently of the session's options.
with_plain_numbers <- function(code) {
  before <- options(OutDec = ".", digits = 7, scipen = 0, digits.secs = NULL)
  on.exit(options(before))
  code
}

# "1 row", "2 rows".
count_of <- function(n, noun) with_plain_numbers(paste0(n, " ", noun, if (n != "1") "s"))

# Formats all probabilities in one way.
format_percent <- function(probability) paste0(format(100 * probability, digits = 4), "%")

with_article <- function(noun) paste(if (grepl("^[aeiou]", noun)) "an" else "a", noun)

# Defines the algorithms of releases with several ones. A method is a list of its settings with a class, made by a
# constructor that checks them: synthesis_aim(max_model_size = 8) has the class c("synthesis_aim", "dptda_method"), of
# the family "synthesis". The constructor is exported if users need the settings. Every method has a name, "aim". A
# method is plain public data, so a plan may hold it. S3 methods for its class run it. No list of methods exists: to add
# one, write define_method(), with its constructor if it has settings, and the S3 methods that its family requires.

# `...`: the checked settings, under the constructor's names.
new_method <- function(class, ...) new_result(list(...), c(class, "dptda_method"))

# Declares a method, which is valid if its constructor returns it from its settings. By default it takes no settings.
# `in_database`: whether its rows may be in a database.
define_method <- function(class, make = function() new_method(class), in_database = FALSE) {
  force(class)
  define_class(class, if (missing(make)) "its release" else paste0(class, "()"), .bare = is.list,
               .valid = function(x) identical(do.call(make, unclass(x), quote = TRUE), x))
  known_classes[[class]][c("make", "in_database")] <- list(make, in_database)
}

works_in_database <- function(class) known_classes[[class]]$in_database

# The names of a family's methods, without the family's name. Constructors are <family>_<name>().
method_names <- function(family) {
  prefix <- paste0(family, "_")
  substring(ls(known_classes, pattern = paste0("^", prefix)), nchar(prefix) + 1)
}

default_method <- function(family, name) known_classes[[paste0(family, "_", name)]]$make()

method_name <- function(method) sub("^[^_]*_", "", class(method)[1])

# Returns a method of a family. A string selects the method of that name with default settings.
check_method <- function(x, family, arg = deparse1(substitute(x))) {
  force(arg)
  names <- method_names(family)
  own <- inherits(x, "dptda_method") && class(x)[1] %in% paste0(family, "_", names)
  if (own) return(check_valid(x, class(x)[1], arg))
  plain <- any_case(unclass(x), names) # "Lloyd", as kmeans() has it
  if (!(is.character(plain) && length(plain) == 1 && plain %in% names)) {
    makers <- intersect(paste0(family, "_", names), getNamespaceExports(topenv()))
    stop_argument(arg, "must be one of ", paste0("\"", names, "\"", collapse = ", "),
                  if (length(makers)) paste0(", or be made by ", paste0(makers, "()", collapse = ", ")),
                  ", not ", describe(x), if (is.function(x)) ". Call it with parentheses", ".")
  }
  default_method(family, plain)
}

define_class("dptda_method", "its constructor", .bare = is.list, .valid = function(x) {
  class <- class(x)[1]
  class != "dptda_method" && !is.null(known_classes[[class]]) && is_valid(x, class)
})

#' @export
print.dptda_method <- function(x, ...) {
  check_valid(x, "dptda_method")
  settings <- vapply(x, deparse1, "")
  words <- if (length(x)) {
    paste0(class(x)[1], "(", paste(names(settings), settings, sep = " = ", collapse = ", "), ")")
  } else {
    encodeString(method_name(x), quote = "\"")
  }
  cat("<method> ", paste(strwrap(words, getOption("width") - 9, exdent = 2), collapse = "\n"), "\n", sep = "")
  invisible(x)
}

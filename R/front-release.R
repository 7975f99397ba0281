# Makes releases from a recipe and a file of rows, and writes releases to files.

#' @rdname release_recipe
#' @export
recipe_release <- function(recipe, x = NULL, ..., budget = NULL, folder = NULL) {
  check_no_dots(...)
  recipe <- as_recipe(recipe)
  if (!is.null(budget)) check_class(budget, "dptda_budget", "privacy_budget()", "budget")
  write <- function(name, release, entry) {
    if (is.null(folder)) return(NULL)
    tryCatch(release_files(release, folder, name, rows = entry$rows), error = function(cnd) {
      warn_dptda("files", "The release `", name, "` has been made and charged, but its files were not written: ",
                 conditionMessage(cnd), " The result contains the release.")
    })
  }
  into_folder(folder, release_all(recipe, x, budget, write)$releases)
}

# Evaluates `code`, which writes into a folder. The folder is checked or made first, before anything is spent. A new
# folder is removed if it stays empty.
into_folder <- function(folder, code) {
  if (!is.null(folder)) {
    made <- is_one_string(folder) && !dir.exists(folder)
    check_writable(check_folder(folder))
    if (made) on.exit(if (!length(list.files(folder, all.files = TRUE, no.. = TRUE))) unlink(folder, recursive = TRUE))
  }
  code
}

# Makes all releases. `each` is called after every release, because a later failure does not undo what was spent.
release_all <- function(recipe, x, budget, each) {
  parts <- recipe_parts(recipe)
  room <- recipe_room(recipe, parts)
  # checks everything public before it reads the rows
  mechanisms <- made_in(room, lapply(parts, mechanism_call))
  types <- recipe_types(recipe)
  plan_budget(recipe, mechanisms, budget)
  clock <- release_clock()
  if (is.null(x)) x <- recipe$data$file
  room$x <- recipe_rows(recipe, x, types)
  table <- if (is_one_string(x)) basename(x)
  wait_for_clock(clock) # the clock here covers reading the file, and each release has its own clock
  room$budget <- if (is.null(budget)) eval(budget_call(recipe), topenv()) else budget
  made <- list()
  for (i in seq_along(parts)) {
    name <- names(parts)[i]
    made[[name]] <- of_release(name, length(parts), eval(release_call(parts[[i]]), room))
    guarantee <- name_columns(privacy(made[[name]]), recipe$releases[[i]])
    guarantee$public$table <- table
    made[[name]] <- attach_guarantee(made[[name]], guarantee)
    each(name, made[[name]], recipe$releases[[i]])
  }
  list(releases = made, budget = room$budget)
}

# Reads the rows for all releases. Their number must equal the public number in the recipe. Missing values are valid
# only if all releases of the column drop them.
recipe_rows <- function(recipe, x, types) {
  if (is.null(x)) stop_missing("x", "the path of a file of rows, since the recipe names none")
  omits <- vapply(recipe$releases, function(one) !is.null(one$missing), NA)
  x <- if (is.data.frame(x)) typed_frame(x, types) else read_recipe_file(recipe, x, types)
  whole <- unique(c(unlist(lapply(recipe$releases[!omits], function(one) names(entry_types(one)))), recipe$unit$person))
  for (name in whole) {
    if (anyNA(x[[name]])) {
      stop_argument(paste0("x$", name), "must not contain missing values", if (!identical(name, recipe$unit$person))
        ". Use `missing: omit` in a recipe to drop them from counts, sums, and means", ".")
    }
  }
  person <- recipe$unit$person
  units <- if (is.null(person)) nrow(x) else length(unique(x[[person]]))
  if (units != recipe_units(recipe)) {
    stop_argument("x", "must have ", format_count(recipe_units(recipe)), " ", units_noun(person),
                  ", as in the recipe, not ", format_count(units), ". The number is public and determines the noise.")
  }
  x
}

read_recipe_file <- function(recipe, file, types) {
  refuse_missing_levels(recipe)
  do.call(table_file, c(list(file, types), recipe$data[names(recipe$data) != "file"]), quote = TRUE)
}

# Converts existing columns to their types, which are public and do not depend on values.
typed_frame <- function(x, types) {
  refuse_groups(x, "x")
  at <- names(types) %in% names(x)
  if (!all(at)) {
    absent <- names(types)[!at][1]
    stop_argument("x", "must have the columns of the recipe. It has no `", absent, "`, but ", quote_names(names(x)),
                  did_you_mean(absent, names(x)), ".")
  }
  twice <- intersect(names(types), names(x)[duplicated(names(x))])
  if (length(twice)) stop_argument("x", "must have each column once, and has several `", twice[1], "`.")
  for (name in names(types)) {
    if (length(dim(x[[name]])) || length(x[[name]]) != nrow(x)) {
      stop_argument(paste0("x$", name), "must have one value for each row.")
    }
  }
  made <- Map(function(x, type, name) read_values(x, type, name, ".", character(), "error"),
              unclass(x)[names(types)], types, names(types))
  structure(made, names = names(types), row.names = .set_row_names(nrow(x)), class = "data.frame")
}

check_folder <- function(folder) {
  if (!is_one_string(folder) || is.object(folder) || !nzchar(folder)) {
    stop_argument("folder", "must be the path of a folder, not ", describe(folder), ".")
  }
  if (!dir.exists(folder) && !suppressWarnings(dir.create(folder))) {
    stop_argument("folder", "must be a folder that is there or can be made, and ", encodeString(folder, quote = "\""),
                  " is none.")
  }
  folder
}

# Tests that files can be created, because a charged result would be lost if it could not be written.
check_writable <- function(folder) {
  trial <- tempfile(".dptda-", folder)
  if (!suppressWarnings(file.create(trial))) {
    stop_argument("folder", "must be a folder in which files can be made, and ", encodeString(folder, quote = "\""),
                  " is none.")
  }
  unlink(trial)
}

# ---- files -------------------------------------------------------------------------------------------------------

#' Files of a release, with its guarantee beside them
#'
#' `release_files()` writes a release to files: the numbers as CSV or JSON, a picture as PNG if there is one, and the
#' guarantee, in a form that people and programs can read.
#'
#' @param x A release.
#' @param folder A string: a folder, which is created if it does not exist.
#' @param name A string: the name of the files, without their extensions. If files with this name exist, a number is
#'   added (`mean-2`), so that earlier releases are not overwritten.
#' @param ... Not used. Later arguments must be named.
#' @param format `"csv"` or `"json"`.
#' @param picture `TRUE` or `FALSE`: whether to draw a picture.
#' @param rows For synthetic data, one integer: the number of rows to draw from the model and write. `NULL` uses the
#'   number of rows in the table.
#'
#' @return The paths of the files, invisibly: `<name>.csv` or `<name>.json` with the result of `as.data.frame()` (for
#'   synthetic data, the rows), `<name>.png`, and `<name>-privacy.yaml`, the guarantee, which the command line reads
#'   ([dptda_command]).
#' @seealso [recipe_release()], [privacy_report()]
#' @examples
#' folder <- tempfile()
#' box <- domain_box(c(age = 15), c(age = 50))
#' release <- private_mean(infert, box, epsilon = 1)
#' files <- release_files(release, folder, "age")
#' writeLines(readLines(files[["privacy"]]))
#' unlink(folder, recursive = TRUE)
#' @export
release_files <- function(x, folder, name, ..., format = c("csv", "json"), picture = TRUE, rows = NULL) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x", "a release")
  guarantee <- privacy(x)
  if (is.null(guarantee)) stop_argument("x", "must be a release with its guarantee, not ", describe_data(x), ".")
  if (missing(folder)) stop_missing("folder")
  folder <- check_folder(folder)
  if (missing(name)) stop_missing("name")
  if (!is_one_string(name) || !grepl("^[^/\\\\]+$", name)) {
    stop_argument("name", "must be a string without slashes, not ", describe(name), ".")
  }
  format <- check_choice(format, c("csv", "json"))
  picture <- check_flag(picture)
  if (!is.null(rows)) rows <- check_count(rows, 1)
  table <- with_plain_numbers(release_frame(x, rows))
  name <- claim_name(folder, name)
  path <- function(ending) file.path(folder, paste0(name, ending))
  files <- c(result = path(paste0(".", format)), privacy = path("-privacy.yaml"))
  write_lines(with_plain_numbers(guarantee_lines(guarantee, basename(files[["result"]]))), files[["privacy"]])
  if (format == "csv") {
    in_utf8({
      output <- new_file(files[["result"]])
      on.exit(close(output))
      with_plain_numbers(utils::write.csv(table, output, row.names = FALSE))
    })
  } else {
    close(new_file(files[["result"]]))
    write_lines(with_plain_numbers(json_text(table)), files[["result"]])
  }
  if (picture && draw_release_file(x, path(".png"))) files[["picture"]] <- path(".png")
  invisible(files)
}

# Finds an unused name, so that no paid result is overwritten. It creates the file of the guarantee at once, so that no
# other process can use the same name.
claim_name <- function(folder, name) {
  endings <- c(".csv", ".json", ".png", "-privacy.yaml")
  free <- name
  i <- 1
  repeat {
    names <- paste0(free, endings)
    taken <- are_taken(folder, names)
    claim <- file.path(folder, names[4])
    claimed <- if (!taken) value_or(suppressWarnings(new_file(claim)), NULL)
    if (!is.null(claimed)) {
      close(claimed)
      return(free)
    }
    if (!taken && !file.exists(claim)) {
      stop_argument("folder", "must be a folder in which files can be made, and in ",
                    encodeString(folder, quote = "\""), " there can be no ", encodeString(names[4], quote = "\""), ".")
    }
    i <- i + 1
    free <- paste0(name, "-", i)
  }
}

# Tests whether files exist. Links without a target also count.
are_taken <- function(folder, names) {
  any(names %in% list.files(folder, all.files = TRUE)) || any(file.exists(file.path(folder, names)))
}

# Evaluates `code` in a UTF-8 locale, if one exists. In other locales, R writes <U+00F6> instead of the letter.
in_utf8 <- function(code) {
  if (l10n_info()[["UTF-8"]]) return(code)
  before <- Sys.getlocale("LC_CTYPE")
  on.exit(Sys.setlocale("LC_CTYPE", before))
  for (locale in c("C.UTF-8", "en_US.UTF-8", "UTF-8")) {
    if (nzchar(suppressWarnings(Sys.setlocale("LC_CTYPE", locale)))) break
  }
  code
}

# Opens a new file for writing. Raises an error if a file or link with this name exists.
new_file <- function(file) file(file, "wx", encoding = "UTF-8")

release_frame <- function(x, rows) {
  if (!inherits(x, "dptda_synthesis")) return(as.data.frame(x))
  n <- if (is.null(rows)) privacy(x)$public$n else rows
  # any number of draws from a released model is post-processing
  stats::simulate(x, nsim = n)
}

# Draws a release, and returns whether this worked.
draw_release_file <- function(x, file) {
  if (!any(class(x) %in% method_classes("plot"))) return(FALSE)
  # png() would replace a percent sign with the page number
  place <- gsub("%", "%%", file, fixed = TRUE)
  if (!value_or(is.null(grDevices::png(place, 1200, 900, res = 150)), FALSE)) return(FALSE)
  drawn <- value_or({
    graphics::par(mar = c(4.5, 4.5, 2.5, 1))
    plot(x)
    TRUE
  }, FALSE)
  grDevices::dev.off()
  if (!drawn) unlink(file)
  drawn
}

# Writes a guarantee as YAML.
guarantee_lines <- function(guarantee, result) {
  fields <- c(list(result = result, about = about_public(guarantee$public), table = guarantee$public$table,
                   unit = guarantee$unit, relation = guarantee$relation),
              if (!is.null(guarantee$person)) list(person = guarantee$person), as.list(guarantee$measure),
              list(n = guarantee$public$n, mechanism = guarantee$mechanism, sampler = guarantee$sampler,
                   random = guarantee$random),
              if (length(guarantee$inexact)) list(inexact = guarantee$inexact),
              if (is_one_string(guarantee$public$caveat)) list(caveat = guarantee$public$caveat),
              list(made_by = paste("dptda", utils::packageVersion("dptda"))))
  fields <- Filter(function(one) length(one) > 0, fields)
  c(paste("#", format(guarantee)), paste0(names(fields), ": ", vapply(fields, json_text, "")))
}

# ---- text --------------------------------------------------------------------------------------------------------

# Writes JSON, which is also YAML. A data frame becomes a list of rows.
json_text <- function(x) {
  if (is.data.frame(x)) {
    columns <- lapply(x, function(column) if (is.object(column)) as.character(column) else column)
    rows <- lapply(seq_len(nrow(x)), function(i) json_text(lapply(columns, `[[`, i)))
    return(paste0("[", paste(rows, collapse = ",\n "), "]"))
  }
  if (is.list(x)) {
    inner <- vapply(x, json_text, "")
    if (is.null(names(x))) return(paste0("[", paste(inner, collapse = ", "), "]"))
    return(paste0("{", paste0(vapply(names(x), json_string, ""), ": ", inner, collapse = ", "), "}"))
  }
  words <- if (is.character(x)) vapply(x, json_string, "", USE.NAMES = FALSE) else if (is.logical(x)) {
    ifelse(x, "true", "false")
  } else {
    ifelse(is.finite(x), number_text(x), vapply(x, function(one) {
      json_string(if (is.na(one)) "NA" else if (one > 0) "Inf" else "-Inf")
    }, ""))
  }
  words[is.na(x)] <- "null"
  if (length(x) == 1) words else paste0("[", paste(words, collapse = ", "), "]")
}

# Writes the shortest digits that read back as the same number, independent of session options. Programs in other
# languages read YAML and JSON. The point is needed because YAML readers take 1e-06 for a string.
number_text <- function(x) sub("^(-?[0-9]+)e", "\\1.0e", write_numbers(x, c("%.15g", "%.17g")))

json_string <- function(x) {
  if (is.na(x)) return("null")
  x <- enc2utf8(x)
  for (pair in list(c("\\", "\\\\"), c("\"", "\\\""), c("\n", "\\n"), c("\r", "\\r"), c("\t", "\\t"))) {
    x <- gsub(pair[1], pair[2], x, fixed = TRUE)
  }
  # YAML readers refuse or change some control characters, line ends, and byte order marks
  for (code in c(setdiff(1:31, c(9, 10, 13)), 127:159, 0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff)) {
    x <- gsub(intToUtf8(code), sprintf("\\u%04x", code), x, fixed = TRUE)
  }
  paste0("\"", x, "\"")
}

# Text of a recipe: its guarantees in print, and the recipe itself in YAML.

#' @rdname release_recipe
#' @export
print.dptda_recipe <- function(x, ...) {
  check_valid(x, "dptda_recipe")
  mechanisms <- recipe_mechanisms(x)
  cat("<recipe> ", count_of(length(mechanisms), "release"), " of ", count_units(recipe_units(x), x$unit$person), "\n",
      sep = "")
  cat(plan_lines(x, mechanisms), plan_words(x, mechanisms), sep = "\n")
  invisible(x)
}

# Lists for each release its cost, the public settings of the recipe, and the size of its noise.
plan_lines <- function(recipe, mechanisms) {
  lines <- Map(function(mechanism, entry, name) {
    noise <- privacy_price(mechanism)$noise
    shown <- ifelse(is.na(noise$within), noise$kind, paste0("+- ", vapply(noise$within, format, "", digits = 3),
                                                            " (95%)"))
    public <- yaml_fields(entry[setdiff(names(entry), c("release", "name", cost_forms))])
    c(paste0(name, ": ", short_cost(mechanism$guarantee$measure)),
      unlist(lapply(public, strwrap, 78, indent = 2, exdent = 4)),
      if (nrow(noise)) paste0("  ", format(noise$of), "  ", shown)
      else strwrap(mechanism$guarantee$mechanism, 78, indent = 2, exdent = 2))
  }, mechanisms, recipe$releases, names(mechanisms))
  unlist(lines, use.names = FALSE)
}

short_cost <- function(measure) paste(names(measure), "=", vapply(measure, format, "", digits = 4), collapse = ", ")

# States the total cost and guarantee, and which releases will be weak and why.
plan_words <- function(recipe, mechanisms) {
  together <- do.call(privacy_compose, unname(lapply(mechanisms, `[[`, "guarantee")))
  weak <- vapply(mechanisms, function(one) {
    words <- weak_words(one)
    if (is.null(words)) "" else words
  }, "")
  terms <- recipe$budget[intersect(cost_forms, names(recipe$budget))]
  c(strwrap(paste0("together: ", format(together)[1]), exdent = 2),
    if (length(terms)) paste0("budget: ", short_cost(unlist(terms))),
    if (!is.null(recipe$budget$ledger)) paste0("ledger: ", encodeString(recipe$budget$ledger, quote = "\"")),
    unlist(lapply(which(nzchar(weak)), function(i) {
      strwrap(paste0("weak: ", if (length(weak) > 1) paste0(names(weak)[i], ": "), weak[[i]]), exdent = 2)
    })))
}

#' @exportS3Method
result_table.dptda_recipe <- function(x) {
  mechanisms <- recipe_mechanisms(x)
  rows <- Map(function(mechanism, name) {
    noise <- privacy_price(mechanism)$noise
    if (!nrow(noise)) noise <- noise_lines(NA_character_, mechanism$guarantee$mechanism, NA_real_)
    cbind(release = name, noise, cost = short_cost(mechanism$guarantee$measure))
  }, mechanisms, names(mechanisms))
  do.call(rbind, unname(rows))
}

# ---- YAML --------------------------------------------------------------------------------------------------------

#' @rdname release_recipe
#' @export
format.dptda_recipe <- function(x, ...) {
  check_valid(x, "dptda_recipe")
  releases <- lapply(x$releases, function(one) {
    lines <- yaml_fields(one)
    paste0(rep(c("- ", "  "), c(1, length(lines) - 1)), lines)
  })
  c("# A recipe of releases for dptda: release_recipe(\"this file\") in R, dptda plan FILE in a shell",
    if (!is.null(x$data)) c("data:", paste0("  ", yaml_fields(x$data))),
    paste0("unit: ", yaml_text(x$unit)),
    if (!is.null(x$budget)) paste0("budget: ", yaml_text(x$budget)),
    "releases:", unlist(releases))
}

yaml_fields <- function(x) paste0(vapply(names(x), yaml_key, ""), ": ", vapply(x, yaml_text, ""))

# Writes a value in one line.
yaml_text <- function(x) {
  if (is.list(x)) {
    return(paste0("{", paste(yaml_fields(x), collapse = ", "), "}"))
  }
  words <- if (is.character(x)) vapply(x, yaml_word, "") else if (is.logical(x)) tolower(x) else number_text(x)
  if (length(x) == 1) words else paste0("[", paste(words, collapse = ", "), "]")
}

yaml_key <- function(x) yaml_word(x, "^[A-Za-z_][A-Za-z0-9_.]*$")

# Quotes strings that YAML could read as another type.
yaml_word <- function(x, plain = "^[A-Za-z_/][A-Za-z0-9_./+-]*$") {
  other <- c("y", "n", "yes", "no", "true", "false", "on", "off", "null", "nan", "inf")
  if (grepl(plain, x) && !tolower(x) %in% other) x else json_string(x)
}

# The design of a regression, from public arguments alone: a formula, the box of its numbers, and the levels of its
# factors. Every column has a public range, which it is mapped to [-1, 1] by, so that no number comes from the rows.
#
# A design is plain data:
#
#   response    an expression, see below; for a binomial model it is absent, and the last factor is the response
#   numbers     names of the numeric variables, in the order of the rows' columns; `lower`, `upper`: their ranges
#   axes        of the factors, by name (base-axis.R)
#   parts       the numeric expressions of the columns: a list of `call`, `lower`, and `upper`
#   columns     a list for each column: `name`, `parts` (places in `parts`, multiplied), `levels` (a named vector: the
#               cell of each factor in which the column is not zero), `center`, and `half`
#   back        the matrix that turns coefficients of scaled columns into those of the columns themselves
#   square      a bound of the squared length of a row of scaled columns, the intercept included

# ---- the formula -----------------------------------------------------------------------------------------------------

# Reads a formula. `box`: checked. `levels`: NULL, or a list of levels by name. `success`: for a binomial response, its
# level; otherwise NULL.
regression_design <- function(formula, box, levels, success = NULL) {
  if (!inherits(formula, "formula") || length(formula) != 3) {
    stop_argument("formula", "must be a formula with a response, such as y ~ x, not ", describe(formula), ".")
  }
  if (is.null(box$columns)) stop_argument("box", "must have named sides, one for each numeric variable.")
  axes <- regression_axes(levels, box)
  terms <- formula_terms(formula)
  sides <- stats::setNames(lapply(seq_along(box$lower), function(j) c(box$lower[[j]], box$upper[[j]])), box$columns)
  response <- formula[[2]]
  if (!is.null(success)) axes <- with_response(axes, response, success, sides)
  known <- c(if (is.null(success)) all.vars(response), all.vars(formula[[3]]))
  reserved <- grep("^[.][.]([.]|[0-9]+)$", known, value = TRUE)
  if (length(reserved)) stop_argument("formula", "must not have `", reserved[1], "`, which R reserves. Rename it.")
  refuse_unknown(setdiff(known, c(names(sides), names(axes))))
  factors <- intersect(names(axes), all.vars(formula[[3]]))
  if (response_name(response) %in% all.vars(formula[[3]])) {
    stop_argument("formula", "must not have the response `", response_name(response), "` among its terms.")
  }
  design <- list(response = if (is.null(success)) numeric_part(response, sides, names(axes)),
                 numbers = intersect(names(sides), known))
  used <- match(design$numbers, box$columns)
  design$lower <- unname(box$lower[used])
  design$upper <- unname(box$upper[used])
  design$classes <- box$classes[used]
  design$axes <- axes[c(factors, if (!is.null(success)) response_name(response))]
  design <- add_columns(design, terms, sides, factors)
  design$formula <- paste(deparse(unclassed(formula), width.cutoff = 500), collapse = " ")
  scale_columns(design)
}

unclassed <- function(formula) {
  attributes(formula) <- NULL
  formula
}

# The order and the coding of the terms, as stats::model.matrix() has them. A `.` would be all columns of the data.
formula_terms <- function(formula) {
  if ("." %in% all.vars(formula)) stop_argument("formula", "must name its variables. `.` depends on the data.")
  terms <- tryCatch(stats::terms(formula), error = function(cnd) {
    stop_argument("formula", "is not a formula of a linear model: ", conditionMessage(cnd), ".")
  })
  if (length(attr(terms, "offset"))) stop_argument("formula", "must have no offset().")
  terms
}

regression_axes <- function(levels, box) {
  if (is.null(levels)) return(list())
  if (!is.list(levels) || is.object(levels) || !length(levels) || !are_names(names(levels))) {
    stop_argument("levels", "must be NULL or a list of public levels, named by variable, such as ",
                  "list(sex = c(\"f\", \"m\")), not ", describe(levels), ".")
  }
  twice <- intersect(names(levels), box$columns)
  if (length(twice)) {
    stop_argument("levels", "must name other variables than `box`. Both name ", quote_names(twice), ".")
  }
  Map(function(levels, name) {
    arg <- paste0("levels$", name)
    level_axis(check_cell_levels(levels, arg), arg)
  }, levels, names(levels))
}

response_name <- function(response) if (is.name(response)) as.character(response) else ""

# The response of a binomial model is a factor: one level is the success, and all else is not.
with_response <- function(axes, response, success, sides) {
  name <- response_name(response)
  if (name == "") {
    stop_argument("formula", "must have the name of a column as its response, not `", deparse1(response),
                  "`. Use `success` for its public level.")
  }
  if (name %in% names(sides)) {
    stop_argument("box", "must not have a side for the response `", name, "`, whose success is `success`.")
  }
  success <- check_cell_levels(success)
  if (length(success) != 1) stop_argument("success", "must be one value, not ", length(success), ".")
  axes[[name]] <- level_axis(success, "success")
  axes
}

refuse_unknown <- function(names) {
  if (!length(names)) return(invisible())
  stop_argument("formula", "has ", quote_names(names), ", which neither `box` nor `levels` names. Give each numeric ",
                "variable a side of the box, and each factor its public levels. Write numbers as numbers.")
}

# ---- numbers and their ranges ----------------------------------------------------------------------------------------

# A numeric expression of one row, with its public range. `sides`: the ranges of variables, and of expressions that the
# box names. `factors`: names that are no numbers.
numeric_part <- function(call, sides, factors) {
  range <- range_of(call, sides, factors)
  if (anyNA(range) || !all(is.finite(range))) {
    stop_argument("box", "must have a side for `", deparse1(call), "`, because its range is not known: list(\"",
                  deparse1(call), "\" = c(lower, upper)).")
  }
  list(call = call, lower = range[1], upper = range[2])
}

# The range of an expression, c(NA, NA) if it is not known.
range_of <- function(call, sides, factors) {
  own <- sides[[deparse1(call)]]
  if (!is.null(own)) return(own)
  if (is.numeric(call) || is.logical(call)) return(rep(as.double(call), 2))
  if (is.name(call)) {
    name <- as.character(call)
    if (name %in% factors) stop_argument("formula", "must not use the factor `", name, "` as a number.")
    refuse_unknown(name)
  }
  name <- if (is.call(call) && is.name(call[[1]])) as.character(call[[1]]) else ""
  rule <- range_rules[[name]]
  if (is.null(rule)) {
    stop_argument("formula", "must use functions of one row: ", toString(setdiff(names(range_rules), "(")),
                  ", not `", deparse1(call), "`. Functions such as scale(), poly(), cut(), or mean() depend on other ",
                  "rows.")
  }
  if (!is.null(names(call)) && any(nzchar(names(call)))) {
    stop_argument("formula", "must not name arguments of functions, as `", deparse1(call), "` does.")
  }
  ranges <- lapply(as.list(call)[-1], range_of, sides, factors)
  if (any(vapply(ranges, anyNA, NA))) return(c(NA_real_, NA_real_))
  if (!length(ranges) %in% rule$arguments) {
    stop_argument("formula", "must not have ", count_of(length(ranges), "argument"), " in `", deparse1(call), "`.")
  }
  found <- suppressWarnings(do.call(rule$range, ranges))
  if (anyNA(found) || !all(is.finite(found))) c(NA_real_, NA_real_) else as.double(found)
}

growing <- function(f, least = -Inf) {
  list(arguments = 1, range = function(x) if (x[1] < least) NA else f(x))
}
zero_to_one <- function(arguments) list(arguments = arguments, range = function(...) c(0, 1))
ends_of <- function(f) function(x, y) range(outer(x, y, f))

# The functions of one row that a formula may use, by name.
range_rules <- list(
  `(` = growing(identity), I = growing(identity), log = growing(log, 0), log2 = growing(log2, 0),
  log10 = growing(log10, 0), log1p = growing(log1p, -1), exp = growing(exp), sqrt = growing(sqrt, 0),
  floor = growing(floor), ceiling = growing(ceiling),
  abs = list(arguments = 1, range = function(x) if (x[1] <= 0 && x[2] >= 0) c(0, max(abs(x))) else sort(abs(x))),
  `+` = list(arguments = 1:2, range = function(x, y = c(0, 0)) x + y),
  `-` = list(arguments = 1:2, range = function(x, y) if (missing(y)) -rev(x) else x - rev(y)),
  `*` = list(arguments = 2, range = ends_of(`*`)),
  `/` = list(arguments = 2, range = function(x, y) if (y[1] <= 0 && y[2] >= 0) NA else ends_of(`/`)(x, y)),
  `^` = list(arguments = 2, range = function(x, y) power_range(x, y)),
  pmin = list(arguments = 2, range = function(x, y) pmin(x, y)),
  pmax = list(arguments = 2, range = function(x, y) pmax(x, y)),
  `<` = zero_to_one(2), `>` = zero_to_one(2), `<=` = zero_to_one(2), `>=` = zero_to_one(2), `==` = zero_to_one(2),
  `!=` = zero_to_one(2),
  `&` = zero_to_one(2), `|` = zero_to_one(2), `!` = zero_to_one(1)
)

# Powers with one public exponent.
power_range <- function(x, y) {
  if (y[1] != y[2]) return(if (x[1] > 0) ends_of(`^`)(x, y) else NA)
  whole <- y[1] == round(y[1])
  if (!whole && x[1] < 0 || y[1] < 0 && x[1] <= 0 && x[2] >= 0) return(NA)
  if (whole && y[1] %% 2 == 0 && x[1] <= 0 && x[2] >= 0) return(sort(c(0, max(abs(x))^y[1])))
  sort(x^y[1])
}

# The functions themselves. Formulas are evaluated with these alone.
row_functions <- list2env(mget(names(range_rules), envir = baseenv()), parent = emptyenv())

# The value of a part in each row, moved into its range. A value that is no number becomes the lower end. `rows`: a list
# of numeric variables, each already in its side of the box.
part_values <- function(part, rows) {
  value <- suppressWarnings(as.double(eval(part$call, rows, row_functions)))
  value <- rep_len(pmin(pmax(value, part$lower), part$upper), length(rows[[1]]))
  value[is.na(value)] <- part$lower
  value
}

# ---- columns ---------------------------------------------------------------------------------------------------------

# The columns of all terms, coded as model.matrix() codes them with treatment contrasts.
add_columns <- function(design, terms, sides, factors) {
  variables <- as.list(attr(terms, "variables"))[-1]
  used <- full_first_factor(terms, factors)
  columns <- if (attr(terms, "intercept") == 1) list(list(name = "(Intercept)", parts = integer(), levels = NULL))
  design$parts <- list()
  for (term in seq_along(attr(terms, "term.labels"))) {
    coding <- used[, term]
    coding <- coding[coding > 0]
    found <- list(list(name = character(), parts = integer(), levels = NULL))
    for (i in seq_along(coding)) {
      variable <- variables[[match(names(coding)[i], rownames(used))]]
      name <- deparse1(variable)
      if (name %in% factors) {
        found <- by_level(found, name, design$axes[[name]]$names, coding[[i]] == 1)
      } else {
        design$parts <- c(design$parts, list(numeric_part(variable, sides, names(design$axes))))
        found <- lapply(found, function(column) {
          column$name <- c(column$name, paste0(name, if (is_condition(variable)) "TRUE"))
          column$parts <- c(column$parts, length(design$parts))
          column
        })
      }
    }
    columns <- c(columns, lapply(found, function(column) {
      column$name <- paste(column$name, collapse = ":")
      column
    }))
  }
  if (!length(columns)) stop_argument("formula", "must have a term or an intercept.")
  if (length(columns) > max_coefficients) {
    stop_argument("formula", "must have at most ", max_coefficients, " coefficients, not ", length(columns), ".")
  }
  design$square <- (attr(terms, "intercept") == 1) + length(attr(terms, "term.labels"))
  design$columns <- columns
  design
}

max_coefficients <- 60

# Without an intercept, model.matrix() codes the first factor of the first term with one by all its levels.
full_first_factor <- function(terms, factors) {
  used <- attr(terms, "factors")
  if (attr(terms, "intercept") == 1) return(used)
  first <- which(used > 0 & rownames(used) %in% factors, arr.ind = TRUE)
  if (nrow(first)) used[first[1, 1], first[1, 2]] <- 2
  used
}

is_condition <- function(call) {
  is.call(call) && as.character(call[[1]])[1] %in% c("<", ">", "<=", ">=", "==", "!=", "&", "|", "!")
}

# Each column once for each level, apart from the first one if it is the reference.
by_level <- function(columns, factor, names, contrast) {
  cells <- seq_along(names)
  if (contrast) cells <- cells[-1]
  unlist(lapply(cells, function(cell) {
    lapply(columns, function(column) {
      column$name <- c(column$name, paste0(factor, names[cell]))
      column$levels <- c(column$levels, stats::setNames(cell, factor))
      column
    })
  }), recursive = FALSE)
}

# Scales the columns to [-1, 1]. A range is centered if the columns without numbers can make up for it: for all rows
# with the same levels, these are constant. Otherwise, 0 stays 0.
scale_columns <- function(design) {
  count <- length(design$columns)
  plain <- which(vapply(design$columns, function(column) !length(column$parts), NA))
  cells <- cells_of_factors(design)
  indicator <- function(column) indicator_of(column$levels, cells)
  known <- do.call(cbind, lapply(design$columns[plain], indicator))
  back <- diag(count)
  for (j in setdiff(seq_len(count), plain)) {
    ends <- range_of_product(design$parts[design$columns[[j]]$parts])
    shift <- if (length(plain)) combination_of(known, indicator(design$columns[[j]]))
    center <- if (is.null(shift)) 0 else mean(ends)
    half <- if (is.null(shift)) max(abs(ends)) else diff(ends) / 2
    if (half <= 0) half <- 1 # a column of one value
    design$columns[[j]][c("center", "half")] <- list(center, half)
    back[j, j] <- 1 / half
    if (!is.null(shift)) back[plain, j] <- -center / half * shift
  }
  for (j in plain) design$columns[[j]][c("center", "half")] <- list(0, 1)
  design$back <- back
  names <- vapply(design$columns, `[[`, "", "name")
  dimnames(design$back) <- list(names, names)
  if (!is.null(design$response)) {
    ends <- c(design$response$lower, design$response$upper)
    level <- if (length(plain)) combination_of(known, rep(1, nrow(known)))
    center <- if (is.null(level)) 0 else mean(ends)
    half <- if (is.null(level)) max(abs(ends)) else diff(ends) / 2
    if (half <= 0) stop_argument("box", "must have a response that can differ from row to row.")
    design$response[c("center", "half")] <- list(center, half)
    design$level <- double(count)
    if (!is.null(level)) design$level[plain] <- center * level
  }
  design
}

range_of_product <- function(parts) {
  ends <- c(1, 1)
  for (part in parts) ends <- range(outer(ends, c(part$lower, part$upper)))
  ends
}

# All combinations of levels of the factors of the terms, as rows of cells.
cells_of_factors <- function(design) {
  sizes <- lapply(design$axes, `[[`, "size")
  used <- unique(unlist(lapply(design$columns, function(column) names(column$levels))))
  if (prod(unlist(sizes[used]), 1) > max_groups) {
    # levels of one factor at a time, all others at their reference
    blocks <- lapply(used, function(name) {
      block <- matrix(1L, sizes[[name]], length(used), dimnames = list(NULL, used))
      block[, name] <- seq_len(sizes[[name]])
      block
    })
    return(do.call(rbind, blocks))
  }
  as.matrix(do.call(expand.grid, lapply(sizes[used], seq_len)))
}

indicator_of <- function(levels, cells) {
  if (!length(levels)) return(rep(1, max(1, nrow(cells))))
  as.double(rowSums(cells[, names(levels), drop = FALSE] == rep(levels, each = nrow(cells))) == length(levels))
}

# The combination of the columns of `known` that equals `wanted`, or NULL.
combination_of <- function(known, wanted) {
  found <- qr(known)
  shift <- qr.coef(found, wanted)
  shift[is.na(shift)] <- 0
  if (max(abs(known %*% shift - wanted)) > 1e-8) return(NULL)
  ifelse(abs(shift) < 1e-8, 0, round(shift, 8))
}

# ---- rows ------------------------------------------------------------------------------------------------------------

# The scaled columns of `count` rows. `numbers`: a matrix of the numeric variables. `codes`: a list of the cells of each
# factor, one number for each row or for all of them.
design_columns <- function(design, numbers, codes, count) {
  parts <- lapply(design$parts, part_values, numbers_in_box(design, numbers, count))
  scaled <- vapply(design$columns, function(column) {
    x <- rep(1, count)
    for (part in parts[column$parts]) x <- x * part
    x <- (x - column$center) / column$half
    for (name in names(column$levels)) x <- x * (codes[[name]] == column$levels[[name]])
    x
  }, double(count))
  matrix(scaled, count)
}

# The same with the response as the last column.
design_rows <- function(design, numbers, codes, count = nrow(numbers)) {
  y <- if (is.null(design$response)) {
    rep_len(as.double(codes[[length(codes)]] == 1), count)
  } else {
    value <- part_values(design$response, numbers_in_box(design, numbers, count))
    (value - design$response$center) / design$response$half
  }
  cbind(design_columns(design, numbers, codes, count), y, deparse.level = 0)
}

# Numeric variables as a list, moved into the box. What is no number becomes the lower end.
numbers_in_box <- function(design, numbers, count) {
  values <- lapply(seq_along(design$numbers), function(j) {
    x <- pmin(pmax(numbers[, j], design$lower[j]), design$upper[j])
    x[is.na(x)] <- design$lower[j]
    x
  })
  if (!length(values)) return(list(double(count)))
  stats::setNames(values, design$numbers)
}

# Coefficients of the columns in the units of the data, and the matrix that gives their covariance: beta is in units of
# scaled columns and of the scaled response.
in_data_units <- function(design, beta) {
  map <- data_map(design)
  drop(map %*% beta) + if (is.null(design$level)) 0 else design$level
}

data_map <- function(design) design$back * if (is.null(design$response)) 1 else design$response$half

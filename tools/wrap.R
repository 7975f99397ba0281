#!/usr/bin/env Rscript
# Cuts lines above 120 columns (tools/lines.R) in scripts of R, and in the comments of shell scripts:
#
#   Rscript tools/wrap.R FILE...
#
# A comment is filled again from its first long line to the end of its paragraph. A line of code is cut after a comma or
# an operator, as far out of the brackets as it can be, and goes on below the bracket's content or two columns in.
# Before a file is written, both texts are parsed: what would be read as another program is not written. What cannot be
# cut, such as a long text, stays; roxygen does as well, since its lines are paragraphs of the documentation.

limit <- 120

# ---- comments --------------------------------------------------------------------------------------------------

is_comment <- function(lines) grepl("^\\s*#($|[^'!])", lines)
# The first line of a paragraph, a list or a drawing.
starts <- function(lines) grepl("^\\s*#\\s*$|^\\s*#\\s{2,}|^\\s*# ?[-*]|^\\s*# [0-9]+[.)] |-{4,}", lines)

fill <- function(lines) {
  i <- 1
  while (i <= length(lines)) {
    long <- is_comment(lines[i]) && nchar(lines[i], "width") > limit && !grepl("^\\s*#\\s{2,}|-{4,}", lines[i])
    if (long) {
      last <- i
      while (last < length(lines) && is_comment(lines[last + 1]) && !starts(lines[last + 1])) last <- last + 1
      head <- sub("^(\\s*# ).*$", "\\1", lines[i])
      words <- paste(sub("^\\s*# ?", "", lines[i:last]), collapse = " ")
      filled <- paste0(head, strwrap(words, limit - nchar(head) + 1))
      lines <- c(lines[seq_len(i - 1)], filled, lines[-seq_len(last)])
      i <- i + length(filled)
    } else {
      i <- i + 1
    }
  }
  lines
}

# ---- code --------------------------------------------------------------------------------------------------

openers <- c("'('", "'['", "'{'", "LBB")
closers <- c("')'", "']'", "'}'")
operators <- c("AND2", "OR2", "AND", "OR", "'+'", "'-'", "'*'", "'/'", "PIPE", "SPECIAL", "EQ", "NE", "LT", "GT",
               "LE", "GE",
               "LEFT_ASSIGN", "EQ_SUB", "ELSE")

# The line after which to cut, and where the rest begins: c(cut, indent), or NULL.
place <- function(tokens, line) {
  first <- tokens$col1[1] - 1
  depth <- 0
  open <- integer() # columns behind the brackets that this line opened
  head_at <- integer() # depths of heads
  best <- NULL
  for (k in seq_len(nrow(tokens) - 1)) {
    token <- tokens$token[k]
    heads <- c("IF", "FUNCTION", "WHILE")
    if (token == "'('" && k > 1 && tokens$token[k - 1] %in% heads) head_at <- c(head_at, depth)
    if (token %in% openers) {
      open <- c(open, tokens$col2[k])
      depth <- depth + 1
      if (token == "LBB") {
        open <- c(open, tokens$col2[k])
        depth <- depth + 1
      }
    }
    if (token %in% closers) {
      open <- utils::head(open, -1)
      depth <- depth - 1
    }
    # behind the head of an `if` or a function
    is_head <- token == "')'" && depth %in% head_at && !tokens$token[k + 1] %in% c("'{'", closers, "','")
    if (is_head) head_at <- setdiff(head_at, depth)
    unary <- token %in% c("'+'", "'-'") && (k == 1 || tokens$token[k - 1] %in%
                                            c(openers, operators, "','", "EQ_SUB", "EQ_FORMALS"))
    cuts <- is_head || token == "','" || (token %in% setdiff(operators, c("EQ_SUB", "ELSE")) && !unary)
    if (!cuts || tokens$col2[k] > limit || k == nrow(tokens)) next
    indent <- if (length(open) && open[length(open)] <= 70) open[length(open)] else first +
      if (token == "','" && depth <= 0) 0 else 2
    if (token == "LEFT_ASSIGN" || is_head && !length(open)) indent <- first + 2
    rest <- tokens$col2[nrow(tokens)] - tokens$col1[k + 1] + 1
    # far out of the brackets, with lines that fit, and not too early
    cost <- max(depth, 0) * 10 + 25 * (tokens$col2[k] < 50) + 8 * (indent + rest > limit) + 5 *
      (token == "LEFT_ASSIGN") +
      30 * (rest < 8) - tokens$col2[k] / 20
    if (is.null(best) || cost < best$cost) best <- list(cost = cost, cut = tokens$col2[k], indent = indent)
  }
  best
}

cut_code <- function(lines) {
  stuck <- integer()
  repeat {
    code <- parse(text = lines, keep.source = TRUE)
    data <- utils::getParseData(code)
    data <- data[data$terminal, ]
    data <- data[order(data$line1, data$col1), ]
    many <- data[data$line1 != data$line2, ] # texts of several lines
    inside <- unlist(Map(seq, many$line1, many$line2))
    long <- which(nchar(lines, "width") > limit & !grepl("^\\s*#", lines))
    long <- setdiff(long, c(stuck, inside))
    if (!length(long)) return(lines)
    i <- long[1]
    tokens <- data[data$line1 == i, ]
    # columns are bytes
    if (nchar(lines[i], "bytes") != nchar(lines[i], "width")) {
      stuck <- c(stuck, i)
      next
    }
    last <- tokens[nrow(tokens), ]
    if (last$token == "COMMENT" && nrow(tokens) > 1) {
      indent <- strrep(" ", tokens$col1[1] - 1)
      new <- c(paste0(indent, last$text), sub("\\s+$", "", substr(lines[i], 1, last$col1 - 1)))
    } else {
      best <- place(tokens, i)
      if (is.null(best)) {
        stuck <- c(stuck, i)
        next
      }
      rest <- sub("^\\s+", "", substring(lines[i], best$cut + 1))
      new <- c(sub("\\s+$", "", substr(lines[i], 1, best$cut)), paste0(strrep(" ", best$indent), rest))
    }
    # a rest as long as the line gains nothing
    if (max(nchar(new)) >= nchar(lines[i])) {
      stuck <- c(stuck, i)
      next
    }
    lines <- c(lines[seq_len(i - 1)], new, lines[-seq_len(i)])
    stuck <- ifelse(stuck > i, stuck + 1, stuck)
  }
}

same_program <- function(before, after) identical(parse(text = before, keep.source = FALSE),
                                                  parse(text = after, keep.source = FALSE))

for (file in commandArgs(TRUE)) {
  before <- readLines(file, warn = FALSE)
  if (endsWith(file, ".R")) {
    after <- tryCatch(fill(cut_code(before)), error = function(cnd) {
      message(file, ": ", conditionMessage(cnd))
      before
    })
    if (!same_program(before, after)) {
      message(file, ": not written, it would be another program")
      next
    }
  } else {
    after <- fill(before)
  }
  if (!identical(before, after)) writeLines(after, file)
  left <- sum(nchar(after, "width") > limit)
  if (left) cat(file, ": ", left, " lines are still too long\n", sep = "")
}

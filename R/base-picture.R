# Common parts of pictures: colors that everybody can distinguish, a theme, and words above a picture.

# The plots name columns of their data as ggplot2's pronoun `.data` does.
utils::globalVariables(".data")

picture_colors <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999")

# The background is white, since a transparent picture has gray text on a dark slide. Titles begin at the left of the
# whole picture, which leaves more room than above a narrow panel.
picture_theme <- function(theme = ggplot2::theme_minimal(base_size = 12)) {
  theme + ggplot2::theme(plot.background = ggplot2::element_rect(fill = "white", color = NA),
                         plot.title.position = "plot")
}

# A field without axes.
picture_void <- function() picture_theme(ggplot2::theme_void(base_size = 12))

# Names below a picture of usual width that would run into each other stand upright. In a narrower picture, those that
# find no room are left out.
upright_where_long <- function(names) {
  if (sum(nchar(names) + 2) <= 70) return(ggplot2::guides(x = ggplot2::guide_axis(check.overlap = TRUE)))
  ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5))
}

# Above a picture of base graphics, at its right, in as many lines as it takes, below the title `main`.
tell_on_picture <- function(words, outer = FALSE, main = NULL, adj = 1, cex = 0.8, col = "gray25") {
  cex <- cex * if (outer) 1 else graphics::par("cex")
  # words above the middle of the plot reach as far to each side, others end with the plot
  plt <- graphics::par("plt")[1:2]
  share <- if (adj == 0.5) 2 * min(mean(plt), 1 - mean(plt)) else plt[2]
  wide <- if (outer) graphics::par("din")[1] else share * graphics::par("fin")[1]
  lines <- break_lines(words, 0.98 * wide, cex / graphics::par("cex"))
  at <- 0.25 + cex * 1.15 * rev(seq_along(lines) - 1)
  if (length(lines)) graphics::mtext(lines, 3, at, outer = outer, adj = adj, cex = cex, col = col)
  if (!is.null(main) && !outer) fit_title(main, line = max(1.4, at + 1.3 * cex))
}

# A title above a picture of base graphics, smaller if the figure is too narrow for it.
fit_title <- function(main, ...) {
  size <- graphics::par("cex.main")
  plt <- graphics::par("plt")[1:2]
  room <- 1.96 * min(mean(plt), 1 - mean(plt)) * graphics::par("fin")[1]
  wide <- max(graphics::strwidth(main, "inches", cex = size, font = graphics::par("font.main")), 0)
  graphics::title(main = main, cex.main = size * min(1, room / wide), ...)
}

# Draws all names below the places of a picture, in smaller type if needed.
draw_names <- function(at, names) {
  size <- graphics::par("cex.axis")
  room <- 0.95 * graphics::par("pin")[1] / diff(graphics::par("usr")[1:2])
  small <- min(1, room / max(graphics::strwidth(names, "inches", cex = size), 1e-9))
  # below half the size they are unreadable, so some are left out
  full <- small < 0.5
  graphics::axis(1, at = at, labels = names, tick = FALSE, cex.axis = size * if (full) 0.5 else small,
                 gap.axis = if (full) 0.5 else -1)
}

# Words in lines of at most `wide` inches.
break_lines <- function(words, wide, cex) {
  lines <- character()
  for (word in unlist(strsplit(as.character(words), " ", fixed = TRUE))) {
    longer <- paste(c(utils::tail(lines, 1), word), collapse = " ")
    fits <- length(lines) > 0 && graphics::strwidth(longer, "inches", cex = cex) <= wide
    lines <- c(if (fits) lines[-length(lines)] else lines, if (fits) longer else word)
  }
  lines
}

number_marks <- function(at) {
  largest <- max(abs(at))
  list(at = at, labels = format(at, trim = TRUE, scientific = largest >= 1e9 || largest < 1e-4))
}

# Returns the width of the widest label, in lines of a margin.
wide_in_lines <- function(names) {
  line <- graphics::par("cin")[2] * graphics::par("cex") * graphics::par("mex")
  max(0, graphics::strwidth(names, "inches", cex = graphics::par("cex.axis"))) / line
}

# Sets a left margin wide enough for these names and `more` lines, at most two fifths of the figure. Opens a page to
# measure them, on which the picture is then drawn. Returns the previous margins.
left_room <- function(names, more = 1) {
  graphics::plot.new()
  mar <- graphics::par("mar")
  line <- graphics::par("cin")[2] * graphics::par("cex") * graphics::par("mex")
  wide <- wide_in_lines(names) + more
  graphics::par(new = TRUE)
  graphics::par(mar = replace(mar, 2, max(mar[2], min(wide, 0.4 * graphics::par("fin")[1] / line))))
}

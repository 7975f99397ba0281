# What pictures share: colors that are told apart by everybody, a theme, and words above a picture.

# The plots name columns of their data as ggplot2's pronoun `.data` does.
utils::globalVariables(".data")

picture_colors <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999")

picture_theme <- function() ggplot2::theme_minimal(base_size = 12)

# Names below a picture of usual width that would run into each other stand upright.
upright_where_long <- function(names) {
  if (sum(nchar(names) + 2) <= 70) return(NULL)
  ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5))
}

# Above a picture of base graphics, at its right.
tell_on_picture <- function(words, outer = FALSE) {
  if (!is.null(words)) graphics::mtext(words, 3, 0.25, outer = outer, adj = 1, cex = 0.8, col = "gray25")
}

# A left margin in which these names find room, and `more` lines, at most two fifths of the figure. Opens a page to
# measure them, on which the picture is then drawn; gives the margins that were there before.
left_room <- function(names, more = 1) {
  graphics::plot.new()
  mar <- graphics::par("mar")
  line <- graphics::par("cin")[2] * graphics::par("cex") * graphics::par("mex")
  wide <- max(graphics::strwidth(names, "inches", cex = graphics::par("cex.axis"))) / line + more
  graphics::par(new = TRUE)
  graphics::par(mar = replace(mar, 2, max(mar[2], min(wide, 0.4 * graphics::par("fin")[1] / line))))
}

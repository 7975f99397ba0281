# What pictures share: colors that are told apart by everybody, a theme, and words above a picture.

# The plots name columns of their data as ggplot2's pronoun `.data` does.
utils::globalVariables(".data")

picture_colors <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999")

picture_theme <- function() ggplot2::theme_minimal(base_size = 12)

# Above a picture of base graphics, at its right.
tell_on_picture <- function(words, outer = FALSE) {
  if (!is.null(words)) graphics::mtext(words, 3, 0.25, outer = outer, adj = 1, cex = 0.8, col = "gray25")
}

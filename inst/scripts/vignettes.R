# Shared by the vignettes and the articles of the site (vignettes/articles): the size and type of pictures, their
# colors, and the tables of results. Each page begins with
#
#   source(system.file("scripts", "vignettes.R", package = "dptda"), local = TRUE)
#
# Pictures are seven inches wide. Where the package is installed there is room for 72 dots an inch, and the site shows
# them larger and with 192. Type is thirteen points, in several panels twelve: `panels = c(rows, columns)` of a chunk
# sets these out, and nothing of that is in the code that is shown. Code has colors on the site alone: `highlight: null`
# saves a quarter of a megabyte of the five that an installed package may have.

local({
  on_site <- nzchar(Sys.getenv("IN_PKGDOWN"))
  knitr::opts_chunk$set(
    collapse = TRUE, comment = "#>", fig.width = 7, fig.align = "center", panels = c(1, 1), margins = NULL,
    dpi = if (on_site) 96 else 72, fig.retina = if (on_site) 2 else 1, dev = "png",
    dev.args = if (capabilities("cairo")) list(type = "cairo", pointsize = 13) else list(pointsize = 13)
  )
  # with "#> " before it, what R prints has 80 columns
  options(width = 77)
  # After a chunk, knitr runs hooks in reverse order of these options, so pngquant comes first.
  if (nzchar(Sys.which("zopflipng"))) { # the same picture in seven eighths of the space
    knitr::knit_hooks$set(zopflipng = function(before, options, envir) {
      if (before) return(invisible())
      files <- knitr::fig_path(".png", options, seq_len(options$fig.num))
      smaller <- c("-y", "--filters=0", "--iterations=5")
      for (file in files[file.exists(files)]) system2("zopflipng", c(smaller, file, file), stdout = FALSE)
    })
    knitr::opts_chunk$set(zopflipng = TRUE)
  }
  if (nzchar(Sys.which("pngquant"))) { # a third of the size
    knitr::knit_hooks$set(pngquant = knitr::hook_pngquant)
    knitr::opts_chunk$set(pngquant = "--speed=1 --quality=10-40 --nofs") # dithering adds a twentieth
  }
  # One theme for pictures of base graphics; `margins` in lines below, left, above and right.
  knitr::knit_hooks$set(panels = function(before, options, envir) {
    if (!before) return(invisible())
    margins <- options$margins
    if (is.null(margins)) margins <- c(3.3, 3.8, 1.8, 0.6)
    par(mfrow = options$panels, cex = if (all(options$panels == 1)) 1 else 0.92, mar = margins, las = 1,
        mgp = c(2.2, 0.5, 0), tcl = -0.3, cex.main = 1, font.main = 1, cex.axis = 1, cex.lab = 1, fg = "gray30",
        col.axis = "gray20", col.lab = "gray20")
    invisible()
  })
})

# Colors that are told apart by everybody, as in the pictures of the package (Okabe and Ito).
palette_of <- c(blue = "#0072B2", vermilion = "#D55E00", green = "#009E73", purple = "#CC79A7", orange = "#E69F00",
                sky = "#56B4E9", gray = "#999999")

# A table that a simulation left, inst/simulations/results/<name>.csv of the sources.
table_of <- local({
  tables <- readRDS(system.file("simulations", "tables.rds", package = "dptda", mustWork = TRUE))
  function(name, ...) {
    if (is.null(tables[[name]])) stop("no table ", name, ": run make document")
    utils::type.convert(tables[[name]], as.is = TRUE)
  }
})

# Rows of a table in which every named column has one of the given values.
rows_with <- function(from, ...) {
  wanted <- list(...)
  for (name in names(wanted)) from <- from[from[[name]] %in% wanted[[name]], , drop = FALSE]
  from
}

# Returns the words of a verdict if the results still support them. Otherwise the page is not built.
holds <- function(condition, words) {
  if (!isTRUE(condition)) stop("results contradict \"", words, "\": ", deparse1(substitute(condition)), call. = FALSE)
  words
}

# An axis with numbers without a zero before the point, and the box around the picture.
plain_axis <- function(side, at = axTicks(side), labels = bare(at)) {
  axis(side, at = at, labels = labels, col = NA, col.ticks = "gray40")
  box(col = "gray40")
}

bare <- function(x) sub("^(-?)0[.]", "\\1.", format(x, scientific = FALSE, trim = TRUE, drop0trailing = TRUE))

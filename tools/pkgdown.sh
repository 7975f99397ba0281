#!/bin/sh
# The site that pkgdown would make: every exported topic is in the reference of _pkgdown.yml, and every vignette builds
# as an article. Nothing of it stays; to see the site, run pkgdown::build_site() in a checkout.
set -eu
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sh tools/unpack.sh "$folder/dptda"
cp _pkgdown.yml "$folder/dptda"
sh tools/install.sh "$folder/library"
cd "$folder/dptda"
R_LIBS="$folder/library${R_LIBS:+:$R_LIBS}" Rscript -e '
  pkgdown::check_pkgdown()
  pkgdown::init_site()
  pkgdown::build_articles(lazy = FALSE)
  built <- file.exists(file.path("docs/articles", sub("Rmd$", "html", list.files("vignettes", "[.]Rmd$"))))
  if (!all(built)) stop("articles that were not built")
'

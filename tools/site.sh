#!/bin/sh
# `make site`: builds the site of the package into docs/, which is not committed:
#
#   tools/site.sh [FOLDER]
#
# The pages stand by themselves: open docs/index.html, no server and no network are needed. Every exported topic must be
# in the reference of _pkgdown.yml, and every vignette builds as an article, with pictures of twice the resolution that
# the installed package has room for. The articles of vignettes/articles are on the site only. In the end the links are
# checked. `tools/site-shots.sh` looks at it in a browser.
set -eu
cd "$(dirname "$0")/.."

checkout=$(pwd)
target=${1:-docs}
sh tools/setup.sh site
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sh tools/unpack.sh "$folder/dptda"
cp -R _pkgdown.yml pkgdown CONTRIBUTING.md SECURITY.md "$folder/dptda"
cp -R vignettes/articles "$folder/dptda/vignettes"
echo "Installing the package"
sh tools/install.sh "$folder/library"
Rscript tools/pack-tables.R "$folder/library/dptda/simulations/tables.rds"
cd "$folder/dptda"
echo "Building pages"
R_LIBS="$folder/library${R_LIBS:+:$R_LIBS}" IN_PKGDOWN=true Rscript -e '
  options(pkgdown.internet = FALSE)
  pkgdown::check_pkgdown()
  pkgdown::build_site(preview = FALSE, new_process = FALSE, install = FALSE)
' >"$folder/log" 2>&1 || {
  cat "$folder/log" >&2
  exit 1
}
cd "$checkout"
Rscript tools/site-offline.R "$folder/dptda/docs"
Rscript tools/site-links.R "$folder/dptda/docs"
rm -rf "$target"
mkdir -p "$(dirname "$target")"
mv "$folder/dptda/docs" "$target"
echo "Built: $target/index.html"

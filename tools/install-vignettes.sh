#!/bin/sh
# `make install`: installs the package with its vignettes, for use:
#
#   tools/install-vignettes.sh [LIBRARY]
#
# R CMD INSTALL of a checkout leaves the vignettes out: only R CMD build makes them. Without LIBRARY the package goes
# where R puts packages first, or into the user's own library if that place is not theirs to write.
set -eu
cd "$(dirname "$0")/.."

sh tools/setup.sh install
library=${1:-$(Rscript -e '
  first <- .libPaths()[1]
  cat(if (file.access(first, 2) == 0) first else path.expand(Sys.getenv("R_LIBS_USER")))')}
mkdir -p "$library"
library=$(cd "$library" && pwd)

checkout=$(pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export MAKEFLAGS="${MAKEFLAGS:--j2}"
{
  echo "Building the package and its vignettes"
  R CMD build "$checkout"
  echo "Installing into $library"
  R CMD INSTALL -l "$library" dptda_*.tar.gz
} >log 2>&1 || {
  cat log >&2
  exit 1
}
echo "Installed into $library. First steps: vignette(\"dptda\")"

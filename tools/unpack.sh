#!/bin/sh
# Puts the package as it would be shipped, without built vignettes, into a folder that does not exist yet:
#
#   tools/unpack.sh FOLDER
set -eu
cd "$(dirname "$0")/.."

checkout=$(pwd)
target=${1:?usage: tools/unpack.sh FOLDER}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(
  cd "$folder"
  R CMD build --no-build-vignettes "$checkout" >log 2>&1 || { cat log >&2; exit 1; }
  tar -xzf dptda_*.tar.gz
)
mv "$folder/dptda" "$target"

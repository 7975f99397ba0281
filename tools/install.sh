#!/bin/sh
# Installs the package from this checkout:
#
#   tools/install.sh LIBRARY [OPTIONS of R CMD INSTALL]
#
# It is built first and installed from the result, so that what is installed is what would be shipped, and no object
# compiled here with other flags slips in or stays behind.
set -eu
cd "$(dirname "$0")/.."

library=${1:?usage: tools/install.sh LIBRARY}
shift
mkdir -p "$library"
library=$(cd "$library" && pwd)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sh tools/unpack.sh "$folder/dptda"
MAKEFLAGS=${MAKEFLAGS:--j2} R CMD INSTALL "$@" -l "$library" "$folder/dptda" >"$folder/log" 2>&1 || {
  cat "$folder/log" >&2
  exit 1
}

#!/bin/sh
# `make demo`: installs what is missing, installs the package into .lib, and runs inst/scripts/walkers.R into demo/.
# Says in the end how long all of it took, the compilation too.
set -eu
cd "$(dirname "$0")/.."

started=$(date +%s)
sh tools/setup.sh demo
echo "Installing the package into .lib"
sh tools/install.sh .lib
mkdir -p demo
R_LIBS="$PWD/.lib${R_LIBS:+:$R_LIBS}" Rscript inst/scripts/walkers.R demo
echo "$(($(date +%s) - started)) seconds in all, with the installation"

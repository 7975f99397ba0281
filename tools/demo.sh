#!/bin/sh
# `make demo`: installs what is missing, installs the package into .lib, and runs inst/scripts/walkers.R into demo/.
set -eu
cd "$(dirname "$0")/.."

sh tools/setup.sh demo
echo "Installing the package into .lib"
sh tools/install.sh .lib
mkdir -p demo
R_LIBS="$PWD/.lib${R_LIBS:+:$R_LIBS}" Rscript inst/scripts/walkers.R demo

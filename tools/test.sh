#!/bin/sh
# `make test`: installs what is missing, installs the package into .lib, and runs the tests there. With
# DPTDA_LONG_TESTS=true the long statistical tests run as well. The last line is the count; the exit status is 1 if
# anything failed.
set -eu
cd "$(dirname "$0")/.."

sh tools/setup.sh test
echo "Installing the package into .lib"
sh tools/install.sh .lib
export NOT_CRAN=true OMP_WAIT_POLICY=passive R_LIBS="$PWD/.lib${R_LIBS:+:$R_LIBS}"
exec Rscript tools/run-tests.R

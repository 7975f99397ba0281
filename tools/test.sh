#!/bin/sh
# `make test`: installs what is missing, installs the package into .lib, and runs the tests there. With
# DPTDA_LONG_TESTS=true the long statistical tests run as well, and with DPTDA_TEST_COVERAGE=FOLDER each process leaves
# there how often it reached each line of R (tools/covered.R). The last line is the count; the exit status is 1 if
# anything failed.
set -eu
cd "$(dirname "$0")/.."

sh tools/setup.sh test
echo "Installing the package into .lib"
# Lines are counted where the sources are kept, and then compiling costs more than it gains.
if [ -n "${DPTDA_TEST_COVERAGE:-}" ]; then
  sh tools/install.sh .lib --with-keep.source
else
  sh tools/install.sh .lib
fi
export NOT_CRAN=true OMP_WAIT_POLICY=passive R_LIBS="$PWD/.lib${R_LIBS:+:$R_LIBS}"
exec Rscript tools/run-tests.R

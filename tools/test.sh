#!/bin/sh
# `make test`: installs what is missing, installs the package into .lib, runs the tests there, and once more for the
# coverage of R and C, which counts as one test. The last line is the count; the exit status is 1 if anything failed.
set -eu
cd "$(dirname "$0")/.."

sh tools/setup.sh test
echo "Installing the package into .lib"
sh tools/install.sh .lib

count=$(mktemp)
trap 'rm -f "$count"' EXIT
NOT_CRAN=true R_LIBS="$PWD/.lib${R_LIBS:+:$R_LIBS}" Rscript tools/run-tests.R "$count" || true
if [ -s "$count" ]; then
  { read -r passed; read -r failed; read -r skipped; } <"$count"
else # the run itself died
  passed=0 failed=1 skipped=0
fi

printf '\nCoverage\n'
if Rscript tools/coverage.R; then passed=$((passed + 1)); else failed=$((failed + 1)); fi

printf '\n%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]

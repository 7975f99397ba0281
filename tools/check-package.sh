#!/bin/sh
# R CMD build, which builds the vignettes, and R CMD check --as-cran. Fails on any error, warning or note, but for the
# note that suggested packages are not installed: the peers are not in Debian:
#
#   tools/check-package.sh [tests]
#
# With the word `tests` they run as CRAN runs them, which takes minutes; without it examples and documents are checked.
set -eu
cd "$(dirname "$0")/.."

checkout=$(pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Without UTF-8, without qpdf, or without a network the check has complaints that are not about the package. --as-cran
# always looks up in a table of CRAN who keeps the suggested packages that are absent: an empty table serves.
export LC_ALL=C.UTF-8 MAKEFLAGS=-j2
export _R_CHECK_CRAN_INCOMING_=false _R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_FORCE_SUGGESTS_=false
export R_CRAN_WEB="file://$folder"
# The size is that of what users get: binaries have no symbols for debuggers, which are two thirds of the library here.
echo 'CFLAGS = -O2' >makevars
export R_MAKEVARS_USER="$folder/makevars"
mkdir -p web/packages
Rscript -e 'saveRDS(data.frame(Package = character(), Maintainer = character()), "web/packages/packages.rds")'

R CMD build "$checkout"
without_tests=--no-tests
[ "${1:-}" != tests ] || without_tests=
R CMD check --as-cran --no-manual $without_tests --ignore-vignettes dptda_*.tar.gz || true

log=dptda.Rcheck/00check.log
# CRAN's limit is 5,120 KB.
echo "Installed: $(du -sk dptda.Rcheck/dptda | cut -f 1) KB"
# CRAN wants ten minutes for the whole check, so the tests have five. R's last output is user, system, elapsed.
seconds=0
if [ -z "$without_tests" ]; then
  seconds=$(tail -q -n 1 dptda.Rcheck/tests/testthat.Rout* 2>/dev/null | awk '{print int($1 + $2)}')
  seconds=${seconds:-0}
  echo "CRAN's tests: $seconds s of processors, at most 300"
fi
complaints=$(grep -E '(NOTE|WARNING|ERROR)$' $log |
  grep -vxE 'Status: .*|\* checking package dependencies \.\.\. NOTE') || true
grep -q '^Status:' $log || complaints="$complaints R CMD check did not finish."
[ "$seconds" -le 300 ] || complaints="$complaints Tests take $seconds s of processors."
[ -z "$complaints" ] || {
  grep -q '^\* DONE' dptda.Rcheck/00install.out || tail -50 dptda.Rcheck/00install.out >&2
  # The folder goes with this script, so what failed is said here. A crash leaves no list: then the end.
  for output in dptda.Rcheck/tests/*.Rout.fail; do
    [ -f "$output" ] || continue
    { grep -A 300 '^== Failed tests\|^══ Failed tests' "$output" || tail -n 50 "$output"; } >&2
  done
  printf 'R CMD check is not clean:\n%s\n' "$complaints" >&2
  exit 1
}

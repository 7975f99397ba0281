#!/bin/bash
# `make check`, ring 2 of the checks: everything that must hold before a release, on a machine that may have nothing. It
# takes two hours on two cores, and more beside other work: `make check STAGES='sanitizers|newest'` runs the stages
# whose names match (and setup). .ci/run is ring 1, and `make quick` ring 0.
cd "$(dirname "$0")/.." || exit 1
stage_limit=14400 # the long tests, on a machine that has other work
. tools/stages.sh

lines_of_r=$aside/lines-of-R
others="valgrind, R CMD check with CRAN's tests, site"
mkdir "$lines_of_r"

STAGES= check "what the machine needs" sh tools/setup.sh check
matched=0
check "objects in Makevars" sh tools/objects.sh
check "core free of R" sh tools/core-symbols.sh
check "families look down" Rscript tools/families.R
check "lines fit" Rscript tools/lines.R
check "releases are complete" Rscript tools/release.R
check "exports are shown" Rscript tools/exports.R
check "C warnings" sh tools/warnings.sh
check "C format" sh tools/format.sh check
check "exact laws of samplers, lies, and test vectors" sh checks/laws.sh
check "lemmas in Rocq" sh checks/rocq.sh
check "compiled for Windows" sh tools/mingw.sh
check "generated files" sh tools/generated.sh
check "workflows parse" Rscript -e 'invisible(lapply(Sys.glob(".github/workflows/*.yaml"), yaml::read_yaml))'
beside "$others" sh -c 'sh tools/valgrind.sh && sh tools/check-package.sh tests && sh tools/site.sh "$0/site"' "$aside"
# Each file in a process of its own, the long tests too; then the quick ones again, with R's lines counted.
tests "tests" env DPTDA_LONG_TESTS=true DPTDA_TEST_APART=true make test
check "tests, with lines of R counted" env DPTDA_TEST_COVERAGE="$lines_of_r" make test
check "lines of R reached" Rscript tools/covered.R R "$lines_of_r" --threshold
coverage_said
check "sanitizers and lines of C" sh tools/instrumented.sh
coverage_said
check "sanitizers with threads" sh tools/sanitizers.sh
check "a root of the newest Debian" bash tools/newest.sh root
check "kernels for all inputs" bash tools/newest.sh kernels
check "R CMD check with CRAN's tests, newest R and packages" bash tools/newest.sh check
tests "tests, newest R and packages" bash tools/newest.sh tests
finish "$others"
conclude

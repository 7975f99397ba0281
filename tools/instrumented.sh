#!/bin/sh
# Tests on one build that watches memory (AddressSanitizer), what C leaves undefined (UndefinedBehaviorSanitizer) and
# which lines of C are reached (gcov):
#
#   tools/instrumented.sh [LIST [SECONDS]]
#
# LIST is a file with the stems of the tests, in their order (tools/reach.R); without it all of them run. SECONDS: when
# no file is begun any more; the ones that were left are named. The last lines are the coverage. Where every test ran,
# less than 95 percent is a failure.
#
# The build gives each request to the arena a block of its own, or an overrun within a block would go unseen. There is
# one thread: threads that share gcov's counters wait for each other, and atomic counters, gcov's own way where there
# are threads, cost a test three to eight times more (tools/sanitizers.sh has threads). LeakSanitizer is off because it
# reports R's own leaks: the tests count the arena's blocks, and tools/valgrind.sh looks for the rest. More memory than
# there is stays an error of R, not the end of the process: the tests ask for it. What tests start in processes of its
# own is a plain build, where .lib has one.
set -eu
cd "$(dirname "$0")/.."

list=${1:-} seconds=${2:-Inf}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/makevars" <<'END'
CC = gcc -fsanitize=address,undefined -fno-sanitize-recover=undefined --coverage -fprofile-update=single
CFLAGS = -g -O1 -fno-omit-frame-pointer -DDPT_ARENA_CHECKED
END
# Compiled where it stays, since that is where the counts are written.
sh tools/unpack.sh "$folder/dptda"
mkdir "$folder/library"
MAKEFLAGS=-j2 R_MAKEVARS_USER="$folder/makevars" R CMD INSTALL --no-test-load --no-docs --byte-compile \
  -l "$folder/library" "$folder/dptda" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
[ ! -d .lib/dptda ] || export DPTDA_TEST_LIBRARY="$PWD/.lib"

status=0
R_LIBS="$folder/library${R_LIBS:+:$R_LIBS}" DPTDA_TEST_WITHOUT="^($(sh tools/without-kernels.sh | paste -s -d '|'))\$" \
  LD_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)" \
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 OMP_THREAD_LIMIT=1 \
  NOT_CRAN=true \
  DPTDA_TEST_SECONDS="$seconds" DPTDA_INSTRUMENTED=true DPTDA_ENGINES=none \
  Rscript tools/run-tests.R "$folder/count" ${list:+"@$list"} >"$folder/tests" || status=1
cat "$folder/tests"
whole=
[ -n "$list" ] || grep -q '^Not begun' "$folder/tests" || whole=--threshold
Rscript tools/covered.R C "$folder/dptda/src" $whole || status=1
exit $status

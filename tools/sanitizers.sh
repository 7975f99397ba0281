#!/bin/sh
# Runs the tests under AddressSanitizer and UndefinedBehaviorSanitizer. The build gives each request to the arena a
# block of its own, or an overrun within a block would go unseen. LeakSanitizer is off because it reports R's own leaks:
# the tests count the arena's blocks, and tools/valgrind.sh looks for the rest. More memory than there is stays an error
# of R, not the end of the process: the tests ask for it. Here there are threads; tools/instrumented.sh has none, and
# counts lines in the same build.
set -eu
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/makevars" <<'END'
CC = gcc -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CFLAGS = -g -O1 -DDPT_ARENA_CHECKED
END
R_MAKEVARS_USER="$folder/makevars" sh tools/install.sh "$folder/library" --no-test-load --byte-compile

R_LIBS="$folder/library${R_LIBS:+:$R_LIBS}" DPTDA_TEST_WITHOUT="^($(sh tools/without-kernels.sh | paste -s -d '|'))\$" \
  LD_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)" \
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
  DPTDA_INSTRUMENTED=true DPTDA_ENGINES=none Rscript tools/run-tests.R

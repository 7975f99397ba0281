#!/bin/sh
# Runs the tests under a tool that watches memory:
#
#   tools/memory-tests.sh sanitizers   AddressSanitizer and UndefinedBehaviorSanitizer
#   tools/memory-tests.sh valgrind     valgrind, definite leaks included
#
# Both are slow. A test that takes more than about a fifth of a second skips itself here: it calls skip_if_slow()
# (tests/testthat/helper-slow.R). The build gives each request to the arena a block of its own, or an overrun within a
# block would go unseen. LeakSanitizer is off because it reports R's own leaks; valgrind looks for ours.
set -eu
cd "$(dirname "$0")/.."

checker=${1:?usage: tools/memory-tests.sh sanitizers|valgrind}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

case $checker in
  sanitizers)
    echo "CC = gcc -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
    echo "CFLAGS = -g -O1 -DDPT_ARENA_CHECKED"
    ;;
  valgrind) echo "CFLAGS = -g -O1 -DDPT_ARENA_CHECKED" ;;
  *) echo "tools/memory-tests.sh: no such checker: $checker" >&2; exit 2 ;;
esac >"$folder/makevars"
R_MAKEVARS_USER="$folder/makevars" sh tools/install.sh "$folder/library" --no-test-load

export DPTDA_SLOW_CHECKER="$checker" R_LIBS="$folder/library${R_LIBS:+:$R_LIBS}"
if [ "$checker" = sanitizers ]; then
  LD_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)" \
    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 Rscript tools/run-tests.R
else
  OMP_THREAD_LIMIT=1 R --vanilla --quiet --no-echo \
    -d "valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite" \
    --file=tools/run-tests.R
fi

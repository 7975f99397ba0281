#!/bin/sh
# Runs tests/testthat/test-memory*.R, which take every kernel through small data, under valgrind: reads of what was
# never written, and definite leaks. All other tests would take an hour, most of it in R. R's compiler is
# slow there, and has done the package's part before.
set -eu
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "CFLAGS = -g -O1 -DDPT_ARENA_CHECKED" >"$folder/makevars"
R_MAKEVARS_USER="$folder/makevars" sh tools/install.sh "$folder/library" --no-test-load --byte-compile

leaks="--leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite"
R_ENABLE_JIT=0 R_LIBS="$folder/library${R_LIBS:+:$R_LIBS}" R --vanilla --quiet --no-echo \
  -d "valgrind -q --error-exitcode=99 $leaks" --file=tools/run-tests.R --args "$folder/count" "memory.*"

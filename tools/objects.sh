#!/bin/sh
# The lists of objects and headers in src/Makevars are those of the tree, and every object is made anew after any of the
# headers has changed: a stale one crashes R.
set -eu
cd "$(dirname "$0")/.."

Rscript tools/makevars.R --check

cd src
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# What make would do, without doing it: nothing is compiled where all objects are younger than all sources, and
# everything is once one header is younger still.
cp -r . "$folder/src"
cd "$folder/src"
objects=$(printf '%s\n' ./*.c core/*.c | sed 's|^\./||; s|\.c$|.o|')
compiled() { MAKEFLAGS='' R CMD SHLIB --dry-run -o dptda.so | grep -cE -- ' -c [a-z/0-9-]+\.c ' || true; }
find . -type f -exec touch -t 202001010000 '{}' +
touch -t 202001020000 $objects
[ "$(compiled)" -eq 0 ] || { echo "make compiles what is up to date" >&2; exit 1; }
for header in core/base-context.h ffi-call.h; do
  touch -t 202001030000 "$header"
  [ "$(compiled)" -eq "$(echo "$objects" | wc -l)" ] || { echo "make does not compile anew after $header" >&2; exit 1; }
  touch -t 202001010000 "$header"
done

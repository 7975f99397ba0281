#!/bin/sh
# The objects and headers that src/Makevars lists by hand are those of the tree, and every object is made anew after
# any of the headers has changed: a stale one crashes R.
set -eu
cd "$(dirname "$0")/../src"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Lists go on after a backslash at the end of a line.
sed -e ':more' -e '/\\$/{N;s/\\\n/ /;b more' -e '}' Makevars >"$folder/lines"

# listed VARIABLES: the words of the lists with these names, one per line.
listed() {
  sed -nE "s/^($1) *=//p" "$folder/lines" | tr -s ' \t' '\n' | sed '/^$/d' | sort
}

# compare VARIABLES WHAT: the lists against the names on the standard input.
compare() {
  sed 's|^\./||' | sort >"$folder/tree"
  listed "$1" >"$folder/listed"
  diff "$folder/listed" "$folder/tree" >"$folder/difference" || {
    echo "src/Makevars (<) and the $2 in src (>) differ:" >&2
    grep '^[<>]' "$folder/difference" >&2
    exit 1
  }
}

printf '%s\n' ./*.c core/*.c | sed 's|\.c$|.o|' | compare 'CORE|FFI' ".c files"
printf '%s\n' ./*.h core/*.h | compare HEADERS headers

# What make would do, without doing it: nothing is compiled where all objects are younger than all sources, and
# everything is once one header is younger still.
cp -r . "$folder/src"
cd "$folder/src"
objects=$(listed 'CORE|FFI')
compiled() { MAKEFLAGS='' R CMD SHLIB --dry-run -o dptda.so | grep -cE -- ' -c [a-z/0-9-]+\.c ' || true; }
find . -type f -exec touch -t 202001010000 '{}' +
touch -t 202001020000 $objects
[ "$(compiled)" -eq 0 ] || { echo "make compiles what is up to date" >&2; exit 1; }
for header in core/base-context.h ffi-call.h; do
  touch -t 202001030000 "$header"
  [ "$(compiled)" -eq "$(echo "$objects" | wc -l)" ] || { echo "make does not compile anew after $header" >&2; exit 1; }
  touch -t 202001010000 "$header"
done

#!/bin/bash
# `make quick`, ring 0 of the checks, for between two edits: below a minute of processors. Lists, families, lines,
# releases, exports, format and generated files; and of the tests that the change reaches, the three files that it
# reaches most and those begun within 10 seconds (`make quick SECONDS_OF_TESTS=100` for more), for the exports that it
# reaches. The package is compiled where the last call left it, so that only what changed is. Help is written again only
# if its sources changed.
cd "$(dirname "$0")/.." || exit 1
stage_limit=600
. tools/stages.sh

kept=.lib/quick
reached=$aside/reached
exports=$aside/exports

# Puts the sources into the folder where objects stay. A file that is the same keeps its time, and make its object.
copy() {
  mkdir -p "$kept/dptda/src/core" "$kept/library"
  rm -rf "$kept/dptda/R" "$kept/dptda/inst" "$kept/dptda/man"
  cp -R DESCRIPTION NAMESPACE LICENSE R inst "$kept/dptda"
  for file in src/*.[ch] src/Makevars* src/core/*.[ch]; do
    cmp -s "$file" "$kept/dptda/$file" || cp "$file" "$kept/dptda/$file"
  done
  (cd "$kept/dptda" && printf '%s\n' src/*.[ch] src/core/*.[ch]) | while read -r file; do
    [ -f "$file" ] || rm -f "$kept/dptda/$file" "$kept/dptda/${file%.c}.o"
  done
}

install() {
  copy
  MAKEFLAGS=-j2 R CMD INSTALL --no-docs --no-test-load --no-byte-compile --no-staged-install -l "$kept/library" \
    "$kept/dptda" >"$kept/log" 2>&1 || { cat "$kept/log"; return 1; }
}

# Tests from the checkout, since stems that are not installed are those of the tree. Laws and searches that call kernels
# thousands of times wait for ring 1, as on builds that watch memory.
reach_and_test() {
  install || return 1
  Rscript tools/reach.R --exports "$exports" >"$reached" || return 1
  [ -s "$reached" ] || { echo "0 passed, 0 failed, 0 skipped"; return 0; }
  NOT_CRAN=true R_LIBS="$PWD/$kept/library${R_LIBS:+:$R_LIBS}" DPTDA_INSTRUMENTED=true DPTDA_TEST_FIRST=3 \
    DPTDA_TEST_SECONDS="${SECONDS_OF_TESTS:-10}" DPTDA_TEST_EXPORTS="$(paste -s -d ' ' "$exports")" \
    Rscript tools/run-tests.R /dev/null "@$reached"
}
export -f copy install reach_and_test
export kept reached exports

# Writes help again unless it was current for the same comments of roxygen, heads that follow them, and pages.
help() {
  local digest
  digest=$({ grep -h -A 3 "^#'" R/*.R; cat DESCRIPTION NAMESPACE man/*.Rd; } | md5sum)
  [ "$(cat "$kept/help" 2>/dev/null)" = "$digest" ] || { sh tools/generated.sh && echo "$digest" >"$kept/help"; }
}
look() {
  local failed=0
  for tool in "sh tools/objects.sh" "Rscript tools/families.R" "Rscript tools/lines.R" "Rscript tools/release.R" \
    "Rscript tools/exports.R" "sh tools/format.sh check" "sh tools/generated.sh lists" help; do
    $tool || { echo "Error: $tool"; failed=1; }
  done
  return $failed
}
export -f help look
mkdir -p "$kept"
beside static bash -c look
tests "tests that the change reaches" bash -c reach_and_test
finish "lists, families, lines, releases, exports, format, generated files" static
conclude

#!/bin/sh
# Compiles the lemmas of checks/rocq by Coq or Rocq, and compares what each theorem assumes with
# checks/rocq/assumptions.txt:
#
#   checks/rocq.sh           all files
#   checks/rocq.sh write     writes the list again
#
# A line of the list is a file, a theorem, and the axioms that it rests on, or `closed` for none. The axioms are those
# of the real numbers in the standard library. A lemma that is only admitted would appear as an axiom. Without coqc the
# exit status is 77: skipped, which is not the same as passed.
set -eu
cd "$(dirname "$0")/rocq"

command -v coqc >/dev/null || {
  echo "lemmas: skipped, no coqc (Debian: coq)"
  exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
coqc --version | head -n 1

failed=0
for file in *.v; do
  stem=${file%.v}
  cp "$file" "$folder"
  grep -E '^ *(Axiom|Parameter|Conjecture|Admitted)|admit\.' "$file" && failed=1
  sed -n 's/^Theorem \([A-Za-z0-9_]*\).*/\1/p' "$file" >"$folder/theorems"
  sed -n 's/^Print Assumptions \([A-Za-z0-9_]*\)\.$/\1/p' "$file" >"$folder/printed"
  cmp -s "$folder/theorems" "$folder/printed" || {
    echo "$file: does not print the assumptions of each theorem"
    failed=1
  }
  begun=$(date +%s)
  (cd "$folder" && timeout 600 coqc -q "$file" >"$stem.out" 2>"$stem.err") || {
    cat "$folder/$stem.out" "$folder/$stem.err"
    echo "$file: does not compile"
    failed=1
    continue
  }
  # a line per theorem: the names of its axioms without their modules, sorted
  awk '/^(Closed|Axioms:)/ { theorem++ }
    /^Closed/ { print theorem, "closed" }
    /^[A-Za-z]/ && !/^(Closed|Axioms:)/ { sub(/.*\./, "", $1); sub(/:$/, "", $1); print theorem, $1 }' \
    "$folder/$stem.out" | sort -u -k 1n -k 2 |
    awk '$1 != last { printf "%s", last ? "\n" : ""; last = $1 } { printf "%s%s", sep[$1]++ ? " " : "", $2 }
      END { print "" }' >"$folder/assumed"
  paste -d ' ' "$folder/printed" "$folder/assumed" | sed "s/^/$stem /" >>"$folder/list"
  echo "$file: compiled, $(($(date +%s) - begun)) s"
done

[ "${1:-}" != write ] || { cp "$folder/list" assumptions.txt; exit "$failed"; }
diff assumptions.txt "$folder/list" || { echo "assumptions are not those of checks/rocq/assumptions.txt"; failed=1; }
[ "$failed" -eq 0 ] && echo "$(wc -l <assumptions.txt) theorems, with the assumptions of the list"
exit "$failed"

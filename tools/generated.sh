#!/bin/sh
# The generated files are up to date: the call table (src/init.c, src/ffi.h), Collate, the tables of vignettes, and,
# unless the argument is `lists`, NAMESPACE and man/. Documentation is written again in a copy, with the roxygen2 that
# DESCRIPTION names, since each version writes a little differently.
set -eu
cd "$(dirname "$0")/.."

Rscript tools/call-table.R --check
Rscript tools/collate.R --check
Rscript tools/pack-tables.R --check
[ "${1:-}" != lists ] || exit 0

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r DESCRIPTION NAMESPACE R man src inst "$folder"
for extra in man-roxygen vignettes; do
  [ ! -d $extra ] || cp -r $extra "$folder"
done
(
  cd "$folder"
  Rscript -e '
    pinned <- read.dcf("DESCRIPTION", "RoxygenNote")[1]
    if (packageVersion("roxygen2") != pinned) stop("this check needs roxygen2 ", pinned)
    roxygen2::roxygenise(load_code = "source")
  ' >log 2>&1 || { cat log >&2; exit 1; }
)
for file in DESCRIPTION NAMESPACE man; do
  diff -r "$file" "$folder/$file" || { echo "run make document: $file is out of date" >&2; exit 1; }
done

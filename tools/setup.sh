#!/bin/sh
# Makes sure that this machine has what a task needs:
#
#   tools/setup.sh demo      R and a compiler
#   tools/setup.sh install   that, and what the vignettes are built with
#   tools/setup.sh test      R, a compiler, and what the tests use
#   tools/setup.sh check     all of it, and what .ci/run uses
#
# What is there already, however it came, is left alone. What is missing is installed with apt-get if the user is
# root; for anybody else the one line that installs it is printed, and the exit status is 1.
set -eu

task=${1:?usage: tools/setup.sh demo|install|test|check}
missing=

# need PACKAGE PROBE...: the Debian package is missing if the probe fails.
need() {
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}

# Compiles and links one function as R would for a package that uses LAPACK.
can_compile() (
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  cd "$folder"
  echo '#include <R.h>' >probe.c
  echo 'void probe(void) { }' >>probe.c
  PKG_LIBS="$(R CMD config LAPACK_LIBS) $(R CMD config BLAS_LIBS) $(R CMD config FLIBS)" R CMD SHLIB probe.c
)

# need_r NAME...: R packages; Debian calls them r-cran-<name in small letters>.
need_r() {
  absent=$(Rscript -e 'for (name in commandArgs(TRUE)) if (!nzchar(system.file(package = name))) cat(name, "")' "$@" \
    2>/dev/null) || absent=$*
  for name in $absent; do
    missing="$missing r-cran-$(echo "$name" | tr '[:upper:]' '[:lower:]')"
  done
}

can_valgrind() { valgrind -q true; }

# The OpenMP and the sanitizer libraries of this clang are packages of their own.
clang_has() { test -f "$(clang-16 -print-file-name="$1")" || ls /usr/lib/llvm-16/lib/"$1"*; }

need_for_demo() {
  need r-base-core command -v Rscript
  need r-base-dev can_compile
}

need_for_install() {
  need_for_demo
  need_r knitr rmarkdown
  need pandoc command -v pandoc
}

need_for_test() {
  need_for_demo
  need_r testthat withr cli progressr dplyr tibble ggplot2 filelock future Rmpfr
}

need_for_check() {
  need_for_install
  need_for_test
  need_r covr roxygen2 pkgdown yaml codetools
  need qpdf command -v qpdf
  need tidy command -v tidy
  need git command -v git
  need valgrind can_valgrind
  need clang-16 command -v clang-16
  need libomp-16-dev clang_has libomp.so
  need clang-format-14 command -v clang-format-14
  need gcc-mingw-w64-x86-64 command -v x86_64-w64-mingw32-gcc
}

case $task in
  demo | install | test | check) "need_for_$task" ;;
  *) echo "tools/setup.sh: no such task: $task" >&2; exit 2 ;;
esac
[ -n "$missing" ] || exit 0
missing=" $(printf '%s\n' $missing | sort -u | tr '\n' ' ')"

install="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null; then
  echo "Something is missing here; the Debian packages that have it are:$missing" >&2
  exit 1
elif [ "$(id -u)" -ne 0 ]; then
  echo "Something is missing here. As root, run:" >&2
  echo "apt-get update && $install" >&2
  exit 1
fi
echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
$install >/dev/null

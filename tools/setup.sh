#!/bin/sh
# Makes sure that this machine has what a task needs:
#
#   tools/setup.sh demo      R and a compiler
#   tools/setup.sh install   that, and what the vignettes are built with
#   tools/setup.sh test      R, a compiler, and what the tests use
#   tools/setup.sh document  R, a compiler, and the roxygen2 that DESCRIPTION names
#   tools/setup.sh ring      that, what the vignettes are built with, and what .ci/run uses
#   tools/setup.sh site      what `make site` uses
#   tools/setup.sh shots     Chromium, for tools/site-shots.sh
#   tools/setup.sh replicate what the tests use, and what the simulations do
#   tools/setup.sh check     all of it, and what `make check` uses
#
# What is there already, however it came, is left alone. What is missing is installed if the user is root, with apt-get,
# and from CRAN what Debian has not; for anybody else the lines that install it are printed, and the exit status is 1.
set -eu

task=${1:?usage: tools/setup.sh demo|install|test|document|ring|site|shots|replicate|check}
missing=
from_cran=

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

# need_cran NAME...: R packages that Debian has not.
need_cran() {
  for name in "$@"; do
    Rscript -e 'quit(status = !nzchar(system.file(package = commandArgs(TRUE))))' "$name" >/dev/null 2>&1 ||
      from_cran="$from_cran $name"
  done
}

can_link_gmp() {
  echo 'int main(void) { return 0; }' | cc -x c - -lgmp -o /dev/null
}

can_link_libpq() { command -v pg_config && test -f "$(pg_config --includedir)/libpq-fe.h"; }

has_psqlodbc() { grep -q "PostgreSQL Unicode" /etc/odbcinst.ini; }

can_link_odbc() {
  echo 'int main(void) { return 0; }' | cc -x c - -lodbc -o /dev/null
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
  need_r knitr rmarkdown survival
  need pandoc command -v pandoc
  need pngquant command -v pngquant
  need zopfli command -v zopflipng
}

need_for_test() {
  need_for_demo
  need_r igraph Matrix RSpectra mclust e1071 testthat withr cli progressr dplyr tibble ggplot2 filelock
  need_r future future.apply Rmpfr
  # databases: what is built from CRAN takes less than a minute if Debian has what it needs
  need_r DBI dbplyr RSQLite bit64
  # recipes and the wizard
  need_r yaml shiny bslib httpuv jsonlite
  need postgresql sh "$(dirname "$0")/postgres.sh" check
  need_cran RPostgres
  if [ -n "$from_cran" ]; then
    need libpq-dev can_link_libpq
    need_r blob hms lubridate cpp11
  fi
  # loops of landmarks: a minute to build
  need_r Rcpp
  need_cran ripserr
  # alpha complexes: two minutes
  need_cran TDA
  case "$from_cran " in
    *" TDA "*)
      need_r FNN igraph RcppEigen scales
      need libgmp-dev can_link_gmp
      ;;
  esac
}

need_for_document() {
  need_for_demo
  need_r roxygen2
}

need_for_ring() {
  need_for_install
  need_for_test
  need_for_document
  need_r covr codetools
  need qpdf command -v qpdf
  need tidy command -v tidy
  need git command -v git
  need clang-format-14 command -v clang-format-14
}

# What the vignettes show only where it is there, too.
need_for_site() {
  need_for_install
  need_r pkgdown yaml xml2 jsonlite lme4 igraph RSpectra mclust ggplot2 e1071 DBI dbplyr dplyr RSQLite bit64 Rcpp
  need_cran ripserr
}

need_for_shots() {
  need chromium command -v chromium
}

# The packages that benchmarks compare with are not needed: a benchmark names those that are missing.
need_for_replicate() {
  need_for_test
  need_r Rtsne rpart nnet shapes
  need git command -v git
}

# The wizard in a browser, files of Parquet, and PostgreSQL by ODBC: too long for a quarter of an hour.
need_for_check() {
  need_for_ring
  need_for_site
  need_for_shots
  need_cran chromote nanoparquet odbc
  need odbc-postgresql has_psqlodbc
  case "$from_cran " in
    *" odbc "*) need unixodbc-dev can_link_odbc ;;
  esac
  need valgrind can_valgrind
  need clang-16 command -v clang-16
  need libomp-16-dev clang_has libomp.so
  need gcc-mingw-w64-x86-64 command -v x86_64-w64-mingw32-gcc
  need python3 command -v python3
  need coq command -v coqc
}

case $task in
  demo | install | test | document | ring | site | shots | replicate | check) "need_for_$task" ;;
  *) echo "tools/setup.sh: no such task: $task" >&2; exit 2 ;;
esac
missing=$(echo $(printf '%s\n' $missing | sort -u))
from_cran=${from_cran# }

# Each version of roxygen2 writes a little differently.
roxygen=$(sed -n 's/^RoxygenNote: //p' "$(dirname "$0")/../DESCRIPTION")
has_roxygen() {
  Rscript -e 'quit(status = packageVersion("roxygen2") != commandArgs(TRUE))' "$roxygen" >/dev/null 2>&1
}
# Ends the script, with roxygen2 of that version if the task writes documentation.
done_with_task() {
  case $task in document | ring | check) has_roxygen && exit 0 ;; *) exit 0 ;; esac
  contrib=https://cloud.r-project.org/src/contrib
  for folder in $contrib $contrib/Archive/roxygen2; do
    build="install.packages('$folder/roxygen2_$roxygen.tar.gz', repos = NULL)"
    [ "$(id -u)" -ne 0 ] || Rscript -e "$build" >/dev/null 2>&1 || true
    has_roxygen && exit 0
  done
  printf 'roxygen2 %s is missing here. Run:\nRscript -e "%s"\n' "$roxygen" "$build" >&2
  exit 1
}
[ -n "$missing$from_cran" ] || done_with_task

install="apt-get install -y --no-install-recommends $missing"
build="install.packages(c('$(echo "$from_cran" | sed "s/ /', '/g")'), \
lib = c(.Library.site, .Library)[1], repos = 'https://cloud.r-project.org', Ncpus = 2)"
if [ -n "$missing" ] && ! command -v apt-get >/dev/null; then
  echo "Something is missing here; the Debian packages that have it are: $missing" >&2
  [ -z "$from_cran" ] || printf 'and from CRAN: Rscript -e "%s"\n' "$build" >&2
  exit 1
elif [ "$(id -u)" -ne 0 ]; then
  echo "Something is missing here. As root, run:" >&2
  [ -z "$missing" ] || echo "apt-get update && $install" >&2
  [ -z "$from_cran" ] || printf 'Rscript -e "%s"\n' "$build" >&2
  exit 1
fi
if [ -n "$missing" ]; then
  echo "Installing $missing"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  $install >/dev/null
fi
if [ -n "$from_cran" ]; then
  echo "Building $from_cran"
  log=$(mktemp)
  Rscript -e "$build" >"$log" 2>&1 || true # a package that cannot be built is a warning there
  wanted=$from_cran
  from_cran=
  need_cran $wanted
  [ -z "$from_cran" ] || { tail -50 "$log" >&2; echo "not built:$from_cran" >&2; }
  rm "$log"
  [ -z "$from_cran" ] || exit 1
fi
done_with_task

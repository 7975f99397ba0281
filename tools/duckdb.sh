#!/bin/sh
# DuckDB for R, for the tests that a person runs (they are skipped where it is not, as in make check, since it compiles
# for the better part of an hour):
#
#   tools/duckdb.sh build LIBRARY    compiles CRAN's into the library, in the background and with low priority
#   tools/duckdb.sh wait LIBRARY     waits until it is there, and says if it is not
#
# then
#   R_LIBS=$PWD/.lib:LIBRARY NOT_CRAN=true Rscript tools/run-tests.R /dev/null 'database-(rows|people)'
#
# Whoever has a libduckdb.so of the same commit needs a minute: the package takes it from the folder DUCKDB_R_LIB_DIR if
# DUCKDB_R_USE_SYSTEM_LIB is 1. Tried with DuckDB 1.5.5.
set -eu

[ $# -eq 2 ] || { sed -n '5,6s/^#   //p' "$0" >&2; exit 2; }
task=$1
mkdir -p "$2"
library=$(cd "$2" && pwd)

there() { R_LIBS=$library Rscript -e 'quit(status = !requireNamespace("duckdb", quietly = TRUE))' >/dev/null 2>&1; }

case $task in
  build)
    if there; then exit 0; fi
    DUCKDB_LIBRARY=$library MAKEFLAGS=${MAKEFLAGS:--j2} nohup nice -n 19 Rscript -e '
      lib <- Sys.getenv("DUCKDB_LIBRARY")
      options(repos = c(CRAN = sub("^@CRAN@$", "https://cloud.r-project.org", getOption("repos")[["CRAN"]])))
      install.packages(c("DBI", "nanoarrow", "duckdb"), lib = lib, INSTALL_opts = c("--no-docs", "--no-byte-compile"))
    ' >"$library/duckdb.log" 2>&1 &
    echo $! >"$library/duckdb.pid"
    ;;
  wait)
    while [ -s "$library/duckdb.pid" ] && kill -0 "$(cat "$library/duckdb.pid")" 2>/dev/null; do sleep 5; done
    there || { printf 'tools/duckdb.sh: it is not there; see %s\n' "$library/duckdb.log" >&2; exit 1; }
    ;;
  *) sed -n '5,6s/^#   //p' "$0" >&2; exit 2 ;;
esac

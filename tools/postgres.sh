#!/bin/sh
# PostgreSQL servers for tests and benchmarks, in a directory of their own and without a network:
#
#   tools/postgres.sh start DIR PORT [OWNER]       one server, of an empty database
#   tools/postgres.sh shards DIR PORT [OWNER]      a coordinator, and three servers at the next three ports that hold
#                                                  the rows of its table points (shard integer, x, y)
#   tools/postgres.sh table DIR PORT NAME COLUMNS  another such table: COLUMNS is SQL, "x double precision, word text"
#   tools/postgres.sh stop DIR                     stops what runs there, and removes DIR
#   tools/postgres.sh stop-shards DIR              the same
#   tools/postgres.sh check                        says why no server can be started here, or nothing
#
# One connects to the socket in DIR/socket, at the port, as user postgres to the database postgres; no password is
# asked, but nobody else can open the folder. DIR must be new, empty, or left behind by an earlier call: then it is
# emptied, even after a crash. Servers in different directories may have the same port. If the server is there already,
# nothing is done; if another one is, that is an error. OWNER is the number of a process: when it ends, in whatever way,
# the servers are stopped and DIR is removed.
#
# A sharded table is cut by its column `shard` (1, 2 or 3): each part is a table of the same name on a server, and a
# foreign table here. The coordinator sends a GROUP BY that begins with `shard` to the servers, any other it does not:
# it fetches the rows.
#
# Nothing survives a crash of the machine (fsync is off): for data that can be made again. Root runs the servers as the
# user postgres, who must be able to reach DIR.
set -eu

usage() {
  sed -n '4,10s/^#   //p' "$0" >&2
  exit 2
}

fail() {
  printf 'tools/postgres.sh: %s\n' "$*" >&2
  exit 1
}

# Settings of the caller that are meant for another server, or for a program that it runs (a sanitizer).
unset LD_PRELOAD PGDATA PGHOST PGHOSTADDR PGPORT PGUSER PGDATABASE PGOPTIONS PGSERVICE PGPASSFILE || true

task=${1:-}
case $task in
  start | shards) [ $# -eq 3 ] || [ $# -eq 4 ] || usage ;;
  table) [ $# -eq 5 ] || usage ;;
  stop | stop-shards) [ $# -eq 2 ] || usage ;;
  check) [ $# -eq 1 ] || usage ;;
  *) usage ;;
esac

# The programs, as the user of the server.
if [ "$(id -u)" -eq 0 ]; then
  id postgres >/dev/null 2>&1 && command -v runuser >/dev/null ||
    fail "root runs servers as the user postgres by runuser, and one of the two is not there"
  as_server() { runuser -u postgres -- "$@"; }
else
  as_server() { "$@"; }
fi

programs=
if command -v initdb >/dev/null && command -v pg_ctl >/dev/null; then
  programs=$(dirname "$(command -v initdb)")
else
  # Debian has them by version, and not on the path
  for candidate in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t / -k 5 -n); do
    [ ! -x "$candidate/initdb" ] || programs=$candidate
  done
fi
[ -n "$programs" ] || fail "there is no initdb, on the path or below /usr/lib/postgresql"

[ "$task" != check ] || exit 0

here=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
[ -n "$2" ] || fail "DIR must not be empty"
folder=$(dirname -- "$2")
[ -d "$folder" ] || fail "there is no folder $folder"
folder=$(cd -- "$folder" && pwd)
folder=${folder%/}/$(basename -- "$2")
# What the configuration, SQL and the client library would each read in a way of its own.
case $folder in *[\'\"\\,]* | *"
"*) fail "the name of DIR must have no quotes, commas, backslashes or line ends" ;; esac

# Who made the folder, for what, and when: the folder of anybody else is left alone.
mark=$folder/dptda-postgres
socket=$folder/socket

servers() { ls -d "$folder"/server-* 2>/dev/null || true; }

# run PROGRAM ARGUMENT...: clients may lie elsewhere than the server.
run() {
  program=$1
  shift
  [ -x "$programs/$program" ] && program=$programs/$program
  as_server "$program" "$@"
}

runs() { run pg_ctl status -D "$1" >/dev/null 2>&1; }

# answering COUNT PORT: how many servers do. One that was killed may still look alive in the table of processes.
answering() {
  found=0 at=$2
  while [ "$at" -lt $(($2 + $1)) ]; do
    ! run pg_isready -q -h "$socket" -p "$at" || found=$((found + 1))
    at=$((at + 1))
  done
  echo $found
}

remove() (
  [ -e "$mark" ] || return 0
  cd /
  IFS='
'
  for server in $(servers); do
    # one that was killed is gone before it could be stopped
    ! runs "$server" || run pg_ctl stop -D "$server" -m immediate -w >/dev/null 2>&1 || ! runs "$server" ||
      fail "the server in $server does not stop"
  done
  rm -rf -- "$folder"
)

# Waits for the end of a process, or of what was started. A session of its own outlives a signal to the caller's group.
# It keeps no file of the caller open, who may wait for the end of what this script says.
# A process that ended and that nobody asked for is no longer there either.
watch='there() { kill -0 "$1" 2>/dev/null && ! grep -qs "^State:[[:space:]]*Z" "/proc/$1/status"; }
while there "$1" && [ "$(cat "$3/dptda-postgres" 2>/dev/null)" = "$4" ]; do sleep 1; done
[ "$(cat "$3/dptda-postgres" 2>/dev/null)" != "$4" ] || exec sh "$2" stop "$3"'
apart=
! command -v setsid >/dev/null || apart=setsid

# configure SERVER PORT
configure() {
  cat >>"$folder/server-$1/postgresql.conf" <<END
port = $2
listen_addresses = ''
unix_socket_directories = '$socket'
unix_socket_permissions = 0700
fsync = off
autovacuum = off
work_mem = '64MB'
max_connections = 60
enable_partitionwise_aggregate = on
END
}

launch() {
  log=$folder/server-$1.log
  run pg_ctl start -D "$folder/server-$1" -l "$log" -w -t 120 >/dev/null 2>&1 || {
    cat "$log" >&2
    fail "the server at port $2 did not start"
  }
}

# query PORT SQL
query() {
  run psql -X -q -v ON_ERROR_STOP=1 -h "$socket" -p "$1" -U postgres -d postgres -c "$2" >/dev/null
}

# prepare COUNT PORT OWNER: as many servers, at consecutive ports.
prepare() {
  count=$1 port=$2 owner=$3
  case $port in *[!0-9]* | ?????? | '') fail "PORT must be a whole number, not $port" ;; esac
  [ "$port" -ge 1024 ] && [ $((port + count - 1)) -le 65535 ] || fail "the ports must be from 1024 to 65535"
  case $owner in *[!0-9]*) fail "OWNER must be the number of a process, not $owner" ;; esac
  # of all systems the shortest room for the name of a socket is 104 bytes, with its end
  printf '%s' "$socket/.s.PGSQL.65535" | wc -c | awk '{exit $1 > 103}' ||
    fail "the name of DIR is too long for a socket"

  if [ -e "$mark" ]; then
    old_count=0 old_port=0
    read -r old_count old_port rest <"$mark" || true
    if [ "$(answering "$old_count" "$old_port")" -gt 0 ]; then
      [ "$old_count $old_port" = "$count $port" ] || fail "other servers run in $folder: stop them first"
      [ "$(answering "$count" "$port")" -ne "$count" ] || exit 0
    fi
    remove
  elif [ -e "$folder" ] && [ -n "$(ls -A -- "$folder")" ]; then
    fail "there is something else in $folder"
  fi

  mkdir -p -m 700 -- "$folder"
  [ "$(id -u)" -ne 0 ] || chown postgres -- "$folder"
  as_server test -x "$folder" -a -w "$folder" || {
    rmdir -- "$folder"
    fail "the user postgres cannot reach $folder: a folder above it is closed"
  }
  cd "$folder"
  trap 'remove' EXIT
  trap 'exit 1' HUP INT TERM
  stamp="$count $port $$ $(date +%s)"
  echo "$stamp" >"$mark"
  [ -z "$owner" ] || (
    exec </dev/null >/dev/null 2>&1
    exec $apart sh -c "$watch" watch "$owner" "$here" "$folder" "$stamp"
  ) &

  as_server mkdir -m 700 "$socket"
  run initdb -D "$folder/server-0" --username=postgres --auth=trust --locale=C.UTF-8 --encoding=UTF8 \
    --no-sync >"$folder/initdb.log" 2>&1 || {
    cat "$folder/initdb.log" >&2
    fail "no database could be made"
  }
  server=1
  while [ "$server" -lt "$count" ]; do
    as_server cp -R "$folder/server-0" "$folder/server-$server"
    server=$((server + 1))
  done
  server=0
  while [ "$server" -lt "$count" ]; do
    configure "$server" $((port + server))
    launch "$server" $((port + server))
    server=$((server + 1))
  done
}

finished() { trap - EXIT HUP INT TERM; }

# connect_shards PORT: what the coordinator must know of the others.
connect_shards() {
  sql="CREATE EXTENSION postgres_fdw;"
  for shard in 1 2 3; do
    sql="$sql
CREATE SERVER shard_$shard FOREIGN DATA WRAPPER postgres_fdw
  OPTIONS (host '$socket', port '$(($1 + shard))', dbname 'postgres', async_capable 'true', fetch_size '10000');
CREATE USER MAPPING FOR PUBLIC SERVER shard_$shard OPTIONS (user 'postgres', password_required 'false');"
  done
  query "$1" "$sql"
}

# shard_table PORT NAME COLUMNS
shard_table() {
  name=\"$2\"
  sql="CREATE TABLE $name (shard integer NOT NULL, $3) PARTITION BY LIST (shard);"
  for shard in 1 2 3; do
    query $(($1 + shard)) "CREATE TABLE $name (shard integer NOT NULL CHECK (shard = $shard), $3)"
    sql="$sql
CREATE FOREIGN TABLE \"$2 $shard\" PARTITION OF $name FOR VALUES IN ($shard)
  SERVER shard_$shard OPTIONS (table_name '$2');"
  done
  query "$1" "$sql"
}

case $task in
  start)
    prepare 1 "$3" "${4:-}"
    finished
    ;;
  shards)
    prepare 4 "$3" "${4:-}"
    connect_shards "$3"
    shard_table "$3" points "x double precision, y double precision"
    finished
    ;;
  table)
    case $4 in *[!A-Za-z0-9_]* | '') fail "NAME must be letters, digits and underscores, not $4" ;; esac
    [ -e "$mark" ] && read -r count port rest <"$mark" && [ "$count $port" = "4 $3" ] || fail "no shards run there"
    cd "$folder"
    shard_table "$3" "$4" "$5"
    ;;
  stop | stop-shards) remove ;;
esac

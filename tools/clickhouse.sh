#!/bin/sh
# Two ClickHouse servers and a table spread over them, for the test that a person runs (they are not part of make check,
# since RClickhouse takes minutes to build):
#
#   tools/clickhouse.sh start DIR PORT    servers at PORT and PORT + 3, the first of which has the cluster `both`
#   tools/clickhouse.sh stop DIR          stops them, and removes DIR
#
# then
#   DPTDA_CLICKHOUSE=PORT R_LIBS=$PWD/.lib Rscript tools/run-tests.R /dev/null database-clickhouse
#
# The newest ClickHouse, without a server, is a library of Node.js: after `npm install --prefix DIR chdb` the same with
# DPTDA_CHDB=DIR/node_modules (26.7.2 was tried).
#
# bench/database-billion.R starts and stops its own. Tried with Debian's clickhouse-server 18.16.1 and RClickhouse
# 0.6.12. A server takes three ports from its own on; only this machine can reach them. As root the servers run as
# the user clickhouse, who must be able to reach DIR.
set -eu

fail() {
  printf 'tools/clickhouse.sh: %s\n' "$*" >&2
  exit 1
}
[ $# -ge 2 ] || { sed -n '5,6s/^#   //p' "$0" >&2; exit 2; }
task=$1 folder=$2

as_server() { if [ "$(id -u)" -eq 0 ]; then runuser -u clickhouse -- "$@"; else "$@"; fi; }

stop_all() {
  for pid in "$folder"/server-*/pid; do
    [ ! -s "$pid" ] || kill "$(cat "$pid")" 2>/dev/null || true
  done
  sleep 1
  rm -rf -- "$folder"
}

# configure NUMBER PORT: the second server's address is known to both
configure() {
  home=$folder/server-$1
  mkdir -p "$home/data" "$home/tmp"
  cat >"$home/users.xml" <<END
<yandex><profiles><default><log_queries>1</log_queries></default></profiles><quotas><default/></quotas>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>
END
  cat >"$home/config.xml" <<END
<yandex>
<logger><level>warning</level><log>$home/log</log><errorlog>$home/errors</errorlog></logger>
<tcp_port>$2</tcp_port><http_port>$(($2 + 1))</http_port><interserver_http_port>$(($2 + 2))</interserver_http_port>
<listen_host>127.0.0.1</listen_host><path>$home/data/</path><tmp_path>$home/tmp/</tmp_path>
<users_config>$home/users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>5368709120</mark_cache_size>
<query_log><database>system</database><table>query_log</table><flush_interval_milliseconds>500</flush_interval_milliseconds></query_log>
<remote_servers><both>
<shard><replica><host>127.0.0.1</host><port>$port</port></replica></shard>
<shard><replica><host>127.0.0.1</host><port>$((port + 3))</port></replica></shard>
</both></remote_servers>
</yandex>
END
}

answers() { clickhouse-client --host 127.0.0.1 --port "$1" --query 'SELECT 1' >/dev/null 2>&1; }

launch() {
  home=$folder/server-$1
  [ "$(id -u)" -ne 0 ] || chown -R clickhouse "$home"
  start='echo $$ >"$0/pid"; exec clickhouse-server --config-file="$0/config.xml"'
  (cd / && as_server sh -c "$start" "$home" >/dev/null 2>&1 &)
  tries=0
  until answers "$2"; do
    tries=$((tries + 1))
    [ $tries -lt 60 ] || { tail -n 20 "$home/errors" >&2; stop_all; fail "the server at port $2 does not answer"; }
    sleep 0.5
  done
}

case $task in
  start)
    port=${3:?usage: tools/clickhouse.sh start DIR PORT}
    command -v clickhouse-server >/dev/null || fail "there is no clickhouse-server; Debian's package has that name"
    [ ! -e "$folder" ] || fail "$folder is there already"
    mkdir -p -m 755 -- "$folder"
    folder=$(cd -- "$folder" && pwd)
    configure 1 "$port"
    configure 2 $((port + 3))
    launch 1 "$port"
    launch 2 $((port + 3))
    ;;
  stop) stop_all ;;
  *) fail "no such task: $task" ;;
esac

#!/bin/sh
# What compose.yaml needs of the entry point of docker.io/postgres: a cluster on the first start, its scripts, then the
# command as the user postgres.
set -eu
if [ "$(id -u)" = 0 ]; then
  install -d -o postgres -g postgres -m 700 "$PGDATA"
  exec setpriv --reuid postgres --regid postgres --clear-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  umask 077
  printf '%s\n' "$POSTGRES_PASSWORD" > /tmp/password
  initdb --pgdata "$PGDATA" --username postgres --pwfile /tmp/password --encoding UTF8 \
    --locale C.UTF-8 --auth-local trust --auth-host scram-sha-256
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl --pgdata "$PGDATA" --options "-c listen_addresses='' -c unix_socket_directories=/tmp" --wait start
  for script in /docker-entrypoint-initdb.d/*.sh; do
    PGHOST=/tmp sh "$script"
  done
  pg_ctl --pgdata "$PGDATA" --mode fast --wait stop
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/tmp

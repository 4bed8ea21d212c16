#!/bin/sh
# Copy the primary on the first start, then follow it. The arguments are the primary's command: a standby needs at least
# its max_connections, max_wal_senders and the like.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  copy="$PGDATA.partial" # a copy that was interrupted is begun anew, never started
  rm -rf "$copy"
  until pg_basebackup --host postgres --username replicator --pgdata "$copy" --wal-method stream --slot replica_1 \
    --write-recovery-conf --checkpoint fast; do
    echo 'The primary is not ready yet.' >&2
    rm -rf "$copy"
    sleep 2
  done
  chmod 0700 "$copy"
  rm -rf "$PGDATA"
  mv "$copy" "$PGDATA"
fi
exec "$@" -c hot_standby=on -c hot_standby_feedback=on -c listen_addresses='*'

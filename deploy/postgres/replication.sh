#!/bin/sh
# Run once by the image's entry point on the primary: the role that the replica copies as, and who may connect how.
set -eu
psql --username postgres --dbname postgres --set ON_ERROR_STOP=1 --set password="$REPLICATION_PASSWORD" <<'SQL'
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'password';
SELECT pg_create_physical_replication_slot('replica_1');
SQL
echo 'host replication replicator all scram-sha-256' >> "$PGDATA/pg_hba.conf"

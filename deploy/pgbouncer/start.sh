#!/bin/sh
# Write the list of users from the environment, then become PgBouncer; no password stands in a file of this folder.
set -eu
umask 077
printf '"toolroom" "%s"\n"toolroom_reader" "%s"\n"sprints_analyst" "%s"\n' \
  "$OWNER_PASSWORD" "$READER_PASSWORD" "$ANALYST_PASSWORD" > /tmp/userlist.txt
sed 's#^auth_file = .*#auth_file = /tmp/userlist.txt#' /etc/pgbouncer/toolroom.ini > /tmp/pgbouncer.ini
exec pgbouncer /tmp/pgbouncer.ini

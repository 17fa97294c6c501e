#!/bin/sh
# Starts a streaming replica of the server that PRIMARY names. The arguments are options of PostgreSQL. Copies the
# primary to PGDATA before the first start. After an interruption, the next start copies the primary again.
set -eu
umask 077
password=$(head -n 1 "$PRIMARY_PASSWORD_FILE" | sed 's/[\\:]/\\&/g')
printf '*:*:*:*:%s\n' "$password" > "$PGPASSFILE"
if [ ! -e "$PGDATA" ]; then
  rm -rf "$PGDATA.part"
  pg_basebackup --dbname="$PRIMARY" --no-password --pgdata="$PGDATA.part" --wal-method=stream \
    --checkpoint=fast --write-recovery-conf
  mv "$PGDATA.part" "$PGDATA"
fi
exec postgres -D "$PGDATA" "$@"

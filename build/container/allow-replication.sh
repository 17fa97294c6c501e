#!/bin/sh
# Lets PostgreSQL servers of the same network copy this one, with its password. The image runs this when it creates the
# database. For an existing one, run this command, then restart the database:
#   docker compose exec --user postgres database sh /docker-entrypoint-initdb.d/allow-replication.sh
set -eu
echo "host replication $POSTGRES_USER samenet scram-sha-256" >> "$PGDATA/pg_hba.conf"

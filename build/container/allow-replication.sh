#!/bin/sh
# Lets PostgreSQL servers in the same network copy this server with its password. The image runs this script when it
# creates the database. For an existing database, run this command, then restart the database:
#   docker compose exec --user postgres database sh /docker-entrypoint-initdb.d/allow-replication.sh
set -eu
echo "host replication $POSTGRES_USER samenet scram-sha-256" >> "$PGDATA/pg_hba.conf"

#!/usr/bin/env bash
# Installs the server that the tests of PostgreSQL start and stop themselves. No cluster is made, and
# no service is started. Without it these tests are skipped.
set -euo pipefail

if ls /usr/lib/postgresql/*/bin/postgres /usr/sbin/pgbouncer >/dev/null 2>&1; then exit 0; fi
apt-get update -q
export DEBIAN_FRONTEND=noninteractive
apt-get install -qy --no-install-recommends postgresql-common
sed -i 's/^#*create_main_cluster.*/create_main_cluster = false/' \
    /etc/postgresql-common/createcluster.conf
apt-get install -qy --no-install-recommends postgresql-15 pgbouncer

#!/bin/sh
# Make stand-ins for the images that compose.yaml takes from a registry, where none can be reached, for a trial of that
# file: the same names, the same programs in other versions, and of their entry points only what compose.yaml uses. As
# root, with debootstrap and buildah, after the image `toolroom` is built:
#   deploy/make_stand_ins.sh && podman-compose -f deploy/compose.yaml up -d
set -eu
cd "$(dirname "$0")"
SUITE=${SUITE:-trixie} ./make_base.sh localhost/debian-stand-in # whose PgBouncer keeps prepared statements
sed -n 's/^ *image: \(docker\.io[^ ]*\)$/\1/p' compose.yaml | sort -u | while read -r image; do
  case $image in
    */pgvector:*) target=postgres ;;
    */pgbouncer:*) target=pgbouncer ;;
    */valkey:*) target=valkey ;;
    */caddy:*) target=caddy ;;
  esac
  buildah build --format docker --target "$target" -t "$image" stand_ins
done

#!/bin/sh
# Make a base image out of Debian's packages, where no image registry can be reached. As root:
#   deploy/make_base.sh localhost/debian-base && buildah build --build-arg BASE=localhost/debian-base ...
# With ROOT=folder it makes the folder and no image: `chroot` there and run the Containerfile's steps by hand.
set -eu
name=${1:-localhost/debian-base}
suite=${SUITE:-bookworm}
mirror=${MIRROR:-http://deb.debian.org/debian}
root=${ROOT:-$(mktemp -d)}

debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror"
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/doc/* "$root"/usr/share/man/* "$root"/usr/share/locale/*
if [ -n "${ROOT:-}" ]; then exit 0; fi

container=$(buildah from scratch)
buildah add --quiet "$container" "$root" /
buildah config --cmd /bin/bash "$container"
buildah commit --quiet --rm "$container" "$name"
rm -rf "$root"

#!/usr/bin/env bash
# A machine without any preparation: Debian 12 or 13 with nothing but `debootstrap --variant=minbase`, and this checkout cloned
# into it. There `./bootstrap run` and `./bootstrap test` must do all of their own set-up.
#
#   fresh_machine.sh 12|13 [run|test|COMMAND...]
#
# Each of `run` and `test` (without arguments: both, one after the other) starts from the bare system again. Any other COMMAND
# is run by bash in the checkout, for a look around. Exit status 77: this machine cannot try it, the last line says why.
#
#   TILEWRIGHT_MIRROR  the Debian archive (default: the first of this machine's own sources, else deb.debian.org)
#   TILEWRIGHT_FRESH   the folder for the systems, 10 GB (default: a new one in /var/tmp); it is emptied at the end
#   TILEWRIGHT_CCACHE  a ccache folder to lend to the system: for trying this script, never for its times
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

skip() { printf 'skipped: %s\n' "$1"; exit 77; }
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2; exit 2; }

case ${1:-} in
  12) suite=bookworm ;;
  13) suite=trixie ;;
  *) usage ;;
esac
release=$1
shift
[ $# != 0 ] || set -- run test

[ "$(id -u)" = 0 ] || skip "a system in a folder needs root"
command -v debootstrap >/dev/null || skip "there is no debootstrap here (apt-get install debootstrap)"
[ -r /usr/share/keyrings/debian-archive-keyring.gpg ] || skip "Debian's keys are not here (apt-get install debian-archive-keyring)"

mirror=${TILEWRIGHT_MIRROR:-}
if [ -z "$mirror" ]; then
  # The first source of either form; an Ubuntu machine names no Debian archive.
  if [[ $(. /etc/os-release && echo "$ID") == debian ]]; then
    mirror=$({ cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null || true; } |
      awk '/^URIs:/ {print $2; exit} /^deb / {for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) {print $i; exit}}')
  fi
  mirror=${mirror:-http://deb.debian.org/debian}
fi

place=${TILEWRIGHT_FRESH:-}
if [ -n "$place" ]; then mkdir -p "$place"; else place=$(mktemp -d /var/tmp/tilewright-fresh-XXXXXX); fi
bare=$place/bare-$release
machine=$place/machine-$release
mounts=()

leave() {
  local i
  for ((i = ${#mounts[@]} - 1; i >= 0; i--)); do umount -l "${mounts[i]}" 2>/dev/null || true; done
  mounts=()
}

# Nothing is removed through a mount that is still there: below it is the machine's own /dev.
remove() {
  leave
  local folder
  for folder in "$@"; do
    if grep -qF " $(realpath -m "$folder")/" /proc/mounts; then
      printf 'left as it is, something is still mounted in it: %s\n' "$folder" >&2
    else
      rm -rf --one-file-system "$folder"
    fi
  done
}
trap 'remove "$machine" "$bare"; rmdir "$place" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM

mounted() {  # MOUNT-ARGUMENT... FOLDER
  mount "$@" 2>/dev/null || skip "this machine lets nobody mount (${*: -1})"
  mounts+=("${*: -1}")
}

install_bare() {
  printf -- '── Debian %s, bare, from %s\n' "$release" "$mirror"
  remove "$bare"
  local log=$place/debootstrap-$release.log
  if ! debootstrap --variant=minbase "$suite" "$bare" "$mirror" >"$log" 2>&1; then
    tail -n 5 "$log"
    rm -f "$log"
    skip "debootstrap could not make a system: no way to the archive, or too few rights here"
  fi
  rm -f "$log"
}

# How this machine reaches registries, as far as it is more than a name server: certificates, pip's settings, apt's proxies.
lend_network() {
  local file
  cp -L /etc/resolv.conf "$machine/etc/resolv.conf"
  cp -L /etc/hosts "$machine/etc/hosts"
  if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
    mkdir -p "$machine/usr/local/share/ca-certificates"
    cp -L /usr/local/share/ca-certificates/*.crt "$machine/usr/local/share/ca-certificates/"
  fi
  for file in /etc/pip.conf /etc/xdg/pip/pip.conf; do
    if [ -f "$file" ]; then install -D -m 644 "$file" "$machine$file"; fi
  done
  for file in /etc/apt/apt.conf.d/*; do
    if grep -q '^Acquire::' "$file" && ! grep -q 'Post-Invoke\|Pre-Invoke' "$file"; then cp "$file" "$machine/etc/apt/apt.conf.d/"; fi
  done
  # The archive for packages that this machine itself uses, not only the one for the bare system.
  printf 'deb %s %s main\n' "$mirror" "$suite" >"$machine/etc/apt/sources.list"
}

start_machine() {
  remove "$machine"
  cp -a "$bare" "$machine"
  lend_network
  mounted -t proc proc "$machine/proc"
  mounted --rbind /dev "$machine/dev"
  mount --make-rslave "$machine/dev"
  # A fresh clone, with what is changed and not committed yet laid over it.
  git -c safe.directory='*' clone -q --no-hardlinks "$root" "$machine/root/tilewright"
  (cd "$root" && git -c safe.directory='*' ls-files -z -mo --exclude-standard |
    while IFS= read -r -d '' file; do [ -e "$file" ] && printf '%s\0' "$file"; done |
    tar -c --null -T - | tar -x -C "$machine/root/tilewright")
  if [ -n "${TILEWRIGHT_CCACHE:-}" ]; then
    mkdir -p "$machine/ccache"
    mounted --bind "$TILEWRIGHT_CCACHE" "$machine/ccache"
  fi
}

# Nothing of this machine's environment but the ways to the network.
inside() {  # COMMAND-LINE
  local lent=() name
  while IFS= read -r name; do lent+=("$name=${!name}"); done < <(compgen -e | grep -Ei '^(PIP_|(https?|ftp|all|no)_proxy$)')
  [ -z "${TILEWRIGHT_CCACHE:-}" ] || lent+=(CCACHE_DIR=/ccache)
  chroot "$machine" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
    "${lent[@]}" /bin/bash -c "cd /root/tilewright && $1" </dev/null
}

status=0
try() {  # COMMAND-LINE
  local began=$SECONDS result=0
  printf -- '── Debian %s: %s\n' "$release" "$1"
  inside "$1" || result=$?
  printf -- '── Debian %s: %s: status %d after %d s\n' "$release" "$1" "$result" $((SECONDS - began))
  [ "$result" = 0 ] || status=1
}

install_bare
case $1 in
  run | test)
    for command in "$@"; do
      start_machine
      try "./bootstrap $command"
      remove "$machine"
    done
    ;;
  *)
    start_machine
    try "$*"
    ;;
esac
exit "$status"

#!/usr/bin/env bash
# The tests of this folder in the Neovim 0.10 of Debian 13, in a system in a folder.
#
#   debian13.sh BINARY CLIENTS SCREENS [PATTERN...]    as neovim_test.py
#
# Exit status 77: this machine cannot try it, the last line says why. TILEWRIGHT_MIRROR is the Debian archive.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
skip() { printf 'skipped: %s\n' "$1"; exit 77; }
[ "$(id -u)" = 0 ] || skip "a system in a folder needs root"
command -v debootstrap >/dev/null || skip "there is no debootstrap here (apt-get install debootstrap)"
[ $# -ge 3 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }

place=$(mktemp -d /var/tmp/tilewright-neovim-XXXXXX)
system=$place/system
leave() {
  local folder
  for folder in "$system$place/scratch" "$system/proc" "$system/dev"; do umount -l "$folder" 2>/dev/null || true; done
  # Below a mount that is still there would be the machine's own files.
  if grep -qF " $system/" /proc/mounts; then echo "left as it is: $place" >&2; else rm -rf "$place"; fi
}
trap leave EXIT
debootstrap --variant=minbase --include=neovim trixie "$system" "${TILEWRIGHT_MIRROR:-http://deb.debian.org/debian}" >"$place/log" 2>&1 ||
  skip "debootstrap failed: $(tail -n 1 "$place/log")"
mkdir -p "$place/scratch" "$system$place/scratch"
mount --bind /dev "$system/dev"
mount -t proc proc "$system/proc"
mount --bind "$place/scratch" "$system$place/scratch"
cat >"$place/nvim" <<TEXT
#!/bin/sh
exec chroot "$system" /bin/sh -c 'cd "\$1" && shift && exec nvim "\$@"' sh "\$PWD" "\$@"
TEXT
chmod +x "$place/nvim"
screens=$(realpath -m "$3")
status=0
# Homes, the packaged plugin and the screens lie where both systems see them.
TMPDIR=$place/scratch TILEWRIGHT_NVIM=$place/nvim \
  python3 "$here/neovim_test.py" "$1" "$2" "$place/scratch/screens" "${@:4}" || status=$?
mkdir -p "$screens"
cp -R "$place/scratch/screens/." "$screens/" 2>/dev/null || true
exit "$status"

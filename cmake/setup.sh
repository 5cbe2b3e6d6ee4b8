# What ./bootstrap installs and fetches: packages of the system, CUDA's compiler, the editors that tests drive. It is read
# by bootstrap, which defines `say` and `die`. Every step first looks whether it is needed.

# A name with '|' is the same thing under the names of different releases: the first that apt knows is taken.
build_packages=(g++ cmake ninja-build pkg-config git ca-certificates python3 python3-dev
  libssl-dev zlib1g-dev libzstd-dev nlohmann-json3-dev libfmt-dev libcli11-dev libtomlplusplus-dev libtree-sitter-dev
  'libboost1.83-dev|libboost1.81-dev' 'libcatch2-dev|catch2' libbenchmark-dev)
format_packages=(clang-format-19)
test_packages=(python3-venv)
# A cluster and a server of ssh for the tests of places elsewhere. They bring services.
service_packages=(slurm-wlm munge openssh-server openssh-client)
# A workbench of VS Code in a browser, for the tests of the extension: what drives it, and what its native modules are built with.
workbench_packages=(chromium ripgrep make libkrb5-dev libsecret-1-dev libx11-dev libxkbfile-dev)
clang_packages=(clang-19 clang-tidy-19 libclang-rt-19-dev)
# For the long tests: Emacs, the build server under Maven, Python's own tests as scripts, a browser.
check_packages=(emacs-nox 'elpa-eglot|emacs-nox' maven default-jdk-headless
  'libpython3-testsuite|libpython3.11-testsuite|libpython3.13-testsuite' chromium)

# ── Packages ────────────────────────────────────────────────────────────────────────────────────────────────────────

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "'$*' needs root" "run it as root, or install sudo"; fi
}

# apt asks nothing, and leaves out what is only recommended.
apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"; }

missing_of() {
  local installed entry name found
  # One query for all: `dpkg -s` for each would cost more than a build that has nothing to do.
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' | tr -d '\n') "
  for entry in "$@"; do
    found=
    for name in ${entry//|/ }; do
      [[ $installed == *" installed:$name "* ]] && found=1
    done
    [ -n "$found" ] || printf '%s\n' "$entry"
  done
}

need_packages() {
  command -v dpkg-query >/dev/null || die "this is not a Debian or Ubuntu system (no dpkg)" \
    "install the packages named at the top of cmake/setup.sh by your own means, then: cmake --preset release && ninja -C build/release"
  local missing entry name chosen=()
  mapfile -t missing < <(missing_of "$@")
  [ ${#missing[@]} = 0 ] && return
  say "installing ${missing[*]}"
  apt_get update -q || die "apt-get update failed" "look at the messages above; is the package mirror reachable?"
  for entry in "${missing[@]}"; do
    for name in ${entry//|/ }; do
      # No `grep -q` on a pipe anywhere here: it ends early, and pipefail then takes the writer's SIGPIPE for a failure.
      if [[ $(apt-cache policy "$name") == *"Candidate: "[!\(]* ]]; then chosen+=("$name"); continue 2; fi
    done
    die "no package ${entry//|/ or } in this system's sources ($(. /etc/os-release && echo "$PRETTY_NAME"))" \
      "supported are Debian 12, Debian 13 and Ubuntu 24.04 with their full archives (Ubuntu: universe)"
  done
  apt_get install -q -y --no-install-recommends "${chosen[@]}" ||
    die "apt-get could not install ${chosen[*]}" "look at apt's message above, repair it, and run this again"
}

# Packages with services, of which none is started: only where root alone works, in a container say, and no systemd would
# start them later. Elsewhere their tests are skipped, and say so.
need_quiet_packages() {
  local policy=/usr/sbin/policy-rc.d made=
  if [ "$(id -u)" != 0 ] || [ -d /run/systemd/system ]; then
    say "not installed for the tests, since their services would start: $*"
    return
  fi
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
    made=1
  fi
  need_packages "$@"
  [ -z "$made" ] || rm -f "$policy"
}

# ── CUDA ────────────────────────────────────────────────────────────────────────────────────────────────────────────

# NVRTC and its headers; a driver or a GPU is not needed.
is_cuda() {
  local folder
  [ -f "$1/include/cuda_fp16.h" ] || return 1
  for folder in lib64 lib "targets/$(uname -m)-linux/lib"; do
    compgen -G "$1/$folder/libnvrtc.so*" >/dev/null && return 0
  done
  return 1
}

need_cuda() {
  local python=python3
  if [ -n "${CUDA_HOME:-}" ]; then
    is_cuda "$CUDA_HOME" && return
    die "CUDA_HOME=$CUDA_HOME holds no NVRTC with headers" "point it at a CUDA 13 toolkit, or unset it and have one fetched"
  fi
  if is_cuda /usr/local/cuda; then export CUDA_HOME=/usr/local/cuda; return; fi
  if ! cmp -s cmake/cuda-wheels.txt .cuda/wheels.txt; then
    say "fetching NVIDIA's compiler (NVRTC, nvdisasm, headers: 100 MB) into .cuda/"
    if ! python3 -m pip --version >/dev/null 2>&1; then need_packages python3-pip; python=/usr/bin/python3; fi
    "$python" cmake/fetch_cuda.py cmake/cuda-wheels.txt .cuda ||
      die "CUDA's wheels could not be fetched" "check the connection to the Python package index, or install CUDA 13 and set CUDA_HOME"
  fi
  export CUDA_HOME=$root/.cuda/nvidia/cu13
}

# ── Editors ─────────────────────────────────────────────────────────────────────────────────────────────────────────

# What tests drive the server and the extension with. Without a network it is left out, and its tests are skipped.
need_editors() {
  local status=0
  say "clients for the language server"
  python3 tests/lsp/real_clients.py install build/release/clients || status=$?
  case $status in
    0 | 77) ;;
    *) die "the clients that test the language server could not be installed" "look at pip's message above" ;;
  esac
  # The workbench runs on Node 20, which is not installed for it: without, its tests are skipped and say so.
  if command -v npm >/dev/null && [[ $(node --version) == v20.* ]]; then need_packages "${workbench_packages[@]}"; fi
  say "a workbench for the VS Code extension"
  status=0
  python3 tests/editors/vscode/install_workbench.py build/workbench || status=$?
  case $status in
    0 | 77) ;;
    *) die "the workbench that tests the VS Code extension could not be installed" "look at the message above" ;;
  esac
}

#!/usr/bin/env python3
"""Has NVRTC compile the golden CUDA texts of the unit tests (tests/unit/golden/*.cu), without an error or a remark.

    golden_texts.py [CUDA_HOME]

Exit status 1 when one does not compile for an architecture it is meant for, 77 without NVRTC.
"""
import glob
import os
import sys

import assemble_rows

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../unit/golden")
ARCHS = ["sm_80", "sm_90a", "sm_100a"]


def main():
    home = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("CUDA_HOME") or assemble_rows.FETCHED
    if not glob.glob(os.path.join(home, "lib*", "libnvrtc.so*")):
        print(f"golden_texts.py: no NVRTC below {home}: skipped")
        sys.exit(77)
    assemble_rows.load(home)
    files, failures = sorted(glob.glob(os.path.join(FOLDER, "*.cu"))), 0
    for path in files:
        with open(path) as file:
            source = file.read()
        for arch in ARCHS:
            if log := assemble_rows.assemble(source, arch):
                print(f"{os.path.basename(path)} for {arch}: {log.strip()}")
                failures += 1
    print(f"{len(files)} golden texts for {len(ARCHS)} architectures, {failures} failures")
    sys.exit(1 if failures or not files else 0)


if __name__ == "__main__":
    main()

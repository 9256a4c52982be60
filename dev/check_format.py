#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The test style.format: every C++ file that git tracks is as clang-format-19 would write it."""
import pathlib
import subprocess
import sys


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    listed = subprocess.run(["git", "ls-files", "*.h", "*.cc"], cwd=root, capture_output=True,
                            check=True, text=True)
    files = [name for name in listed.stdout.split() if (root / name).is_file()]
    if not files:
        print("format: no C++ files are tracked")
        return 1
    done = subprocess.run(["clang-format-19", "--dry-run", "-Werror", "--ferror-limit=1", *files],
                          cwd=root)
    print(f"format: {len(files)} files" + ("; `make fmt` repairs them" if done.returncode else ""))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

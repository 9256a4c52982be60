#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses an #include along an arrow that the layer's row in CMake does not name."""
import argparse
import pathlib
import re
import sys

LAYERS = {"base", "api", "cel", "store", "net", "client", "allocator", "scheduler", "controllers",
          "node", "server", "cli", "web", "sim"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([a-z_]+)/([^"]+)"')


def violations(folder, layer, uses):
    for path in sorted(folder.rglob("*")):
        if path.suffix not in {".h", ".cc"}:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if not found or found[1] == layer or found[1] not in LAYERS:
                continue
            if found[1] not in uses:
                yield f"{path}:{number}: {layer} may not use {found[1]}"
            elif found[2].startswith("internal/"):
                yield f"{path}:{number}: {found[1]}/internal is not for other layers"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layer", required=True)
    parser.add_argument("--uses", required=True, help="separated by ; or blanks")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    found = list(violations(options.folder, options.layer, set(re.split(r"[; ]+", options.uses))))
    print("\n".join(found) or f"{options.layer}: every include follows an arrow")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays out the headers that programs of others may include: include/dray/, and what it needs.

public_headers.py --sources ROOT --generated BUILD --output DIR

Copies include/dray/ and, of api/ and base/, the headers that it includes, directly or not, to
DIR/dray/. What they include of each other becomes <dray/…>, so that one folder on the include path
is enough. Refuses a header that leads into any other folder: what is behind the face stays there.
"""
import argparse
import pathlib
import re
import shutil
import sys

INCLUDE = re.compile(r'^(\s*#\s*include\s*)"([^"]+)"', re.MULTILINE)
PUBLIC = ("dray", "api", "base")


class Layout:
    def __init__(self, sources, generated):
        self.roots = [sources / "include", sources, generated]
        self.texts = {}  # by path below dray/
        self.problems = []

    def find(self, name):
        return next((root / name for root in self.roots if (root / name).is_file()), None)

    def add(self, name, wanted_by):
        if name in self.texts:
            return
        path = self.find(name)
        if path is None or name.split("/")[0] not in PUBLIC:
            self.problems.append(f"{wanted_by}: {name} is not for others")
            return
        text = path.read_text()
        self.texts[name] = INCLUDE.sub(lambda m: f"{m[1]}<{public_name(m[2])}>", text)
        for found in INCLUDE.finditer(text):
            self.add(found[2], name)


def public_name(name):
    return name if name.startswith("dray/") else "dray/" + name


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=pathlib.Path, required=True)
    parser.add_argument("--generated", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    layout = Layout(options.sources, options.generated)
    face = options.sources / "include"
    for header in sorted(face.rglob("*.h")):
        layout.add(header.relative_to(face).as_posix(), "include/")
    if layout.problems:
        print("\n".join(layout.problems), file=sys.stderr)
        return 1
    shutil.rmtree(options.output, ignore_errors=True)
    for name, text in layout.texts.items():
        target = options.output / public_name(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

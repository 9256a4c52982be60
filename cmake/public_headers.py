#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays out the headers that programs of others may include: include/dray/, and what it needs.

public_headers.py --sources ROOT --generated BUILD --output DIR

Copies include/dray/ and, of api/ and base/, the headers that it includes, directly or not, to
DIR/dray/. What they include of each other becomes <dray/…>, so that one folder on the include path
is enough. Refuses a header that leads into any other folder: what is behind the face stays there. Refuses
too what a program would get with these headers and did not ask for: macros, standard headers of locks and
threads and of std::any, and names of the rooms and layers behind the face.

With --check instead of --output: only refuses.
"""
import argparse
import pathlib
import re
import shutil
import sys

INCLUDE = re.compile(r'^(\s*#\s*include\s*)"([^"]+)"', re.MULTILINE)
PUBLIC = ("dray", "api", "base")
# A header may define macros for itself: one that it undefines again.
DEFINED = re.compile(r"^\s*#\s*define\s+(\w+)", re.MULTILINE)
UNDEFINED = re.compile(r"^\s*#\s*undef\s+(\w+)", re.MULTILINE)
STANDARD = re.compile(r"^\s*#\s*include\s*<(any|condition_variable|future|mutex|shared_mutex|thread)>",
                      re.MULTILINE)
INSIDE = re.compile(r"\b(cel|inventory|literal|rules|search|snapshot)::|"
                    r"\bnamespace\s+(?:\w+::)*(cel|inventory|literal|rules|search|snapshot)\b")
COMMENT = re.compile(r"//.*")


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


def unasked(name, text):
    """What a header gives a program that includes it and that is not its subject."""
    code = COMMENT.sub("", text)
    for macro in sorted(set(DEFINED.findall(code)) - set(UNDEFINED.findall(code))):
        yield f"{name}: defines the macro {macro}"
    for header in STANDARD.findall(code):
        yield f"{name}: includes <{header}>"
    for found in INSIDE.finditer(code):
        yield f"{name}: names what is behind the face: {found[0]}"


# What `unasked` refuses, and what it lets through.
REFUSED = ("#define DRAY_TRY(x) x", "#include <mutex>", "#include <any>", "std::shared_ptr<cel::Selector> s;",
           "namespace dray::allocator::search {")
ALLOWED = ("#define ONE(x) x\n#undef ONE", "#include <atomic>", "// snapshot::ClusterState", "std::ranges::search(a);",
           "#pragma once", "allocator::Snapshot snapshot;")


def self_test():
    for text in REFUSED:
        assert list(unasked("", text)), text
    for text in ALLOWED:
        assert not list(unasked("", text)), text


def public_name(name):
    return name if name.startswith("dray/") else "dray/" + name


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=pathlib.Path, required=True)
    parser.add_argument("--generated", type=pathlib.Path, required=True)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--output", type=pathlib.Path)
    what.add_argument("--check", action="store_true")
    options = parser.parse_args()
    layout = Layout(options.sources, options.generated)
    face = options.sources / "include"
    for header in sorted(face.rglob("*.h")):
        layout.add(header.relative_to(face).as_posix(), "include/")
    for name, text in sorted(layout.texts.items()):
        layout.problems += unasked(name, text)
    if layout.problems:
        print("\n".join(layout.problems), file=sys.stderr)
        return 1
    if options.check:
        self_test()
        print(f"{len(layout.texts)} headers: nothing but their subject")
        return 0
    shutil.rmtree(options.output, ignore_errors=True)
    for name, text in layout.texts.items():
        target = options.output / public_name(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

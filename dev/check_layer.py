#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses an #include along an arrow that a layer's row in CMake does not name.

Between layers: a file may include what its layer's USES name.
Inside a layer: PARTS names its folders from the bottom up ("." is the layer's own; a file without
its ending stands for that unit alone); a file may include its own part and those before it. Rooms may include those headers of the layer's
face (include/dray/) that are values; these include each other only. A folder holds
at most 35 units (a header and its source are one): what has more is split into parts. No two units may need
each other, neither directly nor in a circle. Tests and testing/ may include any part; nothing else
may include them.
"""
import argparse
import pathlib
import re
import sys

LAYERS = {"base", "api", "cel", "custom", "store", "net", "client", "allocator", "scheduler",
          "controllers", "node", "server", "manifests", "planning", "control_plane", "cli", "web", "sim"}
FACES = {"dray": "allocator"}  # include/dray/ is the face of allocator/
# Headers of the face that are values: below all rooms of its layer. The others are above them, with ".".
FACE_VALUES = {"allocated_state.h", "budget.h", "changes.h", "device_id.h", "features.h", "outcome.h"}
UNITS_MAX = 35
INCLUDE = re.compile(r'^\s*#\s*include\s*"([a-z_]+)/([^"]+)"')


def is_test(path):
    return path.stem.endswith(("_test", "_fixture")) or "testing" in path.parts


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found[1], pathlib.PurePosixPath(found[2])


def sources(folder):
    """The files of the layer in this folder; a folder with a CMakeLists.txt is a layer of its own."""
    others = [path.parent for path in folder.rglob("CMakeLists.txt") if path.parent != folder]
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".h", ".cc"} and not any(other in path.parents for other in others):
            yield path


def arrows_between_layers(folder, layer, uses):
    for path in sources(folder):
        for number, other, target in includes(path):
            other = FACES.get(other, other)
            if other == layer or other not in LAYERS:
                continue
            if other not in uses:
                yield f"{path}:{number}: {layer} may not use {other}"
            elif "testing" in target.parts and not is_test(path):
                yield f"{path}:{number}: {other}/{target} is for tests"


def part_of(relative, parts, folder):
    """The longest of the parts that the file is or lies in, or None. A file beside a folder of its name is
    no part of that folder."""
    unit = relative.with_suffix("")
    for parent in (*(() if (folder / unit).is_dir() else (unit,)), *relative.parents):
        if str(parent) in parts:
            return str(parent)
    return None


def arrows_between_parts(folder, layer, prefix, parts):
    place = {part: index for index, part in enumerate(parts)}
    for path in sources(folder):
        relative = pathlib.PurePosixPath(path.relative_to(folder).as_posix())
        if is_test(relative):
            continue
        mine = part_of(relative, place, folder)
        if mine is None or (mine == "." and len(relative.parts) > 1):
            yield f"{path}:1: {relative.parent} is not among the PARTS of {layer}"
            continue
        for number, other, target in includes(path):
            if FACES.get(other) == layer and mine != "." and str(target) not in FACE_VALUES:
                yield f"{path}:{number}: {mine} may use no header of the face but values, not {target}"
            if f"{other}/{target}".startswith(prefix + "/"):
                target = pathlib.PurePosixPath(f"{other}/{target}"[len(prefix) + 1:])
            else:
                continue
            if is_test(target):
                yield f"{path}:{number}: {target} is for tests"
            elif not (folder / target).exists():
                continue  # generated: the lowest of all
            elif place.get(part_of(target, place, folder), -1) > place[mine]:
                yield f"{path}:{number}: {mine} may not use {part_of(target, place, folder)} (PARTS of {layer})"


def values_of_face(root, layer):
    """A value of the face that includes more of the face than values."""
    for face in (face for face, owner in FACES.items() if owner == layer):
        for name in sorted(FACE_VALUES):
            path = root / "include" / face / name
            for number, other, target in includes(path):
                if other == face and str(target) not in FACE_VALUES:
                    yield f"{path}:{number}: a value may not use {target}"


def crowded(folder):
    """Folders with more units than a reader can take in, without tests."""
    units = {}
    for path in sources(folder):
        if not is_test(path.relative_to(folder)):
            units.setdefault(path.parent, set()).add(path.stem)
    for place, found in sorted(units.items()):
        if len(found) > UNITS_MAX:
            yield f"{place}: {len(found)} units; at most {UNITS_MAX} in a folder: split it into parts"


def unit_of(relative):
    return str(relative.with_suffix(""))


def circles(folder, prefix):
    """Units that need each other, one line for each circle."""
    needs = {}
    for path in sources(folder):
        relative = pathlib.PurePosixPath(path.relative_to(folder).as_posix())
        mine = needs.setdefault(unit_of(relative), set())
        for _, other, target in includes(path):
            whole = f"{other}/{target}"
            if whole.startswith(prefix + "/"):
                mine.add(unit_of(pathlib.PurePosixPath(whole[len(prefix) + 1:])))
        mine.discard(unit_of(relative))
    for circle in strongly_connected(needs):
        yield f"{folder}: these need each other: {', '.join(sorted(circle))}"


def strongly_connected(needs):
    """Groups of more than one node that reach each other (Tarjan's algorithm)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for following in sorted(needs.get(node, ())):
            if following not in needs:
                continue
            if following not in order:
                visit(following)
                low[node] = min(low[node], low[following])
            elif following in stack:
                low[node] = min(low[node], order[following])
        if low[node] == order[node]:
            group = set(stack[stack.index(node):])
            del stack[stack.index(node):]
            if len(group) > 1:
                found.append(group)

    sys.setrecursionlimit(10_000)
    for node in sorted(needs):
        if node not in order:
            visit(node)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layer", required=True)
    parser.add_argument("--uses", required=True, help="separated by ; or blanks")
    parser.add_argument("--parts", default="", help="from the bottom up, separated likewise")
    parser.add_argument("--root", type=pathlib.Path, required=True, help="what includes start from")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    uses = set(re.split(r"[; ]+", options.uses))
    parts = re.split(r"[; ]+", options.parts.strip() or ".")
    folder = options.folder.resolve()
    prefix = folder.relative_to(options.root.resolve()).as_posix()
    found = [*arrows_between_layers(folder, options.layer, uses),
             *arrows_between_parts(folder, options.layer, prefix, parts),
             *values_of_face(options.root, options.layer),
             *crowded(folder),
             *circles(folder, prefix)]
    print("\n".join(found) or f"{options.layer}: every include follows an arrow")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

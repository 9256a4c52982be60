#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each unit costs to compile, and whether it keeps to the budget of CONTRIBUTING.md.

    build_budget.py build/dev          the heaviest units; exit code 1 when one is over the budget
    build_budget.py build/dev --all    every unit

Seconds on a busy machine say nothing, so what is counted is what they come from and what is the
same everywhere: the bytes of source that a unit reads beyond the precompiled headers, and the bytes
of the object it makes. SECONDS_PER_… are fitted to the measured CPU-seconds of 40 units, compiled with
precompiled headers; they explain 95 % of the differences between units. Reads what ninja knows of a
finished build of the preset dev, with or without precompiled headers."""
import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS_PER_UNIT = 0.24
SECONDS_PER_MB_READ = 0.09
SECONDS_PER_MB_MADE = 0.53
BUDGET = 4.0  # estimated seconds of one unit
SETS = ROOT / "cmake" / "precompile.cmake"


def output(command, **options):
    return subprocess.run(command, capture_output=True, check=True, text=True, **options).stdout


def headers_of(name):
    """The headers that cmake/precompile.cmake lists as DRAY_PRECOMPILED_name."""
    listed = re.search(rf"set\(DRAY_PRECOMPILED_{name}\n(.*?)\)\n", SETS.read_text(), re.DOTALL)[1]
    return [line.strip().replace('"\\"', '"').replace('\\""', '"') for line in listed.splitlines()]


def precompiled(entry, sets):
    """The files that these sets of precompiled headers read."""
    flags = [word for word in shlex.split(entry["command"]) if word.startswith(("-std", "-D"))]
    lines = "".join(f"#include {line}\n" for name in sets for line in headers_of(name))
    rules = output(["clang++-19", *flags, f"-I{ROOT}", f"-I{ROOT}/build/gen", "-M", "-x", "c++", "-"],
                   input=lines)
    return {str(pathlib.Path(word).resolve()) for word in rules.replace("\\\n", " ").split()[1:]}


def read_files(build):
    """By object: the files it was made from."""
    read, current = {}, None
    for line in output(["ninja", "-C", build, "-t", "deps"]).splitlines():
        if line.startswith("    ") and current is not None:
            current.append(line.strip())
        elif ": #deps" in line:
            current = read.setdefault(line.split(": #deps")[0], [])
    return read


def estimate(read, made):
    return SECONDS_PER_UNIT + SECONDS_PER_MB_READ * read / 1e6 + SECONDS_PER_MB_MADE * made / 1e6


def units_of(build):
    """(estimate, bytes read beyond precompiled headers, bytes made, source) of what is built."""
    entries = json.loads((build / "compile_commands.json").read_text())
    ours = [entry for entry in entries if entry["file"].startswith(str(ROOT))
            and not entry["file"].startswith(str(build))]
    sets = {"std": precompiled(ours[0], ["STD"]), "api": precompiled(ours[0], ["STD", "API"]),
            "tests": precompiled(ours[0], ["STD", "API", "TESTS"])}
    read, units = read_files(build), []
    for entry in ours:
        words = shlex.split(entry["command"])
        name = words[words.index("-o") + 1]
        if name not in read or not (build / name).exists():
            continue
        source = str(pathlib.Path(entry["file"]).relative_to(ROOT))
        kind = ("tests" if source.endswith("_test.cc") else
                "std" if source.startswith(("base/", "net/", "store/")) else "api")
        files = {(build / path).resolve() for path in read[name] if not path.endswith(".pch")}
        beyond = sum(path.stat().st_size for path in files
                     if str(path) not in sets[kind] and path.exists())
        made = (build / name).stat().st_size
        units.append((estimate(beyond, made), beyond, made, source))
    return sorted(units, reverse=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    units = units_of(options.build.resolve())
    over = [unit for unit in units if unit[0] > BUDGET]
    total = sum(unit[0] for unit in units)
    print(f"{len(units)} units, about {total:.0f} CPU-seconds; the heaviest:")
    for seconds, beyond, made, source in units if options.all else units[:max(10, len(over))]:
        print(f"{seconds:5.1f} s  {beyond / 1e6:5.2f} MB read  {made / 1e6:5.2f} MB made  {source}"
              + ("  OVER THE BUDGET" if seconds > BUDGET else ""))
    if over:
        print(f"build_budget: a unit may cost {BUDGET} s; split it, or include less "
              "(clang++ -ftime-trace shows what takes long)", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())

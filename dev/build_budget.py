#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CPU-seconds that each unit took to compile, and whether it keeps to the budget of CONTRIBUTING.md.

    build_budget.py build/dev          the heaviest units; exit code 1 when one is over the budget
    build_budget.py build/dev --all    every unit
    build_budget.py --yardstick        only the fixed compile that the budget is measured against

The preset `dev` makes the compiler append user and system time of each compile to
compile_costs.csv (-fproc-stat-report). A unit that came from the compiler cache keeps the time of
its last real compile. Seconds differ between machines and with what else they do, so the budget
counts in yardsticks: one is what this machine takes for one fixed compile (YARDSTICK), which reads
nothing but headers of the standard library. The heaviest units are compiled once more before one of
them is refused, because a busy machine makes some compiles look dear."""
import argparse
import csv
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COSTS = "compile_costs.csv"  # object, microseconds of user and system time, of user time, kB at most
BUDGET = 8.0  # yardsticks of one unit
YARDSTICK = """
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>
bool Matches(const std::string& text) { return std::regex_match(text, std::regex("[a-z]+-[0-9]*")); }
"""


def cpu_seconds(command, folder):
    """User and system time of a command; the command must succeed."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"build_budget: {shlex.join(command)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def yardstick():
    """CPU-seconds of the fixed compile: the least of three."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "yardstick.cc"
        source.write_text(YARDSTICK)
        command = ["clang++-19", "-std=gnu++23", "-O0", "-c", source.name, "-o", "yardstick.o"]
        return min(cpu_seconds(command, folder) for _ in range(3))


def last_costs(build):
    """CPU-seconds by object, as the last compile of each took."""
    path = build / COSTS
    if not path.exists():
        sys.exit(f"build_budget: {path} is missing; build the preset dev first")
    with path.open(newline="") as rows:
        return {row[1]: int(row[2]) / 1e6 for row in csv.reader(rows) if len(row) == 5}


def units_of(build):
    """(CPU-seconds, source, entry of compile_commands.json) of our units, the heaviest first."""
    costs, units = last_costs(build), []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        name, file = words[words.index("-o") + 1], pathlib.Path(entry["file"])
        if file.is_relative_to(ROOT) and not file.is_relative_to(build) and name in costs:
            units.append((costs[name], str(file.relative_to(ROOT)), entry))
    return sorted(units, key=lambda unit: unit[:2], reverse=True)


def measured_again(entry):
    """CPU-seconds of one more compile, without the compiler cache."""
    words = [word for word in shlex.split(entry["command"])
             if pathlib.Path(word).name != "ccache" and not word.startswith("-fproc-stat-report")]
    with tempfile.TemporaryDirectory() as folder:
        words[words.index("-o") + 1] = f"{folder}/unit.o"
        if "-MF" in words:
            words[words.index("-MF") + 1] = f"{folder}/unit.d"
        return cpu_seconds(words, entry["directory"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, nargs="?")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--yardstick", action="store_true")
    options = parser.parse_args()
    one = yardstick()
    print(f"the fixed compile takes {one:.2f} CPU-seconds here")
    if options.yardstick or options.build is None:
        return 0
    units = units_of(options.build.resolve())
    if not units:
        sys.exit(f"build_budget: {options.build} has measured no unit; build it without the compiler cache")
    total = sum(unit[0] for unit in units)
    print(f"{len(units)} units, {total:.0f} CPU-seconds; the heaviest, in yardsticks:")
    over = []
    for seconds, source, entry in units if options.all else units[:10]:
        if seconds > BUDGET * one:
            seconds = min(seconds, measured_again(entry))
        is_over = seconds > BUDGET * one
        over += [source] if is_over else []
        print(f"{seconds / one:5.1f}  {seconds:5.1f} s  {source}" + ("  OVER THE BUDGET" if is_over else ""))
    if over:
        print(f"build_budget: a unit may cost {BUDGET} yardsticks; split it, or include less "
              "(clang++ -ftime-trace shows what takes long)", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over every C++ source; headers are checked through the sources that include them.

What was found clean is not checked again: a stamp is kept for the content of each unit (CACHE),
and a second run asks clang-tidy only about units whose content changed. The content is: the source
itself; what the preprocessor makes of it, without comments; of our headers also the lines with
directives and NOLINT; the flags, the checks and the version of clang-tidy. So a comment in a header
costs nothing.

dev/own_declarations.cc, compiled here and loaded into clang-tidy, keeps the checks out of the
libraries' headers; without it a run takes twice as long.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "dray-lint"
STAMP_DAYS_MAX = 60  # a stamp that no run has read in that time is deleted
COMPILER, TIDY = "clang++-19", "clang-tidy-19"

# GoogleTest's macros make mutable globals, own raw pointers and count as complex functions; a test
# need not reserve room for four elements, and lists of upstream's texts have many long ones. What the
# analyzer looks for takes half of the time, and the sanitizers find it where a test runs.
TEST_CHECKS = ("-cppcoreguidelines-avoid-non-const-global-variables,"
               "-cppcoreguidelines-owning-memory,-cppcoreguidelines-special-member-functions,"
               "-readability-function-cognitive-complexity,"
               "-performance-inefficient-vector-operation,"
               "-bugprone-suspicious-missing-comma,-clang-analyzer-*")

# Units are judged as they are without precompiled headers (cmake/precompile.cmake).
PRECOMPILED = re.compile(r"-Winvalid-pch (?:-fpch-instantiate-templates )?(?:-Xclang \S+ )+")
LINE_MARKER = re.compile(rb'^# \d+ "([^"]*)".*\n', re.MULTILINE)
LINE_OF_RULES = re.compile(rb"^.*(?:NOLINT|^\s*#).*$", re.MULTILINE)
FINDING = re.compile(r"^(/\S+?):\d+:\d+: (?:error|warning): ")


def run(command, **options):
    return subprocess.run(command, capture_output=True, check=False, **options)


def tracked(*arguments):
    listed = run(["git", *arguments, "-z", "--", "*.cc", "*.h"], cwd=ROOT)
    if listed.returncode:
        sys.exit(listed.stderr.decode())
    return {name for name in listed.stdout.decode().split("\0") if name}


def changed_since(commit, sources):
    """Changed sources; for a changed header also the source and the test of the same name."""
    changed = tracked("diff", "--name-only", "--diff-filter=d", commit)
    stems = {name[:-2] for name in changed if name.endswith(".h")}
    return {name for name in sources if name in changed
            or re.sub(r"(?:_test)?\.cc$", "", name) in stems}


def is_test(name):
    return name.endswith(("_test.cc", "_fuzz.cc")) or name.startswith("tests/")


class Unit:
    """A source and the command that compiles it."""

    def __init__(self, name, entry):
        words = shlex.split(PRECOMPILED.sub("", entry["command"]))
        while words[0].endswith("ccache"):
            del words[0]
        out = words.index("-o")
        self.name = name
        self.folder = entry["directory"]
        self.flags = words[1:out] + words[out + 2:]
        self.flags.remove("-c")

    def key(self, rules):
        """Names the content. None: it does not compile."""
        made = run([COMPILER, *self.flags, "-E"], cwd=self.folder)
        if made.returncode:
            return None
        ours = {pathlib.Path(found.decode()) for found in set(LINE_MARKER.findall(made.stdout))
                if found.startswith(os.fsencode(ROOT))}
        content = hashlib.sha256(rules.encode())
        content.update(shlex.join(self.flags).replace(str(ROOT), "").encode())
        content.update((ROOT / self.name).read_bytes())
        for header in sorted(ours):
            for line in LINE_OF_RULES.findall(header.read_bytes()):
                content.update(line + b"\n")
        text = LINE_MARKER.sub(b"", made.stdout).replace(os.fsencode(ROOT), b"")
        content.update(b"\n".join(line for line in text.splitlines() if line.strip()))
        return content.hexdigest()


def units_of(build, names):
    wanted, units = set(names), []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        name = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
        if name in wanted:
            wanted.remove(name)
            units.append(Unit(name, entry))
    return sorted(units, key=lambda unit: unit.name)  # the others are built by other presets


def load_own_declarations(build):
    """The plugin, compiled when its source changed."""
    source = ROOT / "dev" / "own_declarations.cc"
    content = hashlib.sha256(source.read_bytes()).hexdigest()
    made = build / f"lint/own_declarations-{content[:16]}.so"
    if not made.exists():
        made.parent.mkdir(exist_ok=True)
        include = run(["llvm-config-19", "--includedir"]).stdout.decode().strip()
        subprocess.run([COMPILER, "-std=c++17", "-O2", "-fPIC", "-fno-rtti", "-shared", "-isystem",
                        include, "-o", f"{made}.new", source], check=True)
        os.rename(f"{made}.new", made)
    return made


class Lint:
    """One run: asks about the units, counts, and prints each finding once."""

    def __init__(self, build, checks):
        self.build = build
        self.extra = checks
        self.plugin = load_own_declarations(build)
        version = run([TIDY, "--version"]).stdout.decode()
        self.rules = version + (ROOT / ".clang-tidy").read_text() + self.plugin.name
        self.counts = collections.Counter()
        self.printed = set()
        self.lock = threading.Lock()
        self.begin = self.told = time.monotonic()
        self.stop = threading.Event()

    def checks_of(self, unit):
        return ",".join(filter(None, ["dray-own-declarations",
                                      TEST_CHECKS if is_test(unit.name) else "", self.extra]))

    def ask(self, unit):
        if self.stop.is_set():
            return
        checks = self.checks_of(unit)
        key = unit.key(self.rules + checks)
        stamp = CACHE / key[:2] / key if key else None
        if stamp and stamp.exists():
            stamp.touch()
            self.report(unit, "cached", "")
            return
        asked = run([TIDY, "--quiet", "-p", self.build, f"--load={self.plugin}",
                     f"--checks={checks}", ROOT / unit.name], cwd=ROOT)
        if asked.returncode == 0 and stamp:
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()
        out = asked.stdout.decode()
        if asked.returncode and not FINDING.search(out):
            out += f"{unit.name}:1:1: error: clang-tidy fails\n" + asked.stderr.decode()
        self.report(unit, "asked" if asked.returncode == 0 else "unclean", out)

    def report(self, unit, how, out):
        with self.lock:
            self.counts[how] += 1
            for finding in split_findings(out):
                if finding not in self.printed:
                    self.printed.add(finding)
                    self.clear_line()
                    print(finding.replace(f"{ROOT}/", ""), end="", flush=True)
            self.progress(unit)

    def clear_line(self):
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr)

    def progress(self, unit):
        now = time.monotonic()
        if sys.stderr.isatty() or now - self.told >= 60:
            self.told = now
            start, end = ("\r\x1b[K", "") if sys.stderr.isatty() else ("", "\n")
            print(f"{start}{self.summary()}, {unit.name}"[:120], end=end, file=sys.stderr, flush=True)

    def summary(self):
        done = sum(self.counts.values())
        return (f"clang-tidy: {done} of {self.total} units, {self.counts['cached']} unchanged, "
                f"{len(self.printed)} findings, {time.monotonic() - self.begin:.0f} s")

    def over(self, units, jobs):
        self.total = len(units)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            asked = [pool.submit(self.ask, unit) for unit in units]
            try:
                for one in asked:
                    one.result()
            except BaseException:
                self.stop.set()
                raise
        self.clear_line()
        print(self.summary())
        return 1 if self.counts["unclean"] else 0


def split_findings(out):
    """Each finding with the lines that belong to it."""
    finding = ""
    for line in out.splitlines(keepends=True):
        if FINDING.match(line) and finding:
            yield finding
            finding = ""
        finding += line
    if finding.strip():
        yield finding


def forget_old_stamps():
    oldest = time.time() - STAMP_DAYS_MAX * 24 * 3600
    for stamp in CACHE.glob("*/*"):
        if stamp.stat().st_mtime < oldest:
            stamp.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a configured and built folder")
    parser.add_argument("--since", help="only what changed since this commit")
    parser.add_argument("--checks", default="", help="more words for clang-tidy's --checks")
    parser.add_argument("--jobs", type=int, default=int(
        os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", os.cpu_count())))
    parser.add_argument("names", nargs="*", help="these sources instead of all")
    options = parser.parse_intermixed_args()
    sources = {name for name in tracked("ls-files") if name.endswith(".cc")}
    if options.since:
        sources = changed_since(options.since, sources)
    if options.names:
        sources &= set(options.names)
    units = units_of(options.build.resolve(), sources)
    status = Lint(options.build.resolve(), options.checks).over(units, options.jobs)
    forget_old_stamps()
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

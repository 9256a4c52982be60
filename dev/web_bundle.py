#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bundles web/ and writes it as a C++ source; CMake calls it (cmake/web.cmake).

The bundle is made in build/web by `npm ci` and web/build.mjs. It is kept there under the hash of the
files of web/, for all presets. Without a bundle the source says why there is none. Prints one line, and
exits with 0 in both cases: a build never fails for want of the dashboard.

  web_bundle.py --output FILE [--without REASON]
  web_bundle.py --install      only npm ci, with what the tests need; for tests/ui/run.py
"""
import argparse
import fcntl
import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
BUILT = ROOT / "build" / "web"
NODE_MAJOR_MIN = 18
NPM_SECONDS_MAX = 180
BUNDLE_SECONDS_MAX = 60
GZIP_BYTES_MAX = 150_000
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}
HEAD = """// SPDX-License-Identifier: Apache-2.0
// Written by dev/web_bundle.py; the files are those of web/.
#include "cli/dashboard/bundle.h"

namespace dray::cli::inline dashboard {
"""


class NoBundle(Exception):
    """Why there is no dashboard: a clause for people."""


def sources():
    """The files that the bundle is made of, by name: what is tested only is not among them."""
    names = [*WEB.glob("*.json"), *WEB.glob("*.mjs"), *(WEB / "src").rglob("*")]
    return sorted(name for name in names if name.is_file() and not name.name.endswith(".test.ts"))


def hash_of(files):
    whole = hashlib.sha256(pathlib.Path(__file__).read_bytes())
    for file in files:
        whole.update(f"{file.relative_to(WEB)}\0".encode())
        whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()[:16]


def run(command, seconds, where):
    try:
        done = subprocess.run(command, cwd=where, timeout=seconds, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except subprocess.TimeoutExpired:
        raise NoBundle(f"{command[0]} {command[1]} took longer than {seconds} s") from None
    except OSError as error:
        raise NoBundle(f"{command[0]} does not start: {error.strerror}") from None
    if done.returncode != 0:
        log = BUILT / "failed.log"
        log.write_text(done.stdout)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        why = next((line for line in lines if "code E" in line or "error" in line.lower()), "no reason given")
        raise NoBundle(f"{command[0]} {command[1]} failed, {why.strip()[:120]} ({log.relative_to(ROOT)} has all)")
    return done.stdout


def check_node():
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise NoBundle(f"{program} is not installed")
    version = run(["node", "--version"], 20, ROOT).strip()
    major = int(version.lstrip("v").split(".")[0] or 0)
    if major < NODE_MAJOR_MIN:
        raise NoBundle(f"Node.js is {version}, and {NODE_MAJOR_MIN} or newer is needed")


def install(with_tests):
    """npm ci into build/web/node_modules, once for each lock file."""
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()[:16]
    stamp = BUILT / ("installed-for-tests" if with_tests else "installed")
    for known in (BUILT / "installed-for-tests", stamp):
        if known.exists() and known.read_text() == lock:
            return
    for name in ("package.json", "package-lock.json"):
        shutil.copy(WEB / name, BUILT / name)
    omit = [] if with_tests else ["--omit=dev"]
    for old in BUILT.glob("installed*"):
        old.unlink()
    run(["npm", "ci", *omit, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=0",
         "--fetch-timeout=20000"], NPM_SECONDS_MAX, BUILT)
    stamp.write_text(lock)


def bundle():
    """The folder of the finished bundle."""
    files = sources()
    folder = BUILT / "bundles" / hash_of(files)
    if (folder / "index.html").exists():
        return folder
    check_node()
    install(with_tests=False)
    scratch = BUILT / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    work = BUILT / "sources"
    shutil.rmtree(work, ignore_errors=True)
    for file in files:
        copy = work / file.relative_to(WEB)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    (work / "node_modules").symlink_to(BUILT / "node_modules")
    run(["node", "build.mjs", str(scratch)], BUNDLE_SECONDS_MAX, work)
    shutil.rmtree(folder.parent, ignore_errors=True)
    folder.parent.mkdir(parents=True)
    scratch.rename(folder)
    return folder


def source_of(folder):
    arrays, rows, total = [], [], 0
    for number, file in enumerate(sorted(file for file in folder.iterdir() if file.is_file())):
        plain = file.read_bytes()
        packed = gzip.compress(plain, 9, mtime=0)
        total += len(packed)
        values = [str(byte) for byte in packed]
        lines = [",".join(values[at:at + 32]) for at in range(0, len(values), 32)]
        arrays.append(f"constexpr unsigned char kFile{number}[] = {{\n" + ",\n".join(lines) + "};\n")
        tag = hashlib.sha256(plain).hexdigest()[:16]
        rows.append(f'    {{"{file.name}", "{TYPES[file.suffix]}", "\\"{tag}\\"", kFile{number}, {len(plain)}}},\n')
    if total > GZIP_BYTES_MAX:
        raise NoBundle(f"the bundle has {total} bytes, and {GZIP_BYTES_MAX} are allowed")
    text = (HEAD + "namespace {\n\n// clang-format off\n" + "\n".join(arrays)
            + "\nconstexpr BundledFile kFiles[] = {\n" + "".join(rows) + "};\n// clang-format on\n\n}  // namespace\n\n"
            + "Bundle BundleOfBuild() {\n  return {.files = kFiles, .why_none = {}};\n}\n\n"
            + "}  // namespace dray::cli::inline dashboard\n")
    return text, total


def source_without(why):
    why = "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else "?" for c in why)
    return (HEAD + f'\nBundle BundleOfBuild() {{\n  return {{.files = {{}}, .why_none = "{why}"}};\n}}\n\n'
            + "}  // namespace dray::cli::inline dashboard\n")


def write(path, text):
    """Leaves an equal file alone, so that nothing is compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--without")
    parser.add_argument("--install", action="store_true")
    options = parser.parse_args()
    BUILT.mkdir(parents=True, exist_ok=True)
    os.environ["npm_config_update_notifier"] = "false"
    with (BUILT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two presets may be configured at once
        try:
            if options.install:
                check_node()
                install(with_tests=True)
                return 0
            if options.without:
                raise NoBundle(options.without)
            text, total = source_of(bundle())
            outcome = f"in the program, {total} bytes compressed"
        except NoBundle as why:
            if options.install:
                print(why)
                return 1
            text = source_without(str(why))
            outcome = f"not in the program, because {why}"
    write(options.output, text)
    print(outcome)
    return 0


if __name__ == "__main__":
    sys.exit(main())

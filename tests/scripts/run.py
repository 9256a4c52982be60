#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one script of tests/scripts and compares its output with the expected output.

A .txt script is blocks of bash commands, a line ----, and the expected output up to the next
empty line (README.md). --update rewrites what follows each ---- with what was printed. A .sh
script passes when its exit code is 0, a page of documentation (.md) when the commands that it
shows print what it shows (page.py). Exit codes: 0 passed, 1 failed, 77 skipped.
"""
import argparse
import contextlib
import difflib
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import page

SEPARATOR = "----"
SECONDS_MAX = 10_800  # ends what hangs, on the slowest machine, before ctest does
SKIPPED = 77
SKIPS = (0, SKIPPED, -signal.SIGUSR1)  # how a script ends that called `skip` (lib.sh)


class Block:
    """Comment lines, commands, and the output they promise."""

    def __init__(self):
        self.commands, self.expected, self.line = [], [], 0
        self.promises = False


def parse(text):
    """The blocks of a script: each ends with the empty line after its expected output."""
    blocks, block = [], Block()
    for number, line in enumerate(text.splitlines(), 1):
        if block.promises:
            if line == "":
                blocks.append(block)
                block = Block()
            else:
                block.expected.append(line)
        elif line == SEPARATOR:
            block.promises, block.line = True, number
        else:
            block.commands.append(line)
    if block.promises or any(block.commands):
        blocks.append(block)
    return blocks


def unparse(blocks, outputs):
    """The script's text with `outputs` in place of the expected output."""
    parts = []
    for block, output in zip(blocks, outputs):
        lines = list(block.commands)
        if block.promises:
            lines += [SEPARATOR, *output]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def program(blocks, library, mark):
    """One bash program for all blocks, so that variables and servers live from block to block."""
    lines = [f"source '{library}'"] if library else []
    for block in blocks:
        lines += block.commands + [f"echo '{mark}'"]
    return "\n".join(lines) + "\n"


def split_output(output, mark):
    """What each block printed, in lines without empty ones: an empty line ends a promise."""
    return [[line.rstrip() for line in part.splitlines() if line.strip()]
            for part in output.split(mark)[:-1]]


def environment(options, here):
    root = here.parent.parent
    shared = pathlib.Path(os.environ.get("DRAY_SHARED", root.parent / "shared"))
    debian = root / "build/tools/debian-kubectl/usr/bin/kubectl"
    in_path = shutil.which("kubectl") or ""
    chosen = os.environ.get("DRAY_KUBECTL") or (str(debian) if debian.exists() else in_path)
    return dict(os.environ, DRAY=str(options.dray.resolve()) if options.dray else "",
                ROOT=str(root), SHARED=str(shared) if shared.is_dir() else "",
                KUBECTL=chosen,
                KUBECTL_OTHER=in_path if debian.exists() else "",
                LC_ALL="C", TZ="UTC", HOME=os.getcwd(), NO_PROXY="127.0.0.1")


def runs(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def end(pid):
    """Asks a server to end, and kills it after ten minutes. Its last reports count, too."""
    for number, tries in ((signal.SIGTERM, 12_000), (signal.SIGKILL, 12_000)):
        if not runs(pid):
            return
        with contextlib.suppress(ProcessLookupError):  # it ended just now
            os.kill(pid, number)
        for _ in range(tries):
            if not runs(pid):
                return
            time.sleep(0.05)


def end_servers(scratch):
    """Ends every server that a script or a page started."""
    pids = scratch / "pids"
    for pid in pids.read_text().split() if pids.exists() else []:
        end(int(pid))


def execute(source, scratch, env):
    """Runs a bash program in the scratch folder."""
    try:
        done = subprocess.run(["bash", "-u", "-c", source], cwd=scratch, env=env, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS_MAX)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        return 1, (late.stdout or b"").decode() + f"\nstill running after {SECONDS_MAX} s\n"


def run_blocks(path, scratch, env, library, update):
    blocks = parse(path.read_text())
    mark = f"end of block {secrets.token_hex(8)}\n"
    _, output = execute(program(blocks, library, mark.rstrip("\n")), scratch, env)
    outputs = split_output(output, mark)
    if len(outputs) < len(blocks) and not (scratch / "skip").exists():
        print(output.replace(mark, ""))
        print(f"{path}: the script ended in block {len(outputs) + 1} of {len(blocks)}")
        return 1
    if update:
        path.write_text(unparse(blocks, outputs))
        return 0
    failed = 0
    for block, got in zip(blocks, outputs):
        if block.promises and got != block.expected:
            failed = 1
            print("\n".join(difflib.unified_diff(block.expected, got, f"{path}:{block.line}",
                                                 "printed", lineterm="")))
    if failed and (scratch / "serve.log").exists():
        print("serve.log ends:\n" + (scratch / "serve.log").read_text()[-3000:])
    return failed


def run_in(scratch, path, options):
    here = pathlib.Path(__file__).resolve().parent
    env = dict(environment(options, here), HOME=str(scratch))
    if path.suffix == ".md":
        return page.run_page(path.resolve(), scratch, env, options.update)
    if path.suffix != ".sh":
        return run_blocks(path, scratch, env, here / "lib.sh", options.update)
    source = f"source '{here}/lib.sh'\nset -eo pipefail\nsource '{path.resolve()}'\n"
    status, output = execute(source, scratch, env)
    print(output)
    return status


def run(path, options):
    with tempfile.TemporaryDirectory(prefix="dray-script-", ignore_cleanup_errors=True) as folder:
        scratch = pathlib.Path(folder)
        try:
            status = run_in(scratch, path, options)
        finally:
            end_servers(scratch)
        for report in reports(scratch):
            print(report)
            status = 1
        if (scratch / "skip").exists() and status in SKIPS:
            print((scratch / "skip").read_text())
            return SKIPPED
        return status


def reports(scratch):
    """Reports of servers besides their answers: sanitizers, broken checks."""
    for log in scratch.glob("*.log"):
        text = log.read_text(errors="replace")
        found = re.search(r"Sanitizer:|runtime error:|broken invariant", text)
        if found:
            yield f"{log.name}:\n{text[max(0, found.start() - 200):][:6000]}"


PAGE = """# A page
```yaml
# pods.yaml
kind: Pod
```
```console
$ cat pods.yaml
kind: Pod
$ for number in 1 2; do
>   echo line-$number of 127.0.0.1:4711 took ${number}s
> done
line-1 …
line-2 of 127.0.0.1:6443 took 9s
$ cat <<END
one

two
END
…
two
```

    $ test -e pods.yaml

<!-- needs a-tool-that-is-missing -->
```console
$ false
```
"""
BROKEN_PAGES = [("kind: Pod\n$", "kind: Node\n$"), ("took 9s", "took 9 minutes"), ("line-1 …\n", ""),
                ("test -e pods.yaml", "test -e nothing.yaml"), ("a-tool-that-is-missing", "bash")]


def pages_are_judged(scratch, options):
    """A page with the right output passes; each variant with a wrong one fails."""
    path = scratch / "page.md"

    def judged(text):
        path.write_text(text)
        return run(path, options)
    broken = [judged(PAGE.replace(before, after)) for before, after in BROKEN_PAGES]
    return judged(PAGE) == 0 and broken == [1] * len(BROKEN_PAGES)


def servers_end(scratch, options):
    """Processes that a page starts end with it."""
    path, started = scratch / "page.md", scratch / "started"
    path.write_text(f"```console\n$ sleep 600 &\n$ cp pids '{started}'\n```\n")
    return run(path, options) == 0 and not runs(int(started.read_text()))


def self_test(options):
    """A right output, a wrong one, and the rewriting of the latter; pages; processes left running."""
    script = "# what echo does\nx=1\necho one\n----\none\n\necho $((x + 1))\n----\nthree\n"
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        path = scratch / "echo.txt"
        path.write_text(script)
        env = dict(os.environ)
        broken = run_blocks(path, scratch, env, None, update=False)
        run_blocks(path, scratch, env, None, update=True)
        kept = run_blocks(path, scratch, env, None, update=False)
        right = broken == 1 and kept == 0 and path.read_text() == script.replace("three", "2")
        path.write_text(script + "\nskip no reason\n")
        right = right and run(path, options) == 1  # a broken promise is not skipped
        path.write_text("skip no reason\n")
        right = right and run(path, options) == SKIPPED
        right = right and pages_are_judged(scratch, options)
        right = right and servers_end(scratch, options)
    print("the difference above is the test's own" if right else "script runner: broken")
    return 0 if right else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dray", type=pathlib.Path, help="the program under test")
    parser.add_argument("--update", action="store_true", help="rewrite what follows each ---- or $ command")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("script", type=pathlib.Path, nargs="?")
    options = parser.parse_args()
    if options.self_test:
        return self_test(options)
    return run(options.script, options)


if __name__ == "__main__":
    sys.exit(main())

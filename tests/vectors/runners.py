#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A runner of recordings that ends early leaves no server behind, and its exit code is the result of the run.

runners.py DRAY_VECTORS DRAY STORIES

STORIES is a folder with one story that can be played and files that cannot. Exit codes: 0 all promises are kept,
1 some are not.
"""
import contextlib
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile

SECONDS_MAX = 600  # only ever used up by a bug
PAUSE = 600  # the longest there is; in the middle of which the runner is ended
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGABRT)

STORY = {"format": 1, "name": "pause", "release": "1.37.0", "steps": [
    {"do": [{"op": "wait", "seconds": PAUSE}], "snapshot": {}}]}
SCENARIO = {"release": "1.37.0", "steps": [{"pause_seconds": PAUSE}]}


def servers_of(runner, program):
    """The servers that have started, as descriptors, because a process id may be reused."""
    found = []
    for task in pathlib.Path(f"/proc/{runner.pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{child}/exe") == program:
                    found.append(os.pidfd_open(int(child)))
    return found


def started(runner, program, folder):
    """Waits until a server of the runner has written its address."""
    while True:
        if runner.poll() is not None:
            sys.exit(f"the runner ended with {runner.returncode} before its server listened")
        if any(folder.glob("dray-*/data/kubeconfig")):
            return servers_of(runner, program)
        with contextlib.suppress(subprocess.TimeoutExpired):
            runner.wait(0.02)


def ends(server):
    poller = select.poll()
    poller.register(server, select.POLLIN)
    return bool(poller.poll(SECONDS_MAX * 1000))


def check_ended_early(vectors, dray, kind, recording, number):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = folder / "pause.json"
        path.write_text(json.dumps(recording))
        with subprocess.Popen([vectors, kind, "--dray", dray, path], env=os.environ | {"TMPDIR": name},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as runner:
            servers = started(runner, os.path.realpath(dray), folder)
            runner.send_signal(number)
            runner.wait(SECONDS_MAX)
        problems = [] if servers else ["no server was found"]
        problems += ["a server is left behind" for server in servers if not ends(server)]
    return [f"{kind}, {number.name}: {problem}" for problem in problems]


def check_exit_code(vectors, dray, kind, paths, code, texts):
    run = subprocess.run([vectors, kind, "--dray", dray, *paths], capture_output=True, text=True, check=False,
                         timeout=SECONDS_MAX)
    problems = [] if run.returncode == code else [f"exit code {run.returncode}, not {code}"]
    problems += [f"does not say: {text}" for text in texts if text not in run.stdout + run.stderr]
    return [f"{kind} {paths}: {problem}\n{run.stdout}{run.stderr}" for problem in problems]


def main():
    vectors, dray, stories = sys.argv[1:]
    problems = []
    for number in SIGNALS:
        problems += check_ended_early(vectors, dray, "stories", STORY, number)
        problems += check_ended_early(vectors, dray, "rest", SCENARIO, number)
    problems += check_exit_code(vectors, dray, "stories", [f"{stories}/bind-without-kind.json"], 0, ["1 passed"])
    problems += check_exit_code(vectors, dray, "stories", [stories], 2, [
        f"COULD NOT BE PLAYED {stories}/unknown-deed.json: /steps/0/do/0/op: unknown deed",
        "1 passed, 0 failed, 0 skipped, 6 could not be played"])
    problems += check_exit_code(vectors, dray, "rest", [f"{stories}/unknown-deed.json"], 2, [
        f"COULD NOT BE PLAYED {stories}/unknown-deed.json: /steps/0: neither request",
        "0 passed, 0 failed, 0 skipped, 1 could not be played"])
    with tempfile.TemporaryDirectory() as empty:
        problems += check_exit_code(vectors, dray, "stories", [empty], 2, ["no story"])
        problems += check_exit_code(vectors, dray, "rest", [empty], 2, ["no scenario"])
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

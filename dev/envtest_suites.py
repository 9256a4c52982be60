#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the suites of other projects that use envtest, unmodified, with Dray as kube-apiserver and etcd,
and prints what passed: the tables of docs/envtest.md.

    dev/envtest_suites.py DRAY [--against FOLDER] [SUITE ...]
    dev/envtest_suites.py DRAY --checkout PROJECT [--against FOLDER] [SUITE ...]

The suites are controller-runtime's, or those of a checkout of another project, which is not changed.
FOLDER has the real kube-apiserver and etcd: the suites run there, too, and without --checkout both are
timed until envtest's Environment.Start is over. Needs Go and the modules that the suites import, for
kueue also kubectl: exit status 77 without them, 1 when a test failed.

What a suite says is kept with --logs FOLDER. Variables of the environment go to the suites:
GOMEGA_DEFAULT_EVENTUALLY_TIMEOUT=30s, for one, ends a test earlier than the 10 minutes that are usual here.
"""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import envtest_projects
from envtest_projects import go

HERE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "clients" / "envtest"
OWN_NETWORK = pathlib.Path(__file__).resolve().parent / "in_own_network.py"
# A busy machine needs longer than these have by themselves: seconds, and twenty of them.
PATIENCE = {"GOMEGA_DEFAULT_EVENTUALLY_TIMEOUT": "10m", "KUBEBUILDER_CONTROLPLANE_START_TIMEOUT": "10m",
            "KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT": "10m"}
GINKGO = "github.com/onsi/ginkgo/v2"
PLAIN_TEST = re.compile(r"^--- (PASS|FAIL|SKIP): (\S+)", re.MULTILINE)
PLAIN_STATES = {"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}


@dataclasses.dataclass
class Outcome:
    """What a run of a suite came to."""

    states: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # of ginkgo: tests
    failed: list = dataclasses.field(default_factory=list)  # names of tests
    seconds: float = 0

    def add(self, state, test):
        self.states[state] += 1
        if state not in ("passed", "pending", "skipped"):
            self.failed.append(test)


def without(why):
    print(f"skipped: {why}", file=sys.stderr)
    sys.exit(77)


def assets_of(dray, scratch):
    folder = scratch / "assets"
    folder.mkdir()
    for name in ["kube-apiserver", "etcd"]:
        (folder / name).symlink_to(pathlib.Path(dray).resolve())
    kubectl = shutil.which("kubectl")
    if kubectl:
        (folder / "kubectl").symlink_to(kubectl)
    return folder


def variables_of(assets):
    """By which envtest, and suites that look for the programs themselves, find them."""
    variables = {"KUBEBUILDER_ASSETS": str(assets)}
    for program in assets.iterdir():
        variables["TEST_ASSET_" + program.name.upper().replace("-", "_")] = str(program)
    return variables


def has_ginkgo(project, suite):
    listed = go(project.folder, "list", "-test", "-deps", f"./{suite}", mod=project.mod, capture_output=True)
    return GINKGO in re.split(r"[\s\[]", listed.stdout)


def run(command, folder, environment, log, is_of_ginkgo):
    """Runs the suite's program, the last word of the command, in its folder; what it says goes into `log`."""
    program = command[-1]
    report = program.with_suffix(".json")
    report.unlink(missing_ok=True)
    flags = ["-ginkgo.timeout=12h", f"-ginkgo.json-report={report}"] if is_of_ginkgo else []
    begun = time.monotonic()
    with open(log, "w", encoding="utf-8") as output:
        subprocess.run([*command, "-test.v", *flags], cwd=folder, stdout=output, stderr=output, check=False,
                       env={**PATIENCE, **os.environ, **environment})
    outcome = Outcome()
    suites = json.loads(report.read_text(encoding="utf-8")) if report.exists() else []
    for suite in suites:
        add_specs(outcome, suite)
    add_plain_tests(outcome, log.read_text(encoding="utf-8", errors="replace"), suites)
    if not suites:
        outcome.seconds = time.monotonic() - begun
    if not outcome.states:
        outcome.add("failed", "it ended before a test did")
    return outcome


def add_specs(outcome, suite):
    outcome.seconds += suite["RunTime"] / 1e9
    for spec in suite["SpecReports"] or []:
        if spec["LeafNodeType"] == "It" or spec["State"] != "passed":
            outcome.add(spec["State"], " ".join((spec["ContainerHierarchyTexts"] or []) + [spec["LeafNodeText"]]))


def add_plain_tests(outcome, log, suites):
    """Tests of Go alone: all but those that hold a suite of ginkgo's, whose specs are counted already."""
    holders = {"PASS": sum(suite["SuiteSucceeded"] for suite in suites),
               "FAIL": sum(not suite["SuiteSucceeded"] for suite in suites)}
    tests = PLAIN_TEST.findall(log)
    for state in PLAIN_STATES:
        of_state = [test for found, test in tests if found == state]
        for test in of_state[holders.get(state, 0):]:
            outcome.add(PLAIN_STATES[state], test)


def run_suite(project, suite, sides, scratch, logs):
    """Prints what passed and what failed on each side; whether a test failed with Dray."""
    program = scratch / suite.replace("/", "_")
    # Vetting all that a suite imports takes longer than compiling it.
    compiled = go(project.folder, "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", program, f"./{suite}",
                  mod=project.mod)
    if compiled.returncode != 0:
        without(f"{suite} does not build: modules are missing")
    is_of_ginkgo = has_ginkgo(project, suite)
    is_bad = False
    for side, assets in sides.items():
        environment = {**project.environment, **variables_of(assets)}
        log = logs / f"{program.name}.{side}.log"
        # Managers of many suites serve metrics at port 8080 and, where another program has it, wait for ever.
        # The real kube-apiserver does not start without a default route, which such a network lacks.
        alone = [OWN_NETWORK] if side == "dray" else []
        outcome = run([*alone, program], project.folder / suite, environment, log, is_of_ginkgo)
        counts = ", ".join(f"{count} {state}" for state, count in sorted(outcome.states.items()))
        print(f"{suite}: {side}: {counts}, {outcome.seconds:.1f} s", flush=True)
        for test in outcome.failed:
            print(f"    {test}")
        is_bad |= bool(outcome.failed) and side == "dray"
    program.unlink()
    return is_bad


def time_start(sides, scratch):
    begin = scratch / "begin"
    if go(HERE, "build", "-o", begin, "./begin").returncode != 0:
        without("tests/clients/envtest/begin does not build")
    for side, assets in sides.items():
        timed = subprocess.run([begin], env={**os.environ, "KUBEBUILDER_ASSETS": str(assets)},
                               capture_output=True, text=True, check=True)
        print(f"{side}: {timed.stdout.strip()}")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("dray")
    parser.add_argument("--checkout", metavar="PROJECT", type=pathlib.Path)
    parser.add_argument("--against", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--logs", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    return parser.parse_intermixed_args()


def main():
    arguments = read_arguments()
    if shutil.which("go") is None:
        without("no Go")
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        try:
            project = (envtest_projects.of_checkout(arguments.checkout, scratch, arguments.suites)
                       if arguments.checkout
                       else envtest_projects.controller_runtime(HERE, scratch))
        except RuntimeError as error:
            without(error)
        sides = {"dray": assets_of(arguments.dray, scratch)}
        if arguments.against:
            sides["kube-apiserver"] = arguments.against.resolve()
        logs = arguments.logs or scratch
        logs.mkdir(parents=True, exist_ok=True)
        is_bad = False
        for suite in arguments.suites or project.suites:
            is_bad |= run_suite(project, suite, sides, scratch, logs)
        if not arguments.suites:
            for suite, why in project.left_out.items():
                print(f"{suite}: left out: {why}")
        if arguments.against and not arguments.checkout:
            time_start(sides, scratch)
    sys.exit(1 if is_bad else 0)


if __name__ == "__main__":
    main()

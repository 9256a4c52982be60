#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs upstream's own integration tests of DRA against `dray serve` and prints what passed, as the
tables of docs/interop.md.

    dev/suites.py PROGRAM DRAY [--control-plane own|upstream] [CONFIGURATION ...]

PROGRAM is the test program that ../shared/peers/suites/build.sh makes. `own`: Dray's scheduler and
controllers do the work; `upstream`: upstream's do, against Dray's server. Exit status 1: a test
failed that is not expected to.
"""
import argparse
import os
import re
import subprocess
import sys

CONFIGURATIONS = ["disabled", "default", "GA", "GA-1.35", "GA-1.36", "GA-opt-out-1.36", "v1beta1",
                  "v1beta2", "compatibility-groups-without-consumable-capacity", "all"]
POOLS = "TestResourcePoolStatusRequest"
COMMAND = ("{} serve --components={{components}} --data-dir {{dir}} --listen 127.0.0.1:{{port}} "
           "--emulate-release {{release}} --feature-gates={} --runtime-config={{apis}} "
           "--disable-admission-plugins=ServiceAccount")  # as these tests start kube-apiserver
# Reads the metrics of controllers inside its own process.
EXPECTED = {"ControllerManagerMetrics"}
VERDICT = re.compile(r"^(?P<indent> *)--- (?P<verdict>PASS|FAIL|SKIP): (?P<name>\S+)")


def verdicts(program, dray, control_plane, configuration, seconds):
    """{test: verdict} of one configuration; raises RuntimeError when the server did not start."""
    # With the flag given, gates that are not named are as upstream has them by default.
    gates = "AllAlpha=false,{gates}"
    environment = dict(os.environ, CONTROL_PLANE=control_plane,
                       SERVER_COMMAND=COMMAND.format(os.path.abspath(dray), gates))
    pattern = POOLS if configuration == POOLS else f"TestDRA/{re.escape(configuration)}$"
    try:
        said = subprocess.run([program, "-test.v", f"-test.run={pattern}"], env=environment,
                              capture_output=True, text=True, timeout=seconds, check=False).stdout
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"no end after {seconds} s") from None
    found = {}
    for match in filter(None, map(VERDICT.match, said.splitlines())):
        parts = match["name"].split("/")
        depth = 1 if configuration == POOLS else 2
        if len(parts) == depth + 1:
            found[parts[depth]] = match["verdict"]
    if not found and "FAIL" in said:
        raise RuntimeError("nothing ran: " + said[-300:].replace("\n", " "))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("dray")
    parser.add_argument("--control-plane", choices=["own", "upstream"], default="own")
    parser.add_argument("--seconds", type=int, default=900, help="for one configuration")
    parser.add_argument("configurations", nargs="*", default=[*CONFIGURATIONS, POOLS])
    options = parser.parse_intermixed_args()
    print(f"| configuration, control plane {options.control_plane} | passed | not passed |\n|---|---|---|")
    is_bad = False
    for configuration in options.configurations:
        try:
            found = verdicts(options.program, options.dray, options.control_plane, configuration,
                             options.seconds)
        except RuntimeError as error:
            print(f"| {configuration} | | {error} |", flush=True)
            is_bad = True
            continue
        passed = sum(verdict == "PASS" for verdict in found.values())
        others = sorted(f"{name} ({verdict.lower()})" for name, verdict in found.items()
                        if verdict != "PASS")
        is_bad |= any(verdict == "FAIL" and name not in EXPECTED for name, verdict in found.items())
        print(f"| {configuration} | {passed} of {len(found)} | {', '.join(others) or '–'} |", flush=True)
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())

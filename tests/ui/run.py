#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of the dashboard (ui.*): run.py types|unit|views|bench [--dray PROGRAM] [--pictures FOLDER]

  types   the TypeScript compiler over web/
  unit    web/src/*.test.ts under Node.js
  views   tests/ui/views.mjs in headless Chromium, against a `dray serve` with examples. --fresh takes the page
          from web/ as it is now, not from the program; --only REGEX plays some of the tests
  bench   no test: what a large cluster costs the page (bench.mjs); --real: with objects of `dray serve`;
          --dashboards N: what N open pages cost the server (dashboards.mjs)

Exit codes: 0 passed, 1 failed, 77 left out, with the reason as the last line. What the tests need from npm
comes into build/web with the lock file of web/ (dev/web_bundle.py).
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILT = ROOT / "build" / "web"
LEFT_OUT = 77
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FILES = ["tests/ui/cluster.yaml", "examples/dashboard/reader.yaml", *(f"examples/1-example-driver/{name}.yaml" for name in (
    "01-class", "02-separate-gpus", "03-shared-by-containers", "04-shared-by-pods", "05-selected-gpus", "06-waiting"))]
# One reads everything, one a single namespace, one nothing.
TOKENS = 'all,admin,u1,"system:masters"\nnarrow,nora,u2\nnone,ned,u3\n'


def leave_out(why):
    print(why)
    sys.exit(LEFT_OUT)


def install():
    done = subprocess.run([sys.executable, ROOT / "dev/web_bundle.py", "--install"], text=True,
                          stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        leave_out(f"the dashboard's tests are left out: {done.stdout.strip()}")


def workplace(name):
    """A copy of web/ and tests/ui, with the packages beside it."""
    folder = BUILT / "tests" / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "web", folder)
    for script in (ROOT / "tests" / "ui").glob("*.mjs"):
        shutil.copy(script, folder)
    (folder / "node_modules").symlink_to(BUILT / "node_modules")
    return folder


def types():
    return subprocess.run(["node", "node_modules/typescript/bin/tsc", "-p", "."], cwd=workplace("types"),
                          check=False).returncode


def unit():
    folder = workplace("unit")
    tests = sorted(str(test.relative_to(folder)) for test in (folder / "src").glob("*.test.ts"))
    subprocess.run(["node", "node_modules/esbuild/bin/esbuild", *tests, "--bundle", "--platform=node",
                    "--format=esm", "--outdir=made", "--out-extension:.js=.mjs", "--log-level=warning"],
                   cwd=folder, check=True)
    made = sorted(str(test.relative_to(folder)) for test in (folder / "made").glob("*.mjs"))
    return subprocess.run(["node", "--test", *made], cwd=folder, check=False).returncode


class Server:
    """A `dray serve` in memory on a free port; ends with the block."""

    def __init__(self, dray, scratch, nodes="example=1", files=()):
        (scratch / "tokens").write_text(TOKENS)
        command = [dray, "serve", "--memory", "--listen", "127.0.0.1:0", "--data-dir", scratch / "data",
                   "--token-file", scratch / "tokens", "--nodes", nodes]
        for file in files:
            command += ["-f", ROOT / file]
        self.log = (scratch / "log").open("w+")
        self.process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=self.log)
        self.url = ""
        for line in self.process.stdout:
            found = re.search(r" serves (https://\S+);", line)
            if found:
                self.url = found[1]
                break

    def __enter__(self):
        if not self.url:
            self.log.seek(0)
            sys.exit(f"dray serve does not start:\n{self.log.read()}")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def fresh_page():
    """The folder with the page as web/ is now."""
    sys.path.insert(0, str(ROOT / "dev"))
    import web_bundle  # pylint: disable=import-outside-toplevel
    return str(web_bundle.bundle())


def find_browser():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        leave_out("the dashboard's views are not tested: there is no chromium")
    return browser


def play(script, settings):
    """Runs a script of tests/ui with its settings in the environment; returns its exit code."""
    environment = {**os.environ, "DRAY_UI_TEST": json.dumps(settings)}
    folder = workplace(script.removesuffix(".mjs"))
    return subprocess.run(["node", script], cwd=folder, env=environment, check=False).returncode


def bench(dray, options):
    """Prints what a large cluster costs the page."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = {"browser": find_browser(), "profile": f"{scratch}/profile", "page": fresh_page(),
                    "nodes": options.nodes, "devices": 8, "url": ""}
        if options.dashboards:
            with Server(dray, pathlib.Path(scratch)) as server:
                return play("dashboards.mjs", {**settings, "url": server.url, "pid": server.process.pid,
                                               "dashboards": options.dashboards, "seconds": options.seconds})
        if not options.real:
            return play("bench.mjs", settings)
        with Server(dray, pathlib.Path(scratch), nodes=f"8-gpu-server={options.nodes}") as server:
            return play("bench.mjs", {**settings, "url": server.url})


def views(dray, options):
    browser = find_browser()
    has_none = "which this program does not have" in subprocess.run(
        [dray, "serve", "--help"], text=True, capture_output=True, check=True).stdout.replace("\n", " ")
    if has_none:
        leave_out("the dashboard's views are not tested: the program was built without them")
    with tempfile.TemporaryDirectory() as scratch, Server(dray, pathlib.Path(scratch), files=FILES) as server:
        return play("views.mjs", {
            "url": server.url, "browser": browser, "profile": f"{scratch}/profile", "dray": str(dray),
            "kubectl": shutil.which("kubectl") or "", "root": str(ROOT), "golden": str(ROOT / "tests/ui/golden"),
            "pictures": str(options.pictures.resolve()) if options.pictures else "",
            "page": fresh_page() if options.fresh else "", "only": options.only, "update": options.update,
            "patience": options.patience})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["types", "unit", "views", "bench"])
    parser.add_argument("--dray")
    parser.add_argument("--pictures", type=pathlib.Path, help="write screenshots for the documents")
    parser.add_argument("--real", action="store_true", help="of bench: objects of dray serve")
    parser.add_argument("--dashboards", type=int, default=0, metavar="N", help="of bench: N open pages")
    parser.add_argument("--seconds", type=int, default=20, help="of bench --dashboards: how long each measurement takes")
    parser.add_argument("--nodes", type=int, default=5000, help="of bench, with eight devices each")
    parser.add_argument("--fresh", action="store_true", help="the page as web/ is now")
    parser.add_argument("--update", action="store_true", help="record what the views show (tests/ui/golden)")
    parser.add_argument("--only", default="", metavar="REGEX", help="only tests whose name has this")
    parser.add_argument("--patience", type=int, default=600, metavar="SECONDS", help="how long a view may take")
    options = parser.parse_args()
    install()
    if options.part == "types":
        return types()
    if options.part == "unit":
        return unit()
    return (bench if options.part == "bench" else views)(options.dray, options)


if __name__ == "__main__":
    sys.exit(main())

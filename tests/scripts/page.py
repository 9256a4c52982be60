# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that a page of documentation shows, in the order of the page, and compares
what they print with what the page shows. run.py calls it for files that end in .md; README.md
beside this file says how such pages are written.
"""
import contextlib
import difflib
import os
import pathlib
import re
import secrets
import select
import shutil
import socket
import subprocess
import time

import ports

# Only a fault takes this long.
SECONDS_MAX = 10_800
PATIENCE_SECONDS = 600
NO_TLS = 35  # curl's exit code for it
PORT_OF_SERVE = "6443"  # the default of `dray serve`

# Commands that only read are repeated until the answer is the one shown, because a reader types
# slower than a test does.
LOOKS = re.compile(r"(?:\w+=\S+ )*(?:kubectl(?: --kubeconfig \S+)? (?:get|describe)|dray (?:explain|capacity)|curl)\b")
FILE_NAMED = re.compile(r"(?:#|//) (?P<name>[\w./-]+\.(?:ya?ml|json|cc|go|py|txt|csv))$")
NEEDS = re.compile(r"<!-- needs (?P<tools>[\w. -]+) -->$")
ANY = "…"


class Step:
    """A command and the output that the page shows, or a file that the page gives."""

    def __init__(self, line, needs):
        self.line, self.needs = line, needs
        self.command, self.expected, self.indent = [], [], ""
        self.file, self.content = None, []


def is_prompt(line):
    return line.startswith("$ ")


def commands_of(lines, first_line, needs):
    """Steps of one block: lines that begin with "$ ", their continuations, and what they print."""
    step, continues = None, False
    for number, line in enumerate(lines, first_line):
        goes_on_below = step is not None and not step.expected and line.startswith("> ")
        if continues or goes_on_below:
            step.command.append(line.removeprefix("> "))
        elif is_prompt(line):
            step = Step(number, needs)
            step.command.append(line[2:])
            yield step
        elif step is not None and line.strip():
            step.expected.append(line.rstrip())
        continues = step is not None and goes_on(step.command)


def goes_on(command):
    """Whether bash would ask for more: a line ends with a backslash, or a here-document is open."""
    if command[-1].endswith("\\"):
        return True
    word = re.search(r"<<-?'?(\w+)'?", command[0])
    return word is not None and command[-1].strip() != word[1]


def steps_of(text):
    """All steps of a page, in its order."""
    return list(steps_in(text))


def steps_in(text):
    lines, number, needs = text.splitlines(), 0, []
    while number < len(lines):
        line = lines[number]
        first = number + 1
        if found := NEEDS.match(line):
            needs = found["tools"].split()
            number += 1
            continue
        if line.startswith("```"):
            end = next((i for i in range(first, len(lines)) if lines[i].startswith("```")), len(lines))
            yield from steps_of_fence(lines[first:end], first + 1, needs)
            number = end + 1
            needs = []
        elif line.startswith("    ") and is_prompt(line[4:]):
            end = next((i for i in range(number, len(lines)) if lines[i][:4].strip()), len(lines))
            for step in commands_of([one[4:] for one in lines[number:end]], number + 1, needs):
                step.indent = "    "
                yield step
            number = end
            needs = []
        else:
            needs = needs if not line.strip() else []
            number += 1


def steps_of_fence(lines, first_line, needs):
    if lines and is_prompt(lines[0]):
        yield from commands_of(lines, first_line, needs)
    elif lines and (found := FILE_NAMED.match(lines[0])):
        step = Step(first_line, needs)
        step.file, step.content = found["name"], lines[1:]
        yield step


# ------------------------------------------------------------------------------------- comparing

# Text that differs from run to run: ages, ports, the endings of names that the server makes.
VARIES = [
    (re.compile(r"\b127\\\.0\\\.0\\\.1:\d+"), r"127\.0\.0\.1:\\d+"),
    (re.compile(r"(?<=\\-)[bcdfghjklmnpqrstvwxz2456789]{5}\b"), "[a-z0-9]{5}"),
    (re.compile(r"(?<=\\ )\d+m?s\b"), r"\\d+m?s"),
]


def pattern_of(line):
    """A line of a page as a pattern: blanks count as one, … stands for any text."""
    pattern = r"\ ".join(re.escape(word) for word in line.split())
    for what, instead in VARIES:
        pattern = what.sub(instead, pattern)
    return pattern.replace(re.escape(ANY), ".*")


def matches(expected, got):
    """Whether the lines are those expected, where a line … stands for any number of lines."""
    if not expected:
        return not got
    if expected[0].strip() == ANY:
        return any(matches(expected[1:], got[i:]) for i in range(len(got) + 1))
    if not got or not re.fullmatch(pattern_of(expected[0]), " ".join(got[0].split())):
        return False
    return matches(expected[1:], got[1:])


def says(step, output):
    """Whether the output is the one shown, or none is shown."""
    return not step.expected or matches(step.expected, lines_of(output))


def lines_of(output):
    return [line.rstrip() for line in output.splitlines() if line.strip()]


# --------------------------------------------------------------------------------------- running

class Shell:
    """One bash for a whole page, so that variables, folders and servers live on."""

    def __init__(self, scratch, env):
        self.scratch = scratch
        self.end = time.monotonic() + SECONDS_MAX
        self.bash = subprocess.Popen(["bash"], cwd=scratch, env=env, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, command):
        """The exit code and the output."""
        mark = f"end of {secrets.token_hex(8)}"
        quoted = "'" + command.replace("'", "'\\''") + "'"
        self.bash.stdin.write(f"eval {quoted} </dev/null; echo \"{mark} $?\"\n".encode())
        self.bash.stdin.flush()
        output = b""
        while (found := re.search(rf"{mark} (\d+)\n".encode(), output)) is None:
            left = self.end - time.monotonic()
            if left <= 0 or not select.select([self.bash.stdout], [], [], left)[0]:
                return 1, output.decode(errors="replace") + f"\nstill running after {SECONDS_MAX} s"
            chunk = os.read(self.bash.stdout.fileno(), 65536)
            if not chunk:
                return 1, output.decode(errors="replace") + "\nthe shell ended"
            output += chunk
        return int(found[1]), output[:found.start()].decode(errors="replace")

    def close(self):
        self.bash.kill()
        self.bash.wait()


class Ports:
    """Free ports for those that the page names: tests run beside each other."""

    def __init__(self):
        self.free = {}

    def of(self, port):
        if port not in self.free:
            self.free[port] = str(ports.reserve_port())
        return self.free[port]

    def replaced(self, text):
        return re.sub(r"\b(127\.0\.0\.1|localhost):(\d{2,5})\b",
                      lambda found: f"{found[1]}:{self.of(found[2])}", text)


class Page:
    def __init__(self, path, scratch, env):
        self.path, self.scratch = path, scratch
        self.ports = Ports()
        self.shell = Shell(scratch, env)
        self.path_of_tools = env["PATH"]
        self.skipped = {}
        self.printed = []  # replaces the shown output, from the end of the page

    def lacks(self, step):
        missing = [tool for tool in step.needs if not shutil.which(tool, path=self.path_of_tools)]
        if missing:
            self.skipped.setdefault(", ".join(missing), []).append(step.line)
        return missing

    def write(self, step):
        file = self.scratch / step.file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self.ports.replaced("\n".join(step.content)) + "\n")

    def start(self, command, step):
        """A command that ends with &: returns once all that it listens on can be reached, and it has
        said what the page shows."""
        command = command.rstrip().removesuffix("&").rstrip()
        if re.match(r"(?:\S*/)?dray serve\b", command) and "--listen" not in command:
            command += f" --listen 127.0.0.1:{PORT_OF_SERVE}"
        command = self.ports.replaced(command)
        log = self.scratch / f"line{step.line}.log"
        log.touch()
        self.shell.run(f"{command} >'{log}' 2>&1 & echo $! >>'{self.scratch}/pids'")
        end = time.monotonic() + PATIENCE_SECONDS
        for port in re.findall(r"(?:127\.0\.0\.1|localhost):(\d+)", command):
            while not is_ready(port) and time.monotonic() < end:
                time.sleep(0.05)  # between polls of another process
        while not says(step, log.read_text()) and time.monotonic() < end:
            time.sleep(0.05)  # likewise
        return 0, log.read_text()

    def run(self, step):
        command = "\n".join(step.command)
        if command.rstrip().endswith("&"):
            return self.start(command, step)
        command = self.ports.replaced(command)
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            code, output = self.shell.run(command)
            if says(step, output) or not LOOKS.match(command) or time.monotonic() >= end:
                return code, output
            time.sleep(0.1)  # between polls of another process

    def check(self, step):
        """Its errors, as text; empty if there are none."""
        code, output = self.run(step)
        got = lines_of(output)
        if not says(step, output):
            self.printed.insert(0, (step, [line.rstrip() for line in output.strip("\n").splitlines()]))
            return "\n".join(difflib.unified_diff(step.expected, got, f"{self.path}:{step.line}",
                                                  "printed", lineterm=""))
        if not step.expected and code != 0:
            return f"{self.path}:{step.line}: exit code {code}: " + "\n".join([*step.command, *got])
        return ""


def is_ready(port):
    """Whether a Dray listens there and reports that it is ready."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", int(port))):
        asked = subprocess.run(["curl", "-ks", "--max-time", str(PATIENCE_SECONDS), "-o", "/dev/null", "-w",
                                "%{http_code}", f"https://127.0.0.1:{port}/readyz"],
                               capture_output=True, text=True, check=False)
        return asked.stdout == "200" or asked.returncode == NO_TLS  # it is no Dray
    return False


def prepare(scratch, root, dray, kubectl):
    """A folder as a clone of the project looks after `make program`, with `dray` in the PATH."""
    tools = scratch / ".tools"
    tools.mkdir()
    (scratch / "build/bin").mkdir(parents=True)
    for link in (tools / "dray", scratch / "build/bin/dray"):
        link.symlink_to(dray or "/bin/false")  # the self-test has none
    if kubectl:
        (tools / "kubectl").symlink_to(kubectl)
    for name in ("examples", "tests", "docs"):
        (scratch / name).symlink_to(root / name)
    (scratch / "Makefile").write_text("program:\n\t@true\n")  # it is built already
    return tools


def updated(text, printed):
    """The page with the new output in place of the old. Steps are replaced from the end."""
    lines = text.splitlines()
    for step, got in printed:
        begin = step.line - 1 + len(step.command)
        end = begin
        for _ in step.expected:
            end += 1
            while not lines[end - 1].strip():
                end += 1  # empty lines are no output that counts
        lines[begin:end] = [step.indent + line for line in got]
    return "\n".join(lines) + "\n"


def run_page(path, scratch, env, update=False):
    """0: every command behaves as on the page; 1: one does not. Leaves a file `skip`, with the reason,
    when none could be run."""
    root = pathlib.Path(env["ROOT"])
    tools = prepare(scratch, root, env["DRAY"], env["KUBECTL"])
    go_cache = str(root / "build/tools/go-cache")  # its standard library is compiled once
    page = Page(path, scratch, dict(env, PATH=f"{tools}:{env['PATH']}", GOCACHE=go_cache))
    failed = ran = 0
    try:
        for step in steps_of(path.read_text()):
            if page.lacks(step):
                continue
            if step.file:
                page.write(step)
                continue
            ran += 1
            wrong = page.check(step)
            if wrong:
                failed = 1
                print(wrong)
    finally:
        page.shell.close()
    for tools_missing, places in page.skipped.items():
        print(f"{path}: not run for want of {tools_missing}: lines {places}")
    if update:
        path.write_text(updated(path.read_text(), page.printed))
        return 0
    if ran == 0:
        (scratch / "skip").write_text(f"skipped: {', '.join(page.skipped) or 'no commands'}\n")
    return failed

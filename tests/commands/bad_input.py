#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of dray on invalid input, and with an output that cannot be written.

bad_input.py DRAY [WORD...]     with words: only cases whose name has one of them

Each case promises the exit code, one line that says what is wrong and where, no answer beside it, and
that no file appears. Exit codes: 0 all promises are kept, 1 some are not.
"""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

USAGE = 2
SECONDS_MAX = 600  # only ever used up by a bug
HUGE = 1 << 30
WAITING = ("pipe_read", "anon_pipe_read")  # what the kernel calls it

CLASS = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu, annotations: {by: é}}\nspec: {}\n"


def make_inputs(folder):
    """The files by name; the name describes the contents."""
    def path(name):
        return folder / name
    path("empty").write_bytes(b"")
    path("unreadable").write_text(CLASS)
    path("unreadable").chmod(0)
    path("binary").write_bytes(bytes(range(256)) * 16)
    with open(path("huge"), "wb") as file:
        file.truncate(HUGE)
    path("utf16").write_text(CLASS, encoding="utf-16")
    path("latin1").write_text(CLASS, encoding="latin-1")
    path("folder").mkdir()
    path("good").write_text(CLASS)
    path("store.db").write_bytes(STORE.read_bytes())


STORE = pathlib.Path(__file__).resolve().parents[1] / "data/store/schema-v1.db"
INPUTS = ["missing", "empty", "unreadable", "binary", "huge", "utf16", "latin1", "folder"]

# Commands that read manifests: {} is the input.
MANIFESTS = {
    "allocate": ["allocate", "-f", "{}"],
    "explain": ["explain", "pod/x", "-f", "{}"],
    "whatif": ["whatif", "-f", "{}", "--cluster", "good"],
    "whatif cluster": ["whatif", "-f", "good", "--cluster", "{}"],
    "capacity": ["capacity", "-f", "{}"],
    "lint": ["lint", "-f", "{}"],
    "lint fix": ["lint", "--fix", "-f", "{}"],
    "cel": ["cel", "true", "-f", "{}"],
    "convert": ["convert", "--to", "v1", "-f", "{}"],
    "validate": ["validate", "-f", "{}"],
}
# Commands that also read one file of another kind, which has to exist and be valid.
FILES = {
    "explain kubeconfig": ["explain", "pod/x", "--kubeconfig", "{}"],
    "store status": ["store", "status", "--data-dir", "{}"],
    "store verify": ["store", "verify", "--data-dir", "{}"],
    "store dump": ["store", "dump", "--data-dir", "{}"],
    "store compact": ["store", "compact", "--data-dir", "{}"],
    "store backup": ["store", "backup", "copy.db", "--data-dir", "{}"],
    "store restore": ["store", "restore", "{}", "--data-dir", "new"],
    "serve token-file": ["serve", "--token-file", "{}"],
    "serve scheduler-config": ["serve", "--scheduler-config", "{}"],
    "serve audit-policy-file": ["serve", "--audit-policy-file", "{}", "--audit-log-path", "audit.log"],
    "serve service-account-signing-key-file": ["serve", "--service-account-signing-key-file", "{}"],
    "serve tls-cert-file": ["serve", "--tls-cert-file", "{}", "--tls-private-key-file", "good"],
    "serve client-ca-file": ["serve", "--client-ca-file", "{}"],
}
for words in FILES.values():
    if words[0] == "serve":
        words += ["--data-dir", "new", "--listen", "127.0.0.1:0"]
FILES["serve data-dir"] = ["serve", "--data-dir", "{}", "--listen", "127.0.0.1:0"]


# Inputs that are valid after all: a token file without tokens, and folders to keep objects in.
ACCEPTED = {"serve token-file <empty>", "serve data-dir <missing>", "serve data-dir <folder>"}
# Commands that read the huge file: one of each way to read, since it takes seconds.
READS_HUGE = {"allocate", "validate", "explain kubeconfig", "store verify", "store restore", "serve token-file",
              "serve scheduler-config"}
# Input that can be read and holds nothing is called so, without its name.
NOTHING = {
    "allocate": "the input has no pod, no claim and no workload",
    "explain": "there is no pod default/x in the input",
    "whatif": "the files of -f hold no pod, no claim and no workload",
    "whatif cluster": "the files of --cluster hold no objects that Dray knows",
    "capacity": "the files hold no objects that Dray knows",
    "lint": "the files hold no objects that Dray knows",
    "lint fix": "the files hold no objects that Dray knows",
    "cel": "the files hold no objects that Dray knows",
}

# Commands with an answer, on input that is sound.
GPU = str(pathlib.Path(__file__).resolve().parents[2] / "examples/2-gpu-with-nic")
ANSWERS = {
    "allocate": ["allocate", "-f", GPU],
    "allocate json": ["allocate", "-o", "json", "-f", GPU],
    "explain": ["explain", "pod/trainer-0", "-n", "gpu-with-nic", "-f", GPU],
    "whatif": ["whatif", "-f", GPU, "--cluster", GPU],
    "capacity": ["capacity", "-f", GPU],
    "lint": ["lint", "-f", GPU],
    "cel": ["cel", "true", "-f", GPU],
    "convert": ["convert", "--to", "v1beta1", "-f", GPU],
    "validate": ["validate", "-f", GPU],
    "validate json": ["validate", "-o", "json", "-f", GPU],
    "store status": ["store", "status", "--data-dir", "store.db"],
    "store verify": ["store", "verify", "--data-dir", "store.db"],
    "store dump": ["store", "dump", "--data-dir", "store.db"],
    "help": ["help", "serve"],
    "completion": ["completion", "bash"],
    "version": ["version"],
}


class Ended:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit code {self.code}\nstandard output: {self.out[:600]!r}\nstandard error: {self.err[:900]!r}"


def start(dray, words, folder, closed=False, **streams):
    # Root can read files without permission, unless it drops that capability.
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen([*drop, dray, *words], cwd=folder, text=True, errors="replace",
                            preexec_fn=(lambda: os.close(1)) if closed else None,
                            env={**os.environ, "HOME": str(folder)}, **streams)


def finish(process):
    try:
        out, err = process.communicate(timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        err += f"still running after {SECONDS_MAX} s\n"
    return Ended(process.returncode, out or "", err or "")


def run(dray, words, folder, **streams):
    return finish(start(dray, words, folder, **streams))


def wait_until(is_so):
    end = time.monotonic() + SECONDS_MAX
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError("it does not come to pass")
        time.sleep(0.01)


def wait_for_read(process):
    """Until the process waits for its standard input."""
    def waits():
        if process.poll() is not None:
            return True
        comm = pathlib.Path(f"/proc/{process.pid}/comm").read_text().strip()
        return comm == "dray" and pathlib.Path(f"/proc/{process.pid}/wchan").read_text() in WAITING
    wait_until(waits)


class Judge:
    """Collects broken promises."""

    def __init__(self, words):
        self.words, self.cases, self.broken = words, 0, 0

    def wants(self, name):
        return not self.words or any(word in name for word in self.words)

    def check(self, name, ended, promises):
        self.cases += 1
        broken = [text for text, is_kept in promises if not is_kept]
        if broken:
            self.broken += 1
            print(f"{name}: {'; '.join(broken)}\n{ended}\n")


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@contextlib.contextmanager
def scratch():
    with tempfile.TemporaryDirectory(prefix="dray-input-") as name:
        folder = pathlib.Path(name)
        make_inputs(folder)
        yield folder


def refused(words, ended, named):
    """Checks a refusal: one line that names the command and the error, after notes about the input; no output."""
    lines = [line for line in ended.err.splitlines(keepends=True) if not line.startswith("note: ")]
    return [("exit code", ended.code == USAGE), ("an answer beside it", ended.out == ""),
            ("not one line", len(lines) == 1 and ended.err.endswith("\n")),
            ("the line is not the program's", "".join(lines).startswith((f"dray {words[0]}: ", "dray: "))),
            (f"not named: {named}", named in ended.err)]


def judged(ended, given):
    """dray validate reports unreadable input as it reports other findings."""
    if given in ("empty", "folder"):
        kept = ended.err.startswith("dray validate: nothing was judged") and ended.out == "no objects\n"
    else:
        kept = ended.err == "" and ended.out.startswith(f"{given}:1: error: ")
    return [("exit code", ended.code == USAGE), (f"another report on {given}", kept)]


def inputs(dray, judge):
    """Files that are of no use."""
    for name, command in {**MANIFESTS, **FILES}.items():
        for given in INPUTS:
            case = f"{name} <{given}>"
            if case in ACCEPTED or (given == "huge" and name not in READS_HUGE) or not judge.wants(case):
                continue
            words = [word.replace("{}", given) for word in command]
            with scratch() as folder:
                before = files_in(folder)
                ended = run(dray, words, folder)
                left = sorted(set(files_in(folder)) ^ set(before))
                named = NOTHING.get(name, given) if given in ("empty", "folder") else given
                promises = judged(ended, given) if name == "validate" else refused(words, ended, named)
                judge.check(case, ended, [*promises, (f"it leaves {left}", not left)])


def lost_answers(dray, judge):
    """Answers that cannot be written: a full disk, and no output at all."""
    for name, words in ANSWERS.items():
        for output in "full", "closed":
            if not judge.wants(f"{name} <{output}>"):
                continue
            with scratch() as folder, open("/dev/full", "w") as full:
                ended = run(dray, words, folder, stdout=full, closed=output == "closed")
                why = "No space left on device" if output == "full" else "Bad file descriptor"
                judge.check(f"{name} <{output}>", ended, refused(words, ended, why))


def interrupts(dray, judge):
    """Ctrl-C while a command waits for its input: it ends by the signal, and has written nothing."""
    for name, command in MANIFESTS.items():
        if "fix" in name or not judge.wants(f"{name} <interrupt>"):
            continue
        with scratch() as folder:
            before = files_in(folder)
            process = start(dray, [word.replace("{}", "-") for word in command], folder, stdin=subprocess.PIPE)
            wait_for_read(process)
            process.send_signal(signal.SIGINT)
            ended = finish(process)
            judge.check(f"{name} <interrupt>", ended, [
                ("exit code", ended.code == -signal.SIGINT), ("an answer", ended.out == ""),
                ("a message", ended.err == ""), ("files", files_in(folder) == before)])


def servers(dray, judge):
    """A server serves although its greeting is not read, and ends well at Ctrl-C."""
    for output in "pipe", "full", "closed":
        if not judge.wants(f"serve <{output}>"):
            continue
        with scratch() as folder, open("/dev/full", "w") as full:
            streams = {} if output == "pipe" else {"stdout": full, "closed": output == "closed"}
            process = start(dray, ["serve", "--data-dir", "new", "--listen", "127.0.0.1:0"], folder, **streams)
            wait_until(lambda: (folder / "new/kubeconfig").exists() or process.poll() is not None)
            process.send_signal(signal.SIGINT)
            ended = finish(process)
            is_one_line = ended.err.count("\n") == 1 and '"server has stopped"' in ended.err
            judge.check(f"serve <{output}>", ended, [("exit code", ended.code == 0), ("lines", is_one_line)])


def main():
    dray = pathlib.Path(sys.argv[1]).resolve()
    judge = Judge(sys.argv[2:])
    for part in inputs, lost_answers, interrupts, servers:
        part(dray, judge)
    print(f"bad_input: {judge.cases} cases, {judge.broken} broken")
    return 1 if judge.broken else 0


if __name__ == "__main__":
    sys.exit(main())

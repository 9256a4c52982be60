# SPDX-License-Identifier: Apache-2.0
"""Servers for scripts that need more of them, or more connections, than a shell can handle."""
import base64
import http.client
import json
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import sys
import urllib.parse

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from ports import reserve_port  # noqa: E402: it stands beside this folder

PATIENCE = 600  # seconds, only ever used up by a bug
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"


class Server:
    """One life of `dray serve` with the data folder `data`."""

    def __init__(self, dray, data, flags):
        config = pathlib.Path(data) / "kubeconfig"
        config.unlink(missing_ok=True)
        self.log = open("serve.log", "ab")
        if not any(flag.startswith("--components") for flag in flags):
            flags = ["--components=apiserver", *flags]
        # As upstream's own tests: pods need no accounts.
        flags = ["--disable-admission-plugins=ServiceAccount", *flags]
        self.process = subprocess.Popen(
            [dray, "serve", "--data-dir", data, "--listen", "127.0.0.1:0", *flags],
            stdout=subprocess.PIPE, stderr=self.log)
        remember(self.process)
        ready = self.process.stdout.readline().decode()  # reports that the server is ready
        if not ready:
            sys.exit("dray serve did not start:\n" + pathlib.Path("serve.log").read_text())
        text = config.read_text()
        self.url = urllib.parse.urlparse(re.search(r"server: (\S+)", text)[1])
        self.context = ssl.create_default_context(
            cadata=self.decoded(text, "certificate-authority-data"))
        client = pathlib.Path(data) / "client.pem"
        client.write_text(
            self.decoded(text, "client-certificate-data") + self.decoded(text, "client-key-data"))
        self.context.load_cert_chain(client)

    @staticmethod
    def decoded(text, key):
        return base64.b64decode(re.search(key + r": (\S+)", text)[1]).decode()

    def connect(self):
        return http.client.HTTPSConnection(
            self.url.hostname, self.url.port, context=self.context, timeout=PATIENCE)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def ask(connection, method, path, body=None, kind="application/json"):
    connection.request(method, path, body and json.dumps(body), {"Content-Type": kind})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


class Etcd:
    """Debian's etcd on free ports, with its data in `folder`."""

    def __init__(self, folder):
        if shutil.which("etcd") is None:
            pathlib.Path("skip").write_text("skipped: no etcd: run dev/install-packages.sh\n")
            sys.exit(77)
        for _ in range(20):  # another program may take a port between the search and the start
            client, peer = reserve_port(), reserve_port()
            self.url = f"http://127.0.0.1:{client}"
            peers = f"http://127.0.0.1:{peer}"
            self.process = subprocess.Popen(
                ["etcd", "--data-dir", folder, "--listen-client-urls", self.url,
                 "--advertise-client-urls", self.url, "--listen-peer-urls", peers,
                 "--initial-advertise-peer-urls", peers, "--initial-cluster", f"default={peers}"],
                stdout=subprocess.DEVNULL, stderr=open("etcd.log", "ab"))
            remember(self.process)
            if self.is_up(client):
                return
        sys.exit("etcd did not start:\n" + pathlib.Path("etcd.log").read_text()[-2000:])

    def is_up(self, port):
        while self.process.poll() is None:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
                connection.request("GET", "/health")
                return b"true" in connection.getresponse().read()
            except OSError:
                continue
        return False

    def kill(self):
        self.process.kill()
        self.process.wait()


def remember(process):
    """run.py ends the processes that are left after the script."""
    with open("pids", "a", encoding="ascii") as pids:
        pids.write(f"{process.pid}\n")

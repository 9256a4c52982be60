# SPDX-License-Identifier: Apache-2.0
"""A client of http.client and ssl. It reads requests from standard input, one JSON object a line (pythonRequest
in python.go), and prints how far each is: sent, head, bytes N, pause, resume, end CODE, or error TEXT.

    client.py HOST:PORT AUTHORITY_FILE CERTIFICATE_AND_KEY_FILE     over TLS
    client.py HOST:PORT TOKEN                                       plain HTTP
"""
import http.client
import json
import ssl
import sys
import time

PIECE_BYTES = 64 << 10


def connect(address, *credentials):
    """A connection that is opened at the first request, and headers with the user."""
    if len(credentials) == 1:
        return http.client.HTTPConnection(address), {"Authorization": f"Bearer {credentials[0]}"}
    authority, pem = credentials
    context = ssl.create_default_context(cafile=authority)
    context.load_cert_chain(pem)
    return http.client.HTTPSConnection(address, context=context), {}


def say(*words):
    print(*words, flush=True)


def read(answer, request):
    """Reads the answer to its end, with the pauses that are asked for."""
    pauses = request["pausesMax"]
    while piece := answer.read1(request["pieceBytes"] or PIECE_BYTES):
        say("bytes", len(piece))
        if pauses > 0:
            pauses -= 1
            say("pause")
            time.sleep(request["pauseSeconds"])  # what a slow reader is
            say("resume")
    if answer.length:
        raise http.client.IncompleteRead(b"", answer.length)
    answer.close()  # read1 of the last byte does not, and the connection is kept


def carry_out(connection, headers, request):
    headers = dict(headers, Accept=request["accept"])
    if request["gzip"]:
        headers["Accept-Encoding"] = "gzip"
    body = None
    if request["body"]:
        headers["Content-Type"] = "application/json"
        body = request["body"].encode().ljust(request["bodyBytes"])
    connection.request(request["method"], request["path"], body, headers)
    say("sent")
    answer = connection.getresponse()
    say("head")
    read(answer, request)
    say("end", answer.status)


def main():
    connection, headers = connect(*sys.argv[1:])
    for line in sys.stdin:
        try:
            carry_out(connection, headers, json.loads(line))
        except (OSError, http.client.HTTPException) as error:
            say("error", type(error).__name__, error)
            connection.close()


if __name__ == "__main__":
    main()

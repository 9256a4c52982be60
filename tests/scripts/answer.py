#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows an answer of the API server, read from standard input, in a line.

    answer.py line CODE     the code, and what came: a Status, an object, a list, or plain text
    answer.py get .a.0.b    the value there, as compact JSON, or plain when it is a string
    answer.py events        one line for each watch event: type, kind, name

Exit code 1 when `get` finds nothing there."""
import json
import sys


def named(document):
    metadata = document.get("metadata", {})
    name = metadata.get("name", "")
    return f"{metadata['namespace']}/{name}" if metadata.get("namespace") else name


def line(code, text):
    """The answer in the words that a client would read."""
    try:
        document = json.loads(text)
    except ValueError:
        return f"{code} {text.splitlines()[0] if text.strip() else '(empty)'}"
    kind = document.get("kind", "no kind")
    if kind == "Status" and document.get("status") == "Failure":
        agrees = "" if str(document.get("code")) == code else f" (says {document.get('code')})"
        message = document["message"].replace("\n", "\\n")
        return f"{code}{agrees} {document.get('reason', 'no reason')}: {message}"
    if kind == "Status":
        details = document.get("details", {})
        return f"{code} Status {document['status']} {details.get('kind')} {details.get('name')}"
    if isinstance(document.get("items"), list):
        return " ".join([code, kind, *map(named, document["items"])])
    return f"{code} {kind} {named(document)}".rstrip()


def get(path, document):
    for step in filter(None, path.split(".")):
        try:
            document = document[int(step) if isinstance(document, list) else step]
        except (KeyError, IndexError, ValueError, TypeError):
            sys.exit(f"nothing at {path}")
    return document if isinstance(document, str) else json.dumps(document, separators=(",", ":"))


def event(text):
    document = json.loads(text)
    what = document["object"]
    if document["type"] == "ERROR":
        return f"ERROR {what['code']} {what['reason']}: {what['message']}"
    return f"{document['type']} {what['kind']} {named(what)}".rstrip()


def main():
    command, *rest = sys.argv[1:]
    text = sys.stdin.read()
    if command == "line":
        print(line(rest[0], text))
    elif command == "get":
        print(get(rest[0], json.loads(text)))
    else:
        for each in text.splitlines():
            print(event(each))


if __name__ == "__main__":
    main()

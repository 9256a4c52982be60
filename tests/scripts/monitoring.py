# SPDX-License-Identifier: Apache-2.0
"""What docs/monitoring/ asks of a server. monitoring.py names METRICS: prints each metric that a rule or a panel names
and the file METRICS, the text of /metrics, lacks. monitoring.py ask PORT: asks a Prometheus every expression, and
prints those that it refuses, and those without a result."""
import json
import pathlib
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/monitoring"
WORDS = {"and", "or", "unless", "bool", "offset"}
LISTS = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)")
SELECTIONS = re.compile(r'"[^"]*"|\{[^{}]*\}|\[[^\]]*\]')
NAME = re.compile(r"(?<![\w:$.])([a-zA-Z_:][\w:]*)(?!\s*\(|[\w:])")
# Expressions about what does not happen here.
MAY_BE_EMPTY = re.compile(r'code=~"5\.\."|> 0\b|> 10\b|> 900|> 0\.95|== 0\)?$|^topk|unless on')


def panel_expressions():
    dashboard = json.loads((FOLDER / "dray.dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield target["expr"]
    for variable in dashboard["templating"]["list"]:
        found = re.fullmatch(r"label_values\((.*), \w+\)", variable.get("definition", ""))
        if found:
            yield found[1]


def rule_expressions():
    """Their expressions, without a library that reads YAML."""
    text = re.sub(r"^ *#.*\n", "", (FOLDER / "dray.rules.yaml").read_text(), flags=re.MULTILINE)
    for found in re.finditer(r"^ +expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)", text, re.MULTILINE):
        yield " ".join((found[1] or found[2]).split())


def recorded():
    return set(re.findall(r"- record: (\S+)", (FOLDER / "dray.rules.yaml").read_text()))


def names_in(expression):
    plain = LISTS.sub("", SELECTIONS.sub("", expression))
    return {name for name in NAME.findall(plain) if name not in WORDS}


def print_missing(metrics):
    exposed = set(re.findall(r"^(\w+)[{ ]", pathlib.Path(metrics).read_text(), re.MULTILINE))
    exposed |= {f"{name}" for name in recorded()}
    expressions = [*panel_expressions(), *rule_expressions()]
    if len(expressions) < 20:
        print(f"only {len(expressions)} expressions were found")
    for expression in expressions:
        for name in sorted(names_in(expression) - exposed):
            print(f"{name}: no such metric, in: {expression}")


def ask(port):
    for expression in [*panel_expressions(), *rule_expressions()]:
        query = expression.replace("$__rate_interval", "1m").replace("$driver", ".*").replace("$job", ".*")
        url = f"http://127.0.0.1:{port}/api/v1/query?{urllib.parse.urlencode({'query': query})}"
        try:
            with urllib.request.urlopen(url) as answer:
                result = json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            print(f"refused: {query}: {error.read().decode()}")
            continue
        if not result and not MAY_BE_EMPTY.search(query):
            print(f"no result: {query}")


if __name__ == "__main__":
    {"names": print_missing, "ask": ask}[sys.argv[1]](sys.argv[2])

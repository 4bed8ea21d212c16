"""
Ask local servers again for their answers to the recorded mistakes, and print the differences.

`python -m benchmarks.record_mistakes [FILE] [--write] [--node-modules FOLDER]`. graphql-core answers in this process;
graphql-js and Apollo Server in Node, from a folder created once with `npm install gql15@npm:graphql@15
gql16@npm:graphql@16 gql17@npm:graphql@17 graphql@16 @apollo/server@4`.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from graphql import build_schema, graphql_sync

from benchmarks.graphql_mistakes import FOLDER

SCRIPT = Path(__file__).with_name("record_mistakes.mjs")
NODE_SERVERS = ("graphql-js 15", "graphql-js 16", "graphql-js 17", "apollo-server")


def main() -> int:
    """Compare, and with --write replace, the recorded answers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=FOLDER / "mistakes_a.jsonl")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--node-modules", type=Path, help="the folder that holds node_modules")
    options = parser.parse_args()
    records = [json.loads(line) for line in options.file.read_text().splitlines()]
    answers = _ask_graphql_core(records, folder=options.file.parent)
    if options.node_modules:
        answers |= _ask_node(records, folder=options.file.parent, node_modules=options.node_modules)
    changed = [record for record in records if record["id"] in answers and answers[record["id"]] != _answer_of(record)]
    for record in changed:
        print(record["id"], record["server"], json.dumps(answers[record["id"]], ensure_ascii=False))
        record["status"], record["answer"] = answers[record["id"]]
    print(f"{len(answers)} asked, {len(changed)} differ")
    if options.write:
        options.file.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    return 1 if changed and not options.write else 0


def _answer_of(record: dict[str, Any]) -> tuple[int, Any]:
    return record["status"], record["answer"]


def _ask_graphql_core(records: list[dict[str, Any]], *, folder: Path) -> dict[str, tuple[int, Any]]:
    answers = {}
    for record in records:
        if record["server"] == "graphql-core":
            schema = build_schema((folder / f"{record['schema']}.graphql").read_text())
            result = graphql_sync(
                schema,
                record["document"],
                variable_values=record["variables"],
                operation_name=record["operation_name"],
            )
            answers[record["id"]] = (200, {"data": None, "errors": [error.formatted for error in result.errors or ()]})
    return answers


def _ask_node(records: list[dict[str, Any]], *, folder: Path, node_modules: Path) -> dict[str, tuple[int, Any]]:
    cases = [
        {**record, "sdl": (folder / f"{record['schema']}.graphql").read_text()}
        for record in records
        if record["server"] in NODE_SERVERS
    ]
    # Node looks for packages beside the script that it runs.
    script = shutil.copy(SCRIPT, node_modules)
    asked = subprocess.run(["node", script], input=json.dumps(cases), capture_output=True, text=True, check=True)
    return {
        case["id"]: (answer["status"], answer["body"])
        for case, answer in zip(cases, json.loads(asked.stdout), strict=True)
    }


if __name__ == "__main__":
    sys.exit(main())

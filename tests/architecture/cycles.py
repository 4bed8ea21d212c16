"""Import cycles between modules; an import inside a function counts like any other."""

import ast
from collections.abc import Collection, Iterator, Mapping

Graph = Mapping[str, set[str]]


def build_graph(sources: Mapping[str, ast.Module]) -> Graph:
    """Return for each module, by its dotted name, the modules of the mapping that it imports."""
    return {name: set(_find_imports(tree, modules=sources.keys())) - {name} for name, tree in sources.items()}


def find_cycles(graph: Graph) -> list[list[str]]:
    """Return the groups of modules that import each other, sorted."""
    graph = _drop_leaves(graph)
    reachable = {module: _find_reachable(module, graph=graph) for module in graph}
    groups = {
        tuple(sorted(other for other in reachable[module] if module in reachable[other]))
        for module in graph
        if module in reachable[module]
    }
    return [list(group) for group in sorted(groups)]


def _find_imports(tree: ast.Module, *, modules: Collection[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                found = (f"{node.module}.{alias.name}", node.module)
                yield from [name for name in found if name in modules][:1]


def _drop_leaves(graph: Graph) -> Graph:
    """Drop, repeatedly, the modules that import none of the rest: they are in no cycle."""
    left = {module: imported & graph.keys() for module, imported in graph.items() if imported & graph.keys()}
    return left if len(left) == len(graph) else _drop_leaves(left)


def _find_reachable(module: str, *, graph: Graph) -> set[str]:
    found: set[str] = set()
    waiting = list(graph[module])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += graph[name]
    return found

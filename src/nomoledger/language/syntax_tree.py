"""Walks over syntax trees of code, which take most of the time of linking a ruleset."""

import ast


def nodes_of(*trees: ast.AST) -> list[ast.AST]:
    """Return the nodes of *trees*, parents before children; contexts such as `Load` are left out.

    This takes half the time of `ast.walk`.
    """
    nodes = list(trees)
    kinds = ast.AST
    for node in nodes:
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                nodes += [item for item in value if isinstance(item, kinds)]
            elif isinstance(value, kinds) and value._fields:
                nodes.append(value)
    return nodes


def depth_of(tree: ast.AST) -> int:
    """Return how deeply the nodes of *tree* are nested."""
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth

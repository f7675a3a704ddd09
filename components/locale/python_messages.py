"""Reads the messages out of a Python module by its syntax tree: Babel's own reader misses those inside f-strings."""

import ast
from collections.abc import Collection, Iterator
from typing import Any, BinaryIO


def python_messages(
    source: BinaryIO, keywords: Collection[str], comment_tags: Collection[str], options: dict[str, Any]
) -> Iterator[tuple[int, str, str | tuple[str, ...], list[str]]]:
    """(line, function, message or messages, comments) of each call of a keyword, as Babel's extraction methods give them."""
    del comment_tags, options
    for node in ast.walk(ast.parse(source.read())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in keywords:
            texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            if texts:
                yield node.lineno, node.func.id, texts[0] if len(texts) == 1 else tuple(texts), []

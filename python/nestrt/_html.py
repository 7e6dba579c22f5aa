# SPDX-License-Identifier: Apache-2.0
"""HTML tables for notebooks."""

from __future__ import annotations

import html
from typing import Any, Iterable, Sequence


def text(value: Any) -> str:
    """Returns a value as cell text."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Returns an HTML table with right-aligned numbers. All text is escaped because names come from models."""
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = []
    for row in rows:
        cells = []
        for value in row:
            align = ' style="text-align:right"' if isinstance(value, (int, float)) else ""
            cells.append(f"<td{align}>{html.escape(text(value))}</td>")
        body.append("<tr>" + "".join(cells) + "</tr>")
    header = f"<thead><tr>{head}</tr></thead>" if any(columns) else ""
    return f"<table><caption>{html.escape(title)}</caption>{header}<tbody>{''.join(body)}</tbody></table>"

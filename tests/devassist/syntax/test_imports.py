"""What is imported, and which of it a function needs: read by hand off small files."""

import pytest

from devassist.syntax.functions import functions
from devassist.syntax.imports import imports, keep_used
from devassist.syntax.parse import parse

KOTLIN = """import com.example.Note
import com.example.preview as firstLine
import com.example.nav.*
import com.example.`in`.Odd
import androidx.compose.runtime.getValue
import com.example.Unused
fun show(note: Note) {
    // Unused
    text = note.firstLine() + "Unused" + Odd()
}
"""
JAVA = """import java.util.List;
import java.util.Map;
import static org.junit.Assert.assertEquals;
import java.io.*;
class A { void show(List<String> x) { assertEquals(x.Map(), 1); } }
"""
TYPESCRIPT = """import def, { a, b as c, type T } from "./x";
import * as ns from 'ns';
import "side";
import fs = require("fs");
import { unused } from "u";
const { p, q: r } = require("lodash");
function show(x: T) { def(a, c); ns.unused({ p }); r(); fs.read(); const m = 1; }
"""
PYTHON = """from __future__ import annotations
import os, sys as system
import a.b.c
import numpy as np
from x import y, z as w
from ..pkg import *
from . import path
def show(t):
    from late import soon
    return os.path(a.b.c, system, w=1, y=soon), np
"""


def _keep_used(path: str, text: str) -> list[tuple[str, list[str], int]]:
    code = parse(text, path=path)
    assert code is not None
    (show,) = [one for one in functions(code) if one.name == "show"]
    found = keep_used(imports(code), code=code, start=show.start, end=show.end)
    return [(one.module, [name.shown for name in one.names], one.line) for one in found]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.kt",
            KOTLIN,
            [
                ("com.example", ["Note"], 1),
                ("com.example", ["preview as firstLine"], 2),
                ("com.example.nav", ["*"], 3),
                ("com.example.in", ["Odd"], 4),
                ("androidx.compose.runtime", ["getValue"], 5),
            ],
        ),
        (
            "a.java",
            JAVA,
            [("java.util", ["List"], 1), ("org.junit.Assert", ["assertEquals"], 3), ("java.io", ["*"], 4)],
        ),
        (
            "a.ts",
            TYPESCRIPT,
            [
                ("./x", ["def", "a", "b as c", "T"], 1),
                ("ns", ["* as ns"], 2),
                ("fs", ["fs"], 4),
                ("lodash", ["p", "q as r"], 6),
            ],
        ),
        (
            "a.py",
            PYTHON,
            [
                ("os", ["os"], 2),
                ("sys", ["sys as system"], 2),
                ("a.b.c", ["a.b.c"], 3),
                ("numpy", ["numpy as np"], 4),
                ("..pkg", ["*"], 6),
                ("late", ["soon"], 9),
            ],
        ),
    ],
)
def test_a_function_needs_what_it_uses(path: str, text: str, expected: list[tuple[str, list[str], int]]) -> None:
    assert _keep_used(path, text) == expected

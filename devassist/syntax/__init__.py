"""Syntax of source files by tree-sitter: functions and imports. Imports no Django."""

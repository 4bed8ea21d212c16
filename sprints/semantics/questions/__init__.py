"""Parsing of English questions to queries of a semantic model. A word without a meaning causes a clarification."""

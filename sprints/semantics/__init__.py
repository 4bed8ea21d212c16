"""The semantic layer: what may be measured, by what, filtered how; and queries in these terms, compiled to SQL."""

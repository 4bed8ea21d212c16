"""How schemas come in: parse (text in, schema out), load (rows)."""

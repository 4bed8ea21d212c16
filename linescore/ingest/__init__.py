"""How games get in: fetch.py asks the wire, parse.py reads bytes, load.py writes rows."""

"""
How games get in.

fetch.py asks the wire; parse.py, parse_csv.py, parse_nhl.py and nhl_documents.py turn bytes into records (pure);
check.py holds the rules a game keeps (pure); load.py writes rows. from_files.py, from_nhl.py and
samples.py each put these together for one source.
"""

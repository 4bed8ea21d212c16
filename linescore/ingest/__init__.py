"""
Ingestion of games.

fetch.py sends HTTP requests; parse.py, parse_csv.py, parse_nhl.py and nhl_documents.py turn bytes into records
(pure); check.py validates games (pure); load.py writes rows. from_files.py, from_nhl.py and samples.py combine these
for one source each.
"""

"""From a question to an answer: understood, turned into SQL, repaired, run, explained."""

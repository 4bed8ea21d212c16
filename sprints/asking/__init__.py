"""From a question to an answer: understood, turned into SQL, mended, run, explained."""

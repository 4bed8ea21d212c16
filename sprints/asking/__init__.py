"""Answers to questions: read the question, write SQL, repair it, run it, explain the rows."""

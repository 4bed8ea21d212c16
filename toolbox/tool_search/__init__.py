"""Which tools fit a question: one index, for runs, the compact catalogue and the pages."""

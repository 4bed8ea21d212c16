"""Search of tools by a question: one index for runs, the compact catalogue and the pages."""

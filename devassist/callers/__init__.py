"""Who calls a function: language servers kept warm, asked over LSP. Imports no Django."""

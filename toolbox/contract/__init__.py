"""What a tool is: input, output, errors, envelope, schema, caller. Imports no Django."""

"""Events and files that arrive over HTTP, and the tool that loads uploaded files."""

"""The processes of all hosts, and whether the parts between them are as they must be."""

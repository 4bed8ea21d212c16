"""The processes of all hosts, and checks of the parts between them."""

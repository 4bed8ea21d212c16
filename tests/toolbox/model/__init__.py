"""The model client against a scripted server on a real socket."""

"""From a stack trace to what is known about it: frames in files, code, history, past causes, next checks."""

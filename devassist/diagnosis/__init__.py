"""Diagnosis of a stack trace: frames in files, code, history, past causes, next checks."""

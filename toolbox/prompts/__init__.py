"""
Prompts that people curate: texts in a domain's words, with places that whoever chooses the prompt fills in.

`{team}` stands for an argument. A part in double brackets goes where an argument of it is not given.
"""

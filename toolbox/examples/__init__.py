"""
Curated examples: questions that people ask, with the calls that answer them.

Without a language model they answer questions (answerer.py); a model is shown them as few-shot examples (few_shot.py).
"""

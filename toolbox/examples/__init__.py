"""
Curated examples: questions that people ask, with the call that answers each.

Where no language model is configured they answer (provider.py); beside a model they show how tools are used (shots.py).
"""

"""Questions in plain language, answered without a language model by whatever tools understand them."""

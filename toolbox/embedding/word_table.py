"""
Reduce the memory of the model's word table.

The file stores every weight table as int8 with a scale per row; a Cast and a Mul turn it into floats. ONNX Runtime
computes everything that depends only on constants when it loads a model, so the word table would take 47 MB as float32.
Here the rows of a text's words are looked up first and only these are converted: the same arithmetic on the same
numbers.
"""

from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from toolbox.embedding.failures import EmbeddingFailed

_TABLE = "inner.embeddings.word_embeddings.weight"
_INTEGERS, _SCALES, _FLOATS = f"{_TABLE}_q", f"{_TABLE}_scale", f"{_TABLE}_f"
_TEXT, _BYTES = FieldDescriptorProto.TYPE_STRING, FieldDescriptorProto.TYPE_BYTES
_FIELDS = {
    "Node": [("input", 1, _TEXT), ("output", 2, _TEXT), ("op_type", 4, _TEXT), ("attribute", 5, _BYTES)],
    "Graph": [("node", 1, ".Node")],
    "Model": [("graph", 7, ".Graph")],
}
"""The fields of ONNX's messages that are changed; protobuf passes the others through."""
_SINGLE = ("op_type", "graph")


def look_up_before_converting(model: bytes) -> bytes:
    """Return the model with the word lookup before the conversion of the weights; raises EmbeddingFailed."""
    parsed = _message_class("Model").FromString(model)
    nodes = parsed.graph.node
    by_output = {node.output[0]: node for node in nodes}
    lookups = [node for node in nodes if _TABLE in node.input]
    cast, scaling = by_output.get(_FLOATS), by_output.get(_TABLE)
    is_expected = len(lookups) == 1 and lookups[0].op_type == "Gather" and lookups[0].input[0] == _TABLE
    if cast is None or scaling is None or not is_expected or scaling.input != [_FLOATS, _SCALES]:
        raise EmbeddingFailed(f"the model has no single lookup in {_TABLE}")
    lookup = lookups[0]
    place = list(nodes).index(lookup)
    new = [
        ("Gather", [_INTEGERS, lookup.input[1]], "word_integers", lookup.attribute),
        ("Gather", [_SCALES, lookup.input[1]], "word_scales", lookup.attribute),
        ("Cast", ["word_integers"], "word_floats", cast.attribute),
        ("Mul", ["word_floats", "word_scales"], lookup.output[0], ()),
    ]
    for offset, (operation, inputs, output, attributes) in enumerate(new):
        node = type(cast)(input=inputs, output=[output], op_type=operation, attribute=attributes)
        nodes.insert(place + offset, node)
    for node in (lookup, cast, scaling):
        nodes.remove(node)
    changed: bytes = parsed.SerializeToString()
    return changed


def _message_class(name: str) -> Any:
    file = FileDescriptorProto(name="onnx_lookup.proto", syntax="proto2")
    for message, fields in _FIELDS.items():
        described = DescriptorProto(name=message)
        for field, number, kind in fields:
            is_message = isinstance(kind, str)
            described.field.add(
                name=field,
                number=number,
                label=FieldDescriptorProto.LABEL_OPTIONAL if field in _SINGLE else FieldDescriptorProto.LABEL_REPEATED,
                type=FieldDescriptorProto.TYPE_MESSAGE if is_message else kind,
                type_name=kind if is_message else None,
            )
        file.message_type.append(described)
    pool = DescriptorPool()
    pool.Add(file)
    return GetMessageClass(pool.FindMessageTypeByName(name))

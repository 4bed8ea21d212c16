"""Values of the linker, and models of functions from outside."""

from enum import IntEnum
from typing import NamedTuple


class Kind(IntEnum):
    """The kind of a value."""

    OUTSIDE = 0  # from a library, of unknown type
    LITERAL = 1  # of a built-in type
    FUNCTION = 2  # number of a function
    CLASS = 3  # number of a class
    INSTANCE = 4  # of exactly the class
    DECLARED = 5  # of the class or one below it
    BOUND = 6  # a method with what it is called on
    CONTAINER = 7  # a list, a dict, an object literal, by where it is made
    MODULE = 8  # of the workspace
    LIBRARY = 9  # a module, a function or a class from outside, by name
    LIBRARY_TYPE = 10  # a value of a named type from outside
    CONTAINER_METHOD = 11
    SUPER = 12


class Value(NamedTuple):
    """A value. The kind determines the meaning of `first` and `second`."""

    kind: Kind
    first: int | str = -1
    second: int | str = -1


def split_words(words: str) -> frozenset[str]:
    """Split a text into words."""
    return frozenset(words.split())


OR_BELOW = ("any", "typed")
"""
What `second` of a class is where it may be one below it.

One that is only declared ("typed") does not escape: what its holder may call is known from the classes passed there.
"""
RECEIVER = "<receiver>."
"""Before a name in a lambda of Kotlin that is not found: a member of the receiver, or from outside."""
EXTENSION = "<extension>."
"""Before the name of an extension function of Kotlin. One that the workspace does not have says nothing of a call."""
OUTSIDE = Value(Kind.OUTSIDE)
LITERAL = Value(Kind.LITERAL)

BUILTIN_TYPES = split_words(
    """
    str int float bool bytes bytearray complex None NoneType memoryview string number boolean void undefined
    null never bigint symbol String Int Long Boolean Double Float Short Byte Char Unit Nothing long double char
    byte short
    """
)
UNKNOWN_TYPES = split_words(
    """
    Any object unknown any Object Callable Function TypeVar Self T P R K V
    """
)

EMPTY_BASES = split_words(
    """
    object ABC abc.ABC Protocol typing.Protocol Generic typing.Generic NamedTuple typing.NamedTuple TypedDict
    typing.TypedDict
    """
)
"""Bases from outside that call no method of a class and have no elements."""

READERS = split_words(
    """
    get pop popleft popitem shift at setdefault __getitem__ next first last peek find remove values items
    getOrDefault getValue firstOrNull lastOrNull find findLast getOrNull
    """
)
WRITERS = split_words(
    """
    append add insert appendleft push unshift set put extend update setdefault push_back addAll concat offer
    addFirst addLast fill splice
    """
)
SAME_CONTAINER = split_words(
    """
    values copy keys entries slice concat reverse sort filter sorted toSorted flat iterator stream toList toSet
    asSequence reversed distinct take drop toMutableList elements
    """
)
ITERATING = split_words(
    """
    forEach map filter reduce some every find findIndex findLast sort flatMap reduceRight sorted forEachIndexed
    mapNotNull any all none first firstOrNull let also apply run with filterNot onEach fold groupBy associateBy
    sortedBy sumOf mapIndexed min max list tuple set computeIfAbsent anyMatch allMatch toSorted
    """
)

SAME_VALUE = split_words(
    """
    cast copy deepcopy iter reversed sorted list tuple set frozenset filter dict deque OrderedDict ChainMap run
    gather create_task ensure_future wait_for run_until_complete to_thread partial freeze assign Array.from
    Object.freeze Object.values Promise.resolve Promise.all Promise.race Object.assign structuredClone bind
    chain cycle islice takewhile dropwhile lru_cache cache singledispatch asynccontextmanager contextmanager
    defaultdict partialmethod shield listOf mutableListOf setOf List.of Arrays.asList Set.of Optional.of
    requireNonNull Stream.of staticmethod classmethod nullcontext closing MappingProxyType WeakSet Object.create
    """
)
ELEMENT_OF = split_words(
    """
    next max min choice anext reduce functools.reduce random.choice
    """
)
NOT_PASSED_ON = split_words(
    """
    wraps isinstance issubclass callable type len print repr str hasattr id hash
    """
)
CALLS_NOW = split_words(
    """
    map filter sorted min max reduce run gather run_until_complete wait_for create_task apply call sort forEach
    defaultdict starmap takewhile dropwhile accumulate groupby Promise to_thread submit apply_async sub subn
    queueMicrotask setTimeout setInterval setImmediate nextTick then catch finally replace Array.from
    """
)
COLLECTIONS = split_words(
    """
    Map Set WeakMap Array HashMap ArrayList mutableMapOf mapOf HashSet LinkedHashMap ConcurrentHashMap
    LinkedList
    """
)

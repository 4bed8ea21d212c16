"""What is called in ways that the graph cannot follow is never said to have all its callers known."""

from textwrap import dedent

import pytest

from devassist.code_graph.linking import LinkedGraph, link
from devassist.code_graph.modules import Modules
from devassist.code_graph.reading import read_facts

UNKNOWN = {
    "overrides what a parameter as base calls": """
        class Base:
            def run(self): self.asked()
        def make(parent):
            class Inner(parent):
                def asked(self): pass
            return Inner
        make(input())().run()
    """,
    "is kept for pickle": """
        def asked(): pass
        class A:
            def __reduce__(self): return asked, ()
    """,
    "has a second name that the language calls": """
        class A:
            def asked(self): return 1
            __int__ = asked
        int(A())
    """,
    "is passed on by `__getattr__`": """
        class Timer:
            def asked(self): pass
        class Proxy:
            def __init__(self, inner): self.inner = inner
            def __getattr__(self, name): return getattr(self.inner, name)
        Proxy(Timer()).asked()
    """,
    "is called by a class of Python's own": """
        from threading import Thread
        class Worker(Thread):
            def run(self): pass
        Worker().start()
    """,
    "overrides a method of a library": """
        from library import Handler
        class Mine(Handler):
            def asked(self, event): pass
    """,
    "is of an element that a dict gives": """
        class Item:
            def asked(self): pass
        class Store(dict): pass
        store = Store()
        store['x'] = 3
        store.update(input())
        store['x'].asked()
    """,
    "is given to the constructor of a base from outside": """
        from threading import Thread
        def asked(): pass
        class Worker(Thread): pass
        Worker(target=asked).start()
    """,
    "is passed on by a small function to what is unknown": """
        from library import keep
        def asked(): pass
        def call(function): keep(function)
        call(asked)
    """,
    "is stored by a small function in what is unknown": """
        from library import kept
        def asked(): pass
        def call(function): kept.one = function
        call(asked)
    """,
    "is inside a function and stored as an attribute": """
        class A: pass
        def call(one, name):
            return getattr(one, name)()
        call(input(), 'asked')
        def outer(one: A):
            def asked(): pass
            one.asked = asked
            asked()
    """,
    "is read by a computed name and kept in a module": """
        class A:
            def asked(self): pass
        for name in dir(A): kept = getattr(A, name)
    """,
    "is read by a computed name and given away": """
        class A:
            def asked(self): pass
            def names(self, other):
                return [other(getattr(self, name)) for name in dir(self)]
        A().names(input())
    """,
    "is read by a computed name and given back": """
        class A:
            def asked(self): pass
            def get(self, name):
                return getattr(self, name)
        A().get(input())()
    """,
    "makes what an attribute of another name holds": """
        class Options:
            def __init__(self): pass
        class A:
            kind = Options
        def make(one): one.kind()
        make(input())
    """,
    "is called by another name on something unknown": """
        def asked(self): pass
        class A:
            other = asked
        def call(one): one.other()
        call(input())
    """,
    "is called by the name of a field on something unknown": """
        def asked(): pass
        class A:
            def __init__(self): self.other = asked
        def call(one): one.other()
        call(input())
    """,
    "is read from something unknown and called later": """
        class A:
            def asked(self): pass
        def call(one):
            function = one.asked
            function()
        call(input())
    """,
    "is read from something unknown and given back": """
        class A:
            def asked(self): pass
        def read(one): return one.asked
        read(input())()
    """,
    "is read from something unknown and given to a library": """
        from library import register
        class A:
            def asked(self): pass
        def read(one): register(one.asked)
        read(input())
    """,
    "is read from something unknown and given to a base from outside": """
        from threading import Thread
        class Worker(Thread): pass
        class A:
            def asked(self): pass
        def read(one): Worker(target=one.asked).start()
        read(input())
    """,
    "has a name that `%` puts together": """
        class A:
            def asked(self): pass
            def run(self, one): getattr(one, 'as%s' % input())()
        A().run(input())
    """,
    "has a name that only `%` knows": """
        class A:
            def asked(self): pass
            def run(self, one): getattr(one, '%s_it' % input())()
        A().run(input())
    """,
    "is decorated, while a name is computed on something unknown": """
        class A:
            @mark
            def asked(self): pass
        def mark(function):
            names.append(function.__name__)
            return function
        names = []
        for name in names: getattr(input(), name)()
        A().asked()
    """,
    "is called by an operator": """
        class A:
            def __add__(self, other): pass
        A() + A()
    """,
    "is listed by `dir`": """
        class A:
            def asked(self): pass
        def wrap(one):
            return {name: getattr(one, name) for name in dir(one)}
        wrap(A())
    """,
}
STILL_KNOWN = {
    "does not begin as a computed name does": """
        class A:
            def asked(self): pass
            def do_it(self): pass
            def run(self, name): getattr(self, 'do_' + name)()
        A().asked()
        A().run(input())
    """,
    "is asked whether it can be called": """
        def asked(): pass
        def call(function):
            if not callable(function):
                raise TypeError('%r is none' % function)
            function()
        call(asked)
    """,
    "is read by a computed name only to ask for its type": """
        class A:
            def asked(self): pass
            def names(self):
                return [name for name in dir(self) if isinstance(getattr(self, name, None), int)]
        A().names()
        A().asked()
    """,
    "has the name of an attribute that is read from something unknown": """
        class A:
            def asked(self): pass
        def read(one): return one.asked + 1
        read(input())
        A().asked()
    """,
    "is inside a function, while a name is computed on something unknown": """
        def call(one, name):
            return getattr(one, name)()
        call(input(), 'asked')
        def outer():
            def asked(): pass
            asked()
        outer()
    """,
}
FOUND = {
    "of a name that `+` puts together": """
        class A:
            def do_called(called): pass
            def run(self, name): getattr(self, 'do_' + name)()
        A().run(input())
    """,
    "of a name that `%` puts together": """
        class A:
            def do_called(called): pass
            def run(self, name): getattr(self, 'do_%s' % name)()
        A().run(input())
    """,
    "of what is made by a class that a parameter is": """
        class A:
            def __init__(called, one): pass
        def make(kind: type[A]):
            kind(1)
    """,
    "of a base that an attribute holds": """
        class A:
            def called(self): pass
        class B:
            def called(self): pass
        class Test:
            def test(self):
                class Inner(self.kind): pass
                Inner().called()
        class TestA(Test): kind = A
        class TestB(Test): kind = B
    """,
    "of the class of an instance": """
        class A:
            def copy(self): return self.__class__(1)
            def __init__(called, one): pass
        class B(A):
            def __init__(called, one): pass
    """,
    "of the type of an instance": """
        class A:
            def copy(self): return type(self)(1)
            def __init__(called, one): pass
    """,
    "of what a class method makes by super": """
        class A:
            @classmethod
            def make(cls): return cls()
        class B(A):
            @classmethod
            def make(cls):
                super().make().called()
            def called(self): pass
    """,
    "of an attribute that is read from `__dict__`": """
        class Item:
            def called(self): pass
        class Proxy:
            def __init__(self): self.inner = Item()
            def run(self): self.__dict__['inner'].called()
        Proxy().run()
    """,
    "of what `__getattr__` gives": """
        class Query:
            def called(self): pass
            def __getattr__(self, name): return Query()
        Query().anything.called()
    """,
    "of what `__getitem__` gives": """
        class Item:
            def called(self): pass
        class Store:
            def __getitem__(self, key): return Item()
        Store()['x'].called()
    """,
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_the_graph_cannot_follow_is_never_complete(name: str) -> None:
    text = dedent(UNKNOWN[name])
    function = next(name for name in ("asked", "run", "__init__", "__add__") if f"def {name}(" in text)

    assert not _is_complete(function, text=text)


@pytest.mark.parametrize("name", STILL_KNOWN)
def test_what_is_only_asked_about_stays_complete(name: str) -> None:
    assert _is_complete("asked", text=dedent(STILL_KNOWN[name]))


@pytest.mark.parametrize(
    "name", ["callable", "hasattr", "hash", "id", "isinstance", "issubclass", "len", "repr", "str"]
)
def test_what_only_asks_about_a_function_does_not_call_it(name: str) -> None:
    assert _is_complete("asked", text=f"def asked(): pass\n{name}(asked)\nasked()\n")


@pytest.mark.parametrize("name", FOUND)
def test_a_call_through_what_only_the_run_tells_is_found(name: str) -> None:
    text = dedent(FOUND[name])
    symbols = read_facts(text.encode(), path="program.py").symbols
    rows = [row for row in _link({"program.py": text}).calls["program.py"] if not row.is_open]

    reached = {row.target[1] for row in rows if row.target}

    assert reached >= {at for at, one in enumerate(symbols) if "called" in one.name + one.signature}


def test_an_override_is_found_however_many_subclasses_there_are() -> None:
    text = "class A:\n    def run(self): self.called()\n    def called(self): pass\n"
    text += "".join(f"class B{number}(A): pass\n" for number in range(300))
    text += "class Last(A):\n    def called(self): pass\nLast().run()\n"
    symbols = read_facts(text.encode(), path="program.py").symbols

    rows = _link({"program.py": text}).calls["program.py"]

    assert "Last.called" in {symbols[row.target[1]].qualified_name for row in rows if row.target}


def test_an_element_of_a_dict_that_is_lost_among_too_many_values_is_not_complete() -> None:
    text = "".join(f"def f{number}(): pass\n" for number in range(70)) + "def asked(): pass\n"
    text += f"for one in [{', '.join(f'f{number}' for number in range(70))}, {{'x': asked}}]: one['x']()\n"

    assert not _is_complete("asked", text=text)


def test_a_computed_name_is_open_however_far_from_there_it_is_called() -> None:
    text = """
    def call(one):
        a = one
        b = a
        c = b
        d = c
        e = d
        e()
    call(getattr(input(), input()))
    """

    assert "*" in {row.callee_name for row in _link({"program.py": dedent(text)}).calls["program.py"] if row.is_open}


@pytest.mark.parametrize(
    "program",
    [
        "import tools\nfrom library import keep\nkeep(tools)\ninput().asked()\n",
        "import importlib\nimportlib.import_module(input()).asked()\n",
    ],
)
def test_a_function_of_a_module_that_unknown_code_has_is_not_complete(program: str) -> None:
    linked = _link({"program.py": program, "tools.py": "def asked(): pass\ndef other(): pass\n"})

    assert linked.handed_on.keys() == {("tools.py", 0)}


def test_a_module_that_is_imported_by_its_literal_name_is_followed() -> None:
    files = {
        "program.py": "import importlib\n\nfound = importlib.import_module('tools')\nfound.called()\n",
        "tools.py": "def called():\n    pass\n",
    }

    assert ("tools.py", 0) in {row.target for row in _link(files).calls["program.py"]}


def test_a_decorator_of_the_workspace_is_called_though_python_has_one_of_its_name() -> None:
    files = {
        "program.py": "from tools import wraps\n\n\n@wraps\ndef f():\n    pass\n",
        "tools.py": "def wraps(function):\n    return function\n",
    }

    assert ("tools.py", 0) in {row.target for row in _link(files).calls["program.py"]}


def test_what_the_type_of_an_instance_makes_is_known() -> None:
    text = """
    class A:
        def copy(self): return type(self)()
        def get(self): pass
    A().copy().get()
    """

    assert _is_complete("get", text=dedent(text))


def test_names_computed_on_an_attribute_read_from_dict_are_those_of_its_class() -> None:
    text = """
    class Timer:
        def stop(self): pass
    class Proxy:
        def __init__(self): self.inner = Timer()
        def __getattr__(self, name): return getattr(self.__dict__['inner'], name)
    class Other:
        def asked(self): pass
    Other().asked()
    Proxy().stop()
    print('asked')
    """

    assert _is_complete("asked", text=dedent(text))
    assert not _is_complete("stop", text=dedent(text))


def test_a_method_of_a_class_whose_base_is_known_stays_complete() -> None:
    text = "import threading\nclass Own(threading.Thread):\n    def asked(self): pass\nOwn().asked()\n"

    assert _is_complete("asked", text=text)


def _link(files: dict[str, str]) -> LinkedGraph:
    facts = {path: read_facts(text.encode(), path=path) for path, text in files.items()}
    return link(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None))


def _is_complete(function: str, *, text: str) -> bool:
    """Return whether nothing about a function of that name is unresolved."""
    symbols = read_facts(text.encode(), path="program.py").symbols
    keys = {("program.py", index) for index, symbol in enumerate(symbols) if symbol.name == function}
    linked = _link({"program.py": text})
    rows = linked.calls["program.py"]
    names = {function, *(f"{function[:length]}*" for length in range(1, len(function) + 1))}
    if all(row.target not in keys for row in rows):
        names.add("*")
    is_open = any(row.is_open and (row.callee_name in names or row.target in keys) for row in rows)
    return not is_open and not keys & linked.handed_on.keys()

"""Which function a line is in: read by hand off small files of each language."""

import pytest

from devassist.syntax.functions import Scope, find_enclosing, functions, innermost_lambda, scopes
from devassist.syntax.parse import Code, ParseOverdue, parse

KOTLIN = """package a
@Composable
suspend fun <T : Any> List<T>.firstOr(other: T?): T? =
    this.firstOrNull() ?: other

class Notes(val api: Api) : Fragment(), Transport {
    private val binding get() = _binding!!
    init {
        setUp()
    }
    constructor(a: String) : this(Api(a)) {
        go()
    }
    fun interface Opener { fun open(id: Long) }
    companion object {
        fun make() =
            Notes(Api())
    }
    override fun load(trail: String) {
        scope.launch {
            val found = api.load(trail)
            show(found)
        }
        fun local() {
            inner()
        }
    }
    val format: (Int) -> String = { it ->
        it.toString()
    }
}
val top = list.map { entry ->
    entry.name
}
"""
JAVA = """package a;
public class Shop<T> extends Base {
  private final Runnable task = () -> {
    go();
  };
  @Override
  public <X> List<X> find(int a, String... b) throws Gone {
    list.forEach(x -> {
      x.use();
    });
    run(new Runnable() {
      public void run() {
        z();
      }
    });
    return null;
  }
  Shop(int x) {
    super(x);
  }
  static {
    init();
  }
  enum Kind { ONE {
    void m() {
      one();
    } };
  }
  record P(int x) { P {
    check(x);
  } }
}
"""
TYPESCRIPT = """import x from "x";
export const load = async (id: string): Promise<User> => {
  return await fetch(id);
};
export default function () {
  go();
}
class List<T> extends Base {
  constructor(private api: Api) {
    super();
  }
  handler = (event: Event) => {
    this.go(event);
  };
  @bound
  async go<T>(this: List, e: Event): Promise<void> {
    items.map((item) => {
      use(item);
    });
  }
}
const shop = { buy() {
  pay();
} };
const Memo = memo(function () {
  draw();
});
const total = items.reduce((a, b) => {
  return a + b;
});
app.get("/", async (req, res) => {
  res.send(1);
});
exports.foo = function () {
  foo();
};
"""
PYTHON = """import os
@app.route("/")
@cached
async def index(a: int, *, b: str = "x") -> str:
    def inner(c):
        return [x for x in c]
    return inner(
        a)

class Shop(Base):
    @property
    def total(self) -> int:
        return sum(map(lambda x:
            x.price, self.items))
    class Inner:
        def deep(self): return 1
pick = lambda x: (
    x)
"""
FILES = {"a.kt": KOTLIN, "a.java": JAVA, "a.ts": TYPESCRIPT, "a.tsx": TYPESCRIPT, "a.py": PYTHON}


def _code(path: str, text: str) -> Code:
    code = parse(text, path=path)
    assert code is not None
    return code


def _at(path: str, needle: str) -> Scope | None:
    text = FILES[path]
    code = _code(path, text)
    line = text[: text.index(needle)].count("\n") + 1
    return find_enclosing(functions(code), code=code, line=line)


@pytest.mark.parametrize(
    ("path", "needle", "name", "lines", "signature"),
    [
        ("a.kt", "firstOrNull", "List.firstOr", (2, 4), "suspend fun <T : Any> List<T>.firstOr(other: T?): T?"),
        ("a.kt", "@Composable", "List.firstOr", (2, 4), "suspend fun <T : Any> List<T>.firstOr(other: T?): T?"),
        ("a.kt", "_binding!!", "Notes.binding", (7, 7), "binding get()"),
        ("a.kt", "setUp()", "Notes.init", (8, 10), "init"),
        ("a.kt", "go()", "Notes.constructor", (11, 13), "constructor(a: String) : this(Api(a))"),
        ("a.kt", "Notes(Api())", "Notes.make", (16, 17), "fun make()"),
        ("a.kt", "fun open", "Notes.Opener.open", (14, 14), "fun open(id: Long)"),
        ("a.kt", "show(found)", "Notes.load", (19, 27), "override fun load(trail: String)"),
        ("a.kt", "inner()", "Notes.load.local", (24, 26), "fun local()"),
        ("a.kt", "it.toString", "Notes.format", (28, 30), "val format: (Int) -> String"),
        ("a.kt", "entry.name", "<anonymous>", (32, 34), "{ entry -> entry.name }"),
        ("a.java", "go();", "Shop.task", (3, 5), "task = () ->"),
        ("a.java", "@Override", "Shop.find", (6, 17), "public <X> List<X> find(int a, String... b) throws Gone"),
        ("a.java", "x.use();", "Shop.find", (6, 17), "public <X> List<X> find(int a, String... b) throws Gone"),
        ("a.java", "z();", "Shop.find.run", (12, 14), "public void run()"),
        ("a.java", "super(x)", "Shop.Shop", (18, 20), "Shop(int x)"),
        ("a.java", "init();", "Shop.static", (21, 23), "static"),
        ("a.java", "one();", "Shop.Kind.ONE.m", (25, 27), "void m()"),
        ("a.java", "check(x)", "Shop.P.P", (29, 31), "P"),
        ("a.ts", "fetch(id)", "load", (2, 4), "load = async (id: string): Promise<User> =>"),
        ("a.ts", "  go();", "default", (5, 7), "export default function ()"),
        ("a.ts", "super();", "List.constructor", (9, 11), "constructor(private api: Api)"),
        ("a.ts", "this.go(event)", "List.handler", (12, 14), "handler = (event: Event) =>"),
        ("a.tsx", "use(item)", "List.go", (16, 20), "async go<T>(this: List, e: Event): Promise<void>"),
        ("a.ts", "pay();", "shop.buy", (22, 24), "buy()"),
        ("a.ts", "draw();", "Memo", (25, 27), "Memo = memo(function ()"),
        ("a.ts", "a + b", "<anonymous>", (28, 30), "(a, b) =>"),
        ("a.ts", "res.send", "<anonymous>", (31, 33), "async (req, res) =>"),
        ("a.ts", "foo();", "exports.foo", (34, 36), "exports.foo = function ()"),
        ("a.py", "@cached", "index", (2, 8), 'async def index(a: int, *, b: str = "x") -> str'),
        ("a.py", "[x for", "index.inner", (5, 6), "def inner(c)"),
        ("a.py", "x.price", "Shop.total", (11, 14), "def total(self) -> int"),
        ("a.py", "return 1", "Shop.Inner.deep", (16, 16), "def deep(self)"),
        ("a.py", "    x)", "pick", (17, 18), "pick = lambda x"),
    ],
)
def test_it_is_the_innermost_with_a_name(
    path: str, needle: str, name: str, lines: tuple[int, int], signature: str
) -> None:
    found = _at(path, needle)

    assert found is not None
    assert (found.qualified_name, (found.start_line, found.end_line), found.signature) == (name, lines, signature)


@pytest.mark.parametrize(
    ("path", "needle"), [("a.kt", "package"), ("a.ts", "import"), ("a.py", "import"), ("a.kt", "class Notes")]
)
def test_the_top_level_is_in_none(path: str, needle: str) -> None:
    assert _at(path, needle) is None


def test_a_lambda_is_told_by_what_it_is_passed_to() -> None:
    code = _code("a.kt", KOTLIN)
    known = functions(code)
    (load,) = [one for one in known if one.qualified_name == "Notes.load"]

    inner = innermost_lambda(known, code=code, line=22, within=load)

    assert inner is not None
    assert (inner.passed_to, inner.start_line, inner.end_line) == ("scope.launch", 20, 23)
    assert innermost_lambda(known, code=code, line=25, within=load) is None


def test_a_name_is_found_where_it_stands_also_after_characters_of_two_units() -> None:
    code = _code("a.py", 'x = "😀é"; f = lambda: 1\ndef f(): pass\n')

    found = [code.place(one.name_start) for one in functions(code) if one.name == "f"]

    assert found == [(0, 11), (1, 4)]
    assert [code.place(code.offset(line, character=character)) for line, character in found] == found


@pytest.mark.parametrize("path", FILES)
def test_scopes_around_an_offset_are_those_of_the_whole_file_that_hold_it(path: str) -> None:
    code = _code(path, FILES[path])
    whole = scopes(code)

    for at in range(0, len(code.source), 5):
        assert scopes(code, at=at) == [scope for scope in whole if scope.start <= at < scope.end], at


@pytest.mark.parametrize(
    ("path", "text", "line", "name"),
    [
        ("a.kt", "class A {\n  fun ok() {\n    x()\n  }\n  fun broken( {\n", 3, "ok"),
        ("a.kt", "fun interface F { fun x() }\nobject O { fun one() {} }\nfun after() {\n  y()\n}\n", 4, "after"),
        ("a.py", "def ok():\n    x()\n\ndef broken(:\n    y(\n", 2, "ok"),
        ("a.ts", "function ok() {\n  x();\n}\nfunction broken( {\n", 2, "ok"),
        ("a.java", "class A {\n  void ok() {\n    x();\n  }\n  void broken( {\n", 3, "ok"),
    ],
)
def test_a_file_that_is_being_typed_keeps_its_functions(path: str, text: str, line: int, name: str) -> None:
    code = _code(path, text)

    found = find_enclosing(functions(code), code=code, line=line)

    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", "(" * 60_000),
        ("a.js", "a(" * 20_000 + ")" * 20_000),
        ("a.js", "x={" + ",".join(f"k{n}:{{a:1}}" for n in range(40_000)) + "}"),
        ("a.kt", "a{" * 20_000 + "}" * 20_000),
        ("a.py", "a<" * 200_000),
        ("a.kt", "// said\n" * 300_000),
    ],
)
def test_what_would_take_too_long_is_given_up(path: str, text: str) -> None:
    with pytest.raises(ParseOverdue):
        parse(text, path=path)


def test_other_languages_are_not_read() -> None:
    assert parse("fn main() {}", path="src/main.rs") is None

// Every kind of node, from text to dump.
#include "tests/unit/catch.h"
#include "tests/unit/syntax_testing.h"

using namespace tilewright::syntax;
using namespace tilewright::syntax::testing;

TEST_CASE("syntax: atoms and displays") {
  CHECK(value("foo") == "(name foo)");
  CHECK(value("(True, False, None, ...)") == "(tuple (true) (false) (none) (ellipsis))");
  CHECK(value("()") == "(tuple)");
  CHECK(value("(a,)") == "(tuple (name a))");
  CHECK(value("a, *b") == "(tuple (name a) (* (name b)))");
  CHECK(value("((a))") == "(name a)");
  CHECK(value("[a, b][c]") == "(index (list (name a) (name b)) (name c))");
  CHECK(value("{a, b}") == "(set (name a) (name b))");
  CHECK(value("{}") == "(dict)");
  CHECK(value("{a: b, **c}") == "(dict (: (name a) (name b)) (** (name c)))");
}

TEST_CASE("syntax: operators") {
  CHECK(value("a + b - c * d @ e / f // g % h") ==
        "(- (+ (name a) (name b)) (% (// (/ (@ (* (name c) (name d)) (name e)) (name f)) (name g)) (name h)))");
  CHECK(value("a << b >> c & d | e ^ f") ==
        "(| (& (>> (<< (name a) (name b)) (name c)) (name d)) (^ (name e) (name f)))");
  CHECK(value("-a ** -b") == "(unary - (** (name a) (unary - (name b))))");
  CHECK(value("~+a") == "(unary ~ (unary + (name a)))");
  CHECK(value("not a and b or c") == "(or (and (unary not (name a)) (name b)) (name c))");
  CHECK(value("a < b <= c > d >= e == f != g") ==
        "(compare (name a) < (name b) <= (name c) > (name d) >= (name e) == (name f) != (name g))");
  CHECK(value("a in b not in c is d is not e") ==
        "(compare (name a) in (name b) not in (name c) is (name d) is not (name e))");
  CHECK(value("a if b else c if d else e") == "(ifexp (name b) (name a) (ifexp (name d) (name c) (name e)))");
  CHECK(value("(n := 1)") == "(:= n (int 1))");
}

TEST_CASE("syntax: positions of operators") {
  auto tree = parse("a  not  in b\n");
  const auto* compare = as<Compare>(as<ExprStmt>(tree->statements()[0].node->statement)->value);
  REQUIRE(compare);
  CHECK(compare->op_at[0].begin == 3);
  CHECK(compare->op_at[0].end == 10);
}

TEST_CASE("syntax: calls, attributes, subscripts") {
  CHECK(value("f()") == "(call (name f))");
  CHECK(value("a.b.c(1, *d, k=2, **e)") ==
        "(call (. (. (name a) b) c) (int 1) (* (name d)) (keyword k (int 2)) (** (name e)))");
  CHECK(value("sum(x for x in y)") == "(call (name sum) (generator (name x) (for (name x) (name y))))");
  CHECK(value("a[b, c]") == "(index (name a) (name b) (name c))");
  CHECK(value("a[(b, c)]") == "(index (name a) (tuple (name b) (name c)))");
  CHECK(value("a[b,]") == "(index, (name a) (name b))");
  CHECK(value("a[:, b:, :c, ::d, b:c:d]") ==
        "(index (name a) (slice - - -) (slice (name b) - -) (slice - (name c) -) (slice - - (name d)) "
        "(slice (name b) (name c) (name d)))");
}

TEST_CASE("syntax: comprehensions and lambdas") {
  CHECK(value("[a for a, b in c if d if e for f in g]") ==
        "(list-comp (name a) (for (tuple (name a) (name b)) (name c)) (if (name d)) (if (name e)) (for (name f) (name "
        "g)))");
  CHECK(value("{a for a in b}") == "(set-comp (name a) (for (name a) (name b)))");
  CHECK(value("{a: b for a in b}") == "(dict-comp (name a) (name b) (for (name a) (name b)))");
  CHECK(value("lambda: 0") == "(lambda (params) (int 0))");
  CHECK(value("lambda a, /, b=1, *c, d, e=2, **f: a") ==
        "(lambda (params (positional a) (param b (= (int 1))) (*args c) (keyword d) (keyword e (= (int 2))) (**kwargs "
        "f)) "
        "(name a))");
  CHECK(value("await f(x)") == "(unsupported \"await f(x)\")");
}

TEST_CASE("syntax: assignments") {
  CHECK(one("a = b = c, d = e") == "(= (name a) (name b) (tuple (name c) (name d)) (name e))");
  CHECK(one("x: T.int32") == "(annotate (name x) (. (name T) int32) -)");
  CHECK(one("x: T.int32 = 1") == "(annotate (name x) (. (name T) int32) (int 1))");
  CHECK(one("a[0] //= 2") == "(//= (index (name a) (int 0)) (int 2))");
  CHECK(one("a @= b") == "(@= (name a) (name b))");
  CHECK(one("a >>= b") == "(>>= (name a) (name b))");
  CHECK(one("a **= b") == "(**= (name a) (name b))");
  CHECK(one("type X = int") == "(type X (name int))");
}

TEST_CASE("syntax: simple statements") {
  CHECK(one("def f():\n  return") == "(def f (params) (do (return -)))");
  CHECK(one("def f():\n  return a, b") == "(def f (params) (do (return (tuple (name a) (name b)))))");
  CHECK(one("raise") == "(raise - -)");
  CHECK(one("raise A from B") == "(raise (name A) (name B))");
  CHECK(one("assert a, 'm'") == "(assert (name a) (str \"m\"))");
  CHECK(one("del a, b[0]") == "(del (name a) (index (name b) (int 0)))");
  CHECK(one("global a, b") == "(global a b)");
  CHECK(one("nonlocal a") == "(nonlocal a)");
  CHECK(one("pass; break; continue") == "(pass)\n(break)\n(continue)");
}

TEST_CASE("syntax: imports") {
  CHECK(one("import a.b.c, d as e, f . g as h") == "(import (a.b.c a) (d e) (f.g h))");
  CHECK(one("from a.b import c as d, e") == "(from a.b (c d) (e e))");
  CHECK(one("from .... import (a,\n  b)") == "(from .... (a a) (b b))");
  CHECK(one("from ..a import *") == "(from ..a (* ))");
}

TEST_CASE("syntax: compound statements") {
  CHECK(one("if a: b\nelif c: d\nelif e: f\nelse: g") ==
        "(if (name a) (then (expr (name b))) (else (if (name c) (then (expr (name d))) (else (if (name e) "
        "(then (expr (name f))) (else (expr (name g))))))))");
  CHECK(one("while a:\n  b\nelse:\n  c") == "(while (name a) (do (expr (name b))) (else (expr (name c))))");
  CHECK(one("for a, b in c:\n  d\nelse:\n  e") ==
        "(for (tuple (name a) (name b)) (name c) (do (expr (name d))) (else (expr (name e))))");
  CHECK(one("async def f():\n  async for a in b:\n    async with c: d") ==
        "(async-def f (params) (do (async-for (name a) (name b) (do (async-with (item (name c)) (do (expr (name "
        "d))))))))");
  CHECK(one("with a as b, (c): d") == "(with (item (name a) (name b)) (item (name c)) (do (expr (name d))))");
  CHECK(one("with (a as b, c): d") == "(with (item (name a) (name b)) (item (name c)) (do (expr (name d))))");
  CHECK(one("try:\n  a\nexcept B as c:\n  d\nexcept:\n  e\nelse:\n  f\nfinally:\n  g") ==
        "(try (do (expr (name a))) (except (name B) c (do (expr (name d)))) (except - (do (expr (name e)))) "
        "(else (expr (name f))) (finally (expr (name g))))");
  CHECK(one("match a, b:\n  case 1: c") == "(match (tuple (name a) (name b)) (case (int 1) (do (expr (name c)))))");
  CHECK(one("match a:\n  case [1, *b] | {'k': c, **d} if e: f\n  case C(x, y=-1) as g: pass\n  case n.m, _: pass") ==
        "(match (name a)"
        " (case (set (list (int 1) (* (name b))) (dict (: (str \"k\") (name c)) (** (name d))))"
        " (if (name e)) (do (expr (name f))))"
        " (case (:= g (call (name C) (name x) (keyword y (unary - (int 1))))) (do (pass)))"
        " (case (list (. (name n) m) (name _)) (do (pass))))");
}

TEST_CASE("syntax: definitions") {
  CHECK(one("@T.prim_func\n@d(1)\ndef f(a: A, /, b: B = 1, *c: C, d, e=2, **g: G) -> R:\n  pass") ==
        "(def f (params (positional a (: (name A))) (param b (: (name B)) (= (int 1))) (*args c (: (name C))) (keyword "
        "d) "
        "(keyword e (= (int 2))) (**kwargs g (: (name G)))) (-> (name R)) (@ (. (name T) prim_func)) "
        "(@ (call (name d) (int 1))) (do (pass)))");
  CHECK(one("def f(a, *, b): pass") == "(def f (params (param a) (keyword b)) (do (pass)))");
  CHECK(one("def f[T](a: T): pass") == "(def f (params (param a (: (name T)))) (do (pass)))");
  CHECK(one("class A: pass") == "(class A (do (pass)))");
  CHECK(one("@d\nclass A(B, *C, metaclass=M, **k):\n  x = 1") ==
        "(class A (bases (name B) (* (name C))) (keyword metaclass (name M)) (** (name k)) (@ (name d)) "
        "(do (= (name x) (int 1))))");
}

TEST_CASE("syntax: a generator is the function that yields itself") {
  auto is_generator = [](std::string_view text) {
    return as<FunctionDef>(parse(text)->statements()[0].node->statement)->is_generator;
  };
  CHECK(is_generator("def f():\n  for i in x:\n    yield i"));
  CHECK(is_generator("def f():\n  a = yield"));
  CHECK_FALSE(is_generator("def f():\n  def g():\n    yield"));
  CHECK_FALSE(is_generator("def f():\n  return lambda: (yield)"));
  CHECK(is_generator("def f():\n  x = (\n  if a:\n    yield 1"));  // beside a broken line
}

TEST_CASE("syntax: positions are relative to the statement and end with its last token") {
  auto tree = parse("# c\n\n@d\ndef f(a):\n  x = 1  # c\n\n  # c\n\ny = 2\n");
  REQUIRE(tree->statements().size() == 2);
  CHECK(tree->statements()[0].offset == 5);
  CHECK(tree->statements()[0].node->text == "@d\ndef f(a):\n  x = 1");
  CHECK(dump(tree->statements()[0].node->statement, {.extents = true}) ==
        "(def@0:20 f@7:8@3:11 (params (param a@9:10)) (@ (name@1:2 d@1:2)) (do (=@15:20 (name@15:16 x@15:16) "
        "(int@19:20 1))))");
  CHECK(tree->statements()[1].node->text == "y = 2");
}

TEST_CASE("syntax: rules that Python checks beside its grammar") {
  CHECK(errors(*parse("def f():\n  1 = 2\n")).starts_with("2:3 cannot assign"));
  CHECK(errors(*parse("f(a=1, 2)\n")).starts_with("1:8 positional argument follows keyword argument"));
  // Each rule, wherever it can be broken: a conversion marks the statements that are searched for them.
  const std::string digits(4301, '9');
  for (const std::string& text : {std::string("f() = 1"),
                                  std::string("a, 1 = b"),
                                  std::string("[a, f()] = b"),
                                  std::string("x = 1 = 2"),
                                  std::string("a, b: int = 1"),
                                  std::string("a, b += 1"),
                                  std::string("for 1 in x: pass"),
                                  std::string("[a for f() in x]"),
                                  std::string("with a as f(): pass"),
                                  std::string("del f()"),
                                  std::string("f(**a, b)"),
                                  std::string("f(**a, *b)"),
                                  std::string("class C(a=1, b): pass"),
                                  std::string("def f(a=1, b): pass"),
                                  std::string("def f(*, **k): pass"),
                                  std::string("def f(*): pass"),
                                  std::string("def f(/): pass"),
                                  std::string("def f(a, /, b, /): pass"),
                                  std::string("def f(*a, *b): pass"),
                                  std::string("def f(**k, a): pass"),
                                  std::string("lambda a=1, b: 0"),
                                  std::string("lambda *: 0"),
                                  std::string("'a' b'c'"),
                                  std::string("x = " + digits),
                                  std::string("match x:\n  case {**r, 1: y}: pass"),
                                  std::string("match x:\n  case C(a=1, b): pass"),
                                  std::string("match x:\n  case y as _: pass"),
                                  std::string("x = (yield (a := 1), f(b=1, c))"),
                                  std::string("async def f():\n  await f(a=1, b)"),
                                  std::string("f'{g(a=1, 2)}'"),
                                  std::string("f'{x:{g(a=1, 2)}}'"),
                                  std::string("def f[T: g(a=1, 2)](): pass")}) {
    INFO(text);
    for (const std::string& whole : {text, "if c:\n    " + text}) {
      if (whole != text && text.find('\n') != text.npos) continue;
      CHECK_FALSE(parse(whole + "\n")->errors().empty());
    }
  }
}

TEST_CASE("syntax: one expression") {
  std::vector<SyntaxError> errors;
  auto top = parse_expression("  make(1, k=(2, 3)) ", &errors);
  CHECK(errors.empty());
  CHECK(dump(top->statement) == "(expr (call (name make) (int 1) (keyword k (tuple (int 2) (int 3)))))");
  for (const char* text : {"", "a = 1", "a; b", "a\nb", "def f(): pass"}) {
    errors.clear();
    CHECK(dump(parse_expression(text, &errors)->statement) == "(expr (broken))");
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].message == "expected one expression");
  }
  errors.clear();
  parse_expression("  f(1", &errors);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "unclosed '('");
  CHECK(errors[0].begin == 3);
}

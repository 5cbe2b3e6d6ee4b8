#!/usr/bin/env python3
"""functions.py: what counts as a function and from where to where, and that each of its rules is said when it is broken."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import functions  # noqa: E402


def spans(text):
    found, balanced = functions.functions_of(text)
    assert balanced, text
    return [(name, first, last) for name, first, last, _ in found]


def switch(cases, lines_a_case=1, name="walk"):
    """A function of `cases` cases, each of so many lines, with its head, the switch's two lines and its end."""
    body = "".join(f"    case {i}:\n" + "      step();\n" * (lines_a_case - 1) for i in range(cases))
    return f"void {name}(int n) {{\n  switch (n) {{\n{body}  }}\n}}\n"


class Spans(unittest.TestCase):
    def test_functions(self):
        self.assertEqual(spans("int f() { return 1; }\n\nstatic std::vector<int> g(\n    int a, int b) {\n}\n"), [("f", 1, 1), ("g", 3, 5)])
        self.assertEqual(spans("template <class T, std::size_t N = (1 > 0)>\n  requires std::integral<T>\nauto f(T x) -> int\n{\n}\n"), [("f", 3, 5)])
        self.assertEqual(spans("Trial f(int a = 1) try {\n} catch (...) {\n}\n")[0], ("f", 1, 2))
        self.assertEqual(spans("bool operator()(int) const { }\nbool operator==(const A& b) const {\n}\nvoid operator delete(void*) {}\n"),
                         [("operator()", 1, 1), ("operator==", 2, 3), ("operator delete", 4, 4)])

    def test_members(self):
        text = ("namespace a::b {\nclass C final : public D<int()> {\n public:\n  C(int a)\n      : a_{a}, b_([this] { use({1}); }), c_(f({})) {\n    b();\n  }\n"
                "  ~C() override;\n\n private:\n  std::function<void(int)> f_{nullptr};\n  struct alignas(16) E {\n    int x[2] = {1, 2};\n  };\n"
                "  int last() const { return 1; }\n};\nenum class K { A, B = f(1) };\n}\nC::~C() {\n}\n")
        self.assertEqual([s for s in spans(text) if s[0] != "a lambda"], [("C", 4, 7), ("last", 15, 15), ("~C", 19, 20)])

    def test_lambdas_count_where_they_stand(self):
        self.assertEqual(spans("void f() {\n  auto g = [&] {\n  };\n}\n"), [("f", 1, 4)])
        self.assertEqual(spans("const Row kRows[] = {\n    {1, 2},\n    {3, [](int x) -> int {\n       return x;\n     }},\n};\nint f() {}\n"),
                         [("a lambda", 3, 5), ("f", 7, 7)])

    def test_what_is_no_code(self):
        self.assertEqual(spans('// void f() {\nconst char* a = "{"; char b = \'{\';\n/* { */ auto c = R"(}{{)";\n#define OPEN {\\\n  {\nvoid g() {}\n'),
                         [("g", 6, 6)])
        self.assertEqual(spans("#if A\nvoid f() {\n#else\nvoid f(int) {\n#endif\n}\n"), [("f", 2, 6)])
        self.assertFalse(functions.functions_of("void f() {")[1])
        self.assertFalse(functions.functions_of("}")[1])

    def test_cases(self):
        code = switch(3, 2).replace("switch (n) {", "switch (n) {\n    default: // case 7:\n      g(\"case 8:\"); std::x<Case::A>();")
        self.assertEqual(functions.functions_of(code)[0][0][3], 4)


class Rules(unittest.TestCase):
    def said(self, files, flat=None):
        before = functions.FLAT
        functions.FLAT = {(path, name): "a reason" for path, name in flat or ()}
        try:
            with tempfile.TemporaryDirectory() as root:
                for path, text in files.items():
                    os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                    with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                        f.write(text)
                return functions.check(root)[0]
        finally:
            functions.FLAT = before

    def test_length(self):
        for folder in ("compiler/a", "server/a", "protocol"):
            path = f"{folder}/x.cpp"
            self.assertEqual(self.said({path: "void f() {\n" + "  g();\n" * 78 + "}\n"}), [])
            self.assertEqual(self.said({path: "\nvoid f() {\n" + "  g();\n" * 79 + "}\n"}), [f"{path}:2: f has 81 lines, 80 are allowed"])

    def test_exceptions(self):
        path, flat = "compiler/a/x.h", [("compiler/a/x.h", "walk")]
        self.assertEqual(self.said({path: switch(90)}), [f"{path}:1: walk has 94 lines, 80 are allowed"])
        self.assertEqual(self.said({path: switch(90)}, flat), [])
        self.assertEqual(self.said({path: switch(20, 5)}, flat), [f"{path}:1: walk is no flat switch: 104 lines for 20 cases"])
        unneeded = [f"{path}:1: walk needs no exception any more (FLAT in tests/house/functions.py)"]
        self.assertEqual(self.said({path: switch(9)}, flat), unneeded)
        self.assertEqual(self.said({path: switch(9, name="other")}, flat), unneeded)

    def test_braces(self):
        self.assertEqual(self.said({"server/a/x.cpp": "void f() {\n"}), ["server/a/x.cpp:1: its braces were not understood, so nothing of it was measured"])


if __name__ == "__main__":
    unittest.main()

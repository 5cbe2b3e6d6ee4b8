#!/usr/bin/env python3
"""cmake/unity_groups.py: which sources may be compiled as one unit, and which must not.

    unity_test.py ROOT
"""
import os
import sys
import tempfile
import unittest

ROOT = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "cmake"))
sys.dont_write_bytecode = True
import unity_groups  # noqa: E402


class Groups(unittest.TestCase):
    def source(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".cpp", delete=False) as file:
            file.write(text)
        self.addCleanup(os.remove, file.name)
        return unity_groups.Source(file.name)

    def together(self, one, other):
        return len(unity_groups.groups([self.source(one), self.source(other)])) == 1

    def local(self, code):
        return "namespace tw {\nnamespace {\n\n" + code + "\n}  // namespace\n\nvoid use();\n}  // namespace tw\n"

    def test_local_names_are_found(self):
        names = self.source(self.local("constexpr int kOne = 1, kTwo = f(2);\nconstexpr Row kRows[] = {\n    {1},\n};\nint last(int x) {\n  return x;\n}\n"
                                       "struct Point {\n  int inner;\n};\nenum Kind { kA, kB = 2 };\nstd::vector<int> parts(const T& a,\n"
                                       "    int b) {\n}\nconst char* word(int) { return 0; }\nconstexpr int kThree = 3,\n              kFour = 4;")
                            + "#define MACRO(x) x\nstatic int hidden() { return 1; }\nint shown() { return 1; }\nconst Row* found() { return 0; }\n").local
        for name in ("kOne", "kTwo", "kRows", "last", "Point", "Kind", "kA", "kB", "parts", "word", "kThree", "kFour", "MACRO", "hidden"):
            self.assertIn(name, names)
        for name in ("shown", "found", "use", "inner", "x"):
            self.assertNotIn(name, names)

    def test_what_goes_together(self):
        self.assertTrue(self.together(self.local("int a() { return 1; }"), self.local("int b() { return 1; }")))
        # Members and qualified names are no local ones; texts and comments say nothing.
        self.assertTrue(self.together(self.local("int a() { return 1; }"), "int f(T t) { return t.a(1) + other::a(2); } // a(3)\nauto s = \"a(4)\";\n"))
        self.assertTrue(self.together("using ir::Expr;\nint f();\n", "using ir::Expr;\nint g();\n"))

    def test_what_does_not(self):
        a = self.local("int a() { return 1; }")
        self.assertFalse(self.together(a, self.local("int a(int x) { return x; }")))
        self.assertFalse(self.together(a, "int f() { return a(); }\n"))  # of some header: it would find the local one
        self.assertFalse(self.together(self.local("namespace n = other;\n\nint a() { return 1; }"), a))  # a short name ends none
        self.assertFalse(self.together(self.local("constexpr int kSize = 1;"), "int f() { return kSize; }\n"))
        self.assertFalse(self.together(self.local("class A final {\n};"), self.local("class A final {\n};")))
        self.assertTrue(self.together(self.local("class A final {\n};"), self.local("class B final {\n};")))
        self.assertFalse(self.together("#define LIST(V) V(1)\n", "#define LIST(V) V(2)\n"))
        self.assertFalse(self.together("using ir::Expr;\n", "using other::Expr;\n"))
        self.assertFalse(self.together("using namespace tw;\n", "int f();\n"))
        self.assertFalse(self.together("#pragma GCC diagnostic ignored \"-Wx\"\n", "int f();\n"))

    def test_files_taken_apart(self):
        one, other = self.source("int f();\n"), self.source("int g();\n")
        self.assertEqual(len(unity_groups.groups([one, other], {other.path})), 2)

    def test_groups_stay_small(self):
        made = unity_groups.groups([self.source(f"int f{n}();\n") for n in range(70)])
        self.assertEqual(sorted(len(group) for group in made), [6, 64])
        large = "// \n" + "int f();\n" * (unity_groups.BYTES_A_GROUP // 15)
        self.assertEqual(len(unity_groups.groups([self.source(large), self.source(large)])), 2)

    def test_our_own_sources(self):
        """Most of the server goes together: without that, a build from nothing takes twice as long."""
        for folder, least in (("compiler", 2), ("server", 3)):
            paths = [os.path.join(place, name) for place, _, names in os.walk(os.path.join(ROOT, folder)) for name in sorted(names)
                     if name.endswith(".cpp")]
            made = unity_groups.groups([unity_groups.Source(path) for path in sorted(paths)])
            self.assertEqual(sorted(source.path for group in made for source in group), sorted(paths))
            self.assertGreater(len(paths) / len(made), least, folder)


if __name__ == "__main__":
    unittest.main()

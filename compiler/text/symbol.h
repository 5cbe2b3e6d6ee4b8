// Names that become a symbol, a file or a word of a program: identifiers as C has them, in ASCII.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::text {

inline constexpr std::size_t kLongestSymbol = 255;

// In alphabetical order.
inline constexpr auto kCxxKeywords = std::to_array<std::string_view>({
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
    "xor_eq",
});

// Why `name` cannot be a symbol ("it has '/' at character 3"), or nothing: letters, digits and underscores, no digit
// first, at most kLongestSymbol characters. What follows the reason is "; " and the rule, at the caller's wish.
std::optional<std::string> why_no_symbol(std::string_view name);
// The same of a function that is called by this name: no keyword of C++, and namespaces may stand before it (`a::b`).
std::optional<std::string> why_no_function(std::string_view name);
// The same of a word of an instruction (a data type, a shape, a register): letters, digits and `_ . : % + -`.
std::optional<std::string> why_no_word(std::string_view text);

}  // namespace tilewright::text

// What a diagnostic code means, as a read-only document: `tilewright:/codes/TW3104.md`, the text of `tilewright
// explain`.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::lsp {

std::string code_page_uri(std::string_view code);  // empty: there is no such code
// Nothing: the URI names no page of a code.
std::optional<std::string> code_page(std::string_view uri);

}  // namespace tilewright::lsp

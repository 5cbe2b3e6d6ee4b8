#include "server/lsp/code_page.h"

#include "server/project/codes.h"

namespace tilewright::lsp {
namespace {

constexpr std::string_view kPrefix = "tilewright:/codes/", kSuffix = ".md";

}  // namespace

std::string code_page_uri(std::string_view code) {
  if (!project::code_info(code)) return {};
  return std::string(kPrefix) + std::string(code) + std::string(kSuffix);
}

std::optional<std::string> code_page(std::string_view uri) {
  if (!uri.starts_with(kPrefix) || !uri.ends_with(kSuffix)) return std::nullopt;
  uri.remove_prefix(kPrefix.size());
  uri.remove_suffix(kSuffix.size());
  const text::CodeInfo* info = project::code_info(uri);
  if (!info) return std::nullopt;
  return "# " + std::string(info->code) + ": " + std::string(info->title) + "\n\n" + std::string(info->explanation) +
         "\n";
}

}  // namespace tilewright::lsp

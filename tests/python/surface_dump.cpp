// The surface of a release as JSON lines, for the stubs of editors: {space, name, kind, signature, documentation,
// children}.
#include <cstdio>

#include "compiler/script/surface.h"
#include "compiler/text/json.h"

using namespace tilewright;

int main(int argc, char** argv) {
  const auto release = script::known_dialect(argc > 1 ? argv[1] : "0.25");
  if (!release) {
    std::fprintf(stderr, "%s\n", release.error().c_str());
    return 1;
  }
  static constexpr const char* kKinds[] = {"function", "decorator", "type",        "class",     "namespace",
                                           "constant", "primitive", "instruction", "attribute", "elsewhere"};
  for (const script::Record* r : script::surface_of(*release).records()) {
    if (!r->is_offered()) continue;
    const text::Json line{{"space", r->space},
                          {"name", r->name},
                          {"kind", kKinds[static_cast<int>(r->kind)]},
                          {"signature", r->signature},
                          {"documentation", r->documentation},
                          {"children", r->children}};
    std::printf("%s\n", line.dump().c_str());
  }
  return 0;
}

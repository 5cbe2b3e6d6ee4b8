// Any bytes are an expression of the layout algebra; what it yields can be printed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "compiler/layout/picture.h"
#include "compiler/script/evaluate.h"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  text::Context context;
  context.limits.steps = 200'000;
  context.limits.memory_bytes = 16 << 20;
  script::ExpressionResult r =
      script::evaluate_expression(std::string_view(reinterpret_cast<const char*>(data), size), context);
  ArenaScope arena(r.evaluation->arena());
  r.evaluation->interpreter().repr(r.value);
  if (auto* l = r.value.as<script::LayoutValue>()) {
    layout::to_string(*l->layout);
    layout::PictureOptions options;
    options.rows = options.columns = 8;
    layout::Shape shape{layout::size(*l->layout)};
    static_cast<void>(layout::text_table(*l->layout, shape, options));
    static_cast<void>(layout::svg_picture(*l->layout, shape, options));
  }
  return 0;
}

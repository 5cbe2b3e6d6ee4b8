#include "compiler/script/interpreter.h"

#include "compiler/script/probe.h"
#include "compiler/script/surface.h"

namespace tilewright::script {

Interpreter::Interpreter(text::Context context, text::Anchors& anchors, Loader* loader, const EvaluateOptions& options,
                         std::shared_ptr<Store> store)
    : context_(std::move(context)),
      anchors_(anchors),
      target_(options.target),
      find_target_(options.find_target),
      dialect_(options.dialect.value_or(text::kDefaultDialect)),
      surface_(&surface_of(dialect_)),
      probe_(options.probe),
      set_order_(options.set_order),
      probed_(options.probe ? options.probe->node : nullptr),
      module_drafts_([this](layout::Layout l) { return layout_value(std::move(l)).as<LayoutValue>()->layout; }),
      store_(store),
      module_store_(std::move(store)),
      budget_(context_.limits),
      modules_(*this, loader),
      reuse_(*this, options.memo) {}

Interpreter::~Interpreter() = default;

}  // namespace tilewright::script

#include "server/endpoint/progress.h"

namespace tilewright::endpoint {

void Progress::say(std::string_view message, int percent) {
  const bool first = !begun_.exchange(true);
  Json value{{"kind", first ? "begin" : "report"}};
  if (!message.empty()) value["message"] = message;
  if (first) value.update({{"title", title_}, {"cancellable", true}});
  if (percent >= 0) value["percentage"] = percent;
  endpoint_.notify("$/progress", {{"token", token_}, {"value", value}});
}

void Progress::end() {
  if (begun_) endpoint_.notify("$/progress", {{"token", token_}, {"value", {{"kind", "end"}}}});
}

}  // namespace tilewright::endpoint

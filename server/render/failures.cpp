#include "server/render/failures.h"

namespace tilewright::render {

Json failure_json(std::string_view file, std::string_view message) { return {{"file", file}, {"message", message}}; }

}  // namespace tilewright::render

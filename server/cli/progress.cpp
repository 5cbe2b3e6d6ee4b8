#include "server/cli/progress.h"

#include <utility>

namespace tilewright::cli {

Progress::Progress(std::string verb, std::string noun, std::size_t pieces)
    : verb_(std::move(verb)), noun_(std::move(noun)), pieces_(pieces) {}

void Progress::show(std::size_t done) {
  if (pieces_ > 1 && line_.wanted())
    line_.show(verb_ + " " + std::to_string(done) + " of " + std::to_string(pieces_) + " " + noun_);
}

}  // namespace tilewright::cli

#include "server/work/figure.h"

namespace tilewright::work {

std::string_view from_words(From from) {
  switch (from) {
    case From::Counted: return "counted";
    case From::CountedAsWritten: return "counted as written";
    case From::Modelled: return "modelled";
    case From::Measured: return "measured";
    case From::NotAvailable: break;
  }
  return "not available";
}

}  // namespace tilewright::work

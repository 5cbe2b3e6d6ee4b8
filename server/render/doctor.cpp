#include "server/render/doctor.h"

namespace tilewright::render {

Json doctor_json(std::span<const DoctorFinding> findings) {
  Json out = Json::array();
  for (const DoctorFinding& f : findings)
    out.push_back({{"what", f.what}, {"state", f.state}, {"detail", f.detail}, {"remedy", f.remedy}});
  return Json{{"findings", std::move(out)}};
}

}  // namespace tilewright::render

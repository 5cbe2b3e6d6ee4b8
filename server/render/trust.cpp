#include "server/render/trust.h"

namespace tilewright::render {

Json trust_json(const std::string& settings, bool trusted, const remote::Demand* demand) {
  Json acts = Json::array();
  if (demand)
    for (const remote::Act& act : demand->acts) acts.push_back({{"remote", act.remote}, {"does", act.lines}});
  return {{"settings", settings}, {"trusted", trusted}, {"acts", std::move(acts)}};
}

Json revoked_json(const std::string& settings, bool revoked) { return {{"settings", settings}, {"revoked", revoked}}; }

Json trusted_json(std::span<const project::Trusted> all) {
  Json list = Json::array(), out = Json::object();
  for (const project::Trusted& t : all)
    list.push_back({{"settings", t.settings.string()}, {"digest", t.digest}, {"shown", t.shown}});
  out["trusted"] = std::move(list);
  return out;
}

}  // namespace tilewright::render

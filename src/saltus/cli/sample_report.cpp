#include "saltus/cli/sample_report.hpp"

#include <algorithm>

namespace saltus::cli {

Json samples_json(const Trajectory& samples) {
  Json out = Json::array();
  for (int i = 0; i < samples.size(); ++i)
    out.push_back({{"t", samples.t(i)}, {"q", numbers(samples.q(i))}, {"u", numbers(samples.u(i))}});
  return out;
}

std::string samples_text(const Trajectory& samples) {
  constexpr int shown = 24, most = 6;
  std::string out;
  const auto list = [](const char* name, const auto& x) {
    std::string text = name;
    for (Eigen::Index i = 0; i < std::min<Eigen::Index>(x.size(), most); ++i)
      text += fmt::format(" {:.12g}", x[i]);
    return text + (x.size() > most ? " …" : "");
  };
  for (int i = 0; i < std::min(samples.size(), shown); ++i)
    out += fmt::format("at        t = {:.12g}: {};{}\n", samples.t(i), list("q =", samples.q(i)),
                       list(" u =", samples.u(i)));
  if (samples.size() > shown)
    out += fmt::format("          … and {} more (-o FILE.csv, or --json)\n", samples.size() - shown);
  return out;
}

void add_forces(std::span<const std::vector<BodyForce>> forces, const DynamicSystem& system, Json& samples) {
  for (std::size_t i = 0; i < forces.size(); ++i) {
    if (forces[i].empty()) continue;
    Json& list = samples[i]["forces"] = Json::array();
    for (const BodyForce& f : forces[i])
      list.push_back({{"contact", system.contact_name(f.contact)},
                      {"mode", to_string(f.mode)},
                      {"body", f.body},
                      {"force", numbers(f.force)},
                      {"torque", numbers(f.torque)}});
  }
}

}  // namespace saltus::cli

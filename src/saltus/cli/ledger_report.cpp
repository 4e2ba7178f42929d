#include "saltus/cli/ledger_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "saltus/core/fields.hpp"

namespace saltus::cli {

std::string energy_text(const Ledger& l) {
  if (!std::isfinite(l.energy_start)) return {};
  std::string out = fmt::format("energy    {:.8g} -> {:.8g}; dissipated by impacts: {:.8g}", l.energy_start,
                                l.energy_end, l.impacts);
  if (l.friction != 0) out += fmt::format(", by friction: {:.8g}", l.friction);
  if (std::isfinite(l.damping) && l.damping != 0) out += fmt::format(", by damping: {:.8g}", l.damping);
  if (std::isfinite(l.work) && l.work != 0) out += fmt::format("; work of loads and drives: {:.8g}", l.work);
  const double rounding = 1e-12 * (std::abs(l.energy_start) + std::abs(l.energy_end) + l.scale);
  if (!std::isfinite(l.remainder))
    out += "; the power of its forces is not known";
  else if (std::abs(l.remainder) <= rounding)
    out += "; remainder: rounding";
  else
    out += fmt::format("; remainder: {:.1e}", l.remainder);
  return out + "\n";
}

std::string momentum_text(const Momentum& p) {
  if (!p.known) return {};
  // linear; angular
  const auto text = [&](const std::array<double, 6>& x, const char* format) {
    std::string out = "(";
    for (int k = 0; k < p.size; ++k) {
      if (k > 0) out += k == (p.size + 1) / 2 ? "; " : ", ";
      out += fmt::format(fmt::runtime(format), x[k]);
    }
    return out + ")";
  };
  constexpr const char *exact = "{:.6g}", *rough = "{:.1e}";
  return fmt::format("momentum  {} -> {}; loads: {}, ground: {}; remainder: {}\n", text(p.start, exact),
                     text(p.end, exact), text(p.loads, exact), text(p.contacts, exact),
                     text(p.remainder, rough));
}

nlohmann::ordered_json to_json(const Momentum& p) {
  if (!p.known) return nullptr;
  const auto entries = [&](const std::array<double, 6>& x) {
    return std::vector<double>(x.begin(), x.begin() + p.size);
  };
  return {{"start", entries(p.start)},
          {"end", entries(p.end)},
          {"loads", entries(p.loads)},
          {"contacts", entries(p.contacts)},
          {"remainder", entries(p.remainder)}};
}

nlohmann::ordered_json to_json(const Ledger& l) {
  const auto number = [](double x) {
    return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
  };
  return {{"energy_start", number(l.energy_start)},
          {"energy_end", number(l.energy_end)},
          {"work", number(l.work)},
          {"damping", number(l.damping)},
          {"friction", number(l.friction)},
          {"impacts", number(l.impacts)},
          {"remainder", number(l.remainder)},
          {"scale", number(l.scale)},
          {"penetration", number(l.penetration)},
          {"drift", number(l.drift)},
          {"motion", number(l.motion)},
          {"momentum", to_json(l.momentum)}};
}

Trust parse_trust(const std::string& text) {
  if (text.empty()) return {};
  return std::get<Trust>(parse_spec<std::variant<Trust>>("trust:" + text, "--trust"));
}

}  // namespace saltus::cli

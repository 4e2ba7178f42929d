// Labels of the axes of sweeps.
#pragma once
#include <span>
#include <string>

#include "saltus/core/fields.hpp"

namespace saltus {

/// "gamma [s]": steps and ends are times, and parameters know their units.
inline std::string axis_label(const std::string& name, std::span<const FieldDescription> parameters) {
  std::string unit = name == "h" || name == "t_end" ? "s" : "";
  for (const auto& p : parameters)
    if (p.name == name) unit = p.unit;
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

}  // namespace saltus

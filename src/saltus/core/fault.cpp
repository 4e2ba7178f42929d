#include "saltus/core/fault.hpp"

#include <fmt/format.h>

namespace saltus {

void Faults::note(const Fault& fault) {
  ++count_;
  if (armed_) first_ = fault;
  armed_ = false;
}

std::string Fault::text() const {
  if (!quantity) return {};
  const std::string which = index < 0 ? std::string(quantity) : fmt::format("{}[{}]", quantity, index);
  if (std::isfinite(value)) return fmt::format("{}: pivot {:.6g} at t = {:.6g}", which, value, t);
  return fmt::format("{} = {} at t = {:.6g}", which, value, t);
}

void note_fault(Faults& faults, const char* quantity, double t, const double* x, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i)
    if (!std::isfinite(x[i])) return faults.note({quantity, static_cast<int>(i), false, 0, x[i], t});
}

}  // namespace saltus

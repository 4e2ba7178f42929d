#include "saltus/system/system.hpp"

namespace saltus {

std::string_view to_string(Family family) {
  switch (family) {
    case Family::mechanical:
      return "mechanical";
    case Family::first_order:
      return "first-order";
    case Family::odae:
      return "overdetermined DAE";
  }
  return "?";
}

void System::list(double t, In q, ContactSet& out, Workspace& w) const {
  const auto all = contacts();
  if (out.contacts.size() != all.size()) out.contacts.assign(all.begin(), all.end());
  const int rows = all.empty() ? 0 : all.back().row + saltus::rows(laws()[all.back().law]);
  out.gap.resize(static_cast<std::size_t>(rows));
  gaps(t, q, out, w);
}

double System::energy(double t, In q, In u, Workspace& w) const {
  const Shape s = shape();
  Matrix M(s.nu, s.mass);
  mass(t, q, M, w);
  return 0.5 * M.bilinear(u, u) + potential(t, q, w);
}

std::string DynamicSystem::contact_name(std::uint64_t id) const {
  return fmt::format("contact-{}", id);
}

}  // namespace saltus

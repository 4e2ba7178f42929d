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

double System::energy(double t, In q, In u) const {
  const Shape s = shape();
  Matrix M(s.nu, s.mass);
  mass(t, q, M);
  return 0.5 * M.bilinear(u, u) + potential(t, q);
}

std::string DynamicSystem::contact_name(std::uint64_t id) const {
  return fmt::format("contact-{}", id);
}

}  // namespace saltus

// What every system is, whatever its equations: of a family, with names for its contacts.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "saltus/core/types.hpp"

namespace saltus {

/// The three kinds of equations a scheme can be written for.
enum class Family : std::uint8_t { mechanical, first_order, odae };
std::string_view to_string(Family family);

class DynamicSystem {
 public:
  virtual ~DynamicSystem() = default;
  virtual Family family() const = 0;
  virtual double energy(double t, In q, In u) const = 0;     ///< NaN where the system has none
  virtual std::string contact_name(std::uint64_t id) const;  ///< of a contact, joint or constraint
};

}  // namespace saltus

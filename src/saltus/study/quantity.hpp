// What a variable of a measure stands for (measure.hpp lists their names).
#pragma once
#include <cstdint>
#include <optional>

#include "saltus/expression/expression.hpp"

namespace saltus {

struct Quantity {
  enum class Kind : std::uint8_t { parameter, scalar, event, error, state, extreme, chain };
  enum class OfChain : std::uint8_t { extreme, final, arrival, speed, transmitted };
  Kind kind = Kind::scalar;
  std::size_t which = 0;              ///< in the table of its kind
  std::optional<int> component = {};  ///< of a state; all when there is none
  bool positions = true, absolute = false, largest = true, time = false;
  OfChain of_chain = OfChain::extreme;
  bool force = true;  ///< of a contact, or its overlap
  const Expression::Variable* name = nullptr;
  const Expression* formula = nullptr;
};

}  // namespace saltus

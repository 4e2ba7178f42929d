// Setup errors throw; numerics do not. A message names the quantity, what was found and what is allowed.
#pragma once
#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace saltus {

/// Bad input: wrong size, value out of range, unknown name, inconsistent start.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(fmt::format(text, std::forward<Args>(args)...));
}

/// fail() where the condition does not hold.
template <class... Args>
void need(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) fail(text, std::forward<Args>(args)...);
}

}  // namespace saltus

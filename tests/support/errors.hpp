// What an Error says, or "accepted" when none was thrown.
#pragma once
#include <string>

#include "saltus/core/error.hpp"

namespace saltus::testing {

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace saltus::testing

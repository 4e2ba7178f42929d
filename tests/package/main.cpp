// Uses an installed saltus as a stranger would.
#include <cstdio>
#include <string>

#include "saltus/core/error.hpp"
#include "saltus/core/types.hpp"

int main() {
  saltus::Vec q(2);
  q << 3, 4;
  try {
    saltus::fail("norm {}", q.norm());
  } catch (const saltus::Error& error) {
    std::puts(error.what());
    return std::string(error.what()) == "norm 5" ? 0 : 1;
  }
}

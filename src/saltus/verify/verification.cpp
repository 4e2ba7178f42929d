#include "saltus/verify/verification.hpp"

#include <algorithm>

namespace saltus {

std::vector<Verification::Named> Verification::all() const {
  return {{"load", "force that is missing between events", &load},
          {"rate", "rates of positions against velocities", &rate},
          {"jump", "jumps of positions", &jump},
          {"impulse", "impulse that is missing", &impulse},
          {"restitution", "restitution at impacts", &restitution},
          {"closing", "velocities left at closing contacts", &closing},
          {"penetration", "gaps below zero", &penetration},
          {"joint", "gaps of joints", &joint},
          {"energy", "balance of energy", &energy}};
}

bool Verification::accepted() const {
  const auto list = all();
  return findings.empty() &&
         std::all_of(list.begin(), list.end(), [&](const Named& n) { return n.misfit->part <= limit; });
}

std::string Verification::sentence() const {
  if (!findings.empty()) return "is not a solution: " + findings.front();
  const std::string what =
      fmt::format("a problem whose loads differ by at most {:.1e} N and whose restitution differs by {:.1e}",
                  load.value, restitution.value);
  if (accepted()) return "solves exactly " + what;
  std::string worst;
  for (const Named& n : all())
    if (n.misfit->part > limit)
      worst += fmt::format("{}{} ({:.1e} of its scale at t = {:.6g}, limit {:.1e})",
                           worst.empty() ? "" : ", ", n.what, n.misfit->part, n.misfit->t, limit);
  return "misses the limit in " + worst + "; it solves " + what;
}

}  // namespace saltus

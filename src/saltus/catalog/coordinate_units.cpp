#include "saltus/catalog/coordinate_units.hpp"

#include <algorithm>
#include <iterator>

namespace saltus {
namespace {

/// What repeats over the coordinates; `first` counts back where the first ones are left out, as of a beam
/// whose hinge holds x and y.
struct RepeatedUnits {
  std::string_view problem;
  std::vector<std::string> q, u;
  int first = 0;
};

const std::vector<RepeatedUnits>& units_table() {
  static const std::vector<std::string> m = {"m"}, v = {"m/s"}, body = {"m", "m", "rad"},
                                        twist = {"m/s", "m/s", "rad/s"};
  static const std::vector<RepeatedUnits> all = {
      {"bouncing-ball", m, v},
      {"impact-oscillator", m, v},
      {"ball-column", m, v},
      {"collinear-chain", m, v},
      {"rocking-bar", {"m", "rad"}, {"m/s", "rad/s"}},
      {"sliding-block", m, v},
      {"pendulum", body, twist},
      {"falling-mass", m, v},
      {"sliding-mass", m, v},
      {"woodpecker", {"m", "rad", "rad"}, {"m/s", "rad/s", "rad/s"}},
      {"belt-block", m, v},
      {"shaker", m, v},
      {"disk-mixer", body, twist},
      {"trimer", m, v},
      {"newtons-cradle", m, v},
      {"dimer-chain", m, v},
      {"homogeneous-chain", m, v},
      {"bead-collision", m, v},
      {"bouncing-pendulum", body, twist},
      {"elastic-bar", m, v},
      {"flexible-pendulum", body, twist, 2},
      {"odae-exponential", {"1"}, {"1"}},
      {"cubic-slide", m, v},
      {"spherical-pendulum", m, {"kg m/s"}},
      {"polar-bead", {"m", "rad"}, {"kg m/s", "kg m^2/s"}},
  };
  return all;
}

std::vector<std::string> repeat_units(const std::vector<std::string>& pattern, int first, int n) {
  std::vector<std::string> out;
  for (int k = 0; k < n; ++k) out.push_back(pattern[static_cast<std::size_t>(k + first) % pattern.size()]);
  return out;
}

}  // namespace

CoordinateUnits coordinate_units(std::string_view problem, int nq, int nu) {
  const auto& all = units_table();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const RepeatedUnits& p) { return p.problem == problem; });
  if (found == all.end()) return {};
  return {repeat_units(found->q, found->first, nq), repeat_units(found->u, found->first, nu)};
}

}  // namespace saltus

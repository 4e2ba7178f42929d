#include "saltus/flexible/bar.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {

LinearSystem::Data bar_system(const BarData& d) {
  if (d.elements < 1) fail("bar: elements = {} must be at least 1", d.elements);
  for (const auto& [name, value] : {std::pair{"length", d.length}, std::pair{"area", d.area},
                                    std::pair{"young", d.young}, std::pair{"density", d.density}})
    if (!(value > 0) || !std::isfinite(value)) fail("bar: {} = {} must be a finite number > 0", name, value);
  const int n = d.elements + 1;
  const double le = d.length / d.elements, k = d.young * d.area / le, m = d.density * d.area * le;
  const Pattern tridiagonal{Pattern::banded, 1, nullptr};
  LinearSystem::Data out;
  out.K = Matrix(n, tridiagonal);
  out.M = Matrix(n, d.mass == MassKind::lumped ? Pattern{Pattern::diagonal, 0, nullptr} : tridiagonal);
  for (int i = 0; i + 1 < n; ++i) {
    out.K.add(i, i, k), out.K.add(i + 1, i + 1, k), out.K.add(i, i + 1, -k), out.K.add(i + 1, i, -k);
    if (d.mass == MassKind::lumped) {
      out.M.add(i, i, m / 2), out.M.add(i + 1, i + 1, m / 2);
    } else {
      out.M.add(i, i, m / 3), out.M.add(i + 1, i + 1, m / 3), out.M.add(i, i + 1, m / 6),
          out.M.add(i + 1, i, m / 6);
    }
  }
  out.contacts.push_back({"bar/wall", Unilateral{d.restitution}, {{{0, 1.0}}}, d.distance, 0});
  return out;
}

// A point at X moves at −v0 until the front of the compression reaches it, X/c after closing, rests until the
// front reflected at the free end does, (2L − X)/c after closing, and then moves at +v0.
BarMotion exact_bar_motion(const BarData& d, double v0, double X, double t, bool left) {
  const double c = std::sqrt(d.young / d.density), close = d.distance / v0;
  const double stop = close + X / c, go = close + (2 * d.length - X) / c;
  BarMotion out;
  out.displacement = -v0 * std::min(t, stop) + v0 * std::max(0.0, t - go);
  const auto passed = [&](double event) { return left ? t > event : t >= event; };
  out.velocity = passed(go) ? v0 : passed(stop) ? 0 : -v0;
  return out;
}

}  // namespace saltus

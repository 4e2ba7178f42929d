#include "saltus/verify/verifier.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {

Scales::Scales(const Trajectory& x, const System& system, double part) {
  constexpr double quiet = 1e-3, still = 1e-3, negligible = 1e-9;
  const int n = x.nu();
  const CheckedSystem checked(system);
  const Places places(system);
  Matrix M(n, system.shape().mass);
  Vec f(n), weight(n);
  checked.mass(x.t(0), x.q(0), M);
  checked.force(x.t(0), x.q(0), x.u(0), f);
  size = Vec::Zero(n), speed = Vec::Zero(n);
  double push = 0;  // √(fᵀM⁻¹f)
  for (int i = 0; i < n; ++i) {
    weight[i] = std::sqrt(std::max(M(i, i), std::numeric_limits<double>::min()));
    push = std::hypot(push, f[i] / weight[i]);
  }
  for (int i = 0; i < x.size(); ++i) {
    const Vec q = x.q(i), u = x.u(i);
    if (!q.allFinite() || !u.allFinite()) continue;
    const Vec here = places.size(q);
    size = size.cwiseMax(here), speed = speed.cwiseMax(u.cwiseAbs());
    position = std::max(position, here.cwiseProduct(weight).norm());
    velocity = std::max(velocity, u.cwiseProduct(weight).norm());
  }
  // where all is at rest: what the forces would make of it
  const double span = x.t(x.size() - 1) - x.t(0);
  position = std::max(position, negligible * push * span * span);
  const double rest = still * std::sqrt(push * position);
  velocity = std::max(velocity, rest);
  displacement = std::min(position, span * velocity);
  size = size.cwiseMax(quiet * position * weight.cwiseInverse());
  speed = speed.cwiseMax(std::max(quiet * velocity, rest) * weight.cwiseInverse());
  // what the rounding of forces in balance makes of coordinates that never moved is zero
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  for (int i = 0; i < n; ++i) {
    const double drift = rounding / part * std::abs(f[i]) / (weight[i] * weight[i]) * span;
    size[i] = std::max(size[i], drift * span), speed[i] = std::max(speed[i], drift);
    position = std::max(position, drift * span * weight[i]);
  }
}

Verifier::Verifier(const Trajectory& trajectory, const Problem& problem, const System& system,
                   const Claims& claims, Verification& out, double part)
    : x_(trajectory),
      problem_(problem),
      system_(system),
      places_(system),
      claims_(claims),
      out_(out),
      steps_(out.dense ? out.steps : out),
      part_(part),
      scales_(trajectory, system, part),
      now_(system, scales_.size, scales_.speed, part),
      work_(system.make_workspace()) {
  now_.sharpen(out.dense);
}

}  // namespace saltus

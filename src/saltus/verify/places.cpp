#include "saltus/verify/places.hpp"

#include <limits>

namespace saltus {

Vec Places::difference(const Vec& q, const Vec& p) const {
  if (shape_.flat) return p - q;
  Vec v(shape_.nu);
  system_.difference(q, p, v);
  return v;
}

Vec Places::moved(const Vec& q, const Vec& v) const {
  if (shape_.flat) return q + v;
  Vec p(shape_.nq);
  system_.retract(q, v, p);
  return p;
}

Vec Places::size(const Vec& q) const {
  if (shape_.flat) return q.cwiseAbs();
  Vec out(shape_.nu);
  system_.sizes(q, out);
  return out;
}

// Nothing but q ⊕ v is known of the configurations: differences of order eight along v = τu, which are exact
// to rounding where τu is a tenth.
Vec Places::rates(const Vec& q, const Vec& u, double& rounding) const {
  rounding = 0;
  if (shape_.flat) return u;
  constexpr double weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280}, angle = 0.1;
  const double fastest = u.size() > 0 ? u.lpNorm<Eigen::Infinity>() : 0;
  Vec out = Vec::Zero(shape_.nq);
  if (!(fastest > 0)) return out;
  const double tau = angle / fastest;
  for (int k = 1; k <= 4; ++k) out += weights[k - 1] / tau * (moved(q, k * tau * u) - moved(q, -k * tau * u));
  rounding = 4 * std::numeric_limits<double>::epsilon() * q.lpNorm<Eigen::Infinity>() / tau;
  return out;
}

}  // namespace saltus

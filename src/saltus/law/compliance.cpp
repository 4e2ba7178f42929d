#include "saltus/law/compliance.hpp"

namespace saltus {
namespace {

double power(double d, double p) {
  if (p == 1.5) return d * std::sqrt(d);
  if (p == 1) return d;
  return p == 0.5 ? std::sqrt(d) : p == 0 ? 1 : std::pow(d, p);
}

}  // namespace

Compliance::Push Compliance::push(double d, double rate) const {
  const double slope = power(d, p - 1), damping = b == 0 ? 0 : b * r * power(d, r - 1);
  return {k * slope * d + damping * rate, k * p * slope + damping * (r - 1) / d * rate, damping};
}

double Compliance::potential(double d) const {
  return k / (p + 1) * power(d, p) * d;
}

double Compliance::momentum(double d) const {
  return b == 0 ? 0 : b * power(d, r);
}

Compliance compliance_of(const CompliantLaw& law) {
  if (const auto* x = std::get_if<KuwabaraKono>(&law)) return {x->k, 1.5, x->k * x->gamma, x->beta};
  if (const auto* x = std::get_if<DashpotContact>(&law)) return {x->k, x->p, x->c, 1};
  return {std::get<HertzContact>(law).k, 1.5, 0, 1.5};
}

std::optional<Compliance> in_series(const CompliantLaw& a, const CompliantLaw& b) {
  const Compliance x = compliance_of(a), y = compliance_of(b);
  if (a.index() != b.index() || x.p != y.p || x.r != y.r) return {};
  const double sx = std::pow(x.k, -1 / x.p), sy = std::pow(y.k, -1 / x.p), share = sx / (sx + sy);
  return Compliance{x.k * std::pow(share, x.p), x.p,
                    x.b * std::pow(share, x.r + 1) + y.b * std::pow(1 - share, x.r + 1), x.r};
}

}  // namespace saltus

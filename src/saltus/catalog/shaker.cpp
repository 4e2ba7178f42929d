// A mass on a table at A sin(ωt). At rest on it until A ω² sin(ωt) = g while the table slows down; then a
// parabola until the next root of the gap; impacts with restitution e in the relative velocity. Rebounds that
// die out end in rest at the limit of their geometric series.
#include <cmath>
#include <numbers>

#include "saltus/catalog/switching_problems.hpp"
#include "saltus/reference/lazy_reference.hpp"
#include "saltus/system/model.hpp"

namespace saltus {
namespace {

struct ShakerModel {
  static constexpr int dof = 1;
  static constexpr bool constant_mass = true, linear_force = true;
  Shaker p;
  template <class S>
  using V = Eigen::Matrix<S, 1, 1>;
  template <class S>
  Eigen::Matrix<S, 1, 1> mass(const S&, const V<S>&) const {
    return Eigen::Matrix<S, 1, 1>::Constant(S(p.m));
  }
  template <class S>
  V<S> force(const S&, const V<S>&, const V<S>&) const {
    return V<S>::Constant(S(-p.m * p.g));
  }
  template <class S>
  V<S> gaps(const S& t, const V<S>& q) const {
    using std::sin;
    return V<S>::Constant(q[0] - p.A * sin(p.omega * t));
  }
  std::vector<Law> laws() const { return {Unilateral{p.e}}; }
  std::vector<std::string> contact_names() const { return {"mass/table"}; }
  template <class S>
  S potential(const S&, const V<S>& q) const {
    return p.m * p.g * q[0];
  }
};

class ShakerReference final : public Reference {
 public:
  ShakerReference(const Shaker& p, double t_end) : p_(p) {
    double t = 0, w = 0;  // w: velocity relative to the table
    while (t <= t_end && pieces_.size() < 1'000'000) {
      const double slow = 1e-11 * p.g / p.omega, press = pressing(t);
      if (w <= slow && press > 0) {
        t += w > 0 ? 2 * w / (press * (1 - p.e)) : 0;
        pieces_.push_back({t, 0, 0, true});
        t = lift_off(t);
        w = 0;
        if (!std::isfinite(t)) break;
      }
      pieces_.push_back({t, table(t), speed(t) + w, false});
      const double hit = landing(pieces_.back(), w, t_end);
      if (!std::isfinite(hit)) break;
      const Piece& flight = pieces_.back();
      w = -p.e * (flight.v - p.g * (hit - t) - speed(hit));
      t = hit;
    }
  }

  void state(double t, Side side, Vec& q, Vec& u) const override {
    std::size_t k = pieces_.size() - 1;
    while (k > 0 && (side == Side::right ? pieces_[k].t > t : pieces_[k].t >= t)) --k;
    const Piece& p = pieces_[k];
    const double s = t - p.t;
    q = Vec::Constant(1, p.rests ? table(t) : p.z + s * (p.v - 0.5 * p_.g * s));
    u = Vec::Constant(1, p.rests ? speed(t) : p.v - p_.g * s);
  }
  std::vector<double> breaks(double t0, double t1) const override {
    std::vector<double> out;
    for (std::size_t k = 1; k < pieces_.size(); ++k)
      if (const double t = pieces_[k].t; t > t0 && t < t1 && (out.empty() || t > out.back()))
        out.push_back(t);
    return out;
  }

 private:
  struct Piece {
    double t, z, v;
    bool rests;
  };
  double table(double t) const { return p_.A * std::sin(p_.omega * t); }
  double speed(double t) const { return p_.A * p_.omega * std::cos(p_.omega * t); }
  double pressing(double t) const { return p_.g - p_.omega * p_.omega * table(t); }

  double lift_off(double t) const {
    const double r = p_.g / (p_.A * p_.omega * p_.omega);
    if (!(r < 1)) return infinity;
    const double period = 2 * std::numbers::pi / p_.omega, first = std::asin(r) / p_.omega;
    return first + period * std::ceil((t - first) / period);
  }
  double gap(const Piece& p, double s) const { return p.z + s * (p.v - 0.5 * p_.g * s) - table(p.t + s); }
  double landing(const Piece& p, double w, double t_end) const {
    double step = 0.02 / p_.omega;
    if (const double press = pressing(p.t); w > 0 && press > 0) step = std::min(step, w / (4 * press));
    for (double a = step; p.t + a <= t_end + step; a += step) {
      double b = a + step;
      if (gap(p, b) >= 0) continue;
      for (int k = 0; k < 200; ++k) {
        const double middle = 0.5 * (a + b);
        if (!(a < middle && middle < b)) break;
        (gap(p, middle) < 0 ? b : a) = middle;
      }
      return p.t + b;
    }
    return infinity;
  }

  Shaker p_;
  std::vector<Piece> pieces_;
};

}  // namespace

CatalogProblem Shaker::build(double end) const {
  CatalogProblem p;
  p.problem = {make_system(ShakerModel{*this}), 0, end, Vec::Zero(1), Vec::Constant(1, A * omega)};
  p.method.scheme = MoreauMidpoint{};
  SwitchingSteps s;
  s.h_min = 1e-5, s.h = 0.02, s.atol = 1e-8;
  p.method.stepping = s;
  p.reference = std::make_shared<LazyReference>(
      [s = *this, end] { return std::make_shared<const ShakerReference>(s, end); });
  p.reference_kind = "exact by pieces";
  return p;
}

}  // namespace saltus

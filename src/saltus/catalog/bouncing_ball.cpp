// The bouncing ball in closed form. With a = f/m < 0 and w the speed at the first impact t₁, impact n happens
// at
//     t_n = t_∞ − (t_∞ − t₁) eⁿ,  t_∞ = t₁ + 2 e w / ((1 − e)|a|),  v_n⁺ = w e^{n+1},
// and the ball rests from t_∞ on (Acary 2012, (10), for any data). For a ≥ 0 there is at most one impact.
#include <algorithm>
#include <cmath>

#include "saltus/catalog/problems.hpp"
#include "saltus/system/linear_system.hpp"

namespace saltus {
namespace {

class BallReference final : public Reference {
 public:
  explicit BallReference(const BouncingBall& b) : a_(b.f / b.m), e_(b.e), q0_(b.q0), v0_(b.v0) {
    const double w2 = v0_ * v0_ - 2 * a_ * q0_;
    const bool falls = a_ < 0 || (v0_ < 0 && w2 >= 0);
    if (falls && w2 >= 0) {
      w_ = std::sqrt(w2);
      // the stable form of the positive root of q0 + v0 t + a t²/2
      t1_ = v0_ < 0 ? 2 * q0_ / (w_ - v0_) : (a_ != 0 ? (-v0_ - w_) / a_ : infinity);
    }
    t_inf_ = t1_;
    if (a_ < 0 && e_ < 1) t_inf_ = t1_ + 2 * e_ * w_ / ((1 - e_) * -a_);
    if (a_ >= 0 || e_ == 1) t_inf_ = infinity;
  }

  double accumulation() const { return t_inf_; }

  double impact_time(double n) const {  // n = 0, 1, 2, …
    if (n == 0) return t1_;
    if (a_ >= 0) return infinity;
    return e_ == 1 ? t1_ + 2 * w_ / -a_ * n : t_inf_ - (t_inf_ - t1_) * std::pow(e_, n);
  }

  // The last impact at or before t (strictly before for the left limit), −1 before the first.
  double impact_before(double t, Side side) const {
    const auto passed = [&](double n) {
      return side == Side::right ? impact_time(n) <= t : impact_time(n) < t;
    };
    if (!passed(0)) return -1;
    if (a_ >= 0) return 0;
    double n = e_ == 1  ? (t - t1_) * -a_ / (2 * w_)
               : e_ > 0 ? std::log((t_inf_ - t) / (t_inf_ - t1_)) / std::log(e_)
                        : 0;
    n = std::max(0.0, std::floor(n));
    while (n > 0 && !passed(n)) --n;
    while (passed(n + 1) && impact_time(n + 1) > impact_time(n)) ++n;
    return n;
  }

  void state(double t, Side side, Vec& q, Vec& u) const override {
    q.resize(1);
    u.resize(1);
    if (a_ < 0 && (t > t_inf_ || (t == t_inf_ && (side == Side::right || e_ > 0)))) {
      q[0] = u[0] = 0;
      return;
    }
    const double n = impact_before(t, side);
    if (n < 0) {
      q[0] = q0_ + t * (v0_ + 0.5 * a_ * t), u[0] = v0_ + a_ * t;
      return;
    }
    const double v = w_ * std::pow(e_, n + 1), s = t - impact_time(n);
    u[0] = v + a_ * s;
    q[0] = a_ < 0 ? 0.5 * -a_ * s * (impact_time(n + 1) - t) : s * (v + 0.5 * a_ * s);
  }

  std::vector<double> breaks(double from, double to) const override {
    std::vector<double> out;
    double last = -infinity;
    for (double n = 0;; ++n) {
      const double t = impact_time(n);
      if (!(t < to) || t <= last || out.size() > 10'000'000) break;
      if (t > from) out.push_back(t);
      last = t;
      if (std::isfinite(t_inf_) && t_inf_ - t < 1e-14 * (1 + t_inf_)) break;
    }
    if (t_inf_ > from && t_inf_ < to && t_inf_ > last) out.push_back(t_inf_);
    return out;
  }

 private:
  double a_, e_, q0_, v0_, w_ = 0, t1_ = infinity, t_inf_ = infinity;
};

}  // namespace

std::shared_ptr<const Reference> bouncing_ball_reference(const BouncingBall& ball) {
  return std::make_shared<BallReference>(ball);
}

double accumulation_time(const BouncingBall& ball) {
  return BallReference(ball).accumulation();
}

CatalogProblem BouncingBall::build(double end) const {
  LinearSystem::Data d;
  d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, m);
  d.f = Vec::Constant(1, f);
  d.contacts.push_back({"ball/floor", Unilateral{e}, {{{0, 1.0}}}, 0, 0});
  CatalogProblem p;
  p.problem = {std::make_shared<LinearSystem>(std::move(d)), 0, end, Vec::Constant(1, q0),
               Vec::Constant(1, v0)};
  p.method.stepping = FixedSteps{1e-3};
  if (q0 >= 0) {
    p.reference = bouncing_ball_reference(*this);
    p.reference_kind = "closed form";
  }
  return p;
}

}  // namespace saltus

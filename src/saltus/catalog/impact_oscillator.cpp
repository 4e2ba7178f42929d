// The impact oscillator, piecewise exact: between events the motion is a Taylor series of degree 25 (to
// rounding), impacts are roots of it, tiny rebounds end in rest at the limit of their geometric series, and
// rest ends when the force pulls away from the wall. All in the coordinate x = ±q ≥ 0 that points away from
// the wall.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/catalog/problems.hpp"
#include "saltus/reference/lazy_reference.hpp"
#include "saltus/reference/piecewise_reference.hpp"
#include "saltus/system/linear_system.hpp"

namespace saltus {
namespace {

constexpr int series_degree = 25;

class OscillatorMotion {
 public:
  OscillatorMotion(const ImpactOscillator& o, double t_end, OscillatorHistory* history)
      : o_(o),
        sign_(o.side == ImpactOscillator::Wall::below ? 1 : -1),
        t_end_(t_end),
        history_(history),
        reference_(std::make_shared<PiecewiseReference>()) {
    const double rate = std::max({std::sqrt(o.k / o.m), o.c / o.m, o.Omega});
    longest_ = rate > 0 ? 0.5 / rate : std::max(t_end, 1.0);
  }

  std::shared_ptr<PiecewiseReference> solve() {
    t_ = 0, x_ = sign_ * o_.q0, v_ = sign_ * o_.v0;
    speed_ = std::max(std::abs(v_), 1e-300);
    bool new_motion = true;
    if (x_ == 0 && v_ <= 0) new_motion = hit(v_);
    while (t_ < t_end_ && resolved_) new_motion = fly(new_motion);
    return reference_;
  }

 private:
  double load(double t) const { return sign_ * (o_.A + o_.B * std::sin(o_.Omega * t)); }

  // Taylor coefficients of x about the current state.
  Eigen::VectorXd series() const {
    Eigen::VectorXd c(series_degree + 1);
    c[0] = x_, c[1] = v_;
    double f = sign_ * o_.B;  // B Ωⁿ/n!
    for (int n = 0; n + 2 <= series_degree; ++n) {
      const double fn = f * std::sin(o_.Omega * t_ + n * std::numbers::pi / 2) + (n == 0 ? sign_ * o_.A : 0);
      c[n + 2] = (fn - o_.c * (n + 1) * c[n + 1] - o_.k * c[n]) / (o_.m * (n + 1.0) * (n + 2.0));
      f *= o_.Omega / (n + 1);
    }
    if (released_) c[2] = 0;  // lift-off starts with zero acceleration
    return c;
  }

  static double horner(const Eigen::VectorXd& c, int first, double s) {
    double x = 0;
    for (int k = series_degree; k >= first; --k) x = x * s + c[k];
    return x;
  }
  static double slope(const Eigen::VectorXd& c, int first, double s) {
    double x = 0;
    for (int k = series_degree; k > first; --k) x = x * s + (k - first) * c[k];
    return x;
  }
  template <class F>
  static double bisect(double a, double b, F&& negative_at) {  // first b-side end of the sign change
    for (int i = 0; i < 200; ++i) {
      const double m = 0.5 * (a + b);
      if (!(a < m && m < b)) break;
      (negative_at(m) ? b : a) = m;
    }
    return b;
  }

  // First s in ]0, S] with x(s) < 0; 0 when there is none. A leading power of s is divided out, so that a
  // flight that starts on the wall does not return at once.
  static double first_hit(const Eigen::VectorXd& c, double S) {
    int first = 0;
    while (first < 3 && c[first] == 0) ++first;
    constexpr int parts = 8;
    for (int k = 0; k < parts; ++k) {
      const double a = S * k / parts, b = S * (k + 1) / parts;
      const auto below = [&](double s) { return horner(c, first, s) < 0; };
      if (below(b)) return bisect(a, b, below);
      if (slope(c, first, a) < 0 && slope(c, first, b) > 0) {
        const double low = bisect(a, b, [&](double s) { return slope(c, first, s) >= 0; });
        if (below(low)) return bisect(a, low, below);
      }
    }
    return 0;
  }

  void record(const Eigen::VectorXd& c, bool new_motion) {
    reference_->add(t_, Eigen::MatrixXd(sign_ * c), new_motion);
  }

  // One series step of free flight; true when the next piece begins a new motion.
  bool fly(bool new_motion) {
    const Eigen::VectorXd c = series();
    record(c, new_motion);
    const double S = std::min(longest_, t_end_ - t_), s = first_hit(c, S);
    released_ = false;
    if (s == 0) {
      x_ = horner(c, 0, S), v_ = slope(c, 0, S), t_ = S < longest_ ? t_end_ : t_ + S;
      speed_ = std::max(speed_, std::abs(v_));
      return false;
    }
    t_ += s, x_ = 0;
    const double before = slope(c, 0, s);
    speed_ = std::max(speed_, std::abs(before));
    return hit(before);
  }

  bool hit(double before) {
    v_ = -o_.e * before;
    if (history_ && before != 0) history_->impacts.push_back({t_, sign_ * before, sign_ * v_});
    if (++impacts_ > 2'000'000) {
      reference_->set_valid_until(t_);
      resolved_ = false;
      return true;
    }
    const double pressing = -load(t_) / o_.m;
    if (pressing > 0 && v_ <= 1e-14 * speed_) rest(v_ > 0 ? t_ + 2 * v_ / (pressing * (1 - o_.e)) : t_);
    return true;
  }

  // Closed contact from `begin` until the load pulls away.
  void rest(double begin) {
    t_ = begin, x_ = 0, v_ = 0;
    if (history_ && std::isnan(history_->rest)) history_->rest = begin;
    if (begin < t_end_) record(Eigen::VectorXd::Zero(series_degree + 1), true);
    if (o_.B == 0 || o_.Omega == 0) {
      t_ = t_end_;
      return;
    }
    const double step = 0.01 / o_.Omega;
    double a = begin;
    while (a < t_end_ && load(a + step) <= 0) a += step;
    t_ = a < t_end_ ? bisect(a, a + step, [&](double t) { return load(t) > 0; }) : t_end_;
    released_ = true;
    if (history_ && t_ < t_end_ && std::isnan(history_->release)) history_->release = t_;
  }

  const ImpactOscillator& o_;
  double sign_, t_end_, longest_ = 1, t_ = 0, x_ = 0, v_ = 0, speed_ = 0;
  std::int64_t impacts_ = 0;
  bool released_ = false, resolved_ = true;
  OscillatorHistory* history_;
  std::shared_ptr<PiecewiseReference> reference_;
};

}  // namespace

std::shared_ptr<const Reference> impact_oscillator_reference(const ImpactOscillator& o, double t_end,
                                                             OscillatorHistory* history) {
  return OscillatorMotion(o, t_end, history).solve();
}

bool ImpactOscillator::set_preset(std::string_view preset) {
  *this = ImpactOscillator{};
  if (preset == "acary-a") return true;
  if (preset == "acary-b") {
    e = 0.5, A = -4;
  } else if (preset == "acary-c") {
    e = 0.5, A = -2, B = 6, Omega = 1.7;
  } else if (preset == "studer") {  // spring at rest at q = −0.15, wall above
    m = 0.1, c = 0, k = 20, A = -3, e = 0.6, side = Wall::above, q0 = -0.5, v0 = 0.2;
  } else {
    return false;
  }
  return true;
}

CatalogProblem ImpactOscillator::build(double end) const {
  const Pattern one{Pattern::diagonal, 0, nullptr};
  LinearSystem::Data d;
  d.M = d.C = d.K = Matrix(1, one);
  d.M.set(0, 0, m);
  d.C.set(0, 0, c);
  d.K.set(0, 0, k);
  d.f = Vec::Constant(1, A);
  if (B != 0) d.forcing = [b = B, w = Omega](double t, double* h) { h[0] += b * std::sin(w * t); };
  const double sign = side == Wall::below ? 1 : -1;
  d.contacts.push_back({"mass/wall", Unilateral{e}, {{{0, sign}}}, 0, 0});
  CatalogProblem p;
  p.problem = {std::make_shared<LinearSystem>(std::move(d)), 0, end, Vec::Constant(1, q0),
               Vec::Constant(1, v0)};
  p.method.stepping = FixedSteps{1e-3};
  if (sign * q0 >= 0) {
    p.reference =
        std::make_shared<LazyReference>([o = *this, end] { return impact_oscillator_reference(o, end); });
    p.reference_kind = "piecewise exact";
  }
  return p;
}

}  // namespace saltus

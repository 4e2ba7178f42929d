// A mass on a table: m u̇ = F − a u/|u|. With ψ the angle from F to u, v = |u|, κ = a/|F| and s = tan(ψ/2),
//
//     m v̇ = |F| cos ψ − a,  m v ψ̇ = −|F| sin ψ   ⇒   v = C/2 s^{κ−1} (1 + s²),  C constant,
//     dt = −K s^{κ−2} (1 + s²) ds,   K = m C / (2|F|),
//     dx_∥ = v cos ψ dt = −(C K/2) (s^{2κ−3} − s^{2κ+1}) ds,   dx_⊥ = −C K (s^{2κ−2} + s^{2κ}) ds:
//
// powers of s, integrated in closed form; s(t) is the root of a monotone function. For κ > 1 the mass stops
// (s = 0) in finite time. Where u and F are parallel, or F = 0, the motion is a straight parabola.
#include <cmath>

#include "saltus/catalog/switching_problems.hpp"
#include "saltus/system/linear_system.hpp"

namespace saltus {
namespace {

using Plane = Eigen::Vector2d;

// ∫ s^p ds from a to b, with care near p = −1
double power_integral(double p, double a, double b) {
  const double q = p + 1, l = std::log(b / a);
  if (std::abs(q * l) < 1e-8) return std::pow(a, q) * l * (1 + q * l / 2);
  return std::pow(a, q) * std::expm1(q * l) / q;
}

struct Motion {  // from a start with u and F not parallel
  double C = 0, K = 0, kappa = 0, s0 = 0;
  Plane along, across;

  Motion(double m, double a, const Plane& F, const Plane& u) {
    along = F.normalized();
    across = Plane(-along[1], along[0]);
    const double p = u.dot(along), q = u.dot(across), v = u.norm();
    if (q < 0) across = -across;
    s0 = p > 0 ? std::abs(q) / (v + p) : (v - p) / std::abs(q);
    kappa = a / F.norm();
    C = 2 * v / (std::pow(s0, kappa - 1) * (1 + s0 * s0));
    K = m * C / (2 * F.norm());
  }
  double time(double s) const {
    return K * (power_integral(kappa - 2, s, s0) + power_integral(kappa, s, s0));
  }
  double stop() const {
    if (kappa <= 1) return infinity;
    return K * (std::pow(s0, kappa - 1) / (kappa - 1) + std::pow(s0, kappa + 1) / (kappa + 1));
  }
  double parameter(double t) const {  // bisection in ln s: slow and certain
    double low = std::log(s0) - 1, high = std::log(s0);
    while (time(std::exp(low)) < t && low > -700) low -= 2 * (high - low);
    for (int k = 0; k < 200 && low < high; ++k) {
      const double middle = 0.5 * (low + high);
      if (!(low < middle && middle < high)) break;
      (time(std::exp(middle)) > t ? low : high) = middle;
    }
    return std::exp(high);
  }
  void state(double s, Plane& x, Plane& u) const {
    const double p = 2 * kappa;
    x = C * K / 2 * (power_integral(p - 3, s, s0) - power_integral(p + 1, s, s0)) * along +
        C * K * (power_integral(p - 2, s, s0) + power_integral(p, s, s0)) * across;
    u = C / 2 * std::pow(s, kappa - 1) * ((1 - s * s) * along + 2 * s * across);
  }
};

class SlidingReference final : public Reference {
 public:
  explicit SlidingReference(const SlidingMass& p) : m_(p.m), a_(p.a) {
    Plane x(0, 0), u(p.ux, p.uy);
    slide(0, p.t_off, Plane(p.Fx, p.Fy), x, u);
    slide(p.t_off, infinity, Plane(0, 0), x, u);
  }

  void state(double t, Side side, Vec& q, Vec& u) const override {
    std::size_t k = pieces_.size() - 1;
    while (k > 0 && (side == Side::right ? pieces_[k].t > t : pieces_[k].t >= t)) --k;
    Plane x, v;
    evaluate(pieces_[k], t, x, v);
    q = x, u = v;
  }
  std::vector<double> breaks(double t0, double t1) const override {
    std::vector<double> out;
    for (std::size_t k = 1; k < pieces_.size(); ++k)
      if (pieces_[k].t > t0 && pieces_[k].t < t1) out.push_back(pieces_[k].t);
    return out;
  }

 private:
  struct Piece {
    double t;
    Plane x, u, acceleration;
    std::shared_ptr<const Motion> curve;  // null: a parabola
  };
  static void evaluate(const Piece& p, double t, Plane& x, Plane& u) {
    const double s = t - p.t;
    if (p.curve && s > 0) {
      p.curve->state(p.curve->parameter(s), x, u);
      x += p.x;
    } else {
      x = p.x + s * p.u + 0.5 * s * s * p.acceleration;
      u = p.u + s * p.acceleration;
    }
  }

  // Pieces from t to t_end under constant F; x and u become those at t_end.
  void slide(double t, double t_end, const Plane& F, Plane& x, Plane& u) {
    while (t < t_end) {
      Piece p{t, x, u, Plane(0, 0), nullptr};
      double stop = infinity;
      const double v = u.norm(), f = F.norm(), cross = std::abs(u[0] * F[1] - u[1] * F[0]);
      if (v == 0) {
        if (f > a_) p.acceleration = F / m_ * (1 - a_ / f);
      } else if (cross <= 1e-14 * v * f) {
        p.acceleration = (F - a_ * u / v) / m_;
        const double along = p.acceleration.dot(u);
        if (along < 0) stop = t + v * v / -along;
      } else {
        p.curve = std::make_shared<Motion>(m_, a_, F, u);
        stop = t + p.curve->stop();
      }
      pieces_.push_back(p);
      const double end = std::min(stop, t_end);
      if (!std::isfinite(end)) return;
      evaluate(p, p.curve && end == stop ? end * (1 - 1e-16) : end, x, u);
      if (end == stop) u.setZero();
      t = end;
    }
  }

  double m_, a_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::shared_ptr<const Reference> sliding_mass_reference(const SlidingMass& p) {
  return std::make_shared<SlidingReference>(p);
}

CatalogProblem SlidingMass::build(double end) const {
  LinearSystem::Data d;
  d.M = Matrix(2, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, m);
  d.M.set(1, 1, m);
  d.forcing = [x = Fx, y = Fy, off = t_off](double t, double* h) {
    if (t < off) h[0] += x, h[1] += y;
  };
  d.contacts.push_back({"mass/table", Tresca{a, 0, 2}, {{{0, 1.0}}, {{1, 1.0}}}, 0, 0});
  CatalogProblem p;
  p.problem = {std::make_shared<LinearSystem>(std::move(d)), 0, end, Vec::Zero(2), Vec{{ux, uy}}};
  p.problem.breakpoints = {t_off};
  p.method.scheme = MoreauMidpoint{};
  SwitchingSteps s;
  s.h_min = 1e-5, s.h = 0.1, s.atol = 1e-8;
  p.method.stepping = s;
  p.reference = sliding_mass_reference(*this);
  p.reference_kind = "closed form";
  return p;
}

}  // namespace saltus

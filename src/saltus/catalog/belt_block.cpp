// A block on a belt, held by a spring: m ẍ = −k x + λ, |λ| ≤ a, λ = −a sgn(ẋ − v_belt) when they differ.
// While it slips the motion is harmonic about ∓a/k, and it ends when ẋ = R cos(ωτ + φ) comes back to v_belt;
// there the block sticks if |k x| ≤ a, else the slip turns round. It is carried along until the spring pulls
// with a.
#include <cmath>
#include <numbers>

#include "saltus/catalog/switching_problems.hpp"
#include "saltus/reference/lazy_reference.hpp"
#include "saltus/system/linear_system.hpp"

namespace saltus {
namespace {

class BeltReference final : public Reference {
 public:
  BeltReference(const BeltBlock& b, double t_end) : b_(b), w_(std::sqrt(b.k / b.m)) {
    double t = 0, x = b.x0, v = b.v0;
    while (t <= t_end && pieces_.size() < 1'000'000) {
      const double slip = v - b.v_belt;
      if (slip == 0 && std::abs(b.k * x) < b.a * (1 - 1e-14)) {
        pieces_.push_back({t, x, v, 0, true});
        const double edge = std::copysign(b.a / b.k, b.v_belt);
        const double s = b.v_belt == 0 ? infinity : (edge - x) / b.v_belt;
        if (!std::isfinite(s)) break;
        t += s, x = edge;
        continue;
      }
      // from rest on the belt the spring decides where to
      const double sense = slip != 0 ? slip : -x;
      pieces_.push_back({t, x, v, -std::copysign(b.a / b.k, sense), false});
      const double s = return_time(pieces_.back());
      if (!std::isfinite(s)) break;
      evaluate(pieces_.back(), t + s, x, v);
      t += s, v = b.v_belt;
    }
  }

  void state(double t, Side side, Vec& q, Vec& u) const override {
    std::size_t k = pieces_.size() - 1;
    while (k > 0 && (side == Side::right ? pieces_[k].t > t : pieces_[k].t >= t)) --k;
    q.resize(1), u.resize(1);
    evaluate(pieces_[k], t, q[0], u[0]);
  }
  std::vector<double> breaks(double t0, double t1) const override {
    std::vector<double> out;
    for (std::size_t k = 1; k < pieces_.size(); ++k)
      if (pieces_[k].t > t0 && pieces_[k].t < t1) out.push_back(pieces_[k].t);
    return out;
  }

 private:
  struct Piece {
    double t, x, v, centre;
    bool sticks;
  };
  void evaluate(const Piece& p, double t, double& x, double& v) const {
    const double s = t - p.t, c = std::cos(w_ * s), n = std::sin(w_ * s), X = p.x - p.centre;
    x = p.sticks ? p.x + s * p.v : p.centre + X * c + p.v / w_ * n;
    v = p.sticks ? p.v : p.v * c - w_ * X * n;
  }
  // First s > 0 with ẋ = v_belt; infinity when the belt is too fast.
  double return_time(const Piece& p) const {
    const double X = p.x - p.centre, R = std::hypot(w_ * X, p.v), phi = std::atan2(w_ * X, p.v);
    if (std::abs(b_.v_belt) > R * (1 + 1e-14) || R == 0) return infinity;
    const double c = std::acos(std::clamp(b_.v_belt / R, -1.0, 1.0));
    double best = infinity;
    for (double theta : {c, -c})
      for (double s = (theta - phi) / w_; s < best; s += 2 * std::numbers::pi / w_)
        if (s > 1e-7 / w_) best = s;
    return best;
  }

  BeltBlock b_;
  double w_;
  std::vector<Piece> pieces_;
};

}  // namespace

CatalogProblem BeltBlock::build(double end) const {
  LinearSystem::Data d;
  d.M = d.K = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, m);
  d.K.set(0, 0, k);
  d.contacts.push_back({"block/belt", Tresca{a, 0, 1}, {{{0, 1.0}}}, 0, -v_belt});
  CatalogProblem p;
  p.problem = {std::make_shared<LinearSystem>(std::move(d)), 0, end, Vec::Constant(1, x0),
               Vec::Constant(1, v0)};
  p.method.scheme = MoreauMidpoint{};
  SwitchingSteps s;
  s.h_min = 1e-6, s.h = 0.05, s.atol = 1e-8;
  p.method.stepping = s;
  p.reference = std::make_shared<LazyReference>(
      [b = *this, end] { return std::make_shared<const BeltReference>(b, end); });
  p.reference_kind = "closed form by pieces";
  return p;
}

}  // namespace saltus

#include "saltus/reference/ballistic_reference.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/contact/solver.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {
namespace {

class BallisticMotion {
 public:
  BallisticMotion(const LinearSystem& system, const Vec& q0, const Vec& u0)
      : system_(system),
        solver_(make_contact_solver(AutomaticSolver{1e-13})),
        q_(q0),
        u_(u0),
        reference_(std::make_shared<PiecewiseReference>()) {
    factor_.factorize(system.data().M);
    const CheckedSystem start(system);
    start.list(0, q_, set_);
    start.directions(0, q_, set_);
    touching_.assign(set_.contacts.size(), 0);
    for (const Contact& c : set_.contacts) touching_[c.row] = set_.gap[c.row] <= 0;
    free_ = system.data().f;
    factor_.solve(free_);
    speed_ = u0.lpNorm<Eigen::Infinity>();
  }

  std::shared_ptr<PiecewiseReference> solve(double t_end, std::int64_t max_events) {
    impact();
    for (std::int64_t k = 0; t_ < t_end; ++k) {
      if (k > max_events) {
        reference_->set_valid_until(t_);
        break;
      }
      accelerate();
      Eigen::MatrixXd c(3, q_.size());
      c.row(0) = q_, c.row(1) = u_, c.row(2) = 0.5 * a_;
      reference_->add(t_, std::move(c), true);
      const double s = next_event();
      if (!(t_ + s < t_end)) break;
      q_ += s * (u_ + 0.5 * s * a_);
      u_ += s * a_;
      t_ += s;
      speed_ = std::max(speed_, u_.lpNorm<Eigen::Infinity>());
      impact();
    }
    return reference_;
  }

 private:
  int contacts() const { return static_cast<int>(set_.contacts.size()); }
  double rate(int i, const Vec& x) const { return set_.Wt.dot(i, x.data()); }

  // Solves 0 ≤ y = G P + c ⊥ P ≥ 0 (or y = 0) on `rows_` and adds M⁻¹ W P to x.
  void complement(Vec& x, bool equality = false) {
    static const Law contact = Unilateral{}, joint = Equality{};
    const Law& law = equality ? joint : contact;
    const int m = static_cast<int>(rows_.size());
    if (m == 0) return;
    SparseRows Wt;
    for (int r : rows_) Wt.append_row(std::as_const(set_.Wt).row(r));
    const std::vector<int> ones(m, 1);
    problem_.G.build(factor_, Wt, ones);
    problem_.laws.assign(m, &law);
    P_.setZero(m);
    solver_->solve(problem_, P_);
    Vec z = Vec::Zero(x.size());
    for (int k = 0; k < m; ++k) Wt.add_to(k, P_[k], z.data());
    factor_.solve(z);
    x += z;
  }

  void accelerate() {
    a_ = free_;
    rows_.clear();
    problem_.c.clear();
    for (int i = 0; i < contacts(); ++i)
      if (touching_[i] && resting(i)) rows_.push_back(i), problem_.c.push_back(rate(i, a_));
    complement(a_);
    small_ = 1e-12 * (1 + a_.lpNorm<Eigen::Infinity>());
    // what is pressed together has no relative velocity left, not even a small one
    std::vector<int> held;
    for (std::size_t k = 0; k < rows_.size(); ++k)
      if (P_[static_cast<Eigen::Index>(k)] > 0) held.push_back(rows_[k]);
    rows_ = held;
    problem_.c.clear();
    for (int r : rows_) problem_.c.push_back(rate(r, u_));
    complement(u_, true);
  }

  bool resting(int i) const { return std::abs(rate(i, u_)) <= 1e-11 * speed_; }

  double next_event() {
    double best = infinity;
    hit_.clear();
    for (int i = 0; i < contacts(); ++i) {
      const bool held = touching_[i] && resting(i);
      const double a = rate(i, a_), v = held ? 0 : rate(i, u_);
      if (held && a <= small_) continue;
      const double g = touching_[i] ? 0 : gap(i);
      const double s = first_root(g, v, a);
      if (s < best * (1 - 1e-14)) hit_.clear();
      if (s <= best * (1 + 1e-14) && std::isfinite(s)) best = std::min(best, s), hit_.push_back(i);
    }
    for (int i = 0; i < contacts(); ++i)  // contacts that move apart are touching no more
      if (touching_[i] && !(resting(i) && rate(i, a_) <= small_)) touching_[i] = 0;
    for (int i : hit_) touching_[i] = 1;
    return best;
  }

  double gap(int i) const { return set_.Wt.dot(i, q_.data()) + system_.data().contacts[i].offset; }

  // Smallest s > 0 with g + v s + a s²/2 = 0, going down; infinity when there is none.
  static double first_root(double g, double v, double a) {
    if (g <= 0) return v > 0 && a < 0 ? -2 * v / a : infinity;
    if (a == 0) return v < 0 ? -g / v : infinity;
    const double d = v * v - 2 * a * g;
    if (d < 0) return infinity;
    const double w = std::sqrt(d);
    if (v < 0) return 2 * g / (w - v);
    return a < 0 ? (v + w) / -a : infinity;
  }

  // Newton's law on everything that touches; the impulses of contacts at rest follow from complementarity.
  void impact() {
    rows_.clear();
    problem_.c.clear();
    bool approaching = false;
    for (int i = 0; i < contacts(); ++i) {
      if (!touching_[i]) continue;
      const double v = rate(i, u_), e = std::get<Unilateral>(system_.laws()[i]).e;
      approaching = approaching || v < -1e-11 * speed_;
      rows_.push_back(i);
      problem_.c.push_back((1 + e) * v);
    }
    if (approaching) complement(u_);
  }

  const LinearSystem& system_;
  std::unique_ptr<ContactSolver> solver_;
  ContactProblem problem_;
  ContactSet set_;
  Factor factor_;
  Vec q_, u_, a_, free_, P_;
  double t_ = 0, speed_ = 0, small_ = 0;
  std::vector<char> touching_;
  std::vector<int> rows_, hit_;
  std::shared_ptr<PiecewiseReference> reference_;
};

}  // namespace

std::shared_ptr<PiecewiseReference> ballistic_reference(const LinearSystem& system, const Vec& q0,
                                                        const Vec& u0, double t_end,
                                                        std::int64_t max_events) {
  return BallisticMotion(system, q0, u0).solve(t_end, max_events);
}

}  // namespace saltus

// ODAEs: ẏ = v, ż = f + r(ψ) with the ψ that keep closed constraints closed, 0 ≤ ψ ⊥ γ̇ ≥ 0 for unilateral
// ones; jumps of z are N P with P ≥ 0 and restitution.
#include <algorithm>
#include <cmath>

#include "saltus/linalg/decompositions.hpp"
#include "saltus/odae/hidden_constraint.hpp"
#include "saltus/verify/flow.hpp"

namespace saltus {
namespace {

class OdaeFlow final : public StateFlow {
 public:
  OdaeFlow(const OdaeSystem& system, const Trajectory& x, double part)
      : system_(system, faults_),
        hidden_(system, faults_),
        part_(part),
        size_(Vec::Zero(system.ny())),
        speed_(Vec::Zero(system.nz())),
        gap_(system.m()),
        rate_(system.m()),
        psi_(system.m()),
        G_(system.m(), system.ny()),
        gamma_z_(system.m(), system.nz()) {
    for (int i = 0; i < x.size(); ++i)
      if (x.q(i).allFinite() && x.u(i).allFinite())
        size_ = size_.cwiseMax(x.q(i).cwiseAbs()), speed_ = speed_.cwiseMax(x.u(i).cwiseAbs());
  }
  const DynamicSystem& system() const override { return static_cast<const OdaeSystem&>(system_); }
  int size() const override { return system_.ny() + system_.nz(); }
  void pack(double, In q, In u, Vec& x) const override { x.resize(size()), x << q, u; }
  void unpack(double, const Vec& x, Vec& q, Vec& u) const override {
    q = x.head(system_.ny()), u = x.tail(system_.nz());
  }
  bool is_velocity(int i) const override { return i >= system_.ny(); }

  bool rates(double t, const Vec& x, Vec& f) override {
    const std::int64_t faults = faults_.begin();
    const Vec y = x.head(system_.ny()), z = x.tail(system_.nz());
    look(t, y, z);
    std::vector<int> closed;
    for (int i = 0; i < system_.m(); ++i)
      if (!unilateral(i) || (touches(i) && rate_[i] <= part_ * rate_scale(i))) closed.push_back(i);
    for (int i = 0; i < system_.m(); ++i)
      if (psi_[i] == 0) psi_[i] = system_.first_multiplier(i);
    if (!hidden_.complementary_multipliers(t, y, z, closed, psi_)) return false;
    Vec v(system_.ny()), a(system_.nz()), r(system_.nz());
    system_.velocity(t, y, z, v), system_.force(t, y, z, a), system_.reaction(t, y, z, psi_, r);
    f.resize(size()), f << v, a + r;
    return !faults_.since(faults);
  }

  void at_sample(const Trajectory& x, int i, Verification& out) override {
    look(x.t(i), x.q(i), x.u(i));
    if (x.multipliers() == system_.m()) psi_ = x.psi(i);  // where r allows several: near the recorded one
    for (int k = 0; k < system_.m(); ++k) {
      const double g = unilateral(k) ? std::max(0.0, -gap_[k]) : std::abs(gap_[k]);
      const auto& name = system_.constraints()[k].name;
      (unilateral(k) ? out.penetration : out.joint).take(g, g > 0 ? g / gap_scale(k) : 0, x.t(i), name);
      if (!unilateral(k))
        out.closing.take(std::abs(rate_[k]), rate_[k] == 0 ? 0 : std::abs(rate_[k]) / rate_scale(k), x.t(i),
                         name);
      else if (x.multipliers() == system_.m() &&
               x.psi(i)[k] > part_ * std::abs(psi_.lpNorm<Eigen::Infinity>()) &&
               gap_[k] > 10 * part_ * gap_scale(k))
        out.find(fmt::format("{} has the multiplier {:.6g} at t = {:.12g}, at a gap of {:.3g}", name,
                             x.psi(i)[k], x.t(i), gap_[k]));
    }
  }

  void jump(const Trajectory& x, int i, Verification& out) override {
    const double t = x.t(i), moved = (x.q(i) - x.q(i - 1)).lpNorm<Eigen::Infinity>();
    out.jump.take(moved, moved > 0 ? moved / size_.lpNorm<Eigen::Infinity>() : 0, t);
    const Vec change = x.u(i) - x.u(i - 1);
    if (change.isZero(0)) return;
    look(t, x.q(i), x.u(i - 1));
    const Vec before = rate_;
    look(t, x.q(i), x.u(i));
    std::vector<int> list;
    for (int k = 0; k < system_.m(); ++k)
      if (!unilateral(k) || touches(k)) list.push_back(k);
    Mat N(system_.nz(), system_.m());
    system_.impact_directions(t, x.q(i), x.u(i - 1), N);
    Mat some(system_.nz(), list.size());
    for (std::size_t k = 0; k < list.size(); ++k) some.col(k) = N.col(list[k]);
    const Vec P = list.empty() ? Vec() : least_norm_solution(some, change);
    const Vec rest = list.empty() ? change : Vec(change - some * P);
    const double off = rest.cwiseAbs().cwiseQuotient(speed_.cwiseMax(1e-3 * speed_.maxCoeff())).maxCoeff();
    out.impulse.take(rest.lpNorm<Eigen::Infinity>(), off, t);
    ++out.impacts;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const int c = list[k];
      if (!unilateral(c) || std::abs(P[k]) <= part_ * P.lpNorm<Eigen::Infinity>()) continue;
      const auto& name = system_.constraints()[c].name;
      if (P[k] < 0) out.find(fmt::format("the impulse of {} at t = {:.12g} pulls", name, t));
      const double rebound = rate_[c] + system_.constraints()[c].e * before[c];
      if (settles(x, c, t))
        out.closing.take(std::abs(rate_[c]), std::abs(rate_[c]) / rate_scale(c), t, name);
      else if (before[c] < -10 * part_ * rate_scale(c))
        out.restitution.take(std::abs(rebound / before[c]), std::abs(rebound / before[c]), t, name);
    }
  }

 private:
  bool unilateral(int i) const { return system_.constraints()[i].unilateral; }
  bool touches(int i) const { return gap_[i] <= part_ * gap_scale(i); }
  double gap_scale(int i) const { return G_.row(i).cwiseAbs().dot(size_); }
  double rate_scale(int i) const { return gamma_z_.row(i).cwiseAbs().dot(speed_); }
  bool settles(const Trajectory& x, int constraint, double t) const {
    const std::uint64_t id = system_.contact_id(constraint);
    return std::any_of(x.events().begin(), x.events().end(), [&](const Event& e) {
      return e.t == t && e.contact == id && (e.kind == EventKind::close || e.kind == EventKind::accumulation);
    });
  }
  void look(double t, In y, In z) {
    system_.gap(t, y, gap_), system_.gap_jacobian(t, y, G_);
    system_.rate(t, y, z, rate_), system_.rate_jacobians(t, y, z, nullptr, &gamma_z_);
  }

  Faults faults_;
  CheckedOdae system_;
  HiddenConstraint hidden_;
  double part_;
  Vec size_, speed_, gap_, rate_, psi_;
  Mat G_, gamma_z_;
};

}  // namespace

std::unique_ptr<StateFlow> make_odae_flow(const DynamicSystem& system, const Trajectory& x, double part) {
  return std::make_unique<OdaeFlow>(static_cast<const OdaeSystem&>(system), x, part);
}

}  // namespace saltus

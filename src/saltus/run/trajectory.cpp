#include "saltus/run/trajectory.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

[[gnu::always_inline]] inline void append(const double* x, int n, std::vector<double>& to) {
  for (int i = 0; i < n; ++i) to.push_back(x[i]);
}

}  // namespace

void Trajectory::add(double t, In q, In u, bool grid_point, In psi) {
  if (t_.empty()) {
    nq_ = static_cast<int>(q.size()), nu_ = static_cast<int>(u.size());
    nm_ = static_cast<int>(psi.size());
  }
  if (psi.size() != nm_) fail("a sample has {} multipliers, the trajectory {}", psi.size(), nm_);
  if (q.size() != nq_ || u.size() != nu_)
    fail("a sample has {} coordinates and {} velocities, the trajectory {} and {}", q.size(), u.size(), nq_,
         nu_);
  if (!t_.empty() && t < t_.back()) fail("a sample at t = {} comes after one at t = {}", t, t_.back());
  t_.push_back(t);
  grid_.push_back(grid_point);
  for (int i = 0; i < nq_; ++i) q_.push_back(q[i]);
  for (int i = 0; i < nu_; ++i) u_.push_back(u[i]);
  for (int i = 0; i < nm_; ++i) psi_.push_back(psi[i]);
}

void Trajectory::operator()(const Segment& s) {
  if (t_.empty()) add(s.begin.t, s.begin.q, s.begin.u, true, s.begin.aux.head(s.multipliers));
  t_.push_back(s.end.t);
  grid_.push_back(s.grid_point);
  append(s.end.q.data(), nq_, q_);
  append(s.end.u.data(), nu_, u_);
  append(s.end.aux.data(), nm_, psi_);
  if (!s.events.empty()) events_.insert(events_.end(), s.events.begin(), s.events.end());
  if (keep_impulses && !s.end.contacts.closed.empty()) add_impulses(s);
}

void Trajectory::add_impulses(const Segment& s) {
  for (const auto& r : s.end.contacts.closed) {
    atoms_.push_back({s.end.t, r.id, static_cast<int>(impulses_.size()), r.rows, r.mode});
    const double* P = s.end.contacts.impulse.data() + r.offset;
    impulses_.insert(impulses_.end(), P, P + r.rows);
  }
}

int Trajectory::after(double t, Side side) const {
  if (t_.empty()) fail("the trajectory is empty");
  const auto it = side == Side::right ? std::upper_bound(t_.begin(), t_.end(), t)
                                      : std::lower_bound(t_.begin(), t_.end(), t);
  return std::clamp(static_cast<int>(it - t_.begin()), 1, std::max(1, size() - 1));
}

Vec Trajectory::q(double t) const {
  if (size() == 1) return q(0);
  const int i = after(t, Side::right);
  const double h = t_[i] - t_[i - 1], w = h > 0 ? std::clamp((t - t_[i - 1]) / h, 0.0, 1.0) : 1.0;
  return (1 - w) * q(i - 1) + w * q(i);
}

Vec Trajectory::u(double t, Side side) const {
  if (size() == 1) return u(0);
  const int i = after(t, side);
  const double h = t_[i] - t_[i - 1];
  const double w = h > 0 ? std::clamp((t - t_[i - 1]) / h, 0.0, 1.0) : side == Side::right ? 1.0 : 0.0;
  return (1 - w) * u(i - 1) + w * u(i);
}

double Trajectory::impulse(std::uint64_t contact, int row, double t0, double t1) const {
  double sum = 0;
  const auto first =
      std::upper_bound(atoms_.begin(), atoms_.end(), t0, [](double t, const Atom& a) { return t < a.t; });
  for (auto a = first; a != atoms_.end() && a->t <= t1; ++a)
    if (a->contact == contact && row < a->rows) sum += impulses_[a->offset + row];
  return sum;
}

}  // namespace saltus

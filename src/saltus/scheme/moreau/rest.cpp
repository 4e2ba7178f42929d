#include "saltus/scheme/moreau/rest.hpp"

#include <algorithm>
#include <limits>

namespace saltus {
namespace {

constexpr double roundings = 64 * std::numeric_limits<double>::epsilon();

bool same(const Vec& a, const Vec& b) {
  return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

bool same(const ContactMemory& a, const ContactMemory& b) {
  if (a.speed != b.speed || a.step != b.step || a.impulse != b.impulse || a.closed.size() != b.closed.size())
    return false;
  return std::equal(a.closed.begin(), a.closed.end(), b.closed.begin(), [](const auto& x, const auto& y) {
    return x.id == y.id && x.offset == y.offset && x.rows == y.rows && x.has_gap == y.has_gap &&
           x.resting == y.resting && x.mode == y.mode;
  });
}

bool same(const ContactSet& a, const ContactSet& b) {
  if (a.gap != b.gap || a.drift != b.drift || a.contacts.size() != b.contacts.size() ||
      a.Wt.rows() != b.Wt.rows())
    return false;
  for (std::size_t k = 0; k < a.contacts.size(); ++k)
    if (a.contacts[k].id != b.contacts[k].id) return false;
  for (int r = 0; r < a.Wt.rows(); ++r)
    if (!std::equal(a.Wt.row(r).begin(), a.Wt.row(r).end(), b.Wt.row(r).begin(), b.Wt.row(r).end(),
                    [](const auto& x, const auto& y) { return x.column == y.column && x.value == y.value; }))
      return false;
  return true;
}

}  // namespace

bool Rest::settle(const ContactProblem& problem, std::span<const double> P, const Matrix& M, const Vec& u,
                  Vec& v) {
  if (!problem.G.has_columns() || P.size() != static_cast<std::size_t>(problem.rows())) return false;
  size_.setZero(v.size());
  for (int r = 0; r < problem.rows(); ++r)
    for (const auto& e : problem.G.W().row(r)) size_[e.column] += std::abs(e.value * P[r]);
  for (const Vec* x : {static_cast<const Vec*>(&v), &u}) {
    momentum_.setZero(v.size());
    M.multiply_add(1, *x, momentum_);
    for (Eigen::Index i = 0; i < v.size(); ++i)
      if (!(std::abs(momentum_[i]) <= roundings * size_[i])) return false;
  }
  v.setZero();
  return true;
}

void Rest::keep(const State& x0, double h, const State& x1, const ContactSet& set, const Vec& force,
                const StepReport& report) {
  if (!x1.u.isZero(0) || !same(x0.u, x1.u) || !same(x0.q, x1.q) || !same(x0.contacts, x1.contacts))
    return kept_.reset();
  kept_ = {x1, h, set, force, report};
}

bool Rest::may_hold(const State& x0, double h) const {
  return kept_ && kept_->h == h && same(x0.u, kept_->x.u) && same(x0.q, kept_->x.q) &&
         same(x0.contacts, kept_->x.contacts);
}

bool Rest::holds(const ContactSet& set, const Vec& force) const {
  return same(set, kept_->set) && same(force, kept_->force);
}

}  // namespace saltus

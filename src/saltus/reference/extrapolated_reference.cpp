#include "saltus/reference/extrapolated_reference.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"

namespace saltus {

ExtrapolatedReference::ExtrapolatedReference(std::shared_ptr<const FirstOrderSystem> system, double t0, In q0,
                                             In u0, double t_end, double tolerance)
    : system_(std::move(system)),
      t_end_(t_end),
      tolerance_(tolerance),
      work_(system_->make_workspace()),
      rhs_([this](double t, const Vec& y, Vec& f) { system_->rhs(t, y, f, *work_); }),
      gbs_(system_->size()),
      h_(std::max(1e-3 * (t_end - t0), 1e-300)) {
  Vec y(system_->size());
  system_->pack(t0, q0, u0, y);
  t_.push_back(t0);
  y_.push_back(y);
}

// Steps go beyond t as they like, but not beyond t_end by more than one step.
void ExtrapolatedReference::extend(double t) const {
  double at = t_.back();
  Vec y = y_.back(), next(y.size());
  while (at < t) {
    const double taken = gbs_.adaptive_step(rhs_, at, y, h_, tolerance_, next);
    if (taken == 0) fail("the reference could not be computed beyond t = {}", at);
    at += taken, y.swap(next);
    t_.push_back(at);
    y_.push_back(y);
  }
}

void ExtrapolatedReference::state(double t, Side, Vec& q, Vec& u) const {
  const std::lock_guard lock(mutex_);
  extend(t);
  const auto i = static_cast<std::size_t>(std::upper_bound(t_.begin(), t_.end(), t) - t_.begin());
  const std::size_t k = i > 0 ? i - 1 : 0;
  now_.resize(system_->size());
  if (t > t_[k])
    gbs_.step(rhs_, t_[k], y_[k], t - t_[k], now_);
  else
    now_ = y_[k];
  q.resize(system_->nq()), u.resize(system_->nu());
  system_->unpack(t, now_, q, u);
}

}  // namespace saltus

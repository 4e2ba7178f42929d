#include "saltus/scheme/generalized_alpha/row_memory.hpp"

#include <algorithm>

namespace saltus::generalized_alpha {

void RowMemory::store_start(const StepData& x, const Vec& gamma, Vec& aux) const {
  if (changing_) {
    aux = x.vdot;
    return;
  }
  aux.resize(x.vdot.size() + 2 * gamma.size());
  aux << x.vdot, x.lambda, gamma;
}

Past RowMemory::recall(const State& x0, const ContactSet& set, const StepData& x, const Vec& gamma) {
  const Eigen::Index n = x.v.size(), m = set.rows();
  const bool start = is_start(x0.aux, n, m);
  const double *vdot = x0.aux.data(), *a = start ? vdot : vdot + n;
  if (!changing_) {
    const double *lambda = a + n, *eta = start ? lambda : lambda + m;
    return {vdot, a, lambda, eta, eta + m};
  }
  lambda_.setZero(m), eta_.setZero(m);
  const auto kept = static_cast<Eigen::Index>(x0.contacts.impulse.size());
  if (x0.aux.size() == 2 * (n + kept))
    for (const Contact& c : set.contacts)
      if (const auto* record = x0.contacts.find(c.id))
        for (int k = 0; k < record->rows; ++k) {
          lambda_[c.row + k] = a[n + record->offset + k];
          eta_[c.row + k] = a[n + kept + record->offset + k];
        }
  return {vdot, a, lambda_.data(), eta_.data(), gamma.data()};
}

void RowMemory::store(const SystemValues& at, StepData& x, State& x1) {
  const Eigen::Index n = x.v.size(), m = x.lambda.size();
  if (!changing_) {
    const Eigen::Index size = 2 * n + 3 * m;
    if (x1.aux.size() != size) x1.aux.resize(size);
    double* to = x1.aux.data();
    const Vec* parts[] = {&x.vdot, &x.a, &x.lambda, &x.eta, &at.gamma};
    for (const Vec* part : parts) to = std::copy_n(part->data(), part->size(), to);
    return;
  }
  force_.setZero(n);
  bool any = false;
  const auto kept = static_cast<Eigen::Index>(x1.contacts.impulse.size());
  x1.aux.resize(2 * (n + kept));
  double *lambda = x1.aux.data() + 2 * n, *eta = lambda + kept;
  for (std::size_t i = 0; i < at.set.contacts.size(); ++i) {
    const Contact& c = at.set.contacts[i];
    const int end = i + 1 < at.set.contacts.size() ? at.set.contacts[i + 1].row : at.set.rows();
    const auto* record = x1.contacts.find(c.id);
    for (int r = c.row; r < end; ++r)
      if (record) {
        lambda[record->offset + r - c.row] = x.lambda[r], eta[record->offset + r - c.row] = x.eta[r];
      } else if (x.eta[r] != 0) {
        at.set.Wt.add_to(r, x.eta[r], force_.data());
        x.eta[r] = 0, any = true;
      }
  }
  if (any) at.mass_factor.solve(force_.data()), x.a -= force_;
  std::copy_n(x.vdot.data(), n, x1.aux.data());
  std::copy_n(x.a.data(), n, x1.aux.data() + n);
}

}  // namespace saltus::generalized_alpha

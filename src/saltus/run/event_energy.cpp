// What the ledger of a run by event capturing needs: energy of the rows that are closed between events.
#include <cmath>

#include "saltus/run/event_capturing.hpp"

namespace saltus {

EventCapture::RowPower EventCapture::row_power(const Vec& u) const {
  RowPower out;
  const ClosedDynamics& now = flow_->dynamics();
  for (const Contact& c : now.contacts().contacts) {
    const Law& law = system_.laws()[c.law];
    for (int r = 0; r < rows(law); ++r) {
      const double lambda = now.lambda(c.row + r), drift = now.contacts().drift[c.row + r];
      if (lambda == 0) continue;
      const bool rubs = !is_lossless(law) && (r > 0 || !needs_closed_gap(law));
      out.acts = out.acts || rubs || drift != 0;
      out.walls -= lambda * drift;
      if (rubs) out.friction -= lambda * now.gamma(c.row + r, u);
    }
  }
  return out;
}

// Where a step begins, whose state the dynamics was evaluated at.
void EventCapture::begin_books() {
  power_ = is_free() ? RowPower{} : row_power(x_.u);
  if (control_.reactions && !is_free()) flow_->dynamics().reactions(reactions_.begin);
}

// The mean powers of the closed rows from before_ to x_ on the dense output, by Gauss' rule of order six:
// that of Simpson with the cubic through both ends would limit the balance of energy at tight tolerances.
bool EventCapture::mean_power(double h, RowPower& mean) {
  constexpr double at[] = {0.1127016653792583, 0.5, 0.8872983346207417},
                   weight[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  const auto nq = static_cast<int>(x_.q.size()), nu = shape_.nu;
  middle_.q.resize(nq), middle_.u.resize(nu);
  for (int k = 0; k < 3; ++k) {
    const double t = before_.t + at[k] * h, x = (t - dense_.start) / dense_.length;
    dense_value(dense_.q.data(), nq, dense_.terms, x, middle_.q.data());
    dense_value(dense_.u.data(), nu, dense_.terms, x, middle_.u.data());
    if (flow_->dynamics().acceleration(t, middle_.q, middle_.u, a_) != ClosedDynamics::Status::ok)
      return false;
    const RowPower now = row_power(middle_.u);
    mean.friction += weight[k] * now.friction, mean.walls += weight[k] * now.walls;
    mean.acts = mean.acts || now.acts;
  }
  return true;
}

// The same by Simpson's rule, the middle as in run/ledger.hpp, with the forces there.
bool EventCapture::simpson_power(bool tells, RowPower& mean) {
  between_.on_cubic(before_, x_, 0.5, middle_);
  if (flow_->dynamics().acceleration(middle_.t, middle_.q, middle_.u, a_) != ClosedDynamics::Status::ok)
    return false;
  const RowPower middle = row_power(middle_.u);
  if (tells) flow_->dynamics().reactions(reactions_.middle), reactions_.q = middle_.q;
  if (flow_->dynamics().acceleration(x_.t, x_.q, x_.u, a_) != ClosedDynamics::Status::ok) return false;
  const RowPower end = row_power(x_.u);
  if (tells) flow_->dynamics().reactions(reactions_.end), tells_reactions_ = true;
  mean.friction = (power_.friction + 4 * middle.friction + end.friction) / 6;
  mean.walls = (power_.walls + 4 * middle.walls + end.walls) / 6;
  mean.acts = power_.acts || end.acts;
  return true;
}

// The work of the closed rows from before_ to x_, and their forces.
void EventCapture::book_rows() {
  const bool tells = control_.reactions && !is_free();
  if (!power_.acts && !tells) {  // a wall may begin to move
    if (closed_.empty() && !has_joints_) return;
    if (flow_->dynamics().acceleration(x_.t, x_.q, x_.u, a_) != ClosedDynamics::Status::ok) return;
    if (!row_power(x_.u).acts) return;
  }
  const double h = x_.t - before_.t;
  RowPower mean;
  if ((tells || !is_dense_) && !simpson_power(tells, mean)) return;
  if (RowPower better; is_dense_ && mean_power(h, better)) mean = better;
  if (!mean.acts) return;
  report_.friction_loss = h * mean.friction;
  report_.contact_loss += report_.friction_loss;
  report_.wall_work += h * mean.walls;
}

}  // namespace saltus

#include "saltus/study/run_trace.hpp"

namespace saltus {

RunTrace::RunTrace(const Problem& p)
    : t0_(p.t0),
      t_end_(p.t_end),
      q_(p.q0.size(), intervals + 1),
      u_(p.u0.size(), intervals + 1),
      q_size_(p.q0.cwiseAbs()),
      u_size_(p.u0.cwiseAbs()) {
  q_.col(0) = p.q0, u_.col(0) = p.u0;
  next_ = 1;
}

void RunTrace::operator()(const Segment& s) {
  for (; next_ <= intervals && time(next_) <= s.end.t; ++next_) {
    const double h = s.end.t - s.begin.t, x = h > 0 ? (time(next_) - s.begin.t) / h : 1;
    q_.col(next_) = (1 - x) * s.begin.q + x * s.end.q;
    u_.col(next_) = (1 - x) * s.begin.u + x * s.end.u;
    if (s.begin.q.size() == s.begin.u.size())
      q_.col(next_) +=
          x * (1 - x) *
          ((1 - x) * (h * s.begin.u - s.end.q + s.begin.q) - x * (h * s.end.u - s.end.q + s.begin.q));
  }
  q_size_ = q_size_.cwiseMax(s.end.q.cwiseAbs());
  u_size_ = u_size_.cwiseMax(s.end.u.cwiseAbs());
  for (const Event& e : s.events) events_.push_back({e.t, e.t_before, e.contact, e.kind});
}

}  // namespace saltus

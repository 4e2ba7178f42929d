#include "saltus/study/run_trace.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

// States of millions of beads do not fit into memory hundreds of times.
int intervals_of(const Problem& p) {
  constexpr Eigen::Index most_numbers = Eigen::Index{1} << 25;
  constexpr int least = 2;
  const Eigen::Index numbers = std::max<Eigen::Index>(p.q0.size() + p.u0.size(), 1);
  return static_cast<int>(std::clamp<Eigen::Index>(most_numbers / numbers, least, RunTrace::most_intervals));
}

}  // namespace

RunTrace::RunTrace(const Problem& p)
    : intervals_(intervals_of(p)),
      t_end_(p.t_end),
      times_(static_cast<std::size_t>(intervals_) + 1),
      at_step_(static_cast<std::size_t>(intervals_) + 1),
      q_(p.q0.size(), intervals_ + 1),
      u_(p.u0.size(), intervals_ + 1),
      q_size_(p.q0.cwiseAbs()),
      u_size_(p.u0.cwiseAbs()) {
  q_.col(0) = p.q0, u_.col(0) = p.u0;
  for (int k = 0; k <= intervals_; ++k)
    times_[static_cast<std::size_t>(k)] = p.t0 + (p.t_end - p.t0) * k / intervals_;
  next_ = 1;
}

RunTrace::RunTrace(const Problem& p, const RunTrace& other) : RunTrace(p) {
  follows_ = true, times_ = other.times_;
}

std::vector<double> RunTrace::step_ends() const {
  std::vector<double> out;
  for (std::size_t k = 0; k < times_.size(); ++k)
    if (at_step_[k] && (out.empty() || times_[k] > out.back())) out.push_back(times_[k]);
  return out;
}

void RunTrace::operator()(const Segment& s) {
  const int nq = static_cast<int>(q_.rows()), nu = static_cast<int>(u_.rows());
  for (; next_ <= intervals_ && (time(next_) <= s.end.t || s.end.t == t_end_); ++next_) {
    if (const DensePiece* d = s.dense; d && time(next_) < s.end.t) {
      const double x = (time(next_) - d->start) / d->length;
      dense_value(d->q.data(), nq, d->terms, x, q_.col(next_).data());
      dense_value(d->u.data(), nu, d->terms, x, u_.col(next_).data());
    } else {  // its end, or the short step over an impact
      q_.col(next_) = s.end.q, u_.col(next_) = s.end.u;
      if (s.dense || follows_) continue;
      times_[static_cast<std::size_t>(next_)] = s.end.t;
      at_step_[static_cast<std::size_t>(next_)] = true;
    }
  }
  longest_ = std::max(longest_, s.dense ? s.dense->length : s.end.t - s.begin.t);
  q_size_ = q_size_.cwiseMax(s.end.q.cwiseAbs());
  u_size_ = u_size_.cwiseMax(s.end.u.cwiseAbs());
  for (const Event& e : s.events) events_.push_back({e.t, e.t_before, e.contact, e.kind});
}

void RunTrace::memory(Memory& m) {
  int kept = next_;
  double end = t_end_;
  m(kept, end, longest_, q_size_, u_size_, events_);
  m.require(kept >= 1 && kept <= intervals_ + 1 && std::isfinite(end) && longest_ >= 0 &&
            q_size_.size() == q_.rows() && u_size_.size() == u_.rows());
  RunTrace was = *this;
  for (int k = 0; k < kept; ++k) {
    const auto at = static_cast<std::size_t>(k);
    bool at_step = was.at_step_[at];
    m(was.times_[at], at_step);
    was.at_step_[at] = at_step;
    for (double& x : was.q_.col(k)) m(x);
    for (double& x : was.u_.col(k)) m(x);
  }
  if (!m.reading()) return;
  const auto known = was.times().first(static_cast<std::size_t>(kept));
  m.require(std::is_sorted(known.begin(), known.end()) &&
            std::all_of(known.begin(), known.end(), [](double t) { return std::isfinite(t); }));
  for (next_ = 0; next_ <= intervals_ && (end == t_end_ ? next_ < kept : time(next_) <= known.back());
       ++next_) {
    std::size_t from = static_cast<std::size_t>(next_);
    if (end != t_end_) {
      const auto after = std::lower_bound(known.begin(), known.end(), time(next_));
      from = static_cast<std::size_t>(after - known.begin());
      if (from > 0 && time(next_) - known[from - 1] < known[from] - time(next_)) --from;
    }
    const auto to = static_cast<std::size_t>(next_);
    const auto column = static_cast<Eigen::Index>(from);
    times_[to] = known[from], at_step_[to] = was.at_step_[from];
    q_.col(next_) = was.q_.col(column), u_.col(next_) = was.u_.col(column);
  }
}

}  // namespace saltus

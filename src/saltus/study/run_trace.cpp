#include "saltus/study/run_trace.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

// States of millions of beads do not fit into memory hundreds of times.
std::int64_t states_that_fit(std::int64_t width) {
  constexpr std::int64_t most_numbers = std::int64_t{1} << 25, least = 2;
  return std::max(least, most_numbers / std::max<std::int64_t>(1, width));
}

int intervals_of(const Problem& p) {
  return static_cast<int>(
      std::min<std::int64_t>(RunTrace::most_intervals, states_that_fit(p.q0.size() + p.u0.size())));
}

// States at ends of steps: so many, fewer where they are large.
std::int64_t inner_states(std::int64_t width) {
  constexpr std::int64_t most = 2048, usual_least = 64, usual_numbers = std::int64_t{1} << 18;
  return std::min(states_that_fit(width),
                  std::clamp(usual_numbers / std::max<std::int64_t>(1, width), usual_least, most));
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
      u_size_(p.u0.cwiseAbs()),
      u_rate_(Vec::Zero(p.u0.size())) {
  q_.col(0) = p.q0, u_.col(0) = p.u0;
  for (int k = 0; k <= intervals_; ++k)
    times_[static_cast<std::size_t>(k)] = p.t0 + (p.t_end - p.t0) * k / intervals_;
  next_ = 1;
}

RunTrace::RunTrace(const Problem& p, const RunTrace& other) : RunTrace(p) {
  follows_ = true;
  catch_up(other);
}

void RunTrace::catch_up(const RunTrace& other) {
  for (; known_times_ < other.next_; ++known_times_)
    times_[static_cast<std::size_t>(known_times_)] = other.times_[static_cast<std::size_t>(known_times_)];
  const std::size_t width = static_cast<std::size_t>(q_.rows() + u_.rows());
  if (every_ != other.every_) {
    every_ = other.every_;
    int kept = 0;
    for (int k = 0; k < next_inner_; ++k) {
      if (static_cast<std::size_t>(kept) == other.inner_times_.size()) break;
      const auto from = static_cast<std::size_t>(k), to = static_cast<std::size_t>(kept);
      if (inner_times_[from] != other.inner_times_[to]) continue;
      std::copy_n(inner_.data() + from * width, width, inner_.data() + to * width);
      inner_times_[to] = inner_times_[from];
      ++kept;
    }
    next_inner_ = kept;
    inner_times_.resize(static_cast<std::size_t>(kept));
  }
  inner_times_.insert(inner_times_.end(),
                      other.inner_times_.begin() + static_cast<std::ptrdiff_t>(inner_times_.size()),
                      other.inner_times_.end());
  inner_.resize(inner_times_.size() * width);
}

// The first steps count from the start of the run.
void RunTrace::keep_length(double start, double length) {
  constexpr double longer = 1.001;  // that not all are kept
  if (start != last_start_) ++steps_, last_start_ = start;
  if (!longer_.empty() && length <= longer * longer_.back()) return;
  if (steps_ <= first_steps && !longer_.empty())
    longer_.back() = length;
  else
    longer_from_.push_back(longer_.empty() ? -infinity : start), longer_.push_back(length);
}

double RunTrace::longest_step(double t) const {
  const auto after = std::upper_bound(longer_from_.begin(), longer_from_.end(), t);
  return after == longer_from_.begin() ? infinity
                                       : longer_[static_cast<std::size_t>(after - longer_from_.begin()) - 1];
}

RunTrace::Inner RunTrace::inner(int k) const {
  const auto nq = static_cast<std::size_t>(q_.rows()), nu = static_cast<std::size_t>(u_.rows());
  const std::span<const double> x(inner_.data() + static_cast<std::size_t>(k) * (nq + nu), nq + nu);
  return {inner_times_[static_cast<std::size_t>(k)], x.first(nq), x.last(nu)};
}

void RunTrace::keep_inner(const Segment& s) {
  if (segments_++ % every_ != 0) return;
  const std::size_t width = static_cast<std::size_t>(q_.rows() + u_.rows());
  if (static_cast<std::int64_t>(inner_times_.size()) >= inner_states(static_cast<std::int64_t>(width))) {
    every_ *= 2;
    const std::size_t half = (inner_times_.size() + 1) / 2;
    for (std::size_t k = 1; k < half; ++k) {
      inner_times_[k] = inner_times_[2 * k];
      std::copy_n(inner_.data() + 2 * k * width, width, inner_.data() + k * width);
    }
    inner_times_.resize(half), inner_.resize(half * width);
  }
  inner_times_.push_back(s.end.t);
  inner_.insert(inner_.end(), s.end.q.begin(), s.end.q.end());
  inner_.insert(inner_.end(), s.end.u.begin(), s.end.u.end());
}

void RunTrace::follow_inner(const Segment& s) {
  const auto nq = q_.rows(), nu = u_.rows();
  for (; next_inner_ < static_cast<int>(inner_times_.size()); ++next_inner_) {
    const double t = inner_times_[static_cast<std::size_t>(next_inner_)];
    if (t > s.end.t && s.end.t != t_end_) return;
    double *q = inner_.data() + next_inner_ * (nq + nu), *u = q + nq;
    if (const DensePiece* d = s.dense; d && t < s.end.t) {
      const double x = (t - d->start) / d->length;
      dense_value(d->q.data(), static_cast<int>(nq), d->terms, x, q);
      dense_value(d->u.data(), static_cast<int>(nu), d->terms, x, u);
    } else {
      std::copy_n(s.end.q.data(), nq, q), std::copy_n(s.end.u.data(), nu, u);
    }
  }
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
  if (follows_)
    follow_inner(s);
  else if (s.dense)
    keep_inner(s);
  constexpr double long_enough = 1e-3;  // for a quotient that is not rounding
  if (const double dt = s.end.t - s.begin.t; s.dense && dt > long_enough * longest_)
    u_rate_ = u_rate_.cwiseMax((s.end.u - s.begin.u).cwiseAbs() / dt);
  const double length = s.dense ? s.dense->length : s.end.t - s.begin.t;
  if (!follows_) keep_length(s.dense ? s.dense->start : s.begin.t, length);
  longest_ = std::max(longest_, length);
  q_size_ = q_size_.cwiseMax(s.end.q.cwiseAbs());
  u_size_ = u_size_.cwiseMax(s.end.u.cwiseAbs());
  double jump = 0;
  if (!s.events.empty())
    for (int i = 0; i < u_size_.size(); ++i)
      if (u_size_[i] > 0) jump = std::max(jump, std::abs(s.end.u[i] - s.begin.u[i]) / u_size_[i]);
  for (const Event& e : s.events) events_.push_back({e.t, e.t_before, e.contact, e.kind, jump});
}

void RunTrace::memory(Memory& m) {
  int kept = next_;
  double end = t_end_;
  m(kept, end, longest_, q_size_, u_size_, u_rate_, events_);
  m(inner_times_, inner_, segments_, every_, longer_from_, longer_, last_start_, steps_);
  m.require(steps_ >= 0 && longer_.size() == longer_from_.size() &&
            std::is_sorted(longer_from_.begin(), longer_from_.end()));
  m.require(every_ >= 1 && segments_ >= 0 && u_rate_.size() == u_.rows() &&
            std::is_sorted(inner_times_.begin(), inner_times_.end()) &&
            inner_.size() == inner_times_.size() * static_cast<std::size_t>(q_.rows() + u_.rows()));
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

#include "saltus/study/run_difference.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "saltus/core/error.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {
namespace {

constexpr double no_digit = 0.1;  // an error of that part of the size
// A component that much smaller than the largest, or than what it becomes in the run, has no size of its own:
// a body at rest has velocities of rounding.
constexpr double negligible = 1e-9;

double largest(const Vec& x) {
  return x.size() > 0 ? x.maxCoeff() : 0;
}

double over(double difference, double size) {
  return difference > 0 ? difference / size : 0;  // zero over zero
}

double nan_unless(bool known, double x) {
  return known ? x : std::nan("");
}

// What forces at the start would make of velocities in the run, were nothing in their way: what lies still
// is at rest beside this.
double free_speed(const Problem& problem) {
  const System* system = as_mechanical(problem.system.get());
  if (!system) return 0;
  const CheckedSystem bodies(*system);
  Matrix mass(system->shape().nu, system->shape().mass);
  Vec force(problem.u0.size());
  bodies.mass(problem.t0, problem.q0, mass);
  bodies.force(problem.t0, problem.q0, problem.u0, force);
  double most = 0;
  mass.for_each([&](int i, int j, double m) {
    if (i == j && m > 0) most = std::max(most, std::abs(force[i]) / m);
  });
  return std::isfinite(most) ? most * (problem.t_end - problem.t0) : 0;
}

bool accumulates(const EventMark& e) {
  return e.kind == EventKind::accumulation;
}

}  // namespace

RunDifference::RunDifference(const Problem& problem, double rtol, const TracedRun& run,
                             const TracedRun& other, double looser)
    : run_(run), other_(other), t0_(problem.t0), t_end_(problem.t_end) {
  const auto steps = static_cast<double>(run.result.stats.steps);
  // at each event the dense output has the rounding of its stages, whose weights are large, the same every
  // time
  constexpr double located = 16;
  rounding_ =
      unit_roundoff * (8 + std::sqrt(steps) + located * static_cast<double>(run.trace.events().size()));
  q_size_ = run.trace.q_size().cwiseMax(other.trace.q_size());
  u_size_ = run.trace.u_size().cwiseMax(other.trace.u_size());
  const double duration = t_end_ - t0_;
  const double speed = std::max(largest(u_size_), free_speed(problem));
  const double least = negligible * std::max(largest(q_size_), duration * speed);
  least_ = least, duration_ = duration;
  q_size_ = q_size_.cwiseMax(least);
  if (duration > 0) u_size_ = u_size_.cwiseMax(least / duration);
  match_ =
      match_events(run.trace.events(), other.trace.events(), t_end_, (t_end_ - t0_) / run.trace.intervals());
  // steps of Moreau's scheme are of order 1, and those of the other run 0.6 times as long: no better by much
  const bool alike = match_.difference || looser == either || run.result.stepped_from < t_end_;
  safety_ = alike ? lost_safety : looser > 1 ? looser_safety : usual_safety;
  // times are rounded at every step and every impact, and states move by that
  const double shift = 0.5 * unit_roundoff * std::sqrt(steps) * std::max(std::abs(t0_), std::abs(t_end_));
  q_rounding_ = rounding_ * q_size_, u_rounding_ = rounding_ * u_size_ + shift * run.trace.u_rate();
  if (q_size_.size() == u_size_.size()) q_rounding_ += shift * u_size_;
  mark_shifted_jumps();
  compare_states();
  if (looser > 1) relative_ /= looser;
  share_errors(rtol);
  compare_times();
  follow_growth();
  widen_after_loss();
}

// Velocities between the two times of one event differ by its jump, which says nothing: the graphs are as far
// apart as the times.
void RunDifference::mark_shifted_jumps() {
  std::vector<std::pair<double, double>> all;
  for (const auto& [a, b] : match_.pairs)
    all.emplace_back(std::min(a.t_before, b.t_before), std::max(a.t, b.t));
  std::sort(all.begin(), all.end());
  for (const auto& s : all) {
    if (!shifts_.empty() && s.first <= shifts_.back().second)
      shifts_.back().second = std::max(shifts_.back().second, s.second);
    else
      shifts_.push_back(s);
  }
}

bool RunDifference::shifted(double t) const {
  const auto after = std::upper_bound(shifts_.begin(), shifts_.end(), t,
                                      [](double x, const auto& s) { return x < s.first; });
  return after != shifts_.begin() && t <= std::prev(after)->second;
}

// At ends of steps: the largest differences may lie between the times.
void RunDifference::compare_inner() {
  const int n = std::min(run_.trace.inner_size(), other_.trace.inner_size());
  for (int k = 0; k < n; ++k) {
    const RunTrace::Inner a = run_.trace.inner(k), b = other_.trace.inner(k);
    for (std::size_t i = 0; i < a.q.size(); ++i) {
      double& most = q_sup_[static_cast<Eigen::Index>(i)];
      most = std::max(most, std::abs(a.q[i] - b.q[i]));
    }
    if (shifted(a.t)) continue;
    for (std::size_t i = 0; i < a.u.size(); ++i) {
      double& most = u_sup_[static_cast<Eigen::Index>(i)];
      most = std::max(most, std::abs(a.u[i] - b.u[i]));
    }
  }
}

void RunDifference::compare_states() {
  const int n = std::min(run_.trace.size(), other_.trace.size());
  const int last_part = run_.trace.intervals() - run_.trace.intervals() / 8;
  const State &a = run_.result.final, &b = other_.result.final;
  q_sup_ = (a.q - b.q).cwiseAbs(), u_sup_ = (a.u - b.u).cwiseAbs();
  q_bar_ = q_sup_, u_bar_ = u_sup_;
  apart_.assign(static_cast<std::size_t>(n), 0);
  for (int k = 0; k < n; ++k) {
    const Vec dq = (run_.trace.q(k) - other_.trace.q(k)).cwiseAbs();
    const Vec du = (run_.trace.u(k) - other_.trace.u(k)).cwiseAbs();
    double& apart = apart_[static_cast<std::size_t>(k)];
    for (int i = 0; i < dq.size(); ++i) apart = std::max(apart, over(dq[i], q_size_[i]));
    q_sup_ = q_sup_.cwiseMax(dq);
    if (k >= last_part) q_bar_ = q_bar_.cwiseMax(dq);
    if (k < run_.trace.intervals() && shifted(run_.trace.time(k))) continue;
    for (int i = 0; i < du.size(); ++i) apart = std::max(apart, over(du[i], u_size_[i]));
    u_sup_ = u_sup_.cwiseMax(du);
    if (k >= last_part) u_bar_ = u_bar_.cwiseMax(du);
  }
  compare_inner();
  constexpr double moves = 1e3;  // over what has no size of its own
  for (int i = 0; i < q_bar_.size(); ++i)
    if (q_size_[i] > moves * least_) relative_ = std::max(relative_, over(q_bar_[i], q_size_[i]));
  for (int i = 0; i < u_bar_.size(); ++i)
    if (u_size_[i] * duration_ > moves * least_) relative_ = std::max(relative_, over(u_bar_[i], u_size_[i]));
  q_bar_ = (safety_ * q_bar_).cwiseMax(q_rounding_);
  u_bar_ = (safety_ * u_bar_).cwiseMax(u_rounding_);
}

// Components of one system have errors of one size, up to a factor, unless nothing couples them: one that
// agrees much better agrees by chance. Beyond the tolerance each speaks for itself.
void RunDifference::share_errors(double rtol) {
  constexpr double share = 0.2, most = 10;
  double apart = 0;
  for (int i = 0; i < q_bar_.size(); ++i) apart = std::max(apart, over(q_bar_[i], q_size_[i]));
  for (int i = 0; i < u_bar_.size(); ++i) apart = std::max(apart, over(u_bar_[i], u_size_[i]));
  const double least = share * std::min(apart, most * rtol);
  q_bar_ = q_bar_.cwiseMax(least * q_size_);
  u_bar_ = u_bar_.cwiseMax(least * u_size_);
}

// How far events are apart, and at least the length in which each was located.
void RunDifference::compare_times() {
  time_bar_ = rounding_ * std::max(std::abs(t0_), std::abs(t_end_));
  for (const auto& [a, b] : match_.pairs)
    if (!accumulates(a) && !accumulates(b))
      time_bar_ = std::max({time_bar_, safety_ * std::abs(a.t - b.t), a.t - a.t_before});
  std::vector<Accumulation> accumulations = run_.result.accumulations;
  bound_accumulations(accumulations);
  for (const Accumulation& a : accumulations) time_bar_ = std::max(time_bar_, a.bound);
}

// An accumulation may be a closing in the other run, where too few impacts came before it to call it one.
void RunDifference::bound_accumulations(std::vector<Accumulation>& accumulations) const {
  std::map<std::uint64_t, std::deque<EventMark>> closings;  // of the other run, by contact
  for (const auto& [a, b] : match_.pairs)
    if (accumulates(a)) closings[a.contact].push_back(b);
  for (Accumulation& a : accumulations) {
    auto& left = closings[a.contact];
    if (left.empty()) {
      a.bound = infinity;
      continue;
    }
    const EventMark closing = left.front();
    left.pop_front();
    double limit = infinity;
    for (const Accumulation& o : other_.result.accumulations)
      if (o.contact == a.contact && o.t >= closing.t) limit = std::min(limit, o.t);
    a.bound += safety_ * std::abs(a.t - (accumulates(closing) && limit < infinity ? limit : closing.t));
  }
}

// Differences that grow exponentially are a straight line in logarithmic scale, from where they leave the
// rounding to where no digit is left.
void RunDifference::follow_growth() {
  known_until_ = t_end_, digits_lost_ = std::nan("");
  const auto first_lost =
      std::find_if(apart_.begin(), apart_.end(), [&](double x) { return safety_ * x > no_digit; });
  if (first_lost != apart_.end())
    known_until_ = run_.trace.time(static_cast<int>(first_lost - apart_.begin()));
  double n = 0, x1 = 0, y1 = 0, xx = 0, xy = 0, largest = 0, first = 0;
  for (auto d = apart_.begin(); d != first_lost; ++d) {
    largest = std::max(largest, *d);
    if (largest < 100 * unit_roundoff) continue;
    if (n == 0) first = largest;
    const double x = run_.trace.time(static_cast<int>(d - apart_.begin())), y = std::log10(largest);
    n += 1, x1 += x, y1 += y, xx += x * x, xy += x * y;
  }
  if (n >= 16 && largest > 100 * first) digits_lost_ = (n * xy - x1 * y1) / (n * xx - x1 * x1);
}

// Where some components have lost their digits the two runs are two samples of what the others may do: they
// agree by chance for a while, and are as far apart as at any time since.
void RunDifference::widen_after_loss() {
  if (!(known_until_ < t_end_)) return;
  const int n = std::min(run_.trace.size(), other_.trace.size());
  for (int k = 0; k < n; ++k) {
    const double t = run_.trace.time(k);
    if (t < known_until_) continue;
    q_bar_ = q_bar_.cwiseMax(lost_safety * (run_.trace.q(k) - other_.trace.q(k)).cwiseAbs());
    if (k < run_.trace.intervals() && shifted(t)) continue;
    u_bar_ = u_bar_.cwiseMax(lost_safety * (run_.trace.u(k) - other_.trace.u(k)).cwiseAbs());
  }
}

double RunDifference::largest_after(double t) const {
  double out = 0;
  for (std::size_t k = 0; k < apart_.size(); ++k)
    if (run_.trace.time(static_cast<int>(k)) >= t) out = std::max(out, apart_[k]);
  return out;
}

double RunDifference::approach_bar() const {
  const ClosestApproach& closest = run_.result.closest;
  if (closest.weights.size() != q_size_.size()) return 0;
  Vec apart = Vec::Zero(q_size_.size());
  const int n = std::min(run_.trace.size(), other_.trace.size());
  for (int k = 0; k < n; ++k) {
    apart = apart.cwiseMax((run_.trace.q(k) - other_.trace.q(k)).cwiseAbs());
    if (run_.trace.time(k) >= closest.t) break;
  }
  return closest.weights.dot((safety_ * apart).cwiseMax(q_rounding_));
}

double RunDifference::energy_bar(double difference, double size) const {
  constexpr double share = 0.05;  // of the relative error of the states: energies may agree by chance
  double apart = 0;
  for (int i = 0; i < u_bar_.size(); ++i) apart = std::max(apart, over(u_bar_[i], u_size_[i]));
  for (int i = 0; i < q_bar_.size(); ++i) apart = std::max(apart, over(q_bar_[i], q_size_[i]));
  return std::max(safety_ * std::abs(difference), std::max(rounding_, share * std::min(apart, 1.0)) * size);
}

std::string RunDifference::unknown(const Problem& problem) const {
  const auto name = [](const std::vector<std::string>& names, const char* otherwise, int i) {
    return i < static_cast<int>(names.size()) ? names[i] : fmt::format("{}[{}]", otherwise, i);
  };
  std::vector<std::string> names;
  for (int i = 0; i < q_sup_.size(); ++i)
    if (safety_ * q_sup_[i] > no_digit * q_size_[i]) names.push_back(name(problem.coordinates, "q", i));
  for (int i = 0; i < u_sup_.size(); ++i)
    if (safety_ * u_sup_[i] > no_digit * u_size_[i]) names.push_back(name(problem.velocities, "u", i));
  if (names.size() > 6) names.resize(6), names.emplace_back("…");
  return fmt::format("{}", fmt::join(names, ", "));
}

void RunDifference::fill(ErrorEstimate& out) const {
  out.q_final = q_bar_, out.u_final = u_bar_, out.q_size = q_size_, out.u_size = u_size_;
  bool q_known = true, u_known = true;
  double q_sup = 0, u_sup = 0;
  for (int i = 0; i < q_bar_.size(); ++i) {
    out.q_final[i] = nan_unless(q_bar_[i] <= no_digit * q_size_[i], q_bar_[i]);
    q_known = q_known && safety_ * q_sup_[i] <= no_digit * q_size_[i];
    q_sup = std::max({q_sup, safety_ * q_sup_[i], q_rounding_[i]});
  }
  for (int i = 0; i < u_bar_.size(); ++i) {
    out.u_final[i] = nan_unless(u_bar_[i] <= no_digit * u_size_[i], u_bar_[i]);
    u_known = u_known && safety_ * u_sup_[i] <= no_digit * u_size_[i];
    u_sup = std::max({u_sup, safety_ * u_sup_[i], u_rounding_[i]});
  }
  out.q_sup = nan_unless(q_known, q_sup);
  const bool same_events = !match_.difference;
  out.event_times = nan_unless(same_events && std::isfinite(time_bar_), time_bar_);
  // a jump that one of the runs lacks is as far from the other graph as it is high: in u_sup
  out.u_hausdorff = nan_unless(u_known, same_events ? std::max(u_sup, time_bar_) : u_sup);
  out.relative = relative_;
  out.digits_lost = digits_lost_, out.known_until = known_until_;
}

}  // namespace saltus

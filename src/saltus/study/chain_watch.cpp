#include "saltus/study/chain_watch.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

// The vertex of the parabola through three points, where they resolve a peak at the middle one: no change
// beside it is larger than a tenth.
bool refine(const double (&t)[3], const double (&f)[3], double& time, double& value) {
  constexpr double resolved = 0.1;
  const double before = f[1] - f[0], after = f[2] - f[1], most = resolved * std::abs(f[1]);
  if (std::abs(before) > most || std::abs(after) > most) return false;
  const double a = t[1] - t[0], b = t[2] - t[1];
  if (!(a > 0 && b > 0)) return false;
  const double slope_a = before / a, slope_b = after / b, bend = (slope_b - slope_a) / (a + b);
  if (bend == 0) return false;
  const double slope = (slope_a * b + slope_b * a) / (a + b), x = -slope / (2 * bend);
  if (!(x > -a && x < b)) return false;
  time = t[1] + x, value = f[1] + 0.5 * slope * x;
  return true;
}

}  // namespace

ChainWatch::ChainWatch(const Problem& problem) : problem_(problem), chain_(as_chain(problem.system.get())) {
  if (chain_) dashpots_ = chain_->data().beta == 1 || (chain_->data().betas.array() == 1).any();
}

int ChainWatch::follow(Quantity quantity, int contact, bool largest) {
  peaks_.push_back({quantity, contact, largest, {}});
  return static_cast<int>(peaks_.size()) - 1;
}

int ChainWatch::follow_arrival(int bead) {
  arrivals_.push_back({bead});
  return static_cast<int>(arrivals_.size()) - 1;
}

double ChainWatch::value(Quantity quantity, int contact, In q, In u, const ChainEnds& ends) const {
  return quantity == Quantity::force ? chain_->force(contact, q, u, ends)
                                     : chain_->overlap(contact, q.data(), ends);
}

double ChainWatch::value(Quantity quantity, int contact, const State& x) const {
  return value(quantity, contact, x.q, x.u, chain_->ends(x.t));
}

void ChainWatch::start() {
  if (!chain_) return;
  const State x{problem_.t0, problem_.q0, problem_.u0, {}, {}, {}};
  const ChainEnds ends = chain_->ends(x.t);
  for (Peak& p : peaks_) see(p, x, ends);
  if (arrivals_.empty() && !front_) return;
  const int N = chain_->beads();
  fastest_ = x.u.cwiseAbs().maxCoeff();
  for (Arrival& a : arrivals_)
    if (moves(a.bead, x.u)) a.time = x.t;
  while (first_ < N && fastest_ > 0 && !moves(first_, x.u)) ++first_;
  if (fastest_ == 0) first_ = 0;
  for (int n = first_; front_ && n < N && moves(n, x.u); ++n) front_times_.push_back(x.t);
}

void ChainWatch::take(Peak& p, double t, double f) {
  if (std::isnan(p.best.value) || (p.largest ? f > p.best.value : f < p.best.value)) p.best = {f, t};
}

// The force of a dashpot (beta = 1) jumps where its contact closes, and may be largest there. Up to then the
// contact does nothing: its overlap follows the accelerations that the two beads have at the start of the
// step without it.
void ChainWatch::see_closing(Peak& p, int n, const Segment& s) const {
  const ChainData& d = chain_->data();
  if ((d.betas.size() > 0 ? d.betas[n] : d.beta) != 1 || !(d.k[n] * d.gamma[n] > 0)) return;
  const int N = chain_->beads();
  const State& x = s.begin;
  const ChainEnds from = chain_->ends(x.t), to = chain_->ends(s.end.t);
  const double a = chain_->overlap(n, x.q.data(), from), h = s.end.t - x.t;
  if (!(a <= 0 && chain_->overlap(n, s.end.q.data(), to) > 0)) return;
  const auto pushed = [&](int bead, double other) {
    if (bead == 0) other += from.left_push;
    if (bead == N - 1) other += from.right_push;
    return (other + chain_->constant_force(bead) - chain_->local(bead) * x.q[bead] -
            chain_->dashpot(bead) * x.u[bead]) /
           d.m[bead];
  };
  const double before =
      n > 0 ? pushed(n - 1, chain_->force(n - 1, x.q, x.u, from)) : (to.left_rate - from.left_rate) / h;
  const double after =
      n < N ? pushed(n, -chain_->force(n + 1, x.q, x.u, from)) : (to.right_rate - from.right_rate) / h;
  // the first root of a + rate t + pull t²/2, or the end of the step where rounding has none
  const double rate = chain_->rate(n, x.u.data(), from), pull = before - after;
  const double under = rate * rate - 2 * pull * a, root = under > 0 ? std::sqrt(under) : 0;
  const double t = rate + root > 0 ? std::min(h, -2 * a / (rate + root)) : h;
  take(p, x.t + t, d.k[n] * d.gamma[n] * (rate + pull * t));
}

void ChainWatch::see(Peak& p, const State& x, const ChainEnds& ends) const {
  double now = 0;
  if (p.contact == all) {
    now = p.largest ? -infinity : infinity;
    // where nothing ever moved values are those of the start, which were looked at
    const bool known = x.moved.start != 0;
    const int from = known ? x.moved.begin : 0,
              to = known ? std::min(x.moved.end, chain_->beads()) : chain_->beads();
    for (int n = from; n <= to; ++n) {
      if (chain_->data().k[n] == 0) continue;
      const double y = value(p.quantity, n, x.q, x.u, ends);
      now = p.largest ? std::max(now, y) : std::min(now, y);
    }
    if (!std::isfinite(now)) return;
  } else {
    now = value(p.quantity, p.contact, x.q, x.u, ends);
  }
  take(p, x.t, now);
  const bool turned =
      p.known == 2 && (p.largest ? p.f[1] >= p.f[0] && p.f[1] >= now : p.f[1] <= p.f[0] && p.f[1] <= now);
  if (turned) {
    double t = 0, f = 0;
    if (refine({p.t[0], p.t[1], x.t}, {p.f[0], p.f[1], now}, t, f)) take(p, t, f);
  }
  if (p.known == 2) p.t[0] = p.t[1], p.f[0] = p.f[1];
  const int at = std::min(p.known, 1);
  p.t[at] = x.t, p.f[at] = now, p.known = std::min(p.known + 1, 2);
}

// Linear within the step.
double ChainWatch::time_of(int bead, const Segment& s) const {
  const double a = std::abs(s.begin.u[bead]), b = std::abs(s.end.u[bead]), goal = reached * fastest_;
  const double part = b > a ? std::clamp((goal - a) / (b - a), 0.0, 1.0) : 1;
  return s.begin.t + part * (s.end.t - s.begin.t);
}

void ChainWatch::operator()(const Segment& s) {
  if (!chain_) return;
  if (!peaks_.empty()) {
    const ChainEnds ends = chain_->ends(s.end.t);
    for (Peak& p : peaks_) {
      see(p, s.end, ends);
      if (!dashpots_ || p.quantity != Quantity::force) continue;
      const bool moved = s.end.moved.start != 0;
      if (p.contact != all)
        see_closing(p, p.contact, s);
      else
        for (int n = moved ? s.end.moved.begin : 0; n <= (moved ? s.end.moved.end : chain_->beads()); ++n)
          see_closing(p, n, s);
    }
  }
  if (arrivals_.empty() && !front_) return;
  const int N = chain_->beads();
  const bool known = s.end.moved.start != 0;
  for (int n = known ? s.end.moved.begin : 0; n < (known ? s.end.moved.end : N); ++n)
    fastest_ = std::max(fastest_, std::abs(s.end.u[n]));
  for (Arrival& a : arrivals_)
    if (std::isnan(a.time) && moves(a.bead, s.end.u)) a.time = time_of(a.bead, s);
  if (!front_) return;
  for (int n = first_ + static_cast<int>(front_times_.size()); n < N && moves(n, s.end.u); ++n)
    front_times_.push_back(std::max(time_of(n, s), front_times_.empty() ? s.begin.t : front_times_.back()));
}

double ChainWatch::front_speed() const {
  const int n = static_cast<int>(front_times_.size());
  if (n < 5) return std::nan("");
  const int a = (n - 1) / 2, b = n - 1;
  return chain_->distance(first_ + a, first_ + b) /
         (front_times_[static_cast<std::size_t>(b)] - front_times_[static_cast<std::size_t>(a)]);
}

void ChainWatch::memory(Memory& m) {
  for (Peak& p : peaks_) {
    m(p.best.value, p.best.time, p.t[0], p.t[1], p.f[0], p.f[1], p.known);
    m.require(p.known >= 0 && p.known <= 2);
  }
  for (Arrival& a : arrivals_) m(a.time);
  if (arrivals_.empty() && !front_) return;
  m(fastest_, first_, front_times_);
  m.require(first_ >= 0 && chain_ &&
            front_times_.size() <=
                static_cast<std::size_t>(chain_->beads() - std::min(first_, chain_->beads())));
}

}  // namespace saltus

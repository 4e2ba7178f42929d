#include "saltus/run/load_share.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

// Of the accelerations that contacts make: what another share could change them by.
constexpr double negligible = 1e-5;
// Of coordinates and of velocities: what is zero beside them.
constexpr double still = 1e-12;
// Looks that are always made, and one of how many steps may have another.
constexpr std::int64_t first_looks = 64, seldom = 64;
// The cube of the contacts is what a look costs, and some 500 for a degree of freedom: one at 160 contacts or
// four at a hundred are always made, and more as steps go on, up to a few hundredths of what these cost.
// Thousands of disks would otherwise spend their time here.
constexpr double first_effort = 160.0 * 160 * 160, effort_of_a_step = 1000;
constexpr double effort_of_a_dof = 500, effort_of_a_step_and_dof = 20;

}  // namespace

LoadShareWatch::LoadShareWatch(const System& system)
    : system_(system), dynamics_(system, faults_), rest_(Vec::Zero(system.shape().nu)) {}

bool LoadShareWatch::has_use(const System& system) {
  const auto laws = system.laws();
  return std::any_of(laws.begin(), laws.end(), [](const Law& law) { return is_frictional(law); });
}

void LoadShareWatch::memory(Memory& m) {
  m(ids_, modes_, lasted_, next_, steps_, looks_, effort_, found_, t_, part_, sharing_);
  m.require(ids_.size() == modes_.size() && lasted_ >= 0 && next_ > 0 && steps_ >= 0 && looks_ >= 0 &&
            effort_ >= 0 && part_ >= 0);
}

// When a contact changes, and then after twice as many steps each time: slip turns while nothing else does.
// Where contacts change all the time, in few steps.
bool LoadShareWatch::is_due(const ContactMemory& now) {
  const auto same = [&] {
    if (ids_.size() != now.closed.size()) return false;
    for (std::size_t k = 0; k < ids_.size(); ++k)
      if (ids_[k] != now.closed[k].id || modes_[k] != now.closed[k].mode) return false;
    return true;
  };
  if (!same()) {
    ids_.clear(), modes_.clear();
    for (const auto& r : now.closed) ids_.push_back(r.id), modes_.push_back(r.mode);
    lasted_ = 0, next_ = 1;
  }
  ++steps_;
  const auto contacts = static_cast<double>(now.closed.size()), dofs = static_cast<double>(rest_.size());
  const double effort = contacts * contacts * contacts + effort_of_a_dof * dofs;
  const double allowed = effort_of_a_step + effort_of_a_step_and_dof * dofs;
  if (++lasted_ < next_ || looks_ > first_looks + steps_ / seldom ||
      effort_ + effort > first_effort + allowed * static_cast<double>(steps_))
    return false;
  next_ = 2 * lasted_, ++looks_, effort_ += effort;
  return std::any_of(now.closed.begin(), now.closed.end(),
                     [](const auto& r) { return r.has_gap && !is_constraint(r.mode); });
}

// Whether a contact touches as those do that pressed: solvers that answer at the edge of what is admissible
// leave some without a load.
bool LoadShareWatch::touches(const Contact& c, const Vec& u) const {
  constexpr double slack = 10;
  const double speed = std::abs(dynamics_.gamma(c.row, u));
  double terms = 0;
  for (const auto& e : dynamics_.contacts().Wt.row(c.row)) terms += std::abs(e.value * u[e.column]);
  return std::abs(dynamics_.contacts().gap[c.row]) <= slack * gap_ + rounding_ &&
         speed <= slack * rate_ + still * terms;
}

// The frozen contact and its load: sliding as it does at the end of the step.
void LoadShareWatch::take(const Contact& c, Mode mode, const double* P, int rows, double h, const Vec& u) {
  const Law& law = system_.laws()[c.law];
  FrozenContact f{c.id, mode, {}};
  const int first = needs_closed_gap(law) ? 1 : 0;
  const auto turn = [&](int at, int n) {
    double length = 0;
    for (int k = 0; k < n; ++k) length = std::hypot(length, dynamics_.gamma(c.row + at + k, u));
    for (int k = 0; k < n && length > 0; ++k)
      f.slip[at - first + k] = dynamics_.gamma(c.row + at + k, u) / length;
  };
  if (!is_constraint(mode) && is_frictional(law)) {
    const auto discs = discs_of(law);
    // of rolling friction that slides, other discs may do either: they are taken to hold
    if (mode != Mode::roll) turn(discs.begin()->at, discs.begin()->rows);
  } else if (!is_constraint(mode)) {
    turn(first, saltus::rows(law) - first);
  }
  Load load{c.id, {}};
  for (int k = 0; k < rows; ++k) load.force[k] = P[k] / h;
  frozen_.push_back(f), loads_.push_back(load);
}

// The contacts that pressed in the step, and those that touch without a load. False: too few.
bool LoadShareWatch::freeze(const Segment& s) {
  const State& x = s.end;
  const double h = x.t - s.begin.t;
  frozen_.clear(), loads_.clear();
  if (system_.shape().changing_contacts) dynamics_.list(x.t, x.q, 2 * h * system_.closing_speed(x.u));
  dynamics_.place(x.t, x.q);
  const auto record = [&](const Contact& c) {
    const auto& closed = x.contacts.closed;
    const auto r = std::find_if(closed.begin(), closed.end(), [&](const auto& k) { return k.id == c.id; });
    if (r == closed.end() || r->rows != rows(system_.laws()[c.law])) return closed.end();
    return r->has_gap && !(x.contacts.impulse[r->offset] > 0) ? closed.end() : r;
  };
  const ContactSet& set = dynamics_.contacts();
  bool slides = false;
  int contacts = 0;
  gap_ = rate_ = 0;
  for (const Contact& c : set.contacts) {
    const auto r = record(c);
    if (r == x.contacts.closed.end() || !r->has_gap || is_absent(set.gap[c.row])) continue;
    gap_ = std::max(gap_, std::abs(set.gap[c.row])),
    rate_ = std::max(rate_, std::abs(dynamics_.gamma(c.row, x.u)));
    slides = slides || !is_constraint(r->mode);
  }
  rounding_ =
      still * (system_.shape().flat ? x.q.lpNorm<Eigen::Infinity>() : 1 + x.q.lpNorm<Eigen::Infinity>());
  for (const Contact& c : set.contacts) {
    const Law& law = system_.laws()[c.law];
    if (std::holds_alternative<Equality>(law)) continue;
    const auto r = record(c);
    constexpr double nothing[max_block_rows] = {};
    if (r != x.contacts.closed.end())
      take(c, r->mode, x.contacts.impulse.data() + r->offset, r->rows, h, x.u);
    else if (needs_closed_gap(law) && is_frictional(law) && touches(c, x.u))
      take(c,
           discs_of(law).begin()->rows == 1 && dynamics_.gamma(c.row + 1, x.u) < 0 ? Mode::slip_back
                                                                                   : Mode::slip,
           nothing, 0, h, x.u);
    else
      continue;
    contacts += needs_closed_gap(law);
  }
  return slides && contacts > 1;
}

// Accelerations from rest with shares as close as can be to those of the step, tilted.
bool LoadShareWatch::solve(const State& x, double tilt, Vec& a, std::vector<double>& forces) {
  tilted_.assign(loads_.begin(), loads_.end());
  tilt_loads(tilted_, tilt);
  dynamics_.share_load(tilted_);
  dynamics_.freeze(frozen_);
  if (dynamics_.acceleration(x.t, x.q, rest_, a) != ClosedDynamics::Status::ok) return false;
  forces.clear();
  for (const Contact& c : dynamics_.contacts().contacts)
    if (std::any_of(frozen_.begin(), frozen_.end(), [&](const auto& f) { return f.id == c.id; }))
      forces.push_back(needs_closed_gap(system_.laws()[c.law]) ? dynamics_.lambda(c.row) : 0);
  return forces.size() == frozen_.size();
}

// √Σ f²/m
double LoadShareWatch::strength(const Vec& forces) {
  const Vec& root = dynamics_.root_mass();
  double sum = 0;
  for (Eigen::Index i = 0; i < root.size(); ++i)
    if (root[i] > 0) sum = std::hypot(sum, forces[i] / root[i]);
  return sum;
}

void LoadShareWatch::look(const Segment& s) {
  if (!is_due(s.end.contacts) || !freeze(s)) return;
  if (!solve(s.end, 0, a_, forces_) || !dynamics_.load_matters()) return;
  if (!solve(s.end, 1, b_, other_)) return;
  // how far the shares of the step may go that way, or back, before a contact would pull
  double forth = infinity, back = infinity, most = 0, largest = 0;
  for (std::size_t k = 0; k < frozen_.size(); ++k) {
    const double n = other_[k] - forces_[k], P = loads_[k].force[0];
    most = std::max(most, std::abs(n)), largest = std::max(largest, std::abs(P));
    if (n < 0) forth = std::min(forth, -P / n);
    if (n > 0) back = std::min(back, P / n);
  }
  if (!(most > negligible * largest)) return;
  const double far = std::max(forth, back);
  Vec weighed = b_ - a_;
  weighed.array() *= dynamics_.root_mass().array();
  push_.setZero(rest_.size());
  const auto& contacts = dynamics_.contacts();
  for (const Contact& c : contacts.contacts)
    for (std::size_t k = 0; k < frozen_.size(); ++k)
      if (frozen_[k].id == c.id)
        for (int r = 0; r < rows(system_.laws()[c.law]); ++r)
          contacts.Wt.add_to(c.row + r, loads_[k].force[r], push_.data());
  const double part = far * weighed.norm() / strength(push_);
  if (!(part > negligible) || !(far < infinity)) return;
  found_ = true, t_ = s.end.t, part_ = part;
  for (std::size_t k = 0; k < frozen_.size(); ++k)
    if (std::abs(other_[k] - forces_[k]) > negligible * most) sharing_.push_back(frozen_[k].id);
}

void LoadShareWatch::close(RunResult& result) const {
  constexpr std::size_t named = 6;
  if (!found_) return;
  result.undetermined_from = t_;
  std::string names;
  for (std::size_t k = 0; k < std::min(named, sharing_.size()); ++k)
    names += (k > 0 ? ", " : "") + system_.contact_name(sharing_[k]);
  if (sharing_.size() > named) names += fmt::format(" and {} more", sharing_.size() - named);
  result.warnings.push_back(fmt::format(
      "the model does not determine the motion from t = {:.6g} on: contacts {} are redundant and slide, so "
      "that "
      "their friction depends on how they share the load, and another share changes accelerations by up to "
      "{:.2g} of what contacts do; the shares are one choice of many, other methods may make another; use "
      "fewer "
      "contacts, or compliant ones",
      t_, names, part_));
}

}  // namespace saltus

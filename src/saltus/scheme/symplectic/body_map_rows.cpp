// Which rows act in the maps of body_map.hpp, and along which directions.
#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/scheme/symplectic/body_map.hpp"

namespace saltus {

// Contacts that may close within the step
void BodyMap::list(double t, const Vec& q, double h, const Vec& u) {
  if (shape_.changing_contacts)
    system_.list_moving(t, q, u, std::abs(h), set_);
  else if (!listed_)
    system_.list(t, q, set_);
  else
    system_.gaps(t, q, set_);
  listed_ = true;
}

// Joints, and of the contacts that are held the rows that act.
void BodyMap::select(const Vec& u) {
  rows_.clear();
  const auto laws = system_.laws();
  auto held = held_.begin();
  for (int i = 0; i < static_cast<int>(set_.contacts.size()); ++i) {
    const Contact& c = set_.contacts[i];
    const Law& law = laws[c.law];
    if (const auto* joint = std::get_if<Equality>(&law)) {
      for (int r = 0; r < joint->size; ++r) rows_.push_back({c.row + r, i});
      continue;
    }
    while (held != held_.end() && held->id < c.id) ++held;
    if (held == held_.end() || held->id != c.id) continue;
    const int used = held->mode == Mode::stick ? saltus::rows(law) : needs_closed_gap(law) ? 1 : 0;
    for (int r = 0; r < used; ++r) rows_.push_back({c.row + r, i, row_has_gap(law, r)});
  }
  if (friction_) turn(u);
}

// The direction of slip, and with it the friction of the contacts that slide.
void BodyMap::turn(const Vec& u) {
  const auto laws = system_.laws();
  auto held = held_.begin();
  for (Row& r : rows_) {
    const Contact& c = set_.contacts[r.contact];
    while (held != held_.end() && held->id < c.id) ++held;
    if (held == held_.end() || held->id != c.id) continue;
    const auto* law = std::get_if<Coulomb>(&laws[c.law]);
    if (!law || (held->mode != Mode::slip && held->mode != Mode::slip_back)) continue;
    if (law->tangents == 1) {
      r.mu[0] = held->mode == Mode::slip_back ? -law->mu : law->mu;
      continue;
    }
    double d[2];
    if (slip_direction(c, c.row + 1, u, d)) r.mu[0] = law->mu * d[0], r.mu[1] = law->mu * d[1];
  }
}

// Of two tangential rows; false: nothing moves.
bool BodyMap::slip_direction(const Contact& c, int row, const Vec& u, double* s) const {
  for (const Direction& d : directions_)
    if (d.id == c.id) return s[0] = d.s[0], s[1] = d.s[1], true;
  const double a = set_.Wt.dot(row, u.data()) + set_.drift[row],
               b = set_.Wt.dot(row + 1, u.data()) + set_.drift[row + 1], n = std::hypot(a, b);
  s[0] = n > 0 ? a / n : 0, s[1] = n > 0 ? b / n : 0;
  return n > 0;
}

void BodyMap::freeze_directions(double t, const Vec& q, double h, const Vec& u) {
  directions_.clear();
  list(t, q, h, u);
  system_.directions(t, q, set_);
  const auto laws = system_.laws();
  for (const Contact& c : set_.contacts) {
    const int tangent = needs_closed_gap(laws[c.law]) ? 1 : 0;
    Direction d{c.id, {0, 0}};
    const bool held = std::any_of(held_.begin(), held_.end(),
                                  [&](const HeldContact& k) { return k.id == c.id && k.mode == Mode::slip; });
    if (held && saltus::rows(laws[c.law]) == tangent + 2 && slip_direction(c, c.row + tangent, u, d.s))
      directions_.push_back(d);
  }
}

// Laws without a gap that do not hold: where they push, at the directions of the set.
void BodyMap::find_limits() {
  limits_.clear(), limit_rows_.clear(), limit_drift_.clear(), limit_force_.clear();
  if (!friction_) return;
  const auto laws = system_.laws();
  auto held = held_.begin();
  for (int i = 0; i < static_cast<int>(set_.contacts.size()); ++i) {
    const Contact& c = set_.contacts[i];
    while (held != held_.end() && held->id < c.id) ++held;
    if (held == held_.end() || held->id != c.id) continue;
    if (needs_closed_gap(laws[c.law]) || held->mode == Mode::stick) continue;
    const auto limits = limits_of(laws[c.law]);
    limits_.push_back(i);
    for (int r = 0; r < saltus::rows(laws[c.law]); ++r) {
      limit_rows_.append_row(std::as_const(set_.Wt).row(c.row + r));
      limit_drift_.push_back(set_.drift[c.row + r]);
      limit_force_.push_back(!limits ? 0 : held->mode == Mode::slip_back ? limits->upper : limits->lower);
    }
  }
}

// Adds their forces to f_; in a plane they are against u.
void BodyMap::add_limits(const Vec& u) {
  const auto laws = system_.laws();
  int first = 0;
  for (const int i : limits_) {
    const Law& law = laws[set_.contacts[i].law];
    const int n = saltus::rows(law);
    const std::uint64_t id = set_.contacts[i].id;
    const auto fixed =
        std::find_if(directions_.begin(), directions_.end(), [&](const Direction& d) { return d.id == id; });
    if (!limits_of(law)) {
      constexpr double far = 1e100;  // outside of any set of forces
      for (int r = first; r < first + n; ++r)
        limit_force_[r] =
            -far * (fixed != directions_.end() ? fixed->s[r - first]
                                               : limit_rows_.dot(r, u.data()) + limit_drift_[r]);
      prox(law, 1, limit_force_.data() + first);
    }
    for (int r = first; r < first + n; ++r) limit_rows_.add_to(r, limit_force_[r], f_.data());
    first += n;
  }
}

void BodyMap::impulses(double h, std::vector<double>& by_row) const {
  by_row.assign(set_.rows(), 0.0);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& r = rows_[k];
    by_row[r.row] += total_[k];
    for (int j = 0; j < 2; ++j)
      if (r.mu[j] != 0) by_row[r.row + 1 + j] -= r.mu[j] * total_[k];
  }
  const auto laws = system_.laws();
  int first = 0;
  for (const int i : limits_) {
    const Contact& c = set_.contacts[i];
    for (int r = 0; r < saltus::rows(laws[c.law]); ++r) by_row[c.row + r] = h * limit_force_[first++];
  }
}

void BodyMap::gather(SparseRows& out, bool friction) const {
  out.clear();
  for (const Row& r : rows_) {
    for (const auto& e : set_.Wt.row(r.row)) out.add(e.column, e.value);
    for (int k = 0; friction && k < 2; ++k)
      if (r.mu[k] != 0)
        for (const auto& e : set_.Wt.row(r.row + 1 + k)) out.add(e.column, -r.mu[k] * e.value);
    out.end_row();
  }
}

}  // namespace saltus

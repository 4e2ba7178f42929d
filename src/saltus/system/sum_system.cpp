#include "saltus/system/sum_system.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"
#include "saltus/linalg/pattern.hpp"

namespace saltus {
namespace {

constexpr int part_bits = 56;
constexpr std::uint64_t part_mask = (std::uint64_t{1} << part_bits) - 1;

Pattern::Entries places(const Pattern& pattern, int n) {
  Pattern::Entries out = entries_of(pattern, n);
  for (int i = 0; i < n && (pattern.kind == Pattern::diagonal || pattern.kind == Pattern::sparse); ++i)
    out.emplace_back(i, i);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void add_block(const Matrix& part, int first, Matrix& out) {
  part.for_each([&](int i, int j, double x) {
    if (x != 0) out.add(first + i, first + j, x);
  });
}

}  // namespace

std::unique_ptr<Workspace> SumSystem::make_workspace() const {
  auto room = std::make_unique<Room>();
  room->h.setZero(shape_.nu);
  for (const Part& p : parts_)
    room->parts.push_back({p.system->make_workspace(),
                           Matrix(p.n, p.shape.mass),
                           Matrix(p.n, p.shape.jacobian),
                           Matrix(p.n, p.shape.jacobian),
                           {}});
  return room;
}

SumSystem::SumSystem(int nq, int nu, const std::vector<SystemPart>& parts) {
  shape_ = {nq, nu, {}, {}, true, true, true, true};
  Pattern::Entries mass, jacobian;
  bool open = false;
  for (const auto& [system, first, first_q, soft, overlay] : parts) {
    const Shape s = system->shape();
    Part p{system, first, s.nu,   first_q < 0 ? first : first_q, s.nq, static_cast<int>(laws_.size()), 0,
           s,      soft,  overlay};
    if (first < 0 || first + p.n > nu || p.first_q + p.m > nq)
      fail("a part has the coordinates {} to {} of {}", p.first_q, p.first_q + p.m - 1, nq);
    for (const auto& [i, j] : places(s.mass, p.n)) mass.emplace_back(first + i, first + j);
    for (const auto& [i, j] : places(s.jacobian, p.n)) jacobian.emplace_back(first + i, first + j);
    open = open || s.jacobian.is_open();
    laws_.insert(laws_.end(), system->laws().begin(), system->laws().end());
    if (const auto all = system->contacts(); !all.empty())
      p.rows = all.back().row + saltus::rows(system->laws()[all.back().law]);
    shape_.constant_mass &= s.constant_mass;
    shape_.linear_force &= s.linear_force;
    shape_.constant_directions &= s.constant_directions;
    shape_.changing_contacts |= s.changing_contacts;
    shape_.tells_passages |= s.tells_passages;
    shape_.kinked_gaps |= s.kinked_gaps;
    shape_.spins |= s.spins;
    parts_.push_back(std::move(p));
  }
  shape_.mass = pattern_holding(nu, std::move(mass));
  shape_.jacobian = open ? Pattern{Pattern::sparse, 0, nullptr} : pattern_holding(nu, std::move(jacobian));
  find_charts();
  for (std::size_t k = 0, row = 0; k < parts_.size() && !shape_.changing_contacts; row += parts_[k++].rows)
    for (const Contact& c : parts_[k].system->contacts())
      contacts_.push_back(
          {std::uint64_t{k} << part_bits | c.id, parts_[k].law + c.law, static_cast<int>(row) + c.row});
}

// Of the parts on the same coordinates the first retracts them.
void SumSystem::find_charts() {
  for (const Part& p : parts_) shape_.flat &= p.shape.flat;
  flat_ = 0;
  if (shape_.flat && shape_.nq == shape_.nu &&
      std::all_of(parts_.begin(), parts_.end(), [](const Part& p) { return p.first == p.first_q; }))
    return;
  shape_.flat = false;
  int covered = 0;
  flat_ = std::min(shape_.nq, shape_.nu);
  for (int k = 0; k < static_cast<int>(parts_.size()); ++k) {
    const Part& p = parts_[k];
    if (p.overlay) continue;
    const auto same = [&](int c) {
      return parts_[c].first_q == p.first_q && parts_[c].m == p.m && parts_[c].first == p.first;
    };
    const auto meets = [&](int c) {
      return parts_[c].first_q < p.first_q + p.m && p.first_q < parts_[c].first_q + parts_[c].m;
    };
    if (std::any_of(charts_.begin(), charts_.end(), same)) continue;
    if (std::any_of(charts_.begin(), charts_.end(), meets))
      fail("part {} of the sum overlaps another without having the same coordinates, and one has rotations",
           k);
    charts_.push_back(k), covered += p.m;
    flat_ = std::min({flat_, p.first, p.first_q});
  }
  if (covered + flat_ != shape_.nq)
    fail("{} of {} coordinates belong to no part of the sum", shape_.nq - covered - flat_, shape_.nq);
}

void SumSystem::retract(In q, In v, Out out) const {
  if (charts_.empty()) return System::retract(q, v, out);
  out.head(flat_) = q.head(flat_) + v.head(flat_);
  for (const int k : charts_) {
    const Part& p = parts_[k];
    p.system->retract(p.q(q), p.u(v), out.segment(p.first_q, p.m));
  }
}

void SumSystem::difference(In q, In p, Out v) const {
  if (charts_.empty()) return System::difference(q, p, v);
  v.head(flat_) = p.head(flat_) - q.head(flat_);
  for (const int k : charts_) {
    const Part& x = parts_[k];
    x.system->difference(x.q(q), x.q(p), v.segment(x.first, x.n));
  }
}

void SumSystem::lift(In v, In u, Out out) const {
  if (charts_.empty()) return System::lift(v, u, out);
  out.head(flat_) = u.head(flat_);
  for (const int k : charts_) {
    const Part& p = parts_[k];
    p.system->lift(p.u(v), p.u(u), out.segment(p.first, p.n));
  }
}

void SumSystem::push(In v, In x, Out out) const {
  if (charts_.empty()) return System::push(v, x, out);
  out.head(flat_) = x.head(flat_);
  for (const int k : charts_) {
    const Part& p = parts_[k];
    p.system->push(p.u(v), p.u(x), out.segment(p.first, p.n));
  }
}

void SumSystem::sizes(In q, Out out) const {
  if (charts_.empty()) return System::sizes(q, out);
  out.head(flat_) = q.head(flat_).cwiseAbs();
  for (const int k : charts_) {
    const Part& p = parts_[k];
    p.system->sizes(p.q(q), out.segment(p.first, p.n));
  }
}

std::vector<std::string> SumSystem::remarks() const {
  std::vector<std::string> out;
  for (const Part& p : parts_)
    for (std::string& text : p.system->remarks()) out.push_back(std::move(text));
  return out;
}

// Momenta that turn belong to the part that retracts: one on each slice.
void SumSystem::spin_impulse(double h, double theta, In u0, In u1, Out out) const {
  out.setZero();
  for (const int k : charts_)
    if (const Part& p = parts_[k]; p.shape.spins)
      p.system->spin_impulse(h, theta, p.u(u0), p.u(u1), out.segment(p.first, p.n));
}

void SumSystem::mass(double t, In q, Matrix& M, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  M.set_zero();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    auto& [work, mass, dq, du, set] = room.parts[k];
    p.system->mass(t, p.q(q), mass, *work);
    add_block(mass, p.first, M);
  }
}

void SumSystem::force(double t, In q, In u, Out h, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  h.setZero();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    p.system->force(t, p.q(q), p.u(u), room.h.head(p.n), *room.parts[k].work);
    for (int i = 0; i < p.n; ++i) h[p.first + i] += room.h[i];
  }
}

void SumSystem::force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  dq.set_zero(), du.set_zero();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    Room::OfPart& of = room.parts[k];
    p.system->force_jacobians(t, p.q(q), p.u(u), of.dq, of.du, *of.work);
    add_block(of.dq, p.first, dq);
    add_block(of.du, p.first, du);
  }
}

void SumSystem::list(double t, In q, ContactSet& out, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  out.contacts.clear(), out.gap.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    ContactSet& set = room.parts[k].set;
    set.look_ahead = out.look_ahead, set.sharp = out.sharp;
    set.velocities = out.velocities ? out.velocities + p.first : nullptr, set.lead = out.lead;
    p.system->list(t, p.q(q), set, *room.parts[k].work);
    const int row = static_cast<int>(out.gap.size());
    for (const Contact& c : set.contacts)
      out.contacts.push_back({std::uint64_t{k} << part_bits | c.id, p.law + c.law, row + c.row});
    out.gap.insert(out.gap.end(), set.gap.begin(), set.gap.end());
  }
}

void SumSystem::gaps(double t, In q, ContactSet& out, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  int row = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    ContactSet& set = room.parts[k].set;
    take_part(out, k, set);
    p.system->gaps(t, p.q(q), set, *room.parts[k].work);
    std::copy(set.gap.begin(), set.gap.end(), out.gap.begin() + row);
    row += set.rows();
  }
}

void SumSystem::kinks(double t, In q, In u, std::vector<Kink>& out, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    const std::size_t first = out.size();
    p.system->kinks(t, p.q(q), p.u(u), out, *room.parts[k].work);
    for (std::size_t i = first; i < out.size(); ++i) out[i].id |= std::uint64_t{k} << part_bits;
  }
}

std::span<const Parameter> SumSystem::parameters() const {
  for (const Part& p : parts_)
    if (const auto list = p.system->parameters(); !list.empty()) return list;
  return {};
}

double SumSystem::closing_speed(In u) const {
  double most = 0;
  for (const Part& p : parts_) most = std::max(most, p.system->closing_speed(p.u(u)));
  return most;
}

bool SumSystem::passes(double t0, In q0, double t1, In q1, double share, Passage& out) const {
  for (const Part& p : parts_)
    if (p.system->passes(t0, p.q(q0), t1, p.q(q1), share, out)) return true;
  return false;
}

void SumSystem::take_part(const ContactSet& all, std::size_t k, ContactSet& part) const {
  const auto of = [&](const Contact& c) { return c.id >> part_bits; };
  part.contacts.clear(), part.gap.clear();
  part.sharp = all.sharp;
  int first = -1, last = 0;
  for (const Contact& c : all.contacts) {
    if (of(c) != k) continue;
    if (first < 0) first = c.row;
    part.contacts.push_back({c.id & part_mask, c.law - parts_[k].law, c.row - first});
    last = c.row + saltus::rows(laws_[c.law]);
  }
  if (first >= 0) part.gap.assign(all.gap.begin() + first, all.gap.begin() + last);
}

void SumSystem::directions(double t, In q, ContactSet& out, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  out.Wt.clear(), out.drift.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    ContactSet& set = room.parts[k].set;
    take_part(out, k, set);
    p.system->directions(t, p.q(q), set, *room.parts[k].work);
    for (int r = 0; r < set.Wt.rows(); ++r, out.Wt.end_row())
      for (const auto& e : std::as_const(set.Wt).row(r)) out.Wt.add(p.first + e.column, e.value);
    out.drift.insert(out.drift.end(), set.drift.begin(), set.drift.end());
  }
}

void SumSystem::bias(double t, In q, In u, ContactSet& out, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  out.bias.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    ContactSet& set = room.parts[k].set;
    take_part(out, k, set);
    p.system->bias(t, p.q(q), p.u(u), set, *room.parts[k].work);
    out.bias.insert(out.bias.end(), set.bias.begin(), set.bias.end());
  }
}

// A part without second derivatives has empty rows: the iteration that asks for them still converges.
void SumSystem::curvature(double t, In q, In u, In a, const double* lambda, Matrix& K, Curvature& out,
                          Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  out.velocity.clear(), out.acceleration.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    const auto* curved = p.system->curved();
    const int rows = p.shape.changing_contacts ? room.parts[k].set.rows() : p.rows;  // as listed last
    Curvature& part = room.curvature;
    part.velocity.clear(), part.acceleration.clear();
    if (curved) {
      Room::OfPart& of = room.parts[k];
      of.dq.set_zero();
      curved->curvature(t, p.q(q), p.u(u), p.u(a), lambda, of.dq, part, *of.work);
      add_block(of.dq, p.first, K);
    }
    for (int r = 0; r < rows; ++r) {
      for (const auto& [from, to] :
           {std::pair{&part.velocity, &out.velocity}, std::pair{&part.acceleration, &out.acceleration}}) {
        if (curved)
          for (const auto& e : std::as_const(*from).row(r)) to->add(p.first + e.column, e.value);
        to->end_row();
      }
    }
    lambda += rows;
  }
}

double SumSystem::potential(double t, In q, Workspace& w) const {
  double sum = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    sum += parts_[k].system->potential(t, parts_[k].q(q), *static_cast<Room&>(w).parts[k].work);
  return sum;
}

double SumSystem::energy(double t, In q, In u, Workspace& w) const {
  double sum = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    sum += parts_[k].system->energy(t, parts_[k].q(q), parts_[k].u(u), *static_cast<Room&>(w).parts[k].work);
  return sum;
}

Powers SumSystem::powers() const {
  Powers out = Powers::none;
  for (const Part& p : parts_) {
    const Powers its = p.system->powers();
    if (its == Powers::unknown) return its;
    if (its == Powers::known) out = its;
  }
  return out;
}

Power SumSystem::power(double t, In q, In u, Workspace& w) const {
  Power sum;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Power p =
        parts_[k].system->power(t, parts_[k].q(q), parts_[k].u(u), *static_cast<Room&>(w).parts[k].work);
    sum.work += p.work, sum.damping += p.damping;
  }
  return sum;
}

double SumSystem::thickness(std::uint64_t contact) const {
  return parts_.at(contact >> part_bits).system->thickness(contact & part_mask);
}

std::string SumSystem::contact_name(std::uint64_t id) const {
  return parts_.at(id >> part_bits).system->contact_name(id & part_mask);
}

bool SumSystem::sketch(double t, In q, Sketch& out) const {
  bool drawn = false;
  const auto shift = [](auto& shapes, std::size_t from, int by) {
    for (; from < shapes.size(); ++from)
      if (shapes[from].at.x >= 0) shapes[from].at.x += by;
  };
  for (const Part& p : parts_) {
    const std::size_t rounds = out.rounds.size(), polygons = out.polygons.size(), solids = out.solids.size();
    drawn = p.system->sketch(t, p.q(q), out) || drawn;
    shift(out.rounds, rounds, p.first_q), shift(out.polygons, polygons, p.first_q);
    for (std::size_t k = solids; k < out.solids.size(); ++k)
      if (auto& s = out.solids[k]; s.velocity >= 0) s.velocity += p.first, s.position += p.first_q;
  }
  return drawn;
}

}  // namespace saltus

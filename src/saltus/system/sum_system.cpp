#include "saltus/system/sum_system.hpp"

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

Pool<SumSystem::Room>::Borrowed SumSystem::borrow() const {
  return rooms_.borrow([&] {
    Room room;
    room.sets.resize(parts_.size());
    room.h.setZero(n_);
    for (const Part& p : parts_) {
      room.mass.emplace_back(p.n, p.shape.mass);
      room.dq.emplace_back(p.n, p.shape.jacobian);
      room.du.emplace_back(p.n, p.shape.jacobian);
    }
    return room;
  });
}

SumSystem::SumSystem(int n, std::vector<SystemPart> parts) : n_(n) {
  shape_ = {n, n, {}, {}, true, true, true, true};
  Pattern::Entries mass, jacobian;
  bool open = false;
  for (auto& [system, first] : parts) {
    Part p{system, first, 0, static_cast<int>(laws_.size()), 0, system->shape()};
    p.n = p.shape.nu;
    if (!p.shape.flat || p.shape.nq != p.n) fail("a part with rotations cannot be added to others");
    if (first < 0 || first + p.n > n)
      fail("a part has the coordinates {} to {} of {}", first, first + p.n - 1, n);
    for (const auto& [i, j] : places(p.shape.mass, p.n)) mass.emplace_back(first + i, first + j);
    for (const auto& [i, j] : places(p.shape.jacobian, p.n)) jacobian.emplace_back(first + i, first + j);
    open = open || p.shape.jacobian.is_open();
    laws_.insert(laws_.end(), system->laws().begin(), system->laws().end());
    if (!p.shape.changing_contacts) {
      ContactSet set;
      system->gaps(0, Vec::Zero(p.n), set);
      p.rows = set.rows();
    }
    shape_.constant_mass &= p.shape.constant_mass;
    shape_.linear_force &= p.shape.linear_force;
    shape_.constant_directions &= p.shape.constant_directions;
    shape_.changing_contacts |= p.shape.changing_contacts;
    parts_.push_back(std::move(p));
  }
  shape_.mass = pattern_holding(n, std::move(mass));
  shape_.jacobian = open ? Pattern{Pattern::sparse, 0, nullptr} : pattern_holding(n, std::move(jacobian));
}

void SumSystem::mass(double t, In q, Matrix& M) const {
  const auto room = borrow();
  M.set_zero();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    p.system->mass(t, q.segment(p.first, p.n), room->mass[k]);
    add_block(room->mass[k], p.first, M);
  }
}

void SumSystem::force(double t, In q, In u, Out h) const {
  const auto room = borrow();
  h.setZero();
  for (const Part& p : parts_) {
    p.system->force(t, q.segment(p.first, p.n), u.segment(p.first, p.n), room->h.head(p.n));
    for (int i = 0; i < p.n; ++i) h[p.first + i] += room->h[i];
  }
}

void SumSystem::force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du) const {
  const auto room = borrow();
  dq.set_zero(), du.set_zero();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    p.system->force_jacobians(t, q.segment(p.first, p.n), u.segment(p.first, p.n), room->dq[k], room->du[k]);
    add_block(room->dq[k], p.first, dq);
    add_block(room->du[k], p.first, du);
  }
}

void SumSystem::gaps(double t, In q, ContactSet& out) const {
  const auto room = borrow();
  out.contacts.clear(), out.gap.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    ContactSet& set = room->sets[k];
    set.look_ahead = out.look_ahead;
    p.system->gaps(t, q.segment(p.first, p.n), set);
    const int row = static_cast<int>(out.gap.size());
    for (const Contact& c : set.contacts)
      out.contacts.push_back({std::uint64_t{k} << part_bits | c.id, p.law + c.law, row + c.row});
    out.gap.insert(out.gap.end(), set.gap.begin(), set.gap.end());
  }
}

double SumSystem::closing_speed(In u) const {
  double most = 0;
  for (const Part& p : parts_) most = std::max(most, p.system->closing_speed(u.segment(p.first, p.n)));
  return most;
}

bool SumSystem::passes(double t0, In q0, double t1, In q1, double share, Passage& out) const {
  for (const Part& p : parts_)
    if (p.system->passes(t0, q0.segment(p.first, p.n), t1, q1.segment(p.first, p.n), share, out)) return true;
  return false;
}

void SumSystem::take_part(const ContactSet& all, std::size_t k, ContactSet& part) const {
  const auto of = [&](const Contact& c) { return c.id >> part_bits; };
  part.contacts.clear(), part.gap.clear();
  int first = -1, last = 0;
  for (const Contact& c : all.contacts) {
    if (of(c) != k) continue;
    if (first < 0) first = c.row;
    part.contacts.push_back({c.id & part_mask, c.law - parts_[k].law, c.row - first});
    last = c.row + saltus::rows(laws_[c.law]);
  }
  if (first >= 0) part.gap.assign(all.gap.begin() + first, all.gap.begin() + last);
}

void SumSystem::directions(double t, In q, ContactSet& out) const {
  const auto room = borrow();
  out.Wt.clear(), out.drift.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    ContactSet& set = room->sets[k];
    take_part(out, k, set);
    p.system->directions(t, q.segment(p.first, p.n), set);
    for (int r = 0; r < set.Wt.rows(); ++r, out.Wt.end_row())
      for (const auto& e : std::as_const(set.Wt).row(r)) out.Wt.add(p.first + e.column, e.value);
    out.drift.insert(out.drift.end(), set.drift.begin(), set.drift.end());
  }
}

void SumSystem::bias(double t, In q, In u, ContactSet& out) const {
  const auto room = borrow();
  out.bias.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    ContactSet& set = room->sets[k];
    take_part(out, k, set);
    p.system->bias(t, q.segment(p.first, p.n), u.segment(p.first, p.n), set);
    out.bias.insert(out.bias.end(), set.bias.begin(), set.bias.end());
  }
}

// A part without second derivatives has empty rows: the iteration that asks for them still converges.
void SumSystem::curvature(double t, In q, In u, In a, const double* lambda, Matrix& K, Curvature& out) const {
  const auto room = borrow();
  out.velocity.clear(), out.acceleration.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    const auto* curved = p.system->curved();
    Curvature& part = room->curvature;
    part.velocity.clear(), part.acceleration.clear();
    if (curved) {
      room->dq[k].set_zero();
      curved->curvature(t, q.segment(p.first, p.n), u.segment(p.first, p.n), a.segment(p.first, p.n), lambda,
                        room->dq[k], part);
      add_block(room->dq[k], p.first, K);
    }
    for (int r = 0; r < p.rows; ++r) {
      for (const auto& [from, to] :
           {std::pair{&part.velocity, &out.velocity}, std::pair{&part.acceleration, &out.acceleration}}) {
        if (curved)
          for (const auto& e : std::as_const(*from).row(r)) to->add(p.first + e.column, e.value);
        to->end_row();
      }
    }
    lambda += p.rows;
  }
}

double SumSystem::potential(double t, In q) const {
  double sum = 0;
  for (const Part& p : parts_) sum += p.system->potential(t, q.segment(p.first, p.n));
  return sum;
}

double SumSystem::energy(double t, In q, In u) const {
  double sum = 0;
  for (const Part& p : parts_) sum += p.system->energy(t, q.segment(p.first, p.n), u.segment(p.first, p.n));
  return sum;
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
    const std::size_t rounds = out.rounds.size(), polygons = out.polygons.size();
    drawn = p.system->sketch(t, q.segment(p.first, p.n), out) || drawn;
    shift(out.rounds, rounds, p.first), shift(out.polygons, polygons, p.first);
  }
  return drawn;
}

}  // namespace saltus

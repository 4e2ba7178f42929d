#include "saltus/formula/formula_system.hpp"

#include <map>

#include "saltus/core/error.hpp"
#include "saltus/linalg/pattern.hpp"

namespace saltus {
namespace {

using Id = Graph::Id;

// Inputs in the order t, q, u.
auto inputs(double t, In q) {
  return [t, x = q.data()](int k) { return k == 0 ? t : x[k - 1]; };
}
auto inputs(double t, In q, In u) {
  return [t, x = q.data(), v = u.data(), n = static_cast<int>(q.size())](int k) {
    return k == 0 ? t : k <= n ? x[k - 1] : v[k - 1 - n];
  };
}

template <class Places>
Pattern pattern_of(int n, const Places& places) {
  Pattern::Entries entries;
  for (const auto& p : places) entries.emplace_back(p.row, p.column);
  return pattern_holding(n, std::move(entries));
}

bool all_numbers(const Graph& g, std::span<const Id> nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [&](Id i) { return g.is_number(i); });
}

std::vector<Id> joined(std::initializer_list<std::span<const Id>> parts) {
  std::vector<Id> out;
  for (const auto& p : parts) out.insert(out.end(), p.begin(), p.end());
  return out;
}

}  // namespace

// Only those that occur: by these alone derivatives are taken, so that a long chain costs what its length
// does.
std::vector<int> moved_by(const Graph& g, const FormulaInputs& in, Graph::Id f) {
  std::vector<int> out = g.inputs_of(f, in.q(0), in.q(in.nq()));
  if (!in.motion) return out;
  std::vector<int> velocities;
  for (const int i : out)
    for (const auto& term : in.motion->of[i]) velocities.push_back(term.velocity);
  std::sort(velocities.begin(), velocities.end());
  velocities.erase(std::unique(velocities.begin(), velocities.end()), velocities.end());
  return velocities;
}

Graph::Id along(Graph& g, const FormulaInputs& in, Graph::Id f, int j) {
  if (!in.motion) return g.derivative(f, in.q(j));
  Id sum = g.number(0);
  for (const int i : g.inputs_of(f, in.q(0), in.q(in.nq())))
    for (const auto& term : in.motion->of[i])
      if (term.velocity == j) sum = g.add(sum, g.multiply(g.derivative(f, in.q(i)), term.factor));
  return sum;
}

Graph::Id rate_of(Graph& g, const FormulaInputs& in, Graph::Id f) {
  Id rate = g.derivative(f, in.t());
  for (const int j : moved_by(g, in, f)) rate = g.add(rate, g.multiply(along(g, in, f, j), g.input(in.u(j))));
  return rate;
}

void push(FormulaData& d, Graph& g, Graph::Id f, Graph::Id push) {
  for (const int i : moved_by(g, d.in, f))
    d.forces[i] = g.add(d.forces[i], g.multiply(along(g, d.in, f, i), push));
}

FormulaSystem::FormulaSystem(FormulaData d) : n_(d.in.n), parameters_(std::move(d.parameters)) {
  Graph& g = d.graph;
  if (n_ < 1) fail("a system needs at least one coordinate");
  shape_ = {d.in.nq(), n_, {}, {}, false, false, false, !d.in.motion};
  derive_viscosity(d);
  add_compliances(d);
  Entries mass, dq, du;
  std::vector<Id> force;
  derive_forces(d, force);
  derive_mass(d, mass);
  derive_power(d);
  for (int i = 0; i < n_; ++i) {
    for (const int j : moved_by(g, d.in, force[i])) dq.add(g, i, j, along(g, d.in, force[i], j));
    for (const int j : g.inputs_of(force[i], d.in.u(0), d.in.u(n_)))
      du.add(g, i, j, g.derivative(force[i], d.in.u(j)));
  }
  mass_ = Tape(g, mass.nodes);
  force_ = Tape(g, force);
  jacobian_ = Tape(g, joined({dq.nodes, du.nodes}));
  mass_at_ = mass.places, dq_at_ = dq.places, du_at_ = du.places;
  shape_.constant_mass = all_numbers(g, mass.nodes);
  shape_.linear_force = all_numbers(g, dq.nodes) && all_numbers(g, du.nodes);
  derive_contacts(d);
  derive_curvature(d, mass);
  shape_.mass = pattern_of(n_, mass_at_);
  auto everywhere = dq_at_;
  everywhere.insert(everywhere.end(), du_at_.begin(), du_at_.end());
  everywhere.insert(everywhere.end(), K_at_.begin(), K_at_.end());
  shape_.jacobian = pattern_of(n_, everywhere);
}

void FormulaSystem::derive_forces(FormulaData& d, std::vector<Id>& force) {
  Graph& g = d.graph;
  force = d.forces;
  const auto subtract = [&](int i, Id f) { force[i] = g.subtract(force[i], f); };
  for (const Id V : d.potentials)
    for (const int i : moved_by(g, d.in, V)) subtract(i, along(g, d.in, V, i));
  for (const int i : moved_by(g, d.in, d.kinetic)) force[i] = g.add(force[i], along(g, d.in, d.kinetic, i));
  for (const int k : g.inputs_of(d.kinetic)) {
    if (k < d.in.u(0)) continue;
    const Id momentum = g.derivative(d.kinetic, k);
    subtract(k - d.in.u(0), g.derivative(momentum, d.in.t()));
    for (const int j : moved_by(g, d.in, momentum))
      subtract(k - d.in.u(0), g.multiply(along(g, d.in, momentum, j), g.input(d.in.u(j))));
  }
}

void FormulaSystem::derive_mass(FormulaData& d, Entries& mass) {
  Graph& g = d.graph;
  std::vector<FormulaData::MassEntry> entries = d.mass;
  std::vector<Id> energies = d.potentials;
  energies.push_back(d.kinetic);
  for (const auto& e : d.mass)
    energies.push_back(g.multiply(g.multiply(g.number(0.5), e.node),
                                  g.multiply(g.input(d.in.u(e.row)), g.input(d.in.u(e.column)))));
  const auto inputs = g.inputs_of(d.kinetic);
  for (const int i : inputs)
    for (const int j : inputs)
      if (std::min(i, j) >= d.in.u(0))  // both halves by the same nodes
        entries.push_back({i - d.in.u(0), j - d.in.u(0),
                           g.derivative(g.derivative(d.kinetic, std::max(i, j)), std::min(i, j))});
  for (const auto& e : entries) {
    if (g.depends(e.node, d.in.u(0), d.in.u(n_)))
      fail("{}", d.mass.empty() ? "the kinetic energy is not quadratic in the velocities"
                                : "the mass depends on velocities");
    mass.add(g, e.row, e.column, e.node);
  }
  potential_ = Tape(g, d.potentials);
  energy_ = Tape(g, energies);
}

// dE/dt without contacts: potentials and the forces of T cancel, but for their explicit time,
//     u·F + ½ uᵀ(dM/dt)u + ∂V/∂t − ∂T/∂t;     work is what is left of it where F is taken at rest.
void FormulaSystem::derive_power(FormulaData& d) {
  Graph& g = d.graph;
  std::vector<Id> work, damping;
  const auto add = [&](std::vector<Id>& list, Id f) {
    if (!g.is_zero(f)) list.push_back(f);
  };
  for (int i = 0; i < n_; ++i) {
    const Id F = d.forces[i], u = g.input(d.in.u(i)), rest = g.at_zero(F, d.in.u(0), d.in.u(n_));
    add(work, g.multiply(u, rest));
    add(damping, g.multiply(u, g.subtract(rest, F)));
  }
  for (const Id V : d.potentials) add(work, g.derivative(V, d.in.t()));
  add(work, g.multiply(g.number(-1), g.derivative(d.kinetic, d.in.t())));
  for (const auto& e : d.mass)
    add(damping, g.multiply(g.multiply(g.number(-0.5), rate_of(g, d.in, e.node)),
                            g.multiply(g.input(d.in.u(e.row)), g.input(d.in.u(e.column)))));
  work_ = Tape(g, work), damping_ = Tape(g, damping);
}

void FormulaSystem::derive_contacts(FormulaData& d) {
  Graph& g = d.graph;
  Entries W;
  std::vector<Id> drift;
  for (auto& c : d.contacts) {
    check_law(c.law, c.name);
    if (static_cast<int>(c.rows.size()) != saltus::rows(c.law))
      fail("contact {}: its law has {} rows, {} are given", c.name, saltus::rows(c.law), c.rows.size());
    contacts_.push_back({contacts_.size(), static_cast<int>(laws_.size()), rows_});
    laws_.push_back(c.law);
    names_.push_back(c.name);
    for (std::size_t r = 0; r < c.rows.size(); ++r, ++rows_) {
      const Id row = c.rows[r];
      has_gap_.push_back(row_has_gap(c.law, static_cast<int>(r)));
      const bool gap = has_gap_.back();
      Id rate = gap ? g.derivative(row, d.in.t()) : row;
      if (gap) drift.push_back(rate);
      for (const int j : gap ? moved_by(g, d.in, row) : g.inputs_of(row, d.in.u(0), d.in.u(n_))) {
        const Id w = gap ? along(g, d.in, row, j) : g.derivative(row, d.in.u(j));
        if (g.depends(w, d.in.u(0), d.in.u(n_)))
          fail("contact {}: {} must be linear in the velocities", c.name, gap ? "its gap" : "its slip");
        W.add(g, rows_, j, w);
        if (gap) rate = g.add(rate, g.multiply(w, g.input(d.in.u(j))));
      }
      if (!gap) drift.push_back(g.at_zero(row, d.in.u(0), d.in.u(n_)));
      Id bias = g.derivative(rate, d.in.t());
      for (const int j : moved_by(g, d.in, rate))
        bias = g.add(bias, g.multiply(along(g, d.in, rate, j), g.input(d.in.u(j))));
      gap_nodes_.push_back(gap ? row : g.number(0));
      rate_nodes_.push_back(rate);
      bias_nodes_.push_back(bias);
    }
  }
  gaps_ = Tape(g, gap_nodes_);
  directions_ = Tape(g, joined({W.nodes, drift}));
  bias_ = Tape(g, bias_nodes_);
  W_at_ = W.places;
  shape_.constant_directions = directions_.is_constant();
}

void FormulaSystem::derive_curvature(FormulaData& d, const Entries& mass) {
  Graph& g = d.graph;
  Entries velocity, acceleration, K;
  for (int r = 0; r < rows_; ++r) {
    for (const int j : moved_by(g, d.in, rate_nodes_[r]))
      velocity.add(g, r, j, along(g, d.in, rate_nodes_[r], j));
    if (!has_gap_[r]) continue;
    Id total = bias_nodes_[r];
    for (const int k : moved_by(g, d.in, gap_nodes_[r]))
      total = g.add(total, g.multiply(along(g, d.in, gap_nodes_[r], k), g.input(d.in.a(k))));
    for (const int j : moved_by(g, d.in, total)) acceleration.add(g, r, j, along(g, d.in, total, j));
  }
  // ∂(M a − W λ)/∂q, term by term: the sums are long and each term depends on few coordinates
  std::map<std::pair<int, int>, Id> sums;
  const auto gather = [&](int i, Id term) {
    for (const int j : moved_by(g, d.in, term)) {
      Id& sum = sums.try_emplace({i, j}, g.number(0)).first->second;
      sum = g.add(sum, along(g, d.in, term, j));
    }
  };
  for (std::size_t e = 0; e < mass.nodes.size(); ++e)
    gather(mass.places[e].row, g.multiply(mass.nodes[e], g.input(d.in.a(mass.places[e].column))));
  for (int r = 0; r < rows_; ++r)
    for (const int i : moved_by(g, d.in, gap_nodes_[r])) {  // none without a gap
      const Id w = g.multiply(along(g, d.in, gap_nodes_[r], i), g.input(d.in.lambda(r)));
      gather(i, g.make(Graph::Op::negate, w, w));
    }
  for (const auto& [at, sum] : sums) K.add(g, at.first, at.second, sum);
  curvature_ = Tape(g, joined({velocity.nodes, acceleration.nodes, K.nodes}));
  velocity_at_ = velocity.places, acceleration_at_ = acceleration.places, K_at_ = K.places;
}

void FormulaSystem::mass(double t, In q, Matrix& M, Workspace& w) const {
  M.set_zero();
  mass_.evaluate(
      inputs(t, q), [&](int k, double x) { M.add(mass_at_[k].row, mass_at_[k].column, x); }, w);
}

void FormulaSystem::force(double t, In q, In u, Out h, Workspace& w) const {
  force_.evaluate(
      inputs(t, q, u), [h = h.data()](int k, double x) { h[k] = x; }, w);
}

void FormulaSystem::force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const {
  dq.set_zero();
  du.set_zero();
  const int first = static_cast<int>(dq_at_.size());
  jacobian_.evaluate(
      inputs(t, q, u),
      [&](int k, double x) {
        if (k < first)
          dq.set(dq_at_[k].row, dq_at_[k].column, x);
        else
          du.set(du_at_[k - first].row, du_at_[k - first].column, x);
      },
      w);
}

void FormulaSystem::gaps(double t, In q, ContactSet& out, Workspace& w) const {
  gaps_.evaluate(
      inputs(t, q), [gap = out.gap.data()](int k, double x) { gap[k] = x; }, w);
}

void FormulaSystem::directions(double t, In q, ContactSet& out, Workspace& w) const {
  const int entries = static_cast<int>(W_at_.size());
  out.Wt.clear();
  out.drift.resize(rows_);
  int row = 0;
  directions_.evaluate(
      inputs(t, q),
      [&](int k, double x) {
        const int here = k < entries ? W_at_[k].row : rows_;
        for (; row < here; ++row) out.Wt.end_row();
        if (k < entries)
          out.Wt.add(W_at_[k].column, x);
        else
          out.drift[k - entries] = x;
      },
      w);
}

void FormulaSystem::bias(double t, In q, In u, ContactSet& out, Workspace& w) const {
  out.bias.resize(rows_);
  bias_.evaluate(
      inputs(t, q, u), [&](int k, double x) { out.bias[k] = x; }, w);
}

void FormulaSystem::fill(SparseRows& rows, const std::vector<Place>& places, const double* values) const {
  rows.clear();
  std::size_t k = 0;
  for (int r = 0; r < rows_; ++r, rows.end_row())
    for (; k < places.size() && places[k].row == r; ++k) rows.add(places[k].column, values[k]);
}

void FormulaSystem::curvature(double t, In q, In u, In a, const double* lambda, Matrix& K, Curvature& out,
                              Workspace& w) const {
  auto& outputs = static_cast<TapeRoom&>(w).outputs;
  outputs.resize(curvature_.outputs());
  const auto get = [&, n = n_, m = shape_.nq](int k) {
    if (k == 0) return t;
    if (k <= m) return q[k - 1];
    const int i = (k - 1 - m) % n, part = (k - 1 - m) / n;
    return part == 0 ? u[i] : part == 1 ? a[i] : lambda[k - 1 - m - 2 * n];
  };
  curvature_.evaluate(
      get, [&](int k, double x) { outputs[k] = x; }, w);
  const double* values = outputs.data();
  fill(out.velocity, velocity_at_, values);
  fill(out.acceleration, acceleration_at_, values += velocity_at_.size());
  values += acceleration_at_.size();
  for (std::size_t k = 0; k < K_at_.size(); ++k) K.add(K_at_[k].row, K_at_[k].column, values[k]);
}

double FormulaSystem::potential(double t, In q, Workspace& w) const {
  double value = 0;
  potential_.evaluate(
      inputs(t, q), [&](int, double x) { value += x; }, w);
  return value;
}

Power FormulaSystem::power(double t, In q, In u, Workspace& w) const {
  Power out;
  work_.evaluate(
      inputs(t, q, u), [&](int, double x) { out.work += x; }, w);
  damping_.evaluate(
      inputs(t, q, u), [&](int, double x) { out.damping += x; }, w);
  return out;
}

double FormulaSystem::energy(double t, In q, In u, Workspace& w) const {
  double value = 0;
  energy_.evaluate(
      inputs(t, q, u), [&](int, double x) { value += x; }, w);
  return value;
}

}  // namespace saltus

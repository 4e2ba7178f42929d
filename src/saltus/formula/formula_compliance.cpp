// Compliant contacts of a FormulaSystem: forces and potentials of all, and, where every gap is linear and
// nothing else depends on velocities, what ViscoelasticSystem declares.
#include "saltus/formula/formula_system.hpp"

namespace saltus {
namespace {

using Id = Graph::Id;

// dᵖ of the overlap d = −gap, 0 where the contact is open. Chosen outside the power, so that derivatives of
// an open contact are 0 and not 0·∞.
Id overlap(Graph& g, Id gap, double power) {
  const Id zero = g.number(0), d = g.make(Graph::Op::negate, gap, gap);
  return g.make(Graph::Op::select, g.power(d, power), zero, g.make(Graph::Op::less, zero, d));
}
Id stored(Graph& g, const FormulaCompliance& c) {
  return g.multiply(g.number(c.law.k / (c.law.p + 1)), overlap(g, c.gap, c.law.p + 1));
}
// a function of the overlap whose rate is the damping force
Id damping(Graph& g, const FormulaCompliance& c) {
  return c.law.b > 0 ? g.multiply(g.number(c.law.b), overlap(g, c.gap, c.law.r)) : g.number(0);
}

bool is_linear(Graph& g, const FormulaInputs& in, Id gap) {
  for (const int k : g.inputs_of(gap))
    if (k < in.q(0) || k >= in.q(in.nq()) || !g.is_number(g.derivative(gap, k))) return false;
  return true;
}

auto positions_of(In q) {
  return [x = q.data()](int k) { return x[k - 1]; };
}

}  // namespace

void FormulaSystem::add_compliances(FormulaData& d) {
  Graph& g = d.graph;
  std::vector<Id> kinks;
  for (const FormulaCompliance& c : d.compliances) {
    saltus::push(d, g, c.gap, rate_of(g, d.in, damping(g, c)));
    d.potentials.push_back(stored(g, c));
    kinks.push_back(c.gap), kinks.push_back(rate_of(g, d.in, c.gap));
  }
  kinks_ = Tape(g, kinks);
}

void FormulaSystem::kinks(double t, In q, In u, std::vector<Kink>& out, Workspace& w) const {
  const std::size_t first = out.size(), n = static_cast<std::size_t>(kinks_.outputs()) / 2;
  if (n == 0) return;
  for (std::size_t k = 0; k < n; ++k) out.push_back({k});
  kinks_.evaluate(
      [t, x = q.data(), v = u.data(), n = shape_.nq](int k) {
        return k == 0 ? t : k <= n ? x[k - 1] : v[k - 1 - n];
      },
      [at = out.data() + first](int k, double x) { (k % 2 == 0 ? at[k / 2].gap : at[k / 2].rate) = x; }, w);
}

// Asked before the dampers are among the forces.
void FormulaSystem::derive_viscosity(FormulaData& d) {
  Graph& g = d.graph;
  if (g.depends(d.kinetic, d.in.t(), d.in.q(d.in.nq())) || d.in.motion) return;
  for (const Id f : d.forces)
    if (g.depends(f, d.in.u(0), d.in.u(n_))) return;
  for (const FormulaCompliance& c : d.compliances)
    if (!is_linear(g, d.in, c.gap)) return;
  viscosity_.emplace();
  for (const auto* list : {&d.forces, &d.potentials})
    for (const Id f : *list) viscosity_->autonomous &= !g.depends(f, d.in.t(), d.in.t() + 1);
  Entries springs, stiffness, momentum;
  for (const FormulaCompliance& c : d.compliances) {
    viscosity_->add(c.law);
    const Id V = stored(g, c), sigma = damping(g, c);
    for (const int i : moved_by(g, d.in, c.gap)) {
      const Id f = along(g, d.in, V, i);
      springs.add(g, i, 0, f);
      momentum.add(g, i, 0, g.multiply(along(g, d.in, c.gap, i), sigma));
      for (const int j : moved_by(g, d.in, f)) stiffness.add(g, i, j, along(g, d.in, f, j));
    }
  }
  springs_ = Tape(g, springs.nodes), stiffness_ = Tape(g, stiffness.nodes);
  momentum_ = Tape(g, momentum.nodes);
  springs_at_ = springs.places, stiffness_at_ = stiffness.places, momentum_at_ = momentum.places;
}

void FormulaSystem::contact_force(double, In q, Out f, Workspace& w) const {
  f.setZero();
  springs_.evaluate(
      positions_of(q), [&](int k, double x) { f[springs_at_[k].row] -= x; }, w);
}

void FormulaSystem::contact_jacobian(double, In q, Matrix& K, Workspace& w) const {
  K.set_zero();
  stiffness_.evaluate(
      positions_of(q), [&](int k, double x) { K.add(stiffness_at_[k].row, stiffness_at_[k].column, -x); }, w);
}

void FormulaSystem::momentum(double, In q, Out S, Workspace& w) const {
  S.setZero();
  momentum_.evaluate(
      positions_of(q), [&](int k, double x) { S[momentum_at_[k].row] += x; }, w);
}

}  // namespace saltus

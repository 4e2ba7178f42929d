#include "saltus/formula/formula_odae.hpp"

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

using Id = Graph::Id;

// Inputs in the order t, y, z, ψ; a tape asks only for those that occur.
struct Inputs {
  double t;
  const double *y, *z, *psi;
  int ny, nz;
  double operator()(int k) const {
    return k == 0 ? t : k <= ny ? y[k - 1] : k <= ny + nz ? z[k - 1 - ny] : psi[k - 1 - ny - nz];
  }
};
Inputs inputs(const OdaeInputs& in, double t, In y) {
  return {t, y.data(), nullptr, nullptr, in.ny, in.nz};
}
Inputs inputs(const OdaeInputs& in, double t, In y, In z) {
  return {t, y.data(), z.data(), nullptr, in.ny, in.nz};
}

void put(const Tape& tape, const Inputs& get, Out out, Workspace& w) {
  tape.evaluate(
      get, [x = out.data()](int k, double value) { x[k] = value; }, w);
}

// Along the flow with z held: ∂t + v·∂y.
std::vector<Id> rates(Graph& g, const OdaeInputs& in, std::span<const Id> of, std::span<const Id> v) {
  std::vector<Id> out;
  for (const Id f : of) {
    Id rate = g.derivative(f, in.t());
    for (int j = 0; j < in.ny; ++j) rate = g.add(rate, g.multiply(g.derivative(f, in.y(j)), v[j]));
    out.push_back(rate);
  }
  return out;
}

void require_affine(Graph& g, const OdaeFormulas& d) {
  for (int i = 0; i < d.in.m; ++i)
    for (const Id r : d.r)
      if (d.constraints[i].unilateral &&
          g.depends(g.derivative(r, d.in.psi(i)), d.in.psi(0), d.in.psi(d.in.m)))
        fail(
            "constraint {} is unilateral and its reaction not affine in the multiplier: give its impact, the "
            "jump of each velocity by a unit impulse",
            d.constraints[i].name);
}

}  // namespace

FormulaOdae::Jacobian::Jacobian(Graph& g, std::span<const Id> rows, int first, int columns) {
  std::vector<Id> entries;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int j = 0; j < columns; ++j)
      if (const Id d = g.derivative(rows[i], first + j); !g.is_zero(d))
        places.emplace_back(static_cast<int>(i), j), entries.push_back(d);
  tape = Tape(g, entries);
}

template <class Get>
void FormulaOdae::Jacobian::fill(const Get& get, Mat& J, Workspace& w) const {
  J.setZero();
  tape.evaluate(
      get, [&](int k, double x) { J(places[k].first, places[k].second) = x; }, w);
}

FormulaOdae::FormulaOdae(OdaeFormulas d)
    : in_(d.in),
      constraints_(std::move(d.constraints)),
      first_(std::move(d.first)),
      parameters_(std::move(d.parameters)) {
  Graph& g = d.graph;
  d.constraints = constraints_;
  const auto rate = rates(g, in_, d.g, d.v), bias = rates(g, in_, rate, d.v);
  if (d.impact.empty()) {
    require_affine(g, d);
    for (const Id r : d.r)
      for (int i = 0; i < in_.m; ++i)
        d.impact.push_back(g.at_zero(g.derivative(r, in_.psi(i)), in_.psi(0), in_.psi(in_.m)));
  }
  v_ = Tape(g, d.v), f_ = Tape(g, d.f), r_ = Tape(g, d.r), g_ = Tape(g, d.g);
  rate_ = Tape(g, rate), bias_ = Tape(g, bias), impact_ = Tape(g, d.impact);
  if (d.energy) energy_ = Tape(g, std::vector{*d.energy});
  const auto by_y = [&](std::span<const Id> f) { return Jacobian(g, f, in_.y(0), in_.ny); };
  const auto by_z = [&](std::span<const Id> f) { return Jacobian(g, f, in_.z(0), in_.nz); };
  v_y_ = by_y(d.v), v_z_ = by_z(d.v), f_y_ = by_y(d.f), f_z_ = by_z(d.f), r_y_ = by_y(d.r), r_z_ = by_z(d.r);
  r_psi_ = Jacobian(g, d.r, in_.psi(0), in_.m);
  g_y_ = by_y(d.g), rate_y_ = by_y(rate), rate_z_ = by_z(rate);
}

void FormulaOdae::velocity(double t, In y, In z, Out v, Workspace& w) const {
  put(v_, inputs(in_, t, y, z), v, w);
}
void FormulaOdae::force(double t, In y, In z, Out f, Workspace& w) const {
  put(f_, inputs(in_, t, y, z), f, w);
}
void FormulaOdae::reaction(double t, In y, In z, In psi, Out r, Workspace& w) const {
  put(r_, {t, y.data(), z.data(), psi.data(), in_.ny, in_.nz}, r, w);
}
void FormulaOdae::gap(double t, In y, Out g, Workspace& w) const {
  put(g_, inputs(in_, t, y), g, w);
}
void FormulaOdae::rate(double t, In y, In z, Out gamma, Workspace& w) const {
  put(rate_, inputs(in_, t, y, z), gamma, w);
}
void FormulaOdae::bias(double t, In y, In z, Out b, Workspace& w) const {
  put(bias_, inputs(in_, t, y, z), b, w);
}

void FormulaOdae::velocity_jacobians(double t, In y, In z, Mat* v_y, Mat* v_z, Workspace& w) const {
  if (v_y) v_y_.fill(inputs(in_, t, y, z), *v_y, w);
  if (v_z) v_z_.fill(inputs(in_, t, y, z), *v_z, w);
}
void FormulaOdae::force_jacobians(double t, In y, In z, Mat* f_y, Mat* f_z, Workspace& w) const {
  if (f_y) f_y_.fill(inputs(in_, t, y, z), *f_y, w);
  if (f_z) f_z_.fill(inputs(in_, t, y, z), *f_z, w);
}
void FormulaOdae::reaction_jacobians(double t, In y, In z, In psi, Mat* r_y, Mat* r_z, Mat* r_psi,
                                     Workspace& w) const {
  const Inputs get{t, y.data(), z.data(), psi.data(), in_.ny, in_.nz};
  if (r_y) r_y_.fill(get, *r_y, w);
  if (r_z) r_z_.fill(get, *r_z, w);
  if (r_psi) r_psi_.fill(get, *r_psi, w);
}
void FormulaOdae::gap_jacobian(double t, In y, Mat& G, Workspace& w) const {
  g_y_.fill(inputs(in_, t, y), G, w);
}
void FormulaOdae::rate_jacobians(double t, In y, In z, Mat* gamma_y, Mat* gamma_z, Workspace& w) const {
  if (gamma_y) rate_y_.fill(inputs(in_, t, y, z), *gamma_y, w);
  if (gamma_z) rate_z_.fill(inputs(in_, t, y, z), *gamma_z, w);
}
void FormulaOdae::impact_directions(double t, In y, In z, Mat& N, Workspace& w) const {
  impact_.evaluate(
      inputs(in_, t, y, z), [&](int k, double x) { N(k / in_.m, k % in_.m) = x; }, w);
}

double FormulaOdae::energy(double t, In y, In z, Workspace& w) const {
  double value = std::nan("");
  if (energy_.outputs() > 0)
    energy_.evaluate(
        inputs(in_, t, y, z), [&](int, double x) { value = x; }, w);
  return value;
}

}  // namespace saltus

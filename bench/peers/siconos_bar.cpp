// (d) horizontal impact of an elastic bar: 200 linear finite elements (201 dofs),
// E = 900, rho = 1, S = 1, L = 10, gap 5, v0 = -10, e = 0, h = 2e-3.
// Exact: contact closes at t = 0.5, stays closed 2L sqrt(rho/E) = 2/3 s, bar leaves at +10.
//   ./bar scheme=mj|mjp|d1 storage=sparse|dense ne=200 h=2e-3 T=2 theta=0.5 reps=1
#include <SolverOptions.h>
#include <SiconosKernel.hpp>
#include <vector>
#include "bench.hpp"

struct Result {
  bench::Snap s0, s1, s2;
  long n = 0, it = 0;
  double t_open = 0, t_close = -1, pen = 0, E0 = 0, E1 = 0, vmean = 0, user_contact = 0;
  long n_contact = 0;
  std::string fail;
};

static double quad(const std::vector<double>& d, const std::vector<double>& o, const SiconosVector& x) {
  double s = 0;
  for (size_t i = 0; i < d.size(); ++i) s += d[i] * x(i) * x(i);
  for (size_t i = 0; i < o.size(); ++i) s += 2 * o[i] * x(i) * x(i + 1);
  return s;
}

static Result run(const std::string& scheme, bool sparse, int ne, double h, double T, double theta) {
  Result R;
  R.s0 = bench::snap();
  const unsigned n = ne + 1;
  const double E = 900, rho = 1, S = 1, Lb = 10, le = Lb / ne;
  std::vector<double> md(n, rho * S * le * 2 / 3), mo(n - 1, rho * S * le / 6), kd(n, 2 * E * S / le),
      ko(n - 1, -E * S / le);
  md[0] = md[n - 1] = rho * S * le / 3;
  kd[0] = kd[n - 1] = E * S / le;
  SP::SiconosMatrix M, K;
  if (sparse) {
    M.reset(new SimpleMatrix(n, n, Siconos::SPARSE, 3 * n));
    K.reset(new SimpleMatrix(n, n, Siconos::SPARSE, 3 * n));
  } else {
    M.reset(new SimpleMatrix(n, n));
    K.reset(new SimpleMatrix(n, n));
  }
  for (unsigned i = 0; i < n; ++i) {
    if (i) M->setValue(i, i - 1, mo[i - 1]), K->setValue(i, i - 1, ko[i - 1]);
    M->setValue(i, i, md[i]);
    K->setValue(i, i, kd[i]);
    if (i + 1 < n) M->setValue(i, i + 1, mo[i]), K->setValue(i, i + 1, ko[i]);
  }
  // unknown: displacement; node 0 faces the wall at initial distance 5
  SP::SiconosVector q0(new SiconosVector(n, 0.0)), v0(new SiconosVector(n, -10.0));
  SP::LagrangianLinearTIDS ds(new LagrangianLinearTIDS(q0, v0, M));
  ds->setKPtr(K);
  SP::SiconosVector F(new SiconosVector(n, 0.0));
  ds->setFExtPtr(F);
  SP::SimpleMatrix H(new SimpleMatrix(1, n));
  (*H)(0, 0) = 1.0;
  SP::SiconosVector b(new SiconosVector(1, 5.0));
  SP::NonSmoothLaw law(new NewtonImpactNSL(0.0));
  SP::Relation rel(new LagrangianLinearTIR(H, b));
  SP::Interaction inter(new Interaction(law, rel));
  SP::NonSmoothDynamicalSystem nsds(new NonSmoothDynamicalSystem(0, T));
  nsds->insertDynamicalSystem(ds);
  nsds->link(inter, ds);
  SP::TimeDiscretisation td(new TimeDiscretisation(0.0, h));
  SP::OneStepNSProblem lcp(new LCP());
  SP::Simulation sim;
  if (scheme == "mj") {
    SP::OneStepIntegrator osi(new MoreauJeanOSI(theta));
    sim.reset(new TimeStepping(nsds, td, osi, lcp));
  } else if (scheme == "mjp") {
    SP::OneStepIntegrator osi(new MoreauJeanCombinedProjectionOSI(theta));
    SP::OneStepNSProblem pos(new MLCPProjectOnConstraints(SICONOS_MLCP_ENUM));
    SP::TimeSteppingCombinedProjection s(new TimeSteppingCombinedProjection(nsds, td, osi, lcp, pos, 2));
    s->setProjectionMaxIteration(500);
    s->setConstraintTolUnilateral(1e-10);
    s->setConstraintTol(1e-10);
    sim = s;
  } else {
    SP::OneStepIntegrator osi(new D1MinusLinearOSI());
    SP::OneStepNSProblem force(new LCP());
    sim.reset(new TimeSteppingD1Minus(nsds, td, 2));
    sim->insertIntegrator(osi);
    sim->insertNonSmoothProblem(lcp, SICONOS_OSNSP_TS_VELOCITY);
    sim->insertNonSmoothProblem(force, SICONOS_OSNSP_TS_VELOCITY + 1);
  }
  SP::SiconosVector q = ds->q(), v = ds->velocity();
  R.E0 = 0.5 * (quad(md, mo, *v) + quad(kd, ko, *q));
  R.s1 = bench::snap();
  try {
    SP::TimeStepping ts = std::dynamic_pointer_cast<TimeStepping>(sim);
    while (sim->hasNextEvent()) {
      if (ts)
        ts->computeOneStep();
      else
        sim->advanceToEvent();
      const double t = sim->nextTime();
      const bool active = (*inter->lambda(1))(0) > 0;
      if (active) {
        if (R.t_close < 0) R.t_close = t;
        R.t_open = t;
        R.it += lcp->numericsSolverOptions()->iparam[SICONOS_IPARAM_ITER_DONE];
      }
      R.pen = std::max(R.pen, -((*q)(0) + 5.0));
      if (ts)
        ts->nextStep();
      else
        sim->processEvents();
      ++R.n;
      if (active) ++R.n_contact;
    }
  } catch (...) {
    Siconos::exception::process();
    R.fail = "exception";
  }
  R.s2 = bench::snap();
  R.E1 = 0.5 * (quad(md, mo, *v) + quad(kd, ko, *q));
  for (unsigned i = 0; i < n; ++i) R.vmean += (*v)(i) / n;
  return R;
}

int main(int argc, char** argv) {
  bench::Args A(argc, argv);
  const std::string scheme = A.str("scheme", "mj"), storage = A.str("storage", "sparse");
  const int ne = A.integer("ne", 200);
  const double h = A.num("h", 2e-3), T = A.num("T", 2), theta = A.num("theta", 0.5);
  const long reps = A.integer("reps", 1);
  try {
    Result R, sum{};
    for (long r = 0; r < reps; ++r) {
      R = run(scheme, storage == "sparse", ne, h, T, theta);
      sum.s1.user += R.s1.user - R.s0.user;
      sum.s2.user += R.s2.user - R.s0.user;
      sum.s2.sys += R.s2.sys - R.s1.sys;
      sum.s2.calls += R.s2.calls - R.s1.calls;
      sum.s2.bytes += R.s2.bytes - R.s1.bytes;
      sum.n += R.n;
      if (!R.fail.empty()) break;
    }
    bench::Line L;
    L.str("case", "bar")
        .str("peer", "siconos")
        .str("scheme", scheme)
        .str("storage", storage)
        .integer("ne", ne)
        .num("h", h)
        .num("theta", theta);
    L.num("T", T).integer("reps", reps).timing(sum.s0, sum.s1, sum.s2, sum.n > 0 ? sum.n : 1);
    L.integer("contact_steps", R.n_contact)
        .num("lcp_iter_per_contact_step", R.n_contact ? double(R.it) / double(R.n_contact) : 0);
    L.num("t_close", R.t_close)
        .num("t_last_contact", R.t_open)
        .num("energy_ratio", R.E1 / R.E0)
        .num("mean_v_end", R.vmean)
        .num("max_penetration", R.pen);
    if (!R.fail.empty()) L.str("failed", R.fail);
    L.print();
  } catch (...) {
    Siconos::exception::process();
    return 1;
  }
}

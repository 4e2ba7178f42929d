// (c) bouncing rigid pendulum (x, y, theta): two bilateral constraints
//   x - L cos(theta) = 0, y - L sin(theta) = 0
// and one unilateral constraint x - sqrt(2)/2 >= 0 with Newton restitution e.
// L = 1, m = 1, J = 0.1, gravity 10 along +y, theta(0) = pi/12, at rest.
//   ./pendulum model=redundant|minimal scheme=... h=1e-3 T=4 e=0.8 reps=1
// schemes: mj     TimeStepping + MoreauJeanOSI + MLCP (enumerative, the default)
//          mjgm   TimeStepping + MoreauJeanOSI + GenericMechanical
//          mjp    TimeSteppingCombinedProjection + MLCPProjectOnConstraints
//          mjdp   TimeSteppingDirectProjection + MLCPProjectOnConstraints
//          gosi   TimeStepping + MoreauJeanGOSI + GlobalFrictionContact(3)
//          d1     TimeSteppingD1Minus + D1MinusLinearOSI (MLCP for both levels)
//          ed     EventDriven + LsodarOSI
//          nm     EventDriven + NewMarkAlphaOSI
// model=minimal uses q = theta only (no bilateral constraint), LCP.
#include <SiconosKernel.hpp>
#include <iostream>
#include <vector>
#include "bench.hpp"

static const double Lp = 1.0, mp = 1.0, Jp = 0.1, gp = 10.0, pi = 3.14159265358979323846;
static const double xmin = std::sqrt(2.0) / 2.0;

extern "C" {
// redundant model
static void hb(unsigned, double* q, unsigned, double* y, unsigned, double*) {
  y[0] = q[0] - Lp * std::cos(q[2]);
  y[1] = q[1] - Lp * std::sin(q[2]);
}
static void Gb(unsigned, double* q, unsigned, double* G, unsigned, double*) {  // 2x3, column major
  G[0] = 1, G[1] = 0, G[2] = 0, G[3] = 1;
  G[4] = Lp * std::sin(q[2]);
  G[5] = -Lp * std::cos(q[2]);
}
static void Gbdot(unsigned, double* q, unsigned, double* v, double* S, unsigned, double*) {
  S[0] = S[1] = S[2] = S[3] = 0;
  S[4] = Lp * std::cos(q[2]) * v[2];
  S[5] = Lp * std::sin(q[2]) * v[2];
}
static void hu(unsigned, double* q, unsigned, double* y, unsigned, double*) {
  y[0] = q[0] - xmin;
}
static void Gu(unsigned, double*, unsigned, double* G, unsigned, double*) {
  G[0] = 1, G[1] = 0, G[2] = 0;
}
static void Gudot(unsigned, double*, unsigned, double*, double* S, unsigned, double*) {
  S[0] = S[1] = S[2] = 0;
}
// minimal model
static void hm(unsigned, double* q, unsigned, double* y, unsigned, double*) {
  y[0] = Lp * std::cos(q[0]) - xmin;
}
static void Gm(unsigned, double* q, unsigned, double* G, unsigned, double*) {
  G[0] = -Lp * std::sin(q[0]);
}
static void Gmdot(unsigned, double* q, unsigned, double* v, double* S, unsigned, double*) {
  S[0] = -Lp * std::cos(q[0]) * v[0];
}
static void fint(double, unsigned, double* q, double*, double* f, unsigned, double*) {
  f[0] = -mp * gp * Lp * std::cos(q[0]);
}
static void fintq(double, unsigned, double* q, double*, double* J, unsigned, double*) {
  J[0] = mp * gp * Lp * std::sin(q[0]);
}
static void fintv(double, unsigned, double*, double*, double* J, unsigned, double*) {
  J[0] = 0;
}
}

class Rel : public LagrangianScleronomousR {
 public:
  Rel(FPtr3 h, FPtr3 G, FPtr2 Gd) {
    _zeroPlugin();
    _pluginh->setComputeFunction((void*)h);
    _pluginJachq->setComputeFunction((void*)G);
    _plugindotjacqh->setComputeFunction((void*)Gd);
  }
};

// Reference: (m L^2 + J) th'' = m g L cos(th), th <= pi/4, th'+ = -e th'-  (RK4 + bisection)
static void reference(double e, double T, double& th, double& w, int& impacts, double& t_last) {
  const double I = mp * Lp * Lp + Jp, thm = pi / 4;
  auto acc = [&](double x) { return mp * gp * Lp * std::cos(x) / I; };
  auto rk = [&](double& x, double& v, double s) {
    double k1x = v, k1v = acc(x), k2x = v + s / 2 * k1v, k2v = acc(x + s / 2 * k1x);
    double k3x = v + s / 2 * k2v, k3v = acc(x + s / 2 * k2x), k4x = v + s * k3v, k4v = acc(x + s * k3x);
    x += s / 6 * (k1x + 2 * k2x + 2 * k3x + k4x);
    v += s / 6 * (k1v + 2 * k2v + 2 * k3v + k4v);
  };
  th = pi / 12;
  w = 0;
  impacts = 0;
  t_last = 0;
  double t = 0;
  while (t < T - 1e-14) {
    double s = std::min(1e-4, T - t), x = th, v = w;
    rk(x, v, s);
    if (x > thm) {
      double lo = 0, hi = s;
      for (int i = 0; i < 80; ++i) {
        double mid = 0.5 * (lo + hi);
        x = th, v = w;
        rk(x, v, mid);
        (x > thm ? hi : lo) = mid;
      }
      x = th, v = w;
      rk(x, v, lo);
      t += lo;
      th = thm;
      w = -e * v;
      ++impacts;
      t_last = t;
      if (std::abs(w) < 1e-9) {
        w = 0;
        return;
      }
    } else {
      th = x, w = v, t += s;
    }
  }
}

struct Result {
  bench::Snap s0, s1, s2;
  long n = 0;
  double th = NAN, w = NAN, t = 0, pen = 0, drift = 0, E = NAN;
  unsigned newton = 0;
  std::string fail;
};

static Result run(const std::string& model, const std::string& scheme, double h, double T, double e,
                  double theta) {
  Result R;
  const bool red = model == "redundant";
  const unsigned nd = red ? 3 : 1;
  R.s0 = bench::snap();
  SP::SiconosVector q0(new SiconosVector(nd)), v0(new SiconosVector(nd));
  v0->zero();
  const double th0 = pi / 12;
  SP::SimpleMatrix M(new SimpleMatrix(nd, nd));
  if (red) {
    (*q0)(0) = Lp * std::cos(th0);
    (*q0)(1) = Lp * std::sin(th0);
    (*q0)(2) = th0;
    (*M)(0, 0) = (*M)(1, 1) = mp;
    (*M)(2, 2) = Jp;
  } else {
    (*q0)(0) = th0;
    (*M)(0, 0) = mp * Lp * Lp + Jp;
  }
  SP::LagrangianDS ds;
  if (red) {
    ds.reset(new LagrangianLinearTIDS(q0, v0, M));
    SP::SiconosVector F(new SiconosVector(3));
    F->zero();
    (*F)(1) = mp * gp;
    ds->setFExtPtr(F);
  } else {
    ds.reset(new LagrangianDS(q0, v0, M));
    ds->setComputeFIntFunction(fint);
    ds->setComputeJacobianFIntqFunction(fintq);
    ds->setComputeJacobianFIntqDotFunction(fintv);
  }
  SP::NonSmoothDynamicalSystem nsds(new NonSmoothDynamicalSystem(0, T));
  nsds->insertDynamicalSystem(ds);
  SP::Interaction ib, iu;
  if (scheme == "gosi") {
    // the global formulation only knows 3D frictional contact: one contact row + two dummy tangent rows
    SP::NonSmoothLaw law(new NewtonImpactFrictionNSL(e, 0.0, 0.0, 3));
    SP::SimpleMatrix H(new SimpleMatrix(3, nd));
    SP::SiconosVector b(new SiconosVector(3));
    (*H)(0, 0) = 1;
    (*b)(0) = -xmin;
    SP::Relation r(new LagrangianLinearTIR(H, b));
    iu.reset(new Interaction(law, r));
  } else {
    SP::NonSmoothLaw law(new NewtonImpactNSL(e));
    SP::Relation r(red ? new Rel(hu, Gu, Gudot) : new Rel(hm, Gm, Gmdot));
    iu.reset(new Interaction(law, r));
  }
  if (red) {
    SP::NonSmoothLaw law(new EqualityConditionNSL(2));
    SP::Relation r(new Rel(hb, Gb, Gbdot));
    ib.reset(new Interaction(law, r));
    nsds->link(ib, ds);
  }
  nsds->link(iu, ds);
  SP::TimeDiscretisation td(new TimeDiscretisation(0.0, h));
  SP::Simulation sim;
  bool ed = false, d1 = false;
  auto vel_problem = [&]() {
    SP::OneStepNSProblem p;
    if (red)
      p.reset(new MLCP());
    else
      p.reset(new LCP());
    return p;
  };
  if (scheme == "mj" || scheme == "mjgm") {
    SP::OneStepIntegrator osi(new MoreauJeanOSI(theta));
    SP::OneStepNSProblem p = vel_problem();
    if (scheme == "mjgm") p.reset(new GenericMechanical());
    sim.reset(new TimeStepping(nsds, td, osi, p));
  } else if (scheme == "gosi") {
    SP::OneStepIntegrator osi(new MoreauJeanGOSI(theta));
    SP::OneStepNSProblem p(new GlobalFrictionContact(3));
    sim.reset(new TimeStepping(nsds, td, osi, p));
  } else if (scheme == "mjp") {
    SP::OneStepIntegrator osi(new MoreauJeanCombinedProjectionOSI(theta));
    SP::OneStepNSProblem pos(new MLCPProjectOnConstraints(SICONOS_MLCP_ENUM));
    SP::TimeSteppingCombinedProjection s(
        new TimeSteppingCombinedProjection(nsds, td, osi, vel_problem(), pos));
    s->setProjectionMaxIteration(20);
    s->setConstraintTolUnilateral(1e-10);
    s->setConstraintTol(1e-10);
    sim = s;
  } else if (scheme == "mjdp") {
    SP::OneStepIntegrator osi(new MoreauJeanDirectProjectionOSI(theta));
    SP::OneStepNSProblem pos(new MLCPProjectOnConstraints(SICONOS_MLCP_ENUM));
    SP::TimeSteppingDirectProjection s(new TimeSteppingDirectProjection(nsds, td, osi, vel_problem(), pos));
    s->setProjectionMaxIteration(20);
    s->setConstraintTolUnilateral(1e-10);
    s->setConstraintTol(1e-10);
    sim = s;
  } else if (scheme == "d1") {
    d1 = true;
    SP::OneStepIntegrator osi(new D1MinusLinearOSI());
    sim.reset(new TimeSteppingD1Minus(nsds, td, 2));
    sim->insertIntegrator(osi);
    sim->insertNonSmoothProblem(vel_problem(), SICONOS_OSNSP_TS_VELOCITY);
    sim->insertNonSmoothProblem(vel_problem(), SICONOS_OSNSP_TS_VELOCITY + 1);
  } else {
    ed = true;
    SP::OneStepIntegrator osi;
    if (scheme == "ed")
      osi.reset(new LsodarOSI());
    else
      osi.reset(new NewMarkAlphaOSI(0.9, false));
    sim.reset(new EventDriven(nsds, td));
    sim->insertIntegrator(osi);
    sim->insertNonSmoothProblem(vel_problem(), SICONOS_OSNSP_ED_IMPACT);
    sim->insertNonSmoothProblem(vel_problem(), SICONOS_OSNSP_ED_SMOOTH_ACC);
    if (scheme == "nm") sim->insertNonSmoothProblem(vel_problem(), SICONOS_OSNSP_ED_SMOOTH_POS);
  }
  if (scheme == "nm") {
    ds->initRhs(0);
    ds->computeRhs(0);
  }
  SP::SiconosVector q = ds->q(), v = ds->velocity();
  auto sample = [&](double t) {
    const double th = (*q)(red ? 2 : 0);
    R.t = t;
    R.th = th;
    R.w = (*v)(red ? 2 : 0);
    if (red) {
      R.pen = std::max(R.pen, xmin - (*q)(0));
      R.drift = std::max(R.drift, std::hypot((*q)(0) - Lp * std::cos(th), (*q)(1) - Lp * std::sin(th)));
    } else {
      R.pen = std::max(R.pen, xmin - Lp * std::cos(th));
    }
  };
  R.s1 = bench::snap();
  try {
    if (!ed && !d1) {
      SP::TimeStepping ts = std::dynamic_pointer_cast<TimeStepping>(sim);
      while (ts->hasNextEvent()) {
        ts->computeOneStep();
        sample(ts->nextTime());
        ts->nextStep();
        ++R.n;
      }
      R.newton = ts->getNewtonCumulativeNbIterations();
    } else {
      while (sim->hasNextEvent()) {
        sim->advanceToEvent();
        if (d1) sample(sim->nextTime());
        sim->processEvents();
        if (ed) sample(sim->startingTime());
        ++R.n;
      }
    }
  } catch (...) {
    Siconos::exception::process();
    R.fail = "exception";
  }
  R.s2 = bench::snap();
  return R;
}

int main(int argc, char** argv) {
  bench::Args A(argc, argv);
  const std::string model = A.str("model", "redundant"), scheme = A.str("scheme", "mj");
  const double h = A.num("h", 1e-3), T = A.num("T", 1.5), e = A.num("e", 0.8), theta = A.num("theta", 0.5);
  const long reps = A.integer("reps", 1);
  try {
    Result R, sum{};
    for (long r = 0; r < reps; ++r) {
      R = run(model, scheme, h, T, e, theta);
      sum.s1.user += R.s1.user - R.s0.user;
      sum.s2.user += R.s2.user - R.s0.user;
      sum.s2.sys += R.s2.sys - R.s1.sys;
      sum.s2.calls += R.s2.calls - R.s1.calls;
      sum.s2.bytes += R.s2.bytes - R.s1.bytes;
      sum.n += R.n;
      if (!R.fail.empty()) break;
    }
    double th, w, tl;
    int imp;
    reference(e, R.t, th, w, imp, tl);
    bench::Line L;
    L.str("case", "pendulum-" + model)
        .str("peer", "siconos")
        .str("scheme", scheme)
        .num("h", h)
        .num("T", T)
        .integer("reps", reps);
    L.timing(sum.s0, sum.s1, sum.s2, sum.n > 0 ? sum.n : 1);
    L.num("newton_per_step", R.n ? double(R.newton) / double(R.n) : 0).num("t_reached", R.t);
    L.num("err_theta", std::abs(R.th - th))
        .num("err_omega", std::abs(R.w - w))
        .integer("ref_impacts", imp)
        .num("ref_last_impact", tl);
    L.num("max_penetration", R.pen).num("bilateral_drift", R.drift);
    if (!R.fail.empty()) L.str("failed", R.fail);
    L.print();
  } catch (...) {
    Siconos::exception::process();
    return 1;
  }
}

// Bouncing ball and linear impact oscillator, 1 dof, Siconos kernel.
//   peer_siconos_ball sys=ball|oscillator scheme=mj|mjp|d1|ed h=1e-3 T=4 teval=2.9 theta=0.5 reps=1
//   peer_siconos_ball ... sweep=20 N=2900   error study: h = teval/(N+j), j=0..sweep-1
// scheme: mj  TimeStepping + MoreauJeanOSI + LCP (Lemke, the default)
//         mjp TimeSteppingCombinedProjection + MoreauJeanCombinedProjectionOSI
//         d1  TimeSteppingD1Minus + D1MinusLinearOSI
//         ed  EventDriven + LsodarOSI
// q, v are sampled at every step (kept in a buffer), nothing is written to disk.
#include <SiconosKernel.hpp>
#include <algorithm>
#include <iostream>
#include <vector>
#include "bench.hpp"

// Impact oscillator m q'' + c q' + k q = f + lambda, q >= 0, Newton e.
// Piecewise closed form with bisection for the impact times.
struct Osc {
  double m, c, k, f;
  void flow(double q0, double v0, double s, double& q, double& v) const {
    double a = c / (2 * m), w = std::sqrt(k / m - a * a), qs = f / k;
    double x = q0 - qs, b = (v0 + a * x) / w, E = std::exp(-a * s);
    double C = std::cos(w * s), S = std::sin(w * s);
    q = qs + E * (x * C + b * S);
    v = E * ((b * w - a * x) * C - (x * w + a * b) * S);
  }
};

static void exact_osc(const Osc& o, double e, double q0, double v0, double T, double& q, double& v) {
  double t = 0, dt = 1e-3;
  while (t < T - 1e-14) {
    double s = std::min(dt, T - t), q1, v1;
    o.flow(q0, v0, s, q1, v1);
    if (q1 < 0) {
      double lo = 0, hi = s;
      for (int i = 0; i < 200; ++i) {
        double mid = 0.5 * (lo + hi);
        o.flow(q0, v0, mid, q1, v1);
        (q1 < 0 ? hi : lo) = mid;
      }
      o.flow(q0, v0, lo, q1, v1);
      t += lo;
      q0 = 0;
      v0 = -e * v1;
    } else {
      q0 = q1;
      v0 = v1;
      t += s;
    }
  }
  q = q0;
  v = v0;
}

struct Problem {
  std::string sys, scheme;
  double m = 1, e = 0.5, f, k, c, theta;
};

struct Result {
  bench::Snap s0, s1, s2;
  long n = 0;
  double q = NAN, v = NAN, tq = 0, pen = 0, tend = 0;
  bool failed = false;
};

static Result run(const Problem& P, double h, double T, double teval) {
  Result R;
  R.s0 = bench::snap();
  SP::SiconosVector q0(new SiconosVector(1)), v0(new SiconosVector(1));
  (*q0)(0) = 1.0;
  (*v0)(0) = 0.0;
  SP::SiconosMatrix M(new SimpleMatrix(1, 1));
  (*M)(0, 0) = P.m;
  SP::LagrangianLinearTIDS ds(new LagrangianLinearTIDS(q0, v0, M));
  if (P.k != 0) {
    SP::SiconosMatrix K(new SimpleMatrix(1, 1)), C(new SimpleMatrix(1, 1));
    (*K)(0, 0) = P.k;
    (*C)(0, 0) = P.c;
    ds->setKPtr(K);
    ds->setCPtr(C);
  }
  SP::SiconosVector F(new SiconosVector(1));
  (*F)(0) = P.f;
  ds->setFExtPtr(F);
  SP::SimpleMatrix H(new SimpleMatrix(1, 1));
  (*H)(0, 0) = 1.0;
  SP::NonSmoothLaw law(new NewtonImpactNSL(P.e));
  SP::Relation rel(new LagrangianLinearTIR(H));
  SP::Interaction inter(new Interaction(law, rel));
  SP::NonSmoothDynamicalSystem nsds(new NonSmoothDynamicalSystem(0, T));
  nsds->insertDynamicalSystem(ds);
  nsds->link(inter, ds);
  SP::TimeDiscretisation td(new TimeDiscretisation(0.0, h));
  SP::Simulation sim;
  SP::OneStepNSProblem lcp(new LCP());
  bool ed = false;
  if (P.scheme == "mj") {
    SP::OneStepIntegrator osi(new MoreauJeanOSI(P.theta));
    sim.reset(new TimeStepping(nsds, td, osi, lcp));
  } else if (P.scheme == "mjp") {
    SP::OneStepIntegrator osi(new MoreauJeanCombinedProjectionOSI(P.theta));
    SP::OneStepNSProblem pos(new MLCPProjectOnConstraints(SICONOS_MLCP_ENUM));
    SP::TimeSteppingCombinedProjection s(new TimeSteppingCombinedProjection(nsds, td, osi, lcp, pos));
    s->setProjectionMaxIteration(4);
    s->setConstraintTolUnilateral(1e-10);
    s->setConstraintTol(1e-10);
    sim = s;
  } else if (P.scheme == "d1") {
    SP::OneStepIntegrator osi(new D1MinusLinearOSI());
    SP::OneStepNSProblem force(new LCP());
    sim.reset(new TimeSteppingD1Minus(nsds, td, 2));
    sim->insertIntegrator(osi);
    sim->insertNonSmoothProblem(lcp, SICONOS_OSNSP_TS_VELOCITY);
    sim->insertNonSmoothProblem(force, SICONOS_OSNSP_TS_VELOCITY + 1);
  } else {
    ed = true;
    SP::OneStepIntegrator osi(new LsodarOSI());
    SP::OneStepNSProblem acc(new LCP());
    sim.reset(new EventDriven(nsds, td));
    sim->insertIntegrator(osi);
    sim->insertNonSmoothProblem(lcp, SICONOS_OSNSP_ED_IMPACT);
    sim->insertNonSmoothProblem(acc, SICONOS_OSNSP_ED_SMOOTH_ACC);
  }
  std::vector<double> tb, qb, vb;
  tb.reserve(size_t(T / h) + 1000);
  qb.reserve(tb.capacity());
  vb.reserve(tb.capacity());
  SP::SiconosVector q = ds->q(), v = ds->velocity();
  auto keep = [&](double t) {
    tb.push_back(t);
    qb.push_back((*q)(0));
    vb.push_back((*v)(0));
  };
  R.s1 = bench::snap();
  try {
    if (P.scheme == "mj" || P.scheme == "mjp") {
      SP::TimeStepping ts = std::dynamic_pointer_cast<TimeStepping>(sim);
      while (ts->hasNextEvent()) {
        ts->computeOneStep();
        keep(ts->nextTime());
        ts->nextStep();
        ++R.n;
      }
    } else {
      while (sim->hasNextEvent()) {
        sim->advanceToEvent();
        if (!ed) keep(sim->nextTime());
        sim->processEvents();
        if (ed) keep(sim->startingTime());
        ++R.n;
      }
    }
  } catch (...) {
    Siconos::exception::process();
    R.failed = true;
  }
  R.s2 = bench::snap();
  for (size_t i = 0; i < tb.size(); ++i) {
    if (std::abs(tb[i] - teval) < std::abs(R.tq - teval)) R.tq = tb[i], R.q = qb[i], R.v = vb[i];
    R.pen = std::max(R.pen, -qb[i]);
    R.tend = tb[i];
  }
  return R;
}

static double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

int main(int argc, char** argv) {
  bench::Args A(argc, argv);
  Problem P;
  P.sys = A.str("sys", "ball");
  P.scheme = A.str("scheme", "mj");
  const bool ball = P.sys == "ball";
  P.f = ball ? -2.0 : 0.0;
  P.k = ball ? 0.0 : 4.0;  // oscillator: rest position at the wall q = 0
  P.c = ball ? 0.0 : 0.1;
  P.theta = A.num("theta", 0.5);
  const double teval = A.num("teval", ball ? 2.9 : 6.0), T = A.num("T", ball ? 4 : 10);
  double qe, ve;
  auto exact = [&](double t) {
    if (ball)
      bench::exact_ball(t, qe, ve);
    else
      exact_osc(Osc{P.m, P.c, P.k, P.f}, P.e, 1.0, 0.0, t, qe, ve);
  };
  try {
    if (A.integer("sweep", 0) > 0) {
      const long N = A.integer("N", 2900), S = A.integer("sweep", 20);
      std::vector<double> eq, ev, pen;
      double user = 0;
      long n = 0;
      for (long j = 0; j < S; ++j) {
        double h = teval / double(N + j);
        Result R = run(P, h, teval + 0.5 * h, teval);
        exact(R.tq);
        eq.push_back(std::abs(R.q - qe));
        ev.push_back(std::abs(R.v - ve));
        pen.push_back(R.pen);
        user += R.s2.user - R.s1.user;
        n += R.n;
      }
      bench::Line L;
      L.str("case", P.sys + "-err")
          .str("peer", "siconos")
          .num("teval", teval)
          .str("scheme", P.scheme)
          .integer("N", N)
          .num("h", teval / double(N));
      L.num("err_q_med", median(eq)).num("err_q_max", *std::max_element(eq.begin(), eq.end()));
      L.num("err_v_med", median(ev)).num("err_v_max", *std::max_element(ev.begin(), ev.end()));
      L.num("max_penetration", *std::max_element(pen.begin(), pen.end()));
      L.num("us_per_step", 1e6 * user / double(n)).num("us_per_run", 1e6 * user / double(S)).print();
      return 0;
    }
    const double h = A.num("h", 1e-3);
    const long reps = A.integer("reps", 1);
    Result R, sum{};
    for (long r = 0; r < reps; ++r) {
      R = run(P, h, T, teval);
      sum.s1.user += R.s1.user - R.s0.user;
      sum.s2.user += R.s1.user - R.s0.user + R.s2.user - R.s1.user;
      sum.s2.sys += R.s2.sys - R.s1.sys;
      sum.s2.calls += R.s2.calls - R.s1.calls;
      sum.s2.bytes += R.s2.bytes - R.s1.bytes;
      sum.n += R.n;
      if (R.failed) break;
    }
    exact(R.tq);
    bench::Line L;
    L.str("case", P.sys)
        .str("peer", "siconos")
        .str("scheme", P.scheme)
        .num("h", h)
        .num("T", T)
        .integer("reps", reps);
    L.timing(sum.s0, sum.s1, sum.s2, sum.n > 0 ? sum.n : 1);
    L.num("t_reached", R.tend)
        .num("err_q", std::abs(R.q - qe))
        .num("err_v", std::abs(R.v - ve))
        .num("max_penetration", R.pen);
    if (R.failed) L.str("failed", "exception");
    L.print();
  } catch (...) {
    Siconos::exception::process();
    return 1;
  }
}

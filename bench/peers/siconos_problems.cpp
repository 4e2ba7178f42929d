// The problems of impact_problems.hpp by Siconos.
//   peer_siconos_problems problem=ball scheme=ed rtol=1e-8 samples=5 reps=3
//   peer_siconos_problems problem=ball scheme=mj steps=10000 samples=5 reps=1
// scheme: ed  EventDriven + LsodarOSI, with that tolerance; mj  TimeStepping + MoreauJeanOSI (theta = 1/2) +
// LCP Reported as by cvode_problems.cpp: states at `samples` equal parts of the time, and the least CPU time
// of runs that look at the end only. Building the model is not timed.
#include <SiconosKernel.hpp>

#include "bench.hpp"
#include "impact_problems.hpp"

static const impacts::Problem* now = nullptr;

extern "C" {
static void inner(double t, unsigned n, double* q, double* v, double* f, unsigned, double*) {
  now->force(t, q, v, f);
  for (unsigned i = 0; i < n; ++i) f[i] = -f[i];
}
static void mass(unsigned, double* q, double* M, unsigned, double*) {
  now->full_mass(q, M);
}
}

struct Outcome {
  std::vector<double> samples;
  double t = 0, seconds = 0;
  bool failed = false;
};

static Outcome run(const impacts::Problem& p, bool ed, double rtol, long steps, int parts) {
  now = &p;
  const unsigned n = p.n;
  SP::SiconosVector q0(new SiconosVector(n)), v0(new SiconosVector(n));
  SP::SimpleMatrix M(new SimpleMatrix(n, n));
  for (unsigned i = 0; i < n; ++i) (*q0)(i) = p.q0[i], (*v0)(i) = p.v0[i], (*M)(i, i) = p.mass[i];
  SP::LagrangianDS ds(new LagrangianDS(q0, v0, M));
  if (p.full_mass) ds->setComputeMassFunction(mass);
  ds->setComputeFIntFunction(inner);
  const double h = ed ? p.T / parts : p.T / double(steps);
  SP::NonSmoothDynamicalSystem nsds(new NonSmoothDynamicalSystem(0, p.T));
  nsds->insertDynamicalSystem(ds);
  for (const auto& gap : p.gaps) {
    SP::SimpleMatrix H(new SimpleMatrix(1, n));
    SP::SiconosVector b(new SiconosVector(1));
    for (unsigned i = 0; i < n; ++i) (*H)(0, i) = gap.a[i];
    (*b)(0) = gap.b;
    SP::NonSmoothLaw law(new NewtonImpactNSL(gap.e));
    SP::Relation relation(new LagrangianLinearTIR(H, b));
    nsds->link(SP::Interaction(new Interaction(law, relation)), ds);
  }
  SP::TimeDiscretisation td(new TimeDiscretisation(0.0, h));
  SP::Simulation sim;
  if (ed) {
    std::shared_ptr<LsodarOSI> osi(new LsodarOSI());
    sim.reset(new EventDriven(nsds, td));
    sim->insertIntegrator(osi);
    sim->insertNonSmoothProblem(SP::OneStepNSProblem(new LCP()), SICONOS_OSNSP_ED_IMPACT);
    sim->insertNonSmoothProblem(SP::OneStepNSProblem(new LCP()), SICONOS_OSNSP_ED_SMOOTH_ACC);
    sim->initialize();
    osi->setTol(1, rtol, rtol);
  } else {
    SP::OneStepIntegrator osi(new MoreauJeanOSI(0.5));
    sim.reset(new TimeStepping(nsds, td, osi, SP::OneStepNSProblem(new LCP())));
  }
  Outcome out;
  int next = 1;
  const auto sample = [&](double t) {
    out.t = t;
    while (next <= parts && t >= p.T * next / parts * (1 - 1e-12)) {
      for (unsigned i = 0; i < n; ++i) out.samples.push_back((*ds->q())(i));
      for (unsigned i = 0; i < n; ++i) out.samples.push_back((*ds->velocity())(i));
      ++next;
    }
  };
  const bench::Snap begin = bench::snap();
  try {
    if (ed) {
      for (long k = 0; sim->hasNextEvent() && k < 100000 && next <= parts; ++k) {
        sim->advanceToEvent();
        sim->processEvents();
        sample(sim->startingTime());
      }
    } else {
      SP::TimeStepping ts = std::dynamic_pointer_cast<TimeStepping>(sim);
      for (long k = 0; k < steps; ++k) {
        ts->computeOneStep();
        sample(p.T * double(k + 1) / double(steps));
        ts->nextStep();
      }
    }
  } catch (...) {
    out.failed = true;
  }
  out.seconds = bench::snap().user - begin.user;
  return out;
}

int main(int argc, char** argv) {
  bench::Args A(argc, argv);
  const impacts::Problem p = impacts::problem(A.str("problem", "ball"));
  const bool ed = A.str("scheme", "ed") == "ed";
  const double rtol = A.num("rtol", 1e-8);
  const long steps = A.integer("steps", 1000);
  const Outcome first = run(p, ed, rtol, steps, int(A.integer("samples", 5)));
  bench::Line L;
  L.str("problem", p.name).str("peer", "siconos").str("method", ed ? "event-driven" : "moreau-jean");
  const bool finished = !first.failed && first.t >= p.T * (1 - 1e-9);
  L.str("status", finished ? "finished" : "failed").num("t", first.t).numbers("samples", first.samples);
  if (finished) {
    double best = first.seconds;
    for (long k = 0; k < A.integer("reps", 3); ++k) best = std::min(best, run(p, ed, rtol, steps, 1).seconds);
    L.num("seconds", best);
  }
  L.print();
}

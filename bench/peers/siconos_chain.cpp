// Chain of N beads, 1 dof each, rigid impacts (Siconos kernel, LCP).
//   mode=cradle  beads on a line with small gaps, first bead at v = 1, e = 1:
//                few contacts active at a time -> per-step overhead versus N
//   mode=column  N beads stacked under gravity, e = 0, all N contacts active at
//                every step -> cost of the N-contact LCP versus N
//   peer_siconos_chain mode=cradle|column N=10 h=1e-3 steps=1000 tol=1e-8 maxit=100000
//                      solver=lemke|pgs|psor|sbm|newton|newtonfb|pivot
// Column reference: every bead stays at rest, contact impulse i = (N-i) m g h.
#include <LCP_Solvers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <SiconosKernel.hpp>
#include <vector>
#include "bench.hpp"

int main(int argc, char** argv) {
  bench::Args A(argc, argv);
  const std::string mode = A.str("mode", "column"), solver = A.str("solver", "lemke");
  const long N = A.integer("N", 10), steps = A.integer("steps", 1000), maxit = A.integer("maxit", 100000);
  const double h = A.num("h", 1e-3), tol = A.num("tol", 1e-8), R = 0.1, m = 1, g = 10;
  const bool cradle = mode == "cradle";
  // column: 1e-8 overlap so that rounding does not leave contacts open
  const double gap = A.num("gap", cradle ? 0.01 : -1e-8), e = cradle ? 1.0 : 0.0;
  try {
    auto s0 = bench::snap();
    const double T = (steps + 0.5) * h;
    SP::NonSmoothDynamicalSystem nsds(new NonSmoothDynamicalSystem(0, T));
    SP::SimpleMatrix M(new SimpleMatrix(1, 1));
    (*M)(0, 0) = m;
    SP::SiconosVector F(new SiconosVector(1));
    (*F)(0) = cradle ? 0.0 : -m * g;
    std::vector<SP::LagrangianLinearTIDS> bead(N);
    for (long i = 0; i < N; ++i) {
      SP::SiconosVector q(new SiconosVector(1)), v(new SiconosVector(1));
      (*q)(0) = R + (cradle ? 0 : gap) + double(i) * (2 * R + gap);
      (*v)(0) = cradle && i == 0 ? 1.0 : 0.0;
      bead[i].reset(new LagrangianLinearTIDS(q, v, M));
      bead[i]->setFExtPtr(F);
      nsds->insertDynamicalSystem(bead[i]);
    }
    SP::NonSmoothLaw law(new NewtonImpactNSL(e));
    SP::SimpleMatrix H1(new SimpleMatrix(1, 1)), H2(new SimpleMatrix(1, 2));
    (*H1)(0, 0) = 1;
    (*H2)(0, 0) = -1;
    (*H2)(0, 1) = 1;
    SP::SiconosVector b1(new SiconosVector(1, -R)), b2(new SiconosVector(1, -2 * R));
    std::vector<SP::Interaction> inter;
    if (!cradle) {
      SP::Relation r(new LagrangianLinearTIR(H1, b1));
      SP::Interaction it(new Interaction(law, r));
      nsds->link(it, bead[0]);
      inter.push_back(it);
    }
    for (long i = 0; i + 1 < N; ++i) {
      SP::Relation r(new LagrangianLinearTIR(H2, b2));
      SP::Interaction it(new Interaction(law, r));
      nsds->link(it, bead[i], bead[i + 1]);
      inter.push_back(it);
    }
    SP::TimeDiscretisation td(new TimeDiscretisation(0.0, h));
    SP::OneStepIntegrator osi(new MoreauJeanOSI(0.5));
    int id = SICONOS_LCP_LEMKE;
    if (solver == "pgs") id = SICONOS_LCP_PGS;
    if (solver == "psor") id = SICONOS_LCP_PSOR;
    if (solver == "sbm") id = SICONOS_LCP_NSGS_SBM;
    if (solver == "newton") id = SICONOS_LCP_NEWTONMIN;
    if (solver == "newtonfb") id = SICONOS_LCP_NEWTON_FB_FBLSA;
    if (solver == "pivot") id = SICONOS_LCP_PIVOT;
    SP::LCP lcp(new LCP(id));
    if (solver == "sbm") lcp->setMStorageType(NM_SPARSE_BLOCK);
    SP::SolverOptions so = lcp->numericsSolverOptions();
    if (solver != "lemke" && solver != "pivot") {
      so->iparam[SICONOS_IPARAM_MAX_ITER] = maxit;
      so->dparam[SICONOS_DPARAM_TOL] = tol;
    }
    SP::TimeStepping s(new TimeStepping(nsds, td, osi, lcp));
    auto s1 = bench::snap();
    s->initialize();
    long n = 0, active = 0, iters = 0, maxact = 0;
    // first step separately: it allocates and factorises
    s->computeOneStep();
    s->nextStep();
    auto s2 = bench::snap();
    while (s->hasNextEvent() && n < steps - 1) {
      s->computeOneStep();
      long a = lcp->getSizeOutput();
      active += a;
      maxact = std::max(maxact, a);
      iters += so->iparam[SICONOS_IPARAM_ITER_DONE];
      s->nextStep();
      ++n;
    }
    auto s3 = bench::snap();
    double verr = 0, lerr = 0, pen = 0;
    for (long i = 0; i < N; ++i) verr = std::max(verr, std::abs((*bead[i]->velocity())(0) - 0.0));
    for (auto& it : inter) pen = std::max(pen, -(*it->y(0))(0));
    if (!cradle)
      for (long i = 0; i < N; ++i)
        lerr = std::max(lerr, std::abs((*inter[i]->lambda(1))(0) / ((N - i) * m * g * h) - 1));
    double vlast = (*bead[N - 1]->velocity())(0);
    bench::Line L;
    L.str("case", "chain-" + mode)
        .str("peer", "siconos")
        .str("solver", solver)
        .integer("N", N)
        .num("h", h)
        .num("tol", tol);
    L.num("first_step_user_s", s2.user - s1.user);
    L.timing(s0, s2, s3, n > 0 ? n : 1)
        .num("lcp_size_mean", double(active) / std::max(1L, n))
        .integer("lcp_size_max", maxact);
    L.num("iters_per_step", double(iters) / std::max(1L, n))
        .num("us_per_step_per_bead", 1e6 * (s3.user - s2.user) / double(std::max(1L, n)) / double(N));
    L.num("max_penetration", pen);
    if (cradle)
      L.num("v_last", vlast);
    else
      L.num("max_abs_v", verr).num("impulse_relerr", lerr);
    L.print();
  } catch (...) {
    Siconos::exception::process();
    return 1;
  }
}

// Disks settling in a box with friction: Siconos' own planar disks and space filter, Moreau–Jean, friction
// problems by NSGS. The last `window` of `steps` steps are timed. Its own measure of the residual is not that
// of its solvers in space; `residual` is the latter, √(Σ|r − P_K(r − ũ)|²) / max(|q|, |r|, |u|), ũ = u +
// μ|u_T| n.
//   peer_siconos_disks n=100 h=2e-3 steps=300 window=50 tol=1e-4 maxit=20000
// Mechanics headers come before kernel headers, or they do not compile.
#include <Friction_cst.h>
#include <SolverOptions.h>
#include <Disk.hpp>
#include <SiconosBodies.hpp>
#include <SiconosKernel.hpp>
#include <SpaceFilter.hpp>
#include "bench.hpp"
#include "disk_scene.hpp"

// at the end of a step
double residual_of(FrictionContact& contacts, double mu) {
  const auto &r = *contacts.z(), &u = *contacts.w(), &q = *contacts.q();
  double sum = 0, rr = 0, uu = 0, qq = 0;
  for (unsigned k = 0; k + 1 < contacts.getSizeOutput(); k += 2) {
    const double n = r(k) - u(k) - mu * std::abs(u(k + 1)), t = r(k + 1) - u(k + 1);
    double pn = n, pt = t;
    if (std::abs(t) > mu * n) {
      pn = std::max(0.0, (n + mu * std::abs(t)) / (1 + mu * mu));
      pt = std::copysign(mu * pn, t);
    }
    sum += std::pow(r(k) - pn, 2) + std::pow(r(k + 1) - pt, 2);
    for (unsigned i : {k, k + 1}) rr += r(i) * r(i), uu += u(i) * u(i), qq += q(i) * q(i);
  }
  const double scale = std::sqrt(std::max({rr, uu, qq}));
  return scale > 0 ? std::sqrt(sum) / scale : 0;
}

int main(int argc, char** argv) {
  bench::Args A(argc, argv);
  const DiskScene scene(A.integer("n", 100));
  const double h = A.num("h", 2e-3);
  const long steps = A.integer("steps", 300), window = A.integer("window", 50);
  try {
    const auto s0 = bench::snap();
    SP::NonSmoothDynamicalSystem nsds(new NonSmoothDynamicalSystem(0, (steps + 0.5) * h));
    std::vector<SP::Disk> bodies;
    for (const auto& d : scene.disks) {
      SP::SiconosVector q(new SiconosVector(3)), v(new SiconosVector(3)), f(new SiconosVector(3));
      q->zero(), v->zero(), f->zero();
      (*q)(0) = d.x, (*q)(1) = d.y, (*f)(1) = -d.mass * scene.g;
      SP::Disk body(new Disk(d.radius, d.mass, q, v));
      body->setFExtPtr(f);
      nsds->insertDynamicalSystem(body);
      bodies.push_back(body);
    }
    // lines A x + B y + C = 0, endless (width 0)
    SP::SimpleMatrix planes(new SimpleMatrix(3, 6));
    planes->zero();
    (*planes)(0, 1) = 1;
    (*planes)(1, 0) = 1;
    (*planes)(2, 0) = 1, (*planes)(2, 2) = -scene.width;
    SP::SpaceFilter filter(new SpaceFilter(3, 6, planes));
    filter->insertNonSmoothLaw(SP::NonSmoothLaw(new NewtonImpactFrictionNSL(0, 0, scene.mu, 2)), 0, 0);

    SP::OneStepIntegrator osi(new MoreauJeanOSI(0.5));
    SP::FrictionContact contacts(new FrictionContact(2));
    SP::SolverOptions o = contacts->numericsSolverOptions();
    o->dparam[SICONOS_DPARAM_TOL] = A.num("tol", 1e-4);
    o->iparam[SICONOS_IPARAM_MAX_ITER] = static_cast<int>(A.integer("maxit", 20000));
    contacts->setMStorageType(A.str("storage", "sbm") == "sbm" ? NM_SPARSE_BLOCK : NM_DENSE);
    contacts->setMaxSize(static_cast<unsigned>(16 * scene.disks.size()));
    SP::TimeStepping s(new TimeStepping(nsds, SP::TimeDiscretisation(new TimeDiscretisation(0, h))));
    s->insertInteractionManager(filter);
    s->insertIntegrator(osi);
    s->insertNonSmoothProblem(contacts);
    s->setNewtonOptions(SICONOS_TS_LINEAR);
    s->setCheckSolverFunction([](int, Simulation*) {});

    long n = 0, count = 0, sweeps = 0, missed = 0;
    double residual = 0;
    const auto s1 = bench::snap();
    auto at_window = s1;
    for (; s->hasNextEvent() && n < steps; ++n) {
      if (n == steps - window) at_window = bench::snap();
      s->computeOneStep();
      if (n >= steps - window) {
        count += contacts->getSizeOutput() / 2;
        sweeps += o->iparam[SICONOS_IPARAM_ITER_DONE];
        residual = std::max(residual, residual_of(*contacts, scene.mu));
        missed += !(o->dparam[SICONOS_DPARAM_RESIDU] <= o->dparam[SICONOS_DPARAM_TOL]);
      }
      s->nextStep();
      s->clearNSDSChangeLog();  // without it memory grows every step
    }
    const auto s2 = bench::snap();
    double energy = 0;
    std::vector<DiskScene::Disk> end;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const auto &q = *bodies[k]->q(), &v = *bodies[k]->velocity();
      end.push_back({scene.disks[k].radius, scene.disks[k].mass, q(0), q(1)});
      energy += scene.disks[k].mass / 2 * (v(0) * v(0) + v(1) * v(1));
    }
    const double w = static_cast<double>(window);
    bench::Line L;
    L.str("case", "disks").str("peer", "siconos").integer("n", static_cast<long>(bodies.size())).num("h", h);
    L.timing(s0, s1, s2, n).num("ms_per_step", 1e3 * (s2.user - at_window.user) / w);
    L.num("contacts", static_cast<double>(count) / w).num("iterations", static_cast<double>(sweeps) / w);
    L.integer("unsolved", missed)
        .num("residual", residual)
        .num("overlap", scene.overlap(end))
        .num("kinetic", energy);
    L.print();
  } catch (...) {
    Siconos::exception::process();
    return 1;
  }
}

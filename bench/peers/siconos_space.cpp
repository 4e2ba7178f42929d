// The spheres of space_scene.hpp by Siconos: Moreau–Jean with one pass a step, contacts by Bullet, NSGS.
//   peer_siconos_space kind=spheres n=343 h=5e-3 steps=60 window=20 [tol=1e-4]
// Headers of the mechanics come before those of the kernel.
#include <Friction_cst.h>
#include <SolverOptions.h>
#include <RigidBodyDS.hpp>
#include <SiconosBodies.hpp>
#include <SiconosBulletCollisionManager.hpp>
#include <SiconosKernel.hpp>

#include "space_report.hpp"

int main(int argc, char** argv) try {
  const bench::Args A(argc, argv);
  const std::string kind = A.str("kind", "spheres");
  const SpaceScene scene(kind, A.integer("n", 343));
  const double h = A.num("h", 5e-3);
  const long steps = A.integer("steps", 60), window = A.integer("window", 20);
  const auto s0 = bench::snap();
  SP::NonSmoothDynamicalSystem nsds(new NonSmoothDynamicalSystem(0, (steps + 0.5) * h));
  const auto vector = [](std::vector<double> x) {
    SP::SiconosVector v(new SiconosVector(static_cast<unsigned>(x.size())));
    for (std::size_t k = 0; k < x.size(); ++k) (*v)(static_cast<unsigned>(k)) = x[k];
    return v;
  };
  std::vector<SP::RigidBodyDS> bodies;
  const auto& size = scene.bodies[0].size;
  for (const auto& b : scene.bodies) {
    SP::SimpleMatrix J(new SimpleMatrix(3, 3));
    const auto moments = scene.inertia(b);
    for (int i = 0; i < 3; ++i) (*J)(i, i) = moments[i];
    SP::RigidBodyDS body(
        new RigidBodyDS(vector({b.at[0], b.at[1], b.at[2], b.turn[0], b.turn[1], b.turn[2], b.turn[3]}),
                        vector({0, 0, 0, 0, 0, 0}), scene.mass, J));
    body->setUseContactorInertia(false);
    if (scene.boxes)
      body->contactors()->push_back(std::make_shared<SiconosContactor>(
          SP::SiconosBox(new SiconosBox(2 * size[0], 2 * size[1], 2 * size[2]))));
    else
      body->contactors()->push_back(
          std::make_shared<SiconosContactor>(SP::SiconosSphere(new SiconosSphere(size[0]))));
    body->setFExtPtr(vector({0, 0, -SpaceScene::g * scene.mass}));
    nsds->insertDynamicalSystem(body);
    bodies.push_back(body);
  }
  SiconosBulletOptions options;
  options.perturbationIterations = 0, options.minimumPointsPerturbationThreshold = 0;
  SP::SiconosBulletCollisionManager collisions(new SiconosBulletCollisionManager(options));
  collisions->insertNonSmoothLaw(SP::NonSmoothLaw(new NewtonImpactFrictionNSL(0.0, 0.0, scene.mu, 3)), 0, 0);
  const double thick = 1, high = 60, w = scene.half > 0 ? scene.half : 50;
  const auto wall = [&](std::vector<double> at, double x, double y, double z) {
    at.insert(at.end(), {1, 0, 0, 0});
    SP::SiconosContactorSet set(new SiconosContactorSet());
    set->push_back(std::make_shared<SiconosContactor>(SP::SiconosBox(new SiconosBox(x, y, z))));
    collisions->insertStaticContactorSet(set, vector(at));
  };
  wall({0, 0, -thick / 2}, 2 * w + 4, 2 * w + 4, thick);
  for (const double side : {-1.0, 1.0})
    if (scene.half > 0)
      wall({side * (w + thick / 2), 0, high / 2}, thick, 2 * w + 4, high),
          wall({0, side * (w + thick / 2), high / 2}, 2 * w + 4, thick, high);
  SP::FrictionContact friction(new FrictionContact(3));
  SP::SolverOptions solver = friction->numericsSolverOptions();
  solver->dparam[SICONOS_DPARAM_TOL] = A.num("tol", 1e-4);
  friction->setMStorageType(NM_SPARSE_BLOCK), friction->setMaxSize(16384);
  SP::TimeStepping simulation(new TimeStepping(nsds, SP::TimeDiscretisation(new TimeDiscretisation(0, h))));
  simulation->insertInteractionManager(collisions);
  simulation->insertIntegrator(SP::OneStepIntegrator(new MoreauJeanOSI(0.5)));
  simulation->insertNonSmoothProblem(friction);
  simulation->setNewtonOptions(SICONOS_TS_LINEAR);
  simulation->setCheckSolverFunction([](int, Simulation*) {});
  const auto s1 = bench::snap();
  auto sw = s1;
  double contacts = 0, iterations = 0;
  for (long k = 0; k < steps && simulation->hasNextEvent(); ++k) {
    if (k == steps - window) sw = bench::snap();
    simulation->computeOneStep();
    if (k >= steps - window)
      contacts += friction->getSizeOutput() / 3, iterations += solver->iparam[SICONOS_IPARAM_ITER_DONE];
    simulation->nextStep();
    simulation->clearNSDSChangeLog();  // without it memory grows in every step
  }
  const auto s2 = bench::snap();
  auto end = scene.bodies;
  for (std::size_t k = 0; k < end.size(); ++k)
    for (int j = 0; j < 7; ++j) (j < 3 ? end[k].at[j] : end[k].turn[j - 3]) = (*bodies[k]->q())(j);
  report_space(kind, "siconos", scene, end, h, steps, window, s0, s1, sw, s2, contacts,
               iterations / static_cast<double>(window));
} catch (...) {
  Siconos::exception::process();
  return 1;
}

// The scenes of space_scene.hpp by ODE's QuickStep, with its defaults but for the number of iterations.
//   peer_ode_space kind=spheres n=343 h=5e-3 steps=200 window=50 [iters=20]
#include <ode/ode.h>

#include "space_report.hpp"

static dWorldID world;
static dJointGroupID group;
static double mu;
static long contacts;

static void near(void*, dGeomID a, dGeomID b) {
  const dBodyID ba = dGeomGetBody(a), bb = dGeomGetBody(b);
  if (!ba && !bb) return;
  dContact c[8];
  const int n = dCollide(a, b, 8, &c[0].geom, sizeof(dContact));
  for (int i = 0; i < n; ++i) {
    c[i].surface = dSurfaceParameters();
    c[i].surface.mode = dContactApprox1;
    c[i].surface.mu = mu;
    dJointAttach(dJointCreateContact(world, group, &c[i]), ba, bb);
    ++contacts;
  }
}

int main(int argc, char** argv) {
  const bench::Args A(argc, argv);
  const std::string kind = A.str("kind", "spheres");
  const SpaceScene scene(kind, A.integer("n", 343));
  const double h = A.num("h", 5e-3);
  const long steps = A.integer("steps", 200), window = A.integer("window", 50),
             iters = A.integer("iters", 20);
  const auto s0 = bench::snap();
  dInitODE2(0);
  world = dWorldCreate(), group = dJointGroupCreate(0), mu = scene.mu;
  const dSpaceID space = dHashSpaceCreate(0);
  dWorldSetGravity(world, 0, 0, -SpaceScene::g);
  dWorldSetQuickStepNumIterations(world, static_cast<int>(iters));
  dCreatePlane(space, 0, 0, 1, 0);
  if (scene.half > 0)
    for (int k = 0; k < 4; ++k)
      dCreatePlane(space, k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0, 0, -scene.half);
  std::vector<dBodyID> bodies;
  for (const auto& b : scene.bodies) {
    const dBodyID body = dBodyCreate(world);
    dMass m;
    dGeomID geom;
    if (scene.boxes) {
      dMassSetBoxTotal(&m, scene.mass, 2 * b.size[0], 2 * b.size[1], 2 * b.size[2]);
      geom = dCreateBox(space, 2 * b.size[0], 2 * b.size[1], 2 * b.size[2]);
    } else {
      dMassSetSphereTotal(&m, scene.mass, b.size[0]);
      geom = dCreateSphere(space, b.size[0]);
    }
    dBodySetMass(body, &m), dGeomSetBody(geom, body);
    dBodySetPosition(body, b.at[0], b.at[1], b.at[2]);
    const dQuaternion q = {b.turn[0], b.turn[1], b.turn[2], b.turn[3]};
    dBodySetQuaternion(body, q);
    bodies.push_back(body);
  }
  const auto s1 = bench::snap();
  auto sw = s1;
  for (long k = 0; k < steps; ++k) {
    if (k == steps - window) sw = bench::snap(), contacts = 0;
    dSpaceCollide(space, 0, near);
    dWorldQuickStep(world, h);
    dJointGroupEmpty(group);
  }
  const auto s2 = bench::snap();
  auto end = scene.bodies;
  for (std::size_t k = 0; k < end.size(); ++k)
    for (int j = 0; j < 4; ++j) {
      if (j < 3) end[k].at[j] = dBodyGetPosition(bodies[k])[j];
      end[k].turn[j] = dBodyGetQuaternion(bodies[k])[j];
    }
  report_space(kind, sizeof(dReal) == 8 ? "ode" : "ode-single", scene, end, h, steps, window, s0, s1, sw, s2,
               static_cast<double>(contacts), static_cast<double>(iters));
}

// The scenes of space_scene.hpp by Bullet's sequential impulses, with its defaults but for the number of
// iterations.
//   peer_bullet_space kind=spheres n=343 h=5e-3 steps=200 window=50 [iters=10]
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "space_report.hpp"

int main(int argc, char** argv) {
  const bench::Args A(argc, argv);
  const std::string kind = A.str("kind", "spheres");
  const SpaceScene scene(kind, A.integer("n", 343));
  const double h = A.num("h", 5e-3);
  const long steps = A.integer("steps", 200), window = A.integer("window", 50),
             iters = A.integer("iters", 10);
  const auto s0 = bench::snap();
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broad, &solver, &configuration);
  world.setGravity(btVector3(0, 0, -SpaceScene::g));
  world.getSolverInfo().m_numIterations = static_cast<int>(iters);
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btDefaultMotionState>> states;
  std::vector<std::unique_ptr<btRigidBody>> all;
  const double friction = std::sqrt(scene.mu);  // coefficients are multiplied
  const auto add = [&](btCollisionShape* shape, double mass, const btTransform& at) {
    btVector3 J(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(mass, J);
    states.push_back(std::make_unique<btDefaultMotionState>(at));
    btRigidBody::btRigidBodyConstructionInfo info(mass, states.back().get(), shape, J);
    info.m_friction = friction;
    all.push_back(std::make_unique<btRigidBody>(info));
    all.back()->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(all.back().get());
    return all.back().get();
  };
  const auto plane = [&](double x, double y, double z, double offset) {
    shapes.push_back(std::make_unique<btStaticPlaneShape>(btVector3(x, y, z), offset));
    add(shapes.back().get(), 0, btTransform::getIdentity());
  };
  plane(0, 0, 1, 0);
  if (scene.half > 0)
    plane(1, 0, 0, -scene.half), plane(-1, 0, 0, -scene.half), plane(0, 1, 0, -scene.half),
        plane(0, -1, 0, -scene.half);
  const auto& s = scene.bodies[0].size;
  if (scene.boxes)
    shapes.push_back(std::make_unique<btBoxShape>(btVector3(s[0], s[1], s[2])));
  else
    shapes.push_back(std::make_unique<btSphereShape>(s[0]));
  btCollisionShape* shape = shapes.back().get();
  std::vector<btRigidBody*> bodies;
  for (const auto& b : scene.bodies)
    bodies.push_back(add(shape, scene.mass,
                         btTransform(btQuaternion(b.turn[1], b.turn[2], b.turn[3], b.turn[0]),
                                     btVector3(b.at[0], b.at[1], b.at[2]))));
  const auto s1 = bench::snap();
  auto sw = s1;
  long contacts = 0;
  for (long k = 0; k < steps; ++k) {
    if (k == steps - window) sw = bench::snap();
    world.stepSimulation(h, 0);
    for (int i = 0; k >= steps - window && i < dispatcher.getNumManifolds(); ++i)
      contacts += dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
  }
  const auto s2 = bench::snap();
  auto end = scene.bodies;
  for (std::size_t k = 0; k < end.size(); ++k) {
    const auto& x = bodies[k]->getCenterOfMassPosition();
    const auto q = bodies[k]->getOrientation();
    end[k].at = {x.x(), x.y(), x.z()}, end[k].turn = {q.w(), q.x(), q.y(), q.z()};
  }
  report_space(kind, sizeof(btScalar) == 8 ? "bullet" : "bullet-single", scene, end, h, steps, window, s0, s1,
               sw, s2, static_cast<double>(contacts), static_cast<double>(iters));
  for (auto& b : all) world.removeRigidBody(b.get());
}

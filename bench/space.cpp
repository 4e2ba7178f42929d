// The scenes of peers/space_scene.hpp by Moreau–Jean, with the arguments of the peers.
//   saltus_space kind=spheres|wall|heap n=343 h=5e-3 steps=200 window=50 tol=1e-5 [solver=automatic]
//   [threads=1]
// `tol` is what large problems are accepted at. Residuals: the largest natural one of the window.
#include <cstdio>

#include "peers/bench.hpp"
#include "peers/space_scene.hpp"
#include "saltus/core/threads/worker_team.hpp"
#include "saltus/scheme/scheme.hpp"
#include "saltus/scheme/stepper.hpp"
#include "saltus/spatial/spatial_system.hpp"

using namespace saltus;

namespace {

SpatialSystem system_of(const SpaceScene& scene, Vec& q) {
  SpatialSystem::Data data;
  q = Vec::Zero(7 * static_cast<long>(scene.bodies.size()));
  for (const auto& b : scene.bodies) {
    const long k = 7 * static_cast<long>(data.bodies.size());
    for (int i = 0; i < 3; ++i) q[k + i] = b.at[i];
    for (int i = 0; i < 4; ++i) q[k + 3 + i] = b.turn[i];
    SpaceBody body;
    body.name = "b" + std::to_string(data.bodies.size());
    body.mass = scene.mass;
    const auto J = scene.inertia(b);
    body.inertia = Vec3(J[0], J[1], J[2]).asDiagonal();
    body.shapes.push_back(scene.boxes ? SpaceShape::box({b.size[0], b.size[1], b.size[2]})
                                      : SpaceShape::sphere(b.size[0]));
    data.bodies.push_back(std::move(body));
  }
  const auto wall = [&](const char* name, const Vec3& normal, double offset) {
    SpaceBody b;
    b.name = name;
    b.shapes.push_back(SpaceShape::half_space(normal, offset * normal));
    data.bodies.push_back(std::move(b));
  };
  wall("floor", {0, 0, 1}, 0);
  if (scene.half > 0) {
    wall("left", {1, 0, 0}, -scene.half), wall("right", {-1, 0, 0}, -scene.half);
    wall("front", {0, 1, 0}, -scene.half), wall("back", {0, -1, 0}, -scene.half);
  }
  data.gravity = {0, 0, -SpaceScene::g};
  data.materials = MaterialTable({{.mu = scene.mu, .e_n = 0, .e_t = 0, .law = {}, .rolling = 0}});
  return SpatialSystem(std::move(data));
}

}  // namespace

int main(int argc, char** argv) try {
  const bench::Args A(argc, argv);
  const std::string kind = A.str("kind", "spheres");
  const SpaceScene scene(kind, A.integer("n", 343));
  const double h = A.num("h", 5e-3);
  const long steps = A.integer("steps", 200), window = A.integer("window", 50);
  const auto s0 = bench::snap();
  Vec q;
  const SpatialSystem system = system_of(scene, q);
  const std::string usual = "automatic:large_tolerance=" + A.str("tol", "1e-5");
  const auto solver = parse_spec<SolverSpec>(A.str("solver", usual.c_str()), "solver");
  const TeamOfThread team(static_cast<int>(A.integer("threads", 1)));
  const bool midpoint = std::string(A.str("scheme", "moreau-jean")) == "moreau-midpoint";
  const auto stepper = midpoint ? make_stepper(MoreauMidpoint{}, system, solver)
                                : make_stepper(MoreauJean{0.5}, system, solver);
  State x0 = stepper->start(0, q, Vec::Zero(6 * static_cast<long>(scene.bodies.size()))), x1 = x0;
  long count = 0, iterations = 0, newton = 0, unsolved = 0;
  double residual = 0;
  const auto s1 = bench::snap();
  auto sw = s1;
  for (long k = 0; k < steps; ++k) {
    if (k == steps - window) sw = bench::snap();
    const StepReport r = stepper->step(x0, h, x1);
    if (k >= steps - window) {
      count += static_cast<long>(x1.contacts.closed.size());
      iterations += r.contact_iterations, newton += r.newton_iterations;
      residual = std::max(residual, r.contact_residual);
    }
    if (r.status == StepStatus::contact_unsolved)
      ++unsolved;
    else if (r.status != StepStatus::ok)
      fail("step {}: {}", k, to_string(r.status));
    std::swap(x0, x1);
  }
  const auto s2 = bench::snap();
  auto end = scene.bodies;
  double fastest = 0, creep = 0;
  for (std::size_t k = 0; k < end.size(); ++k) {
    const long i = 7 * static_cast<long>(k);
    for (int j = 0; j < 3; ++j)
      creep = std::max(creep, std::abs(x0.q[i + j] - scene.bodies[k].at[j])), end[k].at[j] = x0.q[i + j];
    for (int j = 0; j < 4; ++j) end[k].turn[j] = x0.q[i + 3 + j];
    fastest = std::max(fastest, x0.u.segment<3>(6 * static_cast<long>(k)).norm());
  }
  const auto overlap = scene.overlap(end);
  const double w = static_cast<double>(window);
  bench::Line L;
  L.str("case", kind).str("peer", "saltus").integer("n", static_cast<long>(end.size())).num("h", h);
  L.timing(s0, s1, s2, steps).num("ms_per_step", 1e3 * (s2.user - sw.user) / w);
  L.num("contacts", static_cast<double>(count) / w).num("iterations", static_cast<double>(iterations) / w);
  L.num("newton", static_cast<double>(newton) / w).integer("unsolved", unsolved).num("residual", residual);
  L.num("overlap", overlap.most).num("mean_overlap", overlap.mean()).integer("close", overlap.count);
  L.num("fastest", fastest).num("way", creep);
  L.print();
} catch (const std::exception& e) {
  std::fprintf(stderr, "saltus_space: %s\n", e.what());
  return 2;
}

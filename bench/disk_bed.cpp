// The bed of disks of peers/disk_scene.hpp, with the arguments of peer_siconos_disks. One contact problem per
// step in both: moreau-midpoint here, Moreau–Jean with one Newton pass there.
//   saltus_bed n=100 h=2e-3 steps=300 window=50 tol=1e-4 [solver=automatic]
// The residual printed is the peer's measure, looked at in every tenth step, outside the timing.
#include <cstdio>

#include "peers/bench.hpp"
#include "peers/disk_scene.hpp"
#include "saltus/contact/file/friction_problem.hpp"
#include "saltus/planar/disk_system.hpp"
#include "saltus/scheme/scheme.hpp"
#include "saltus/scheme/stepper.hpp"

using namespace saltus;

DiskSystem bed_of(const DiskScene& scene, Vec& q) {
  DiskSystem::Data data;
  q = Vec::Zero(3 * static_cast<long>(scene.disks.size()));
  for (const auto& d : scene.disks) {
    q.segment<2>(3 * static_cast<long>(data.disks.size())) = Vec2(d.x, d.y);
    data.disks.push_back({d.radius, d.mass});
  }
  data.boundaries = {{"floor", Plane{{0, 0}, {0, 1}}},
                     {"left", Plane{{0, 0}, {1, 0}}},
                     {"right", Plane{{scene.width, 0}, {-1, 0}}}};
  data.materials = MaterialTable({{scene.mu, 0, 0}});
  data.gravity = {0, -scene.g};
  data.margin = 0.5;  // more than a disk moves in a step
  return DiskSystem(std::move(data));
}

double residual_of(const Stepper& stepper) {
  const ContactProblem* posed = stepper.contact_problem();
  if (!posed) return 0;
  PosedFriction file(to_friction_problem(*posed, "step"));
  return file.file_residual(Eigen::Map<const Vec>(stepper.contact_impulses().data(), file.problem.rows()));
}

int main(int argc, char** argv) try {
  const bench::Args A(argc, argv);
  const DiskScene scene(A.integer("n", 100));
  const double h = A.num("h", 2e-3);
  const long steps = A.integer("steps", 300), window = A.integer("window", 50);
  const auto s0 = bench::snap();
  Vec q;
  const DiskSystem system = bed_of(scene, q);
  const auto solver =
      parse_spec<SolverSpec>(A.str("solver", "automatic") + ":tolerance=" + A.str("tol", "1e-4"), "solver");
  const auto stepper = make_stepper(MoreauMidpoint{}, system, solver);
  State x0 = stepper->start(0, q, Vec::Zero(q.size())), x1 = x0;
  long count = 0, iterations = 0, unsolved = 0;
  double seconds = 0, residual = 0;
  const auto s1 = bench::snap();
  auto before = s1;
  for (long k = 0; k < steps; ++k) {
    const bool timed = k >= steps - window;
    if (timed) before = bench::snap();
    const StepReport r = stepper->step(x0, h, x1);
    if (timed) {
      seconds += bench::snap().user - before.user;
      count += static_cast<long>(x1.contacts.closed.size());
      iterations += r.contact_iterations;
      if (k % 10 == 0) residual = std::max(residual, residual_of(*stepper));
    }
    if (r.status == StepStatus::contact_unsolved)
      ++unsolved;
    else if (r.status != StepStatus::ok)
      fail("step {}: {}", k, to_string(r.status));
    std::swap(x0, x1);
  }
  const auto s2 = bench::snap();
  std::vector<DiskScene::Disk> end = scene.disks;
  double energy = 0;
  for (std::size_t k = 0; k < end.size(); ++k) {
    const long i = 3 * static_cast<long>(k);
    end[k].x = x0.q[i], end[k].y = x0.q[i + 1];
    energy += end[k].mass / 2 * x0.u.segment<2>(i).squaredNorm();
  }
  const double w = static_cast<double>(window);
  bench::Line L;
  L.str("case", "disks").str("peer", "saltus").integer("n", static_cast<long>(end.size())).num("h", h);
  L.timing(s0, s1, s2, steps).num("ms_per_step", 1e3 * seconds / w);
  L.num("contacts", static_cast<double>(count) / w).num("iterations", static_cast<double>(iterations) / w);
  L.integer("unsolved", unsolved).num("residual", residual);
  L.num("overlap", scene.overlap(end)).num("kinetic", energy);
  L.print();
} catch (const std::exception& e) {
  std::fprintf(stderr, "saltus_bed: %s\n", e.what());
  return 2;
}

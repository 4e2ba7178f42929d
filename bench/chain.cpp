// Chains: what they cost and what accuracy costs. One report per line, "@@{...}".
//   saltus_chain what=cost n=1000 scheme=kk-irk       ns per bead and step, all beads moving
//   saltus_chain what=scene n=100000 scheme=kk-irk    the same for a disordered chain of a scene
//   saltus_chain what=memory n=1000000                MB of a whole run of ten steps
//   saltus_chain what=front n=100000                  ms of an impact on a chain at rest, t = 30
//   saltus_chain what=table-1 scheme=kk-irk h=0.1     errors and ms of a run of Table 1
//   saltus_chain what=reference problem=C file=c.bin  states at ten times, by extrapolation
//   saltus_chain what=work problem=C scheme=rk:tableau=herk-5 stepping=adaptive:atol=1e-4,h=1 file=c.bin
// Problems A to E are those of peers/sundials_chain.cpp, which reads the same reference files.
#include <algorithm>
#include <ctime>
#include <fstream>

#include "peers/bench.hpp"
#include "saltus/catalog/catalog.hpp"
#include "saltus/chain/chain.hpp"
#include "saltus/core/error.hpp"
#include "saltus/reference/extrapolated_reference.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/scene/load.hpp"

using namespace saltus;

namespace {

constexpr int outputs = 10;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The least CPU time of `rounds` measurements, each of as many runs as fill 20 ms
template <class Run>
double least_seconds(long rounds, Run&& once) {
  double best = infinity;
  for (long i = 0; i < rounds; ++i) {
    const double begin = cpu_seconds();
    double spent = 0;
    long runs = 0;
    do once(), ++runs, spent = cpu_seconds() - begin;
    while (spent < 0.02);
    best = std::min(best, spent / static_cast<double>(runs));
  }
  return best;
}

CatalogProblem chain_problem(char letter) {
  const auto make = [](Settings s, double t_end) {
    s.emplace_back("reference", "none");
    return make_problem("dimer-chain", s, t_end);
  };
  switch (letter) {
    case 'A':
      return make({}, 30);
    case 'B':
      return make({{"n", "1000"}}, 30);
    case 'C':
      return make({{"preset", "precompressed"}}, 30);
    case 'D':
      return make({{"preset", "precompressed"}, {"n", "10000"}}, 10);
    case 'E':
      return make({{"preset", "precompressed"}, {"n", "1001"}, {"eps", "1e-4"}}, 10);
    default:
      fail("problem '{}': one of A, B, C, D, E", letter);
  }
}

// Every mass, stiffness and start velocity another number.
CatalogProblem disordered(long n) {
  const std::string text = fmt::format(
      "saltus: 1\nchain: {{beads: {}, mass: {{uniform: [0.59, 1], seed: 1}}, stiffness: {{uniform: [0.8, "
      "1.2], seed: 2}}, "
      "damping: 0.06, precompression: 0.2, velocity: {{uniform: [-0.5, 0.5], seed: 3}}, left: wall, right: "
      "wall}}\n"
      "run: {{t_end: 1}}\n",
      n);
  return load_scene_text(text, "bench")->entry.make({}, {});
}

void cost(const bench::Args& A, bool scene) {
  const long n = A.integer("n", 1000);
  const auto p = scene ? disordered(n)
                       : make_problem("dimer-chain", {{"preset", "precompressed"},
                                                      {"n", std::to_string(n)},
                                                      {"left_wall", "true"},
                                                      {"right_wall", "true"},
                                                      {"reference", "none"}});
  const auto scheme = parse_spec<SchemeSpec>(A.str("scheme", "kk-irk"), "scheme");
  const auto stepper = make_stepper(scheme, *p.problem.system, AutomaticSolver{});
  State a = stepper->start(0, p.problem.q0, p.problem.u0), b = a;
  // the same stretch of motion whatever n is: from the start to t = 1, again and again
  const int steps = 20;
  long iterations = 0;
  const double seconds = least_seconds(A.integer("rounds", 5), [&] {
    a.t = 0, a.q = p.problem.q0, a.u = p.problem.u0;
    a = stepper->start(0, p.problem.q0, p.problem.u0);
    iterations = 0;
    for (int k = 0; k < steps; ++k) {
      const StepReport r = stepper->step(a, 0.05, b);
      if (r.status != StepStatus::ok) fail("{}", to_string(r.status));
      iterations += r.newton_iterations;
      std::swap(a, b);
    }
  });
  bench::Line L;
  L.str("scheme", A.str("scheme", "kk-irk"))
      .integer("n", n)
      .num("newton", static_cast<double>(iterations) / steps);
  L.num("ns", 1e9 * seconds / steps / static_cast<double>(n)).print();
}

void memory(const bench::Args& A) {
  const long n = A.integer("n", 1000000);
  auto p = make_problem("dimer-chain",
                        {{"preset", "precompressed"}, {"n", std::to_string(n)}, {"reference", "none"}}, 0.5);
  p.method.scheme = parse_spec<SchemeSpec>(A.str("scheme", "kk-irk"), "scheme");
  p.method.stepping = FixedSteps{0.05};
  const RunResult r = run(p.problem, p.method);
  bench::Line L;
  L.integer("n", n).str("status", std::string(to_string(r.status))).num("s", r.stats.cpu_seconds);
  L.num("MB", static_cast<double>(bench::max_rss_kb()) / 1024).print();
}

void front(const bench::Args& A) {
  const long n = A.integer("n", 1000);
  const auto p = make_problem("homogeneous-chain", {{"n", std::to_string(n)}, {"reference", "none"}}, 30);
  Method m;
  m.scheme = parse_spec<SchemeSpec>(A.str("scheme", "kk-irk"), "scheme");
  m.stepping = FixedSteps{0.1};
  const auto stepper = make_stepper(m.scheme, *p.problem.system, m.solver);
  const State start = stepper->start(0, p.problem.q0, p.problem.u0);
  State a = start, b = start;
  const double seconds = least_seconds(A.integer("rounds", 5), [&] {
    a = start;
    for (int k = 0; k < 300; ++k) stepper->step(a, 0.1, b), std::swap(a, b);
  });
  bench::Line L;
  L.integer("n", n).num("ms", 1e3 * seconds).num("v1", a.u[0]).print();
}

void table_1(const bench::Args& A) {
  const auto p = make_problem("dimer-chain");
  Method m;
  m.scheme = parse_spec<SchemeSpec>(A.str("scheme", "kk-irk"), "scheme");
  m.stepping = FixedSteps{A.num("h", 0.1)};
  Trajectory path;
  run(p.problem, m, path.sink());
  const TrajectoryError e = compare(path, *p.reference, {.hausdorff = false});
  const double seconds = least_seconds(A.integer("rounds", 5), [&] {
    Trajectory again;
    run(p.problem, m, again.sink());
  });
  bench::Line L;
  L.str("scheme", A.str("scheme", "kk-irk")).num("h", A.num("h", 0.1));
  L.num("error_x", e.q_sup).num("error_v", e.u_sup).num("ms", 1e3 * seconds).print();
}

void reference(const bench::Args& A) {
  const CatalogProblem p = chain_problem(A.str("problem", "A")[0]);
  const auto chain = std::static_pointer_cast<const Chain>(p.problem.system);
  // only the part that moves matters in B; the whole chain is integrated all the same
  ExtrapolatedReference exact(chain, 0, p.problem.q0, p.problem.u0, p.problem.t_end, A.num("tol", 1e-11));
  std::ofstream file(A.str("file", "reference.bin"), std::ios::binary);
  Vec q, u;
  for (int i = 0; i <= outputs; ++i) {
    exact.state(p.problem.t_end * i / outputs, Side::right, q, u);
    file.write(reinterpret_cast<const char*>(q.data()), 8 * q.size());
    file.write(reinterpret_cast<const char*>(u.data()), 8 * u.size());
  }
  bench::Line().integer("n", chain->beads()).print();
}

void work(const bench::Args& A) {
  CatalogProblem p = chain_problem(A.str("problem", "A")[0]);
  const auto n = static_cast<std::size_t>(p.problem.q0.size());
  for (int i = 1; i < outputs; ++i) p.problem.breakpoints.push_back(p.problem.t_end * i / outputs);
  Method m;
  m.scheme = parse_spec<SchemeSpec>(A.str("scheme", "kk-irk"), "scheme");
  m.stepping = parse_spec<Stepping>(A.str("stepping", "fixed:h=0.1"), "stepping");
  std::vector<double> exact(2 * n * (outputs + 1));
  std::ifstream file(A.str("file", "reference.bin"), std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(exact.data()), static_cast<std::streamsize>(8 * exact.size())))
    fail("the reference file is too short");
  double error = 0;
  int next = 1;
  const RunResult r = run(p.problem, m, [&](const Segment& s) {
    if (next > outputs || s.end.t < p.problem.t_end * next / outputs - 1e-9) return;
    const double* at = exact.data() + 2 * n * static_cast<std::size_t>(next++);
    for (std::size_t i = 0; i < n; ++i) {
      error = std::max(error, std::abs(s.end.q.data()[i] - at[i]));
      error = std::max(error, std::abs(s.end.u.data()[i] - at[n + i]));
    }
  });
  if (r.status != RunStatus::finished || next <= outputs) fail("{}", r.message);
  const double seconds = least_seconds(A.integer("rounds", 1), [&] { run(p.problem, m); });
  bench::Line L;
  L.str("problem", A.str("problem", "A"))
      .str("method", A.str("scheme", "kk-irk"))
      .str("stepping", A.str("stepping", ""));
  L.num("error", error)
      .num("cpu_s", seconds)
      .integer("steps", r.stats.steps)
      .integer("rejected", r.stats.rejected);
  L.integer("evaluations", r.stats.force_evaluations).print();
}

}  // namespace

int main(int argc, char** argv) try {
  const bench::Args A(argc, argv);
  const std::string what = A.str("what", "cost");
  if (what == "cost") return cost(A, false), 0;
  if (what == "scene") return cost(A, true), 0;
  if (what == "memory") return memory(A), 0;
  if (what == "front") return front(A), 0;
  if (what == "table-1") return table_1(A), 0;
  if (what == "reference") return reference(A), 0;
  if (what == "work") return work(A), 0;
  fail("what={}: one of cost, scene, memory, front, table-1, reference, work", what);
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

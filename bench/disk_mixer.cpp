// The disk mixer of the catalog, measured: contacts, sweeps or iterations, time per step and per sweep and
// contact, residuals, for one solver and size. Prints one line "@@{…}".
//
//   saltus_mixer n=1000 solver=psor:tolerance=1e-4 settle=0.4 steps=200 [h=5e-4] [mode=drum] [warm=1]
//
// The bed settles first (not measured; always with the same solver, so that all measure the same bed), then
// `steps` steps of turning are. warm=0 forgets the impulses of the step before: what plain sweeps would need.
#include <cstdio>
#include <ctime>
#include <map>
#include <string>

#include "saltus/catalog/catalog.hpp"
#include "support/impulse_speed.hpp"

using namespace saltus;

int main(int argc, char** argv) try {
  std::map<std::string, std::string> o = {{"n", "1000"},    {"solver", ""}, {"settle", "0.4"},
                                          {"steps", "200"}, {"h", "5e-4"},  {"mode", "drum"},
                                          {"seed", "1"},    {"warm", "1"}};
  for (int k = 1; k < argc; ++k) {
    const std::string text = argv[k];
    const auto at = text.find('=');
    if (at == std::string::npos || !o.count(text.substr(0, at))) fail("unknown argument '{}'", text);
    o[text.substr(0, at)] = text.substr(at + 1);
  }
  const double settle = std::stod(o["settle"]), h = std::stod(o["h"]);
  const long steps = std::stol(o["steps"]);
  const auto p = make_problem(
      "disk-mixer", {{"n", o["n"]}, {"mode", o["mode"]}, {"settle", o["settle"]}, {"seed", o["seed"]}});
  const auto& system = static_cast<const DiskSystem&>(*p.problem.system);
  const double g = -system.data().gravity[1];
  const auto settler = make_stepper(p.method.scheme, system, p.method.solver);
  State x0 = settler->start(0, p.problem.q0, p.problem.u0), x1 = x0;
  for (; x0.t < settle - h / 2; std::swap(x0, x1)) settler->step(x0, h, x1);

  SolverSpec solver = p.method.solver;
  if (!o["solver"].empty()) solver = parse_spec<SolverSpec>(o["solver"], "solver");
  const auto stepper = make_stepper(p.method.scheme, system, solver);
  long iterations = 0, closed = 0, unsolved = 0, work = 0;
  int most = 0;
  double natural = 0, relative = 0, penetration = 0;
  const std::clock_t start = std::clock();
  for (long k = 0; k < steps; ++k, std::swap(x0, x1)) {
    if (o["warm"] == "0") std::fill(x0.contacts.impulse.begin(), x0.contacts.impulse.end(), 0.0);
    const StepReport r = stepper->step(x0, h, x1);
    if (r.status == StepStatus::contact_unsolved)
      ++unsolved;
    else if (r.status != StepStatus::ok)
      fail("step {}: {}", k, to_string(r.status));
    const long contacts = static_cast<long>(x1.contacts.closed.size());
    iterations += r.contact_iterations;
    most = std::max(most, r.contact_iterations);
    closed += contacts;
    work += contacts * r.contact_iterations;
    natural = std::max(natural, r.contact_residual);
    relative = std::max(relative,
                        r.contact_violation / std::max(g * h, testing::impulse_speed(system, x1.contacts)));
    penetration = std::max(penetration, -r.min_gap);
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC,
               count = static_cast<double>(steps);
  std::printf(
      "@@{\"n\": %s, \"solver\": \"%s\", \"steps\": %ld, \"contacts\": %.1f, \"iterations\": %.2f, "
      "\"most_iterations\": %d, \"ms_per_step\": %.4f, \"ns_per_sweep_contact\": %.2f, \"unsolved\": %ld, "
      "\"natural_residual\": %.3g, \"impulse_residual\": %.3g, \"penetration_in_r\": %.3g}\n",
      o["n"].c_str(), to_text(solver).c_str(), steps, static_cast<double>(closed) / count,
      static_cast<double>(iterations) / count, most, 1e3 * seconds / count,
      1e9 * seconds / static_cast<double>(std::max(work, 1L)), unsolved, natural, relative,
      penetration / 0.01);
} catch (const std::exception& e) {
  std::fprintf(stderr, "saltus_mixer: %s\n", e.what());
  return 2;
}

// saltus contact: frictional contact problems from files.
#include <CLI/CLI.hpp>
#include <ctime>
#include <ostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/contact/file/friction_problem.hpp"
#include "saltus/contact/solver.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"

namespace saltus::cli {
namespace {

struct ContactOptions {
  std::string file, solver = "automatic", tolerance = "1e-8", output;
  bool json = false;
};

struct Solved {
  Vec P;
  int iterations = 0;
  double seconds = 0, natural = 0, residual = infinity;
  std::string solver;
  SolveReport report;
};

double cpu_now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// A tolerance of the solver's own is taken as it is.
Solved solve(PosedFriction& posed, const ContactOptions& o, double tolerance) {
  const SolverSpec spec = parse_spec<SolverSpec>(o.solver, "solver");
  const auto settings = split_spec(o.solver).settings;
  const bool own =
      std::any_of(settings.begin(), settings.end(), [](const auto& s) { return s.first == "tolerance"; });
  Solved out;
  out.P = Vec::Zero(posed.problem.rows());
  const double start = cpu_now();
  const SolveReport report = own ? make_contact_solver(spec)->solve(posed.problem, out.P)
                                 : solve_to_file_residual(posed, spec, tolerance, out.P);
  out.seconds = cpu_now() - start;
  out.iterations = report.iterations;
  out.natural = report.residual;
  out.report = report;
  out.residual = posed.file_residual(out.P);
  out.solver =
      own ? saltus::to_text(spec) : std::visit([](const auto& s) { return std::string(s.name); }, spec);
  return out;
}

std::string forms(const FrictionProblem& p) {
  return p.local && p.global ? "local and global" : p.local ? "local" : "global";
}

Json describe(const std::string& file, const FrictionProblem& p) {
  const auto range = std::minmax_element(p.mu.begin(), p.mu.end());
  return {{"file", file},
          {"name", p.name},
          {"forms", forms(p)},
          {"dim", p.dim},
          {"contacts", p.contacts()},
          {"rows", p.rows()},
          {"dofs", p.global ? Json(p.global->M.rows()) : Json(nullptr)},
          {"joints", p.global ? p.global->J.rows() : 0},
          {"mu", {{"min", *range.first}, {"max", *range.second}}}};
}

std::string describe_text(const Json& d) {
  std::string out = fmt::format("problem   {} ({}, {} form)\n", d["name"].get<std::string>(),
                                d["file"].get<std::string>(), d["forms"].get<std::string>());
  out += fmt::format("contacts  {} in {} dimensions, {} rows, mu from {:.6g} to {:.6g}\n",
                     d["contacts"].get<int>(), d["dim"].get<int>(), d["rows"].get<int>(),
                     d["mu"]["min"].get<double>(), d["mu"]["max"].get<double>());
  if (!d["dofs"].is_null())
    out += fmt::format("bodies    {} degrees of freedom, {} joints; {:.2f} rows per degree of freedom\n",
                       d["dofs"].get<int>(), d["joints"].get<int>(),
                       d["rows"].get<double>() / d["dofs"].get<double>());
  return out;
}

void write_impulses(const std::string& file, FrictionProblem& p, const Vec& r) {
  if (file.ends_with(".hdf5") || file.ends_with(".h5")) {
    p.solution = r;
    return write_friction_problem(file, p);
  }
  std::string text;
  for (Eigen::Index k = 0; k < r.size(); ++k)
    text += fmt::format("{:.17g}{}", r[k], (k + 1) % p.dim ? ' ' : '\n');
  write_file(file, text);
}

int execute_info(const ContactOptions& o, Console& io) {
  io.json = o.json;
  const Json d = describe(o.file, read_friction_problem(o.file));
  io.out << (o.json ? json_text(d) + "\n" : describe_text(d));
  return success;
}

int execute_solve(const ContactOptions& o, Console& io) {
  io.json = o.json;
  const double tolerance = parse_number(o.tolerance, "--tolerance");
  if (!(tolerance > 0)) fail("--tolerance {} is not allowed: it must be above 0", o.tolerance);
  if (!o.output.empty()) check_writable(o.output);
  FrictionProblem p = read_friction_problem(o.file);
  PosedFriction posed(p);
  const Solved s = solve(posed, o, tolerance);
  const bool solved = posed.is_solved(s.P, tolerance);
  const bool impossible = !solved && s.report.contradictory, immovable = !solved && s.report.immovable;
  if (!o.output.empty()) write_impulses(o.output, p, posed.on_file_rows(s.P));
  const std::string message =
      solved       ? fmt::format("solved to {:.1e}", s.residual)
      : impossible ? fmt::format(
                         "contacts {} contradict each other: impulses of any size leave a violation, "
                         "the problem has no solution",
                         s.report.rival_block < 0
                             ? fmt::format("{} and others", s.report.worst_block)
                             : fmt::format("{} and {}", s.report.worst_block, s.report.rival_block))
      : immovable
          ? fmt::format("contact {} approaches, and no impulse moves it: the problem has no solution",
                        s.report.worst_block)
          : fmt::format(
                "{} reached the residual {:.2e} after {} iterations, above the tolerance {:.1e}; try another "
                "--solver or a larger --tolerance",
                s.solver.substr(0, s.solver.find(':')), s.residual, s.iterations, tolerance);
  Json d = describe(o.file, p);
  if (o.json) {
    d["solver"] = s.solver;
    d["status"] = solved ? "solved" : "failed";
    d["solved"] = solved;
    d["message"] = message;
    d["tolerance"] = tolerance;
    d["iterations"] = s.iterations;
    d["cpu_seconds"] = s.seconds;
    d["residuals"] = {{"natural", number(s.natural)}, {"fcp", number(s.residual)}};
    io.out << json_text(d) << "\n";
  } else {
    io.out << describe_text(d);
    io.out << fmt::format("solver    {}\niterations {}, CPU {:.4g} s\nresidual  {:.2e} natural, {:.2e} FCP\n",
                          s.solver, s.iterations, s.seconds, s.natural, s.residual);
  }
  if (solved) return success;
  io.err << "saltus: failed: " << message << "\n";
  return unfinished;
}

}  // namespace

void add_contact(CLI::App& app, Action& action) {
  auto options = std::make_shared<ContactOptions>();
  CLI::App* c = app.add_subcommand("contact", "frictional contact problems from files (.fcp, FCLIB's .hdf5)");
  c->require_subcommand(1);
  CLI::App* s = c->add_subcommand("solve", "solve one and report iterations, time and residuals");
  CLI::App* i = c->add_subcommand("info", "say what a file holds");
  for (CLI::App* sub : {s, i}) {
    sub->add_option("file", options->file, "the problem: .fcp, .hdf5 or .h5")->required();
    sub->add_flag("--json", options->json, "print one JSON object");
  }
  s->add_option("--solver", options->solver, "NAME[:key=value,…], see saltus list solvers");
  s->add_option("--tolerance", options->tolerance, "largest FCP residual accepted")->capture_default_str();
  s->add_option("-o,--output", options->output,
                "write the impulses: one contact per line, or .hdf5 with the problem");
  s->callback(
      [options, &action] { action = [options](Console& io) { return execute_solve(*options, io); }; });
  i->callback([options, &action] { action = [options](Console& io) { return execute_info(*options, io); }; });
}

}  // namespace saltus::cli

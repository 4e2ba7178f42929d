#include <CLI/CLI.hpp>
#include <ostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/recorded_problem.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/core/error.hpp"
#include "saltus/run/choose_method.hpp"
#include "saltus/verify/verify.hpp"

namespace saltus::cli {
namespace {

struct CheckedFile {
  std::string file;
  double limit = 0;
  bool json = false;
};

double rtol_of(const ResultInfo& info) {
  const Stepping stepping = parse_spec<Stepping>(info.stepping, "stepping");
  const auto* by_tolerance = std::get_if<ToleranceSteps>(&stepping);
  return by_tolerance ? by_tolerance->rtol : 0;
}

// Fixed steps of Moreau's scheme, those that took over from a run by tolerance too.
std::optional<MoreauSteps> moreau_of(const ResultInfo& info) {
  if (info.stepped_from < infinity) return MoreauSteps{};
  const SchemeSpec scheme = parse_spec<SchemeSpec>(info.scheme, "scheme");
  if (!std::holds_alternative<FixedSteps>(parse_spec<Stepping>(info.stepping, "stepping"))) return {};
  if (const auto* jean = std::get_if<MoreauJean>(&scheme))
    return MoreauSteps{0, jean->gamma, jean->theta, false};
  if (std::holds_alternative<MoreauMidpoint>(scheme)) return MoreauSteps{0.5, 0, 0.5, true};
  return {};
}

Json misfits_json(const Misfits& m) {
  Json out;
  for (const auto& n : m.all())
    out[n.name] = {{"value", number(n.misfit->value)},
                   {"part", number(n.misfit->part)},
                   {"limit", number(n.misfit->limit)},
                   {"t", number(n.misfit->t)},
                   {"where", n.misfit->where}};
  return out;
}

Json verification_json(const Verification& v, const CheckedFile& o, const ResultInfo& info) {
  Json out = {{"file", o.file},           {"problem", info.problem},  {"accepted", v.accepted()},
              {"sentence", v.sentence()}, {"limit", number(v.limit)}, {"dense", v.dense},
              {"pieces", v.pieces},       {"points", v.points},       {"impacts", v.impacts},
              {"start", number(v.start)}};
  out["misfits"] = misfits_json(v);
  if (v.stepped_from < infinity) out["stepped_from"] = v.stepped_from;
  if (v.stepped_from < infinity && v.dense) out["steps"] = misfits_json(v.steps);
  out["findings"] = v.findings;
  for (const std::string& m : v.missing) out["findings"].push_back(m);
  return out;
}

std::string misfits_text(const Misfits& misfits) {
  std::string out;
  for (const auto& n : misfits.all()) {
    const Misfit& m = *n.misfit;
    out += fmt::format("{:<12}  {:>9.2e}  {:>9.2e} of its scale  {}", n.name, m.value, m.part, n.what);
    if (m.part > 0) out += fmt::format(", at t = {:.6g}", m.t);
    if (m.part > 0 && !m.where.empty()) out += " (" + m.where + ")";
    out += m.part > m.limit ? "  ABOVE THE LIMIT\n" : "\n";
  }
  return out;
}

std::string verification_text(const Verification& v, const CheckedFile& o, const ResultInfo& info) {
  std::string out = fmt::format("{}: {}, {} points on {} pieces, {} impacts\n", o.file, info.problem,
                                v.points, v.pieces, v.impacts);
  if (!v.dense && v.limit == infinity)
    out += fmt::format(
        "          the method has no dense output: {}, and nothing else is limited unless --limit is given\n",
        v.stepped_from < infinity ? "the equations of Moreau's steps are put in again"
                                  : "its states are joined by curves");
  if (v.start > 1e-12)
    out += fmt::format("          contacts or joints miss {:.1e} of their scales at the start already\n",
                       v.start);
  out += misfits_text(v);
  if (v.dense && v.stepped_from < infinity)
    out += fmt::format("from t = {:.6g} on, steps of Moreau's scheme:\n", v.stepped_from) +
           misfits_text(v.steps);
  for (const std::string& f : v.findings) out += "found     " + f + "\n";
  for (const std::string& m : v.missing) out += "missing   " + m + "\n";
  return out + fmt::format("{} {}\n", o.file, v.sentence());
}

int verify_file(const CheckedFile& o, Console& io) {
  io.json = o.json;
  const Result r = read_result(o.file);
  const CatalogProblem p = recorded_problem(r.info);
  Problem problem = p.problem;
  problem.t_end = r.info.t_end;
  Claims claims;
  claims.status = r.complete ? r.info.status : "not closed";
  claims.t_end = r.info.t_end, claims.rtol = rtol_of(r.info);
  claims.moreau = moreau_of(r.info), claims.stepped_from = r.info.stepped_from, claims.every = r.info.every;
  for (const double x : r.contact_residual) claims.residual = std::max(claims.residual, x);
  claims.energy = r.energy, claims.ledger = r.ledger;
  claims.energy_start = r.energy_initial, claims.energy_end = r.energy_final;
  const Verification v = verify(r.trajectory, problem, claims, {o.limit});
  io.out << (o.json ? json_text(verification_json(v, o, r.info)) + "\n" : verification_text(v, o, r.info));
  return v.accepted() ? success : unfinished;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  auto o = std::make_shared<CheckedFile>();
  CLI::App* c =
      app.add_subcommand("verify", "re-check a file of results against the equations of its problem");
  c->add_option("FILE", o->file, "a file of results (saltus run … -o FILE.h5)")->required();
  c->add_option("--limit", o->limit,
                "what may be missing, of each scale (default: 1 to 1000 times the tolerance of the run)")
      ->check(CLI::PositiveNumber);
  c->add_flag("--json", o->json, "print one JSON object");
  c->callback([o, &action] { action = [o](Console& io) { return verify_file(*o, io); }; });
}

}  // namespace saltus::cli

#include "run_data.hpp"

#include "saltus/cli/ledger_report.hpp"
#include "saltus/cli/recorded_problem.hpp"
#include "saltus/core/error.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::python {
namespace {

using cli::Json;
using cli::number;

template <class V>
Json numbers(const V& x) {
  Json out = Json::array();
  for (Eigen::Index i = 0; i < x.size(); ++i) out.push_back(number(x[i]));
  return out;
}

// Of velocities that are not those of the coordinates; a file has them in its scene.
std::vector<std::string> velocity_names(const ResultInfo& info) {
  if (info.scene.empty()) return {};
  try {
    const auto changes = lines_of(info.changes);
    return load_scene_text(info.scene, info.problem, changes)->velocities;
  } catch (const Error&) {
    return {};  // the scene needs a file that is not here
  }
}

// What a file knows of the report of its run, under the same keys.
Json recorded_report(const Result& r) {
  Json parameters = Json::object();
  for (const auto& line : lines_of(r.info.settings)) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = line.substr(0, equals), value = line.substr(equals + 1);
    try {
      parameters[name] = parse_number(value, name);
    } catch (const Error&) {
      parameters[name] = value;
    }
  }
  const Trajectory& tr = r.trajectory;
  const int last = tr.size() - 1;
  Json out = {
      {"problem", r.info.problem},
      {"parameters", std::move(parameters)},
      {"method", {{"scheme", r.info.scheme}, {"stepping", r.info.stepping}, {"solver", r.info.solver}}},
      {"status", r.complete ? r.info.status : "running"},
      {"message", r.complete ? r.info.message : "the file was not closed: still running, or killed"},
      {"warnings", r.warnings},
      {"t", last < 0 ? Json() : number(tr.t(last))},
      {"q", last < 0 ? Json::array() : numbers(tr.q(last))},
      {"u", last < 0 ? Json::array() : numbers(tr.u(last))},
      {"final", {{"names", lines_of(r.info.coordinates)}}},
      {"energy",
       {{"initial", r.energy_initial ? number(*r.energy_initial) : Json()},
        {"final", r.energy_final ? number(*r.energy_final) : Json()}}},
      {"ledger", r.ledger ? cli::to_json(*r.ledger) : Json()},
      {"stats", Json::object()}};
  if (r.complete)
    out["stats"] = {{"steps", r.stats.steps},
                    {"rejected", r.stats.rejected},
                    {"force_evaluations", r.stats.force_evaluations},
                    {"newton_iterations", r.stats.newton_iterations},
                    {"contact_iterations", r.stats.contact_iterations},
                    {"cpu_seconds", number(r.stats.cpu_seconds)}};
  Json::object_t velocities;
  for (const std::string& name : velocity_names(r.info))
    velocities.emplace_back(
        name, last < 0 ? Json() : number(tr.u(last)[static_cast<Eigen::Index>(velocities.size())]));
  if (!velocities.empty()) out["final"]["velocities"] = std::move(velocities);
  return out;
}

}  // namespace

RunData::RunData(cli::FinishedRun&& run)
    : success(run.success),
      problem_(std::move(run.problem)),
      trajectory_(std::move(run.trajectory)),
      info_(std::move(run.info)),
      notes_(std::move(run.notes)),
      result_(run.report.result),
      told_(std::move(run.report)) {}

// Made when it is asked for: a short run takes no longer than its text.
const std::string& RunData::report() {
  if (told_) {
    Json report = cli::to_json(*told_);
    report.erase("events");  // an array of its own
    report_ = cli::json_text(report, -1);
    told_.reset();
  }
  return report_;
}

RunData::RunData(const std::string& file) : from_file_(true) {
  Result r = read_result(file);
  report_ = cli::json_text(recorded_report(r), -1);
  success = r.complete && r.info.status == to_string(RunStatus::finished);
  info_ = std::move(r.info), names_ = std::move(r.names), energy_ = std::move(r.energy);
  trajectory_ = std::make_unique<Trajectory>(std::move(r.trajectory));
}

// Of a file, made from what it says when somebody asks; some runs were of systems written in Python.
const DynamicSystem* RunData::system() {
  if (!problem_.problem.system && no_system_.empty()) try {
      problem_ = cli::recorded_problem(info_);
    } catch (const Error& e) {
      no_system_ = e.what();
    }
  return problem_.problem.system.get();
}

std::string RunData::contact_name(std::uint64_t id) const {
  if (const auto it = names_.find(id); it != names_.end()) return it->second;
  const auto& s = problem_.problem.system;
  return s ? s->contact_name(id) : fmt::format("contact {}", id);
}

py::array_t<double> RunData::energy() {
  const Trajectory& tr = *trajectory_;
  const auto n = static_cast<std::size_t>(tr.size());
  if (energy_.size() < n) {
    const DynamicSystem* s = system();
    if (!s) fail("{}", no_system_);
    const auto work = s->make_workspace();
    for (std::size_t i = energy_.size(); i < n; ++i) {
      const int k = static_cast<int>(i);
      energy_.push_back(s->energy(tr.t(k), tr.q(k), tr.u(k), *work));
    }
  }
  return py::array_t<double>(static_cast<py::ssize_t>(n), energy_.data());
}

bool RunData::sketch(double t, In q, Sketch& out) {
  const System* s = as_mechanical(system());
  out.clear();
  return s && s->sketch(t, q, out);
}

// The run goes through the writer once more, sample by sample, as it did step by step.
void RunData::save(const std::string& file) const {
  if (from_file_) fail("this solution was read from a file: copy the file");
  if (!is_result_name(file)) fail("'{}': files of results end in .h5 or .hdf5", file);
  const Trajectory& tr = *trajectory_;
  ResultInfo info = info_;
  info.levels = false, info.every = 1;  // accelerations of generalized-α are not kept in memory
  info.dense_bytes = tr.pieces().empty() ? 0 : std::numeric_limits<std::int64_t>::max() / 2;
  ResultWriter writer(file, problem_.problem, info);
  State begin, end;
  StepReport report;
  auto next = notes_.until.begin();
  auto worst = notes_.residual.begin();
  std::size_t events = 0, atoms = 0, piece = 0, filled = tr.pieces().size();  // the piece in `dense`
  DensePiece dense;
  for (int i = 0; i < tr.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    end.t = tr.t(i), end.q = tr.q(i), end.u = tr.u(i), end.aux = tr.psi(i);
    end.contacts.closed.clear(), end.contacts.impulse.clear();
    std::size_t until_events = events, until_atoms = atoms;
    const bool noted = next != notes_.until.end() && next->sample <= i;
    for (; next != notes_.until.end() && next->sample <= i; ++next)
      until_events = next->events, until_atoms = next->atoms;
    while (!noted && until_atoms < tr.atoms().size() && tr.atoms()[until_atoms].t <= end.t) ++until_atoms;
    for (; atoms < until_atoms; ++atoms) {
      const Trajectory::Atom& a = tr.atoms()[atoms];
      end.contacts.closed.push_back({a.contact, static_cast<int>(end.contacts.impulse.size()),
                                     static_cast<std::uint8_t>(a.rows), true, false, a.mode});
      for (int r = 0; r < a.rows; ++r) end.contacts.impulse.push_back(tr.impulse(a, r));
    }
    if (i > 0) {
      while (worst != notes_.residual.end() && worst->sample < i) ++worst;
      report.contact_residual = worst != notes_.residual.end() && worst->sample == i ? worst->value : 0;
      report.min_gap = k < notes_.gap.size() ? notes_.gap[k] : infinity;
      while (piece < tr.pieces().size() && tr.pieces()[piece].end < end.t) ++piece;
      const bool smooth =
          piece < tr.pieces().size() && tr.pieces()[piece].start <= begin.t && end.t > begin.t;
      if (smooth && filled != piece) {
        filled = piece;
        const Trajectory::Piece& p = tr.pieces()[piece];
        dense.start = p.start, dense.length = p.length, dense.terms = p.terms;
        dense.q = Eigen::Map<const Vec>(tr.q_terms(p), p.terms * tr.nq());
        dense.u = Eigen::Map<const Vec>(tr.u_terms(p), p.terms * tr.nu());
      }
      writer({begin, end, report, std::span(tr.events()).subspan(events, until_events - events),
              tr.on_grid(i), tr.multipliers(), smooth ? &dense : nullptr, nullptr});
    }
    events = until_events;
    std::swap(begin, end);
  }
  writer.finish(result_);
}

}  // namespace saltus::python

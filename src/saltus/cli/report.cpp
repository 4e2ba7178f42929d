#include "saltus/cli/report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "saltus/cli/accuracy_report.hpp"
#include "saltus/cli/ledger_report.hpp"
#include "saltus/cli/sample_report.hpp"
#include "saltus/core/error.hpp"
#include "saltus/scheme/generalized_alpha/alpha_levels.hpp"

namespace saltus::cli {
namespace {

constexpr const char* closing_rule = "next flight shorter than the critical step, or lower than rounding";

Json method_json(const Method& m) {
  return {{"scheme", to_text(m.scheme)}, {"stepping", to_text(m.stepping)}, {"solver", to_text(m.solver)}};
}

Json error_norms(const TrajectoryError& e) {
  Json out = Json::object();
  for (const auto& n : norm_names()) out[std::string(n.name)] = number(e.*n.member);
  return out;
}

Json stats_json(const RunStats& s) {
  return {{"steps", s.steps},
          {"rejected", s.rejected},
          {"force_evaluations", s.force_evaluations},
          {"newton_iterations", s.newton_iterations},
          {"newton_mean",
           s.steps > 0 ? number(static_cast<double>(s.newton_iterations) / static_cast<double>(s.steps))
                       : Json()},
          {"newton_max", s.newton_max},
          {"contact_iterations", s.contact_iterations},
          {"calculated", s.calculated},
          {"base_steps", s.base_steps},
          {"detections", s.detections},
          {"switches", s.switches},
          {"above_tolerance", s.above_tolerance},
          {"equal_steps", s.equal_steps},
          {"stiff_steps", s.stiff_steps},
          {"unsolved_steps", s.unsolved},
          {"cpu_seconds", number(s.cpu_seconds)}};
}

std::string vector_text(const Vec& x) {
  std::string out;
  for (Eigen::Index i = 0; i < std::min<Eigen::Index>(x.size(), 6); ++i)
    out += fmt::format("{}{:.10g}", i ? ", " : "", x[i]);
  if (x.size() > 6) out += fmt::format(", … ({} entries)", x.size());
  return out;
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

void events_text(std::string& out, const RunReport& r) {
  if (r.streamed) {
    out += "events    in the file (saltus info)\n";
    return;
  }
  const auto& events = r.trajectory->events();
  std::map<std::string_view, int> count;
  for (const Event& e : events) ++count[to_string(e.kind)];
  std::string totals;
  for (const auto& [kind, n] : count) totals += fmt::format("{}{} {}", totals.empty() ? "" : ", ", n, kind);
  out += fmt::format("events    {}\n", totals.empty() ? "none" : totals);
  if (events.empty()) return;
  out += fmt::format("          {:>12}  {:<18} {:<8} {:>12} {:>12} {:>12} {:>12}\n", "t", "contact", "kind",
                     "impulse", "u before", "u after", "energy loss");
  constexpr std::size_t shown = 12;
  for (std::size_t i = 0; i < std::min(events.size(), shown); ++i) {
    const Event& e = events[i];
    out += fmt::format("          {:>12.6g}  {:<18} {:<8}", e.t, r.dynamics->contact_name(e.contact),
                       to_string(e.kind));
    if (e.impulse.size() > 0)
      out += fmt::format(" {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g}", e.impulse[0], e.u_minus[0], e.u_plus[0],
                         e.energy_loss);
    out += "\n";
  }
  if (events.size() > shown)
    out += fmt::format("          … and {} more (--json lists all)\n", events.size() - shown);
}

}  // namespace

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string error_json(const std::string& message, const SceneError* scene) {
  Json out{{"status", "failed"}, {"message", message}};
  if (scene)
    for (const Complaint& c : scene->complaints())
      out["complaints"].push_back({{"file", scene->file()},
                                   {"line", c.place.line},
                                   {"column", c.place.column},
                                   {"path", c.path},
                                   {"message", c.message}});
  return json_text(out, -1);
}

Json describe_json(const std::vector<FieldDescription>& fields) {
  Json out = Json::array();
  for (const auto& f : fields) {
    Json value = f.is_number ? number(parse_number(f.value, f.name)) : Json(f.value);
    out.push_back(
        {{"name", f.name}, {"default", value}, {"unit", f.unit}, {"allowed", f.allowed}, {"help", f.help}});
  }
  return out;
}

Json parameters_json(const std::vector<FieldDescription>& fields) {
  Json out = Json::object();
  for (const auto& f : fields)
    out[f.name] = f.is_number ? number(parse_number(f.value, f.name)) : Json(f.value);
  return out;
}

// Of generalized-α at the end: accelerations, and what joints and closed contacts did in the last step.
Json levels_json(const AlphaLevels& levels, const RunReport& r) {
  Json contacts = Json::array();
  const auto rows = [](const std::vector<double>& x) {
    return numbers(Eigen::Map<const Vec>(x.data(), static_cast<Eigen::Index>(x.size())));
  };
  for (const auto& c : levels.contacts)
    contacts.push_back({{"contact", r.dynamics->contact_name(c.id)},
                        {"lambda", rows(c.lambda)},
                        {"impulse", rows(c.impulse)},
                        {"reaction", rows(c.reaction)}});
  return {{"vdot", numbers(levels.vdot)}, {"a", numbers(levels.a)}, {"contacts", std::move(contacts)}};
}

// The final state by name: q0, q1, … where coordinates have none; velocities apart where they are not those
// of the coordinates.
Json final_json(const RunReport& r) {
  const State& x = r.result.final;
  const auto name = [](const std::vector<std::string>& names, const char* letter, Eigen::Index k) {
    return k < std::ssize(names) ? names[static_cast<std::size_t>(k)] : fmt::format("{}{}", letter, k);
  };
  const bool pairs = x.q.size() == x.u.size() && r.velocities.empty();
  // Entries are appended: [] looks through all before, which is quadratic, and chains have 10⁷ coordinates.
  Json names = Json::array();
  Json::object_t coordinates, velocities;
  for (Eigen::Index k = 0; k < x.q.size(); ++k) {
    std::string key = name(r.coordinates, "q", k);
    names.push_back(key);
    Json of = {{"q", number(x.q[k])}};
    if (pairs) of["u"] = number(x.u[k]);
    coordinates.emplace_back(std::move(key), std::move(of));
  }
  Json out = {{"t", number(x.t)}, {"names", std::move(names)}, {"coordinates", std::move(coordinates)}};
  if (pairs) return out;
  for (Eigen::Index k = 0; k < x.u.size(); ++k)
    velocities.emplace_back(name(r.velocities, "u", k), number(x.u[k]));
  out["velocities"] = std::move(velocities);
  return out;
}

Json to_json(const RunReport& r) {
  Json events = Json::array();
  for (const Event& e : r.trajectory->events())
    events.push_back({{"t", number(e.t)},
                      {"contact", r.dynamics->contact_name(e.contact)},
                      {"kind", to_string(e.kind)},
                      {"from", to_string(e.from)},
                      {"to", to_string(e.to)},
                      {"impulse", numbers(e.impulse)},
                      {"u_minus", numbers(e.u_minus)},
                      {"u_plus", numbers(e.u_plus)},
                      {"energy_loss", number(e.energy_loss)},
                      {"bracket", {number(e.t_before), number(e.t)}}});
  const auto& result = r.result;
  Json out = {{"problem", r.problem},
              {"parameters", parameters_json(r.parameters)},
              {"method", method_json(r.method)},
              {"status", to_string(result.status)},
              {"message", result.message},
              {"warnings", result.warnings},
              {"t", number(result.final.t)},
              {"q", numbers(result.final.q)},
              {"u", numbers(result.final.u)},
              {"final", final_json(r)},
              {"energy",
               {{"initial", number(result.energy_initial)},
                {"final", number(result.energy_final)},
                {"contact_loss", number(result.stats.contact_loss)},
                {"wall_work", number(result.stats.wall_work)}}},
              {"ledger", to_json(result.ledger)},
              {"events", r.streamed ? Json() : std::move(events)},
              {"stats", stats_json(result.stats)},
              {"residuals",
               {{"contact", number(result.residuals.contact)},
                {"gap", number(result.residuals.gap)},
                {"position", number(result.residuals.position)},
                {"velocity", number(result.residuals.velocity)},
                {"acceleration", nullptr}}}};
  if (r.threads > 0)
    out["stats"]["threads"] = r.threads, out["stats"]["wall_seconds"] = number(r.wall_seconds);
  if (result.stepped_from < infinity) out["stepped_from"] = result.stepped_from;
  if (std::holds_alternative<GeneralizedAlpha>(r.method.scheme)) {
    const auto& x = result.residuals;
    out["residuals"]["acceleration"] = number(x.acceleration);
    out["residuals"]["contact_position"] = number(x.contact_position);
    out["residuals"]["contact_velocity"] = number(x.contact_velocity);
    out["residuals"]["contact_acceleration"] = number(x.contact_acceleration);
    if (r.system)
      if (const auto levels = alpha_levels(result.final, *r.system)) out["levels"] = levels_json(*levels, r);
  }
  if (const int m = r.trajectory->multipliers(); m > 0) out["psi"] = numbers(Vec(result.final.aux.head(m)));
  if (!result.accumulations.empty()) {
    out["accumulations"] = Json::array();
    for (const auto& a : result.accumulations)
      out["accumulations"].push_back({{"contact", r.dynamics->contact_name(a.contact)},
                                      {"t", number(a.t)},
                                      {"bound", number(a.bound)},
                                      {"impacts", a.impacts},
                                      {"rule", closing_rule}});
  }
  if (r.error) {
    out["error"] = error_norms(*r.error);
    out["reference"] = r.reference_kind;
  } else if (!r.error_note.empty()) {
    out["reference"] = r.error_note;
  }
  if (r.samples) out["at"] = samples_json(*r.samples);
  if (!r.forces.empty()) add_forces(r.forces, *r.dynamics, out["at"]);
  if (r.extended)
    out["extended"] = {{"from", number(r.extended->from)},
                       {"to", number(r.extended->to)},
                       {"same_bits", r.extended->same_bits}};
  if (!r.files.empty()) out["files"] = r.files;
  if (!r.trouble.empty()) out["trouble"] = r.trouble;
  for (const auto& [name, value] : r.measures) out["measures"][name] = number(value);
  if (r.estimate) {
    std::vector<std::string> names;
    for (const auto& m : r.measures) names.push_back(m.first);
    out["error_estimate"] = to_json(*r.estimate, names);
  }
  return out;
}

Json error_json(const TrajectoryError& error) {
  return error_norms(error);
}

std::string error_text(const TrajectoryError& e) {
  std::string out = fmt::format("          q: sup {:.3e}, L1 {:.3e}, L2 {:.3e}, final {:.3e}\n", e.q_sup,
                                e.q_l1, e.q_l2, e.q_final);
  out += fmt::format("          u: sup {:.3e}, L1 {:.3e}, L2 {:.3e}{}\n", e.u_sup, e.u_l1, e.u_l2,
                     std::isnan(e.u_hausdorff) ? "" : fmt::format(", Hausdorff {:.3e}", e.u_hausdorff));
  if (e.u_sup > 10 * e.u_hausdorff && e.u_sup > 1e-6)
    out +=
        "          (a jump shifted in time is not small in the sup norm; Hausdorff and L1 are the ones to "
        "read)\n";
  return out;
}

std::string to_text(const RunReport& r) {
  std::string out = r.problem + "  ";
  for (const auto& p : r.parameters)
    out += fmt::format(" {} = {}{}{}", p.name, p.value, p.unit.empty() ? "" : " ", p.unit) + ",";
  out.back() = '\n';
  const auto& s = r.result.stats;
  out += fmt::format("method    {}; {}; {}\n", to_text(r.method.scheme), to_text(r.method.stepping),
                     to_text(r.method.solver));
  out += fmt::format("status    {}: {}\n", to_string(r.result.status), r.result.message);
  if (r.samples) out += samples_text(*r.samples);
  for (const std::string& w : r.result.warnings) out += fmt::format("warning   {}\n", w);
  out += fmt::format("final     t = {:.10g}   q = {}   u = {}\n", r.result.final.t,
                     vector_text(r.result.final.q), vector_text(r.result.final.u));
  if (const int m = r.trajectory->multipliers(); m > 0)
    out += fmt::format("          psi = {} (from the hidden constraint)\n",
                       vector_text(r.result.final.aux.head(m)));
  out += energy_text(r.result.ledger) + momentum_text(r.result.ledger.momentum);
  events_text(out, r);
  for (const auto& a : r.result.accumulations)
    out += fmt::format(
        "zeno      impacts of {} accumulate at t = {:.12g} within {:.1e}; {} resolved, then closed ({})\n",
        r.dynamics->contact_name(a.contact), a.t, a.bound, a.impacts, closing_rule);
  if (r.error) {
    out += fmt::format("error     against the {} solution:\n", r.reference_kind);
    out += error_text(*r.error);
  } else if (!r.estimate) {
    out +=
        fmt::format("error     {}\n", r.error_note.empty() ? "no reference solution is known" : r.error_note);
  }
  if (r.estimate) out += accuracy_text(*r.estimate, r.result.final, r.coordinates, r.velocities);
  out += fmt::format(
      "residual  contact {:.1e}, penetration {:.1e}, joints {:.1e} (position) {:.1e} (velocity)\n",
      r.result.residuals.contact, r.result.residuals.gap, r.result.residuals.position,
      r.result.residuals.velocity);
  if (std::holds_alternative<GeneralizedAlpha>(r.method.scheme))
    out += fmt::format(
        "levels    joints {:.1e} (acceleration), closed contacts {:.1e} {:.1e} {:.1e} (position, velocity, "
        "acceleration); Newton {:.3g} iterations a step, at most {}\n",
        r.result.residuals.acceleration, r.result.residuals.contact_position,
        r.result.residuals.contact_velocity, r.result.residuals.contact_acceleration,
        s.steps > 0 ? static_cast<double>(s.newton_iterations) / static_cast<double>(s.steps) : 0.0,
        s.newton_max);
  out += fmt::format("cost      {} steps, {} force evaluations, {} contact iterations, {} CPU", s.steps,
                     s.force_evaluations, s.contact_iterations, duration(s.cpu_seconds));
  if (s.steps > 0)
    out += fmt::format(" ({:.0f} ns a step)", 1e9 * s.cpu_seconds / static_cast<double>(s.steps));
  if (r.threads > 0) out += fmt::format("; {} threads, {} by the clock", r.threads, duration(r.wall_seconds));
  out += "\n";
  if (s.stiff_steps > 0)
    out += fmt::format("stiff     {} steps of Radau IIA, {} Newton iterations\n", s.stiff_steps,
                       s.newton_iterations);
  if (s.calculated > 0)
    out += fmt::format(
        "search    {} steps tried, {} base steps, {} detections, {} switches, {} steps rejected\n",
        s.calculated, s.base_steps, s.detections, s.switches, s.rejected);
  for (std::size_t k = 0; k < r.measures.size(); ++k)
    out += fmt::format("measure   {} = {}\n", r.measures[k].first,
                       std::isnan(r.measures[k].second)
                           ? "unknown"
                           : with_bar(r.measures[k].second, r.estimate ? r.estimate->measures[k] : 0));
  if (r.extended)
    out += fmt::format("extended  from t = {:.9g} to {:.9g}; {}\n", r.extended->from, r.extended->to,
                       r.extended->same_bits
                           ? "the same bits as a run to that end"
                           : "a step ends at the old end, so the bits are not those of a run without it");
  for (const auto& f : r.files) out += fmt::format("wrote     {}\n", f);
  return out;
}

Json to_json(const std::string& problem, const std::vector<FieldDescription>& parameters,
             const ConvergenceTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows)
    rows.push_back({{std::string(to_string(table.knob)), number(row.h)},
                    {"status", to_string(row.status)},
                    {"message", row.message},
                    {"warnings", row.warnings},
                    {"error", error_norms(row.error)},
                    {"stats", stats_json(row.stats)}});
  return {{"problem", problem},
          {"parameters", parameters_json(parameters)},
          {"method", method_json(table.method)},
          {"rows", std::move(rows)},
          {"order", error_norms(table.order)}};
}

std::string to_text(const std::string& problem, const ConvergenceTable& table) {
  std::string out = fmt::format("{}: {}; {}\n{:>12}", problem,
                                table.knob == Knob::rtol ? "by tolerance" : to_text(table.method.scheme),
                                to_text(table.method.solver), to_string(table.knob));
  for (const auto& n : norm_names()) out += fmt::format(" {:>12}", n.name);
  out += fmt::format(" {:>9} {:>10}\n", "forces", "CPU");
  for (const auto& row : table.rows) {
    out += fmt::format("{:>12.5g}", row.h);
    for (const auto& n : norm_names()) out += fmt::format(" {:>12.3e}", row.error.*n.member);
    out += fmt::format(" {:>9} {:>10}\n", row.stats.force_evaluations, duration(row.stats.cpu_seconds));
    if (row.status != RunStatus::finished)
      out += fmt::format("             {}: {}\n", to_string(row.status), row.message);
  }
  out += fmt::format("{:>12}", "order");
  for (const auto& n : norm_names()) out += fmt::format(" {:>12.2f}", table.order.*n.member);
  out += "\n";
  if (!table.rows.empty())
    for (const std::string& w : table.rows.back().warnings)
      out += fmt::format("warning at {} = {:.3g}: {}\n", to_string(table.knob), table.rows.back().h, w);
  return out;
}

}  // namespace saltus::cli

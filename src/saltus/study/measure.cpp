#include "saltus/study/measure.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "saltus/core/error.hpp"
#include "saltus/study/chain_measures.hpp"
#include "saltus/study/convergence.hpp"
#include "saltus/study/extreme.hpp"
#include "saltus/study/space_quantities.hpp"

namespace saltus {
namespace {

using Kind = Quantity::Kind;

struct Scalar {
  std::string_view name;
  bool always;  // means something in a run that did not reach its end
  double (*get)(const RunResult&, const MeasuredCase&);
};
template <auto member>
double stat(const RunResult& r, const MeasuredCase&) {
  return static_cast<double>(r.stats.*member);
}
template <auto member>
double residual(const RunResult& r, const MeasuredCase&) {
  return r.residuals.*member;
}
constexpr Scalar scalars[] = {
    {"final.t", true, [](const RunResult& r, const MeasuredCase&) { return r.final.t; }},
    {"status", true, [](const RunResult& r, const MeasuredCase&) { return static_cast<double>(r.status); }},
    {"steps", true, stat<&RunStats::steps>},
    {"rejected", true, stat<&RunStats::rejected>},
    {"force_evaluations", true, stat<&RunStats::force_evaluations>},
    {"newton_iterations", true, stat<&RunStats::newton_iterations>},
    {"contact_iterations", true, stat<&RunStats::contact_iterations>},
    {"cpu_seconds", true, stat<&RunStats::cpu_seconds>},
    {"energy.initial", true, [](const RunResult& r, const MeasuredCase&) { return r.energy_initial; }},
    {"energy.final", false, [](const RunResult& r, const MeasuredCase&) { return r.energy_final; }},
    {"residual.contact", false, residual<&RunResiduals::contact>},
    {"residual.gap", false, residual<&RunResiduals::gap>},
    {"residual.position", false, residual<&RunResiduals::position>},
    {"residual.velocity", false, residual<&RunResiduals::velocity>},
    {"h", true, [](const RunResult&, const MeasuredCase& c) { return step_of(c.method.stepping); }},
    {"t_end", true, [](const RunResult&, const MeasuredCase& c) { return c.problem.problem.t_end; }},
};

constexpr EventKind event_kinds[] = {EventKind::impact,      EventKind::close, EventKind::open,
                                     EventKind::stick,       EventKind::slip,  EventKind::reverse,
                                     EventKind::accumulation};
constexpr std::size_t all_events = std::size(event_kinds);

// What follows the run step by step: extremes, counts of events, and what a chain does.
class Watch {
 public:
  explicit Watch(const Problem& problem) : chain(problem) {}
  std::vector<Extreme> extremes;
  ChainWatch chain;
  std::array<std::int64_t, all_events + 1> events{};

  void segment(const Segment& s) {
    for (Extreme& e : extremes) e(s);
    for (const Event& e : s.events) ++events[static_cast<std::size_t>(e.kind)], ++events[all_events];
    chain(s);
  }
  void memory(Memory& m) {
    for (Extreme& e : extremes) e.memory(m);
    for (std::int64_t& n : events) m(n);
    chain.memory(m);
  }
};

int component(const Quantity& q, const Problem& problem) {
  const int n = static_cast<int>(q.positions ? problem.q0.size() : problem.u0.size());
  const int i = q.component.value_or(0), at = i < 0 ? n + i : i;
  if (n == 0) q.formula->fail_at(q.name->position, "the problem has no velocities");
  if (at < 0 || at >= n)
    q.formula->fail_at(q.name->position, fmt::format("{}[{}]: the problem has {} components, 0 to {}",
                                                     q.name->name, i, n, n - 1));
  return at;
}

std::vector<std::string> known_names(std::span<const FieldDescription> parameters) {
  std::vector<std::string> out = {"final.q[i]", "final.u[i]", "max.q",    "min.q", "max.u",
                                  "min.u",      "max.abs_u",  "argmax.u", "events"};
  out.insert(out.end(), std::begin(chain_quantity_names), std::end(chain_quantity_names));
  for (const auto& s : scalars) out.emplace_back(s.name);
  for (const auto& n : norm_names()) out.push_back(fmt::format("error.{}", n.name));
  for (const auto k : event_kinds) out.push_back(fmt::format("events.{}", to_string(k)));
  for (const auto& p : parameters)
    if (p.is_number) out.push_back(p.name);
  return out;
}

}  // namespace

Measure parse_measure(std::string_view text) {
  auto equals = text.find('=');
  const auto compares = [&] {  // the first of ==, or the second of <= >= !=
    return text.substr(equals).starts_with("==") ||
           (equals > 0 && std::string_view("<>!").find(text[equals - 1]) != std::string_view::npos);
  };
  if (equals != std::string_view::npos && compares()) equals = std::string_view::npos;
  if (equals == std::string_view::npos) return {std::string(text), Expression::parse(text)};
  std::string_view name = text.substr(0, equals);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  if (name.empty()) fail("measure '{}': a name is missing before =", text);
  return {std::string(name), Expression::parse(text.substr(equals + 1))};
}

Measures::Measures(std::vector<Measure> measures, std::span<const FieldDescription> parameters,
                   std::span<const std::string> coordinates, std::span<const std::string> velocities)
    : measures_(std::move(measures)) {
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k)
      if (measures_[k].name == measures_[i].name) fail("the measure '{}' is given twice", measures_[i].name);
    measures_[i].formula = with_space_quantities(measures_[i].formula, coordinates);
    for (const auto& v : measures_[i].formula.variables())
      quantities_.push_back(look_up(measures_[i].formula, v, parameters, coordinates, velocities));
  }
}

bool Measures::use_parameters() const {
  return std::any_of(quantities_.begin(), quantities_.end(),
                     [](const Quantity& q) { return q.kind == Kind::parameter; });
}

Quantity Measures::look_up(const Expression& formula, const Expression::Variable& v,
                           std::span<const FieldDescription> parameters,
                           std::span<const std::string> coordinates,
                           std::span<const std::string> velocities) const {
  Quantity q{.component = v.index, .name = &v, .formula = &formula};
  const std::string& name = v.name;
  const auto scalar = [&](Kind kind, std::size_t which) {
    if (v.index) formula.fail_at(v.position, fmt::format("{} has no components", name));
    q.kind = kind, q.which = which;
    return q;
  };
  for (std::size_t k = 0; k < std::size(scalars); ++k)
    if (scalars[k].name == name) return scalar(Kind::scalar, k);
  if (name == "events") return scalar(Kind::event, all_events);
  for (const auto k : event_kinds)
    if (name == fmt::format("events.{}", to_string(k)))
      return scalar(Kind::event, static_cast<std::size_t>(k));
  for (std::size_t k = 0; k < norm_names().size(); ++k)
    if (name == fmt::format("error.{}", norm_names()[k].name)) return scalar(Kind::error, k);

  const auto dot = name.find('.');
  const std::string head = name.substr(0, dot), tail = dot == std::string::npos ? "" : name.substr(dot + 1);
  q.absolute = tail.starts_with("abs_");
  std::string letter = q.absolute ? tail.substr(4) : tail;
  for (std::size_t k = 0; k < coordinates.size(); ++k)
    if (const bool rate = velocities.empty() && letter == coordinates[k] + "'";
        rate || letter == coordinates[k]) {
      if (v.index) formula.fail_at(v.position, fmt::format("{} has no components", name));
      q.component = static_cast<int>(k), letter.assign(1, rate ? 'u' : 'q');
      break;
    }
  for (std::size_t k = 0; k < velocities.size(); ++k)
    if (letter == velocities[k] && !v.index) {
      q.component = static_cast<int>(k), letter.assign(1, 'u');
      break;
    }
  const bool own = letter == "q" || letter == "u";
  if (!own && look_up_chain_quantity(q)) return q;
  q.positions = letter == "q", q.largest = head.ends_with("max"), q.time = head.starts_with("arg");
  if ((letter == "q" || letter == "u") && head == "final" && !q.absolute) {
    if (!q.component)
      formula.fail_at(v.position,
                      fmt::format("which component? Write {}[0], or {}[-1] for the last", name, name));
    q.kind = Kind::state;
    return q;
  }
  if ((letter == "q" || letter == "u") &&
      (head == "max" || head == "min" || head == "argmax" || head == "argmin")) {
    q.kind = Kind::extreme;
    return q;
  }
  const std::string parameter = head == "p" && !tail.empty() ? tail : name;
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (parameters[k].name == parameter && parameters[k].is_number) return scalar(Kind::parameter, k);
  const auto is_name = [&](const auto& list) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const bool rate =
      velocities.empty() && name.ends_with("'") &&
      std::find(coordinates.begin(), coordinates.end(), name.substr(0, name.size() - 1)) != coordinates.end();
  if (rate || is_name(coordinates) || is_name(velocities))
    formula.fail_at(v.position,
                    fmt::format("a measure is one number: write final.{0} for the value of {0} at "
                                "the end, max.{0} or min.{0} for the largest or the smallest",
                                name));
  auto known = known_names(parameters);
  const std::string of =
      head == "max" || head == "min" || head == "argmax" || head == "argmin" ? head : "final";
  for (const auto& c : coordinates) known.push_back(of + "." + c);
  if (velocities.empty())
    for (const auto& c : coordinates) known.push_back(of + "." + c + "'");
  for (const auto& c : velocities) known.push_back(of + "." + c);
  const std::string guess = suggestion(name, known);
  if (std::any_of(known.begin(), known.end(), [&](const auto& k) { return k.starts_with(head + "."); }))
    std::erase_if(known, [&](const auto& k) { return !k.starts_with(head + "."); });
  formula.fail_at(v.position, fmt::format("unknown quantity '{}'{}; known: {}", name, guess, listed(known)));
}

void Measures::check(const CatalogProblem& p) const {
  for (const Quantity& q : quantities_) {
    if (q.kind == Kind::chain) check_chain_quantity(q, p.problem);
    if (q.kind == Kind::state || (q.kind == Kind::extreme && q.component)) component(q, p.problem);
    if (q.kind != Kind::error) continue;
    if (!p.reference)
      q.formula->fail_at(q.name->position, "no reference solution is known with these parameters");
    if (p.problem.t_end > p.reference->valid_until())
      q.formula->fail_at(q.name->position, fmt::format("the reference is good up to t = {:.6g} only",
                                                       p.reference->valid_until()));
  }
}

std::pair<int, int> Measures::components(const Quantity& q, const Problem& problem) {
  if (q.kind == Kind::extreme && !q.component)
    return {0, static_cast<int>(q.positions ? problem.q0.size() : problem.u0.size())};
  const int at = component(q, problem);
  return {at, at + 1};
}

std::string_view Measures::scalar_name(const Quantity& q) {
  return scalars[q.which].name;
}

std::vector<double> Measures::observe(const MeasuredCase& c, const RunControl& control, RunResult& result,
                                      const Sink& sink, const Checkpoints& points) const {
  check(c.problem);
  const Problem& problem = c.problem.problem;
  Watch watch(problem);
  std::vector<int> in_chain;
  Trajectory trajectory;
  trajectory.keep_impulses = false;
  bool errors = false;
  CompareOptions compare_options;
  compare_options.hausdorff = false;
  for (const Quantity& q : quantities_) {
    if (q.kind == Kind::extreme) {
      const auto [first, last] = components(q, problem);
      watch.extremes.emplace_back(q.positions, first, last, q.largest, q.absolute);
      watch.extremes.back().start(problem.t0, problem.q0, problem.u0);
    }
    if (q.kind == Kind::chain) in_chain.push_back(follow_chain_quantity(q, problem, watch.chain));
    if (q.kind != Kind::error) continue;
    errors = true;
    compare_options.hausdorff = compare_options.hausdorff || norm_names()[q.which].name == "u_hausdorff";
  }
  watch.chain.start();
  const Checkpoints with_watch = points.with("measures", watch);
  result = saltus::run(
      problem, c.method,
      [&](const Segment& s) {
        watch.segment(s);
        if (sink) sink(s);
        if (errors) trajectory(s);
      },
      control, with_watch);

  const bool whole = result.status == RunStatus::finished;
  TrajectoryError error;
  if (points.resume)  // the trajectory begins at the checkpoint
    for (const auto& norm : norm_names()) error.*norm.member = std::nan("");
  else if (errors && whole && trajectory.size() > 0)
    error = compare(trajectory, *c.problem.reference, compare_options);
  std::vector<double> values;
  auto extreme = watch.extremes.begin();
  auto of_chain = in_chain.begin();
  for (const Quantity& q : quantities_) {
    double x = 0;
    bool always = false;
    switch (q.kind) {
      case Kind::parameter:
        x = parse_number(c.parameters[q.which].value, c.parameters[q.which].name), always = true;
        break;
      case Kind::scalar:
        x = scalars[q.which].get(result, c), always = scalars[q.which].always;
        break;
      case Kind::event:
        x = static_cast<double>(watch.events[q.which]);
        break;
      case Kind::error:
        x = error.*norm_names()[q.which].member;
        break;
      case Kind::state:
        x = (q.positions ? result.final.q : result.final.u)[component(q, problem)];
        break;
      case Kind::extreme:
        x = q.time ? extreme->time() : extreme->value(), ++extreme;
        break;
      case Kind::chain:
        x = chain_quantity(q, *of_chain++, watch.chain, result.final);
        break;
    }
    values.push_back(whole || always ? x : std::nan(""));
  }
  return values;
}

std::vector<double> Measures::evaluate(std::span<const double> observed) const {
  std::vector<double> out, work;
  for (const Measure& m : measures_) {
    const std::size_t n = m.formula.variables().size();
    out.push_back(m.formula.evaluate(observed.first(n), work));
    observed = observed.subspan(n);
  }
  return out;
}

}  // namespace saltus

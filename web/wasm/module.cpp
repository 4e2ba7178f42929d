// The interface of the module: a verb and a request in JSON go in, a reply in JSON comes out, with the places
// of arrays that stay where they are until the next call. Whatever happens, there is a reply.
#include <emscripten.h>

#include <new>

#include "lab_run.hpp"
#include "saltus/chain/sphere_materials.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/cli/scene_schema.hpp"
#include "saltus/run/compatibility.hpp"

EM_JS(void, saltus_progress, (double part), { Module['onProgress'](part); });

namespace saltus::web {
namespace {

std::string reply;  // of the last call
LabRun last;
std::vector<double> samples;  // t, q, u, energy and more curves of the last run, one after the other
std::vector<double> given[6];

template <class T>
Json place_of(const std::vector<T>& x, const char* type) {
  return {{"type", type}, {"at", reinterpret_cast<std::uintptr_t>(x.data())}, {"count", x.size()}};
}

void gather_samples(const Trajectory& tr) {
  const auto n = static_cast<std::size_t>(tr.size());
  samples.clear();
  samples.reserve(n * (static_cast<std::size_t>(2 + tr.nq() + tr.nu()) + last.more.size()));
  for (int i = 0; i < tr.size(); ++i) samples.push_back(tr.t(i));
  // component by component, as plots read them
  for (int k = 0; k < tr.nq(); ++k)
    for (int i = 0; i < tr.size(); ++i) samples.push_back(tr.q(i)[k]);
  for (int k = 0; k < tr.nu(); ++k)
    for (int i = 0; i < tr.size(); ++i) samples.push_back(tr.u(i)[k]);
  samples.insert(samples.end(), last.curves.energy.begin(), last.curves.energy.end());
  for (const NamedCurve& c : last.more) samples.insert(samples.end(), c.values.begin(), c.values.end());
  last.more.clear();
}

Json with_arrays(LabRun run) {
  last = std::move(run);
  gather_samples(last.curves.samples);
  last.curves.samples = Trajectory();
  const MovingPicture& m = last.motion;
  last.report["arrays"] = {{"samples", place_of(samples, "f64")},
                           {"frame_times", place_of(m.t, "f64")},
                           {"frames", place_of(m.values, "f32")},
                           {"act_start", place_of(m.act_start, "i32")},
                           {"acts", place_of(m.acts, "f32")}};
  return std::move(last.report);
}

Json complaints_json(const SceneError& e) {
  Json out = Json::array();
  for (const Complaint& c : e.complaints())
    out.push_back(
        {{"line", c.place.line}, {"column", c.place.column}, {"path", c.path}, {"message", c.message}});
  return out;
}

Json check(const Json& request) {
  const LabCase c(request);
  const Problem& p = c.problem().problem;
  Json parameters = Json::array();
  for (const auto& d : c.parameters())
    parameters.push_back({{"name", d.name}, {"value", d.value}, {"unit", d.unit}, {"number", d.is_number}});
  const Method m = c.run_method();
  return {{"status", "good"},
          {"title", c.scene() ? c.scene()->scene.title.text : c.entry().summary},
          {"t_end", cli::number(p.t_end)},
          {"nq", p.q0.size()},
          {"coordinates", p.coordinates},
          {"parameters", std::move(parameters)},
          {"family", to_string(p.system->family())},
          {"method",
           {{"scheme", to_text(m.scheme)}, {"stepping", to_text(m.stepping)}, {"solver", to_text(m.solver)}}},
          {"by_tolerance", std::holds_alternative<ToleranceSteps>(m.stepping)},
          {"draws", c.drawing() != nullptr}};
}

template <class Variant>
Json choices() {
  Json out = Json::array();
  for_each_alternative<Variant>([&]<class S>(const S& s) {
    out.push_back(
        {{"name", S::name}, {"summary", S::summary}, {"parameters", cli::describe_json(describe(s))}});
  });
  return out;
}

// The usual steps of a problem that a run by tolerance would take minutes for: many bodies that lie on each
// other, whose contacts change all the time. Null for the others.
Json steps_of(const CatalogEntry& entry) {
  constexpr int many = 100;
  const CatalogProblem p = entry.make({}, {});
  const System* system = as_mechanical(p.problem.system.get());
  const double h = step_of(p.method.stepping);
  if (!system || !system->shape().changing_contacts || p.problem.u0.size() < many || !(h > 0)) return nullptr;
  return {{"scheme", std::visit([](const auto& s) { return std::string(s.name); }, p.method.scheme)},
          {"h", h}};
}

// What completion and menus offer.
Json vocabulary() {
  Json schemes = Json::array(), problems = Json::array(), materials = Json::array();
  for_each_alternative<SchemeSpec>([&]<class S>(const S& s) {
    schemes.push_back({{"name", S::name},
                       {"summary", S::summary},
                       {"family", to_string(S::family)},
                       {"steppings", steppings_for(s)}});
  });
  for (const auto& e : catalog())
    problems.push_back({{"name", e.name},
                        {"summary", e.summary},
                        {"presets", e.presets},
                        {"t_end", e.t_end},
                        {"steps", steps_of(e)},
                        {"parameters", cli::describe_json(e.parameters)}});
  for (const NamedMaterial& m : sphere_materials())
    materials.push_back({{"name", m.name}, {"summary", m.what}});
  return {{"schema", cli::scene_schema()},
          {"schemes", std::move(schemes)},
          {"steppings", choices<Stepping>()},
          {"solvers", choices<SolverSpec>()},
          {"laws", choices<Law>()},
          {"problems", std::move(problems)},
          {"materials", std::move(materials)},
          {"version", SALTUS_VERSION}};
}

Json answer(std::string_view verb, const std::string& text) {
  const Json request = Json::parse(text);
  if (verb == "check") return check(request);
  if (verb == "run") return with_arrays(run_case(request, saltus_progress));
  if (verb == "show")
    return with_arrays(show_samples(request, {given[0], given[1], given[2], given[3], given[4], given[5]}));
  if (verb == "converge") return converge_case(request, saltus_progress);
  if (verb == "vocabulary") return vocabulary();
  fail("no verb '{}'", verb);
}

}  // namespace
}  // namespace saltus::web

extern "C" {

/// Room for so many numbers that `show` reads, in the order of Samples. Null: no memory.
EMSCRIPTEN_KEEPALIVE double* saltus_room(int which, double count) {
  try {
    auto& v = saltus::web::given[static_cast<std::size_t>(which) % std::size(saltus::web::given)];
    v.assign(static_cast<std::size_t>(count), 0);
    return v.data();
  } catch (...) {
    return nullptr;
  }
}

EMSCRIPTEN_KEEPALIVE const char* saltus_call(const char* verb, const char* request) {
  using namespace saltus;
  using web::reply;
  try {
    reply = cli::json_text(web::answer(verb, request), -1);
  } catch (const SceneError& e) {
    const cli::Json out = {
        {"status", "failed"}, {"message", e.what()}, {"complaints", web::complaints_json(e)}};
    reply = cli::json_text(out, -1);
  } catch (const std::bad_alloc&) {
    web::last = {}, web::samples = {};
    reply = R"({"status":"failed","message":"out of memory: run a shorter time, or with fewer bodies"})";
  } catch (const std::exception& e) {
    const cli::Json out = {{"status", "failed"}, {"message", e.what()}};
    reply = cli::json_text(out, -1);
  }
  return reply.c_str();
}
}

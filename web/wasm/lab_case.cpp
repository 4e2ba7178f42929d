#include "lab_case.hpp"

#include <algorithm>

#include "saltus/catalog/coordinate_units.hpp"
#include "saltus/core/error.hpp"
#include "saltus/scene/units.hpp"

namespace saltus::web {
namespace {

std::string text_of(const Json& request, const char* key) {
  const auto it = request.find(key);
  if (it == request.end() || it->is_null()) return {};
  if (!it->is_string()) fail("{}: a text is expected", key);
  return it->get<std::string>();
}

double seconds(const std::string& text, const char* field) {
  if (!has_unit(text)) return parse_number(text, field);
  const auto time = parse_unit_number(text);
  if (!time || !(time->dimension == time_dimension)) fail("{} = {} is not a time", field, text);
  return time->value;
}

}  // namespace

LabCase::LabCase(const Json& request) {
  chosen_.scheme = text_of(request, "scheme"), chosen_.stepping = text_of(request, "stepping");
  chosen_.solver = text_of(request, "solver"), chosen_.h = text_of(request, "h");
  chosen_.rtol = text_of(request, "rtol"), chosen_.atol = text_of(request, "atol");
  if (!chosen_.h.empty()) chosen_.h = number_text(seconds(chosen_.h, "h"));
  std::optional<double> end;
  if (const std::string t = text_of(request, "t_end"); !t.empty()) end = seconds(t, "t_end");
  if (const auto it = request.find("settings"); it != request.end())
    for (const auto& [key, value] : it->items()) settings_.emplace_back(key, value.get<std::string>());
  if (const std::string name = text_of(request, "problem"); !name.empty()) {
    entry_ = &find_problem(name);
  } else {
    std::vector<std::string> sets;
    if (const auto it = request.find("sets"); it != request.end())
      for (const auto& s : *it) sets.push_back(s.get<std::string>());
    MethodTexts texts = chosen_;
    texts.h.clear();  // a step does not decide how a scene is built
    const std::string file = text_of(request, "file");
    scene_ = load_scene_text(text_of(request, "scene"), file.empty() ? "scene" : file, sets, texts);
  }
  problem_ = entry().make(settings_, end);
  if (scene_) drawing_ = scene_->drawing(settings_);
}

LabCase::Units LabCase::units() const {
  if (!scene_) return {};
  Units out{scene_->units, scene_->rate_units};
  const auto known = [](const std::string& x) { return !x.empty(); };
  if (std::any_of(out.q.begin(), out.q.end(), known)) return out;
  const auto& ready = scene_->scene.ready;
  if (!ready || !ready->prefix.text.empty()) return {};  // beside formulas or bodies it has their units
  CoordinateUnits own = coordinate_units(ready->problem.text, static_cast<int>(problem_.problem.q0.size()),
                                         static_cast<int>(problem_.problem.u0.size()));
  for (auto* list : {&own.q, &own.u})
    for (std::string& x : *list)
      if (x == "1") x.clear();
  return {std::move(own.q), std::move(own.u)};
}

Method LabCase::method(const std::string& scheme, const std::string& h) const {
  MethodTexts texts = chosen_;
  if (!scheme.empty()) texts.scheme = scheme, texts.stepping.clear(), texts.rtol.clear(), texts.atol.clear();
  if (!h.empty()) texts.h = h;
  return choose_method(problem_.method, texts);
}

Method LabCase::run_method() const {
  const MethodTexts& c = chosen_;
  if (!(c.scheme + c.stepping + c.h + c.rtol + c.atol).empty() || problem_.method_named)
    return choose_method(problem_.method, c);
  Method out = unnamed_method(problem_.method, problem_.problem);
  if (!c.solver.empty()) out.solver = parse_spec<SolverSpec>(c.solver, "solver");
  return out;
}

}  // namespace saltus::web

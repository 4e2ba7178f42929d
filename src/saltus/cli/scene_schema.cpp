#include "saltus/cli/scene_schema.hpp"

#include "saltus/scene/scene.hpp"

namespace saltus::cli {
namespace {

/// The schema of a type, by the same lists that the reader uses.
struct Schema {
  static Json of(const Formula&) { return {{"type", {"string", "number"}}}; }
  static Json of(const Word&) { return {{"type", "string"}}; }
  static Json of(bool) { return {{"type", "boolean"}}; }
  static Json of(int) { return {{"type", "integer"}}; }
  template <int least>
  static Json of(const AtLeast<least>&) {
    return {{"type", "integer"}, {"minimum", least}};
  }
  static Json of(const Pair&) {
    return {{"type", "array"}, {"items", of(Formula{})}, {"minItems", 2}, {"maxItems", 2}};
  }
  static Json of(const MassFormulas&) {
    return {{"anyOf", {of(Named<Formula>{}), of(std::vector<std::vector<Formula>>{})}}};
  }
  template <class T>
  static Json of(const std::optional<T>&) {
    return of(T{});
  }
  template <class T>
  static Json of(const std::vector<T>&) {
    return {{"type", "array"}, {"items", of(T{})}};
  }
  template <class T>
  static Json of(const OneOrMany<T>&) {
    return {{"anyOf", {of(T{}), of(std::vector<T>{})}}};
  }
  template <class T>
  static Json of(const Named<T>&) {
    return {{"type", {"object", "null"}},
            {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_.]*$"}}},
            {"additionalProperties", of(T{})}};
  }
  template <class Variant>
  static Json of(const Choice<Variant>&) {
    Json list = Json::array();
    std::string names;
    for_each_alternative<Variant>([&]<class S>(const S& s) {
      names += fmt::format("{}{}", names.empty() ? "" : "|", S::name);
      Json fields = {{"name", {{"const", S::name}}}};
      for (const auto& d : describe(s))
        fields[d.name] = {{"description", fmt::format("{} ({}; default {})", d.help, d.allowed, d.value)}};
      list.push_back({{"type", "object"},
                      {"description", S::summary},
                      {"properties", std::move(fields)},
                      {"required", {"name"}},
                      {"additionalProperties", false}});
    });
    list.push_back({{"type", "string"}, {"pattern", fmt::format("^({})(:.*)?$", names)}});
    return {{"anyOf", std::move(list)}};
  }
  static Json of(const SceneAlong&) {
    return {{"anyOf", {of(Formula{}), of(std::vector<Formula>{}), object(SceneSpread{})}}};
  }
  static Json of(const SceneRestitution& r) {
    return {{"anyOf", {{{"type", "string"}, {"pattern", " at "}}, object(r)}}};
  }
  static Json of(const SceneChainEnd& e) { return {{"anyOf", {{{"enum", {"free", "wall"}}}, object(e)}}}; }
  template <HasFields T>
  static Json of(const T& t) {
    return object(t);
  }
  template <HasFields T>
  static Json object(T t) {
    Json fields = Json::object(), required = Json::array();
    t.fields([&](const Note& n, const auto& field) {
      Json one = of(field);
      one["description"] = n.unit.empty() ? std::string(n.help) : fmt::format("{} [{}]", n.help, n.unit);
      fields[std::string(n.name)] = std::move(one);
      if (n.required) required.push_back(n.name);
    });
    Json out = {{"type", "object"}, {"properties", std::move(fields)}, {"additionalProperties", false}};
    if (!required.empty()) out["required"] = std::move(required);
    return out;
  }
};

}  // namespace

Json scene_schema() {
  Json out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Saltus scene"}};
  out.update(Schema::of(Scene{}));
  out["properties"]["saltus"] = {{"const", 1}, {"description", "version of the format"}};
  return out;
}

}  // namespace saltus::cli

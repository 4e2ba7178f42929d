#include "saltus/cli/scene_schema.hpp"

#include "saltus/scene/scene.hpp"

namespace saltus::cli {
namespace {

// Parts of a schema, compiled once: what is a template below is compiled for every struct and every list of
// choices.
Json list_of(Json item) {
  return {{"type", "array"}, {"items", std::move(item)}};
}
Json any_of(Json one, Json other) {
  return {{"anyOf", {std::move(one), std::move(other)}}};
}
Json named(Json value) {
  return {{"type", {"object", "null"}},
          {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_.]*$"}}},
          {"additionalProperties", std::move(value)}};
}
struct Choices {
  Json list = Json::array();
  std::string names;

  void add(std::string_view name, std::string_view summary, const std::vector<FieldDescription>& described) {
    if (!names.empty()) names += '|';
    names += name;
    Json fields = {{"name", {{"const", name}}}};
    for (const auto& d : described)
      fields[d.name] = {{"description", fmt::format("{} ({}; default {})", d.help, d.allowed, d.value)}};
    list.push_back({{"type", "object"},
                    {"description", summary},
                    {"properties", std::move(fields)},
                    {"required", {"name"}},
                    {"additionalProperties", false}});
  }
  Json schema() && {
    list.push_back({{"type", "string"}, {"pattern", fmt::format("^({})(:.*)?$", names)}});
    return {{"anyOf", std::move(list)}};
  }
};
struct Properties {
  Json fields = Json::object(), required = Json::array();

  void add(const Note& n, Json one) {
    one["description"] = n.unit.empty() ? std::string(n.help) : fmt::format("{} [{}]", n.help, n.unit);
    fields[std::string(n.name)] = std::move(one);
    if (n.required) required.push_back(n.name);
  }
  Json schema() && {
    Json out = {{"type", "object"}, {"properties", std::move(fields)}, {"additionalProperties", false}};
    if (!required.empty()) out["required"] = std::move(required);
    return out;
  }
};

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
    return any_of(of(Named<Formula>{}), of(std::vector<std::vector<Formula>>{}));
  }
  template <class T>
  static Json of(const std::optional<T>&) {
    return of(T{});
  }
  template <class T>
  static Json of(const std::vector<T>&) {
    return list_of(of(T{}));
  }
  template <class T>
  static Json of(const OneOrMany<T>&) {
    return any_of(of(T{}), of(std::vector<T>{}));
  }
  template <class T>
  static Json of(const Named<T>&) {
    return named(of(T{}));
  }
  template <class Variant>
  static Json of(const Choice<Variant>&) {
    Choices all;
    for_each_alternative<Variant>(
        [&]<class S>(const S& s) { all.add(S::name, S::summary, describe(Variant(s))); });
    return std::move(all).schema();
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
    Properties all;
    t.fields([&](const Note& n, const auto& field) { all.add(n, of(field)); });
    return std::move(all).schema();
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

#include "saltus/scene/materials.hpp"

namespace saltus {
namespace {

// A field of a rigid material: a number of its dimension within the range of the field, else the default.
double coefficient(SceneCompiler& c, const Value& v, const FieldInfo& info) {
  if (!v.given()) return 0;
  const Term x = c.constant(v);
  const double value = c.graph().node(x.node).value;
  std::string trouble;
  const Dimension wanted = info.unit == "m" ? length_dimension : Dimension{};
  if (x.dimension && !(*x.dimension == wanted))
    trouble = fmt::format("'{}' is {}, but {} is {}", v.text, to_string(*x.dimension), info.name,
                          to_string(wanted));
  else if (!info.range.contains(value))
    trouble = fmt::format("found {}, but {} must be {}", v.text, info.name, to_string(info.range));
  if (x.ok && trouble.empty()) return value;
  if (x.ok) c.complain(v, trouble);
  return 0;
}

}  // namespace

Materials materials_of(SceneCompiler& c) {
  Materials out;
  std::vector<Material> list = {{}};
  for (const auto& e : c.scene().materials.list) {
    const SceneMaterial& s = e.value;
    Material m;
    m.fields([&](const FieldInfo& info, double& value) {
      const Value& v = info.name == "mu"        ? s.mu
                       : info.name == "e_n"     ? s.e_n
                       : info.name == "e_t"     ? s.e_t
                       : info.name == "rolling" ? s.rolling
                                                : s.spinning;
      value = coefficient(c, v, info);
      if (s.law.given() && v.given())
        c.complain(v,
                   fmt::format("a compliant material is smooth, and its law says how it bounces: leave out "
                               "{}, or the law",
                               info.name));
    });
    if (s.of_beads() && !c.scene().chain)
      c.complaints().add(e.place, "materials." + e.name,
                         "young, poisson and density are for beads, and the scene has no chain");
    if (s.spinning.given() && !c.scene().space)
      c.complain(s.spinning, "bodies of the plane do not spin about a normal: leave it out");
    if (s.law.given()) m = {0, 0, 0, c.choose(s.law)};
    if (e.name == "default")
      list[0] = m;
    else
      out.names.push_back(e.name), list.push_back(m);
  }
  out.table = MaterialTable(list);
  return out;
}

}  // namespace saltus

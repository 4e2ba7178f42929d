// What touches what: contact laws by pairs of materials.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "saltus/core/error.hpp"
#include "saltus/law/compliance.hpp"
#include "saltus/law/law.hpp"

namespace saltus {

struct Material {
  static constexpr std::string_view name = "material", summary = "friction and restitution of a surface";
  double mu = 0, e_n = 0, e_t = 0;
  std::optional<CompliantLaw> law = {};  ///< then it is smooth, and all others are 0
  double rolling = 0;                    ///< rolling moment by normal force, in metres
  double spinning = 0;                   ///< the same about the normal, of bodies in space
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"mu", "", "coefficient of friction", Range::non_negative()}, mu);
    v(FieldInfo{"e_n", "", "normal restitution", Range::closed(0, 1)}, e_n);
    v(FieldInfo{"e_t", "", "tangential restitution", Range::closed(0, 1)}, e_t);
    v(FieldInfo{"rolling", "m", "rolling moment by normal force", Range::non_negative()}, rolling);
    v(FieldInfo{"spinning", "m", "spinning moment by normal force, in space", Range::non_negative()},
      spinning);
  }
};

/// A symmetric table of laws. Two rigid materials combine by rule: μ = √(μ₁μ₂), so that a smooth surface is
/// smooth against all, and e = max(e₁, e₂), so that a rubber ball bounces from all; of two rolling or
/// spinning lengths the larger counts, that of the softer surface. A compliant one gives its law to a rigid
/// one; two of one kind are in series (in_series), two of different kinds do not go together. `set` overrides
/// one pair.
class MaterialTable {
 public:
  MaterialTable() : MaterialTable(std::vector<Material>{{}}) {}
  explicit MaterialTable(const std::vector<Material>& materials)
      : count_(static_cast<int>(materials.size())) {
    for (const Material& m : materials) check_material(m);
    laws_.resize(materials.size() * materials.size());
    compliances_.resize(laws_.size());
    clashes_.resize(laws_.size());
    for (int a = 0; a < count_; ++a)
      for (int b = 0; b <= a; ++b) combine(a, b, materials[a], materials[b]);
  }
  void set(int a, int b, const Material& pair) {
    check_material(pair);
    put(a, b, pair, pair.law ? std::optional(compliance_of(*pair.law)) : std::nullopt);
    clashes_[law(a, b)] = clashes_[law(b, a)] = false;
  }

  /// The length in the rows of rolling moments (RollingFriction::length): that of a typical body.
  void set_length(double length) {
    for (Law& law : laws_)
      if (auto* rolling = std::get_if<RollingFriction>(&law)) rolling->length = length;
  }
  /// Of bodies in space: 2.
  void set_tangents(int count) {
    for (Law& law : laws_) {
      if (auto* friction = std::get_if<Coulomb>(&law)) friction->tangents = count;
      if (auto* rolling = std::get_if<RollingFriction>(&law)) rolling->tangents = count;
    }
  }
  bool rolls() const {
    return std::any_of(laws_.begin(), laws_.end(),
                       [](const Law& law) { return std::holds_alternative<RollingFriction>(law); });
  }

  int materials() const { return count_; }
  int law(int a, int b) const { return a * count_ + b; }  ///< index into laws()
  std::span<const Law> laws() const { return laws_; }
  /// Of a compliant pair, whose law in laws() means nothing; null for a rigid one.
  const Compliance* compliance(int law) const { return compliances_[law] ? &*compliances_[law] : nullptr; }
  bool clashes(int law) const { return clashes_[law]; }
  bool all_rigid() const {
    return std::none_of(compliances_.begin(), compliances_.end(),
                        [](const auto& c) { return c.has_value(); });
  }

 private:
  static void check_material(const Material& m) {
    check(m);
    if (!m.law) return;
    check(*m.law);
    if (m.mu != 0 || m.e_n != 0 || m.e_t != 0 || m.rolling != 0 || m.spinning != 0)
      fail("a compliant material has no mu, e_n, e_t, rolling and spinning: {}", to_text(*m.law));
  }
  void combine(int a, int b, const Material& p, const Material& q) {
    if (!p.law && !q.law)
      return put(a, b,
                 {p.mu == q.mu ? p.mu : std::sqrt(p.mu * q.mu),
                  std::max(p.e_n, q.e_n),
                  std::max(p.e_t, q.e_t),
                  {},
                  std::max(p.rolling, q.rolling),
                  std::max(p.spinning, q.spinning)},
                 {});
    const auto both = p.law && q.law ? in_series(*p.law, *q.law) : compliance_of(p.law ? *p.law : *q.law);
    put(a, b, {}, both.value_or(Compliance{}));
    clashes_[law(a, b)] = clashes_[law(b, a)] = !both;
  }
  void put(int a, int b, const Material& pair, const std::optional<Compliance>& compliance) {
    laws_[law(a, b)] = laws_[law(b, a)] =
        pair.rolling > 0 || pair.spinning > 0
            ? Law(RollingFriction{pair.mu, pair.rolling, pair.spinning, pair.e_n, pair.e_t, 1, 1})
        : pair.mu > 0 ? Law(Coulomb{pair.mu, pair.e_n, pair.e_t, 1})
                      : Law(Unilateral{pair.e_n});
    compliances_[law(a, b)] = compliances_[law(b, a)] = compliance;
  }

  int count_;
  std::vector<Law> laws_;
  std::vector<std::optional<Compliance>> compliances_;
  std::vector<char> clashes_;
};

/// Two materials, by number, that do not go together, of bodies that can touch.
class MaterialClash : public Error {
 public:
  MaterialClash(const std::string& what, int a, int b) : Error(what), first(a), second(b) {}
  int first, second;
};

}  // namespace saltus

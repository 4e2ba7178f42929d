// What touches what: contact laws by pairs of materials.
#pragma once
#include <span>
#include <vector>

#include "saltus/law/law.hpp"

namespace saltus {

struct Material {
  static constexpr std::string_view name = "material", summary = "friction and restitution of a surface";
  double mu = 0, e_n = 0, e_t = 0;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"mu", "", "coefficient of friction", Range::non_negative()}, mu);
    v(FieldInfo{"e_n", "", "normal restitution", Range::closed(0, 1)}, e_n);
    v(FieldInfo{"e_t", "", "tangential restitution", Range::closed(0, 1)}, e_t);
  }
};

/// A symmetric table of laws. Two materials combine by rule: μ = √(μ₁μ₂), so that a smooth surface is smooth
/// against all, and e = max(e₁, e₂), so that a rubber ball bounces from all. `set` overrides one pair.
class MaterialTable {
 public:
  MaterialTable() : MaterialTable(std::vector<Material>{{}}) {}
  explicit MaterialTable(std::vector<Material> materials) : count_(static_cast<int>(materials.size())) {
    for (const auto& m : materials) check(m);
    laws_.resize(materials.size() * materials.size());
    for (int a = 0; a < count_; ++a)
      for (int b = 0; b < count_; ++b) {
        const Material &p = materials[a], &q = materials[b];
        laws_[law(a, b)] = law_of(
            {p.mu == q.mu ? p.mu : std::sqrt(p.mu * q.mu), std::max(p.e_n, q.e_n), std::max(p.e_t, q.e_t)});
      }
  }
  void set(int a, int b, const Material& pair) {
    check(pair);
    laws_[law(a, b)] = laws_[law(b, a)] = law_of(pair);
  }

  int materials() const { return count_; }
  int law(int a, int b) const { return a * count_ + b; }  ///< index into laws()
  std::span<const Law> laws() const { return laws_; }

 private:
  static Law law_of(const Material& m) {
    return m.mu > 0 ? Law(Coulomb{m.mu, m.e_n, m.e_t, 1}) : Law(Unilateral{m.e_n});
  }

  int count_;
  std::vector<Law> laws_;
};

}  // namespace saltus

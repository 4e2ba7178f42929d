// Chains of beads in contact (James, Vorotnikov, Brogliato). Contact n lies between beads n − 1 and n,
// contact 0 at the left wall and contact N at the right one; overlap d_n = x_{n−1} − x_n, with the walls at
// fixed positions. Law (1): f_n = k_n d₊^{3/2} + γ_n k_n d/dt d₊^β, attractive in late unloading: contact
// ends when d = 0.
//
//     x:  m_n ẍ_n = f_n − f_{n+1} − K_n x_n + F_n (2) y:  ẋ_n = w_n + s_n(x),  ẇ_n = g_n(x) (10), (11)
//         m_n s_n = σ_n − σ_{n+1},                      σ = γ k d₊^β
//         m_n g_n = φ_n − φ_{n+1} − K_n x_n + F_n,      φ = k d₊^{3/2}
//
// x are displacements from the configuration in which all beads just touch. The second form is the same
// equation in the generalised velocity w = v − s(x); its right-hand side has no square root of an overlap
// times a rate, so that methods keep more of their order when contacts open.
#pragma once
#include "saltus/system/first_order.hpp"

namespace saltus {

enum class Formulation : std::uint8_t { x, y };
inline constexpr std::string_view formulation_names[] = {"x", "y"};

struct ChainData {
  Vec m;              ///< masses, N
  Vec k, gamma;       ///< stiffness and damping of the contacts, N + 1; k = 0 where there is no contact
  double beta = 1.5;  ///< 1 dashpot, 3/2 Kuwabara–Kono, 5/2 Simon–Hunt–Crossley, or any other ≥ 1
  Vec K, F;           ///< local stiffness and constant force per bead; empty: none
  double left = 0, right = 0;  ///< positions of the walls
  Formulation formulation = Formulation::y;
};

/// Force and damping potential of one contact with their derivatives; zero for d ≤ 0.
struct ContactForce {
  double phi = 0, dphi = 0;                   ///< φ, φ'
  double sigma = 0, dsigma = 0, ddsigma = 0;  ///< σ, σ', σ''
};

class Chain final : public FirstOrderSystem {
 public:
  /// Throws Error naming the quantity, the bead or contact, and what is allowed.
  explicit Chain(ChainData data);

  int beads() const { return static_cast<int>(d_.m.size()); }
  const ChainData& data() const { return d_; }
  /// Whether all contacts that exist have the same damping; then `damping()` is it.
  bool uniform_damping() const { return uniform_; }
  double damping() const { return gamma_; }
  bool has_local() const { return local_; }

  /// Overlap of contact n for positions with a stride (stages interleaved).
  double overlap(int n, const double* x, int stride = 1) const {
    const double before = n > 0 ? x[(n - 1) * stride] : d_.left,
                 after = n < beads() ? x[n * stride] : d_.right;
    return before - after;
  }
  /// The rate of it: walls stand still.
  double rate(int n, const double* v) const { return (n > 0 ? v[n - 1] : 0.0) - (n < beads() ? v[n] : 0.0); }
  template <bool second = false>
  ContactForce contact(int n, double d) const;
  double hertz(int n, double d) const { return d > 0 ? d_.k[n] * d * std::sqrt(d) : 0.0; }

  /// Accelerations g of the chain without damping, K and F included.
  void conservative(In x, Out g) const;
  /// Dg(x) v
  void conservative_derivative(In x, In v, Out out) const;
  /// s(x), the part of the velocity that the damping makes.
  void damping_velocity(In x, Out s) const;
  /// Total force of contact n in a physical state.
  double force(int n, In x, In v) const;
  double momentum(In v) const { return d_.m.dot(v); }

  // ---- FirstOrderSystem: y = (x₁, w₁, x₂, w₂, …), w = v in formulation x
  int size() const override { return 2 * beads(); }
  Pattern pattern() const override { return {Pattern::banded, 3, nullptr}; }
  void rhs(double t, In y, Out f, Workspace& w) const override;
  void jacobian(double t, In y, Matrix& J, Workspace& w) const override;
  int nq() const override { return beads(); }
  int nu() const override { return beads(); }
  void pack(double t, In q, In u, Out y) const override;
  void unpack(double t, In y, Out q, Out u) const override;
  /// Σ m v²/2 + Σ K x²/2 − Σ F x + (2/5) Σ k d₊^{5/2}: never grows.
  double energy(double t, In q, In u, Workspace& w) const override;
  Powers powers() const override;
  Power power(double t, In q, In u, Workspace& w) const override;
  const Chain* chain() const override { return this; }
  std::string component_name(int i) const override;

 private:
  enum class Law : std::uint8_t { dashpot, kuwabara_kono, hunt_crossley, general };
  ChainData d_;
  Law law_;
  bool uniform_ = true, local_ = false;
  double gamma_ = 0;
};

template <bool second>
inline ContactForce Chain::contact(int n, double d) const {
  ContactForce c;
  if (!(d > 0)) return c;
  const double k = d_.k[n], root = std::sqrt(d), a = d_.gamma[n] * k;
  c.phi = k * d * root, c.dphi = 1.5 * k * root;
  if (a == 0) return c;
  switch (law_) {
    case Law::dashpot:
      c.sigma = a * d, c.dsigma = a;
      break;
    case Law::kuwabara_kono:
      c.sigma = a * d * root, c.dsigma = 1.5 * a * root;
      if constexpr (second) c.ddsigma = 0.75 * a / root;
      break;
    case Law::hunt_crossley:
      c.sigma = a * d * d * root, c.dsigma = 2.5 * a * d * root;
      if constexpr (second) c.ddsigma = 3.75 * a * root;
      break;
    case Law::general: {
      const double b = d_.beta, power = std::pow(d, b - 1);
      c.sigma = a * d * power, c.dsigma = b * a * power;
      if constexpr (second) c.ddsigma = b * (b - 1) * a * power / d;
      break;
    }
  }
  return c;
}

}  // namespace saltus

// Chains of beads in contact (James, Vorotnikov, Brogliato). Contact n lies between beads n − 1 and n,
// contact 0 at the left wall and contact N at the right one; overlap d_n = x_{n−1} − x_n + a_n, with the
// positions of the walls at the ends. Law (1): f_n = k_n d₊^{3/2} + γ_n k_n d/dt d₊^β, attractive in late
// unloading: contact ends when d = 0.
//
//     x:  m_n ẍ_n = f_n − f_{n+1} − K_n x_n − C_n ẋ_n + F_n (2)
//     y:  ẋ_n = w_n + s_n(x),  ẇ_n = g_n(x) (10), (11)
//         m_n s_n = σ_n − σ_{n+1} − C_n x_n,            σ = γ k d₊^β
//         m_n g_n = φ_n − φ_{n+1} − K_n x_n + F_n,      φ = k d₊^{3/2}
//
// x are displacements from a configuration in which contact n has the overlap a_n: all beads just touch where
// there are none, gaps are negative. The second form is the same equation in the generalised velocity
// w = v − s(x); its right-hand side has no square root of an overlap times a rate, so that methods keep more
// of their order when contacts open. The ends may move: walls at given places, and given forces on the first
// and the last bead, are functions of time.
#pragma once
#include "saltus/core/team.hpp"
#include "saltus/system/first_order.hpp"
#include "saltus/system/time_function.hpp"

namespace saltus {

/// Beads that a worker of a team takes at a time, at least. Chains of less than twice as many are not
/// divided.
inline constexpr int chain_piece = 8192;

enum class Formulation : std::uint8_t { x, y };
inline constexpr std::string_view formulation_names[] = {"x", "y"};

struct ChainData {
  Vec m;              ///< masses, N
  Vec k, gamma;       ///< stiffness and damping of the contacts, N + 1; k = 0 where there is no contact
  double beta = 1.5;  ///< 1 dashpot, 3/2 Kuwabara–Kono, 5/2 Simon–Hunt–Crossley, or any other ≥ 1
  Vec betas;          ///< the same of every contact, N + 1; empty: beta
  Vec a;              ///< overlaps of the contacts where x = 0, gaps negative, N + 1; empty: none
  Vec K, C, F;        ///< local stiffness, local dashpots and constant forces, per bead; empty: none
  double left = 0, right = 0;  ///< positions of the walls
  /// Beside them: how the walls move, and what pushes the first and the last bead; null: nothing does.
  std::shared_ptr<const TimeFunction> left_motion, right_motion, left_push, right_push;
  Formulation formulation = Formulation::y;
  Vec radius;  ///< of the beads, for lengths of waves and pictures; empty: not known
};

/// The ends of a chain at a time: places and speeds of the walls, forces on the first and the last bead.
struct ChainEnds {
  double left = 0, right = 0, left_rate = 0, right_rate = 0, left_push = 0, right_push = 0;
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
  Chain(const Chain&) = delete;  // looks into its own data
  Chain& operator=(const Chain&) = delete;

  int beads() const { return static_cast<int>(d_.m.size()); }
  /// As given; vectors in which all is zero, or equal to `beta`, are empty.
  const ChainData& data() const { return d_; }
  /// Whether all contacts that exist have the same damping; then `damping()` is it.
  bool uniform_damping() const { return uniform_; }
  double damping() const { return gamma_; }
  /// Whether the damping of every contact is `damping()` times the rate of its elastic force.
  bool proportional() const { return uniform_ && (gamma_ == 0 || (d_.beta == 1.5 && d_.betas.size() == 0)); }
  bool has_local() const { return d_.K.size() > 0; }
  bool has_dashpots() const { return d_.C.size() > 0; }
  bool has_forces() const { return d_.F.size() > 0; }
  bool has_offsets() const { return d_.a.size() > 0; }
  double local(int n) const { return has_local() ? d_.K.data()[n] : 0.0; }
  double dashpot(int n) const { return has_dashpots() ? d_.C.data()[n] : 0.0; }
  double constant_force(int n) const { return has_forces() ? d_.F.data()[n] : 0.0; }

  /// Whether walls or loads depend on time; without that `ends` are the same at any time.
  bool left_moves() const { return d_.left_motion || d_.left_push; }
  bool right_moves() const { return d_.right_motion || d_.right_push; }
  bool pushed() const { return d_.left_push || d_.right_push; }
  ChainEnds ends(double t) const;

  // The innermost functions of every step; calls would take longer than they do.
  /// Overlap of contact n for positions with a stride (stages interleaved).
  [[gnu::always_inline]] double overlap(int n, const double* x, const ChainEnds& ends, int stride = 1) const {
    const double before = n > 0 ? x[(n - 1) * stride] : ends.left,
                 after = n < beads() ? x[n * stride] : ends.right;
    return offset_ ? before - after + offset_[n] : before - after;
  }
  /// The rate of it.
  [[gnu::always_inline]] double rate(int n, const double* v, const ChainEnds& ends, int stride = 1) const {
    return (n > 0 ? v[(n - 1) * stride] : ends.left_rate) - (n < beads() ? v[n * stride] : ends.right_rate);
  }
  /// Overlap of contact n where x = 0.
  double offset(int n) const { return offset_ ? offset_[n] : 0.0; }
  template <bool second = false>
  [[gnu::always_inline]] ContactForce contact(int n, double d) const;
  /// The same without its damping.
  [[gnu::always_inline]] ContactForce elastic(int n, double d) const {
    ContactForce c;
    if (!(d > 0)) return c;
    const double k = d_.k[n], root = std::sqrt(d);
    c.phi = k * d * root, c.dphi = 1.5 * k * root;
    return c;
  }
  double hertz(int n, double d) const { return d > 0 ? d_.k[n] * d * std::sqrt(d) : 0.0; }

  /// Accelerations g of the chain without damping: K, F and the pushes included.
  void conservative(const ChainEnds& ends, In x, Out g) const;
  /// The rate of g along the velocities v, walls included.
  void conservative_derivative(const ChainEnds& ends, In x, In v, Out out) const;
  /// s(x), the part of the velocity that the damping makes.
  void damping_velocity(const ChainEnds& ends, In x, Out s) const;
  /// Total force of contact n in a physical state.
  double force(int n, In x, In v, const ChainEnds& ends) const;
  double momentum(In v) const { return d_.m.dot(v); }
  /// Between the centres of beads i ≤ j where x = 0; how many beads where radii are not known.
  double distance(int i, int j) const;

  // ---- FirstOrderSystem: y = (x₁, w₁, x₂, w₂, …), w = v in formulation x
  int size() const override { return 2 * beads(); }
  Pattern pattern() const override { return {Pattern::banded, 3, nullptr}; }
  void rhs(double t, In y, Out f, Workspace& w) const override;
  void jacobian(double t, In y, Matrix& J, Workspace& w) const override;
  int nq() const override { return beads(); }
  int nu() const override { return beads(); }
  void pack(double t, In q, In u, Out y) const override;
  void unpack(double t, In y, Out q, Out u) const override;
  /// Σ m v²/2 + Σ K x²/2 − Σ F x + (2/5) Σ k d₊^{5/2}: never grows where nothing moves the ends.
  double energy(double t, In q, In u, Workspace& w) const override;
  Powers powers() const override;
  Power power(double t, In q, In u, Workspace& w) const override;
  /// The same where only the beads [first, last[ move; x(n) and v(n) are asked once for each, and for the
  /// bead before them and behind them.
  template <class Position, class Velocity>
  Power power(const ChainEnds& ends, int first, int last, Position&& x, Velocity&& v) const;
  const Chain* chain() const override { return this; }
  std::string component_name(int i) const override;

 private:
  // The part of the contacts [from, to[ in the power of the beads up to `last`.
  template <class Position, class Velocity>
  Power power_of(const ChainEnds& ends, int from, int to, int last, Position&& x, Velocity&& v) const;

  enum class Law : std::uint8_t { dashpot, kuwabara_kono, hunt_crossley, general };
  static Law law_of(double beta);
  ContactForce general(int n, double d) const;  // any β

  ChainData d_;
  Law law_;
  std::vector<Law> laws_;           // of every contact, where they differ
  const Law* different_ = nullptr;  // they, or null
  const double* offset_ = nullptr;  // a, or null
  bool uniform_ = true;
  double gamma_ = 0;
};

/// Null where the system is no chain.
inline const Chain* as_chain(const DynamicSystem* system) {
  if (!system || system->family() != Family::first_order) return nullptr;
  return static_cast<const FirstOrderSystem*>(system)->chain();
}

template <class Position, class Velocity>
Power Chain::power(const ChainEnds& ends, int first, int last, Position&& x, Velocity&& v) const {
  return over_pieces<Power>(
      first, last + 1, chain_piece, [&](int from, int to) { return power_of(ends, from, to, last, x, v); },
      [](Power& sum, const Power& part) { sum.work += part.work, sum.damping += part.damping; });
}

template <class Position, class Velocity>
Power Chain::power_of(const ChainEnds& ends, int from, int to, int last, Position&& x, Velocity&& v) const {
  const int N = beads();
  Power out;
  double x0 = from > 0 ? x(from - 1) : ends.left, v0 = from > 0 ? v(from - 1) : ends.left_rate;
  for (int n = from; n < to; ++n) {
    const double x1 = n < N ? x(n) : ends.right, v1 = n < N ? v(n) : ends.right_rate;
    const double d = x0 - x1 + offset(n), rate = v0 - v1;
    if (d > 0) {
      const ContactForce c = contact(n, d);
      out.damping += c.dsigma * rate * rate;
      if (n == 0) out.work += (c.phi + c.dsigma * rate) * ends.left_rate;
      if (n == N) out.work -= (c.phi + c.dsigma * rate) * ends.right_rate;
    }
    if (n == 0) out.work += ends.left_push * v1;
    if (n == N) out.work += ends.right_push * v0;
    if (n < last && has_dashpots()) out.damping += dashpot(n) * v1 * v1;
    x0 = x1, v0 = v1;
  }
  return out;
}

template <bool second>
inline ContactForce Chain::contact(int n, double d) const {
  ContactForce c;
  if (!(d > 0)) return c;
  const double k = d_.k[n], root = std::sqrt(d), a = d_.gamma[n] * k;
  c.phi = k * d * root, c.dphi = 1.5 * k * root;
  if (a == 0) return c;
  switch (different_ ? different_[n] : law_) {
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
    case Law::general:
      return general(n, d);
  }
  return c;
}

}  // namespace saltus

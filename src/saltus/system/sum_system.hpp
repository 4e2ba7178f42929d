// Several systems on slices of one list of coordinates, added up: M = Σ MᵢPᵢ, h = Σ hᵢ, and the contacts of
// all. So a beam, some rigid bodies and formulas that speak about both become one system. The id of a contact
// has the number of its part in its highest byte; within a part ids are below 2^56.
#pragma once
#include <memory>

#include "saltus/core/pool.hpp"
#include "saltus/system/curvature.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

struct SystemPart {
  std::shared_ptr<const System> system;
  int first = 0;  ///< its first coordinate
};

class SumSystem final : public System, public CurvedSystem {
 public:
  /// Throws Error: a part with rotations, or one that reaches beyond the n coordinates.
  SumSystem(int n, std::vector<SystemPart> parts);

  const CurvedSystem* curved() const override { return this; }
  Shape shape() const override { return shape_; }
  std::span<const Law> laws() const override { return laws_; }
  void mass(double t, In q, Matrix& M) const override;
  void force(double t, In q, In u, Out h) const override;
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du) const override;
  void gaps(double t, In q, ContactSet& out) const override;
  double closing_speed(In u) const override;
  bool passes(double t0, In q0, double t1, In q1, double share, Passage& out) const override;
  void directions(double t, In q, ContactSet& out) const override;
  void bias(double t, In q, In u, ContactSet& out) const override;
  void curvature(double t, In q, In u, In a, const double* lambda, Matrix& K, Curvature& out) const override;
  double potential(double t, In q) const override;
  double energy(double t, In q, In u) const override;
  std::string contact_name(std::uint64_t id) const override;
  bool sketch(double t, In q, Sketch& out) const override;

 private:
  struct Part {
    std::shared_ptr<const System> system;
    int first, n, law, rows;  // law: its first; rows: of a list that never changes
    Shape shape;
  };
  /// Buffers of one call.
  struct Room {
    std::vector<Matrix> mass, dq, du;
    std::vector<ContactSet> sets;
    Curvature curvature;
    Vec h;
  };
  Pool<Room>::Borrowed borrow() const;
  /// The contacts of part k as that part listed them.
  void take_part(const ContactSet& all, std::size_t k, ContactSet& part) const;

  int n_;
  std::vector<Part> parts_;
  std::vector<Law> laws_;
  Shape shape_;
  mutable Pool<Room> rooms_;
};

}  // namespace saltus

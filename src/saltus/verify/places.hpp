// Configurations as a verification compares them. They need not be vectors (rotations): what two of them
// differ by is a displacement, which has as many entries as a velocity.
#pragma once
#include "saltus/system/system.hpp"

namespace saltus {

class Places {
 public:
  explicit Places(const System& system) : system_(system), shape_(system.shape()) {}
  bool flat() const { return shape_.flat; }
  Vec difference(const Vec& q, const Vec& p) const;  ///< p ⊖ q
  Vec moved(const Vec& q, const Vec& v) const;       ///< q ⊕ v
  Vec size(const Vec& q) const;                      ///< of each displacement
  /// q̇ where q moves with u, and what is lost of it to rounding.
  Vec rates(const Vec& q, const Vec& u, double& rounding) const;

 private:
  const System& system_;
  Shape shape_;
};

}  // namespace saltus

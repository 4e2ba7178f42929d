// The first value that was not finite, wherever it arose. Comparisons swallow NaN (max(x, NaN) is x, NaN < 0
// is false), so an equation may look solved with a force that is none. Values of systems are therefore
// checked where they are evaluated and recorded here. A stepper owns a record and shares it with everything
// that evaluates the system for it; it compares the count before and after a step.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>

namespace saltus {

struct Fault {
  const char* quantity = nullptr;  ///< force, mass, gap, …; null: no fault
  int index = -1;                  ///< its component; −1: it has one only
  bool has_contact = false;        ///< it belongs to this contact
  std::uint64_t contact = 0;
  double value = 0, t = 0;

  explicit operator bool() const { return quantity != nullptr; }
  /// "force[0] = nan at t = 1.5"
  std::string text() const;
};

class Faults {
 public:
  /// From here on: the next fault is the first. Returns the count so far.
  std::int64_t begin() {
    armed_ = true;
    return count_;
  }
  bool since(std::int64_t count) const { return count_ != count; }
  const Fault& first() const { return first_; }
  /// Back to a count that begin() gave: what met the faults since then was rejected.
  void forget(std::int64_t count) { count_ = count, armed_ = true; }
  void note(const Fault& fault);

 private:
  std::int64_t count_ = 0;
  bool armed_ = true;
  Fault first_;
};

/// Whether all n values are finite.
inline bool all_finite(const double* x, std::ptrdiff_t n) {
  double sum = 0;  // 0·x is NaN for infinities and NaNs, and for nothing else
  for (std::ptrdiff_t i = 0; i < n; ++i) sum += 0 * x[i];
  return sum == 0;
}
/// Notes the first of n values that is not finite.
void note_fault(Faults& faults, const char* quantity, double t, const double* x, std::ptrdiff_t n);
inline void check_values(Faults& faults, const char* quantity, double t, const double* x, std::ptrdiff_t n) {
  if (!all_finite(x, n)) note_fault(faults, quantity, t, x, n);
}

}  // namespace saltus

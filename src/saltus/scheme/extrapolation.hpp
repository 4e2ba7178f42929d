// Extrapolation of a one-step scheme (Studer, Leine, Glocker 2008, Sect. 7 to 9.2). The step h is done again
// with n_1, n_2, … substeps of the base scheme, and the results are extrapolated to substeps of length zero,
//
//     T_{i,j+1} = T_ij + (T_ij − T_{i−1,j}) / ((n_i/n_{i−j})^p − 1)                              (42)
//
// on q and u (not on the impulses). p = 1 in general; p = 2 where the base step is symmetric, so that its
// error has even powers of h only (forces without velocities, laws that impress nothing sliding).
//
// Substeps are 1, 3, 5, 7, …: a contact that stays closed maps γ to (−e)ⁿ γ in n substeps. Odd n give all
// T_i1 one sign and |T_ii| < |γ|; the sequence 1, 2, 3, 4, … makes |T_22| = (e + 2e²)|γ| and so on, and
// energy grows. That sequence is here to show it.
//
// All substeps must keep the modes of the laws that held at the start; the four outcomes are those of Table
// II. With Moreau's midpoint rule and forces h(t, q) the order is 2, 2, 4, 4, 6, 6 for 1 to 6 rows, otherwise
// it is the number of rows.
#pragma once
#include <memory>
#include <vector>

#include "saltus/core/fields.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

enum class Substeps : std::uint8_t { odd, all };
inline constexpr std::string_view substep_names[] = {"odd", "all"};
/// n_i, i = 1, 2, …
constexpr int substep_count(Substeps sequence, int i) {
  return sequence == Substeps::odd ? 2 * i - 1 : i;
}

/// Rows T_i1 … T_ii from the first column; rows of any number of values.
class NevilleTableau {
 public:
  void reserve(int rows, int size);
  void clear() { n_.clear(); }
  /// Starts row i = rows() + 1: its T_i1 is to be filled; complete() computes the rest of the row.
  Vec& begin_row(int substeps);
  void complete_row(int power);
  int rows() const { return static_cast<int>(n_.size()); }
  const Vec& operator()(int i, int j) const { return entry_[index(i, j)]; }  ///< i, j from 1

 private:
  static std::size_t index(int i, int j) { return static_cast<std::size_t>(i) * (i - 1) / 2 + j - 1; }
  std::vector<Vec> entry_;
  std::vector<int> n_;
};
/// The same for numbers: rows of the tableau for given T_i1 and n_i.
std::vector<std::vector<double>> neville(std::span<const double> first_column, std::span<const int> substeps,
                                         int power = 1);

struct Extrapolation {
  Substeps substeps = Substeps::odd;
  int power = 1;
  int order = 0;      ///< rows, always; 0: as many as the tolerance asks for
  int max_order = 6;  ///< rows at most, when the tolerance decides
  double atol = 1e-6, rtol = 0;
  double h_min = 0;  ///< no substep is shorter
};

/// success: all substeps kept their modes, and |T_ii − T_{i−1,i−1}| ≤ atol + rtol |T_ii| in q and in u (or
/// the rows of a fixed order are done). inaccurate: modes kept, tolerance missed. detected: a mode changed in
/// a step that could be shorter; there is no result. resolved: a mode changed in a step of minimal length.
enum class Outcome : std::uint8_t { success, inaccurate, detected, resolved };
std::string_view to_string(Outcome outcome);

/// Whether two tangents that slip have turned by more than 90° from one step to another: a reversal.
bool turned(const ContactMemory& a, const ContactMemory::Record& x, const ContactMemory& b,
            const ContactMemory::Record& y);
/// Whether all laws are in the same modes, and none has turned.
bool same_modes(const ContactMemory& a, const ContactMemory& b);

class ExtrapolationStepper final : public Stepper {
 public:
  /// Throws Error for coordinates that cannot be extrapolated (rotations on a manifold).
  ExtrapolationStepper(std::unique_ptr<Stepper> base, const System& system, const Extrapolation& options);

  int order() const override { return options_.order > 0 ? options_.order : options_.max_order; }
  State start(double t, In q, In u) override { return base_->start(t, q, u); }
  /// Extrapolates, or takes one step of the base scheme where a mode changes.
  StepReport take_step(const State& x0, double h, State& x1) override;
  void set_closed_rule(const ClosedRule& rule) override { base_->set_closed_rule(rule); }

  /// One step from x0, whose memory holds the accepted modes. A step too short for a second row is minimal.
  Outcome extrapolate(const State& x0, double h, State& x1, StepReport& report);
  /// One step of the base scheme, whatever the modes do.
  StepReport single(const State& x0, double h, State& x1);
  bool is_minimal(double h) const { return h < shortest_extrapolated() * (1 - 1e-9); }
  double shortest_extrapolated() const { return substep_count(options_.substeps, 2) * options_.h_min; }

  /// Of the last extrapolate(): only h_min kept it from another row.
  bool starved() const { return starved_; }
  long base_steps() const { return base_steps_; }
  /// The last tableau; entries hold q, then u.
  const NevilleTableau& tableau() const { return tableau_; }

 private:
  bool take_row(const State& x0, double h, int n, StepReport& report, bool& switched);
  bool accurate(int i) const;

  std::unique_ptr<Stepper> base_;
  Extrapolation options_;
  int nq_, nu_;
  NevilleTableau tableau_;
  State now_, next_;
  std::vector<double> impulse_;  // summed over the substeps of a row
  bool starved_ = false;
  long base_steps_ = 0;
};

}  // namespace saltus

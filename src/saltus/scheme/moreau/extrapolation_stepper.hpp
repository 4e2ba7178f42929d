// The stepper of extrapolation.hpp and its tableau.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/scheme/moreau/extrapolation.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

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

/// Whether two tangents that slip have turned by more than 90° from one step to another: a reversal.
bool turned(const ContactMemory& a, const ContactMemory::Record& x, const ContactMemory& b,
            const ContactMemory::Record& y);
/// Whether all laws are in the same modes, and none has turned.
bool same_modes(const ContactMemory& a, const ContactMemory& b);

class ExtrapolationStepper final : public Stepper {
 public:
  ExtrapolationStepper(std::unique_ptr<Stepper> base, const System& system, const Extrapolation& options);

  int order() const override { return options_.order > 0 ? options_.order : options_.max_order; }
  State start(double t, In q, In u) override { return base_->start(t, q, u); }
  /// Extrapolates, or makes one step of the base scheme where a mode changes.
  StepReport take_step(const State& x0, double h, State& x1) override;
  bool set_closed_rule(const ClosedRule& rule) override { return base_->set_closed_rule(rule); }
  std::vector<Vec*> kept() override { return base_->kept(); }

  /// One step from x0, whose memory holds the accepted modes. A step too short for a second row is minimal.
  Outcome extrapolate(const State& x0, double h, State& x1, StepReport& report);
  /// One step of the base scheme, whatever the modes do.
  StepReport single(const State& x0, double h, State& x1);
  bool is_minimal(double h) const { return h < shortest_extrapolated() * (1 - 1e-9); }
  double shortest_extrapolated() const { return substep_count(options_.substeps, 2) * options_.h_min; }

  /// Of the last extrapolate(): only h_min kept it from another row.
  bool starved() const { return starved_; }
  /// Of a starved one: the last two rows differ by less than 1e-4 of the velocities, as they do in steps that
  /// are short for the motion. Where a substep is too long for the base scheme to be stable they do not.
  bool converging() const { return converging_; }
  /// Whether one base step and three of a third of its length end alike: positions to the tolerance,
  /// velocities to a tenth.
  bool base_suffices(const State& x0, double h);
  std::int64_t base_steps() const { return base_steps_; }
  /// The last tableau; entries hold q (where configurations are no vectors, the displacement from the start
  /// of the step), then u, then the sums of energy of the report.
  const NevilleTableau& tableau() const { return tableau_; }

 private:
  bool take_row(const State& x0, double h, int n, StepReport& report, bool& switched);
  bool within(const Vec& fine, const Vec& coarse, int at, int n, const NumberList& own_atol,
              double own_rtol) const;
  bool accurate(int i) const;
  bool approach(const Vec& fine, const Vec& coarse, double part) const;

  std::unique_ptr<Stepper> base_;
  const System& system_;
  Extrapolation options_;
  bool flat_;
  int nq_, nu_;  // numbers of the tableau that say where, and velocities
  NevilleTableau tableau_;
  State now_, next_;
  Vec way_, size_;
  std::vector<double> impulse_;  // summed over the substeps of a row
  bool starved_ = false, converging_ = true;
  std::int64_t base_steps_ = 0;
};

}  // namespace saltus

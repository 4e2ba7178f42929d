// Work against precision: what an error costs, in evaluations of the force and in CPU seconds.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/catalog/catalog.hpp"
#include "saltus/study/convergence.hpp"

namespace saltus {

struct WorkRow {
  double value = 0;  ///< of the knob, as given
  TrajectoryError error;
  RunStats stats;  ///< cpu_seconds: the smallest of repeated runs without output and ledger
  RunStatus status = RunStatus::finished;
  std::string message;
};
struct WorkTable {
  Method method;
  Knob knob = Knob::step;
  std::vector<WorkRow> rows;
};

struct WorkOptions {
  bool measure_cpu = true;    ///< false: the CPU time of the one run, which also stores the trajectory
  double cpu_seconds = 0.02;  ///< short runs are repeated until this much was measured
  CompareOptions compare;
};

/// Runs each value in turn; the next is skipped after an interrupt. Throws Error when the problem has no
/// reference.
WorkTable work_precision(const CatalogProblem& problem, const Method& method, Knob knob,
                         std::span<const double> values, const RunControl& control = {},
                         const WorkOptions& options = {});

/// "moreau-jean:theta=0.5,gamma=1, adaptive": what tells the tables of one study apart.
std::string label(const Method& method);
/// For a key: the tableau, or the scheme with what differs from its defaults.
std::string short_label(const Method& method);

/// The norms a comparison shows: q_sup, q_l1, u_l1, u_hausdorff.
std::span<const NormName> work_norms();

/// How many times the evaluations of `b` are needed to reach the errors of `a`: the geometric mean, over the
/// points of `a` within the range of errors of `b`, of work_b / work_a, with work_b on the line fitted
/// through log error over log work. Above 1: `a` is cheaper. NaN where nothing can be compared.
double work_ratio(const WorkTable& a, const WorkTable& b, double TrajectoryError::*norm);

}  // namespace saltus

// What `saltus sweep` is asked for: a target, what varies, what is measured. Points and measures are made and
// checked here; what is wrong with every point is refused before anything runs.
#pragma once
#include "saltus/cli/target.hpp"
#include "saltus/study/sweep.hpp"

namespace saltus::cli {

struct SweepOptions {
  TargetOptions target;
  std::vector<std::string> over, sample, measures, reduce, by;
  std::string h, over_file, points, seed, sampling, output, reduced, figure;
  int threads = 0;
  double progress = 0;  ///< seconds between lines
  bool json = false, resume = false, no_estimate = false;

  void add_to(CLI::App& app);
  /// As if the user had typed it: parameters as -p, fields of a scene as --set, the others as the options of
  /// their name. Without the values of all parameters unless measures use them: a scene is built for those.
  MeasuredCase make_case(const Settings& point, bool with_parameters) const;
  /// Reads --over-file. Throws Error, also for a parameter that cannot be set at any point.
  SweepPoints make_points(std::span<const FieldDescription> parameters) const;
  Measures make_measures(std::span<const FieldDescription> parameters) const;
  /// All that the row of a point depends on, in one line, and all that the table depends on.
  std::string run_identity() const;
  std::string identity(const SweepPoints& points) const;
  bool estimates() const;
  /// Of what a figure shows: parameters know their units, fields of the scene have those of the file, and
  /// measures of the scene those of their formulas.
  std::vector<FieldDescription> units(const SweepPoints& shown, const Measures& measured) const;
};

}  // namespace saltus::cli

// What a run computed, or what a file of results has of one, with arrays that look into its memory.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <optional>

#include "saltus/cli/finished_run.hpp"
#include "saltus/system/sketch.hpp"

namespace saltus::python {

namespace py = pybind11;

class RunData {
 public:
  explicit RunData(cli::FinishedRun&& run);
  /// A file of results.
  explicit RunData(const std::string& file);

  const Trajectory& trajectory() const { return *trajectory_; }
  const std::string& report();  ///< what `saltus run --json` prints, without the events
  const std::vector<std::string>& warnings() const { return result_.warnings; }
  std::string contact_name(std::uint64_t id) const;
  /// Of every sample; NaN where the system has none.
  py::array_t<double> energy();
  /// Empty where there is no picture of the bodies.
  bool sketch(double t, In q, Sketch& out);
  /// The file that `saltus run -o` writes. Throws Error where the run itself was read from a file.
  void save(const std::string& file) const;

  std::string said;          ///< messages on the way
  bool interrupted = false;  ///< by Ctrl-C
  bool success = false;

 private:
  const DynamicSystem* system();

  CatalogProblem problem_;
  std::unique_ptr<Trajectory> trajectory_;
  std::string report_;
  ResultInfo info_;
  SampleNotes notes_;
  RunResult result_;
  std::optional<cli::RunReport> told_;  // of a run, until somebody asks for its text
  std::map<std::uint64_t, std::string> names_;  // of a file
  std::vector<double> energy_;
  bool from_file_ = false;
  std::string no_system_;  // why a file's system cannot be made
};

void bind_run_data(py::module_& m);

}  // namespace saltus::python

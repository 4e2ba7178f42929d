// What commands print: tables for people, one JSON object for machines, CSV for other tools.
#pragma once
#include <optional>
#include <string>

#include "saltus/catalog/catalog.hpp"
#include "saltus/cli/json.hpp"
#include "saltus/run/body_forces.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/scene/complaints.hpp"
#include "saltus/study/convergence.hpp"
#include "saltus/study/error_estimate.hpp"

namespace saltus::cli {

/// What is printed: bytes that are no UTF-8, from an argument or a file, become U+FFFD.
std::string json_text(const Json& json, int indent = 2);
/// Of a scene with its list of complaints.
std::string error_json(const std::string& message, const SceneError* scene = nullptr);

/// A run that went on beyond its first end. Its bits are those of a run to the new end, or of one whose steps
/// end at the old one too.
struct Extension {
  double from = 0, to = 0;
  bool same_bits = false;
};

struct RunReport {
  std::string problem;
  std::vector<FieldDescription> parameters;
  Method method;
  std::vector<std::string> coordinates, velocities;  ///< names; empty where there are none
  RunResult result;
  const System* system = nullptr;           ///< null for other families
  const DynamicSystem* dynamics = nullptr;  ///< names the contacts
  const Trajectory* trajectory = nullptr;
  std::optional<Trajectory> samples;           ///< at times that the user chose
  std::vector<std::vector<BodyForce>> forces;  ///< of each of them, on bodies in space; may be empty
  bool streamed = false;                       ///< the trajectory, with its events, is in a file only
  std::optional<TrajectoryError> error;
  std::string reference_kind, error_note;
  std::optional<Extension> extended;
  std::vector<std::string> files;
  std::string trouble;                                   ///< why a figure that was asked for is missing
  std::vector<std::pair<std::string, double>> measures;  ///< of a scene
  std::optional<ErrorEstimate> estimate;                 ///< of a run by tolerance
  int threads = 0;                                       ///< of the run, where --threads was given
  double wall_seconds = 0;                               ///< and the time it took by the clock
};
Json to_json(const RunReport& report);
std::string to_text(const RunReport& report);

Json to_json(const std::string& problem, const std::vector<FieldDescription>& parameters,
             const ConvergenceTable& table);
std::string to_text(const std::string& problem, const ConvergenceTable& table);

Json error_json(const TrajectoryError& error);
std::string error_text(const TrajectoryError& error);
Json describe_json(const std::vector<FieldDescription>& fields);
Json parameters_json(const std::vector<FieldDescription>& fields);

}  // namespace saltus::cli

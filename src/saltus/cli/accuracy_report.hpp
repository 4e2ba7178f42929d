// Numbers with their error bars, as text and as JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "saltus/run/outcome.hpp"
#include "saltus/study/error_estimate.hpp"

namespace saltus::cli {

/// "0.2607417283 ± 4e-10": the digits that the bar leaves, and the bar rounded up to one digit. Without a bar
/// (zero: exact) ten digits; "0.3 (no digit is known)" where it is NaN.
std::string with_bar(double value, double bar);

/// Lines of a report: final coordinates and velocities, norms, event times.
std::string accuracy_text(const ErrorEstimate& estimate, const State& final,
                          std::span<const std::string> coordinates, std::span<const std::string> velocities);
nlohmann::ordered_json to_json(const ErrorEstimate& estimate, std::span<const std::string> measures);

}  // namespace saltus::cli

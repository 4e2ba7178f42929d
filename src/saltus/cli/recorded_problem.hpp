// The problem that a file of results was computed from, made again from what the file says.
#pragma once
#include "saltus/catalog/catalog.hpp"
#include "saltus/result/result.hpp"

namespace saltus::cli {

CatalogProblem recorded_problem(const ResultInfo& info);
/// The parameters that were given when it was computed.
Settings settings_of(const ResultInfo& info);

}  // namespace saltus::cli

#include "saltus/result/same_run.hpp"

#include <tuple>

#include "saltus/core/error.hpp"

namespace saltus {

ResultInfo check_same_run(const std::string& file_name, const ResultInfo& info) {
  ResultInfo there;
  try {
    there = read_result_info(file_name);
  } catch (const Error& e) {
    fail("{}; give -o another name for the rest", e.what());
  }
  for (const auto& [what, a, b] : {std::tuple{"problem", &there.problem, &info.problem},
                                   {"parameters", &there.given, &info.given},
                                   {"scene", &there.scene, &info.scene},
                                   {"changes to the scene", &there.changes, &info.changes},
                                   {"scheme", &there.scheme, &info.scheme},
                                   {"stepping", &there.stepping, &info.stepping},
                                   {"solver", &there.solver, &info.solver}})
    if (*a != *b)
      fail("'{}' is not the file that the run wrote, its {} is another; give -o another name for the rest",
           file_name, what);
  const bool extended =
      there.t_end >= info.extends && there.t_end <= info.t_end;  // perhaps not for the first time
  if ((there.t_end != info.t_end && !extended) || there.every != info.every)
    fail(
        "'{}' is not the file that the run wrote, its end time or thinning is another; give -o another "
        "name "
        "for the rest",
        file_name);
  return there;
}

}  // namespace saltus

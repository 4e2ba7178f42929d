// The two formats behind read_friction_problem and write_friction_problem, and what both check.
#pragma once
#include "saltus/contact/file/friction_problem.hpp"
#include "saltus/core/error.hpp"

namespace saltus::detail {

FrictionProblem read_fcp(const std::string& file);
void write_fcp(const std::string& file, const FrictionProblem& problem);
FrictionProblem read_fclib(const std::string& file);
void write_fclib(const std::string& file, const FrictionProblem& problem);

/// [[noreturn]] "FILE: FIELD: …"
template <class... Args>
[[noreturn]] void fail_in(const std::string& file, std::string_view field, fmt::format_string<Args...> text,
                          Args&&... args) {
  fail("{}: {}: {}", file, field, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace saltus::detail

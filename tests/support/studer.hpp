// Golden values for the paper of Studer, Leine and Glocker (tests/data/studer.json): tolerances are written
// {"abs": …, "rel": …} or {"min": …, "max": …}, values and lists of values alike.
#pragma once
#include "support/golden.hpp"

namespace saltus::testing {

inline const Json& studer(const std::string& id) {
  return golden(id, "studer.json");
}

inline void flatten(const Json& j, std::vector<double>& out) {
  if (j.is_array())
    for (const auto& x : j) flatten(x, out);
  else
    out.push_back(j.get<double>());
}
inline std::vector<double> numbers(const Json& j) {
  std::vector<double> out;
  flatten(j, out);
  return out;
}

/// Each value within the tolerance of the entry.
inline void expect_studer(const std::string& id, const std::vector<double>& values) {
  const Json& entry = studer(id);
  const std::vector<double> expected = numbers(entry["expected"]);
  ASSERT_EQ(values.size(), expected.size()) << entry["id"];
  const Json& t = entry["tolerance"];
  const auto bound = [&](const char* key, std::size_t k, double none) {
    if (!t.contains(key)) return none;
    return t[key].is_array() ? t[key][k].get<double>() : t[key].get<double>();
  };
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (t.contains("min") || t.contains("max")) {
      EXPECT_GE(values[k], bound("min", k, -HUGE_VAL)) << entry["id"] << " " << k;
      EXPECT_LE(values[k], bound("max", k, HUGE_VAL)) << entry["id"] << " " << k;
    } else {
      ASSERT_TRUE(t.contains("abs") || t.contains("rel") || t.contains("exact")) << entry["id"];
      EXPECT_NEAR(values[k], expected[k], bound("abs", k, 0) + bound("rel", k, 0) * std::abs(expected[k]))
          << entry["id"] << " " << k;
    }
  }
}

}  // namespace saltus::testing

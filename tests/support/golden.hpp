// Reference values made by independent prototypes, tests/data/*.json: find an entry by id, and check a value
// against the tolerance the entry carries.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace saltus::testing {

using Json = nlohmann::json;

/// The path of a file in tests/data, and of one in tests.
std::string test_data(const std::string& name);
std::string test_file(const std::string& name);

const Json& golden_file(const std::string& name);
const Json& golden(const std::string& id, const std::string& file = "acary.json");
std::vector<std::string> golden_ids(const std::string& prefix, const std::string& file = "acary.json");

/// |x − e| within the entry's tolerance (abs, rel or mixed).
void expect_golden(const Json& entry, double x, double expected, const std::string& what = {});

}  // namespace saltus::testing

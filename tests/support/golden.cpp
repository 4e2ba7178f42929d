#include "support/golden.hpp"

#include <fstream>
#include <map>

namespace saltus::testing {

std::string test_data(const std::string& name) {
  return test_file("data/" + name);
}
std::string test_file(const std::string& name) {
  return std::string(SALTUS_TESTS) + "/" + name;
}

const Json& golden_file(const std::string& name) {
  static std::map<std::string, Json> files;
  auto it = files.find(name);
  if (it == files.end()) {
    std::ifstream in(test_data(name));
    if (!in) throw std::runtime_error("missing test data " + name);
    it = files.emplace(name, Json::parse(in)).first;
  }
  return it->second;
}

const Json& golden(const std::string& id, const std::string& file) {
  for (const auto& g : golden_file(file)["golden"])
    if (g["id"] == id) return g;
  throw std::runtime_error("no golden value " + id);
}

std::vector<std::string> golden_ids(const std::string& prefix, const std::string& file) {
  std::vector<std::string> out;
  for (const auto& g : golden_file(file)["golden"])
    if (const std::string id = g["id"]; id.rfind(prefix, 0) == 0) out.push_back(id);
  return out;
}

void expect_golden(const Json& entry, double x, double expected, const std::string& what) {
  const auto& t = entry["tolerance"];
  const std::string kind = t["kind"];
  double allowed = 0;
  if (kind == "abs")
    allowed = t["value"];
  else if (kind == "rel")
    allowed = t["value"].get<double>() * std::abs(expected);
  else if (kind == "mixed")
    allowed = t["value"]["abs"].get<double>() + t["value"]["rel"].get<double>() * std::abs(expected);
  else
    FAIL() << "unexpected tolerance kind " << kind;
  EXPECT_NEAR(x, expected, allowed) << entry["id"] << " " << what;
}

}  // namespace saltus::testing

// The committed list of wrong outcomes that are known and wait for their repair,
// tests/mechanisms/known_classes.txt.
#pragma once
#include <string>
#include <vector>

#include "mechanisms/trial.hpp"

namespace saltus::mechanisms {

/// One line: which findings it means. An empty list means any.
struct KnownClass {
  std::string name, reason;
  std::vector<std::string> judges, schemes, steppings, kinds;
  std::vector<std::string> features;  ///< all of them are needed; "!word": must not be there
  bool matches(const Finding& f) const;
};
/// Throws Error naming the line that is not understood.
std::vector<KnownClass> read_known_classes(const std::string& file);
/// The first that matches, or nothing.
const KnownClass* find_class(const std::vector<KnownClass>& classes, const Finding& f);

}  // namespace saltus::mechanisms

// The parser of YAML. The library has one implementation, yaml.cpp with yaml-cpp; a build without that
// library defines the function itself.
#pragma once
#include <string>
#include <string_view>

#include "saltus/scene/tree_builder.hpp"

namespace saltus {

/// Thrown where the text is not YAML.
struct YamlTrouble {
  Place place;
  std::string message;
};

/// Tells the builder what is in the text. Passes on what the builder throws.
void parse_yaml(std::string_view text, TreeBuilder& builder);

}  // namespace saltus

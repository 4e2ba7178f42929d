// `saltus reproduce` is parsed here and done by the program saltus-reproduce (reproduce/command.cpp).
#pragma once
#include <string>

#include "saltus/cli/console.hpp"

namespace saltus::cli {

struct ReproduceOptions {
  std::string what, out = "out/reproduce";
  bool list = false, json = false;
};

/// Computes the studies; null in the program saltus, which starts saltus-reproduce instead.
inline int (*reproduce_here)(const ReproduceOptions&, Console&) = nullptr;

}  // namespace saltus::cli

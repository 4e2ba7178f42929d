// One HTML file that plays a run, with its report if wanted: complete in itself, nothing is loaded or sent.
#pragma once
#include <string>

#include "saltus/cli/report.hpp"
#include "saltus/picture/drawing.hpp"

namespace saltus::cli {

struct PlayedRun {
  std::string title, subtitle;
  const Problem& problem;
  const Trajectory& trajectory;
  const Drawing* drawing = nullptr;   ///< null: bodies, or the automatic picture
  Json events = Json::array();        ///< as in the report
  const RunReport* report = nullptr;  ///< null: the motion alone
  int frames = 600;
};
std::string html_page(const PlayedRun& run);

/// So many random letters and digits, from the operating system.
std::string random_letters(int count);

}  // namespace saltus::cli

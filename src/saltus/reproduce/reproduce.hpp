// Published claims, run again: each study computes what a figure, lemma or theorem of a paper says, writes
// its data and a picture, and gives a verdict per claim with the measured number. Claims that do not hold as
// printed are kept, marked as such, beside what holds instead.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/figure/figure.hpp"

namespace saltus {

struct Claim {
  std::string text;
  bool should_hold = true;  ///< false: the paper says so, and it is not so
  bool holds = false;
  std::string measured;

  bool as_expected() const { return holds == should_hold; }
};
std::string_view verdict(
    const Claim& claim);  ///< "holds", "fails as expected", "FAILS", "HOLDS unexpectedly"

struct Artifact {
  std::string file, what;
};

/// What a study leaves behind; it also writes the files, all in one folder.
class Findings {
 public:
  explicit Findings(std::string folder) : folder_(std::move(folder)) {}

  void claim(std::string text, bool holds, std::string measured);
  /// A claim of the paper that does not hold as printed.
  void refuted(std::string text, bool holds, std::string measured);
  /// NAME.csv: one header line, then rows of text. Throws Error when it cannot be written.
  void csv(const std::string& name, const std::string& header, const std::vector<std::string>& rows);
  /// NAME.svg, a picture that is ready. Throws Error when it cannot be written.
  void picture(const std::string& name, const std::string& svg);
  /// NAME.svg; without gnuplot there is none, and `trouble` says so.
  void figure(const std::string& name, std::span<const Panel> panels);

  std::vector<Claim> claims;
  std::vector<Artifact> files;
  std::string trouble;
  bool as_expected() const;

 private:
  std::string folder_;
};

struct Study {
  std::string paper, item, title;
  void (*run)(Findings& findings) = nullptr;

  std::string id() const { return paper + "/" + item; }
};
const std::vector<Study>& studies();
/// "" for all, a paper, or a paper/item; throws Error with the known names.
std::vector<Study> find_studies(std::string_view name);
/// Runs it with its files in out/PAPER, making the folder.
Findings run_study(const Study& study, const std::string& out);

}  // namespace saltus

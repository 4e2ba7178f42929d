// What the reference method finds at several step sizes: the end of the motion, and how much it depends on
// the grid. Grids of unlike steps move every impact within its step, so their spread is an estimate of the
// error that includes the sensitivity of the motion. Where the spread does not become small, the motion is
// chaotic, grazing or not unique, and no method can be compared with another.
#pragma once
#include <map>
#include <optional>

#include "mechanisms/trace.hpp"

namespace saltus::mechanisms {

class Consensus {
 public:
  explicit Consensus(const Case& c) : case_(c) {}
  struct Level {
    Vec q;
    double spread = 0;  ///< relative to the length of the scene
    /// A body is hit while another of its contacts touches, and one of the two has e > 0. Then impacts at
    /// once and impacts one after the other have different outcomes, and which it is hangs on the last digits
    /// of a gap.
    bool clustered = false;
  };
  /// With steps h/factor; nothing where the reference does not finish.
  const std::optional<Level>& level(double factor);
  /// The distance of a run's end from that level.
  std::optional<double> distance(const Trace& t, double factor);

 private:
  const Case& case_;
  std::map<double, std::optional<Level>> levels_;
};

}  // namespace saltus::mechanisms

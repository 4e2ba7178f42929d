// Pictures of a run that move: at a sample its bodies and what its contacts did since the sample before, for
// whoever draws or writes them.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "saltus/run/trajectory.hpp"
#include "saltus/system/sketch.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

/// A contact that acted: its point, and its impulse on the first of its bodies.
struct ContactAct {
  std::uint64_t contact = 0;
  double x = 0, y = 0, z = 0, Px = 0, Py = 0, Pz = 0;  ///< P / dt: the mean force over the time of the frame
  int mode = 0, body = 0;  ///< the body by its place in the sketch: rounds, polygons; or solids
};

struct RunFrame {
  double t = 0, dt = 0;  ///< dt: since the frame before, 0 in the first
  Vec q, u;
  bool has_sketch = false;           ///< false: the system has no picture of its bodies
  Sketch sketch;                     ///< of its bodies
  std::vector<ContactAct> contacts;  ///< with a sketch, by increasing id
  Vec impulse;                       ///< without one: of all contacts, on each velocity
};

/// The frames of a trajectory, in the order of its samples.
class RunFrames {
 public:
  /// `system` null: a family without bodies, a chain or an ODAE. Both must outlive this.
  RunFrames(const System* system, const Trajectory& trajectory)
      : system_(system), work_(system ? system->make_workspace() : nullptr), tr_(trajectory) {}

  /// The frame of sample i, with all that contacts did after time `since`. Throws Error when the trajectory
  /// is of another system.
  const RunFrame& at(int i, double since);
  /// Contacts that acted before a frame and are not near any more: they are in none.
  std::int64_t lost() const { return lost_; }

 private:
  template <class F>
  void each_atom(double t, F&& f);
  void find_acts();
  void find_acts_in_space();

  const System* system_;
  std::unique_ptr<Workspace> work_;
  const Trajectory& tr_;
  RunFrame frame_;
  ContactSet set_;
  std::size_t next_ = 0;
  std::int64_t lost_ = 0;
  struct RowsOf {
    int first, count;
  };
  std::unordered_map<std::uint64_t, RowsOf> rows_;
};

}  // namespace saltus

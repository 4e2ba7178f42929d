// A run as a picture that moves: shapes, and numbers that place them in each frame. Places and orientations
// are those of space, so that bodies of the plane and of space have one format.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "saltus/picture/drawing.hpp"
#include "saltus/run/problem.hpp"
#include "saltus/run/trajectory.hpp"

namespace saltus {

struct MovingPicture {
  /// Rigid shapes (round, polygon, wall; sphere … plane) have ten numbers a frame: x y z, a unit quaternion x
  /// y z w, and the velocity x y z. A wall is the line through its place along its own x axis, without end.
  /// Dots have three numbers, paths and springs three for each place, texts three and a value if they are
  /// `valued`.
  enum class Kind : std::uint8_t {
    round,
    polygon,
    wall,
    dot,
    path,
    spring,
    text,
    sphere,
    capsule,
    cylinder,
    polytope,
    plane
  };
  struct Shape {
    Kind kind = Kind::dot;
    std::string name, text;
    int first = 0, count = 0;  ///< its numbers in a frame
    double radius = 0;
    std::vector<std::array<double, 2>> points;   ///< of a polygon, about its place
    double half = 0;                             ///< of capsules and cylinders, along their third axis
    std::vector<std::array<double, 3>> corners;  ///< of a polytope, about its place, and its faces
    std::vector<std::vector<int>> faces;
    int colour = 0;  ///< < 0: outline only
    bool moves = false, trail = false, valued = false;
  };
  static constexpr int rigid_numbers = 10, act_numbers = 8;

  std::vector<Shape> shapes;
  int width = 0;              ///< numbers of a frame
  std::vector<double> t;      ///< of the frames; twice at an impact: the limits from left and right
  std::vector<float> values;  ///< width numbers for each frame
  /// Contacts of frame i, the mean over the time since the frame before; at the right limit of an impact what
  /// it exchanged at once: acts[act_start[i]] … acts[act_start[i + 1] − 1], each x y z, impulse x y z, its
  /// mode, and the time over which the impulse acted.
  std::vector<std::int32_t> act_start;
  std::vector<float> acts;
  /// A large force between impacts, and a large impulse of a right limit: arrows have two scales, since both
  /// as forces would leave weights invisible beside impacts.
  double force = 0, impulse = 0;
  double box[4] = {0, 0, 1, 1};  ///< x0, y0, x1, y1 of what moves and of what is finite
  double depth[2] = {0, 0};      ///< z0, z1
  bool in_space = false;         ///< bodies of space: z is upwards; else all is seen along z
  std::string note;              ///< what is not to scale
  std::int64_t events_left_out = 0;

  int frames() const { return static_cast<int>(t.size()); }
  const float* frame(int i) const { return values.data() + static_cast<std::size_t>(i) * width; }
};

struct PictureOptions {
  int frames = 600;  ///< at equal times; those of impacts come on top
  int impacts = 400;
  std::size_t numbers = 12'000'000;  ///< at most; fewer frames otherwise
};

/// `drawing` null: bodies, or the automatic picture. Names of coordinates are those of the problem.
MovingPicture motion_of(const Problem& problem, const Trajectory& trajectory, const Drawing* drawing,
                        const PictureOptions& options = {});

/// The frames' times: equal ones and, between them, those of the strongest impacts.
std::vector<double> frame_times(const Trajectory& trajectory, int equal, int impacts, std::int64_t& left_out);

/// Shapes and numbers of a system without bodies and drawing; appended to a motion that has its times.
void add_automatic(const Problem& problem, const Trajectory& frames, MovingPicture& out);

/// The name of a coordinate: that of the problem, else q[k].
std::string coordinate_name(const Problem& problem, int k);

}  // namespace saltus

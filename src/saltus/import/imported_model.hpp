// Bodies and joints of a model that another program has written, at its start, in inertial axes.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "saltus/spatial/space_shape.hpp"

namespace saltus {

struct ImportedPart {
  std::string name, shape;  ///< as a scene calls it: box, sphere, cylinder, capsule, ellipsoid, hull
  Vec3 size{0, 0, 0};       ///< of a box; radii of an ellipsoid
  double radius = 0, height = 0;
  std::vector<Vec3> points;
  Vec3 position{0, 0, 0};  ///< from the centre of mass
  Mat3 turn = Mat3::Identity();
};

struct ImportedBody {
  std::string name;
  double mass = 0;
  Mat3 inertia = Mat3::Zero();  ///< about the centre of mass, in the frame of the body
  Vec3 position{0, 0, 0};       ///< of the centre of mass
  Mat3 turn = Mat3::Identity();
  std::vector<ImportedPart> parts;
  bool fixed = false, touches = true;
  std::string group = "model",
              material;  ///< bodies of one group do not touch each other; empty: none, default
};

struct ImportedWall {
  std::string name, material;
  Vec3 point{0, 0, 0}, normal{0, 0, 1};
};

struct ImportedJoint {
  std::string name, type, a, b;  ///< as in a scene: a is the body that the coordinate moves; b empty: ground
  Vec3 at{0, 0, 0}, axis{0, 0, 1};
  double start = 0, damping = 0, friction = 0, stiffness = 0, rest = 0;
  std::optional<std::pair<double, double>> limits;
  std::string coordinate() const { return type == "slider" ? "shift" : "angle"; }
};

struct ImportedGear {
  std::string name, driver, driven;  ///< joints
  double ratio = 1;
};

struct ImportedModel {
  std::string name;
  std::vector<ImportedBody> bodies;
  std::vector<ImportedJoint> joints;
  std::vector<ImportedGear> gears;
  std::vector<ImportedWall> walls;
  std::map<std::string, double> friction;  ///< of materials
  std::optional<Vec3> gravity;
  std::vector<std::string> notes;     ///< what the scene does not have, but moves without
  std::vector<std::string> troubles;  ///< what changes the motion
};

/// The bytes of a file that a model names. Throws Error.
using ReadModelFile = std::function<std::string(const std::string& name)>;

struct ImportOptions {
  bool fixed_base = false;  ///< the first link does not move
};

/// Throws Error with the line where the text is no such model.
ImportedModel read_urdf(const std::string& text, const std::string& file, const ReadModelFile& read,
                        const ImportOptions& options);
ImportedModel read_mjcf(const std::string& text, const std::string& file, const ReadModelFile& read,
                        const ImportOptions& options);
/// A scene with a body made of a mesh: a hull that falls, or an obstacle.
std::string scene_of_mesh(const std::string& name, const std::string& bytes, bool obstacle, double scale,
                          double density);
/// As the text of a scene.
std::string scene_of(const ImportedModel& model, double t_end);

}  // namespace saltus

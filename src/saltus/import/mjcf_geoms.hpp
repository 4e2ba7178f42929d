// Shapes of MJCF models: geometry, weight and friction of a <geom>.
#pragma once
#include "saltus/import/mjcf_tree.hpp"

namespace saltus {

class MjcfGeoms : public MjcfTree {
 public:
  using MjcfTree::MjcfTree;

 protected:
  struct Geom {
    std::string name;
    ModelPose at;                                      // in space
    bool wall = false, solid = false, touches = true;  // neither wall nor solid: it has no shape that is read
    int type = 1, affinity = 1;                        // bits that meet
    ImportedPart part;
  };
  Geom geom(const Element* e, const ModelPose& frame, const std::string& inherited);
  /// As seen from its body, at the pose `at` there.
  MassProperties weight(const Element* e, const Geom& g, const ModelPose& at,
                        const std::string& inherited) const;
  /// Name of the material with its sliding friction.
  std::string material(const Element* e, const std::string& inherited);
  const std::map<std::string, double>& materials() const { return materials_; }
  /// Cylinders and ellipsoids touch spheres and planes only: those that may meet others become hulls.
  void make_prisms(ImportedModel& model);

 private:
  struct Mesh {
    const Element* element = nullptr;
    std::vector<Vec3> points;  // of its hull
    std::string wrong;         // why it cannot be read
  };
  const Mesh& mesh(const Element* geom, const std::string& name);
  void set_sizes(const Element* e, const std::string& kind, Geom& g, const std::string& inherited);

  std::map<std::string, double> materials_;
  std::map<double, std::string> by_friction_;
  std::map<std::string, Mesh> meshes_;
  bool meshes_known_ = false;
};

}  // namespace saltus

// The elements of an MJCF model with included files in their places, and their attributes with the defaults
// of their classes.
#pragma once
#include <optional>

#include "saltus/import/model_xml.hpp"

namespace saltus {

class MjcfTree : public ModelXml {
 public:
  MjcfTree(const std::string& text, const std::string& file, const ReadModelFile& read,
           const ImportOptions& options);

 protected:
  /// The elements below one (all when `name` is empty), those of included files too.
  std::vector<const Element*> children(const Element* e, std::string_view name = {});
  /// The sections of the model with this name, in their order.
  std::vector<const Element*> sections(std::string_view name) { return children(root_, name); }

  /// An attribute of an element, else of its class or the class `inherited`, else of what that class derives
  /// from.
  const char* attribute(const Element* e, const char* name, const std::string& inherited) const;
  std::vector<double> values(const Element* e, const char* name, const std::string& inherited) const;
  double number(const Element* e, const char* name, const std::string& inherited, double missing) const;
  Vec3 vector(const Element* e, const char* name, const std::string& inherited, const Vec3& missing) const;
  std::string word(const Element* e, const char* name, const std::string& inherited,
                   const char* missing) const;
  /// pos and one of quat, axisangle, euler, xyaxes, zaxis.
  ModelPose pose(const Element* e, const std::string& inherited) const;

  double angle_unit_ = 3.14159265358979323846 / 180;
  std::string mesh_folder_, model_name_;
  bool autolimits_ = true;

 private:
  struct Class {
    std::string parent;
    std::map<std::string, const Element*> elements;  // by their names
  };
  void read_compiler();
  void read_classes(const Element* e, const std::string& parent);
  Mat3 turn(const Element* e, const std::string& inherited) const;
  Mat3 euler(const std::vector<double>& angles) const;

  const Element* root_ = nullptr;
  std::map<std::string, Class> classes_;
  std::map<const Element*, const Element*> included_;  // an <include>, and the root of its file
  std::string sequence_ = "xyz", top_class_ = "main";
  int depth_ = 0;
};

}  // namespace saltus

// What readers of robot models in XML share: numbers and names with the line in every message, lists of what
// was not taken over, meshes.
#pragma once
#include <tinyxml2.h>

#include <map>
#include <memory>
#include <set>

#include "saltus/core/error.hpp"
#include "saltus/import/imported_model.hpp"

namespace saltus {

struct ModelPose {
  Vec3 x{0, 0, 0};
  Mat3 R = Mat3::Identity();
  ModelPose operator*(const ModelPose& b) const { return {x + R * b.x, R * b.R}; }
};

class ModelXml {
 protected:
  using Element = tinyxml2::XMLElement;

  ModelXml(const ReadModelFile& read, const ImportOptions& options) : read_(read), options_(options) {}
  /// Parses the text of a file; throws Error with its line.
  const tinyxml2::XMLDocument& parse(const std::string& text, const std::string& file);

  std::string place(const Element* e) const;  ///< file and line
  [[noreturn]] void refuse(const Element* e, const std::string& message) const;
  void note(const Element* e, const std::string& message);  ///< once
  void trouble(const Element* e, const std::string& message);
  /// Of an attribute: `text` in the element e.
  std::vector<double> numbers(const Element* e, const char* name, const std::string& text) const;
  /// A name that scenes take, and nobody else has.
  std::string plain(const std::string& name);
  /// Corners of the hull of an STL or OBJ file. Throws Error.
  std::vector<Vec3> hull_of_file(const std::string& name, const Vec3& scale) const;

  ImportedModel out_;
  const ReadModelFile& read_;
  ImportOptions options_;

 private:
  std::vector<std::unique_ptr<tinyxml2::XMLDocument>> documents_;
  std::map<const tinyxml2::XMLDocument*, std::string> files_;
  std::set<std::string> noted_, names_;
};

}  // namespace saltus

#include "saltus/import/model_xml.hpp"

#include <algorithm>

#include "saltus/core/port.hpp"
#include "saltus/spatial/triangle_mesh.hpp"

namespace saltus {

const tinyxml2::XMLDocument& ModelXml::parse(const std::string& text, const std::string& file) {
  auto& document = *documents_.emplace_back(std::make_unique<tinyxml2::XMLDocument>());
  files_[&document] = file;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
    fail("{}:{}: {}", file, document.ErrorLineNum(), document.ErrorStr());
  return document;
}

std::string ModelXml::place(const Element* e) const {
  return fmt::format("{}:{}", files_.at(e->GetDocument()), e->GetLineNum());
}
void ModelXml::refuse(const Element* e, const std::string& message) const {
  fail("{}: <{}>: {}", place(e), e->Name(), message);
}
void ModelXml::note(const Element* e, const std::string& message) {
  if (noted_.insert(message).second) out_.notes.push_back(fmt::format("{}: {}", place(e), message));
}
void ModelXml::trouble(const Element* e, const std::string& message) {
  out_.troubles.push_back(fmt::format("{}: {}", place(e), message));
}

std::vector<double> ModelXml::numbers(const Element* e, const char* name, const std::string& text) const {
  std::vector<double> out;
  for (const char *p = text.data(), *end = p + text.size(); p < end;) {
    if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') {
      ++p;
      continue;
    }
    if (*p == '+') ++p;
    double x = 0;
    const auto [next, error] = port::from_chars(p, end, x);
    if (error != std::errc() || !std::isfinite(x))
      refuse(e, fmt::format("{}=\"{}\" has no number", name, text));
    out.push_back(x), p = next;
  }
  return out;
}

std::string ModelXml::plain(const std::string& name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out = "_" + out;
  if (out == "ground") out = "ground_link";
  std::string free = out;
  for (int k = 2; !names_.insert(free).second; ++k) free = fmt::format("{}_{}", out, k);
  return free;
}

std::vector<Vec3> ModelXml::hull_of_file(const std::string& name, const Vec3& scale) const {
  const std::string bytes = read_(name);
  std::string end = name.substr(std::min(name.rfind('.'), name.size()));
  std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) { return std::tolower(c); });
  if (end != ".stl" && end != ".obj") fail("meshes are read from .stl and .obj files");
  TriangleMesh mesh = end == ".stl" ? read_stl(bytes) : read_obj(bytes);
  for (Vec3& v : mesh.vertices) v = v.cwiseProduct(scale);
  return hull_of(mesh.vertices).vertices;
}

}  // namespace saltus

#include "saltus/import/mjcf_tree.hpp"

#include <algorithm>

namespace saltus {

MjcfTree::MjcfTree(const std::string& text, const std::string& file, const ReadModelFile& read,
                   const ImportOptions& options)
    : ModelXml(read, options) {
  root_ = parse(text, file).FirstChildElement("mujoco");
  if (!root_) fail("{}: no <mujoco>: this is no MJCF", file);
  model_name_ = root_->Attribute("model") ? root_->Attribute("model") : file;
  read_compiler();
  for (const Element* e : sections("default")) {
    if (e->Attribute("class")) top_class_ = e->Attribute("class");
    read_classes(e, "");
  }
}

std::vector<const ModelXml::Element*> MjcfTree::children(const Element* e, std::string_view name) {
  constexpr int deepest = 32;
  std::vector<const Element*> out;
  for (const Element* c = e->FirstChildElement(); c; c = c->NextSiblingElement()) {
    if (c->Name() != std::string_view("include")) {
      if (name.empty() || c->Name() == name) out.push_back(c);
      continue;
    }
    const Element*& inside = included_[c];
    if (!inside) {
      const char* file = c->Attribute("file");
      if (!file) refuse(c, "the attribute file is missing");
      if (depth_ > deepest) refuse(c, fmt::format("{} is included by itself", file));
      std::string text;
      try {
        text = read_(file);
      } catch (const Error& error) {
        refuse(c, fmt::format("{}: {}", file, error.what()));
      }
      inside = parse(text, file).RootElement();
      if (!inside) refuse(c, fmt::format("{} is empty", file));
    }
    ++depth_;
    const auto more = children(inside, name);
    --depth_;
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

void MjcfTree::read_compiler() {
  for (const Element* e : sections("compiler")) {
    const auto text = [&](const char* name) {
      return e->Attribute(name) ? std::string(e->Attribute(name)) : "";
    };
    if (text("angle") == "radian") angle_unit_ = 1;
    if (e->Attribute("eulerseq")) sequence_ = text("eulerseq");
    if (sequence_.size() != 3 || sequence_.find_first_not_of("xyzXYZ") != std::string::npos)
      refuse(e, fmt::format("eulerseq=\"{}\" are no three axes", sequence_));
    if (e->Attribute("meshdir") || e->Attribute("assetdir"))
      mesh_folder_ = e->Attribute("meshdir") ? text("meshdir") : text("assetdir");
    if (text("autolimits") == "false") autolimits_ = false;
    if (text("coordinate") == "global")
      refuse(e, "coordinate=\"global\" is not read; MuJoCo has given it up, too");
    for (const char* changes :
         {"settotalmass", "inertiafromgeom", "boundmass", "boundinertia", "balanceinertia"})
      if (const std::string x = text(changes);
          !x.empty() && x != "auto" && x != "0" && x != "-1" && x != "false")
        trouble(e, fmt::format("{}=\"{}\" of the compiler", changes, x));
  }
}

void MjcfTree::read_classes(const Element* e, const std::string& parent) {
  std::string name = e->Attribute("class") ? e->Attribute("class") : "";
  if (name.empty()) name = top_class_;
  classes_[name].parent = parent;
  for (const Element* c : children(e)) {
    if (c->Name() == std::string_view("default"))
      read_classes(c, name);
    else
      classes_[name].elements[c->Name()] = c;
  }
}

const char* MjcfTree::attribute(const Element* e, const char* name, const std::string& inherited) const {
  if (const char* own = e->Attribute(name)) return own;
  std::string at = e->Attribute("class") ? e->Attribute("class") : inherited.empty() ? top_class_ : inherited;
  if (e->Attribute("class") && !classes_.count(at)) refuse(e, fmt::format("no class '{}'", at));
  for (int k = 0; k < 100; ++k) {
    const auto found = classes_.find(at);
    if (found == classes_.end()) return nullptr;
    if (const auto x = found->second.elements.find(e->Name()); x != found->second.elements.end())
      if (const char* text = x->second->Attribute(name)) return text;
    if (found->second.parent.empty()) return nullptr;
    at = found->second.parent;
  }
  return nullptr;
}

std::vector<double> MjcfTree::values(const Element* e, const char* name, const std::string& inherited) const {
  const char* text = attribute(e, name, inherited);
  return text ? numbers(e, name, text) : std::vector<double>();
}

double MjcfTree::number(const Element* e, const char* name, const std::string& inherited,
                        double missing) const {
  const auto x = values(e, name, inherited);
  return x.empty() ? missing : x[0];
}

Vec3 MjcfTree::vector(const Element* e, const char* name, const std::string& inherited,
                      const Vec3& missing) const {
  const auto x = values(e, name, inherited);
  if (x.empty()) return missing;
  if (x.size() != 3) refuse(e, fmt::format("{} has {} numbers, expected 3", name, x.size()));
  return {x[0], x[1], x[2]};
}

std::string MjcfTree::word(const Element* e, const char* name, const std::string& inherited,
                           const char* missing) const {
  const char* text = attribute(e, name, inherited);
  return text ? text : missing;
}

ModelPose MjcfTree::pose(const Element* e, const std::string& inherited) const {
  return {vector(e, "pos", inherited, Vec3::Zero()), turn(e, inherited)};
}

// Small letters: axes that turn along; capital ones: fixed axes.
Mat3 MjcfTree::euler(const std::vector<double>& angles) const {
  Mat3 R = Mat3::Identity();
  for (int k = 0; k < 3; ++k) {
    const char axis = sequence_[k];
    const bool along = axis >= 'x';
    const Mat3 next = rotation_exp(angle_unit_ * angles[k] * Vec3::Unit(axis - (along ? 'x' : 'X'))).matrix();
    R = along ? Mat3(R * next) : Mat3(next * R);
  }
  return R;
}

Mat3 MjcfTree::turn(const Element* e, const std::string& inherited) const {
  const auto get = [&](const char* name, std::size_t count) {
    auto x = values(e, name, inherited);
    if (!x.empty() && x.size() != count)
      refuse(e, fmt::format("{} has {} numbers, expected {}", name, x.size(), count));
    return x;
  };
  const auto direction = [&](const Vec3& v, const char* name) {
    if (!(v.norm() > 0)) refuse(e, fmt::format("{} has the length zero", name));
    return Vec3(v / v.norm());
  };
  if (const auto q = get("quat", 4); !q.empty()) {
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 0)) refuse(e, "quat has the length zero");
    return Rotation{q[0] / length, {q[1] / length, q[2] / length, q[3] / length}}.matrix();
  }
  if (const auto a = get("axisangle", 4); !a.empty())
    return rotation_exp(angle_unit_ * a[3] * direction({a[0], a[1], a[2]}, "axisangle")).matrix();
  if (const auto a = get("euler", 3); !a.empty()) return euler(a);
  if (const auto a = get("xyaxes", 6); !a.empty()) {
    const Vec3 x = direction({a[0], a[1], a[2]}, "xyaxes"), other(a[3], a[4], a[5]);
    const Vec3 y = direction(other - x.dot(other) * x, "xyaxes");
    Mat3 R;
    R << x, y, cross(x, y);
    return R;
  }
  if (const auto a = get("zaxis", 3); !a.empty()) {
    const Vec3 z = direction({a[0], a[1], a[2]}, "zaxis"), about = cross(Vec3::UnitZ(), z);
    const double angle = std::atan2(about.norm(), z[2]);
    return rotation_exp(about.norm() > 0 ? Vec3(angle / about.norm() * about) : Vec3(angle * Vec3::UnitX()))
        .matrix();
  }
  return Mat3::Identity();
}

}  // namespace saltus

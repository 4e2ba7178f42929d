#include "saltus/scene/complaints.hpp"

#include <algorithm>

namespace saltus {

std::string complaints_text(std::string_view file, std::span<const Complaint> list) {
  std::string out;
  for (const auto& c : list) {
    if (!out.empty()) out += '\n';
    out += c.place.line > 0 ? fmt::format("{}:{}:{}: ", file, c.place.line, c.place.column)
                            : std::string("command line: ");
    if (!c.path.empty()) out += c.path + ": ";
    out += c.message;
  }
  if (list.size() > 1)
    out += fmt::format("\n{} errors{}", list.size(),
                       list.size() < Complaints::most ? "" : "; the rest was not read");
  return out;
}

void Complaints::add(Place place, std::string path, std::string message, Complaint::Kind kind) {
  for (const Complaint& c : list_)
    if (c.path == path && c.message == message && c.place.line == place.line &&
        c.place.column == place.column)
      return;
  list_.push_back({place, std::move(path), std::move(message), kind});
  if (list_.size() >= most) throw Enough{};
}

bool Complaints::about(std::string_view path) const {
  return std::any_of(list_.begin(), list_.end(), [&](const Complaint& c) {
    return c.path.starts_with(path) && (c.path.size() == path.size() || c.path[path.size()] == '.');
  });
}

bool Complaints::about_field(std::string_view path, std::string_view field) const {
  const std::string below = fmt::format("{}.", path);
  return about(below + std::string(field)) ||
         std::any_of(list_.begin(), list_.end(), [&](const Complaint& c) {
           return c.kind == Complaint::Kind::unknown_field && c.path.starts_with(below) &&
                  c.path.find('.', below.size()) == std::string::npos;
         });
}

bool Complaints::only_in(std::span<const std::string_view> sections) const {
  return std::all_of(list_.begin(), list_.end(), [&](const Complaint& c) {
    const std::string_view section = std::string_view(c.path).substr(0, c.path.find('.'));
    return std::find(sections.begin(), sections.end(), section) != sections.end();
  });
}

void Complaints::raise(const std::string& file) const {
  if (list_.empty()) return;
  auto sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Complaint& a, const Complaint& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  throw SceneError(file, std::move(sorted));
}

}  // namespace saltus

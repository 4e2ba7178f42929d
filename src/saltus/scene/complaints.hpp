// What is wrong with a scene: where, about which field, what it is.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/core/error.hpp"

namespace saltus {

/// From 1; line 0: given on the command line.
struct Place {
  int line = 0, column = 0;
};

struct Complaint {
  /// What other code asks about; all else is `other`.
  enum class Kind : std::uint8_t { other, unknown_field };
  Place place;
  std::string path, message;  ///< of the field, as in run.t_end; empty: of the file
  Kind kind = Kind::other;
};

/// "file:line:column: path: message", one line each, and how many there are.
std::string complaints_text(std::string_view file, std::span<const Complaint> list);

/// A scene that cannot be used, with all that is wrong with it in the order of the file. what() is its text.
class SceneError : public Error {
 public:
  SceneError(std::string file, std::vector<Complaint> list)
      : Error(complaints_text(file, list)), file_(std::move(file)), list_(std::move(list)) {}
  const std::string& file() const { return file_; }
  const std::vector<Complaint>& complaints() const { return list_; }

 private:
  std::string file_;
  std::vector<Complaint> list_;
};

/// Collects them while a scene is read and compiled.
class Complaints {
 public:
  static constexpr std::size_t most = 100;
  struct Enough {};  ///< thrown where there are more: no one reads further
  /// Nothing is reported twice.
  void add(Place place, std::string path, std::string message, Complaint::Kind kind = Complaint::Kind::other);
  bool empty() const { return list_.empty(); }
  bool about(std::string_view path) const;  ///< whether something is wrong with this, or below it
  /// Whether something may be missing from `path` because it is misspelt or of the wrong kind there.
  bool about_field(std::string_view path, std::string_view field) const;
  /// Whether all there is lies in these sections of the file.
  bool only_in(std::span<const std::string_view> sections) const;
  const std::vector<Complaint>& list() const { return list_; }
  /// Throws SceneError, if there are any.
  void raise(const std::string& file) const;

 private:
  std::vector<Complaint> list_;
};

}  // namespace saltus

// Targets that a caller in this process hands over instead of naming a file or a problem of the catalog: the
// text of a scene, or an entry like those of the catalog. Commands know them by name like any other target.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "saltus/catalog/catalog.hpp"

namespace saltus::cli {

struct GivenTarget {
  std::string file;                   ///< for messages: it is not read
  std::string text;                   ///< of a scene
  std::optional<CatalogEntry> entry;  ///< instead of a scene
};

/// The target can be named as long as this exists. Equal scenes have equal names, also in another process, so
/// that a sweep over one can be resumed.
class Given {
 public:
  explicit Given(GivenTarget target);
  ~Given();
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// Null: no such target was given.
std::shared_ptr<const GivenTarget> given_target(const std::string& name);

}  // namespace saltus::cli

// Targets that a caller in this process hands over instead of naming a file or a problem of the catalog: the
// text of a scene, or an entry like those of the catalog. Commands know them by name like any other target.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "saltus/catalog/catalog.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::cli {

struct GivenTarget {
  std::string file;                   ///< for messages: it is not read
  std::string text;                   ///< of a scene
  std::optional<CatalogEntry> entry;  ///< instead of a scene
};

/// A target that was given. A scene is read once for the same changes and method: reading takes longer than a
/// short run.
class KnownTarget : public GivenTarget {
 public:
  explicit KnownTarget(GivenTarget given) : GivenTarget(std::move(given)) {}
  std::shared_ptr<const LoadedScene> scene(std::span<const std::string> sets,
                                           const MethodTexts& chosen) const;

 private:
  mutable std::mutex door_;
  mutable std::string read_for_;
  mutable std::shared_ptr<const LoadedScene> scene_;
};

/// The target can be named as long as this exists. Equal scenes have equal names, also in another process, so
/// that a sweep over one can be resumed. A few that were named last are kept, with what was read of them.
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
std::shared_ptr<const KnownTarget> given_target(const std::string& name);

}  // namespace saltus::cli

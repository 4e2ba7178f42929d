// The list of all fields of scene files as JSON Schema, for editors.
#pragma once
#include "saltus/cli/json.hpp"
#include "saltus/scene/entry.hpp"

namespace saltus::cli {

/// A struct with a list of fields of a scene.
template <class T>
concept HasFields = requires(T t) {
  t.fields([](const Note&, auto&) {});
};

Json scene_schema();

}  // namespace saltus::cli

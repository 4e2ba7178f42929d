#include "saltus/scene/file/load_file.hpp"

#include <filesystem>
#include <fstream>

#include "saltus/core/error.hpp"

namespace saltus {

std::shared_ptr<const LoadedScene> load_scene(const std::string& file, std::span<const std::string> sets,
                                              const MethodTexts& chosen) {
  std::error_code trouble;
  if (!std::filesystem::exists(file, trouble)) fail("'{}': no such file", file);
  if (!std::filesystem::is_regular_file(file, trouble)) fail("'{}': not a file that can be read", file);
  const auto size = std::filesystem::file_size(file, trouble);
  if (!trouble && size > largest_scene)
    fail("'{}': {} bytes are too many for a scene: at most {}", file, size, largest_scene);
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) fail("'{}': cannot be read", file);
  return load_scene_text(text, file, sets, chosen);
}

}  // namespace saltus

#include "saltus/scene/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

namespace saltus {
namespace {

Place place_of(const YAML::Mark& m) {
  return {m.line + 1, m.column + 1};
}

// yaml-cpp's events as calls of the builder.
class Events final : public YAML::EventHandler {
 public:
  explicit Events(TreeBuilder& builder) : builder_(builder) {}

  void OnDocumentStart(const YAML::Mark&) override { builder_.begin_document(); }
  void OnDocumentEnd() override {}  // what follows may be no YAML yet
  void OnNull(const YAML::Mark& m, YAML::anchor_t anchor) override {
    builder_.null({place_of(m), "?", anchor != 0});
  }
  void OnAlias(const YAML::Mark& m, YAML::anchor_t) override { builder_.alias(place_of(m)); }
  void OnScalar(const YAML::Mark& m, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    builder_.scalar({place_of(m), tag, anchor != 0}, value);
  }
  void OnSequenceStart(const YAML::Mark& m, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    builder_.begin_list({place_of(m), tag, anchor != 0});
  }
  void OnSequenceEnd() override { builder_.end(); }
  void OnMapStart(const YAML::Mark& m, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    builder_.begin_map({place_of(m), tag, anchor != 0});
  }
  void OnMapEnd() override { builder_.end(); }

 private:
  TreeBuilder& builder_;
};

}  // namespace

void parse_yaml(std::string_view text, TreeBuilder& builder) {
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Events events(builder);
    while (builder.wants_document() && parser.HandleNextDocument(events)) builder.end_document();
  } catch (const YAML::Exception& e) {
    throw YamlTrouble{place_of(e.mark), e.msg};
  }
}

}  // namespace saltus

// YAML in the browser: the page's parser (web/src/yaml.ts) writes what it meets as bytes, and this tells the
// builder of the scene tree, which has all limits and messages. A record is one letter, a flag, line, column,
// the size of the tag, the size of the text, tag and text; numbers have four bytes, little-endian.
#include <emscripten.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "saltus/scene/yaml.hpp"

// The records, in memory of malloc; their size goes to *size.
EM_JS(char*, saltus_yaml_records, (const char* text, int length, int* size), {
  const records = Module['parseYaml'](HEAPU8.slice(text, text + length));
  const at = _malloc(records.length + 1);
  HEAPU8.set(records, at);
  HEAP32[size >> 2] = records.length;
  return at;
});

namespace saltus {
namespace {

class Records {
 public:
  Records(const char* at, std::size_t size) : at_(at), end_(at + size) {}
  bool next() {
    if (end_ - at_ < 18) return false;
    what = at_[0], anchored = at_[1] != 0;
    at_ += 2;
    place = {static_cast<int>(number()), static_cast<int>(number())};
    const std::uint32_t tag_size = number(), text_size = number();
    if (static_cast<std::size_t>(end_ - at_) < std::size_t{tag_size} + text_size) return false;
    tag = {at_, tag_size}, at_ += tag_size;
    text.assign(at_, text_size), at_ += text_size;
    return true;
  }
  char what = 0;
  bool anchored = false;
  Place place;
  std::string_view tag;
  std::string text;

 private:
  std::uint32_t number() {
    std::uint32_t x = 0;
    std::memcpy(&x, at_, 4), at_ += 4;
    return x;
  }
  const char *at_, *end_;
};

}  // namespace

void parse_yaml(std::string_view text, TreeBuilder& builder) {
  int size = 0;
  const std::unique_ptr<char, decltype(&std::free)> bytes(
      saltus_yaml_records(text.data(), static_cast<int>(text.size()), &size), &std::free);
  Records r(bytes.get(), static_cast<std::size_t>(size));
  while (builder.wants_document() && r.next()) {
    const TreeBuilder::Mark mark{r.place, r.tag, r.anchored};
    switch (r.what) {
      case 'D':
        builder.begin_document();
        break;
      case 'd':
        builder.end_document();
        break;
      case 'N':
        builder.null(mark);
        break;
      case 'S':
        builder.scalar(mark, r.text);
        break;
      case 'A':
        builder.alias(r.place);
      case 'L':
        builder.begin_list(mark);
        break;
      case 'M':
        builder.begin_map(mark);
        break;
      case 'E':
        builder.end();
        break;
      default:
        throw YamlTrouble{r.place, r.text};
    }
  }
}

}  // namespace saltus

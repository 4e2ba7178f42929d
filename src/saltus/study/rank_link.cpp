#include "saltus/study/rank_link.hpp"

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

void put(std::string& out, std::uint64_t x) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>((x >> (8 * i)) & 0xff);
}
void put(std::string& out, std::string_view text) {
  put(out, text.size());
  out += text;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool at_end() const { return rest_.empty(); }
  std::uint64_t number() {
    const std::string_view bytes = take(8);
    std::uint64_t x = 0;
    for (std::size_t i = 8; i-- > 0;) x = x << 8 | static_cast<unsigned char>(bytes[i]);
    return x;
  }
  std::string text() { return std::string(take(number())); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) fail("a message between ranks is damaged");
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  std::string_view rest_;
};

}  // namespace

std::string to_bytes(const RankHello& hello) {
  std::string out;
  put(out, hello.threads);
  put(out, hello.host), put(out, hello.identity), put(out, hello.trouble);
  return out;
}

RankHello hello_from(std::string_view bytes) {
  Reader in(bytes);
  RankHello out;
  out.threads = in.number();
  out.host = in.text(), out.identity = in.text(), out.trouble = in.text();
  return out;
}

std::string to_bytes(const std::vector<NumberedPoint>& points) {
  std::string out;
  for (const auto& p : points) {
    put(out, p.index);
    put(out, p.values.size());
    for (const auto& [name, value] : p.values) put(out, name), put(out, value);
  }
  return out;
}

std::vector<NumberedPoint> points_from(std::string_view bytes) {
  std::vector<NumberedPoint> out;
  for (Reader in(bytes); !in.at_end();) {
    NumberedPoint p{static_cast<std::size_t>(in.number()), {}};
    for (std::uint64_t n = in.number(); n > 0; --n) {
      std::string name = in.text();
      p.values.emplace_back(std::move(name), in.text());
    }
    out.push_back(std::move(p));
  }
  return out;
}

}  // namespace saltus

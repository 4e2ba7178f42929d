#include "saltus/result/checkpoint_text.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "saltus/core/checksum.hpp"
#include "saltus/core/file/input_file.hpp"

namespace saltus::detail {
namespace {

constexpr std::string_view kind = "saltus checkpoint ", head = "saltus checkpoint 2\n", last = "checksum ";
constexpr std::size_t most_bytes = std::size_t{1} << 30, checksum_length = 16;

std::string checksum_line(std::string_view bytes) {
  return fmt::format("{}{:016x}\n", last, checksum(bytes));
}

}  // namespace

// ---- writing

CheckpointWriter::CheckpointWriter() : out_(head) {}

void CheckpointWriter::text(std::string_view key, std::string_view value) {
  (out_ += key) += ' ';
  for (char c : value)
    if (c == '\n' || c == '\\')
      out_ += c == '\n' ? "\\n" : "\\\\";
    else
      out_ += c;
  out_ += '\n';
}

void CheckpointWriter::word(double x) {
  out_ += fmt::format(" {:a}", x);
}
void CheckpointWriter::word(std::uint64_t x) {
  out_ += fmt::format(" {}", x);
}
void CheckpointWriter::word(std::int64_t x) {
  out_ += fmt::format(" {}", x);
}

const std::string& CheckpointWriter::finish() {
  out_ += checksum_line(out_);
  if (out_.size() > most_bytes)
    fail(
        "the checkpoint would have {:.0f} MB, more than the {:.0f} MB that saltus resume reads; run without "
        "one",
        static_cast<double>(out_.size()) / 1e6, static_cast<double>(most_bytes) / 1e6);
  return out_;
}

// ---- reading

CheckpointReader::CheckpointReader(std::string file) : file_(std::move(file)) {
  bytes_ = read_file(file_, most_bytes, head);
  if (!bytes_.starts_with(head) && bytes_.starts_with(kind))
    fail(
        "{}:1: is a checkpoint of another version of saltus ('{}' is expected); resume it with the one that "
        "made it, "
        "or run anew",
        file_, head.substr(0, head.size() - 1));
  if (!bytes_.starts_with(head))
    fail(
        "{}:1: is not a checkpoint of this version of saltus ('{}' is expected); give the file that "
        "--checkpoint "
        "wrote",
        file_, head.substr(0, head.size() - 1));
  const std::size_t tail = last.size() + checksum_length + 1;
  const std::size_t size = bytes_.size() - std::min(tail, bytes_.size());
  const std::string_view all = bytes_;
  if (!all.substr(size).starts_with(last) || all.back() != '\n')
    fail(
        "{}: does not end with its checksum: the file is cut or was changed; take another checkpoint, or run "
        "anew",
        file_);
  if (all.substr(size) != checksum_line(all.substr(0, size)))
    fail("{}: is damaged, its checksum does not fit; take another checkpoint, or run anew", file_);
  rest_ = all.substr(head.size(), size - head.size());
  number_ = 1;
}

void CheckpointReader::wrong(std::string_view what) const {
  fail("{}:{}: {}; the file was changed: take another checkpoint, or run anew", file_, number_, what);
}

void CheckpointReader::open(std::string_view key) {
  ++number_;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  if (end == std::string_view::npos || !line_.starts_with(key) || line_.substr(key.size(), 1) != " ")
    wrong(fmt::format("'{}' is expected", key));
  line_.remove_prefix(key.size());
  rest_.remove_prefix(end + 1);
}

bool CheckpointReader::next_is(std::string_view key) const {
  return rest_.starts_with(key) && rest_.substr(key.size(), 1) == " ";
}

void CheckpointReader::close() {
  if (!line_.empty()) wrong("more numbers than expected");
}

std::string CheckpointReader::text(std::string_view key) {
  open(key);
  std::string out;
  for (std::size_t i = 1; i < line_.size(); ++i) {
    const bool escaped = line_[i] == '\\';
    if (escaped && (i + 1 == line_.size() || (line_[i + 1] != 'n' && line_[i + 1] != '\\')))
      wrong("a backslash stands alone");
    out += !escaped ? line_[i] : line_[++i] == 'n' ? '\n' : '\\';
  }
  line_ = {};
  return out;
}

std::string_view CheckpointReader::word() {
  if (!line_.starts_with(' ')) wrong("a number is missing");
  line_.remove_prefix(1);
  const std::string_view out = line_.substr(0, line_.find(' '));
  line_.remove_prefix(out.size());
  return out;
}

double CheckpointReader::number() {
  const std::string_view text = word();
  char copy[40] = {}, *end = nullptr;
  const bool begins = !text.empty() && (text[0] == '-' || std::isalnum(static_cast<unsigned char>(text[0])));
  if (begins && text.size() < sizeof copy) {
    text.copy(copy, sizeof copy - 1);
    const double x = std::strtod(copy, &end);
    if (end == copy + text.size() && !std::isnan(x)) return x;
  }
  wrong(fmt::format("'{}' is not a number", text.substr(0, 40)));
}

std::uint64_t CheckpointReader::natural(std::uint64_t most) {
  const std::string_view text = word();
  std::uint64_t x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || end != text.data() + text.size() || x > most)
    wrong(fmt::format("'{}' is not a whole number from 0 to {}", text.substr(0, 40), most));
  return x;
}

std::size_t CheckpointReader::entries(std::size_t words) {
  const std::uint64_t n = natural();
  if (n > line_.size() / (2 * words)) wrong(fmt::format("{} entries are announced, there are fewer", n));
  return n;
}

std::vector<double> CheckpointReader::numbers(std::string_view key) {
  open(key);
  std::vector<double> out(entries());
  for (double& x : out) x = number();
  close();
  return out;
}

Vec CheckpointReader::vector(std::string_view key) {
  const auto x = numbers(key);
  return Eigen::Map<const Vec>(x.data(), static_cast<Eigen::Index>(x.size()));
}

std::vector<std::uint64_t> CheckpointReader::naturals(std::string_view key) {
  open(key);
  std::vector<std::uint64_t> out(entries());
  for (auto& x : out) x = natural();
  close();
  return out;
}

void CheckpointReader::end() {
  ++number_;
  if (!rest_.empty()) wrong("more lines than expected");
}

}  // namespace saltus::detail

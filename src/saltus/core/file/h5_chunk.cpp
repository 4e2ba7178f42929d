#ifdef SALTUS_WITH_HDF5
#include "saltus/core/file/h5_chunk.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace saltus {
namespace {

using Bytes = std::vector<unsigned char>;
constexpr std::size_t checksum_bytes = 4;

// Fletcher's checksum as HDF5 defines it: words of two bytes, the high one first.
std::uint32_t fletcher(const unsigned char* data, std::size_t size) {
  std::uint32_t sum1 = 0, sum2 = 0;
  const auto reduce = [&] {
    sum1 = (sum1 & 0xffff) + (sum1 >> 16);
    sum2 = (sum2 & 0xffff) + (sum2 >> 16);
  };
  const auto add = [&](unsigned high, unsigned low) { sum2 += sum1 += high << 8 | low; };
  for (std::size_t i = 0; i + 1 < size;) {
    const std::size_t end = std::min(size - 1, i + 720);  // so many sums do not overflow
    for (; i < end; i += 2) add(data[i], data[i + 1]);
    reduce();
  }
  if (size % 2 != 0) add(data[size - 1], 0), reduce();
  reduce();
  return sum2 << 16 | sum1;
}

std::string check_sum(Bytes& bytes) {
  if (bytes.size() < checksum_bytes) return "is cut";
  const std::size_t n = bytes.size() - checksum_bytes;
  std::uint32_t stored = 0;
  for (std::size_t k = 0; k < checksum_bytes; ++k) stored |= std::uint32_t{bytes[n + k]} << (8 * k);
  if (stored != fletcher(bytes.data(), n)) return "is damaged: its checksum is another";
  bytes.resize(n);
  return {};
}

std::string inflate_to(std::size_t size, Bytes& bytes) {
  constexpr auto most = std::numeric_limits<uInt>::max();
  if (size > most || bytes.size() > most) return "is too large";
  if (size / most_inflation > bytes.size()) return "cannot hold so much";
  Bytes out(size);
  z_stream z{};
  if (inflateInit(&z) != Z_OK) return "cannot be inflated";
  z.next_in = bytes.data(), z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = out.data(), z.avail_out = static_cast<uInt>(size);
  const int status = inflate(&z, Z_FINISH);
  const bool whole = status == Z_STREAM_END && z.total_out == size;
  inflateEnd(&z);
  if (!whole) return "is damaged: it does not inflate to its size";
  bytes.swap(out);
  return {};
}

// The first bytes of all elements stand first, then the second ones; a rest that is no element stays.
void unshuffle(std::size_t element, Bytes& bytes) {
  const std::size_t n = element > 1 ? bytes.size() / element : 0;
  if (n < 2) return;
  Bytes out(bytes);
  for (std::size_t k = 0; k < element; ++k)
    for (std::size_t i = 0; i < n; ++i) out[i * element + k] = bytes[k * n + i];
  bytes.swap(out);
}

}  // namespace

std::vector<H5Filter> filters_of(hid_t create_list, std::string& trouble) {
  std::vector<H5Filter> out;
  const int count = H5Pget_nfilters(create_list);
  for (int k = 0; k < count; ++k) {
    unsigned flags = 0, config = 0, values[8] = {};
    std::size_t n = 8;
    const H5Z_filter_t id =
        H5Pget_filter2(create_list, static_cast<unsigned>(k), &flags, &n, values, 0, nullptr, &config);
    if (id != H5Z_FILTER_SHUFFLE && id != H5Z_FILTER_DEFLATE && id != H5Z_FILTER_FLETCHER32)
      trouble = "has a filter that is not read here; shuffle, deflate and fletcher32 are";
    if (std::any_of(out.begin(), out.end(), [&](const H5Filter& f) { return f.id == id; }))
      trouble = "has the same filter twice";
    out.push_back({id, n > 0 ? values[0] : 1});
  }
  return out;
}

std::string undo_filters(const std::vector<H5Filter>& filters, std::uint32_t skipped, std::size_t size,
                         Bytes& bytes) {
  const auto applied = [&](std::size_t k) { return (skipped >> k & 1) == 0; };
  for (std::size_t k = filters.size(); k-- > 0;) {
    if (!applied(k)) continue;
    std::string trouble;
    std::size_t before = size;  // what the filter was given
    for (std::size_t j = 0; j < k; ++j)
      if (filters[j].id == H5Z_FILTER_FLETCHER32 && applied(j)) before += checksum_bytes;
    if (filters[k].id == H5Z_FILTER_FLETCHER32)
      trouble = check_sum(bytes);
    else if (filters[k].id == H5Z_FILTER_DEFLATE)
      trouble = inflate_to(before, bytes);
    else
      unshuffle(filters[k].element, bytes);
    if (!trouble.empty()) return trouble;
  }
  return bytes.size() == size ? std::string() : "has another size than declared";
}

}  // namespace saltus

#endif

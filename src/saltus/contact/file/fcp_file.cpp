// The FCP text format, version 1 (described in docs/reference/contact-files.md).
#include <cmath>
#include <map>
#include <set>

#include "saltus/contact/file/formats.hpp"
#include "saltus/core/file/input_file.hpp"
#include "saltus/core/file/output_file.hpp"

namespace saltus::detail {
namespace {

using Sparse = FrictionProblem::Sparse;
using Triplets = std::vector<Eigen::Triplet<double>>;

/// Words of a file without its comments; errors name file, line and field.
class Words {
 public:
  explicit Words(const std::string& file) : file_(file), in_(file, longest_line) {}
  bool next(std::string& word) {
    constexpr std::string_view space = " \t\r\v\f";
    for (;;) {
      const std::size_t begin = std::min(line_.find_first_not_of(space, at_), line_.size());
      if (begin < line_.size()) {
        at_ = std::min(line_.find_first_of(space, begin), line_.size());
        word.assign(line_, begin, at_ - begin);
        return true;
      }
      if (in_.next(line_) == LineReader::Found::end) return false;
      line_.resize(std::min(line_.find('#'), line_.size()));
      at_ = 0;
    }
  }
  std::string word(std::string_view field) {
    std::string w;
    if (!next(w)) bad(field, "the file ends here");
    return w;
  }
  double number(std::string_view field) {
    const std::string w = word(field);
    char* end = nullptr;
    const double x = std::strtod(w.c_str(), &end);
    if (end != w.c_str() + w.size() || !std::isfinite(x))
      bad(field, fmt::format("'{}' is not a finite number", w.substr(0, 40)));
    return x;
  }
  int count(std::string_view field, int low, int high = 100'000'000) {
    const double x = number(field);
    if (x != std::floor(x) || x < low || x > high)
      bad(field, fmt::format("{} is not a whole number from {} to {}", x, low, high));
    return static_cast<int>(x);
  }
  std::vector<double> numbers(std::string_view field, std::int64_t n) {
    std::vector<double> out;
    for (std::int64_t k = 0; k < n; ++k) out.push_back(number(field));
    return out;
  }
  [[noreturn]] void bad(std::string_view field, const std::string& what) const {
    fail("{}:{}: {}: {}", file_, in_.number(), field, what);
  }

 private:
  static constexpr std::size_t longest_line = std::size_t{1} << 26;
  std::string file_;
  LineReader in_;
  std::string line_;
  std::size_t at_ = 0;
};

struct Reader {
  explicit Reader(const std::string& file) : in(file) {}

  Words in;
  FrictionProblem p;
  int bodies = -1, dofs = -1, contacts = -1, dim = 0;
  std::vector<double> mu, mass, free, b, q;
  Triplets H, W;
  bool has_H = false, has_W = false;
  std::set<std::string> seen;

  static constexpr std::int64_t most_columns = 100'000'000;

  void need(int value, std::string_view what, std::string_view field) const {
    if (value < 0) in.bad(field, fmt::format("'{}' must come before it", what));
  }
  // n blocks of dim × width values at (i, j)
  void blocks(std::string_view field, int width, int columns, Triplets& out) {
    const int n = in.count(field, 0);
    for (int k = 0; k < n; ++k) {
      const int i = in.count(field, 0, contacts - 1), j = in.count(field, 0, columns - 1);
      for (int a = 0; a < dim; ++a)
        for (int c = 0; c < width; ++c) {
          const double x = in.number(field);
          if (x != 0) out.emplace_back(i * dim + a, j * width + c, x);
        }
    }
  }
  void field(const std::string& key) {
    // what was read relies on it
    if (!seen.insert(key).second) in.bad(key.substr(0, 40), "is given twice");
    if (key == "name") {
      p.name = in.word(key);
    } else if (key == "dim") {
      dim = in.count(key, 2, 3);
    } else if (key == "bodies") {
      bodies = in.count(key, 0);
    } else if (key == "ndof") {
      dofs = in.count(key, 0);
    } else if (key == "contacts") {
      contacts = in.count(key, 1);
    } else {
      need(dim == 0 ? -1 : dim, "dim", key);
      need(contacts, "contacts", key);
      if (key == "mass" || key == "vfree" || key == "H") need(bodies, "bodies", key), need(dofs, "ndof", key);
      values(key);
    }
  }
  void values(const std::string& key) {
    const std::int64_t n = bodies > 0 && dofs > 0 ? static_cast<std::int64_t>(bodies) * dofs : 0;
    const std::int64_t m = static_cast<std::int64_t>(contacts) * dim;
    if (n > most_columns) in.bad("bodies", fmt::format("times ndof are {}, more than {}", n, most_columns));
    if (key == "mu") {
      mu = in.numbers(key, contacts);
    } else if (key == "mass") {
      mass = in.numbers(key, n);
    } else if (key == "vfree") {
      free = in.numbers(key, n);
    } else if (key == "b") {
      b = in.numbers(key, m);
    } else if (key == "q") {
      q = in.numbers(key, m);
    } else if (key == "H") {
      blocks(key, dofs, bodies, H);
      has_H = true;
    } else if (key == "W") {
      blocks(key, dim, contacts, W);
      has_W = true;
    } else {
      in.bad(key.substr(0, 40), "is no field of this format");
    }
  }
};

Vec to_vec(const std::vector<double>& x) {
  return Eigen::Map<const Vec>(x.data(), static_cast<Eigen::Index>(x.size()));
}

}  // namespace

FrictionProblem read_fcp(const std::string& file) {
  Reader r(file);
  std::string word;
  if (!r.in.next(word) || word != "FCP") fail_in(file, "header", "the file does not begin with 'FCP 1'");
  if (const double version = r.in.number("header"); version != 1)
    fail_in(file, "header", "version {} of the format is not known (1 is)", version);
  while (r.in.next(word) && word != "END") r.field(word);
  if (word != "END") fail_in(file, "END", "is missing: the file is cut off");
  if (r.mu.empty()) fail_in(file, "mu", "is missing");
  FrictionProblem& p = r.p;
  p.dim = r.dim;
  p.mu = r.mu;
  const int m = p.rows();
  const std::int64_t n = r.bodies > 0 && r.dofs > 0 ? static_cast<std::int64_t>(r.bodies) * r.dofs : 0;
  if (r.has_W && !r.q.empty()) {
    p.local.emplace();
    p.local->W.resize(m, m);
    p.local->W.setFromTriplets(r.W.begin(), r.W.end());
    p.local->q = to_vec(r.q);
  }
  if (n > 0 && r.has_H) {
    if (r.mass.empty() || r.free.empty()) fail_in(file, r.mass.empty() ? "mass" : "vfree", "is missing");
    auto& g = p.global.emplace();
    Triplets diagonal;
    for (int k = 0; k < n; ++k) {
      if (!(r.mass[k] > 0)) fail_in(file, "mass", "entry {} is {}, not positive", k, r.mass[k]);
      diagonal.emplace_back(k, k, r.mass[k]);
    }
    g.M.resize(n, n);
    g.M.setFromTriplets(diagonal.begin(), diagonal.end());
    g.H.resize(m, n);
    g.H.setFromTriplets(r.H.begin(), r.H.end());
    g.free = to_vec(r.free);
    g.b = r.b.empty() ? Vec(Vec::Zero(m)) : to_vec(r.b);
    g.body_dofs = r.dofs;
  }
  return std::move(r.p);
}

namespace {

void write_list(OutputFile& out, std::string_view key, const double* x, std::int64_t n, int per_line) {
  out.write(fmt::format("{}\n", key));
  for (std::int64_t k = 0; k < n; ++k)
    out.write(fmt::format("{:.17g}{}", x[k], (k + 1) % per_line ? ' ' : '\n'));
}

void write_blocks(OutputFile& out, std::string_view key, const Sparse& A, int rows, int columns) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> byrow(A);
  std::vector<std::pair<std::pair<int, int>, std::vector<double>>> blocks;
  for (int i = 0; i < A.rows() / rows; ++i) {
    std::map<int, std::vector<double>> row;
    for (int a = 0; a < rows; ++a)
      for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(byrow, i * rows + a); it; ++it) {
        auto& block = row[static_cast<int>(it.col()) / columns];
        block.resize(static_cast<std::size_t>(rows) * columns, 0.0);
        block[a * columns + it.col() % columns] = it.value();
      }
    for (auto& [j, block] : row) blocks.emplace_back(std::pair(i, j), std::move(block));
  }
  out.write(fmt::format("{} {}\n", key, blocks.size()));
  for (const auto& [at, block] : blocks) {
    out.write(fmt::format("{} {}", at.first, at.second));
    for (double x : block) out.write(fmt::format(" {:.17g}", x));
    out.write("\n");
  }
}

bool is_diagonal(const Sparse& A) {
  for (int k = 0; k < A.outerSize(); ++k)
    for (Sparse::InnerIterator it(A, k); it; ++it)
      if (it.row() != it.col() && it.value() != 0) return false;
  return true;
}

}  // namespace

void write_fcp(const std::string& file, const FrictionProblem& p) {
  if (!p.rolling.empty()) fail("{}: the format .fcp has no rolling friction; write .hdf5", file);
  if (p.global && p.global->J.rows() > 0)
    fail("{}: the FCP format has no joints, the problem has {}; write .hdf5", file, p.global->J.rows());
  const bool bodies = p.global && is_diagonal(p.global->M);
  if (!bodies && !p.local)
    fail("{}: the FCP format holds a diagonal mass only, and the problem has no local form; write .hdf5",
         file);
  OutputFile out(file);
  std::string name = p.name.empty() ? "problem" : p.name;
  for (char& c : name)
    if (std::isspace(static_cast<unsigned char>(c)) || c == '#') c = '_';
  const int nd = bodies ? p.global->body_dofs : 0, n = bodies ? static_cast<int>(p.global->M.rows()) : 0;
  out.write(fmt::format("FCP 1\nname {}\ndim {}\nbodies {}\nndof {}\ncontacts {}\n", name, p.dim,
                        nd ? n / nd : 0, nd, p.contacts()));
  write_list(out, "mu", p.mu.data(), p.contacts(), 1);
  if (bodies) {
    const Vec mass = p.global->M.diagonal();
    write_list(out, "mass", mass.data(), n, nd);
    write_list(out, "vfree", p.global->free.data(), n, nd);
    write_list(out, "b", p.global->b.data(), p.rows(), p.dim);
    write_blocks(out, "H", p.global->H, p.dim, nd);
  }
  if (p.local) {
    write_blocks(out, "W", p.local->W, p.dim, p.dim);
    write_list(out, "q", p.local->q.data(), p.rows(), p.dim);
  }
  out.write("END\n");
  out.commit();
}

}  // namespace saltus::detail

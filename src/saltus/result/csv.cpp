#include "saltus/result/csv.hpp"

#include <algorithm>

#include "saltus/core/file/output_file.hpp"
#include "saltus/core/plain_text.hpp"

namespace saltus {

Sink LevelHistory::around(Sink sink) {
  return [this, sink = std::move(sink)](const Segment& s) {
    sink(s);
    if (list_.empty()) keep(s.begin);
    add(s.end.contacts);
    if (std::ssize(list_) < trajectory_.size()) keep(s.end);
  };
}

void LevelHistory::add(const ContactMemory& memory) {
  for (const auto& r : memory.closed) {
    auto at = std::find_if(sums_.begin(), sums_.end(), [&](const auto& c) { return c.id == r.id; });
    if (at == sums_.end()) {
      const std::vector<double> none(r.rows, 0.0);
      at = sums_.insert(at, {r.id, none, none, none});
    }
    for (int k = 0; k < r.rows; ++k) at->impulse[k] += memory.impulse[r.offset + k];
  }
}

// λ and the reaction are those of the last step, zero for a contact that did not act in it.
void LevelHistory::keep(const State& x) {
  AlphaLevels now = alpha_levels(x, system_).value_or(AlphaLevels{});
  for (const auto& c : now.contacts)
    for (auto& sum : sums_)
      if (sum.id == c.id) sum.lambda = c.lambda, sum.reaction = c.reaction;
  now.contacts = std::exchange(sums_, {});
  list_.push_back(std::move(now));
}

namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// Columns of a contact that acted at any time: as many rows of each quantity as it has.
struct ContactColumn {
  std::uint64_t id;
  std::size_t rows;
};

std::vector<ContactColumn> contacts_of(std::span<const AlphaLevels> levels) {
  std::vector<ContactColumn> out;
  for (const AlphaLevels& l : levels)
    for (const auto& c : l.contacts) {
      const auto at = std::find_if(out.begin(), out.end(), [&](const auto& x) { return x.id == c.id; });
      if (at == out.end()) out.push_back({c.id, c.impulse.size()});
    }
  return out;
}

struct LevelName {
  const char* name;
  std::vector<double> AlphaLevels::OfContact::*rows;
};
constexpr LevelName level_names[] = {{"lambda", &AlphaLevels::OfContact::lambda},
                                     {"impulse", &AlphaLevels::OfContact::impulse},
                                     {"reaction", &AlphaLevels::OfContact::reaction}};

class CsvTable {
 public:
  CsvTable(const Trajectory& trajectory, const CsvOptions& options)
      : trajectory_(trajectory), options_(options), contacts_(contacts_of(options.levels)) {
    std::vector<int> chosen = options.components;
    if (chosen.empty())
      for (int k = 0; k < std::max(trajectory.nq(), trajectory.nu()); ++k) chosen.push_back(k);
    for (int k : chosen) {
      if (k < trajectory.nq()) q_.push_back(k);
      if (k < trajectory.nu()) u_.push_back(k);
    }
  }

  std::string header() const {
    std::string line = "t";
    const auto named = [&](int k) { return k < static_cast<int>(options_.names.size()); };
    const auto& names = options_.names;
    for (int k : q_) line += named(k) ? "," + names[k] : fmt::format(",q{}", k);
    const auto own = [&](int k) { return k < std::ssize(options_.velocities); };
    for (int k : u_)
      line += own(k)     ? "," + options_.velocities[static_cast<std::size_t>(k)]
              : named(k) ? "," + names[k] + "'"
                         : fmt::format(",u{}", k);
    for (int k = 0; k < trajectory_.multipliers(); ++k) line += fmt::format(",psi{}", k);
    if (!options_.levels.empty()) {
      for (int k : u_) line += named(k) ? "," + names[k] + "''" : fmt::format(",vdot{}", k);
      for (int k : u_) line += named(k) ? ",a:" + names[k] : fmt::format(",a{}", k);
      for (const auto& [name, rows] : level_names)
        for (const ContactColumn& c : contacts_)
          for (std::size_t k = 0; k < c.rows; ++k)
            line += "," + quoted(fmt::format("{}:{}{}", name, options_.contact_name(c.id),
                                             c.rows > 1 ? fmt::format(":{}", k) : ""));
    }
    return line + "\n";
  }

  void add_row(int i, std::string& line) const {
    const auto put = [&](double x) { append(line += ',', x); };
    append(line, trajectory_.t(i));
    for (int k : q_) put(trajectory_.q(i)[k]);
    for (int k : u_) put(trajectory_.u(i)[k]);
    for (int k = 0; k < trajectory_.multipliers(); ++k) put(trajectory_.psi(i)[k]);
    if (!options_.levels.empty()) add_levels(options_.levels[i], line);
    line += '\n';
  }

 private:
  // A contact that did not act since the sample before has zeros.
  void add_levels(const AlphaLevels& levels, std::string& line) const {
    const auto put = [&](double x) { append(line += ',', x); };
    for (const Vec* x : {&levels.vdot, &levels.a})
      for (int k : u_) put((*x)[k]);
    for (const auto& [name, rows] : level_names)
      for (const ContactColumn& c : contacts_) {
        const auto at = std::find_if(levels.contacts.begin(), levels.contacts.end(),
                                     [&](const auto& x) { return x.id == c.id; });
        for (std::size_t k = 0; k < c.rows; ++k)
          put(at != levels.contacts.end() && k < (*at.*rows).size() ? (*at.*rows)[k] : 0.0);
      }
  }

  const Trajectory& trajectory_;
  const CsvOptions& options_;
  std::vector<ContactColumn> contacts_;
  std::vector<int> q_, u_;
};

}  // namespace

void write_csv(const std::string& file, const Trajectory& trajectory, const CsvOptions& options) {
  OutputFile out(file);
  const CsvTable table(trajectory, options);
  std::string line = table.header();
  for (int i = 0; i < trajectory.size(); ++i) {
    table.add_row(i, line);
    out.write(line);
    line.clear();
  }
  out.write(line);
  out.commit();
}

}  // namespace saltus

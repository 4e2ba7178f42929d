#include "saltus/result/checkpoint.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

constexpr const char* head = "saltus checkpoint 1";

// The order of the numbers in the file; long and int as such.
template <class S, class F>
void each_stat(S& s, F&& f) {
  f(s.steps), f(s.rejected), f(s.force_evaluations), f(s.newton_iterations), f(s.contact_iterations);
  f(s.calculated), f(s.base_steps), f(s.detections), f(s.switches), f(s.above_tolerance);
  f(s.cpu_seconds), f(s.unsolved), f(s.newton_max), f(s.contact_loss), f(s.wall_work);
}
template <class R, class F>
void each_residual(R& r, F&& f) {
  f(r.contact), f(r.gap), f(r.position), f(r.velocity);
  f(r.acceleration), f(r.contact_position), f(r.contact_velocity), f(r.contact_acceleration);
}

// Texts of several lines in one.
std::string one_line(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return out;
}
std::string many_lines(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 1 < text.size();
    out += !escaped ? text[i] : text[++i] == 'n' ? '\n' : text[i];
  }
  return out;
}

class Writer {
 public:
  Writer() : text(fmt::format("{}\n", head)) {}
  std::string text;
  void line(std::string_view key, std::string_view value) { text += fmt::format("{} {}\n", key, value); }
  template <class Range>
  void numbers(std::string_view key, const Range& values) {
    text += fmt::format("{} {}", key, values.size());
    for (const auto& x : values) number(x);
    text += "\n";
  }
  void number(double x) { text += fmt::format(" {:a}", x); }
  template <class T>
  requires std::is_integral_v<T>
  void number(T x) { text += fmt::format(" {}", x); }
};

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file), in_(file) {
    if (!in_) fail("cannot read '{}': no such file, or not allowed", file);
    std::string first;
    std::getline(in_, first);
    if (first != head)
      fail(
          "{}:1: is not a checkpoint of this version of saltus ('{}' is expected); give the file that "
          "--checkpoint wrote",
          file, head);
  }
  /// The rest of the next line, which must begin with that key.
  std::string line(const std::string& key) {
    std::string text;
    ++number_;
    if (!std::getline(in_, text) || text.compare(0, key.size() + 1, key + " ") != 0)
      fail("{}:{}: '{}' is expected; the file is cut or was changed", file_, number_, key);
    return text.substr(key.size() + 1);
  }
  void open(const std::string& key) { words_ = std::istringstream(line(key)); }
  template <class T>
  T word() {
    std::string text;
    words_ >> text;
    char* end = nullptr;
    T out{};
    if constexpr (std::is_same_v<T, double>)
      out = std::strtod(text.c_str(), &end);
    else
      out = static_cast<T>(std::strtoull(text.c_str(), &end, 10));
    if (text.empty() || *end != '\0') fail("{}:{}: a number is missing or wrong", file_, number_);
    return out;
  }
  std::size_t count(std::size_t most = 100'000'000) {
    const auto n = word<std::size_t>();
    if (n > most) fail("{}:{}: a list of {} entries is not believable", file_, number_, n);
    return n;
  }
  template <class T>
  std::vector<T> list(const std::string& key) {
    open(key);
    std::vector<T> out;
    for (std::size_t n = count(); n > 0; --n) out.push_back(word<T>());
    return out;
  }
  Vec vector(const std::string& key) {
    const auto x = list<double>(key);
    return Eigen::Map<const Vec>(x.data(), static_cast<Eigen::Index>(x.size()));
  }
  [[noreturn]] void wrong(std::string_view what) const { fail("{}:{}: {}", file_, number_, what); }

 private:
  std::string file_;
  std::ifstream in_;
  std::istringstream words_;
  int number_ = 1;
};

void write_contacts(Writer& out, const ContactMemory& m) {
  out.text += fmt::format("contacts {}", m.closed.size());
  for (const auto& r : m.closed)
    out.text += fmt::format(" {} {} {} {} {} {}", r.id, r.offset, r.rows, static_cast<int>(r.has_gap),
                            static_cast<int>(r.resting), static_cast<int>(r.mode));
  out.text += "\n";
  out.numbers("impulse", m.impulse);
  out.numbers("scales", std::array{m.speed, m.step});
}

void read_contacts(Reader& in, ContactMemory& m) {
  in.open("contacts");
  for (std::size_t n = in.count(); n > 0; --n) {
    auto& r = m.closed.emplace_back();
    r.id = in.word<std::uint64_t>(), r.offset = in.word<int>();
    r.rows = in.word<std::uint8_t>(), r.has_gap = in.word<int>() != 0, r.resting = in.word<int>() != 0;
    const int mode = in.word<int>();
    if (mode < 0 || mode > static_cast<int>(Mode::slip_back)) in.wrong("a contact has an unknown mode");
    r.mode = static_cast<Mode>(mode);
  }
  m.impulse = in.list<double>("impulse");
  for (const auto& r : m.closed)
    if (r.offset < 0 || static_cast<std::size_t>(r.offset) + r.rows > m.impulse.size())
      in.wrong("a contact has no impulse");
  const auto scales = in.list<double>("scales");
  if (scales.size() != 2) in.wrong("two scales are expected");
  m.speed = scales[0], m.step = scales[1];
}

}  // namespace

void save_checkpoint(const std::string& file, const SavedRun& run) {
  Writer out;
  out.line("version", SALTUS_VERSION);
  out.line("problem", run.problem);
  out.line("scene", one_line(run.scene));
  out.line("changes", fmt::format("{}", run.changes.size()));
  for (const auto& text : run.changes) out.line("change", one_line(text));
  out.line("settings", fmt::format("{}", run.settings.size()));
  for (const auto& [key, value] : run.settings) out.line("set", one_line(key + "=" + value));
  out.line("scheme", run.scheme), out.line("stepping", run.stepping), out.line("solver", run.solver);
  out.line("t_end", fmt::format("{:a}", run.t_end));
  out.line("accept_penetration", run.accept_penetration ? "1" : "0");
  out.line("every", fmt::format("{}", run.every_steps));
  out.line("output", one_line(run.output));
  out.line("output_every", fmt::format("{}", run.output_every));
  out.line("no_error", run.no_error ? "1" : "0");
  out.line("csv", one_line(run.csv));
  const State& x = run.at.state;
  out.line("t", fmt::format("{:a}", x.t));
  out.numbers("q", x.q), out.numbers("u", x.u), out.numbers("aux", x.aux);
  out.numbers("moved", std::array<std::uint64_t, 3>{x.moved.start, static_cast<std::uint64_t>(x.moved.begin),
                                                    static_cast<std::uint64_t>(x.moved.end)});
  write_contacts(out, x.contacts);
  out.line("grid_steps", fmt::format("{}", run.at.grid_steps));
  out.numbers("driver", run.at.driver);
  out.text += "stats";
  each_stat(run.at.stats, [&](auto v) { out.number(v); });
  out.text += "\nresiduals";
  each_residual(run.at.residuals, [&](auto v) { out.number(v); });
  out.text += fmt::format("\naccumulations {}", run.at.accumulations.size());
  for (const Accumulation& a : run.at.accumulations)
    out.number(a.contact), out.number(a.t), out.number(a.bound), out.number(a.impacts);
  out.text += fmt::format("\nobservers {}\n", run.at.observers.size());
  for (const auto& [name, words] : run.at.observers) out.line("observer", name), out.numbers("words", words);
  out.text += "end .\n";

  const std::string part = file + ".part";
  std::ofstream disk(part, std::ios::binary);
  disk << out.text;
  disk.close();
  if (!disk || std::rename(part.c_str(), file.c_str()) != 0)
    fail("cannot write the checkpoint '{}': no such folder, not allowed, or the disk is full", file);
}

SavedRun load_checkpoint(const std::string& file) {
  Reader in(file);
  SavedRun run;
  if (const std::string version = in.line("version"); version != SALTUS_VERSION)
    fail("{}: was made by saltus {}, this is {}: the same bits cannot be promised; run it anew", file,
         version, SALTUS_VERSION);
  run.problem = in.line("problem");
  run.scene = many_lines(in.line("scene"));
  in.open("changes");
  for (std::size_t n = in.count(10'000); n > 0; --n) run.changes.push_back(many_lines(in.line("change")));
  in.open("settings");
  for (std::size_t n = in.count(10'000); n > 0; --n) {
    const std::string text = many_lines(in.line("set"));
    const auto equals = text.find('=');
    if (equals == std::string::npos) in.wrong("name=value is expected");
    run.settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  run.scheme = in.line("scheme"), run.stepping = in.line("stepping"), run.solver = in.line("solver");
  const auto single = [&]<class T>(const char* key, T& value) {
    in.open(key);
    value = in.word<T>();
  };
  int accept = 0;
  single("t_end", run.t_end), single("accept_penetration", accept), single("every", run.every_steps);
  run.accept_penetration = accept != 0;
  run.output = many_lines(in.line("output"));
  single("output_every", run.output_every);
  single("no_error", accept);
  run.no_error = accept != 0;
  run.csv = many_lines(in.line("csv"));
  State& x = run.at.state;
  single("t", x.t);
  x.q = in.vector("q"), x.u = in.vector("u"), x.aux = in.vector("aux");
  const auto moved = in.list<std::uint64_t>("moved");
  if (moved.size() != 3) in.wrong("three numbers are expected");
  x.moved = {moved[0], static_cast<int>(moved[1]), static_cast<int>(moved[2])};
  read_contacts(in, x.contacts);
  single("grid_steps", run.at.grid_steps);
  run.at.driver = in.list<std::uint64_t>("driver");
  in.open("stats");
  each_stat(run.at.stats, [&]<class T>(T& v) { v = in.word<T>(); });
  in.open("residuals");
  each_residual(run.at.residuals, [&]<class T>(T& v) { v = in.word<T>(); });
  in.open("accumulations");
  for (std::size_t n = in.count(); n > 0; --n)
    run.at.accumulations.push_back(
        {in.word<std::uint64_t>(), in.word<double>(), in.word<double>(), in.word<int>()});
  in.open("observers");
  for (std::size_t n = in.count(100); n > 0; --n) {
    const std::string name = in.line("observer");
    run.at.observers[name] = in.list<std::uint64_t>("words");
  }
  in.line("end");
  return run;
}

}  // namespace saltus

#include "saltus/cli/run_files.hpp"

#include "saltus/cli/commands.hpp"
#include "saltus/cli/components.hpp"

#include <filesystem>

#include "saltus/core/error.hpp"
#include "saltus/run/file/contact_dump.hpp"
#include "saltus/run/step_grid.hpp"

namespace saltus::cli {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code trouble;
  return a == b || std::filesystem::equivalent(a, b, trouble);
}

namespace {

namespace fs = std::filesystem;

fs::path folder_of(const std::string& file) {
  const fs::path folder = fs::path(file).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

std::string name_for_checkpoint(const std::string& output, const std::string& checkpoint) {
  if (output.empty()) return {};
  if (same_file(folder_of(output).string(), folder_of(checkpoint).string()))
    return fs::path(output).filename().string();
  return fs::absolute(output).lexically_normal().string();
}

std::string named_by_checkpoint(const std::string& output, const std::string& checkpoint) {
  return is_plain_name(output) ? (folder_of(checkpoint) / output).string() : output;
}

void check_named_by_checkpoint(const std::string& output, const std::string& checkpoint) {
  const auto refuse = [&](std::string_view what) {
    fail(
        "{}: the run wrote '{}', {}; to go on with that file name it: saltus resume {} -o {}; any other name "
        "takes the rest",
        checkpoint, output, what, checkpoint, output);
  };
  if (!is_plain_name(output)) refuse("which does not lie in the folder of the checkpoint");
  if (!is_result_name(output)) refuse("which is no file of results (.h5)");
  std::error_code trouble;
  const auto kind = fs::symlink_status(named_by_checkpoint(output, checkpoint), trouble).type();
  if (kind != fs::file_type::regular && kind != fs::file_type::not_found)
    refuse("which is a link, or no ordinary file");
}

ContactDump::ContactDump(const RunOptions& o, const CatalogProblem& p, const Method& method)
    : p_(p.problem), method_(method) {
  if (o.dump_at.empty()) {
    if (!o.dump_file.empty()) fail("--dump-file needs --dump-contact-problem-at");
    return;
  }
  at_ = parse_number(o.dump_at, "--dump-contact-problem-at");
  if (!(at_ >= p_.t0 && at_ <= p_.t_end))
    fail("--dump-contact-problem-at {}: the run goes from {} to {}", o.dump_at, p_.t0, p_.t_end);
  file_ = o.dump_file.empty() ? "contact-problem.fcp" : o.dump_file;
}

Sink ContactDump::around(Sink sink) {
  if (file_.empty()) return sink;
  return [this, sink](const Segment& s) {
    if (!done_ && at_ >= s.begin.t && (at_ < s.end.t || s.end.t >= p_.t_end))
      write(s.begin, s.end.t - s.begin.t);
    sink(s);
  };
}

void ContactDump::finish(RunReport& report) {
  if (file_.empty()) return;
  const State& last = report.result.final;
  if (!done_ && report.result.status == RunStatus::failed && last.t <= at_ && step_of(method_.stepping) > 0) {
    const std::int64_t n = step_count(p_.t0, p_.t_end, step_of(method_.stepping));
    write(last, n > 0 ? (p_.t_end - p_.t0) / static_cast<double>(n) : step_of(method_.stepping));
  }
  if (!done_) fail("the run ended at t = {:.9g}, before the contact problem of t = {:.9g}", last.t, at_);
  report.files.push_back(file_);
}

void ContactDump::write(const State& x, double h) {
  const auto problem = contact_problem_of_step(p_, method_, x, h);
  if (!problem) fail("no contact is active in the step from t = {:.9g}: there is no problem to dump", x.t);
  write_friction_problem(file_, *problem);
  done_ = true;
}

ResultInfo result_info(const RunOptions& o, const CatalogProblem& p, const RunReport& report) {
  ResultInfo info;
  info.problem = report.problem;
  for (const auto& f : report.parameters) info.settings += fmt::format("{}={}\n", f.name, f.value);
  info.scheme = saltus::to_text(report.method.scheme);
  info.levels = std::holds_alternative<GeneralizedAlpha>(report.method.scheme);
  if (std::holds_alternative<ToleranceSteps>(report.method.stepping)) info.dense_bytes = dense_bytes(o);
  info.stepping = saltus::to_text(report.method.stepping);
  info.solver = saltus::to_text(report.method.solver);
  for (const auto& [name, value] : o.target.settings()) info.given += fmt::format("{}={}\n", name, value);
  info.changes = as_lines(o.target.sets);
  info.t0 = p.problem.t0, info.t_end = p.problem.t_end, info.every = o.every;
  if (o.extended) info.extends = o.extended->from;
  if (const LoadedScene* scene = o.target.scene())
    info.scene = scene->text, info.coordinates = as_lines(scene->coordinates);
  return info;
}

ResultStream::ResultStream(const RunOptions& o, const CatalogProblem& p, const RunReport& report,
                           std::atomic<bool>& interruption)
    : interrupted_(interruption) {
  if (o.output.empty()) return;
  const bool append = o.from && !o.from->output.empty() && same_file(o.from->output, o.output);
  writer_ =
      std::make_unique<ResultWriter>(o.output, p.problem, result_info(o, p, report),
                                     append ? ResultWriter::Opening::append : ResultWriter::Opening::create);
  only_ = o.no_error && o.csv.empty() && o.figure.empty() && o.space_time.empty() && !o.times.any();
}

// A run whose results cannot be kept is ended in order: its file is closed with the rows it has.
void ResultStream::write(const Segment& s) {
  if (!trouble_.empty()) return;
  try {
    (*writer_)(s);
  } catch (const Error& e) {
    trouble_ = e.what();
    interrupted_ = true;
  }
}

Sink ResultStream::around(Sink sink) {
  if (!writer_) return sink;
  if (only_) return [this](const Segment& s) { write(s); };
  return [this, sink](const Segment& s) { write(s), sink(s); };
}

// A checkpoint beyond the rows of the file would be one that cannot be resumed.
Checkpoints ResultStream::around(const Checkpoints& points) {
  if (!writer_) return points;
  Checkpoints out = points.with("results", *writer_);
  if (out.save)
    out.save = [this, save = out.save](const Checkpoint& c) {
      if (trouble_.empty()) save(c);
    };
  return out;
}

void ResultStream::finish(const RunOptions& o, RunReport& report) {
  if (!writer_) return;
  for (bool again = true; again;) {
    if (!trouble_.empty()) report.result.status = RunStatus::failed, report.result.message = trouble_;
    try {
      writer_->finish(report.result);
      again = false;
    } catch (const Error& e) {
      again = trouble_.empty();  // once more, without the rows that wait
      trouble_ = e.what();
    }
  }
  if (std::filesystem::exists(o.output)) report.files.push_back(o.output);
}

CheckpointFile::CheckpointFile(const RunOptions& o, const CatalogProblem& p, const RunReport& report) {
  if (o.from) points_.resume = &o.from->at;
  if (!o.from_file.empty()) points_.every = o.from->every_steps, file_ = o.from_file;
  if (o.checkpoint.empty() && file_.empty()) return;
  if (!o.checkpoint.empty())
    for (const auto& [key, value] : split_spec("checkpoint:" + o.checkpoint).settings) {
      if (key == "every")
        points_.every = parse_integer(value, "--checkpoint every");
      else if (key == "file")
        file_ = value;
      else
        fail("--checkpoint {}: write every=STEPS or every=STEPS,file=NAME", o.checkpoint);
    }
  if (points_.every < 1) fail("--checkpoint {}: every must be a number of steps, at least 1", o.checkpoint);
  if (file_.empty()) file_ = std::filesystem::path(report.problem).stem().string() + ".ckpt";
  const LoadedScene* scene = o.target.scene();
  run_.problem = report.problem;
  if (scene) run_.scene = scene->text, run_.changes = o.target.sets;
  run_.settings = o.target.settings();
  run_.scheme = saltus::to_text(report.method.scheme);
  run_.stepping = saltus::to_text(report.method.stepping);
  run_.solver = saltus::to_text(report.method.solver);
  run_.ends = o.target.breakpoints;
  run_.t_end = p.problem.t_end, run_.accept_penetration = o.target.accept_penetration;
  run_.every_steps = points_.every, run_.output_every = o.every, run_.no_error = o.no_error, run_.csv = o.csv;
  run_.output = name_for_checkpoint(o.output, file_);
  points_.save = [this](const Checkpoint& c) {
    run_.at = c;
    save_checkpoint(file_, run_);
  };
}

void CheckpointFile::finish(RunReport& report) const {
  if (points_.save && run_.at.stats.steps > 0) report.files.push_back(file_);
}

}  // namespace saltus::cli

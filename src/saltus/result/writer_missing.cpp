// The writer of a build without HDF5: it says so.
#include "saltus/core/error.hpp"
#include "saltus/result/result.hpp"

#ifndef SALTUS_WITH_HDF5

namespace saltus {

struct ResultWriter::Impl {};
ResultWriter::ResultWriter(const std::string& file, const Problem& problem, const ResultInfo&, Opening)
    : problem_(problem) {
  fail("{}: this saltus was built without HDF5; install libhdf5-dev and build it anew, or write .csv", file);
}
ResultWriter::~ResultWriter() = default;
void ResultWriter::operator()(const Segment&) {}
void ResultWriter::flush() {}
void ResultWriter::memory(Memory&) {}
void ResultWriter::finish(const RunResult&) {}

}  // namespace saltus

#endif

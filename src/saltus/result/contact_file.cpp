#include "saltus/result/contact_file.hpp"

#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/core/plain_text.hpp"
#include "saltus/result/result.hpp"
#ifdef SALTUS_WITH_HDF5
#include "saltus/result/memory_file.hpp"
#endif

namespace saltus {
namespace {

struct ContactField {
  const char *name, *unit;
  double ContactRecord::Row::*value;
};
constexpr ContactField contact_fields[] = {{"overlap", "m", &ContactRecord::Row::overlap},
                                           {"force", "N", &ContactRecord::Row::force},
                                           {"energy", "J", &ContactRecord::Row::energy}};

void write_contact_text(const std::string& file, const ContactRecord& record) {
  OutputFile out(file);
  std::string text = "t";
  for (const int n : record.contacts())
    for (const ContactField& c : contact_fields) text += fmt::format(",{}[{}]", c.name, n);
  text += "\n";
  for (std::size_t i = 0; i < record.times().size(); ++i) {
    append(text, record.times()[i]);
    for (std::size_t k = 0; k < record.contacts().size(); ++k)
      for (const ContactField& c : contact_fields) append(text += ',', record.at(i, k).*c.value);
    text += "\n";
    out.write(text);
    text.clear();
  }
  out.write(text);
  out.commit();
}

#ifdef SALTUS_WITH_HDF5

void write_contact_h5(const std::string& file, const ContactRecord& record) {
  MemoryFile out(file, "contacts");
  const auto times = record.times();
  const auto contacts = record.contacts();
  out.dataset("t", H5T_NATIVE_DOUBLE, times.data(), times.size()).unit("s");
  out.dataset("number", H5T_NATIVE_INT32, contacts.data(), contacts.size());
  std::vector<double> values(times.size() * contacts.size());
  for (const ContactField& c : contact_fields) {
    for (std::size_t i = 0, at = 0; i < times.size(); ++i)
      for (std::size_t k = 0; k < contacts.size(); ++k) values[at++] = record.at(i, k).*c.value;
    out.dataset(c.name, H5T_NATIVE_DOUBLE, values.data(), times.size(), contacts.size()).unit(c.unit);
  }
  out.write();
}

#else

void write_contact_h5(const std::string& file, const ContactRecord&) {
  fail("{}: this saltus was built without HDF5; install libhdf5-dev and build it anew, or write .csv", file);
}

#endif

}  // namespace

void write_contacts(const std::string& file, const ContactRecord& record) {
  (is_result_name(file) ? write_contact_h5 : write_contact_text)(file, record);
}

}  // namespace saltus

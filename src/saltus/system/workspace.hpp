// What an evaluation of a system needs beside its arguments: scratch memory, and a record of values that are
// not finite. Systems are const and shared, so the memory belongs to the caller: a CheckedSystem
// (system/checked.hpp) has one and hands it in. A system that needs scratch memory derives its own type and
// makes it in make_workspace(); it gets back what it made. One workspace serves one evaluation at a time.
#pragma once
#include "saltus/core/fault.hpp"

namespace saltus {

class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  virtual ~Workspace() = default;

  Faults& faults() { return shared_ ? *shared_ : own_; }
  /// From now on faults are recorded there. Workspaces with other CheckedSystems inside pass it on.
  virtual void share(Faults& faults) { shared_ = &faults; }

 private:
  Faults own_;
  Faults* shared_ = nullptr;
};

}  // namespace saltus

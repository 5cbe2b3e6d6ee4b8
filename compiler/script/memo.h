// Kernels evaluated once and used again by later evaluations of an edited script (docs/house.md).
//
// What a kernel becomes is decided by its text and by the values that its names lead to: constants, layouts, functions
// (again with their text and names), classes, instances. Before a kernel is evaluated all of that is made into one key
// (fingerprint.h); a record with the same key is used instead of evaluating. Nothing in a key is a position in the
// file, so a kernel that moved keeps its record; spans in the record name statements (text/span.h), which are led to
// where those statements stand now.
//
// A record is reusable only where the key tells all: not if the evaluation changed what it read, asked the loader for
// another script, made further kernels, or met a value that a key cannot describe (a buffer outside of any kernel, a
// run-time expression). Such a kernel is evaluated again each time, which is slower and never wrong.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/kernel.h"
#include "compiler/syntax/tree.h"
#include "compiler/text/diagnostic.h"
#include "compiler/text/digest.h"

namespace tilewright::script {

class LastRun;  // last_run.h

struct KernelRecord {
  virtual ~KernelRecord() = default;
  text::Digest key;
  bool reusable = false;
  ir::Kernel kernel;
  bool failed = false;
  std::vector<text::Diagnostic> diagnostics;  // reported by this kernel, in order
  std::uint64_t steps = 0, bytes = 0;         // what it took of the file's limits
  // The statements that the key describes, in the order in which it does; an equal key lists equal texts.
  std::vector<std::shared_ptr<const syntax::TopLevel>> statements;
  std::vector<std::string> prelude;  // files of the prelude that were loaded when it was made
};

// Where records are kept. One evaluation uses it at a time.
class KernelMemo {
 public:
  virtual ~KernelMemo() = default;
  // An empty record, of the type that the owner wants.
  virtual std::shared_ptr<KernelRecord> make() = 0;
  // The records with this key; several where one text stands in a file more than once.
  virtual std::vector<std::shared_ptr<KernelRecord>> find(const text::Digest& key) = 0;
  virtual void keep(std::shared_ptr<KernelRecord> record) = 0;
  // A record that find() gave earlier, or that was kept, is used again without being looked for.
  virtual void use(const std::shared_ptr<KernelRecord>&) {}
  // What the last run under these surroundings left (last_run.h). A memo that remembers gives it away, null at first,
  // and is given it back.
  virtual bool remembers() const { return false; }
  virtual std::unique_ptr<LastRun> take_last_run(const text::Digest& surroundings);
  virtual void keep_last_run(const text::Digest& surroundings, std::unique_ptr<LastRun> run);
};

}  // namespace tilewright::script

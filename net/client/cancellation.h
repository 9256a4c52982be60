// SPDX-License-Identifier: Apache-2.0
// Breaks off the waits of blocking clients, from any thread.
#pragma once

#include <memory>

#include "base/result.h"

namespace dray::net::client {

/// Ends the waits of every client and stream made with it, from any thread, permanently.
class Cancellation {
 public:
  /// Errors: kServiceUnavailable  no descriptor is free.
  static Result<std::shared_ptr<Cancellation>> Create();
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  void Cancel() const;
  bool cancelled() const;
  /// Readable once cancelled.
  int descriptor() const { return descriptor_; }

 private:
  explicit Cancellation(int descriptor) : descriptor_(descriptor) {}
  const int descriptor_;
};

}  // namespace dray::net::client

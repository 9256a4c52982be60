// SPDX-License-Identifier: Apache-2.0
// Commits that are begun together and become durable together.
#pragma once

namespace dray::store {

/// What a store that waits for a disk has beside Store. Any thread.
class CommitHolder {
 public:
  CommitHolder() = default;
  CommitHolder(const CommitHolder&) = delete;
  CommitHolder& operator=(const CommitHolder&) = delete;
  virtual ~CommitHolder() = default;

  /// Until Release, commits wait for those that the caller begins meanwhile. Who holds them
  /// prepares and begins some, and waits for nothing in between. Any number may hold them at a
  /// time.
  virtual void Hold() = 0;
  virtual void Release() = 0;
};

/// Holds commits as long as it exists; none if there is no holder.
class HeldCommits {
 public:
  explicit HeldCommits(CommitHolder* holder) : holder_(holder) {
    if (holder_ != nullptr) holder_->Hold();
  }
  ~HeldCommits() {
    if (holder_ != nullptr) holder_->Release();
  }
  HeldCommits(const HeldCommits&) = delete;
  HeldCommits& operator=(const HeldCommits&) = delete;

 private:
  CommitHolder* const holder_;
};

}  // namespace dray::store

// A blocking collective that gives way where it would wait.
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "algorithms/fiber/fiber_pool.hpp"
#include "algorithms/transport/transport.hpp"

namespace sparsewire {

// Runs body(transport) on a fiber of its own. That transport is `outer` with every tag moved up by
// `first_tag`; there are `tags` of them, and more throw std::invalid_argument in the body. What `outer` is
// asked that may wait is asked on the caller's stack, never on the fiber's. `outer` must outlive the fiber,
// whose destruction unwinds a body that has not ended.
class CollectiveFiber {
 public:
  CollectiveFiber(Transport& outer, Tag first_tag, Tag tags, std::function<void(Transport&)> body);
  CollectiveFiber(const CollectiveFiber&) = delete;
  CollectiveFiber& operator=(const CollectiveFiber&) = delete;

  // Runs the body until it ends or waits. `found`: which of awaited() has arrived, if it waited before.
  void go_on(std::size_t found = 0);

  bool has_ended() const { return ended_; }
  std::exception_ptr error() const { return error_; }  // what the body threw

  // What a body that has not ended waits for, by the tags of `outer`.
  std::span<const Source> awaited() const { return awaited_; }

 private:
  class Inside;
  enum class Request : std::uint8_t { none, look, wait };

  void run();
  void ask(Request request, std::span<const Source> sources);

  Transport& outer_;
  Tag first_tag_, tags_;
  std::function<void(Transport&)> body_;
  std::exception_ptr error_;
  bool ended_ = false;
  Request request_ = Request::none;
  std::vector<Source> awaited_;
  std::optional<std::size_t> found_;
  FiberPool fiber_;  // last: unwound first
};

}  // namespace sparsewire

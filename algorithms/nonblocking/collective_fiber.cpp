#include "algorithms/nonblocking/collective_fiber.hpp"

#include <boost/context/fiber.hpp>
#include <stdexcept>
#include <string>

namespace sparsewire {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;  // virtual memory until touched

}  // namespace

// The collective's view of `outer`.
class CollectiveFiber::Inside final : public Transport {
 public:
  explicit Inside(CollectiveFiber& fiber) : fiber_(fiber) {}

  Rank rank() const override { return fiber_.outer_.rank(); }
  Rank size() const override { return fiber_.outer_.size(); }
  Seconds now() const override { return fiber_.outer_.now(); }
  void compute(const Work& work) override { fiber_.outer_.compute(work); }

 private:
  void do_send(Rank to, Tag tag, Message message) override {
    fiber_.outer_.send(to, outer_tag(tag), std::move(message));
  }
  Message do_recv(Rank from, Tag tag) override {
    const Source source{from, tag};
    do_wait_any({&source, 1});
    return fiber_.outer_.recv(from, outer_tag(tag));
  }
  std::optional<std::size_t> do_arrived(std::span<const Source> sources) override {
    fiber_.ask(Request::look, moved(sources));
    return fiber_.found_;
  }
  std::size_t do_wait_any(std::span<const Source> sources) override {
    fiber_.ask(Request::wait, moved(sources));
    return *fiber_.found_;
  }

  Tag outer_tag(Tag tag) const {
    if (tag >= fiber_.tags_)
      throw std::invalid_argument("a started collective uses tag " + std::to_string(tag) +
                                  ", expected one in [0, " + std::to_string(fiber_.tags_) + ")");
    return fiber_.first_tag_ + tag;
  }
  std::vector<Source> moved(std::span<const Source> sources) const {
    std::vector<Source> outer(sources.begin(), sources.end());
    for (Source& source : outer) source.tag = outer_tag(source.tag);
    return outer;
  }

  CollectiveFiber& fiber_;
};

CollectiveFiber::CollectiveFiber(Transport& outer, Tag first_tag, Tag tags,
                                 std::function<void(Transport&)> body)
    : outer_(outer),
      first_tag_(first_tag),
      tags_(tags),
      body_(std::move(body)),
      fiber_(1, kStackBytes, FiberOrder::fifo, 0, [this](std::size_t) { run(); }) {}

void CollectiveFiber::run() {
  try {
    Inside inside(*this);
    body_(inside);
  } catch (const boost::context::detail::forced_unwind&) {
    throw;
  } catch (...) {
    error_ = std::current_exception();
  }
  ended_ = true;
}

void CollectiveFiber::ask(Request request, std::span<const Source> sources) {
  request_ = request;
  awaited_.assign(sources.begin(), sources.end());
  fiber_.park();
}

void CollectiveFiber::go_on(std::size_t found) {
  if (request_ == Request::wait) {
    found_ = found;
    fiber_.wake(0);
  }
  fiber_.run();
  while (!ended_ && request_ == Request::look) {
    found_ = outer_.arrived(awaited_);
    fiber_.wake(0);
    fiber_.run();
  }
}

}  // namespace sparsewire

// A transport that counts what passes through it.
#pragma once

#include "algorithms/transport/world.hpp"

namespace sparsewire {

// Forwards everything to `inner`, which must outlive it, and counts this rank's sends and work.
class Counting final : public Transport {
 public:
  explicit Counting(Transport& inner) : inner_(inner) {}

  const Counters& counters() const { return counters_; }

  Rank rank() const override { return inner_.rank(); }
  Rank size() const override { return inner_.size(); }
  Seconds now() const override { return inner_.now(); }
  void compute(const Work& work) override {
    counters_.work += work;
    inner_.compute(work);
  }

 private:
  void do_send(Rank to, Tag tag, Message message) override {
    ++counters_.messages;
    counters_.wire_bytes += message.wire_size();
    inner_.send(to, tag, std::move(message));
  }
  Message do_recv(Rank from, Tag tag) override { return inner_.recv(from, tag); }
  std::optional<std::size_t> do_arrived(std::span<const Source> sources) override {
    return inner_.arrived(sources);
  }
  std::size_t do_wait_any(std::span<const Source> sources) override { return inner_.wait_any(sources); }

  Transport& inner_;
  Counters counters_;
};

}  // namespace sparsewire

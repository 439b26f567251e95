// How a run ended, as bytes that cross the border of a process. Part of SimGridWorld.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/transport/world.hpp"

namespace sparsewire {

// The results, or what World::run is to throw.
struct RunOutcome {
  enum class Kind : std::uint8_t { results, rank_error, deadlock, unreceived, invalid_argument, failure };

  Kind kind = Kind::results;
  RunResult results;    // of Kind::results
  std::string message;  // of all other kinds
  Rank rank = 0;        // of Kind::rank_error
};

namespace detail {

class Encoder {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(&value, sizeof value);
  }
  void put_sized(const void* data, std::uint64_t size) {
    put(size);
    put_bytes(data, size);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void put_bytes(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  std::vector<std::byte> bytes_;
};

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> get_sized() { return take(get<std::uint64_t>()); }

 private:
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes_.size()) throw std::runtime_error("the result of a simulation is cut short");
    const auto head = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return head;
  }
  std::span<const std::byte> bytes_;
};

}  // namespace detail

inline std::vector<std::byte> encode(const RunOutcome& outcome) {
  detail::Encoder encoder;
  encoder.put(outcome.kind);
  encoder.put(outcome.rank);
  encoder.put_sized(outcome.message.data(), outcome.message.size());
  encoder.put(outcome.results.size());
  for (const RankResult& result : outcome.results) {
    encoder.put(result.finish);
    encoder.put(result.counters);
    encoder.put_sized(result.output.data(), result.output.size());
  }
  return encoder.take();
}

// Throws std::runtime_error if the bytes end too early.
inline RunOutcome decode_outcome(std::span<const std::byte> bytes) {
  detail::Decoder decoder(bytes);
  RunOutcome outcome;
  outcome.kind = decoder.get<RunOutcome::Kind>();
  outcome.rank = decoder.get<Rank>();
  const auto message = decoder.get_sized();
  outcome.message.assign(reinterpret_cast<const char*>(message.data()), message.size());
  const auto ranks = decoder.get<std::size_t>();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    RankResult& result = outcome.results.emplace_back();
    result.finish = decoder.get<Seconds>();
    result.counters = decoder.get<Counters>();
    const auto output = decoder.get_sized();
    result.output.assign(output.begin(), output.end());
  }
  return outcome;
}

// The results, or the exception that stands for how the run ended.
inline RunResult results_or_throw(RunOutcome outcome) {
  using Kind = RunOutcome::Kind;
  switch (outcome.kind) {
    case Kind::results:
      return std::move(outcome.results);
    case Kind::rank_error:
      throw RankError(outcome.rank, outcome.message);
    case Kind::deadlock:
      throw DeadlockError(outcome.message);
    case Kind::unreceived:
      throw UnreceivedError(outcome.message);
    case Kind::invalid_argument:
      throw std::invalid_argument(outcome.message);
    case Kind::failure:
      break;
  }
  throw std::runtime_error(outcome.message);
}

}  // namespace sparsewire

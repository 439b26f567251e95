// The forms of the lossless algorithms that came after SparCML's.
#include <cmath>

#include "model/codec.hpp"
#include "model/forms.hpp"

namespace sparsewire {
namespace {

struct Layer {
  Rank degree, subgroup;  // `subgroup` ranks in each of `degree`
};

// The layers as a rank of the largest subgroups sees them.
std::vector<Layer> layers_of(Rank ranks, const std::vector<std::uint64_t>& degrees) {
  std::vector<Layer> layers;
  for (Rank group = ranks; group > 1; group = layers.back().subgroup) {
    const std::uint64_t wanted = degrees[std::min(layers.size(), degrees.size() - 1)];
    const Rank degree = static_cast<Rank>(std::min(wanted, static_cast<std::uint64_t>(group)));
    layers.push_back({degree, (group + degree - 1) / degree});
  }
  return layers;
}

// `count` messages to others, each of bytes_of().
template <class BytesOf>
std::vector<Flight<Terms>> send_each(Representative& rank, Rank count, const BytesOf& bytes_of) {
  std::vector<Flight<Terms>> flights;
  for (Rank i = 0; i < count; ++i) flights.push_back(rank.send(bytes_of()));
  return flights;
}

// `count` messages of `bytes` bytes to others.
std::vector<Flight<Terms>> send_many(Representative& rank, Rank count, std::uint64_t bytes) {
  return send_each(rank, count, [&] { return bytes; });
}

Terms kylix_form(Representative rank, const std::vector<std::uint64_t>& degrees) {
  const CostInput& input = rank.input();
  const std::vector<Layer> layers = layers_of(input.ranks, degrees);
  Held mine = rank.sparse(1);
  Rank summed = 1, group = input.ranks;
  for (const Layer& layer : layers) {
    const double share = static_cast<double>(layer.subgroup) / input.ranks;
    const Held part = rank.part_of(mine, static_cast<double>(layer.subgroup) / group);
    Held total = part;
    Rank step = 1;
    for (const Flight<Terms>& flight : send_each(rank, layer.degree - 1, [&] { return rank.packed(part); })) {
      rank.receive(flight);
      rank.unpacked(part);
      total = rank.add(total, part, union_of(input, summed * ++step) * share);
    }
    summed = std::min(summed * layer.degree, input.ranks);
    group = layer.subgroup;
    mine = total;
  }
  const std::uint64_t block = rank.packed_result(mine);
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const std::uint64_t bundle = block * static_cast<std::uint64_t>(layer->subgroup);
    for (const Flight<Terms>& flight : send_many(rank, layer->degree - 1, bundle)) rank.receive(flight);
  }
  rank.unpacked_result(mine, input.ranks);
  rank.concat(mine, input.ranks);
  return rank.clock();
}

// A recursive doubling of `count` numbers of 8 bytes. A fold is two messages more.
void doubling_of_numbers(Representative& rank, Rank count) {
  const Rank power = power_of_two(rank.input().ranks);
  const auto numbers = static_cast<std::uint64_t>(count);
  const std::uint64_t bytes = dense_stream_bytes(numbers, 8);
  const bool folds = power != rank.input().ranks;
  for (Rank reached = 1; reached < (folds ? 2 * power : power); reached *= 2) {
    rank.exchange(bytes);
    rank.work(WorkKind::dense_add, numbers);
  }
  if (folds) rank.exchange(bytes);
}

Terms balanced_split_form(Representative rank) {
  const Rank ranks = rank.input().ranks;
  const Held mine = rank.sparse(1);
  if (mine.dense) rank.work(WorkKind::scan, mine.length);
  doubling_of_numbers(rank, ranks);
  const Held owned = direct_split_form(rank, {});
  bruck_allgather_form(rank, rank.packed_result(owned));
  rank.unpacked_result(owned, ranks);
  rank.concat(owned, ranks);
  return rank.clock();
}

// The bytes of a bitmap of an owner's sum of `count` elements; none where it is pulled as it is held.
std::optional<std::uint64_t> bitmap_bytes(const Representative& rank, const Held& owned,
                                          std::uint64_t count) {
  if (rank.input().coding.codec != Codec::pairs || rank.is_rounded(owned)) return std::nullopt;
  const std::uint64_t bytes =
      kStreamHeaderBytes + quotient_up(owned.length, 64) * 8 + padded_to_8(count * rank.input().value_bytes);
  return bytes < rank.bytes(owned) ? std::optional(bytes) : std::nullopt;
}

// Every rank gets every owner's sum.
void pull_form(Representative& rank, const Held& owned, std::uint64_t count) {
  const Rank ranks = rank.input().ranks;
  const std::optional<std::uint64_t> bitmap = bitmap_bytes(rank, owned, count);
  if (!bitmap) {
    bruck_allgather_form(rank, rank.packed_result(owned));
    rank.unpacked_result(owned, ranks);
    return;
  }
  rank.work(encode_work(Codec::bitmap, Codec::bitmap, count, owned.length, owned.dense));
  bruck_allgather_form(rank, *bitmap);
  for (Rank block = 0; block < ranks; ++block)
    rank.work(decode_work(Codec::bitmap, count, owned.length, owned.dense));
}

Terms zen_form(Representative rank) {
  const CostInput& input = rank.input();
  const Held mine = rank.sparse(1);
  rank.work(WorkKind::scatter_add, mine.dense ? mine.length : mine.count);
  const Held owned = direct_split_form(rank, {});
  const std::uint64_t count = rounded(union_of(input, input.ranks) / input.ranks);
  pull_form(rank, owned, count);
  const std::uint64_t held =
      (owned.dense ? owned.length : owned.count) * static_cast<std::uint64_t>(input.ranks);
  if (owned.dense) rank.work(WorkKind::scan, held);
  if (reaches_break_even(held, input.dimension, input.value_bytes)) {
    rank.work(WorkKind::fill, input.dimension);
    rank.work(WorkKind::scatter_add, held);
  } else {
    rank.work(WorkKind::scatter_add, 2 * held);
  }
  return rank.clock();
}

// The algorithms that end with a dense vector whatever the union.
bool ends_dense(const AlgorithmSpec& algorithm) {
  if (algorithm.name == "two-level") return ends_dense(parse_algorithm(algorithm.text("outer")));
  return algorithm.name.starts_with("dense-") || algorithm.name == "dsar-split-allgather";
}

// The form of an algorithm that stands in another one; a dense one then has to make its input dense.
std::optional<Terms> nested_form(const Representative& start, const AlgorithmSpec& algorithm,
                                 bool dense_input) {
  const std::optional<Terms> terms = form_of(algorithm, start);
  if (!terms || dense_input || !algorithm.name.starts_with("dense-")) return terms;
  Representative rank = start;
  rank.densify(rank.sparse(1));
  return rank.clock() + *terms;
}

// Within a node, among the nodes, and back: one after the other.
std::optional<Terms> two_level_form(const Representative& start, const AlgorithmSpec& algorithm) {
  const CostInput& input = start.input();
  const Rank size =
      static_cast<Rank>(std::min(algorithm.number("node"), static_cast<std::uint64_t>(input.ranks)));
  CostInput node{size, input.dimension, input.value_bytes, {}, input.coding}, nodes = node;
  node.coding.quantisation = {};  // only the nodes' sum is final
  for (Rank rank = 1; rank <= size; ++rank) node.union_sizes.push_back(union_of(input, rank));
  nodes.ranks = (input.ranks + size - 1) / size;
  for (Rank rank = 1; rank <= nodes.ranks; ++rank) nodes.union_sizes.push_back(union_of(input, rank * size));
  const AlgorithmSpec inner = parse_algorithm(algorithm.text("inner")),
                      outer = parse_algorithm(algorithm.text("outer"));
  const auto inside = nested_form(start.on(node), inner, false);
  const auto outside = nested_form(start.on(nodes), outer, ends_dense(inner));
  if (!inside || !outside) return std::nullopt;
  node.union_sizes.assign(node.union_sizes.size(), ends_dense(outer) ? static_cast<double>(input.dimension)
                                                                     : union_of(input, input.ranks));
  Representative leader = start.on(node);
  const Held total = leader.sparse(1);
  leader.packed(total);
  leader.unpacked(total);
  return *inside + *outside + *form_of({"broadcast-binomial", {}}, start.on(node)) + leader.clock();
}

// What one rank has to do with each round of the streams, where all ranks are aggregators alike.
struct StreamingRates {
  double sent_up = 0, received_up = 0;    // blocks, as a worker and as an aggregator
  double results = 0, received_down = 0;  // as an aggregator and as a worker
};

StreamingRates rates_of(const CostInput& input, double streams, Rank aggregators, double density) {
  const double ranks = input.ranks, others = (ranks - 1) / ranks;
  const double served = streams / aggregators;
  return {streams * density * others, served * density * ranks * others, served, streams * others};
}

// One round: blocks to aggregators, sums of what came, results to all.
void streaming_round(Representative& rank, const StreamingRates& rates, std::uint64_t up, std::uint64_t down,
                     std::uint64_t block) {
  const auto received = rounded(rates.received_up), results = rounded(rates.results);
  const std::vector<Flight<Terms>> blocks = send_many(
      rank, static_cast<Rank>(std::max(rounded(rates.sent_up), std::min<std::uint64_t>(received, 1))), up);
  for (std::uint64_t i = 0; i < received; ++i) {
    rank.receive(blocks[std::min<std::uint64_t>(i, blocks.size() - 1)]);
    rank.work(WorkKind::dense_add, block);
  }
  const auto copies = results * static_cast<std::uint64_t>(rank.input().ranks - 1);
  const std::vector<Flight<Terms>> flights = send_many(rank, static_cast<Rank>(copies), down);
  for (std::uint64_t i = 0; i < rounded(rates.received_down) && !flights.empty(); ++i)
    rank.receive(flights[std::min<std::uint64_t>(i, flights.size() - 1)]);
}

// Blocks of the union, in rounds of as many as there are streams. Elements are taken to fall on blocks at
// random.
Terms omnireduce_form(Representative rank, const AlgorithmSpec& algorithm) {
  const CostInput& input = rank.input();
  const auto ranks = static_cast<std::uint64_t>(input.ranks);
  const std::uint64_t block =
      std::min(algorithm.number("block"), std::max<std::uint64_t>(input.dimension, 1));
  const std::uint64_t wanted = algorithm.number("aggregators");
  const auto aggregators = wanted == 0 ? ranks : std::min(wanted, ranks);
  const double blocks =
      static_cast<double>(std::max<std::uint64_t>(1, (input.dimension + block - 1) / block));
  const auto density = [&](Rank of) {
    const double elements = union_of(input, of) / std::max(static_cast<double>(input.dimension), 1.0);
    return -std::expm1(static_cast<double>(block) * std::log1p(-std::min(elements, 1 - 1e-15)));
  };
  const double streams = std::min(blocks, static_cast<double>(algorithm.number("slots") * aggregators));
  const double own = density(1), all = density(input.ranks);
  const std::uint64_t full = dense_stream_bytes(block, input.value_bytes) + 8, empty = kStreamHeaderBytes + 8;
  const auto bytes = [&](double share) {
    return rounded(share * static_cast<double>(full) + (1 - share) * static_cast<double>(empty));
  };
  if (rank.sparse(1).dense) rank.work(WorkKind::scan, input.dimension);
  const std::uint64_t first = rounded(static_cast<double>(block) * own);
  rank.work(WorkKind::fill, rounded(blocks * own * static_cast<double>(block)));
  rank.work(WorkKind::scatter_add, rounded(union_of(input, 1)));
  streaming_round(rank, rates_of(input, streams, static_cast<Rank>(aggregators), 1), bytes(own), bytes(all),
                  first);
  const auto rounds = rounded(std::max(0.0, blocks * all / streams - 1));
  const StreamingRates rates =
      rates_of(input, streams, static_cast<Rank>(aggregators), all > 0 ? own / all : 0);
  for (std::uint64_t round = 0; round < rounds; ++round) streaming_round(rank, rates, full, full, block);
  if (!rank.sparse(input.ranks).dense)
    rank.work(WorkKind::scan, rounded(blocks * all * static_cast<double>(block)));
  return rank.clock();
}

}  // namespace

std::optional<Terms> lossless_form(const AlgorithmSpec& algorithm, const Representative& start) {
  const std::string& name = algorithm.name;
  if (name == "kylix") return kylix_form(start, algorithm.numbers("degrees"));
  if (name == "balanced-split-allgather") return balanced_split_form(start);
  if (name == "zen") return zen_form(start);
  if (name == "omnireduce") return omnireduce_form(start, algorithm);
  if (name == "two-level") return two_level_form(start, algorithm);
  return std::nullopt;
}

}  // namespace sparsewire

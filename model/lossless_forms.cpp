// The forms of the lossless algorithms that came after SparCML's.
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

// `count` messages of `bytes` bytes to others, then as many from others.
std::vector<Flight<Terms>> send_many(Representative& rank, Rank count, std::uint64_t bytes) {
  std::vector<Flight<Terms>> flights;
  for (Rank i = 0; i < count; ++i) flights.push_back(rank.send(bytes));
  return flights;
}

Terms kylix_form(Representative rank, const std::vector<std::uint64_t>& degrees) {
  const CostInput& input = rank.input();
  const std::vector<Layer> layers = layers_of(input.ranks, degrees);
  Held mine = rank.sparse(1);
  Rank summed = 1;
  for (const Layer& layer : layers) {
    const double share = static_cast<double>(layer.subgroup) / input.ranks;
    const Held part = rank.share_of(mine, union_of(input, summed) * share, share);
    Held total = part;
    Rank step = 1;
    for (const Flight<Terms>& flight : send_many(rank, layer.degree - 1, rank.bytes(part))) {
      rank.receive(flight);
      total = rank.add(total, part, union_of(input, summed * ++step) * share);
    }
    summed = std::min(summed * layer.degree, input.ranks);
    mine = total;
  }
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const std::uint64_t bundle = rank.bytes(mine) * static_cast<std::uint64_t>(layer->subgroup);
    for (const Flight<Terms>& flight : send_many(rank, layer->degree - 1, bundle)) rank.receive(flight);
  }
  rank.concat(mine, input.ranks);
  return rank.clock();
}

}  // namespace

std::optional<Terms> lossless_form(const AlgorithmSpec& algorithm, const Representative& start) {
  const std::string& name = algorithm.name;
  if (name == "kylix") return kylix_form(start, algorithm.numbers("degrees"));
  return std::nullopt;
}

}  // namespace sparsewire

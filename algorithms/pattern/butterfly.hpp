// The nested groups of a butterfly of mixed radix (Zhao, Canny, "Kylix", ICPP 2014,
// doi:10.1109/ICPP.2014.36; arXiv:1312.3020), for any number of ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/pattern/partition.hpp"
#include "model/units.hpp"

namespace sparsewire {

// One layer as a rank sees it: its group of `size` consecutive ranks from `first` on is cut into `degree`
// subgroups whose sizes differ by one at most, the larger ones first. The rank at place i of a subgroup is
// paired with place i of every other one, or with its last place where that one is smaller.
struct ButterflyLayer {
  Rank first = 0, size = 1, degree = 1;

  // Where subgroup j begins; subgroup `degree` begins at the end of the group.
  Rank begin_of(Rank subgroup) const {
    return first + static_cast<Rank>(part_begin(static_cast<std::uint64_t>(size), degree, subgroup));
  }
  Rank subgroup_of(Rank rank) const {
    const Rank larger = size % degree, length = size / degree, place = rank - first;
    const Rank in_larger = larger * (length + 1);
    return place < in_larger ? place / (length + 1) : larger + (place - in_larger) / length;
  }

  // Whom `rank` sends what subgroup j adds up.
  Rank receiver_in(Rank subgroup, Rank rank) const {
    const Rank place = rank - begin_of(subgroup_of(rank));
    return std::min(begin_of(subgroup) + place, begin_of(subgroup + 1) - 1);
  }
  // Who in subgroup j sends to `rank`: none, one, or two.
  std::vector<Rank> senders_in(Rank subgroup, Rank rank) const {
    const Rank own = subgroup_of(rank), place = rank - begin_of(own);
    const bool last = rank + 1 == begin_of(own + 1);
    const Rank end = begin_of(subgroup + 1), from = begin_of(subgroup) + place;
    std::vector<Rank> senders;
    for (Rank sender = from; sender < (last ? end : std::min(from + 1, end)); ++sender)
      senders.push_back(sender);
    return senders;
  }
};

// The layers of `rank`, from all ranks down to itself. The last of `degrees`, each at least 2, repeats until
// groups are single ranks; a degree above the group's size cuts it into single ranks.
inline std::vector<ButterflyLayer> butterfly_layers(Rank ranks, Rank rank,
                                                    const std::vector<std::uint64_t>& degrees) {
  std::vector<ButterflyLayer> layers;
  Rank first = 0, size = ranks;
  while (size > 1) {
    const std::uint64_t wanted = degrees[std::min(layers.size(), degrees.size() - 1)];
    const ButterflyLayer layer{first, size,
                               static_cast<Rank>(std::min(wanted, static_cast<std::uint64_t>(size)))};
    const Rank own = layer.subgroup_of(rank);
    first = layer.begin_of(own);
    size = layer.begin_of(own + 1) - first;
    layers.push_back(layer);
  }
  return layers;
}

}  // namespace sparsewire

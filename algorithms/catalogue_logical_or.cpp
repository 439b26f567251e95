// The algorithms compiled once for this operator.
#include "algorithms/catalogue.hpp"

namespace sparsewire {

template std::vector<AllreduceEntry<Stream<float, LogicalOr>>> allreduce_table();
template std::vector<AllreduceEntry<Stream<double, LogicalOr>>> allreduce_table();

}  // namespace sparsewire

// The algorithms compiled once for this operator.
#include "algorithms/catalogue.hpp"

namespace sparsewire {

template std::vector<AllreduceEntry<Stream<float, Minimum>>> allreduce_table();
template std::vector<AllreduceEntry<Stream<double, Minimum>>> allreduce_table();

}  // namespace sparsewire

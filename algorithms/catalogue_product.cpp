// The algorithms compiled once for this operator.
#include "algorithms/catalogue.hpp"

namespace sparsewire {

template std::vector<AllreduceEntry<Stream<float, Product>>> allreduce_table();
template std::vector<AllreduceEntry<Stream<double, Product>>> allreduce_table();

}  // namespace sparsewire

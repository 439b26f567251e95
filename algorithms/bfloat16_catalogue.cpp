#include "algorithms/half_catalogue.hpp"

namespace sparsewire {

template std::vector<AllreduceEntry<Coded<Bfloat16>>> allreduce_table();

}  // namespace sparsewire

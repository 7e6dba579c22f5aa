#include "kernels/registry.h"

#include "kernels/concat/concat.h"
#include "kernels/gather/gather.h"
#include "kernels/gather_elements/gather_elements.h"
#include "kernels/pad/pad.h"
#include "kernels/reshape/reshape.h"
#include "kernels/slice/slice.h"
#include "kernels/tile/tile.h"
#include "kernels/transpose/transpose.h"

namespace nestrt::kernels {

const KernelRegistry& registry() {
  static const OperatorRules operators[] = {
      concat_rules(),           // one a line, sorted
      gather_elements_rules(),  //
      gather_rules(),           //
      pad_rules(),              //
      reshape_rules(),          //
      slice_rules(),            //
      tile_rules(),             //
      transpose_rules(),        //
  };
  static const KernelRegistry instance{operators};
  return instance;
}

}  // namespace nestrt::kernels

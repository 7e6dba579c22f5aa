#include "kernels/registry.h"

#include "kernels/concat/concat.h"
#include "kernels/conv/conv.h"
#include "kernels/conv_transpose/conv_transpose.h"
#include "kernels/dense/dense.h"
#include "kernels/gather/gather.h"
#include "kernels/gather_elements/gather_elements.h"
#include "kernels/matmul/matmul.h"
#include "kernels/pad/pad.h"
#include "kernels/reshape/reshape.h"
#include "kernels/slice/slice.h"
#include "kernels/tile/tile.h"
#include "kernels/transpose/transpose.h"

namespace nestrt::kernels {

const KernelRegistry& registry() {
  static const OperatorRules operators[] = {
      concat_rules(),           // one a line, sorted
      conv_rules(),             //
      conv_transpose_rules(),   //
      dense_rules(),            //
      gather_rules(),           //
      gather_elements_rules(),  //
      matmul_rules(),           //
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

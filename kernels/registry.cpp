#include "kernels/registry.h"

#include "kernels/arg_reduce/arg_reduce.h"
#include "kernels/binary/binary.h"
#include "kernels/cast/cast.h"
#include "kernels/concat/concat.h"
#include "kernels/conv/conv.h"
#include "kernels/conv_transpose/conv_transpose.h"
#include "kernels/cumsum/cumsum.h"
#include "kernels/dense/dense.h"
#include "kernels/dequantize/dequantize.h"
#include "kernels/gather/gather.h"
#include "kernels/gather_elements/gather_elements.h"
#include "kernels/instance_norm/instance_norm.h"
#include "kernels/layer_norm/layer_norm.h"
#include "kernels/local_response_norm/local_response_norm.h"
#include "kernels/lp_norm/lp_norm.h"
#include "kernels/matmul/matmul.h"
#include "kernels/pad/pad.h"
#include "kernels/pool/pool.h"
#include "kernels/quantize/quantize.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reorder/reorder.h"
#include "kernels/requantize/requantize.h"
#include "kernels/reshape/reshape.h"
#include "kernels/resize/resize.h"
#include "kernels/select/select.h"
#include "kernels/slice/slice.h"
#include "kernels/softmax/softmax.h"
#include "kernels/tile/tile.h"
#include "kernels/transpose/transpose.h"
#include "kernels/unary/unary.h"

namespace nestrt::kernels {

const KernelRegistry& registry() {
  static const OperatorRules operators[] = {
      arg_reduce_rules(),           // one a line, sorted
      binary_rules(),               //
      cast_rules(),                 //
      concat_rules(),               //
      conv_rules(),                 //
      conv_transpose_rules(),       //
      cumsum_rules(),               //
      dense_rules(),                //
      dequantize_rules(),           //
      gather_elements_rules(),      //
      gather_rules(),               //
      instance_norm_rules(),        //
      layer_norm_rules(),           //
      local_response_norm_rules(),  //
      lp_norm_rules(),              //
      matmul_rules(),               //
      pad_rules(),                  //
      pool_rules(),                 //
      quantize_rules(),             //
      reduce_rules(),               //
      reorder_rules(),              //
      requantize_rules(),           //
      reshape_rules(),              //
      resize_rules(),               //
      select_rules(),               //
      slice_rules(),                //
      softmax_rules(),              //
      tile_rules(),                 //
      transpose_rules(),            //
      unary_rules(),                //
  };
  static const KernelRegistry instance{operators};
  return instance;
}

}  // namespace nestrt::kernels

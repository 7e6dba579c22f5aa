/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a first inference in C: first_inference PLAN */
#include <nestrt/nestrt.h>
#include <stdio.h>

int main(int argc, char** argv) {
  static const float image[3 * 32 * 32];
  const void* inputs[] = {image};
  const size_t input_bytes[] = {sizeof image};
  size_t bytes = 0;
  nestrt_model* model = NULL;
  if (argc != 2) return 2;

  if (nestrt_model_open(argv[1], "cpu", 0, &model) != NESTRT_OK ||
      nestrt_model_run(model, inputs, input_bytes) != NESTRT_OK) {
    fprintf(stderr, "%s\n", nestrt_last_error());
    return 1;
  }
  const float* scores = nestrt_model_output(model, 0, &bytes);
  for (size_t i = 0; i < bytes / sizeof *scores; ++i) printf("%g\n", (double)scores[i]);
  nestrt_model_free(model);
  return 0;
}

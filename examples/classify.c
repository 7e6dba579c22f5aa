/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies an image from C: classify_c PLAN IMAGE LABELS
 *
 * The network's input is 1 x 3 x H x W, x = (pixel - 128) / 64. A triangle filter scales the centre square of the image
 * down to H x W, as in nestrt run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb/stb_image.h>

#include "nestrt/nestrt.h"

/* Returns the weight of a pixel at this distance from the centre of a result pixel, in result pixels. */
static float weight(float distance) {
  return distance < 1 && distance > -1 ? 1 - (distance < 0 ? -distance : distance) : 0;
}

/* Returns pixel (x, y) of the centre square, scaled to size x size. */
static float sample(const unsigned char* rgb, int width, int height, int size, int channel, int x, int y) {
  const int side = width < height ? width : height;
  const int left = (width - side) / 2, top = (height - side) / 2;
  const float scale = side > size ? (float)side / (float)size : 1;
  float sum = 0, weights = 0;
  for (int row = 0; row < side; ++row) {
    const float vertical = weight(((float)row + 0.5f - ((float)y + 0.5f) * (float)side / (float)size) / scale);
    for (int column = 0; vertical > 0 && column < side; ++column) {
      const float both =
          vertical * weight(((float)column + 0.5f - ((float)x + 0.5f) * (float)side / (float)size) / scale);
      sum += both * (float)rgb[((top + row) * width + left + column) * 3 + channel];
      weights += both;
    }
  }
  return sum / weights;
}

/* Fills the session's input from an image. Returns 0 on success. */
static int load_image(const char* path, int size, float* input) {
  int width, height, channels;
  unsigned char* rgb = stbi_load(path, &width, &height, &channels, 3);
  if (rgb == NULL) {
    fprintf(stderr, "classify_c: '%s': %s\n", path, stbi_failure_reason());
    return 2;
  }
  for (int i = 0; i < 3 * size * size; ++i) {
    input[i] = (sample(rgb, width, height, size, i / (size * size), i % size, i / size % size) - 128) / 64;
  }
  stbi_image_free(rgb);
  return 0;
}

/* Prints line `index` of a file. */
static void print_label(const char* path, size_t index) {
  char line[256] = "";
  FILE* file = fopen(path, "r");
  for (size_t i = 0; file != NULL && i <= index && fgets(line, sizeof line, file) != NULL; ++i) continue;
  if (file != NULL) fclose(file);
  line[strcspn(line, "\r\n")] = '\0';
  printf("%s\n", line);
}

static int classify(nestrt_session* session, const char* image, const char* labels) {
  int64_t dims[4];
  if (nestrt_session_num_inputs(session) != 1 || nestrt_session_num_outputs(session) != 1 ||
      nestrt_session_input_type(session, 0) != NESTRT_F32 || nestrt_session_output_type(session, 0) != NESTRT_F32 ||
      nestrt_session_input_shape(session, 0, dims, 4) != 4 || dims[0] != 1 || dims[1] != 3 || dims[2] != dims[3]) {
    fprintf(stderr, "classify_c: the plan does not have one square RGB image as its input\n");
    return 2;
  }
  const size_t input_bytes = nestrt_session_input_bytes(session, 0),
               output_bytes = nestrt_session_output_bytes(session, 0);
  float* input = malloc(input_bytes);
  float* scores = malloc(output_bytes);
  int result = input == NULL || scores == NULL ? 2 : load_image(image, (int)dims[2], input);
  if (result == 0) {
    const void* inputs[] = {input};
    void* outputs[] = {scores};
    if (nestrt_session_run(session, inputs, &input_bytes, outputs, &output_bytes) != NESTRT_OK) {
      fprintf(stderr, "classify_c: %s\n", nestrt_last_error());
      result = 2;
    } else {
      size_t best = 0;
      for (size_t i = 1; i < output_bytes / sizeof *scores; ++i) best = scores[i] > scores[best] ? i : best;
      print_label(labels, best);
    }
  }
  free(scores);
  free(input);
  return result;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: classify_c PLAN IMAGE LABELS\n");
    return 2;
  }
  nestrt_plan* plan = NULL;
  nestrt_session* session = NULL;
  int result = 2;
  if (nestrt_plan_load(argv[1], &plan) != NESTRT_OK || nestrt_session_create(plan, "cpu", 0, &session) != NESTRT_OK) {
    fprintf(stderr, "classify_c: %s\n", nestrt_last_error());
  } else {
    result = classify(session, argv[2], argv[3]);
  }
  nestrt_session_free(session);
  nestrt_plan_free(plan);
  return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The skeleton of examples/vendor, under another name, for plug-ins that misbehave in one function only. */
#define nestrt_vendor_plugin nestrt_skeleton
#include "examples/vendor/skeleton/skeleton.c"

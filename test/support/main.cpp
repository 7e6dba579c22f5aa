// SPDX-License-Identifier: Apache-2.0
#include "test/support/run_tests.h"

int main(int count, char** arguments) { return nestrt::test::run_tests(count, arguments); }

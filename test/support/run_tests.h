#pragma once

namespace nestrt::test {

// What main() of a program of tests does: runs the cases that the arguments name, and reports. The exit code; not 0
// where nothing was tested.
int run_tests(int count, char** arguments);

}  // namespace nestrt::test

// What the kernel says of this process's threads.
#pragma once

#include <string_view>

namespace nestrt::test {

// Whether those whose names begin with `name`, `count` of them, are all asleep before long: they wait for nothing by
// turning round.
bool fall_asleep(std::string_view name, int count);

// Whether all but the caller are asleep before long: they have started, and wait.
bool others_fall_asleep();

}  // namespace nestrt::test

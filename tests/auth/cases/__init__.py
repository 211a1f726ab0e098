"""Authorization cases as data, and the engines that they run on."""

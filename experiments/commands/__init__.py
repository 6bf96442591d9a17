"""The commands of the experiments, a module each: parse, call one function, print."""

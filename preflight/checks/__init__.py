"""Rules, the predicates they name, and the engine that turns facts into findings."""

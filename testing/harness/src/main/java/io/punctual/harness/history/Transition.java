package io.punctual.harness.history;

import java.util.List;

/**
 * What a step may have done.
 *
 * @param next the state after it
 * @param breaches the promises that are broken if it did that
 */
record Transition(IdState next, List<Breach> breaches) {
  static Transition to(IdState next) {
    return new Transition(next, List.of());
  }

  static Transition breaking(Breach breach, IdState next) {
    return new Transition(next, List.of(breach));
  }
}

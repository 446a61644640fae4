package io.punctual.kit.history;

import java.util.List;

/**
 * A possible effect of a step.
 *
 * @param next the state after the step
 * @param breaches the breaches that the effect implies
 */
record Transition(IdState next, List<Breach> breaches) {
  static Transition to(IdState next) {
    return new Transition(next, List.of());
  }

  static Transition breaking(Breach breach, IdState next) {
    return new Transition(next, List.of(breach));
  }
}

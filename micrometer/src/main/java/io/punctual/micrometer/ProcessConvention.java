package io.punctual.micrometer;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.punctual.Delivery;

/**
 * Names and tags of the observation of a handler. The methods of this interface return the default
 * names and tags; override a method to change them. Low-cardinality key values become tags of
 * meters, so each key needs a limited number of different values.
 */
public interface ProcessConvention extends ObservationConvention<ProcessContext> {
  /** The default names and tags. */
  ProcessConvention DEFAULT = new ProcessConvention() {};

  @Override
  default String getName() {
    return "punctual.process";
  }

  @Override
  default String getContextualName(ProcessContext context) {
    return "process " + context.worker().queue();
  }

  @Override
  default KeyValues getLowCardinalityKeyValues(ProcessContext context) {
    return KeyValues.of(
        "listener",
        context.worker().name(),
        "outcome",
        context.outcome(),
        "queue",
        context.worker().queue());
  }

  /** Returns the id and the attempt of a single message, or the number of messages of a batch. */
  @Override
  default KeyValues getHighCardinalityKeyValues(ProcessContext context) {
    if (context.deliveries().size() > 1) {
      return KeyValues.of(
          "messaging.batch.message_count", Integer.toString(context.deliveries().size()));
    }
    Delivery<?> delivery = context.deliveries().get(0);
    return KeyValues.of(
        "messaging.message.id",
        delivery.id(),
        "punctual.attempt",
        Integer.toString(delivery.attempt()));
  }

  @Override
  default boolean supportsContext(Observation.Context context) {
    return context instanceof ProcessContext;
  }
}

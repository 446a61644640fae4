package io.punctual.micrometer;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names and tags of the observation of a schedule. The methods of this interface return the default
 * names and tags; override a method to change them. Low-cardinality key values become tags of
 * meters, so each key needs a limited number of different values.
 */
public interface ScheduleConvention extends ObservationConvention<ScheduleContext> {
  /** The default names and tags. */
  ScheduleConvention DEFAULT = new ScheduleConvention() {};

  @Override
  default String getName() {
    return "punctual.schedule";
  }

  @Override
  default String getContextualName(ScheduleContext context) {
    return "schedule " + context.queue();
  }

  @Override
  default KeyValues getLowCardinalityKeyValues(ScheduleContext context) {
    return KeyValues.of("outcome", context.outcome(), "queue", context.queue());
  }

  @Override
  default KeyValues getHighCardinalityKeyValues(ScheduleContext context) {
    return KeyValues.of("messaging.message.id", context.id());
  }

  @Override
  default boolean supportsContext(Observation.Context context) {
    return context instanceof ScheduleContext;
  }
}

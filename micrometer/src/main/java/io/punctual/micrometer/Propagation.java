package io.punctual.micrometer;

/**
 * How the trace of a handler relates to the trace of the schedule, for {@link
 * PunctualObservations}.
 */
public enum Propagation {
  /**
   * The handler begins a new trace, which links to the trace of the schedule. Fits messages that
   * are due much later: a trace does not stay open for days. Requires a {@link
   * LinkingTracingObservationHandler}; without this handler, the new trace has no link.
   */
  LINK,
  /**
   * The handler continues the trace of the schedule. A batch continues the trace of its first
   * message.
   */
  PARENT,
  /** The handler begins a new trace, without a link. */
  NONE
}

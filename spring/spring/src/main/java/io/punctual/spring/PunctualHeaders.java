package io.punctual.spring;

/**
 * The names of the headers that a listener's method can receive by {@code @Header}, in addition to
 * the headers of the message. If the message itself has a header {@code id} or {@code timestamp},
 * {@code @Header} cannot read it, because Spring reserves these names; use {@link
 * io.punctual.Delivery#headers}.
 */
public final class PunctualHeaders {
  /** The message's id: a string. */
  public static final String ID = "punctual_id";

  /** The queue's name: a string. */
  public static final String QUEUE = "punctual_queue";

  /** The number of this delivery, from 1: an {@code Integer}. */
  public static final String ATTEMPT = "punctual_attempt";

  /** When the message was due, by the store's clock: an {@code Instant}. */
  public static final String DUE_AT = "punctual_dueAt";

  /** How late the message is: a {@code Duration}. */
  public static final String LATENESS = "punctual_lateness";

  /** The delivery: an {@link io.punctual.Delivery}, or the list of deliveries of a batch. */
  public static final String DELIVERY = "punctual_delivery";

  private PunctualHeaders() {}
}

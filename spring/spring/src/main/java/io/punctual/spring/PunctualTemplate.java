package io.punctual.spring;

import io.punctual.CancelOutcome;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.RescheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.springframework.util.ClassUtils;

/**
 * Schedules and cancels messages by the name of the queue. The class of the payload decides the
 * codec. Use {@link PunctualQueues} for payloads with type parameters, which need the declared
 * type, and for the operations that this class does not have. Use {@link
 * io.punctual.Punctual#queue} for a queue whose listener names a codec. The methods throw the
 * exceptions of {@link PunctualQueues#get} and {@link TimedQueue}. Safe for use by many threads.
 */
public final class PunctualTemplate {
  private final PunctualQueues queues;

  /** Creates a template that uses these queues. */
  public PunctualTemplate(PunctualQueues queues) {
    this.queues = Objects.requireNonNull(queues, "queues");
  }

  /** Schedules a payload with a generated id; a negative delay means now. */
  public Scheduled schedule(String queue, Object payload, Duration delay) {
    return schedule(queue, Message.of(payload).dueIn(delay));
  }

  /** Schedules a payload with a generated id; a past instant means now. */
  public Scheduled schedule(String queue, Object payload, Instant dueAt) {
    return schedule(queue, Message.of(payload).dueAt(dueAt));
  }

  /** Schedules a message with {@link IfPresent#KEEP}. */
  public Scheduled schedule(String queue, Message<?> message) {
    return schedule(queue, message, IfPresent.KEEP);
  }

  /** Schedules a message. */
  public Scheduled schedule(String queue, Message<?> message, IfPresent ifPresent) {
    return queue(queue, message).schedule(untyped(message), ifPresent);
  }

  /** As {@link #schedule(String, Message, IfPresent)}, without waiting. */
  public CompletionStage<Scheduled> scheduleAsync(
      String queue, Message<?> message, IfPresent ifPresent) {
    return queues
        .getAsync(queue, type(message))
        .thenCompose(each -> each.scheduleAsync(untyped(message), ifPresent));
  }

  /** Cancels a message by its id. */
  public CancelOutcome cancel(String queue, String id) {
    return queues.get(queue, byte[].class).cancel(id);
  }

  /** Gives a waiting message a new due time, earlier or later. */
  public RescheduleOutcome reschedule(String queue, String id, Due due) {
    return queues.get(queue, byte[].class).reschedule(id, due);
  }

  private TimedQueue<Object> queue(String queue, Message<?> message) {
    return queues.get(queue, type(message));
  }

  /**
   * Returns the class of the payload. For a proxy that Spring or Hibernate created, returns the
   * class of the application, which the proxy extends.
   */
  @SuppressWarnings("unchecked") // The payload is an instance of this class.
  private static Class<Object> type(Message<?> message) {
    Class<?> type = message.payload().getClass();
    boolean hibernate = type.getName().contains("$HibernateProxy$");
    return (Class<Object>) (hibernate ? type.getSuperclass() : ClassUtils.getUserClass(type));
  }

  @SuppressWarnings("unchecked") // A message is immutable, so its payload cannot change.
  private static Message<Object> untyped(Message<?> message) {
    return (Message<Object>) message;
  }
}

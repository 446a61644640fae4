package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.Delivery;
import io.punctual.SettleOutcome;
import io.punctual.deadletter.DeadReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A delivery that a {@link RabbitWorker} passes to its handler. */
final class HeldDelivery<T> implements RabbitDelivery<T> {
  /**
   * The states of a delivery. If a settlement fails while the channel is open, the delivery is held
   * again.
   */
  private enum State {
    HELD,
    SETTLING,
    SETTLED
  }

  private final ConsumerChannel channel;
  private final Delivery delivery;
  private final @Nullable T payload;
  private final int attempt;
  private final int maxAttempts;
  private final Settling settling;
  private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

  /** The parts that all deliveries of a worker share. */
  record Settling(Forwarding forwarding, Publisher publisher, Levels levels) {}

  HeldDelivery(
      ConsumerChannel channel,
      Delivery delivery,
      @Nullable T payload,
      int maxAttempts,
      Settling settling) {
    this.channel = channel;
    this.delivery = delivery;
    this.payload = payload;
    this.attempt = attempt(delivery);
    this.maxAttempts = maxAttempts;
    this.settling = settling;
  }

  private static int attempt(Delivery delivery) {
    Map<String, Object> headers = delivery.getProperties().getHeaders();
    return Headers.attempts(headers) + Headers.deliveryCount(headers) + 1;
  }

  @Override
  public String id() {
    String id = delivery.getProperties().getMessageId();
    return id == null ? "" : id;
  }

  @Override
  public String queue() {
    return settling.forwarding.queue();
  }

  @Override
  public T payload() {
    return Objects.requireNonNull(payload);
  }

  @Override
  public Map<String, String> headers() {
    return Headers.texts(delivery.getProperties().getHeaders());
  }

  @Override
  public int attempt() {
    return attempt;
  }

  @Override
  public boolean isLastAttempt() {
    return attempt >= maxAttempts;
  }

  @Override
  public Optional<Instant> dueAt() {
    return Headers.dueAt(delivery.getProperties().getHeaders());
  }

  @Override
  public boolean isLost() {
    return !channel.isOpen();
  }

  @Override
  public boolean isSettled() {
    return state.get() == State.SETTLED;
  }

  @Override
  public SettleOutcome ack() {
    start();
    state.set(State.SETTLED);
    return channel.ack(delivery);
  }

  @Override
  public SettleOutcome retry(Duration delay) {
    DelayedMessage copy = retryCopy(settling.levels.millis(delay));
    return settle(copy, this::publish);
  }

  @Override
  public SettleOutcome bury(String reason) {
    return settle(deadCopy(DeadReason.BY_CALLER, reason), this::publish);
  }

  private boolean publish(DelayedMessage copy) {
    String unused = settling.publisher.publish(copy);
    return true;
  }

  DelayedMessage retryCopy(long delayMillis) {
    return settling.forwarding.retry(delivery, attempt, delayMillis);
  }

  DelayedMessage deadCopy(DeadReason reason, String detail) {
    return settling.forwarding.dead(delivery, attempt, reason, detail);
  }

  /**
   * Publishes a copy and acks this delivery. If the publisher gives up, the outcome is {@link
   * SettleOutcome#LEASE_LOST}, and the delivery is held again if its channel is still open.
   *
   * @param publisher publishes the copy, and returns whether the broker has confirmed it
   */
  SettleOutcome settle(DelayedMessage copy, Predicate<DelayedMessage> publisher) {
    start();
    boolean confirmed = false;
    try {
      confirmed = channel.isOpen() && publisher.test(copy);
      return confirmed ? channel.ack(delivery) : SettleOutcome.LEASE_LOST;
    } finally {
      state.set(confirmed || !channel.isOpen() ? State.SETTLED : State.HELD);
    }
  }

  private void start() {
    if (!state.compareAndSet(State.HELD, State.SETTLING)) {
      throw new IllegalStateException(
          "The delivery of message '" + id() + "' in queue '" + queue() + "' is settled already");
    }
  }
}

package io.punctual.cli.transfer;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.SettleOutcome;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.cli.output.Stdout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims messages, writes them as lines, and acks the written messages. Releases the messages of a
 * claim that could not be written. Not thread-safe.
 */
final class LineConsumer {
  /** The largest number of messages in a claim. */
  static final int MAX_CLAIM = 1000;

  /**
   * The number of bytes after which the written messages are acked. With a slow reader, a claim can
   * take longer to write than its lease.
   */
  private static final int ACKED_BYTES = 1 << 15;

  private static final Logger log = LoggerFactory.getLogger(LineConsumer.class);

  private final TimedQueue<byte[]> queue;
  private final Function<Delivery<byte[]>, byte[]> line;
  private final Duration lease;
  private final Stdout out;
  private final CompletableFuture<?> end;
  private final Acks acks;
  private final List<CompletableFuture<?>> unconfirmed = new ArrayList<>();

  /** Receives the results of acks, except the outcomes {@code LEASE_LOST} and {@code DISCARDED}. */
  interface Acks {
    /** The store has applied the ack. */
    void confirmed();

    /** The outcome of the ack is unknown: the message may be delivered again. */
    void unknown();

    /** Ignores the results. */
    Acks NONE =
        new Acks() {
          @Override
          public void confirmed() {
            // Once the store has applied an ack, nothing remains to be done.
          }

          @Override
          public void unknown() {
            // Without the ack, the store delivers the message again.
          }
        };
  }

  /**
   * Creates a consumer.
   *
   * @param line returns the line of a delivery, with the line feed
   * @param end ends the claims when it completes
   */
  LineConsumer(
      TimedQueue<byte[]> queue,
      Function<Delivery<byte[]>, byte[]> line,
      Duration lease,
      Stdout out,
      CompletableFuture<?> end,
      Acks acks) {
    this.queue = queue;
    this.line = line;
    this.lease = lease;
    this.out = out;
    this.end = end;
    this.acks = acks;
  }

  /**
   * Claims once, writes the messages, and acks each message after it has been written. The acks of
   * at most {@link #MAX_CLAIM} messages are in flight.
   *
   * @return the number of lines written; 0, for example, if no message was due within the wait
   *     time, the store did not answer, or the future {@code end} completed first
   */
  int next(int max, Duration wait) {
    return write(claim(Math.min(max, MAX_CLAIM), wait));
  }

  /** Waits until each ack has an answer or has failed. */
  void awaitAcks() {
    unconfirmed.forEach(CompletableFuture::join);
    unconfirmed.clear();
  }

  private List<Delivery<byte[]>> claim(int max, Duration wait) {
    CompletableFuture<List<Delivery<byte[]>>> claim =
        queue
            .async()
            .claim(max, ClaimOptions.DEFAULT.lease(lease).maxWait(wait))
            .toCompletableFuture();
    try {
      Object unused = CompletableFuture.anyOf(claim, end).join();
      return claim.cancel(false) ? List.of() : claim.join();
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof StoreUnavailableException)) {
        throw e;
      }
      log.debug("No messages, since the store is away", e);
      pause(wait);
      return List.of();
    }
  }

  private void pause(Duration time) {
    CompletableFuture<?> over =
        new CompletableFuture<@Nullable Void>()
            .completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS);
    Object unused = CompletableFuture.anyOf(over, end).join();
  }

  private int write(List<Delivery<byte[]>> deliveries) {
    List<Delivery<byte[]>> written = new ArrayList<>();
    int lines = 0;
    int bytes = 0;
    try {
      for (Delivery<byte[]> delivery : deliveries) {
        if (delivery.isLost()) {
          release(delivery);
          continue;
        }
        byte[] text = line.apply(delivery);
        out.write(text);
        written.add(delivery);
        lines++;
        bytes += text.length;
        if (bytes >= ACKED_BYTES) {
          ackWritten(written);
          bytes = 0;
        }
      }
      ackWritten(written);
    } catch (RuntimeException e) {
      deliveries.stream().filter(delivery -> !delivery.isSettled()).forEach(LineConsumer::release);
      throw e;
    }
    return lines;
  }

  /** Flushes the lines of these messages, acks the messages, and empties the list. */
  private void ackWritten(List<Delivery<byte[]>> written) {
    out.flush();
    if (unconfirmed.size() + written.size() > MAX_CLAIM) {
      awaitAcks();
    }
    written.forEach(delivery -> unconfirmed.add(ack(delivery)));
    written.clear();
  }

  private static void release(Delivery<byte[]> delivery) {
    CompletionStage<?> unused = delivery.async().release();
  }

  private CompletableFuture<?> ack(Delivery<byte[]> delivery) {
    return delivery
        .async()
        .ack()
        .handle((outcome, failure) -> acked(delivery.id(), outcome, failure))
        .toCompletableFuture();
  }

  private @Nullable Void acked(
      String id, @Nullable SettleOutcome outcome, @Nullable Throwable failure) {
    if (outcome == SettleOutcome.DONE) {
      acks.confirmed();
    } else if (outcome == SettleOutcome.LEASE_LOST) {
      log.warn("Message '{}' was written, but its lease was lost; it may be delivered again", id);
    } else if (failure != null) {
      acks.unknown();
    }
    return null;
  }
}

package io.punctual.server.jetty;

import io.punctual.http.exchange.Answer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.util.Callback;

/**
 * The end of a request. Whatever fails, it is told to Jetty, counted, and told to the owner of the
 * answer exactly once. Thread-safe.
 */
final class Ending implements Callback {
  private final ExchangeHandler handler;
  private final Callback callback;
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile Answer.Written owner = Answer.Written.NOTHING;
  private volatile int held;

  Ending(ExchangeHandler handler, Callback callback) {
    this.handler = handler;
    this.callback = callback;
  }

  /** Sets who is told whether the answer was written. */
  void tells(Answer.Written written) {
    owner = written;
  }

  /** Sets how many bytes of the memory for answers go back at the end. */
  void holds(int bytes) {
    held = bytes;
  }

  @Override
  public void succeeded() {
    if (end()) {
      callback.succeeded();
      owner.done(true);
    }
  }

  @Override
  public void failed(Throwable failure) {
    if (end()) {
      callback.failed(failure);
      owner.done(false);
    }
  }

  private boolean end() {
    boolean first = ended.compareAndSet(false, true);
    if (first) {
      handler.answerMemory().give(held);
      handler.ended();
    }
    return first;
  }
}

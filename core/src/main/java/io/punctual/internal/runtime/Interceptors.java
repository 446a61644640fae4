package io.punctual.internal.runtime;

import io.punctual.Delivery;
import io.punctual.Interceptor;
import io.punctual.Message;
import io.punctual.Worker;
import io.punctual.internal.log.Logs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Calls the interceptors of a client around schedules and handlers. Logs the failures of
 * interceptors, at most once a minute for each interceptor. Thread-safe.
 */
public final class Interceptors {
  private static final Logger log = Logs.of(Interceptors.class);
  private static final long LOG_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  /** A call that no interceptor watches. */
  private static final Call UNWATCHED = new Call(List.of(), () -> 0, 0);

  private final List<Guarded> interceptors;
  private final LongSupplier nanoTime;

  public Interceptors(List<Interceptor> interceptors, LongSupplier nanoTime) {
    this.interceptors = interceptors.stream().map(each -> new Guarded(each, nanoTime)).toList();
    this.nanoTime = nanoTime;
  }

  /** Returns interceptors that do nothing. */
  public static Interceptors none() {
    return new Interceptors(List.of(), () -> 0);
  }

  /** Calls the interceptors at the start of a schedule; they may change the headers. */
  public Call schedule(String queue, String id, Message<?> message, Map<String, String> headers) {
    return begin(each -> each.schedule(queue, id, message, headers));
  }

  /** Calls the interceptors at the start of a handler. */
  public Call handle(Worker worker, List<? extends Delivery<?>> deliveries) {
    return begin(each -> each.handle(worker, deliveries));
  }

  private Call begin(Function<Interceptor, Interceptor.Around> begin) {
    if (interceptors.isEmpty()) {
      return UNWATCHED;
    }
    List<End> ends = new ArrayList<>(interceptors.size());
    for (Guarded each : interceptors) {
      Interceptor.Around around = each.begin(begin);
      if (around != null) {
        ends.add(0, new End(each, around));
      }
    }
    return new Call(ends, nanoTime, nanoTime.getAsLong());
  }

  /** An interceptor; its exceptions are logged and not thrown. */
  private static final class Guarded {
    private final Interceptor interceptor;
    private final LongSupplier nanoTime;
    private volatile @Nullable Long loggedNanos;

    Guarded(Interceptor interceptor, LongSupplier nanoTime) {
      this.interceptor = interceptor;
      this.nanoTime = nanoTime;
    }

    Interceptor.@Nullable Around begin(Function<Interceptor, Interceptor.Around> begin) {
      try {
        return begin.apply(interceptor);
      } catch (Throwable e) {
        threw(e);
        return null;
      }
    }

    void end(Runnable end) {
      try {
        end.run();
      } catch (Throwable e) {
        threw(e);
      }
    }

    private void threw(Throwable failure) {
      long now = nanoTime.getAsLong();
      Long before = loggedNanos;
      if (before == null || now - before >= LOG_PAUSE_NANOS) {
        loggedNanos = now;
        log.warn(
            "The interceptor {} threw; fix the interceptor. Messages are not affected",
            interceptor,
            failure);
      }
    }
  }

  private record End(Guarded interceptor, Interceptor.Around around) {}

  /** A schedule or a handler in progress. Immutable. */
  public static final class Call {
    private final List<End> ends;
    private final LongSupplier nanoTime;
    private final long startNanos;

    private Call(List<End> ends, LongSupplier nanoTime, long startNanos) {
      this.ends = ends;
      this.nanoTime = nanoTime;
      this.startNanos = startNanos;
    }

    /** Returns whether an interceptor waits for the end. */
    public boolean isWatched() {
      return !ends.isEmpty();
    }

    /** Notifies the interceptors that the call returns on the thread on which it began. */
    public void returned() {
      each(Interceptor.Around::returned);
    }

    /** Notifies the interceptors that the call has ended. */
    public void ended(@Nullable Throwable failure) {
      if (isWatched()) {
        Duration duration = Duration.ofNanos(nanoTime.getAsLong() - startNanos);
        each(around -> around.ended(duration, failure));
      }
    }

    private void each(Consumer<Interceptor.Around> notice) {
      for (End end : ends) {
        end.interceptor().end(() -> notice.accept(end.around()));
      }
    }
  }
}

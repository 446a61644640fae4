package io.punctual.http.survey;

import io.punctual.http.access.Caller;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Sink;
import io.punctual.http.json.JsonOutput;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.http.route.Exchange;
import io.punctual.http.route.Media;
import io.punctual.timer.DueTimer;
import io.punctual.view.Outcome;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Streams of server-sent events: the overview of a caller as often as it is made, at most once a
 * second. The next event waits until the network has taken the one before, so that a slow reader
 * costs no memory. Thread-safe.
 */
final class Events {
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final byte[] NOTHING_NEW = {':', '\n', '\n'};

  private final Overview overview;
  private final DueTimer timer;
  private final IntSupplier mostStreams;
  private final Map<String, Integer> byCaller = new ConcurrentHashMap<>();
  private final Set<Stream> streams = ConcurrentHashMap.newKeySet();

  /** Creates it, with a limit of the streams of each caller. */
  Events(Overview overview, DueTimer timer, IntSupplier mostStreams) {
    this.overview = overview;
    this.timer = timer;
    this.mostStreams = mostStreams;
  }

  /** Returns an answer that streams, or refuses a stream too many. */
  Answer answer(Exchange exchange, Duration window) {
    Caller caller = exchange.caller();
    int most = mostStreams.getAsInt();
    if (byCaller.merge(caller.name(), 1, Integer::sum) > most) {
      left(caller);
      throw Problem.of(Outcome.TOO_MANY, "The caller has " + most + " streams of events already")
          .exception();
    }
    return new Answer(
        200,
        Map.of("Content-Type", Media.EVENTS, "Cache-Control", "no-store"),
        (Answer.Stream) sink -> new Stream(exchange, window, sink).begin(),
        written -> left(caller));
  }

  private void left(Caller caller) {
    byCaller.computeIfPresent(caller.name(), (name, count) -> count == 1 ? null : count - 1);
  }

  /** Ends all streams. */
  void close() {
    streams.forEach(Stream::end);
  }

  private final class Stream {
    private final Exchange exchange;
    private final Duration window;
    private final Sink sink;
    private volatile boolean ended;
    private volatile @Nullable Map<String, @Nullable Object> last;

    Stream(Exchange exchange, Duration window, Sink sink) {
      this.exchange = exchange;
      this.window = window;
      this.sink = sink;
    }

    void begin() {
      streams.add(this);
      next();
    }

    private void next() {
      if (ended) {
        return;
      }
      CompletionStage<Map<String, @Nullable Object>> made;
      try {
        made = overview.of(exchange.callerNow().get(), window);
      } catch (RuntimeException | Error e) {
        // The token has ended or lost its rights; the next request says so.
        end();
        return;
      }
      made.handle(this::send)
          .thenCompose(sent -> sent)
          .whenComplete((done, failure) -> sent(failure));
    }

    private CompletionStage<Void> send(
        @Nullable Map<String, @Nullable Object> tree, @Nullable Throwable failure) {
      if (failure != null) {
        last = null;
        return sink.send(event("problem", Problems.of(failure).view().tree()));
      }
      if (tree == last) {
        // It was not made again since. The comment shows whether the reader is still there.
        return sink.send(NOTHING_NEW);
      }
      last = tree;
      return sink.send(event("overview", Objects.requireNonNull(tree)));
    }

    private void sent(@Nullable Throwable failure) {
      if (failure != null) {
        end();
        return;
      }
      try {
        timer.schedule(PERIOD, this::next);
      } catch (RejectedExecutionException | Error e) {
        end(); // Its reader begins another stream.
      }
    }

    void end() {
      ended = true;
      if (streams.remove(this)) {
        sink.close();
      }
    }
  }

  private static byte[] event(String name, Map<String, @Nullable Object> tree) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(("event: " + name + "\ndata: ").getBytes(StandardCharsets.UTF_8));
    out.writeBytes(JsonOutput.tree(tree));
    out.writeBytes("\n\n".getBytes(StandardCharsets.UTF_8));
    return out.toByteArray();
  }
}

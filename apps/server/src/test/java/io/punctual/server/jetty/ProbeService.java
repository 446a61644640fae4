package io.punctual.server.jetty;

import io.punctual.http.HttpService;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.RequestHead;
import io.punctual.view.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** A service whose routes let a test see what the adapter does. */
final class ProbeService implements HttpService {
  static final int MAX_BODY = 1 << 20;

  /** What a stream of events sends again and again. */
  static final byte[] PART = "data: 0123456789\n\n".repeat(1_000).getBytes(StandardCharsets.UTF_8);

  final AtomicInteger waiting = new AtomicInteger();
  final AtomicInteger gone = new AtomicInteger();
  final AtomicInteger bodies = new AtomicInteger();
  final AtomicInteger failedWrites = new AtomicInteger();

  /** The parts of streams that the network did not take at once. */
  final AtomicInteger unwritten = new AtomicInteger();

  volatile CompletableFuture<String> event = new CompletableFuture<>();

  @Override
  public Call accept(RequestHead head) {
    return new Call() {
      @Override
      public long maxBody() {
        return MAX_BODY;
      }

      @Override
      public Answer tooLarge() {
        if (head.path().equals("/no-refusal")) {
          throw new IllegalStateException("no refusal");
        }
        return Problems.of(Outcome.TOO_LARGE, "at most 1 MiB");
      }

      @Override
      public CompletionStage<Answer> answer(byte[] body, Client client) {
        bodies.incrementAndGet();
        return switch (head.path()) {
          case "/wait" -> await(client);
          case "/throw" -> throw new IllegalStateException("no answer");
          case "/large" -> large();
          case "/late" -> late(client);
          case "/bad-stream" -> CompletableFuture.completedFuture(badStream());
          case "/events" -> CompletableFuture.completedFuture(events());
          case "/loop" -> done(isInLoop() ? "in the loop" : "outside", "text/plain");
          case "/size" -> done("" + body.length, "text/plain");
          default ->
              done(
                  head.method()
                      + " "
                      + head.path()
                      + " "
                      + head.query()
                      + " "
                      + head.isSecure()
                      + " "
                      + head.remoteAddress(),
                  "text/plain");
        };
      }
    };
  }

  /** Returns whether Jetty goes on with the connection on this thread after the request. */
  private static boolean isInLoop() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith(".HttpConnection")));
  }

  private CompletionStage<Answer> await(Client client) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    waiting.incrementAndGet();
    CompletableFuture<String> next = event;
    client.onGone(
        () -> {
          gone.incrementAndGet();
          answer.complete(text("nothing", "text/plain"));
        });
    CompletableFuture<?> unused =
        next.thenAccept(text -> answer.complete(text(text, "text/plain")));
    return answer.whenComplete((done, failure) -> waiting.decrementAndGet());
  }

  /** An answer that wins against the end of its client, as a message does that has just arrived. */
  private CompletionStage<Answer> late(Client client) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    client.onGone(gone::incrementAndGet);
    waiting.incrementAndGet();
    CompletableFuture<?> unused =
        event.thenAccept(
            text ->
                answer.complete(
                    new Answer(
                        200,
                        Map.of("Content-Type", "text/plain"),
                        new Answer.Bytes(text.getBytes(StandardCharsets.UTF_8)),
                        success -> failedWrites.addAndGet(success ? 0 : 1))));
    return answer;
  }

  private CompletionStage<Answer> large() {
    Answer large = text("x".repeat(10 << 20), "application/json");
    return CompletableFuture.completedFuture(
        new Answer(
            200,
            large.headers(),
            large.body(),
            success -> failedWrites.addAndGet(success ? 0 : 1)));
  }

  private Answer badStream() {
    Answer.Stream stream =
        sink -> {
          throw new IllegalStateException("no stream");
        };
    return new Answer(200, Map.of(), stream, success -> failedWrites.addAndGet(success ? 0 : 1));
  }

  /** A stream that sends as fast as the client reads, for ever. */
  private Answer events() {
    Answer.Stream stream = sink -> send(sink);
    return new Answer(
        200,
        Map.of("Content-Type", "text/event-stream"),
        stream,
        success -> failedWrites.addAndGet(success ? 0 : 1));
  }

  private void send(io.punctual.http.exchange.Sink sink) {
    bodies.incrementAndGet();
    CompletableFuture<Void> sent = sink.send(PART).toCompletableFuture();
    unwritten.addAndGet(sent.isDone() ? 0 : 1);
    CompletableFuture<?> unused = sent.thenRunAsync(() -> send(sink));
  }

  private static CompletionStage<Answer> done(String text, String type) {
    return CompletableFuture.completedFuture(text(text, type));
  }

  private static Answer text(String text, String type) {
    return new Answer(
        200,
        Map.of("Content-Type", type),
        new Answer.Bytes(text.getBytes(StandardCharsets.UTF_8)),
        Answer.Written.NOTHING);
  }

  @Override
  public void drain() {
    event.complete("drained");
  }

  @Override
  public void close() {}
}

package io.punctual.server;

import io.punctual.StoreUnavailableException;
import io.punctual.http.HttpService;
import io.punctual.http.access.AuditLog;
import io.punctual.http.access.LinkSignIn;
import io.punctual.http.access.RequestGuard;
import io.punctual.http.access.WrongTokens;
import io.punctual.http.console.ConsoleService;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.BodilessCall;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.ForwardingCall;
import io.punctual.http.exchange.RequestHead;
import io.punctual.server.jetty.Problems;
import io.punctual.view.Outcome;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Stands in front of all routes: refuses what web pages send, slows down who guesses tokens, and
 * passes the rest to the service of the path. The services are closed by their creator.
 */
final class FrontService {
  private static final Executor DELAYED =
      CompletableFuture.delayedExecutor(WrongTokens.DELAY.toMillis(), TimeUnit.MILLISECONDS);
  private static final Set<String> REFUSED_METHODS = Set.of("TRACE", "CONNECT");

  private final HttpService operations;
  private final Map<String, HttpService> byPrefix;
  private final HttpService api;
  private final Waits waits;
  private final WrongTokens wrongTokens = new WrongTokens(System::nanoTime);
  private volatile RequestGuard guard;

  /**
   * @param byPrefix services by the beginning of their paths, such as {@code /store/}
   * @param api the service of all other paths
   * @param waits ends what waits for callers that have changed
   */
  FrontService(
      RequestGuard guard,
      HttpService operations,
      Map<String, HttpService> byPrefix,
      HttpService api,
      Waits waits) {
    this.waits = waits;
    this.guard = guard;
    this.operations = operations;
    this.byPrefix = Map.copyOf(byPrefix);
    this.api = api;
  }

  void setGuard(RequestGuard guard) {
    this.guard = guard;
  }

  /** Judges the head of a request; see {@link HttpService#accept}. */
  Call accept(RequestHead head) {
    RequestGuard.Refusal refusal = guard.refusal(head);
    if (refusal != null && !(refusal == RequestGuard.Refusal.OTHER_SITE && opensConsole(head))) {
      return BodilessCall.of(
          switch (refusal) {
            case UNKNOWN_HOST ->
                Problems.of(
                    Outcome.MISDIRECTED,
                    "The host of the request is no name of this server; its configuration lists"
                        + " them under 'names'");
            case OTHER_SITE ->
                Problems.of(Outcome.FORBIDDEN, "Web pages of other sites may not call this server");
          });
    }
    if (REFUSED_METHODS.contains(head.method())) {
      return BodilessCall.of(
          Problems.of(Outcome.METHOD_NOT_ALLOWED, "The server knows no such method"));
    }
    int generation = waits.generation();
    Call call;
    try {
      call = waits.watch(generation, head, service(head.path()).accept(head));
    } catch (StoreUnavailableException e) {
      return BodilessCall.of(Problems.of(Outcome.UNAVAILABLE, String.valueOf(e.getMessage())));
    }
    return provesItsSender(head) ? new Watched(call, head) : call;
  }

  private static boolean provesItsSender(RequestHead head) {
    return head.header("Authorization") != null
        || head.header(LinkSignIn.HEADER) != null
        || head.path().equals(ConsoleService.SESSION_PATH);
  }

  /** A link of another site may open the console, whose files are the same for everybody. */
  private static boolean opensConsole(RequestHead head) {
    return head.method().equals("GET")
        && "navigate".equals(head.header("Sec-Fetch-Mode"))
        && (head.path().equals("/") || (head.path() + "/").startsWith(ConsoleService.PATH + "/"));
  }

  private HttpService service(String path) {
    if (OperationsService.has(path)) {
      return operations;
    }
    for (Map.Entry<String, HttpService> one : byPrefix.entrySet()) {
      if (path.startsWith(one.getKey())) {
        return one.getValue();
      }
    }
    return api;
  }

  /** A call with a proof of its sender, which may be wrong. */
  private final class Watched extends ForwardingCall {
    private final RequestHead head;

    Watched(Call call, RequestHead head) {
      super(call);
      this.head = head;
    }

    @Override
    public Answer tooLarge() {
      return judged(super.tooLarge());
    }

    @Override
    public CompletionStage<Answer> answer(byte[] body, Client client) {
      return super.answer(body, client).thenApply(this::judged);
    }

    private Answer judged(Answer answer) {
      if (answer.status() != Outcome.UNAUTHENTICATED.status()) {
        return answer;
      }
      if (wrongTokens.isTooMany(head.remoteAddress())) {
        return Problems.of(
            Outcome.TOO_MANY, "Too many wrong tokens from this address", "Retry-After", "60");
      }
      AuditLog.write(head.remoteAddress(), "WRONG_TOKEN");
      return delayed(answer);
    }
  }

  private static Answer delayed(Answer answer) {
    byte[] body = answer.body() instanceof Answer.Bytes bytes ? bytes.content() : new byte[0];
    Answer.Stream later =
        sink ->
            DELAYED.execute(
                () -> {
                  CompletionStage<Void> unused = sink.send(body);
                  sink.close();
                });
    return new Answer(answer.status(), answer.headers(), later, answer.written());
  }

  /** Drains all services; see {@link HttpService#drain}. */
  void drain() {
    operations.drain();
    byPrefix.values().forEach(HttpService::drain);
    api.drain();
  }
}

package io.punctual.http.store;

import io.punctual.http.HttpService;
import io.punctual.http.access.Authenticator;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Right;
import io.punctual.http.access.UnauthenticatedException;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.BodilessCall;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.RequestHead;
import io.punctual.http.exchange.Sink;
import io.punctual.httpstore.service.Change;
import io.punctual.httpstore.service.Served;
import io.punctual.httpstore.service.StoreService;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Serves the paths below {@link StoreService#PATH} for callers with {@link Right#STORE}. Safe for
 * use by many threads.
 */
public final class StoreMount implements HttpService {
  private static final String TYPE = "Content-Type";

  /** The answer to a client that is gone, or whose rights have changed meanwhile. */
  private static final Served ENDED =
      StoreService.ended("The server ended the request, because the rights of its sender changed");

  /** Learns who has changed what. */
  @FunctionalInterface
  public interface Auditor {
    /** Called once or more for each change, with the status of the answer. */
    void changed(Caller caller, Change change, int status);
  }

  private final StoreService service;
  private final Authenticator authenticator;
  private final Auditor audit;
  private volatile boolean readOnly;

  /**
   * Creates the mount.
   *
   * @param service answers the requests; closed with this object
   * @param authenticator finds out who sends a request
   * @param audit learns who has changed what
   */
  public StoreMount(StoreService service, Authenticator authenticator, Auditor audit) {
    this.service = service;
    this.authenticator = authenticator;
    this.audit = audit;
  }

  /** Sets whether all clients are refused, because their requests can change everything. */
  public void setReadOnly(boolean only) {
    readOnly = only;
  }

  /** Returns whether a request belongs to this service, by its path as it was sent. */
  public static boolean serves(String path) {
    return path.startsWith(StoreService.PATH);
  }

  @Override
  public Call accept(RequestHead head) {
    if (!serves(head.path())) {
      return refusal(404, "This is not a path of the HTTP store");
    }
    if (!head.method().equals("POST")) {
      return refusal(405, "The requests of the HTTP store are POST");
    }
    Caller caller;
    try {
      caller = authenticator.authenticate(head);
    } catch (UnauthenticatedException e) {
      return refusal(401, String.valueOf(e.getMessage()));
    }
    if (!caller.mayAnywhere(Right.STORE)) {
      return refusal(
          403,
          caller.name() + " lacks the right STORE. Grant it in the configuration of the server");
    }
    if (readOnly) {
      return refusal(403, "The server is in its read-only mode, in which it has no HTTP store");
    }
    return new StoreCall(
        caller.name(),
        head.path().substring(StoreService.PATH.length()),
        new CallerAccess(caller, audit));
  }

  private static Call refusal(int status, String why) {
    return BodilessCall.of(StoreService.MAX_BODY, answer(StoreService.refused(status, why)));
  }

  private final class StoreCall implements Call {
    private final String caller;
    private final String name;
    private final CallerAccess access;

    StoreCall(String caller, String name, CallerAccess access) {
      this.caller = caller;
      this.name = name;
      this.access = access;
    }

    @Override
    public long maxBody() {
      return StoreService.MAX_BODY;
    }

    @Override
    public String caller() {
      return caller;
    }

    @Override
    public Answer tooLarge() {
      return StoreMount.answer(
          StoreService.refused(
              413,
              "The body has more than " + StoreService.MAX_BODY + " bytes; send fewer messages"));
    }

    @Override
    public CompletionStage<Answer> answer(byte[] body, Client client) {
      CompletableFuture<Served> served = service.serve(name, body, access);
      if (!served.isDone()) {
        client.onGone(() -> served.cancel(false));
      }
      return served.handle((answer, gone) -> StoreMount.answer(gone == null ? answer : ENDED));
    }
  }

  private static Answer answer(Served served) {
    CompletionStage<byte[]> rest = served.rest();
    Map<String, String> headers = Map.of(TYPE, served.type(), "Cache-Control", "no-store");
    return rest == null
        ? new Answer(
            served.status(), headers, new Answer.Bytes(served.body()), Answer.Written.NOTHING)
        : new Answer(
            served.status(),
            headers,
            (Answer.Stream) sink -> send(sink, served.body(), rest),
            Answer.Written.NOTHING);
  }

  private static void send(Sink sink, byte[] first, CompletionStage<byte[]> rest) {
    CompletionStage<?> unused =
        sink.send(first)
            .thenCompose(sent -> rest)
            .thenCompose(sink::send)
            .whenComplete((sent, failure) -> sink.close());
  }

  @Override
  public void drain() {
    service.drain();
  }

  @Override
  public void close() {
    service.close();
  }
}

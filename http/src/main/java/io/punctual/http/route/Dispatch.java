package io.punctual.http.route;

import io.punctual.http.access.Authenticator;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Right;
import io.punctual.http.access.UnauthenticatedException;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.BodilessCall;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.RequestHead;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.http.text.BadInputException;
import io.punctual.view.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Judges the heads of requests, and calls the handlers of their routes. Thread-safe. */
public final class Dispatch {
  /** The beginning of the names of the server's own queues, which no caller sees. */
  public static final String OWN_QUEUES = "punctual.server.";

  /** Learns which audited requests have changed something, or may have. */
  @FunctionalInterface
  public interface Auditor {
    /** Keeps the change, whose answer has this status. Does not block. */
    void changed(Exchange exchange, int status);
  }

  private static final List<String> SINGLE =
      List.of("Authorization", "Content-Type", "Content-Encoding", "Idempotency-Key");

  private final Router router;
  private final Auditor auditor;
  private final Authenticator authenticator;
  private final BooleanSupplier isReadOnly;
  private final IntSupplier mostRequests;
  private final Map<String, Integer> inFlight = new ConcurrentHashMap<>();
  private final Set<String> scans = ConcurrentHashMap.newKeySet();

  /**
   * Creates it.
   *
   * @param isReadOnly returns whether all changes are refused
   * @param mostRequests returns the largest number of requests of one caller in flight
   */
  public Dispatch(
      Router router,
      Authenticator authenticator,
      Auditor auditor,
      BooleanSupplier isReadOnly,
      IntSupplier mostRequests) {
    this.router = router;
    this.auditor = auditor;
    this.authenticator = authenticator;
    this.isReadOnly = isReadOnly;
    this.mostRequests = mostRequests;
  }

  /** Judges the head of a request. */
  public Call accept(RequestHead head) {
    try {
      checkSingle(head);
      Router.Match match = router.find(head);
      Caller caller = authenticator.authenticate(head);
      checkRights(match, caller);
      return new Accepted(head, match, caller);
    } catch (UnauthenticatedException e) {
      return BodilessCall.of(
          Problem.of(Outcome.UNAUTHENTICATED, String.valueOf(e.getMessage()))
              .header("WWW-Authenticate", "Bearer")
              .answer());
    } catch (RuntimeException e) {
      return BodilessCall.of(Problems.of(e).answer());
    }
  }

  /** Refuses a second value, because a proxy might have judged the other one. */
  private static void checkSingle(RequestHead head) {
    for (String name : SINGLE) {
      if (head.headers(name).size() > 1) {
        throw new BadInputException("The header " + name + " occurs more than once");
      }
    }
  }

  private void checkRights(Router.Match match, Caller caller) {
    Route route = match.route();
    String queue = match.path().get("queue");
    boolean may =
        route.rights().isEmpty()
            || route.rights().stream()
                .anyMatch(
                    right -> queue == null ? caller.mayAnywhere(right) : caller.may(right, queue));
    if (!may || (queue != null && queue.startsWith(OWN_QUEUES))) {
      // Says nothing about whether the queue exists.
      throw Problem.of(
              Outcome.FORBIDDEN,
              "The caller has not the right "
                  + String.join(" or ", route.rights().stream().map(Right::name).toList())
                  + (queue == null ? "" : " to this queue"))
          .exception();
    }
    if (isReadOnly.getAsBoolean() && route.isChange()) {
      throw Problem.of(Outcome.FORBIDDEN, "This server is in its read-only mode").exception();
    }
  }

  private final class Accepted implements Call {
    private final RequestHead head;
    private final Router.Match match;
    private final Caller caller;

    Accepted(RequestHead head, Router.Match match, Caller caller) {
      this.head = head;
      this.match = match;
      this.caller = caller;
    }

    @Override
    public long maxBody() {
      return match.route().maxBody();
    }

    @Override
    public String caller() {
      return caller.name();
    }

    @Override
    public Answer tooLarge() {
      return about(
              Problem.of(
                  Outcome.TOO_LARGE,
                  maxBody() == 0
                      ? "This request has no body"
                      : "The body may have at most " + maxBody() + " bytes"))
          .answer();
    }

    @Override
    public CompletionStage<Answer> answer(byte[] body, Client client) {
      if (body.length > maxBody()) {
        return Answers.now(tooLarge());
      }
      Problem tooMany = enter();
      if (tooMany != null) {
        return Answers.now(tooMany.answer());
      }
      CompletionStage<Answer> stage;
      Exchange exchange =
          new Exchange(head, match, caller, this::callerNow, body, client, new AuditNote());
      try {
        exchange.checkBody();
        stage = match.route().handler().handle(exchange);
      } catch (RuntimeException | Error e) {
        leave();
        return Answers.now(problem(e));
      }
      return stage.handle(
          (answer, failure) -> {
            leave();
            Problem problem = failure == null ? null : about(Problems.of(failure));
            Answer all = problem == null ? answer : problem.answer();
            boolean mayBeDone =
                problem == null || problem.outcome().done() != Outcome.Done.NOT_DONE;
            if (mayBeDone && match.route().isAudited()) {
              auditor.changed(exchange, all.status());
            }
            return all;
          });
    }

    /** A token can end, or lose rights, while an answer is streamed. */
    private Caller callerNow() {
      Caller now = authenticator.authenticate(head);
      checkRights(match, now);
      return now;
    }

    /** Counts the request, or returns why it is one too many. */
    private @Nullable Problem enter() {
      int most = mostRequests.getAsInt();
      if (inFlight.merge(caller.name(), 1, Integer::sum) > most) {
        leaveCount();
        return Problem.of(Outcome.TOO_MANY, "The caller has " + most + " requests in flight");
      }
      if (match.route().isScan() && !scans.add(scan())) {
        leaveCount();
        return about(
            Problem.of(
                Outcome.TOO_MANY,
                "Another request that reads all of "
                    + (match.path().containsKey("queue") ? "this queue" : "the caller's queues")
                    + " is not yet answered; ask again after it"));
      }
      return null;
    }

    private String scan() {
      String queue = match.path().get("queue");
      return queue == null ? "caller " + caller.name() : "queue " + queue;
    }

    private void leave() {
      if (match.route().isScan()) {
        scans.remove(scan());
      }
      leaveCount();
    }

    private void leaveCount() {
      inFlight.computeIfPresent(caller.name(), (name, count) -> count == 1 ? null : count - 1);
    }

    private Answer problem(Throwable failure) {
      return about(Problems.of(failure)).answer();
    }

    private Problem about(Problem problem) {
      @Nullable String id = match.path().get("id");
      return problem.about(
          match.path().get("queue"), id == null ? match.query().text("id").orElse(null) : id);
    }
  }
}

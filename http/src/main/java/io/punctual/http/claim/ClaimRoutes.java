package io.punctual.http.claim;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.RetryPolicy;
import io.punctual.Settlement;
import io.punctual.TimedQueue;
import io.punctual.http.HttpLimits;
import io.punctual.http.access.Right;
import io.punctual.http.exchange.Answer;
import io.punctual.http.json.JsonInput;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.ProblemException;
import io.punctual.http.problem.Problems;
import io.punctual.http.queue.Queues;
import io.punctual.http.route.Answers;
import io.punctual.http.route.Exchange;
import io.punctual.http.route.Media;
import io.punctual.http.route.Route;
import io.punctual.timer.DueTimer;
import io.punctual.view.DeliveryView;
import io.punctual.view.Outcome;
import io.punctual.view.Tree;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes of claims and settlements. A claim that waits ends at once, and its messages go back,
 * when its client is gone, its worker is paused, or the service drains. If the answer can't be
 * written, the messages are released.
 */
public final class ClaimRoutes {
  private static final Logger LOG = LoggerFactory.getLogger("io.punctual.http");

  /** A client whose end nobody notices could leave messages to wait for a whole lease. */
  private static final Duration MOST_UNWATCHED = Duration.ofSeconds(5);

  /** So long, a claim of a paused worker waits, so that the worker does not claim in a loop. */
  private static final Duration PAUSED_WAIT = Duration.ofSeconds(5);

  /** A body with settlements, whose payloads are small. */
  private static final long BODY = 8 << 20;

  private static final String FLOW = "a worker takes and settles messages all the time";

  private final Queues queues;
  private final Supplier<HttpLimits> limits;
  private final Function<String, RetryPolicy> policies;
  private final DueTimer timer;
  private final Polls polls;
  private final ClaimWorkers workers;
  private volatile boolean ends;

  /**
   * Creates the routes.
   *
   * @param limits returns how much callers may ask for at once
   * @param policies the retry policy of each queue, by its name
   */
  public ClaimRoutes(
      Queues queues,
      Supplier<HttpLimits> limits,
      Function<String, RetryPolicy> policies,
      DueTimer timer) {
    this.queues = queues;
    this.limits = limits;
    this.policies = policies;
    this.timer = timer;
    this.polls = new Polls(limits);
    this.workers = new ClaimWorkers(queues.punctual(), timer, () -> limits.get().allPolls());
  }

  /** Returns the routes. */
  public List<Route> routes() {
    return List.of(
        Route.of("POST", "/v1/queues/{queue}/claims", this::claim, Right.CONSUME)
            .body(BODY, Media.JSON)
            .unaudited(FLOW),
        Route.of("POST", "/v1/queues/{queue}/settlements", this::settle, Right.CONSUME)
            .body(BODY, Media.JSON)
            .unaudited(FLOW));
  }

  /** Ends the waiting claims, lets new ones wait no more, and asks the workers to stop. */
  public void drain() {
    ends = true;
    polls.drain();
  }

  /** Ends the waiting claims, and lists the workers no more: other routes may take their place. */
  public void close() {
    polls.close();
    workers.close();
  }

  private CompletionStage<Answer> settle(Exchange exchange) {
    String name = exchange.queue();
    RetryPolicy policy = policies.apply(name);
    List<Settlement> settlements =
        JsonInput.read(
            exchange.body(),
            input -> SettlementInput.list(input, policy, limits.get().payloadBytes()));
    if (settlements.isEmpty()) {
      throw Problems.invalid("The array has no settlements");
    }
    String command = command(workers.isPaused(name, settlements));
    return queues
        .open(name)
        .thenCompose(queue -> settle(queue, settlements))
        .thenApply(results -> Answers.json(200, Map.of("results", results, "command", command)));
  }

  private CompletionStage<List<Map<String, @Nullable Object>>> settle(
      TimedQueue<byte[]> queue, List<Settlement> settlements) {
    return Settling.settle(queue, settlements)
        .thenApply(
            results -> {
              workers.settled(queue.name(), settlements);
              return results;
            });
  }

  private CompletionStage<Answer> claim(Exchange exchange) {
    RetryPolicy policy = policies.apply(exchange.queue());
    Claim claim =
        new Claim(
            exchange,
            ClaimInput.read(exchange.body(), policy, limits.get().payloadBytes()),
            policy);
    CompletionStage<Answer> answer;
    try {
      claim.begin();
      answer =
          queues
              .open(exchange.queue())
              .thenCompose(
                  queue ->
                      settle(queue, claim.input.settle)
                          .thenCompose(settled -> claim.run(queue, settled)));
    } catch (RuntimeException | Error e) {
      claim.end();
      throw e;
    }
    return answer.whenComplete((done, failure) -> claim.end());
  }

  private Optional<ClaimWorkers.Member> worker(Exchange exchange, ClaimInput input) {
    if (input.worker.isEmpty()) {
      return Optional.empty();
    }
    ClaimInput.ClaimingWorker worker = input.worker.get();
    Optional<ClaimWorkers.Member> member =
        workers.of(
            exchange.caller().name(), exchange.queue(), worker, exchange.head().remoteAddress());
    member.ifPresent(each -> each.begin(worker.concurrency()));
    return member;
  }

  private static boolean isToBeRepeated(Map<String, @Nullable Object> result) {
    Object status = result.get("status");
    return Objects.equals(status, Outcome.BUSY.status())
        || Objects.equals(status, Outcome.IN_DOUBT.status());
  }

  private String command(boolean isPaused) {
    return ends ? "STOP" : isPaused ? "PAUSE" : "RUN";
  }

  /** One claim of a client. */
  private final class Claim {
    private final Exchange exchange;
    private final ClaimInput input;
    private final RetryPolicy policy;
    private Optional<ClaimWorkers.Member> worker = Optional.empty();
    private volatile boolean isPoll;
    private volatile Duration mostWait;

    Claim(Exchange exchange, ClaimInput input, RetryPolicy policy) {
      this.exchange = exchange;
      this.input = input;
      this.policy = policy;
      this.mostWait = input.wait;
    }

    /** Begins; what is to be settled does not wait for a place among the polls. */
    void begin() {
      if (input.settle.isEmpty()) {
        enter();
      }
      worker = worker(exchange, input);
    }

    private void enter() {
      polls.enter(exchange.caller().name());
      isPoll = true;
    }

    void end() {
      if (isPoll) {
        polls.leave(exchange.caller().name());
      }
      worker.ifPresent(ClaimWorkers.Member::end);
    }

    CompletionStage<Answer> run(
        TimedQueue<byte[]> queue, List<Map<String, @Nullable Object>> settled) {
      if (!isPoll) {
        try {
          enter();
        } catch (ProblemException tooMany) {
          return Answers.now(answerOf(tooMany.problem(), queue, settled));
        }
      }
      if (settled.stream().anyMatch(ClaimRoutes::isToBeRepeated)) {
        mostWait = Duration.ZERO; // The client must know while its leases run.
      }
      CompletableFuture<List<Delivery<byte[]>>> claim = isPaused() ? pause() : claim(queue);
      CompletableFuture<Answer> result = new CompletableFuture<>();
      CompletableFuture<?> unused =
          claim
              .exceptionally(failure -> nothing(queue, failure))
              .whenComplete(
                  (deliveries, failure) -> {
                    if (failure != null) {
                      result.completeExceptionally(failure);
                      return;
                    }
                    Supplier<Answer> answer = () -> answerOrRelease(queue, deliveries, settled);
                    try {
                      if (deliveries.isEmpty() && !mostWait.isZero()) {
                        polls.afterWait(result, answer);
                      } else {
                        result.completeAsync(answer, Runnable::run);
                      }
                    } catch (Throwable noThread) {
                      result.completeExceptionally(noThread);
                    }
                  });
      return result;
    }

    /** After settlements, the answer must say what they have done, even if the claim fails. */
    private List<Delivery<byte[]>> nothing(TimedQueue<byte[]> queue, Throwable failure) {
      if (input.settle.isEmpty()) {
        throw failure instanceof CompletionException known
            ? known
            : new CompletionException(failure);
      }
      LOG.info("A claim of {} failed after its settlements: {}", queue.name(), failure.toString());
      return List.of();
    }

    /**
     * Answers a claim above the limit of polls, after its settlements. Its problem would say that
     * nothing was done, and a client would repeat them and be told that it has lost its leases.
     */
    private Answer answerOf(
        Problem tooMany, TimedQueue<byte[]> queue, List<Map<String, @Nullable Object>> settled) {
      Answer answer = answer(queue, List.of(), settled);
      Map<String, String> headers = new LinkedHashMap<>(answer.headers());
      tooMany
          .outcome()
          .retryAfter()
          .ifPresent(time -> headers.put("Retry-After", Long.toString(time.toSeconds())));
      return new Answer(200, headers, answer.body(), answer.written());
    }

    private boolean isPaused() {
      return worker.filter(ClaimWorkers.Member::isPaused).isPresent();
    }

    private CompletableFuture<List<Delivery<byte[]>>> pause() {
      CompletableFuture<List<Delivery<byte[]>>> nothing = new CompletableFuture<>();
      Duration wait = mostWait.compareTo(PAUSED_WAIT) > 0 ? PAUSED_WAIT : mostWait;
      watch(nothing);
      if (!nothing.isDone()) {
        timer.schedule(wait, () -> WaitingClaims.end(nothing));
      }
      return nothing;
    }

    private CompletableFuture<List<Delivery<byte[]>>> claim(TimedQueue<byte[]> queue) {
      Duration wait = mostWait;
      if (polls.isDraining()) {
        wait = Duration.ZERO;
      } else if (!exchange.client().isWatched() && wait.compareTo(MOST_UNWATCHED) > 0) {
        wait = MOST_UNWATCHED;
      }
      ClaimOptions options = ClaimOptions.DEFAULT.lease(input.lease).maxWait(wait).policy(policy);
      CompletableFuture<List<Delivery<byte[]>>> claim =
          queue.async().claim(input.max, options).toCompletableFuture();
      try {
        if (!wait.isZero() && !claim.isDone()) {
          watch(claim);
          worker.ifPresent(member -> member.watch(claim));
        }
      } catch (RuntimeException | Error e) {
        WaitingClaims.end(claim);
        CompletableFuture<?> unused =
            claim.thenAccept(deliveries -> release(queue, deliveries)); // Nobody would get them.
        return CompletableFuture.failedFuture(e);
      }
      return claim;
    }

    private void watch(CompletableFuture<List<Delivery<byte[]>>> claim) {
      polls.watch(claim);
      exchange.client().onGone(() -> WaitingClaims.end(claim));
    }

    /** Releases the messages if there can be no answer, such as without the memory for it. */
    private Answer answerOrRelease(
        TimedQueue<byte[]> queue,
        List<Delivery<byte[]>> deliveries,
        List<Map<String, @Nullable Object>> settled) {
      try {
        return answer(queue, deliveries, settled);
      } catch (RuntimeException | Error e) {
        release(queue, deliveries);
        throw e;
      }
    }

    private Answer answer(
        TimedQueue<byte[]> queue,
        List<Delivery<byte[]>> deliveries,
        List<Map<String, @Nullable Object>> settled) {
      worker.ifPresent(member -> workers.claimed(member, deliveries, input.lease));
      List<Map<String, @Nullable Object>> trees =
          deliveries.stream()
              .map(each -> DeliveryView.leased(each, each.claimedAt().plus(input.lease)).tree())
              .toList();
      Tree tree = new Tree().put("deliveries", trees);
      if (!input.settle.isEmpty()) {
        tree.put("settled", settled);
      }
      Answer answer = Answers.json(200, tree.put("command", command(isPaused())).toMap());
      return new Answer(
          200,
          answer.headers(),
          answer.body(),
          isWritten -> {
            if (!isWritten) {
              release(queue, deliveries);
            }
          });
    }
  }

  private void release(TimedQueue<byte[]> queue, List<Delivery<byte[]>> deliveries) {
    if (deliveries.isEmpty()) {
      return;
    }
    List<Settlement> all =
        deliveries.stream().<Settlement>map(d -> new Settlement.Release(d.receipt())).toList();
    queue
        .async()
        .settle(all)
        .whenComplete(
            (outcomes, failure) -> {
              workers.settled(queue.name(), all);
              if (failure != null) {
                LOG.info(
                    "{} messages of {} wait for the end of their leases: the client of a claim was"
                        + " gone, and the release failed: {}",
                    all.size(),
                    queue.name(),
                    failure.toString());
              }
            });
  }
}

package io.punctual.internal.queue;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.OutcomeUnknownException;
import io.punctual.internal.claim.AtLeastOnce;
import io.punctual.internal.claim.AtMostOnce;
import io.punctual.internal.claim.ClaimCaller;
import io.punctual.internal.claim.ClaimMode;
import io.punctual.internal.claim.ManualClaim;
import io.punctual.internal.delivery.DeliveryRules;
import io.punctual.internal.delivery.SettlementContext;
import io.punctual.internal.message.Checks;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.CallerThread;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.Waiting;
import io.punctual.spi.Call;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Starts the manual claims of a queue, and waits for the results of blocking claims. Thread-safe.
 */
public final class ManualClaims<T> {
  private final QueueView<T> view;
  private final ClientParts client;
  private final Environment env;

  public ManualClaims(QueueView<T> view) {
    this.view = view;
    this.client = view.client();
    this.env = view.env();
  }

  public List<Delivery<T>> claim(int max, ClaimOptions options) {
    checkClaim(options);
    return blocking(caller -> startClaim(options, caller(max, options, view.waiting(), 0, caller)));
  }

  public CompletableFuture<List<Delivery<T>>> claimAsync(int max, ClaimOptions options) {
    checkClaim(options);
    return env.callbacks().completed(startClaim(options, asyncCaller(max, options, 0)));
  }

  public List<Message<T>> take(int max, ClaimOptions options) {
    checkTake(options);
    return blocking(
        caller ->
            startTake(options, caller(max, options, view.waiting(), options.prefetch(), caller)));
  }

  public CompletableFuture<List<Message<T>>> takeAsync(int max, ClaimOptions options) {
    checkTake(options);
    // Without a detour, on which a cancelled stage would lose messages that have left the queue.
    return startTake(options, asyncCaller(max, options, options.prefetch()));
  }

  private static void checkClaim(ClaimOptions options) {
    if (options.prefetch() != 0) {
      throw new IllegalArgumentException(
          "A claim can't have a prefetch; leave it out, or call take for messages at most once");
    }
  }

  private static void checkTake(ClaimOptions options) {
    if (options.lease().isPresent()) {
      throw new IllegalArgumentException(
          "A take has no lease, since its messages leave the queue; leave the lease out, or call"
              + " claim");
    }
    if (options.claimant().isPresent()) {
      throw new IllegalArgumentException(
          "A take has no claimant, since nobody holds its messages; leave the claimant out, or call"
              + " claim");
    }
  }

  private <R> List<R> blocking(Function<CallerThread, CompletableFuture<List<R>>> claim) {
    CallerThread caller = new CallerThread();
    return Waiting.forEndOf(() -> new AwaitedClaim<>(view.queue(), claim.apply(caller), caller));
  }

  private ClaimCaller asyncCaller(int max, ClaimOptions options, int prefetch) {
    return caller(
        max, options, env.waiting(env.operationTimeout()), prefetch, env.callbacks()::execute);
  }

  private ClaimCaller caller(
      int max, ClaimOptions options, Waiting forTheStore, int prefetch, Executor executor) {
    client.requireOpen();
    Checks.range(max, 1, 1000, "max");
    return new ClaimCaller(
        max, DueTime.delayMillis(options.maxWait()), forTheStore.timeout(), prefetch, executor);
  }

  private CompletableFuture<List<Delivery<T>>> startClaim(
      ClaimOptions options, ClaimCaller caller) {
    Duration lease = options.lease().orElseGet(() -> client.workerDefaults(view.queue()).lease());
    Call.Claim claim = new Call.Claim(caller.max(), Checks.lease(lease));
    String claimant = options.claimant().orElse(null);
    return start(
        new AtLeastOnce<>(
            rules(options), claim, deliveries -> client.claimed(claimant, deliveries)),
        caller);
  }

  private CompletableFuture<List<Message<T>>> startTake(ClaimOptions options, ClaimCaller caller) {
    return start(new AtMostOnce<>(rules(options), caller.max(), caller.executor()), caller);
  }

  private <R> CompletableFuture<List<R>> start(ClaimMode<R> mode, ClaimCaller caller) {
    return new ManualClaim<>(
            env, client.consumers(), client.lines(), view.partitions(), mode, caller)
        .start();
  }

  private DeliveryRules<T> rules(ClaimOptions options) {
    SettlementContext context =
        new SettlementContext(
            view.queue(),
            env,
            view.partitions().log(),
            view.durability(),
            SettlementContext.SettlementWatch.NONE,
            client.consumers().isolation());
    return new DeliveryRules<>(view.codec(), view.rules().withPolicy(options.policy()), context);
  }

  /**
   * A claim for which a caller waits. Messages that arrive after the caller has stopped waiting
   * return to the queue.
   */
  private record AwaitedClaim<R>(
      String queue, CompletableFuture<List<R>> answer, CallerThread caller)
      implements Awaited<List<R>> {
    @Override
    public List<R> get() throws InterruptedException, ExecutionException {
      return caller.await(answer);
    }

    @Override
    public RuntimeException unanswered(String why, @Nullable Throwable cause) {
      answer.cancel(false);
      return new OutcomeUnknownException(
          "The claim from queue '"
              + queue
              + "' "
              + why
              + "; messages that it returns later go back to the queue."
              + StoreFailures.reason(cause),
          null,
          StoreFailures.forUser(cause));
    }
  }
}

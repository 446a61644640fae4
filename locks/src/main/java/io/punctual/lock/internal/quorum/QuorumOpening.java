package io.punctual.lock.internal.quorum;

import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.redis.client.request.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Opens the servers of a quorum together, and tolerates that a minority is unavailable. */
public final class QuorumOpening {
  private QuorumOpening() {}

  /**
   * Opens the servers.
   *
   * @throws PunctualException if no majority is available, or an available server is not suitable
   */
  public static void open(List<QuorumServer> servers, Executor threads) {
    List<CompletableFuture<Void>> opening = new ArrayList<>();
    servers.forEach(server -> opening.add(CompletableFuture.runAsync(server::open, threads)));
    List<PunctualException> away = new ArrayList<>();
    PunctualException wrong = null;
    for (int i = 0; i < servers.size(); i++) {
      PunctualException failure = failure(opening.get(i));
      if (failure instanceof StoreUnavailableException) {
        servers.get(i).warnOnce(failure);
        away.add(failure);
      } else if (failure != null) {
        wrong = failure;
      }
    }
    if (wrong != null) {
      throw wrong;
    }
    if (away.size() > (servers.size() - 1) / 2) {
      throw new StoreUnavailableException(
          String.format(
              Locale.ROOT,
              "%d of %d servers of the quorum are away: %s",
              away.size(),
              servers.size(),
              away.get(0).getMessage()),
          away.get(0));
    }
  }

  private static @Nullable PunctualException failure(CompletableFuture<Void> opening) {
    try {
      opening.join();
      return null;
    } catch (CompletionException e) {
      if (Failures.unwrap(e) instanceof PunctualException failure) {
        return failure;
      }
      throw e;
    }
  }
}

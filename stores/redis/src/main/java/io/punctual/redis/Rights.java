package io.punctual.redis;

import io.punctual.PunctualException;
import io.punctual.redis.client.Deployment;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks, before the store is used, that the user may run the commands of the scripts. A server
 * that does not answer now is no reason to refuse the store.
 */
final class Rights {
  private static final Logger log = LoggerFactory.getLogger(Rights.class);

  private final Deployment deployment;

  Rights(Deployment deployment) {
    this.deployment = deployment;
  }

  /**
   * Returns if nothing is known to be missing.
   *
   * @throws PunctualException if the user may not run a command; the message names all of them
   */
  void check() {
    if (deployment.settings().proxy()) {
      return;
    }
    String refused = ask();
    if (!refused.isEmpty()) {
      throw new PunctualException(
          deployment.describe()
              + ": the user has no right to run "
              + refused
              + "; grant it, see 'ACL rights' in the documentation of the Redis store",
          null);
    }
  }

  private String ask() {
    PartitionKeys nobodys = new PartitionKeys(deployment.settings().namespace(), "", 0);
    long millis = deployment.settings().commandTimeout().toMillis();
    try {
      return deployment
          .run(PartitionScripts.RIGHTS, nobodys.partition(), java.util.List.of())
          .thenApply(answer -> new ReplyReader(answer.values()).nextText())
          .get(millis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      log.debug("Could not ask {} for the rights of its user", deployment.describe(), e);
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PunctualException("Interrupted while " + deployment.describe() + " was asked", e);
    }
  }
}

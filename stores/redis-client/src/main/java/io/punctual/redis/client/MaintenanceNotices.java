package io.punctual.redis.client;

import io.lettuce.core.ClientOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Switches off the maintenance notices that newer versions of the client library request when they
 * connect, by which a server moves clients to a different address. A connection must not move by
 * itself, and proxies close a connection that requests the notices. Called by name, because older
 * versions lack the methods. Stateless.
 */
final class MaintenanceNotices {
  private static final Logger log = LoggerFactory.getLogger(MaintenanceNotices.class);

  private MaintenanceNotices() {}

  /** Sees that they are not asked for. */
  static void refuse(ClientOptions.Builder options) {
    try {
      Class<?> config = Class.forName("io.lettuce.core.MaintNotificationsConfig");
      Object disabled = config.getMethod("disabled").invoke(null);
      Object unused =
          ClientOptions.Builder.class
              .getMethod("maintNotificationsConfig", config)
              .invoke(options, disabled);
    } catch (ReflectiveOperationException older) {
      log.debug("This version of Lettuce asks for no maintenance notices", older);
    }
  }
}

package io.punctual.redis.client;

import io.lettuce.core.ClientOptions;
import io.punctual.internal.log.Logs;
import org.slf4j.Logger;

/**
 * Switches off maintenance notices, by which a server moves its clients to a different address.
 * Newer versions of the client library request these notices when they connect. But a connection
 * must not move by itself, and proxies close a connection that requests the notices. This class
 * calls the library's methods by reflection, because older versions lack them. Stateless.
 */
final class MaintenanceNotices {
  private static final Logger log = Logs.of(MaintenanceNotices.class);

  private MaintenanceNotices() {}

  /** Switches the notices off in these options, if this version of the library has them. */
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

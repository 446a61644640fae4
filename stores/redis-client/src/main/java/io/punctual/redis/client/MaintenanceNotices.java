package io.punctual.redis.client;

import io.lettuce.core.ClientOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What newer versions of the client library ask servers for when they connect: to be told to move
 * to another address. A connection must not move by itself, and proxies end one that asks. Called
 * by name, since older versions have neither the notices nor the way to refuse them. Stateless.
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

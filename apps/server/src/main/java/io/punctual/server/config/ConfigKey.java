package io.punctual.server.config;

import io.punctual.server.jetty.TlsFiles;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A key of the configuration, and whether a reload uses a new value of it.
 *
 * @param name the key, with a dot before a part of it
 * @param isReloaded whether a reload uses a new value; else, it needs a restart
 * @param value returns the value
 */
record ConfigKey(String name, boolean isReloaded, Function<ServerConfig, @Nullable Object> value) {
  /** All keys. */
  static final List<ConfigKey> ALL =
      List.of(
          restart("store", ServerConfig::store),
          restart("host", ServerConfig::host),
          restart("port", ServerConfig::port),
          reload("names", ServerConfig::names),
          restart("tls", config -> config.tls() != null),
          reload("tls.certificate", config -> tls(config, TlsFiles::certificate)),
          reload("tls.key", config -> tls(config, TlsFiles::key)),
          reload("tls.clientAuthorities", config -> tls(config, TlsFiles::clientAuthorities)),
          restart("proxies", ServerConfig::proxies),
          reload("behindProxy", ServerConfig::behindProxy),
          reload("roles", config -> config.access().roles()),
          reload("tokens", config -> config.access().tokens()),
          reload("certificates", config -> config.access().certificates()),
          reload("issuers", config -> config.access().issuers()),
          reload("retries", ServerConfig::retries),
          reload("webhooks", config -> config.webhooks().targets()),
          reload("webhookNetwork", config -> config.webhooks().network()),
          reload("readOnly", ServerConfig::readOnly),
          reload("limits.connections", config -> config.limits().connections()),
          reload("limits.polls", config -> config.limits().polls()),
          reload("limits.pollsPerCaller", config -> config.limits().pollsPerCaller()),
          reload("limits.requestsPerCaller", config -> config.limits().requestsPerCaller()),
          reload("limits.streamsPerCaller", config -> config.limits().streamsPerCaller()),
          restart("limits.headTime", config -> config.limits().headTime()),
          restart("limits.bytesPerSecond", config -> config.limits().bytesPerSecond()),
          restart("limits.idleTime", config -> config.limits().idleTime()),
          restart("limits.bodyMemory", config -> config.limits().bodyMemory()),
          reload("limits.drainTime", config -> config.limits().drainTime()));

  private static ConfigKey restart(String name, Function<ServerConfig, @Nullable Object> value) {
    return new ConfigKey(name, false, value);
  }

  private static ConfigKey reload(String name, Function<ServerConfig, @Nullable Object> value) {
    return new ConfigKey(name, true, value);
  }

  private static @Nullable Object tls(
      ServerConfig config, Function<TlsFiles, @Nullable Object> part) {
    TlsFiles files = config.tls();
    return files == null ? null : part.apply(files);
  }

  /** Returns whether two configurations differ in this key. */
  boolean differs(ServerConfig one, ServerConfig other) {
    return !Objects.equals(value.apply(one), value.apply(other));
  }
}

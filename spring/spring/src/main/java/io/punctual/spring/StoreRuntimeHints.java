package io.punctual.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/**
 * Registers for native images the resources and classes that Punctual's modules find by a name at
 * run time: the scripts of stores and locks, the stores themselves, and classes of libraries that
 * may be absent or older.
 */
final class StoreRuntimeHints implements RuntimeHintsRegistrar {
  private static final String[] RESOURCES = {
    "io/punctual/redis/*.lua",
    "io/punctual/redis/client/connection/*.lua",
    "io/punctual/lock/internal/protocol/*.lua",
    "io/punctual/jdbc/*/*.sql",
    "io/punctual/http/*.json",
    "io/punctual/http/console/*",
    "io/punctual/http/console/pages/*",
    "META-INF/services/io.punctual.spi.RecurrenceProvider",
    "META-INF/services/io.punctual.spi.StoreProvider"
  };

  private static final String[] PROVIDERS = {
    "io.punctual.memory.MemoryStoreProvider",
    "io.punctual.journal.JournalStoreProvider",
    "io.punctual.jdbc.JdbcStoreProvider",
    "io.punctual.redis.RedisStoreProvider",
    "io.punctual.httpstore.HttpStoreProvider",
    "io.punctual.cron.CronProvider"
  };

  /**
   * Classes whose methods are called by reflection. The core calls the methods of virtual threads
   * in this way, because it also runs on Java 17.
   */
  private static final String[] CALLED = {
    "java.lang.Thread",
    "java.lang.Thread$Builder",
    "org.postgresql.PGConnection",
    "org.postgresql.PGNotification",
    "io.lettuce.core.MaintNotificationsConfig",
    "io.lettuce.core.ClientOptions$Builder"
  };

  /** Classes that modules look up by name, without calling their methods by reflection. */
  private static final String[] ASKED = {
    "com.zaxxer.hikari.HikariDataSource",
    "io.punctual.jackson.JacksonCodec",
    "tools.jackson.databind.json.JsonMapper",
    "kotlinx.coroutines.reactor.MonoKt",
    "reactor.core.scheduler.NonBlocking"
  };

  private static final String PROXIED = "io.lettuce.core.resource.ClientResources";

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    for (String resource : RESOURCES) {
      hints.resources().registerPattern(resource);
    }
    types(hints, loader, PROVIDERS, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
    types(hints, loader, CALLED, MemberCategory.INVOKE_PUBLIC_METHODS);
    types(hints, loader, ASKED);
    hints
        .reflection()
        .registerTypeIfPresent(
            loader,
            "org.springframework.jdbc.datasource.ConnectionHolder",
            MemberCategory.INVOKE_DECLARED_METHODS);
    if (ClassUtils.isPresent(PROXIED, loader)) {
      hints.proxies().registerJdkProxy(TypeReference.of(PROXIED));
    }
  }

  private static void types(
      RuntimeHints hints,
      @Nullable ClassLoader loader,
      String[] names,
      MemberCategory... categories) {
    for (String name : names) {
      hints.reflection().registerTypeIfPresent(loader, name, categories);
    }
  }
}

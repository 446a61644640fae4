package io.punctual.jdbc;

import io.punctual.internal.log.UrlHosts;
import io.punctual.spi.Store;
import io.punctual.spi.StoreProvider;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.DueTimer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Opens {@code jdbc:postgresql://host/database}, {@code jdbc:mariadb://…}, {@code jdbc:mysql://…}
 * and {@code jdbc:h2:…} with a pool of connections. The options are {@code createTables}, {@code
 * listen} and {@code threads}, as in {@link JdbcStore.Builder}. The driver receives all other
 * options. Needs HikariCP and the database's driver on the class path. Stateless, so safe for use
 * by many threads.
 */
public final class JdbcStoreProvider implements StoreProvider {
  private static final String CREATE_TABLES = "createTables";
  private static final String THREADS = "threads";
  private static final String LISTEN = "listen";
  private static final Set<String> OPTIONS = Set.of(CREATE_TABLES, THREADS, LISTEN);
  private static final String POOL = "com.zaxxer.hikari.HikariDataSource";

  /** Called by {@link java.util.ServiceLoader}. */
  public JdbcStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("jdbc");
  }

  @Override
  public Store open(StoreUrl url, DueTimer timer) {
    return open(url);
  }

  static JdbcStore open(StoreUrl given) {
    boolean isH2 = given.location().startsWith("h2:");
    StoreUrl url = isH2 ? withOptionsOfH2(given) : given;
    Map<String, String> options = new LinkedHashMap<>(url.options());
    options.keySet().removeAll(OPTIONS);
    boolean isMariaDb = url.location().startsWith("mariadb:");
    String jdbcUrl = "jdbc:" + url.location() + (isMariaDb ? "" : text(url, options));
    UrlHosts.check(url.location());
    requireDriver(url.location(), jdbcUrl);
    if (url.option(LISTEN).isPresent() && !url.location().startsWith("postgresql:")) {
      throw new IllegalArgumentException(
          "The option listen is only for PostgreSQL, since other databases send no notifications;"
              + " leave it out");
    }
    requirePool();
    int threads = url.number(THREADS).orElse(4);
    JdbcStore.Builder builder =
        JdbcStore.builder()
            .threads(threads)
            .createTables(url.flag(CREATE_TABLES).orElse(false))
            .listen(url.flag(LISTEN).orElse(true));
    // The driver of MariaDB does not decode the options in a URL, so a URL can't have a password
    // with an ampersand. The driver receives the options as properties instead.
    Map<String, String> properties = isMariaDb ? options : Map.of();
    return HikariPool.open(isH2 ? H2Urls.opened(jdbcUrl) : jdbcUrl, properties, threads, builder);
  }

  /**
   * Moves the options of the store that the URL has in the form of H2, {@code ;NAME=value}, to the
   * other options. H2 does not distinguish upper and lower case in names.
   */
  private static StoreUrl withOptionsOfH2(StoreUrl url) {
    Map<String, String> options = new LinkedHashMap<>(url.options());
    StringBuilder location = new StringBuilder();
    // A semicolon after a backslash is a part of a value.
    for (String part : url.location().split("(?<!\\\\);", -1)) {
      int equals = part.indexOf('=');
      Optional<String> name =
          OPTIONS.stream()
              .filter(one -> equals > 0 && one.equalsIgnoreCase(part.substring(0, equals).trim()))
              .findAny();
      if (name.isEmpty()) {
        location.append(location.length() == 0 ? "" : ";").append(part);
      } else if (options.put(name.get(), part.substring(equals + 1).trim()) != null) {
        throw new IllegalArgumentException(
            "The store's URL has the option '" + name.get() + "' twice; remove one of them");
      }
    }
    return new StoreUrl(url.scheme(), location.toString(), options);
  }

  private static String text(StoreUrl url, Map<String, String> options) {
    return url.location().startsWith("h2:") ? settings(options) : query(options);
  }

  /**
   * Returns the options for a URL of H2, in which a semicolon is in front of each option and a
   * backslash is the only escape.
   */
  private static String settings(Map<String, String> options) {
    return options.entrySet().stream()
        .map(
            option ->
                ";" + option.getKey() + "=" + option.getValue().replaceAll("[;\\\\]", "\\\\$0"))
        .collect(Collectors.joining());
  }

  private static String query(Map<String, String> options) {
    return options.isEmpty()
        ? ""
        : options.entrySet().stream()
            .map(option -> encode(option.getKey()) + "=" + encode(option.getValue()))
            .collect(Collectors.joining("&", "?", ""));
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static void requireDriver(String location, String jdbcUrl) {
    try {
      DriverManager.getDriver(jdbcUrl);
    } catch (SQLException e) {
      String database = location.split("[^A-Za-z0-9]", 2)[0];
      throw new IllegalArgumentException(
          "No driver for jdbc:"
              + database
              + ": is on the class path; add "
              + driver(database)
              + " to the dependencies, or for the punctual command its jar to PUNCTUAL_CLASSPATH",
          e);
    }
  }

  private static String driver(String database) {
    return switch (database) {
      case "postgresql" -> "org.postgresql:postgresql";
      case "mariadb" -> "org.mariadb.jdbc:mariadb-java-client";
      case "mysql" -> "com.mysql:mysql-connector-j";
      case "h2" -> "com.h2database:h2";
      default ->
          "the JDBC driver of the database (the SQL store supports PostgreSQL, MariaDB, MySQL and"
              + " H2)";
    };
  }

  private static void requirePool() {
    try {
      Class.forName(POOL, false, JdbcStoreProvider.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(
          "A jdbc: URL needs a pool of connections: add com.zaxxer:HikariCP to the dependencies, or"
              + " give JdbcStore.builder() the application's data source",
          e);
    }
  }
}

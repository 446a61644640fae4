package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.StoreRefusedException;
import io.punctual.kit.database.TestServer;
import java.time.Duration;
import java.util.UUID;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the recipe of the documentation: Flyway makes the tables, beside those of an application.
 */
final class FlywayTest {
  private static final int FIRST = 1;

  /** The migrations of an application, which has files of its own with the same versions. */
  private static void migrateShop(String url) {
    assertThat(flyway(url).locations("classpath:shop").load().migrate().migrationsExecuted)
        .isEqualTo(1);
  }

  private static FluentConfiguration flyway(String url) {
    return Flyway.configure().dataSource(url, null, null);
  }

  /** The recipe. */
  private static FluentConfiguration punctual(String url, String folder) {
    return flyway(url)
        .locations("classpath:io/punctual/jdbc/" + folder)
        .table("punctual_flyway")
        .baselineOnMigrate(true)
        .baselineVersion("0");
  }

  @ParameterizedTest
  @EnumSource
  @Tag("extended")
  void migrate_besideAnApplication_makesAndUpgradesTheTables(TestDatabase database) {
    try (TestServer server = database.shared()) {
      String folder = database == TestDatabase.MARIADB ? "mysql" : "postgresql";
      assertRecipeWorks(server.jdbcUrl(), folder);
    }
  }

  @Test
  void migrate_h2_makesAndUpgradesTheTables() {
    assertRecipeWorks("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "h2");
  }

  private static void assertRecipeWorks(String url, String folder) {
    migrateShop(url);
    // An earlier release had the first files only.
    assertThat(punctual(url, folder).target("" + FIRST).load().migrate().success).isTrue();
    assertThatThrownBy(() -> Punctual.open(url)).isInstanceOf(StoreRefusedException.class);

    assertThat(punctual(url, folder).load().migrate().success).isTrue();

    try (Punctual client = Punctual.open(url)) {
      client.queue("orders", Codec.string()).schedule("x", Duration.ofHours(1));
      assertThat(client.queue("orders", Codec.string()).counts().scheduled()).isEqualTo(1);
    }
    assertThat(punctual(url, folder).load().migrate().migrationsExecuted).isZero();
    assertThat(flyway(url).locations("classpath:shop").load().migrate().migrationsExecuted)
        .isZero();
  }
}

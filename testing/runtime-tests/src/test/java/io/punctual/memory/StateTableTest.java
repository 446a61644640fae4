package io.punctual.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that the state tables in the documentation are equal to the tables that the code generates.
 */
class StateTableTest {
  private static final Path PAGE = Path.of("../../docs/how-it-works.md");

  static String[] tables() {
    return new String[] {StateTable.byId(), StateTable.settlements(), StateTable.claims()};
  }

  @ParameterizedTest
  @MethodSource("tables")
  void page_hasTheTableOfTheCode(String table) throws IOException {
    assertThat(Files.readString(PAGE).contains(table))
        .as("%s has no table that equals the code. Paste this table:%n%n%s", PAGE, table)
        .isTrue();
  }

  @Test
  void byId_expiredLease_isALeaseUntilTheNextClaim() {
    assertThat(rows(StateTable.byId(StateTable.Initial.EXPIRED)))
        .isEqualTo(rows(StateTable.byId(StateTable.Initial.LEASED)));
  }

  private static String rows(String table) {
    return table.lines().skip(2).collect(Collectors.joining("\n"));
  }
}

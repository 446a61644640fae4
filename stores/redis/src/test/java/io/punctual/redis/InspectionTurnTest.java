package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InspectionTurnTest {
  private final Map<Integer, InspectionTurn> turns = new HashMap<>();

  private static List<Integer> partitions(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }

  private List<Integer> check(List<Integer> partitions, boolean isCrowded) {
    return InspectionTurn.next(
        partitions, each -> turns.computeIfAbsent(each, n -> new InspectionTurn()), isCrowded);
  }

  private List<Integer> checks(int number, List<Integer> partitions, boolean isCrowded) {
    List<Integer> inspected = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      inspected.addAll(check(partitions, isCrowded));
    }
    return inspected;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 5, 7, 20, 50})
  void upToFiftyPartitions_haveOneTurnInFiveChecks(int number) {
    for (int round = 0; round < 3; round++) {
      assertThat(checks(5, partitions(0, number), false))
          .containsExactlyInAnyOrderElementsOf(partitions(0, number));
    }
  }

  @Test
  void ofManyPartitions_tenHaveATurn_andAllInTheEnd() {
    for (int round = 0; round < 2; round++) {
      List<Integer> inspected = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        List<Integer> turn = check(partitions(0, 1000), false);
        assertThat(turn).hasSize(10);
        inspected.addAll(turn);
      }
      assertThat(inspected).containsExactlyInAnyOrderElementsOf(partitions(0, 1000));
    }
  }

  /** A thousand clients that inspect ten partitions each would be a load of their own. */
  @Test
  void inACrowd_oneHasATurn_andAllInTheEnd() {
    assertThat(checks(20, partitions(0, 20), true))
        .containsExactlyInAnyOrderElementsOf(partitions(0, 20));
  }

  /** A server's own client and its service for other clients share a store. */
  @Test
  void callersWithOtherPartitions_takeNoTurnsOfEachOther() {
    List<Integer> first = new ArrayList<>();
    List<Integer> second = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      first.addAll(check(partitions(0, 8), false));
      second.addAll(check(partitions(8, 1008), false));
    }
    assertThat(first).hasSize(8 * 20).containsAll(partitions(0, 8));
    assertThat(second).containsExactlyInAnyOrderElementsOf(partitions(8, 1008));
  }

  @Test
  void partitionsThatBecomeFewer_haveTurnsAllTheSame() {
    checks(90, partitions(0, 1000), false);
    assertThat(checks(10, partitions(0, 3), false)).containsAll(partitions(0, 3));
  }
}

package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InspectionRoundsTest {
  private final InspectionRounds rounds = new InspectionRounds();

  private static List<Integer> partitions(int number) {
    return IntStream.range(0, number).boxed().toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 5, 7, 20, 50})
  void upToFiftyPartitions_haveATurnInFiveChecks(int number) {
    for (int round = 0; round < 3; round++) {
      List<Integer> turns = new ArrayList<>();
      for (int check = 0; check < 5; check++) {
        turns.addAll(rounds.turn(partitions(number), false));
      }
      assertThat(turns).containsAll(partitions(number)).hasSizeLessThan(2 * number + 5);
    }
  }

  @Test
  void ofManyPartitions_tenHaveATurn_andAllInTheEnd() {
    List<Integer> turns = new ArrayList<>();
    for (int check = 0; check < 100; check++) {
      List<Integer> turn = rounds.turn(partitions(1000), false);
      assertThat(turn).hasSize(10);
      turns.addAll(turn);
    }
    assertThat(turns).containsExactlyElementsOf(partitions(1000));
  }

  /** A thousand clients that inspect ten partitions each would be a load of their own. */
  @Test
  void inACrowd_oneHasATurn_andAllInTheEnd() {
    List<Integer> turns = new ArrayList<>();
    for (int check = 0; check < 20; check++) {
      List<Integer> turn = rounds.turn(partitions(20), true);
      assertThat(turn).hasSize(1);
      turns.addAll(turn);
    }
    assertThat(turns).containsExactlyElementsOf(partitions(20));
  }

  @Test
  void partitionsThatBecomeFewer_haveTurnsAllTheSame() {
    for (int check = 0; check < 90; check++) {
      rounds.turn(partitions(1000), false);
    }
    List<Integer> turns = new ArrayList<>();
    for (int check = 0; check < 5; check++) {
      turns.addAll(rounds.turn(partitions(3), false));
    }
    assertThat(turns).containsAll(partitions(3));
  }
}

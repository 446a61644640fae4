package io.punctual.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.State;
import io.punctual.embedded.ClaimLimits;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.Purge;
import io.punctual.spi.Content;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests messages that change after a purge has begun. */
class PurgeTest {
  private static final Content CONTENT = Content.of(new byte[0]);

  private final PartitionState partition = new PartitionState(0, 0, new ClaimLimits());
  private long nowMillis;

  @Test
  void visit_arrivedSinceItBegan_stays() {
    Item old = add("old", 10);
    Purge purge = purge(State.SCHEDULED);
    partition.remove(old);
    Item fresh = add("fresh", 10);
    assertThat(fresh.slot).isEqualTo(old.slot);
    add("fresh too", 10);
    visitAll(purge);
    assertThat(purge.end()).isZero();
    assertThat(partition.find("fresh")).isSameAs(fresh);
  }

  @Test
  void visit_leftItsStateAndCameBack_stays() {
    Item item = add("m", 0);
    Purge purge = purge(State.READY);
    partition.lease(item, 5, 1);
    partition.makeWait(item, 0);
    visitAll(purge);
    assertThat(partition.find("m")).isSameAs(item);
  }

  @Test
  void visit_cameDueSinceItBegan_stays() {
    Item soon = add("soon", 10);
    add("later", 20);
    Purge purge = purge(State.SCHEDULED);
    nowMillis = 10;
    visitAll(purge);
    assertThat(partition.find("soon")).isSameAs(soon);
    assertThat(partition.find("later")).isNull();
    assertThat(purge.end()).isEqualTo(1);
  }

  @Test
  void visit_cameDueAndBothStatesArePurged_goes() {
    add("soon", 10);
    Purge purge = purge(State.SCHEDULED, State.READY);
    nowMillis = 10;
    visitAll(purge);
    assertThat(purge.end()).isEqualTo(1);
  }

  @Test
  void visit_buriedSinceItBegan_stays() {
    Item item = add("m", 0);
    partition.lease(item, 5, 1);
    Purge purge = purge(State.DEAD);
    partition.bury(item, 0);
    visitAll(purge);
    assertThat(partition.find("m")).isSameAs(item);
  }

  @Test
  void visit_movedWithinItsState_goes() {
    partition.lease(add("leased", 0), 5, 1);
    add("waiting", 10);
    Purge purge = purge(State.SCHEDULED, State.LEASED);
    partition.move(found("leased"), 50);
    partition.move(found("waiting"), 50);
    visitAll(purge);
    assertThat(purge.end()).isEqualTo(2);
    assertThat(partition.earliest(new EngineTime(0))).isEqualTo(Long.MAX_VALUE);
  }

  private Purge purge(State... states) {
    return partition.purges().begin(new MemoryTable(partition), Set.of(states), () -> nowMillis);
  }

  private void visitAll(Purge purge) {
    for (int slot = 0; slot < partition.items().end(); slot++) {
      purge.visit(slot, slot + 1);
    }
  }

  private Item add(String id, long dueMillis) {
    partition.add(id, CONTENT, dueMillis);
    return found(id);
  }

  private Item found(String id) {
    Item item = partition.find(id);
    assertThat(item).isNotNull();
    return item;
  }
}

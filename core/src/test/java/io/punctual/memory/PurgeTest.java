package io.punctual.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.State;
import io.punctual.spi.Content;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What happens between the steps of a purge. */
class PurgeTest {
  private static final Content CONTENT = Content.of(new byte[0]);

  private final LaneState lane = new LaneState(0);
  private long nowMillis;

  @Test
  void visit_arrivedSinceItBegan_stays() {
    Item old = add("old", 10);
    Purge purge = purge(State.SCHEDULED);
    lane.remove(old);
    Item fresh = add("fresh", 10);
    assertThat(fresh.slot).isEqualTo(old.slot);
    add("fresh too", 10);
    visitAll(purge);
    assertThat(purge.removed()).isZero();
    assertThat(lane.find("fresh")).isSameAs(fresh);
  }

  @Test
  void visit_leftItsStateAndCameBack_stays() {
    Item item = add("m", 0);
    Purge purge = purge(State.READY);
    lane.lease(item, 5, 1);
    lane.makeWait(item, 0);
    visitAll(purge);
    assertThat(lane.find("m")).isSameAs(item);
  }

  @Test
  void visit_cameDueSinceItBegan_stays() {
    Item soon = add("soon", 10);
    add("later", 20);
    Purge purge = purge(State.SCHEDULED);
    nowMillis = 10;
    visitAll(purge);
    assertThat(lane.find("soon")).isSameAs(soon);
    assertThat(lane.find("later")).isNull();
    assertThat(purge.removed()).isEqualTo(1);
  }

  @Test
  void visit_movedWithinItsState_goes() {
    lane.lease(add("leased", 0), 5, 1);
    add("waiting", 10);
    Purge purge = purge(State.SCHEDULED, State.LEASED);
    lane.move(found("leased"), 50);
    lane.move(found("waiting"), 50);
    visitAll(purge);
    assertThat(purge.removed()).isEqualTo(2);
    assertThat(lane.earliest()).isEqualTo(Long.MAX_VALUE);
  }

  private Purge purge(State... states) {
    return new Purge(lane, Set.of(states), () -> nowMillis);
  }

  private void visitAll(Purge purge) {
    for (int slot = 0; slot < lane.items().end(); slot++) {
      purge.visit(slot, slot + 1);
    }
  }

  private Item add(String id, long dueMillis) {
    lane.add(id, CONTENT, dueMillis);
    return found(id);
  }

  private Item found(String id) {
    Item item = lane.find(id);
    assertThat(item).isNotNull();
    return item;
  }
}

package io.punctual.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class SlotWheelTest {
  @Test
  void schedule_negativeOrTooHighSlot_isRefused() {
    SlotWheel wheel = new SlotWheel(0);

    assertThatThrownBy(() -> wheel.schedule(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> wheel.schedule(Integer.MAX_VALUE, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(wheel.isScheduled(-1)).isFalse();
    assertThat(wheel.cancel(-1)).isFalse();
    assertThat(wheel.size()).isZero();
  }

  @Test
  void schedule_highSlot_takesNoMemoryForThoseBelow() {
    SlotWheel wheel = new SlotWheel(0);

    wheel.schedule(500_000_000, 1);

    assertThat(wheel.isScheduled(500_000_000)).isTrue();
    assertThat(wheel.isScheduled(499_000_000)).isFalse();
    assertThat(wheel.isScheduled(500_000_001)).isFalse();
    assertThat(wheel.isScheduled(Integer.MAX_VALUE)).isFalse();
  }

  @Test
  void due_neverUsedSlot_isRefused() {
    SlotWheel wheel = new SlotWheel(0);
    wheel.schedule(0, 5);

    assertThat(wheel.due(0)).isEqualTo(5);
    assertThatThrownBy(() -> wheel.due(5_000)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void note_scheduledSlot_isTakenOutAndLeavesTheNextExpiryExact() {
    SlotWheel wheel = new SlotWheel(0);
    wheel.schedule(0, 500);
    wheel.schedule(1, 900);

    wheel.note(1, 400);

    assertThat(wheel.due(1)).isEqualTo(400);
    assertThat(wheel.isScheduled(1)).isFalse();
    assertThat(wheel.nextExpiry()).isEqualTo(500);
    assertThat(wheel.size()).isEqualTo(1);
  }
}

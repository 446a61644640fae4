package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.BatchException;
import io.punctual.Message;
import io.punctual.NotConfirmedException;
import io.punctual.NotDoneException;
import io.punctual.OutcomeUnknownException;
import java.util.List;
import org.junit.jupiter.api.Test;

class NotDoneExceptionTest {
  @Test
  void callOfAClosedClient_wasNotDone() {
    ManualWorld world = new ManualWorld();
    world.close();
    assertThatThrownBy(() -> world.queue.schedule(Message.of("a")))
        .isInstanceOf(NotDoneException.class);
  }

  @Test
  void unknownOrPartialOutcomes_areNoneOfThem() {
    assertThat(
            List.of(
                OutcomeUnknownException.class, NotConfirmedException.class, BatchException.class))
        .noneMatch(NotDoneException.class::isAssignableFrom);
  }
}

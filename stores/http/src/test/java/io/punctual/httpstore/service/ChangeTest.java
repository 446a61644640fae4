package io.punctual.httpstore.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.PauseNote;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Requests;
import io.punctual.httpstore.wire.Wire;
import io.punctual.memory.MemoryStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests what a sender is told to have changed. */
final class ChangeTest {
  private final StoreService service =
      new StoreService(MemoryStore.builder().build(), new StoppedTimer());
  private final List<String> told = new ArrayList<>();

  /** Access to everything, of a sender whose audit fails. */
  private final Access failing =
      new Access() {
        @Override
        public boolean may(String queue) {
          return true;
        }

        @Override
        public Collection<String> prefixes() {
          return List.of("");
        }

        @Override
        public String name() {
          return "ada";
        }

        @Override
        public void changed(Change change, int status) {
          told.add(change.action() + " " + status);
          throw new IllegalStateException("the audit is closed");
        }
      };

  private int serve(Request<?> request) throws Exception {
    byte[] body = Wire.write(request.getClass(), request);
    return service
        .serve(Requests.name(request.getClass()), body, failing)
        .get(30, TimeUnit.SECONDS)
        .status();
  }

  @Test
  void auditThatFails_leavesTheAnswerAsItIs() throws Exception {
    Place place = new Place("orders", 0, 1);
    assertThat(serve(new Request.FindPartitions("orders", 1))).isEqualTo(200);
    assertThat(serve(new Request.Pause(place, true, PauseNote.NONE))).isEqualTo(200);
    assertThat(told).containsExactly("pause 200");
  }
}

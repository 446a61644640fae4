package io.punctual.testkit;

import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.spi.Capability;
import java.time.Duration;

/** How a message comes out of a holder's hands, so that another can claim it. */
enum Handover {
  RELEASED {
    @Override
    void pass(TestLane lane, Held held) {
      lane.session().release(held);
    }
  },
  RETRIED {
    @Override
    void pass(TestLane lane, Held held) {
      lane.session().retry(held, lane.past(), "failed");
    }
  },
  RAN_OUT {
    @Override
    void pass(TestLane lane, Held held) {
      lane.session().extend(held, Duration.ofMillis(1));
      lane.advance(Duration.ofMillis(3));
    }
  },
  REPLACED {
    @Override
    void pass(TestLane lane, Held held) {
      lane.session().schedule(held.id(), lane.past(), IfPresent.REPLACE, "new");
    }
  },
  ACKED_AND_SCHEDULED {
    @Override
    void pass(TestLane lane, Held held) {
      lane.session().ack(held);
      lane.session().schedule(held.id(), lane.past());
    }
  },
  CANCELLED_AND_SCHEDULED {
    @Override
    void pass(TestLane lane, Held held) {
      lane.needs(Capability.CANCEL);
      lane.session().cancel(held.id());
      lane.session().schedule(held.id(), lane.past());
    }
  },
  BURIED_AND_REDRIVEN {
    @Override
    void pass(TestLane lane, Held held) {
      lane.needs(Capability.DEAD_LETTERS);
      lane.session().bury(held, "enough");
      lane.session().redrive(held.id());
      lane.advance(Duration.ofMillis(1));
    }
  },
  BURIED_AND_SCHEDULED {
    @Override
    void pass(TestLane lane, Held held) {
      lane.session().bury(held, "enough");
      lane.session().schedule(held.id(), lane.past(), IfPresent.REPLACE, "new");
    }
  },
  PURGED_AND_SCHEDULED {
    @Override
    void pass(TestLane lane, Held held) {
      lane.needs(Capability.PURGE);
      lane.purge(State.LEASED);
      lane.session().schedule(held.id(), lane.past());
    }
  };

  /** Takes the message out of the holder's hands. */
  abstract void pass(TestLane lane, Held held);
}

package io.punctual.contract;

import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.spi.Capability;
import java.time.Duration;

/** How a message comes out of a holder's hands, so that another can claim it. */
enum Handover {
  RELEASED {
    @Override
    void pass(TestPartition partition, Held held) {
      partition.session().release(held);
    }
  },
  RETRIED {
    @Override
    void pass(TestPartition partition, Held held) {
      partition.session().retry(held, partition.past(), "failed");
    }
  },
  RAN_OUT {
    @Override
    void pass(TestPartition partition, Held held) {
      partition.session().extend(held, Duration.ofMillis(1));
      partition.advance(Duration.ofMillis(3));
    }
  },
  REPLACED {
    @Override
    void pass(TestPartition partition, Held held) {
      partition.session().schedule(held.id(), partition.past(), IfPresent.REPLACE, "new");
    }
  },
  ACKED_AND_SCHEDULED {
    @Override
    void pass(TestPartition partition, Held held) {
      partition.session().ack(held);
      partition.session().schedule(held.id(), partition.past());
    }
  },
  CANCELLED_AND_SCHEDULED {
    @Override
    void pass(TestPartition partition, Held held) {
      partition.needs(Capability.CANCEL);
      partition.session().cancel(held.id());
      partition.session().schedule(held.id(), partition.past());
    }
  },
  BURIED_AND_REDRIVEN {
    @Override
    void pass(TestPartition partition, Held held) {
      partition.needs(Capability.DEAD_LETTERS);
      partition.session().bury(held, "enough");
      partition.session().redrive(held.id());
      partition.advance(Duration.ofMillis(1));
    }
  },
  BURIED_AND_SCHEDULED {
    @Override
    void pass(TestPartition partition, Held held) {
      partition.session().bury(held, "enough");
      partition.session().schedule(held.id(), partition.past(), IfPresent.REPLACE, "new");
    }
  },
  PURGED_AND_SCHEDULED {
    @Override
    void pass(TestPartition partition, Held held) {
      partition.needs(Capability.PURGE);
      partition.purge(State.LEASED);
      partition.session().schedule(held.id(), partition.past());
    }
  };

  /** Takes the message out of the holder's hands. */
  abstract void pass(TestPartition partition, Held held);
}

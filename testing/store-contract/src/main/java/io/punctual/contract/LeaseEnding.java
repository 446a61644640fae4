package io.punctual.contract;

import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.spi.Capability;
import java.time.Duration;

/**
 * The ways in which a lease ends and its message, or a new message with the same id, becomes
 * claimable.
 */
enum LeaseEnding {
  RELEASED {
    @Override
    void end(TestPartition partition, ClaimedMessage held) {
      partition.session().release(held);
    }
  },
  DEFERRED {
    @Override
    void end(TestPartition partition, ClaimedMessage held) {
      partition.session().defer(held, partition.past(1));
    }
  },
  REPEATED {
    @Override
    void end(TestPartition partition, ClaimedMessage held) {
      partition.session().repeat(held, partition.past());
    }
  },
  RETRIED {
    @Override
    void end(TestPartition partition, ClaimedMessage held) {
      partition.session().retry(held, partition.past(), "failed");
    }
  },
  RAN_OUT {
    @Override
    void end(TestPartition partition, ClaimedMessage held) {
      partition.session().extend(held, Duration.ofMillis(1));
      partition.advance(Duration.ofMillis(3));
    }
  },
  REPLACED {
    @Override
    void end(TestPartition partition, ClaimedMessage held) {
      partition.session().schedule(held.id(), partition.past(), IfPresent.REPLACE, "new");
    }
  },
  ACKED_AND_SCHEDULED {
    @Override
    void end(TestPartition partition, ClaimedMessage held) {
      partition.session().ack(held);
      partition.session().schedule(held.id(), partition.past());
    }
  },
  CANCELLED_AND_SCHEDULED {
    @Override
    void end(TestPartition partition, ClaimedMessage held) {
      partition.needs(Capability.CANCEL);
      partition.session().cancel(held.id());
      partition.session().schedule(held.id(), partition.past());
    }
  },
  BURIED_AND_REDRIVEN {
    @Override
    void end(TestPartition partition, ClaimedMessage held) {
      partition.needs(Capability.DEAD_LETTERS);
      partition.session().bury(held, "enough");
      partition.session().redrive(held.id());
      partition.advance(Duration.ofMillis(1));
    }
  },
  BURIED_AND_SCHEDULED {
    @Override
    void end(TestPartition partition, ClaimedMessage held) {
      partition.session().bury(held, "enough");
      partition.session().schedule(held.id(), partition.past(), IfPresent.KEEP, "new");
    }
  },
  PURGED_AND_SCHEDULED {
    @Override
    void end(TestPartition partition, ClaimedMessage held) {
      partition.needs(Capability.PURGE);
      partition.purge(State.LEASED);
      partition.session().schedule(held.id(), partition.past());
    }
  };

  /** Ends the lease, and makes a message with the id of {@code held} claimable. */
  abstract void end(TestPartition partition, ClaimedMessage held);
}

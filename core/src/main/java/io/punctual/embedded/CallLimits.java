package io.punctual.embedded;

import io.punctual.spi.Call;
import io.punctual.spi.Partition;

/** Checks calls against the limits of a {@link Partition}. */
public final class CallLimits {
  private CallLimits() {}

  /**
   * Checks the size and the lease of a claim.
   *
   * @throws Partition.PartitionException if a limit is exceeded
   */
  public static void check(Call.Claim claim) {
    if (claim.limit() < 0 || claim.limit() > Partition.MAX_PAGE || claim.leaseMillis() < 1) {
      throw refused(
          "A claim takes up to " + Partition.MAX_PAGE + " messages for 1 ms or more: " + claim);
    }
  }

  /**
   * Checks the operations of a call, for a store that offers no choice of durability.
   *
   * @param durabilityHint the explanation for a user who names a durability
   * @throws Partition.PartitionException if there are too many operations, or the call names a
   *     durability
   */
  public static void check(Call.Apply apply, String durabilityHint) {
    if (apply.operations().size() > Partition.MAX_OPERATIONS) {
      throw refused("A call carries up to " + Partition.MAX_OPERATIONS + " operations");
    }
    if (apply.durability() != null) {
      throw refused(durabilityHint);
    }
  }

  private static Partition.PartitionException refused(String why) {
    return new Partition.PartitionException(why, null);
  }
}

package io.punctual.benchmarks.memory;

import io.punctual.benchmarks.memory.CallCosts.Costs;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The process that measures calls, alternately with few and with many pending messages: {@code
 * MemoryChild <few> <many> <repeats>}. It prints a line with the medians for few, and a line with
 * the medians for many.
 */
final class MemoryChild {
  private static final int WARM_UPS = 6;

  /**
   * The number of measurements with few messages for each measurement with many messages. There are
   * fewer measurements with many messages, because it takes long to schedule many messages.
   */
  private static final int FEW_FOR_MANY = 10;

  private static final int CALLS_AT_FEW = 4_000;
  private static final int CALLS_AT_MANY = 40_000;

  private MemoryChild() {}

  public static void main(String[] args) {
    int few = Integer.parseInt(args[0]);
    int many = Integer.parseInt(args[1]);
    CallCosts calls = new CallCosts();
    for (int i = 0; i < WARM_UPS; i++) {
      calls.measure(few, CALLS_AT_FEW);
    }
    calls.measure(CALLS_AT_MANY, CALLS_AT_MANY);
    List<Costs> ofFew = new ArrayList<>();
    List<Costs> ofMany = new ArrayList<>();
    for (int repeat = 0; repeat < Integer.parseInt(args[2]); repeat++) {
      for (int i = 0; i < FEW_FOR_MANY; i++) {
        ofFew.add(calls.measure(few, CALLS_AT_FEW));
      }
      ofMany.add(calls.measure(many, CALLS_AT_MANY));
    }
    System.out.println(median(ofFew).word());
    System.out.println(median(ofMany).word());
    System.exit(0);
  }

  private static Costs median(List<Costs> costs) {
    return new Costs(
        median(costs, Costs::schedule),
        median(costs, Costs::cancel),
        median(costs, Costs::claimAndAck));
  }

  private static double median(List<Costs> costs, ToDoubleFunction<Costs> cost) {
    return costs.stream().mapToDouble(cost).sorted().skip(costs.size() / 2).findFirst().orElse(0);
  }
}

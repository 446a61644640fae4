package io.punctual.embedded;

/** Visits every slot of a partition, in steps. Other calls can run between two steps. */
public interface SlotScan {
  /** Visits the slots from {@code from} up to but not including {@code to}. */
  void visit(int from, int to);
}

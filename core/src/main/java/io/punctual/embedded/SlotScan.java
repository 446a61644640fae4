package io.punctual.embedded;

/** A look at every slot of a partition, in steps between which other calls have their turn. */
public interface SlotScan {
  /** Visits the slots from {@code from} up to but not including {@code to}. */
  void visit(int from, int to);
}

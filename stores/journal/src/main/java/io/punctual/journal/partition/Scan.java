package io.punctual.journal.partition;

/** Looks at every slot of a partition, a part at a time. */
interface Scan {
  /** How many slots are looked at between two turns of others. */
  int STEP = 4096;

  /** Looks at the slots from one, up to but not including another. */
  void visit(int from, int to);
}

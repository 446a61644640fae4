package io.punctual.benchmarks;

import java.util.List;

/**
 * A group of products to compare: its trials, and the servers that they need while the subject is
 * open.
 */
public interface Subject extends AutoCloseable {
  /** The trials in the order of a round: contenders of the same workload are adjacent. */
  List<Trial> trials();

  /** The missing contenders, the reason, and the command that installs them. */
  List<String> leftOut();

  /** The version of each measured product. */
  List<String> versions();

  @Override
  void close();
}

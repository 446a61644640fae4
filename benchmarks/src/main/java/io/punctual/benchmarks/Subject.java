package io.punctual.benchmarks;

import java.util.List;

/**
 * A group of products to compare: its trials, and the servers that they need while the subject is
 * open.
 */
public interface Subject extends AutoCloseable {
  /** The trials in the order of a round: contenders of the same workload are adjacent. */
  List<Trial> trials();

  /** The missing contenders and servers, the reason, and the command that installs them. */
  List<String> leftOut();

  /** The versions of the peers, the servers and the JDK. */
  List<String> versions();

  /** Whether the report's first picture includes a contender. */
  default boolean isPictured(String contender) {
    return true;
  }

  @Override
  void close();
}

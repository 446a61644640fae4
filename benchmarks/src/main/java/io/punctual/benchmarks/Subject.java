package io.punctual.benchmarks;

import java.util.List;

/** What is compared: its trials, and the servers that they need, while it is open. */
public interface Subject extends AutoCloseable {
  /** In the order in which a round runs them: contenders of one workload next to one another. */
  List<Trial> trials();

  /** Contenders that are left out, why, and the command that brings them in. */
  List<String> leftOut();

  /** What was measured in which version. */
  List<String> versions();

  @Override
  void close();
}

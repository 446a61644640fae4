package io.punctual.benchmarks;

import java.util.List;

/**
 * All that a run has to tell.
 *
 * @param quick whether it was run for soundness only
 * @param machine what it ran on, for people
 * @param versions what was measured
 * @param leftOut contenders that were not there, and how to bring them in
 * @param failures trials that ended with an exception
 */
public record Report(
    String subject,
    boolean quick,
    int rounds,
    String machine,
    List<String> versions,
    List<String> leftOut,
    List<String> failures,
    List<Result> results) {}

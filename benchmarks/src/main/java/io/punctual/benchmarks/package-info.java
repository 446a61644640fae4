/**
 * Compares Punctual with its peers: {@code Bench} runs trials in alternating rounds, and reports
 * medians. The packages below contain the subjects and their workloads.
 */
@NullMarked
package io.punctual.benchmarks;

import org.jspecify.annotations.NullMarked;

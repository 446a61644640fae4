/**
 * Punctual beside its peers: {@code Bench} runs trials in alternating rounds, every one in
 * processes of its own, and reports medians. The timers, the queues and their workloads are in the
 * packages below.
 */
@NullMarked
package io.punctual.benchmarks;

import org.jspecify.annotations.NullMarked;

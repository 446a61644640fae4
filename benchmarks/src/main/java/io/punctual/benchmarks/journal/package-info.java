/**
 * Measures the journal: rates of writes, compared with plain files, and of settlements; lateness;
 * and the memory and the costs of calls with many pending messages.
 */
@NullMarked
package io.punctual.benchmarks.journal;

import org.jspecify.annotations.NullMarked;

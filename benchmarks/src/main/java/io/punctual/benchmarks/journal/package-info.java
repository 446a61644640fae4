/**
 * The journal compared with plain files: rates of writes and settlements, lateness, and the memory
 * and the costs of calls with millions of pending messages.
 */
@NullMarked
package io.punctual.benchmarks.journal;

import org.jspecify.annotations.NullMarked;

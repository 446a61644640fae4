/**
 * The history checker. Every process of a run records what it asked for and what it saw ({@link
 * io.punctual.harness.history.Recording}); afterwards the histories of all processes together
 * ({@link io.punctual.harness.history.History}) are judged by what Punctual promises ({@link
 * io.punctual.harness.history.HistoryReport}).
 */
@NullMarked
package io.punctual.harness.history;

import org.jspecify.annotations.NullMarked;

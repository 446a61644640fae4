/**
 * The history checker. Every process of a run records what it asked for and what it saw ({@link
 * io.punctual.testkit.history.Recording}); afterwards the histories of all processes together
 * ({@link io.punctual.testkit.history.History}) are judged by what Punctual promises ({@link
 * io.punctual.testkit.history.HistoryReport}).
 */
@NullMarked
package io.punctual.testkit.history;

import org.jspecify.annotations.NullMarked;

/**
 * The history checker. Every process of a run records its calls and observations ({@link
 * io.punctual.kit.history.Recording}). Afterwards the histories of all processes together ({@link
 * io.punctual.kit.history.History}) are checked against Punctual's guarantees ({@link
 * io.punctual.kit.history.HistoryReport}).
 *
 * <p>The classes {@code Recording*} observe a client, {@code Recorded*} are the observed actions,
 * and {@code *Row} are the rows of the state table against which the checker compares these
 * actions. They are one package, because recording and checking share the file format, which is not
 * public.
 */
@NullMarked
package io.punctual.kit.history;

import org.jspecify.annotations.NullMarked;

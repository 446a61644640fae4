package io.punctual.jdbc.sql;

import java.util.List;

/**
 * What a session of the database has set, and the statements that change it for the store.
 *
 * @param place the database and the schema in which the session finds the tables; empty if it finds
 *     none
 * @param isReadOnly whether the session can't change the tables
 * @param change the statements that prepare the session for the store
 * @param restore the statements that undo {@code change}
 * @param begin the statements at the begin of each transaction, separated by semicolons; may be
 *     empty
 */
record SessionSettings(
    String place, boolean isReadOnly, List<String> change, List<String> restore, String begin) {}

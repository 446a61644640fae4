/**
 * Copies the messages of queues from one store to another, with their state, their attempts and
 * their failures, and verifies the copy. Writes dead letters as lines of JSON, and reads them.
 */
@NullMarked
package io.punctual.migration.copy;

import org.jspecify.annotations.NullMarked;

/**
 * Copies the messages of queues from one store to another, with their state, their attempts and
 * their failures, and verifies the copy.
 */
@NullMarked
package io.punctual.migration.copy;

import org.jspecify.annotations.NullMarked;

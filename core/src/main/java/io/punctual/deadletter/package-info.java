/**
 * Dead letters: list, group, redrive and delete the messages that failed too often, expired, are
 * unreadable or were buried: see {@link io.punctual.deadletter.DeadLetters}.
 */
@NullMarked
package io.punctual.deadletter;

import org.jspecify.annotations.NullMarked;

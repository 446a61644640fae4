/**
 * The session of a client with a partition: numbered calls that are sent in order and take effect
 * at most once.
 */
@NullMarked
package io.punctual.internal.session;

import org.jspecify.annotations.NullMarked;

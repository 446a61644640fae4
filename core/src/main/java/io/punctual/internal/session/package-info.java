/**
 * The session of a client with a partition: numbered calls, sent in order, each with a single
 * effect.
 */
@NullMarked
package io.punctual.internal.session;

import org.jspecify.annotations.NullMarked;

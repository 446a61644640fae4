/**
 * The session of a client with a partition: numbered calls that are sent in order and take effect
 * once.
 */
@NullMarked
package io.punctual.internal.session;

import org.jspecify.annotations.NullMarked;

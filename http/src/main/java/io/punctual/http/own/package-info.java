/**
 * The server's own records, which are messages in the store: what was changed by whom, and changes
 * of many messages, which go on after a crash.
 */
@NullMarked
package io.punctual.http.own;

import org.jspecify.annotations.NullMarked;

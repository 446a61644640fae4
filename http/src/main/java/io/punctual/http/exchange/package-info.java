/** A request and its answer, as every adapter of a server passes them. */
@NullMarked
package io.punctual.http.exchange;

import org.jspecify.annotations.NullMarked;

/** Claims that wait for messages, and settlements. */
@NullMarked
package io.punctual.http.claim;

import org.jspecify.annotations.NullMarked;

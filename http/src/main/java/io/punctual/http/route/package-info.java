/** From the head of a request to the handler that answers it. */
@NullMarked
package io.punctual.http.route;

import org.jspecify.annotations.NullMarked;

/** The client's side: sends requests to a server, and receives its hints. */
@NullMarked
package io.punctual.httpstore.client;

import org.jspecify.annotations.NullMarked;

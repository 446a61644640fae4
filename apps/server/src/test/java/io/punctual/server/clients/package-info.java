/** The clients of other languages against the server. */
@NullMarked
package io.punctual.server.clients;

import org.jspecify.annotations.NullMarked;

/**
 * The server's side: executes the requests of clients on the server's own store. Knows nothing of
 * HTTP but the status of an answer.
 */
@NullMarked
package io.punctual.httpstore.service;

import org.jspecify.annotations.NullMarked;

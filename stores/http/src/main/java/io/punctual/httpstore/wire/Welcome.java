package io.punctual.httpstore.wire;

import java.util.Set;

/**
 * The answer to a client that opens the store.
 *
 * @param server a random id of the server's process
 * @param capabilities the names of the capabilities of the server's store
 */
public record Welcome(String server, Set<String> capabilities) {}

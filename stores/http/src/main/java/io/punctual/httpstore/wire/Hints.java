package io.punctual.httpstore.wire;

import java.util.List;

/**
 * The answer to a client that listens.
 *
 * @param server the id of the server's process, as in {@link Welcome}
 * @param hints the hints since the last answer; empty at the end of the wait
 * @param areTextsNew whether the texts that the client has read have changed, or the server no
 *     longer looks at them or renews the client's own, because the client was absent
 * @param pauseMillis how long the client should wait before it listens again; 0 unless the server
 *     is about to end
 */
public record Hints(String server, List<Hint> hints, boolean areTextsNew, long pauseMillis) {}

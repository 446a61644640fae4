package io.punctual.httpstore.wire;

import io.punctual.spi.Announcement;
import java.util.List;

/**
 * Texts about clients.
 *
 * @param found the texts that the store has
 * @param areWatched whether the server tells of their change, because the client listens there
 */
public record Texts(List<Announcement> found, boolean areWatched) {}

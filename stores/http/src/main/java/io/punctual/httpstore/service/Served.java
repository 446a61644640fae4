package io.punctual.httpstore.service;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An answer.
 *
 * @param status the HTTP status
 * @param type the media type of the whole body
 * @param body the body, or its first part
 * @param rest the second part of the body, which should be sent when it is there; null if there is
 *     none. The stage never fails
 */
public record Served(
    int status, String type, byte[] body, @Nullable CompletionStage<byte[]> rest) {}

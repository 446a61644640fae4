package io.punctual.jdbc.partition;

import io.punctual.embedded.SessionAnswer;
import io.punctual.spi.Reply;
import org.jspecify.annotations.Nullable;

/**
 * The result of a call.
 *
 * @param answer the answer to remember, or null if the call was refused or repeated
 * @param queue the queue, or null if it does not exist, or if the call was refused or repeated
 * @param earliest as in {@link Applying.Applied}; {@link Earliest#NONE} for a claim, and for a call
 *     that was refused or repeated
 */
record CallResult(
    Reply reply,
    @Nullable SessionAnswer<Reply.Applied> answer,
    @Nullable QueueRow queue,
    Earliest earliest) {}

package io.punctual.deadletter;

import java.time.Instant;
import java.util.Optional;

/**
 * The dead letters of a queue with the same reason and the same failure.
 *
 * @param key 12 hexadecimal digits, the same in every process, for {@link
 *     DeadLetterFilter#withGroup}
 * @param reason the reason of the burials, or empty if the reason is unknown
 * @param failure the class of the innermost exception, and the first stack frame of the user's
 *     code, for example {@code com.example.CardException at
 *     com.example.Cards.charge(Cards.java:42)}. If there is no such frame, the details of the
 *     reason, with a placeholder for each quoted text and each word with digits
 * @param count the number of dead letters
 * @param firstDied the earliest time of death, by the store's clock
 * @param lastDied the latest time of death
 * @param sampleId the id of a dead letter that died at {@code lastDied}
 */
public record DeadLetterGroup(
    String key,
    Optional<DeadReason> reason,
    String failure,
    long count,
    Instant firstDied,
    Instant lastDied,
    String sampleId) {}

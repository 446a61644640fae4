package io.punctual.webhook;

import io.punctual.Punctual;
import io.punctual.timer.DueTimer;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What all targets of a process share.
 *
 * @param isReadOnly whether no message is taken
 * @param executor begins the calls
 */
record Context(
    Punctual punctual,
    DueTimer timer,
    InstantSource clock,
    Sender sender,
    Records records,
    DeliveryLog log,
    Supplier<NetworkRules> rules,
    BooleanSupplier isReadOnly,
    Executor executor) {}

/**
 * Runs in which processes are killed and stores fail. A test starts {@linkplain
 * io.punctual.kit.kill.Role roles} in processes or threads of a {@link
 * io.punctual.kit.kill.KillRun}, kills processes and injects faults by a {@link
 * io.punctual.kit.kill.KillPlan}, and judges the recorded histories at the end.
 */
@NullMarked
package io.punctual.kit.kill;

import org.jspecify.annotations.NullMarked;

package io.punctual.kit.kill;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** A thread of the test's process that plays a role. */
final class RoleThread implements Member {
  private final Role role;
  private final Stage stage;
  private final AtomicBoolean ready;
  private final FutureTask<Void> work;
  private final Thread thread;

  RoleThread(Role role, Stage stage, AtomicBoolean ready) {
    this.role = role;
    this.stage = stage;
    this.ready = ready;
    work = new FutureTask<>(() -> play(role, stage), null);
    thread = new Thread(work, stage.name());
    thread.setDaemon(true);
    thread.start();
  }

  /** Plays a role until it ends, or until the run interrupts the thread. */
  static void play(Role role, Stage stage) {
    try {
      role.play(stage);
    } catch (InterruptedException ended) {
      // An interrupt is the regular end of a role.
    } catch (Exception e) {
      throw new IllegalStateException(stage.name() + " failed", e);
    }
  }

  @Override
  public Role role() {
    return role;
  }

  @Override
  public Stage stage() {
    return stage;
  }

  @Override
  public boolean isReady() {
    if (work.isDone()) {
      awaitEnd();
    }
    return ready.get();
  }

  @Override
  public void awaitEnd() {
    try {
      Void unused = work.get(KillPlan.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError(stage.name() + " failed, or does not end", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void end() {
    thread.interrupt();
    awaitEnd();
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}

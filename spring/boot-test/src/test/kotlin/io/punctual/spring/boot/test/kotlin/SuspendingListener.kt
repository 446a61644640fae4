package io.punctual.spring.boot.test.kotlin

import io.punctual.Delivery
import io.punctual.spring.PunctualListener
import java.util.concurrent.LinkedBlockingQueue
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.yield

/** Listeners that suspend. */
open class SuspendingListener {
  val gate = CompletableDeferred<Unit>()
  val received = LinkedBlockingQueue<String>()

  @PunctualListener("orders")
  suspend fun close(order: String, delivery: Delivery<String>) {
    received.add("$order ${delivery.attempt()}")
    if (delivery.attempt() == 1) {
      yield()
      throw IllegalStateException("The first attempt fails")
    }
    gate.await()
  }

  @PunctualListener("batches")
  suspend fun print(orders: List<String>) {
    yield()
    received.add(orders.joinToString())
  }
}

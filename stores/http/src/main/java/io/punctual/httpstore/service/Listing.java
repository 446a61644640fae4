package io.punctual.httpstore.service;

import io.punctual.httpstore.wire.Request;
import io.punctual.spi.Store;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Lists the queues that a client may see: those of its prefixes, without the server's own. */
final class Listing {
  private final Store store;

  Listing(Store store) {
    this.store = store;
  }

  CompletionStage<List<String>> list(Request.ListQueues request, Access access) {
    List<CompletableFuture<List<String>>> parts = new ArrayList<>();
    for (String prefix : narrowed(request.prefix(), access.prefixes())) {
      parts.add(page(prefix, request.after(), request.limit(), access, new ArrayList<>()));
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
        .thenApply(
            all -> {
              TreeSet<String> names = new TreeSet<>();
              parts.forEach(part -> names.addAll(part.join()));
              return names.stream().limit(request.limit()).toList();
            });
  }

  private static Collection<String> narrowed(String wanted, Collection<String> prefixes) {
    TreeSet<String> narrowed = new TreeSet<>();
    for (String prefix : prefixes) {
      if (wanted.startsWith(prefix)) {
        narrowed.add(wanted);
      } else if (prefix.startsWith(wanted)) {
        narrowed.add(prefix);
      }
    }
    return narrowed;
  }

  private CompletableFuture<List<String>> page(
      String prefix, String after, int limit, Access access, List<String> found) {
    return store
        .queues(prefix, after, limit)
        .thenCompose(
            names -> {
              names.stream().filter(access::may).forEach(found::add);
              boolean isEnd = names.size() < limit || found.size() >= limit;
              return isEnd
                  ? CompletableFuture.completedStage(found)
                  : page(prefix, next(names.get(names.size() - 1)), limit, access, found);
            })
        .toCompletableFuture();
  }

  /** Returns where the next page begins, which skips all of the server's own queues at once. */
  private static String next(String last) {
    return last.startsWith(StoreService.OWN) ? StoreService.OWN + Character.MAX_VALUE : last;
  }
}

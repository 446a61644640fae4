package io.punctual.http.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.access.Authenticator;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import io.punctual.http.access.UnauthenticatedException;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.RequestHead;
import io.punctual.httpstore.service.StoreService;
import io.punctual.memory.MemoryStore;
import io.punctual.timer.WheelTimer;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests who may use the HTTP store of a server, and for which requests. */
final class StoreMountTest {
  /** The document of a request without parts. */
  private static final byte[] EMPTY = HexFormat.of().parseHex("a0");

  private final WheelTimer timer = WheelTimer.create();
  private final StoreService service = new StoreService(MemoryStore.builder().build(), timer);

  @AfterEach
  void stop() {
    service.close();
    timer.close();
  }

  private record Head(String method, String path) implements RequestHead {
    @Override
    public @Nullable String query() {
      return null;
    }

    @Override
    public Set<String> headerNames() {
      return Set.of();
    }

    @Override
    public List<String> headers(String name) {
      return List.of();
    }

    @Override
    public String remoteAddress() {
      return "127.0.0.1";
    }

    @Override
    public boolean isSecure() {
      return false;
    }

    @Override
    public @Nullable X509Certificate clientCertificate() {
      return null;
    }
  }

  private static Authenticator caller(Right right) {
    return head -> new Caller("billing", Set.of(new Grant(right, "a.")));
  }

  private Call accept(Authenticator authenticator, String method, String path) {
    return new StoreMount(service, authenticator, (caller, change, status) -> {})
        .accept(new Head(method, path));
  }

  private static Answer answer(Call call, byte[] body) {
    return call.answer(body, Client.UNWATCHED).toCompletableFuture().join();
  }

  private static String text(Answer answer) {
    return new String(((Answer.Bytes) answer.body()).content(), StandardCharsets.UTF_8);
  }

  @Test
  void callerWithTheRight_isServed() {
    Answer answer = answer(accept(caller(Right.STORE), "POST", "/store/v1/hello"), EMPTY);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.headers()).containsEntry("Content-Type", "application/cbor");
    assertThat(text(answer)).contains("capabilities");
  }

  @Test
  void otherRights_areForbidden() {
    for (Right right : Right.values()) {
      Answer answer = answer(accept(caller(right), "POST", "/store/v1/hello"), EMPTY);
      assertThat(answer.status()).as("%s", right).isEqualTo(right == Right.STORE ? 200 : 403);
    }
  }

  @Test
  void noProof_isRefusedBeforeTheBodyIsRead() {
    Authenticator nobody =
        head -> {
          throw new UnauthenticatedException("Send a token");
        };
    Answer answer = answer(accept(nobody, "POST", "/store/v1/hello"), EMPTY);
    assertThat(answer.status()).isEqualTo(401);
    assertThat(text(answer)).contains("Send a token");
  }

  @Test
  void otherMethodOrPath_isRefused() {
    Authenticator caller = caller(Right.STORE);
    assertThat(answer(accept(caller, "GET", "/store/v1/hello"), EMPTY).status()).isEqualTo(405);
    assertThat(answer(accept(caller, "POST", "/store/v2/hello"), EMPTY).status()).isEqualTo(404);
    assertThat(answer(accept(caller, "POST", "/store/v1/"), EMPTY).status()).isEqualTo(404);
    assertThat(answer(accept(caller, "POST", "/store/v1/%68ello"), EMPTY).status()).isEqualTo(404);
    assertThat(answer(accept(caller, "POST", "/store/v1/../v1/hello"), EMPTY).status())
        .isEqualTo(404);
  }

  @Test
  void tooLarge_isToldWithTheBound() {
    Call call = accept(caller(Right.STORE), "POST", "/store/v1/make-call");
    assertThat(call.maxBody()).isEqualTo(64 << 20);
    assertThat(call.tooLarge().status()).isEqualTo(413);
  }

  @Test
  void goneClient_endsTheWait() {
    AtomicReference<Runnable> gone = new AtomicReference<>();
    Client client =
        new Client() {
          @Override
          public boolean isWatched() {
            return true;
          }

          @Override
          public void onGone(Runnable action) {
            gone.set(action);
          }
        };
    Call call = accept(caller(Right.STORE), "POST", "/store/v1/listen");
    // client "c", number 1, waitMillis 60000, places [{queue "a.b", partitions 1}]
    byte[] listen =
        HexFormat.of()
            .parseHex(
                "a466636c69656e746163666e756d626572016a776169744d696c6c697319ea6066706c61636573"
                    + "81a265717565756563612e626a706172746974696f6e7301");
    assertThat(call.answer(listen, client).toCompletableFuture()).isDone();
    byte[] second = listen.clone();
    second[17] = 2;
    CompletionStage<Answer> waiting = call.answer(second, client);
    assertThat(waiting.toCompletableFuture()).isNotDone();
    gone.get().run();
    // The sender can still be there, with other rights, and must not take a call for refused.
    assertThat(waiting.toCompletableFuture().join().status()).isEqualTo(504);
  }
}

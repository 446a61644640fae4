package io.punctual.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import io.punctual.http.webhook.WebhookKey;
import io.punctual.kit.process.Command;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class SignatureTest {
  private final Instant now = Instant.now();
  private static final byte[] BODY =
      "{\"to\":\"ada\",\"text\":\"Grüße ✓\"}".getBytes(StandardCharsets.UTF_8);

  private static String secret(WebhookKey key) {
    return "whsec_" + Base64.getEncoder().encodeToString(key.secret());
  }

  private static HttpHeaders http(Map<String, String> headers) {
    return HttpHeaders.of(
        headers.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, e -> List.of(e.getValue()))),
        (name, value) -> true);
  }

  @Test
  void officialLibrary_verifiesEachKeyOfARotation() throws Exception {
    WebhookKey old = WebhookKey.generate(WebhookKey.Kind.HMAC, now);
    WebhookKey next = WebhookKey.generate(WebhookKey.Kind.HMAC, now);
    Map<String, String> headers = Signer.headers(List.of(old, next), "msg-1", now, BODY);
    String body = new String(BODY, StandardCharsets.UTF_8);
    new Webhook(secret(old)).verify(body, http(headers));
    new Webhook(secret(next)).verify(body, http(headers));
    WebhookKey other = WebhookKey.generate(WebhookKey.Kind.HMAC, now);
    assertThatThrownBy(() -> new Webhook(secret(other)).verify(body, http(headers)))
        .isInstanceOf(WebhookVerificationException.class);
    assertThatThrownBy(() -> new Webhook(secret(old)).verify(body + " ", http(headers)))
        .isInstanceOf(WebhookVerificationException.class);
  }

  @Test
  void ed25519_isVerifiedByThePublicKey() throws Exception {
    WebhookKey key = WebhookKey.generate(WebhookKey.Kind.ED25519, now);
    Map<String, String> headers = Signer.headers(List.of(key), "msg-1", now, BODY);
    byte[] point = Base64.getDecoder().decode(key.publicText().orElseThrow().substring(5));
    byte[] encoded =
        HexFormat.of().parseHex("302a300506032b6570032100" + HexFormat.of().formatHex(point));
    Signature signature = Signature.getInstance("Ed25519");
    signature.initVerify(
        KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
    signature.update(("msg-1." + now.getEpochSecond() + ".").getBytes(StandardCharsets.UTF_8));
    signature.update(BODY);
    String value = headers.getOrDefault("webhook-signature", "");
    assertThat(value).startsWith("v1a,");
    assertThat(signature.verify(Base64.getDecoder().decode(value.substring(4)))).isTrue();
  }

  @Test
  void publishedExample_hasThePublishedSignature() {
    // The example of the specification of Standard Webhooks.
    WebhookKey key = WebhookKey.parse("k", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", now, null);
    Map<String, String> headers =
        Signer.headers(
            List.of(key),
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            Instant.ofEpochSecond(1614265330),
            "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8));
    assertThat(headers)
        .containsEntry("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }

  @Test
  void keysThatEnded_doNotSign() {
    WebhookKey old = WebhookKey.generate(WebhookKey.Kind.HMAC, now).endingAt(now);
    WebhookKey next = WebhookKey.generate(WebhookKey.Kind.HMAC, now);
    assertThat(Signer.headers(List.of(old, next), "1", now, BODY).get("webhook-signature"))
        .doesNotContain(" ");
  }

  @Test
  void pythonOfThePage_verifiesTheSignature() throws Exception {
    verifies(
        List.of("python3", "-c"),
        block("python")
            + """
            import sys
            secret, id, time, signatures, body = sys.argv[1:]
            names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
            print(is_signed(secret, dict(zip(names, [id, time, signatures])), bytes.fromhex(body)))
            """);
  }

  @Test
  void javaScriptOfThePage_verifiesTheSignature() throws Exception {
    verifies(
        List.of("node", "--input-type=module", "-e"),
        block("js")
            + """
            const [secret, id, time, signatures, body] = process.argv.slice(1);
            const headers = { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures };
            console.log(isSigned(secret, headers, Buffer.from(body, "hex")) ? "True" : "False");
            """);
  }

  /** Returns the example of the documentation in a language. */
  private static String block(String language) throws Exception {
    Path docs = Path.of("docs/webhooks.md");
    String page = Files.readString(Files.exists(docs) ? docs : Path.of("..").resolve(docs));
    int begin = page.indexOf("```" + language + "\n") + language.length() + 4;
    return page.substring(begin, page.indexOf("```", begin));
  }

  private void verifies(List<String> options, String script) throws Exception {
    String program = options.get(0);
    assumeTrue(
        Command.of(program, "--version").succeeds(),
        program + " is not installed, so its check is skipped");
    WebhookKey key = WebhookKey.generate(WebhookKey.Kind.HMAC, now);
    WebhookKey other = WebhookKey.generate(WebhookKey.Kind.HMAC, now);
    Map<String, String> headers = Signer.headers(List.of(other, key), "msg-1", now, BODY);
    for (WebhookKey each : List.of(key, WebhookKey.generate(WebhookKey.Kind.HMAC, now))) {
      List<String> words = new ArrayList<>(options);
      words.addAll(
          List.of(
              script,
              secret(each),
              headers.getOrDefault("webhook-id", ""),
              headers.getOrDefault("webhook-timestamp", ""),
              headers.getOrDefault("webhook-signature", ""),
              HexFormat.of().formatHex(BODY)));
      String output = Command.of(words).run();
      assertThat(output.strip()).isEqualTo(each.equals(key) ? "True" : "False");
    }
  }
}

package io.punctual.webhook;

import io.punctual.http.webhook.WebhookKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs calls by Standard Webhooks 1.0.0. */
final class Signer {
  private static final String HMAC = "HmacSHA256";

  private Signer() {}

  /**
   * Returns the three headers of a call. Each key that signs now adds a signature.
   *
   * @param id the id of the message, the same for all attempts
   */
  static Map<String, String> headers(List<WebhookKey> keys, String id, Instant now, byte[] body) {
    String time = Long.toString(now.getEpochSecond());
    byte[] head = (id + "." + time + ".").getBytes(StandardCharsets.UTF_8);
    List<String> signatures = new ArrayList<>();
    for (WebhookKey key : keys) {
      if (key.signsAt(now)) {
        signatures.add(signature(key, head, body));
      }
    }
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("webhook-id", id);
    headers.put("webhook-timestamp", time);
    headers.put("webhook-signature", String.join(" ", signatures));
    return headers;
  }

  private static String signature(WebhookKey key, byte[] head, byte[] body) {
    try {
      if (key.kind() == WebhookKey.Kind.HMAC) {
        Mac mac = Mac.getInstance(HMAC);
        mac.init(new SecretKeySpec(key.secret(), HMAC));
        mac.update(head);
        return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
      }
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(key.privateKey());
      signature.update(head);
      signature.update(body);
      return "v1a," + Base64.getEncoder().encodeToString(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JDK can't sign with " + key.kind(), e);
    }
  }
}

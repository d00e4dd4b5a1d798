package consumer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** Schemas by the ids that messages begin with; each is asked for once. */
final class Registry {
  private static final int TRIES = 60;

  /** A registry that is being restarted is back within half a minute. */
  private static final long PAUSE_MS = 500;

  private final Map<Integer, Form> forms = new HashMap<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private final String url;
  private final String account;

  Registry(JsonNode registry) {
    url = registry.path("url").asText().replaceAll("/+$", "");
    account = registry.path("properties").path("basic.auth.user.info").asText("");
  }

  /** Reads a key or a value; IOException for what cannot be read. */
  Form.Read read(byte[] message) throws IOException, InterruptedException {
    if (message.length < 5 || message[0] != 0) {
      throw new IOException("no frame of a schema registry");
    }
    int id = ByteBuffer.wrap(message).getInt(1);
    Form form = forms.get(id);
    if (form == null) {
      form = new Form(text(id));
      forms.put(id, form);
    }
    return form.read(message, 5);
  }

  private String text(int id) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + "/schemas/ids/" + Integer.toUnsignedString(id)));
    if (!account.isEmpty()) {
      String token = Base64.getEncoder().encodeToString(account.getBytes());
      request.header("Authorization", "Basic " + token);
    }
    for (int left = TRIES; ; left--) {
      try {
        var answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() == 200) {
          return new ObjectMapper().readTree(answer.body()).path("schema").asText();
        }
        if (answer.statusCode() < 500 || left == 0) {
          throw new Refused("the registry answers " + answer.statusCode() + " for schema id " + id);
        }
      } catch (Refused error) {
        throw error;
      } catch (IOException error) {
        if (left == 0) {
          throw error;
        }
      }
      Thread.sleep(PAUSE_MS);
    }
  }

  private static final class Refused extends IOException {
    Refused(String message) {
      super(message);
    }
  }
}

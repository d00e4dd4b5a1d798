package consumer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** One changefeed: its tables so far, or why there are none. */
final class Changefeed {
  private static final Set<String> DIALECTS = Set.of("current", "6");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final JsonNode feed;
  private final String needs;
  private final Registry registry;
  private final Tables tables = new Tables();
  private String error = "";

  Changefeed(JsonNode feed, String mode, Registry registry) {
    this.feed = feed;
    this.registry = registry;
    needs = lacking(mode);
  }

  /** Names what the changefeed asks for and this program does not do; "" for nothing. */
  private String lacking(String mode) {
    String protocol = feed.path("protocol").asText();
    String dialect = feed.path("dialect").asText();
    if (!mode.equals("bounded")) {
      return "mode:" + mode;
    }
    if (!protocol.equals("avro")) {
      return "protocol:" + protocol;
    }
    if (!DIALECTS.contains(dialect)) {
      return "dialect:" + dialect;
    }
    return feed.path("complete").isTextual() ? "avro-enable-watermark" : "";
  }

  /** Applies one message; the first that cannot be read ends this changefeed. */
  void take(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
    boolean isEmpty = length(record.key()) + length(record.value()) == 0;
    if (!needs.isEmpty() || !error.isEmpty() || isEmpty) {
      return;
    }
    try {
      if (record.key() == null) {
        throw new IOException("a row without a key");
      }
      Form.Read key = registry.read(record.key());
      if (record.value() == null) {
        tables.remove(key);
        return;
      }
      Form.Read value = registry.read(record.value());
      if (!value.form().table.equals(key.form().table)) {
        throw new IOException("key and value are of two tables");
      }
      tables.put(key, value);
    } catch (IOException | RuntimeException cause) {
      giveUp(record.topic(), record.partition(), record.offset(), String.valueOf(cause));
    }
  }

  /** Ends this changefeed for what is wrong at a place. */
  void giveUp(String topic, int partition, long offset, String why) {
    error = error.isEmpty() ? topic + "/" + partition + "@" + offset + ": " + why : error;
  }

  /** Writes the result directory, status.json last. */
  void answer(Path outDir) throws IOException {
    Path out = outDir.resolve(feed.path("dir").asText());
    Map<String, Object> index = new LinkedHashMap<>();
    for (var table : tables.stored.entrySet()) {
      String file = index.size() + ".jsonl";
      index.put(file, table.getKey());
      StringBuilder lines = new StringBuilder();
      for (Map<String, Object> row : table.getValue().rows.values()) {
        lines.append(JSON.writeValueAsString(row)).append('\n');
      }
      Files.writeString(out.resolve("tables").resolve(file), lines);
    }
    JSON.writeValue(out.resolve("tables.json").toFile(), index);
    Map<String, String> status = Map.of("status", "done");
    if (!error.isEmpty()) {
      status = Map.of("status", "error", "error", error);
    }
    if (!needs.isEmpty()) {
      status = Map.of("status", "not-applicable", "needs", needs);
    }
    JSON.writeValue(out.resolve("status.json").toFile(), status);
  }

  private static int length(byte[] bytes) {
    return bytes == null ? 0 : bytes.length;
  }
}

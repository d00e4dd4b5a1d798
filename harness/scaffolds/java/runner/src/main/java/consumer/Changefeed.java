package consumer;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** One changefeed: its tables so far, or why there are none. */
final class Changefeed {
  /** Escaped, even half a pair of surrogates can be written. */
  private static final ObjectMapper JSON =
      new ObjectMapper().configure(JsonGenerator.Feature.ESCAPE_NON_ASCII, true);

  private final JsonNode feed;
  private final Reader reader;
  private String needs;
  private String error = "";
  private List<Map<String, Object>> messages = List.of();

  Changefeed(JsonNode feed, String mode, Reader reader) {
    this.feed = feed;
    this.reader = reader;
    needs = needs(mode);
  }

  /** Names what the changefeed asks for and this program does not do; "" for nothing. */
  private String needs(String mode) {
    if (!mode.equals("bounded")) {
      return "mode:" + mode;
    }
    for (JsonNode table : feed.path("tables")) {
      if (!table.path("rows").isEmpty()) {
        return "rows-at-the-start";
      }
    }
    return Reader.lacking(feed);
  }

  /** Applies one message; the first that cannot be read ends this changefeed. */
  void take(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
    boolean isEmpty = length(record.key()) + length(record.value()) == 0;
    if (!needs.isEmpty() || !error.isEmpty() || isEmpty) {
      return;
    }
    try {
      var place = new TopicPartition(record.topic(), record.partition());
      reader.take(place, record.key(), record.value());
    } catch (Declined lack) {
      needs = lack.getMessage();
    } catch (IOException | RuntimeException cause) {
      giveUp(record.topic(), record.partition(), record.offset(), String.valueOf(cause));
    }
  }

  /** Ends this changefeed for what is wrong at a place. */
  void giveUp(String topic, int partition, long offset, String why) {
    if (error.isEmpty()) {
      error = why;
      messages = List.of(Map.of("topic", topic, "partition", partition, "offset", offset));
    }
  }

  /** Writes the result directory, status.json last. */
  void answer(Path outDir) throws IOException {
    Path out = outDir.resolve(feed.path("dir").asText());
    Map<String, Object> index = new LinkedHashMap<>();
    for (var table : reader.tables.stored.entrySet()) {
      String file = index.size() + ".jsonl";
      index.put(file, table.getKey());
      write(out.resolve("tables").resolve(file), table.getValue().all());
    }
    if (reader.ddl != null) {
      write(out.resolve("ddl.jsonl"), reader.ddl);
    }
    JSON.writeValue(out.resolve("tables.json").toFile(), index);
    Map<String, Object> status = Map.of("status", "done");
    if (!error.isEmpty()) {
      status = Map.of("status", "error", "error", error, "messages", messages);
    }
    if (!needs.isEmpty()) {
      status = Map.of("status", "not-applicable", "needs", needs);
    }
    JSON.writeValue(out.resolve("status.json").toFile(), status);
  }

  private static void write(Path file, List<Map<String, Object>> lines) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Map<String, Object> line : lines) {
      text.append(JSON.writeValueAsString(line)).append('\n');
    }
    Files.writeString(file, text);
  }

  private static int length(byte[] bytes) {
    return bytes == null ? 0 : bytes.length;
  }
}

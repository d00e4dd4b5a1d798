package consumer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * my-consumer: materialises tables from Kafka, and writes them as JSON lines.
 *
 * <p>The harness starts it with $HARNESS_JOB, the path of job.json. It keeps nothing between starts:
 * one that was killed reads everything again. What one changefeed does wrong ends that changefeed
 * and leaves the others untouched. What its messages mean is in Reader.
 */
public final class Main {
  private static final Duration POLL = Duration.ofMillis(100);

  private final Map<String, Changefeed> byTopic = new HashMap<>();
  private final Map<TopicPartition, Long> starts = new HashMap<>();
  private final Map<TopicPartition, Long> ends = new HashMap<>();

  /** Does the job that $HARNESS_JOB names. */
  public static void main(String[] arguments) throws Exception {
    JsonNode job = new ObjectMapper().readTree(Path.of(System.getenv("HARNESS_JOB")).toFile());
    new Main().run(job);
  }

  private void run(JsonNode job) throws Exception {
    Function<JsonNode, Reader> readers = Reader.readers(job);
    List<Changefeed> feeds = new ArrayList<>();
    for (JsonNode feed : job.path("changefeeds")) {
      feeds.add(new Changefeed(feed, job.path("mode").asText(), readers.apply(feed)));
      for (JsonNode topic : feed.path("topics")) {
        take(topic, feeds.get(feeds.size() - 1));
      }
    }
    consume(job.path("kafka"));
    for (Changefeed feed : feeds) {
      feed.answer(Path.of(job.path("out_dir").asText()));
    }
  }

  private void take(JsonNode topic, Changefeed feed) {
    String name = topic.path("name").asText();
    byTopic.put(name, feed);
    for (int number = 0; number < topic.path("end_offsets").size(); number++) {
      long start = topic.path("start_offsets").get(number).asLong();
      long end = topic.path("end_offsets").get(number).asLong();
      if (start < end) {
        starts.put(new TopicPartition(name, number), start);
        ends.put(new TopicPartition(name, number), end);
      }
    }
  }

  /** Reads every partition up to its end offset. */
  private void consume(JsonNode kafka) throws InterruptedException {
    Properties properties = new Properties();
    kafka.path("java").properties().forEach(e -> properties.put(e.getKey(), e.getValue().asText()));
    properties.put("group.id", kafka.path("group_id").asText());
    properties.put("enable.auto.commit", "false");
    properties.put("auto.offset.reset", "none"); // a start offset that is gone means lost data
    properties.put("fetch.max.wait.ms", "10");
    var bytes = new ByteArrayDeserializer();
    try (var consumer = new KafkaConsumer<byte[], byte[]>(properties, bytes, bytes)) {
      consumer.assign(ends.keySet());
      starts.forEach(consumer::seek);
      while (!ends.isEmpty()) {
        try {
          for (var record : consumer.poll(POLL)) {
            var place = new TopicPartition(record.topic(), record.partition());
            if (record.offset() < ends.getOrDefault(place, 0L)) {
              byTopic.get(record.topic()).take(record);
            }
          }
        } catch (OffsetOutOfRangeException gone) {
          gone.offsetOutOfRangePartitions()
              .forEach((place, offset) -> lost(place, offset, gone.getMessage()));
          consumer.assign(ends.keySet());
        }
        // Offsets have gaps: a partition's end is told by the position, never by the last message.
        if (ends.entrySet().removeIf(end -> consumer.position(end.getKey()) >= end.getValue())) {
          consumer.assign(ends.keySet());
        }
      }
    }
  }

  private void lost(TopicPartition place, long offset, String why) {
    byTopic.get(place.topic()).giveUp(place.topic(), place.partition(), offset, why);
    ends.remove(place);
  }
}

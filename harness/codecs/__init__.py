"""Source events to Kafka records and back; one package a format."""

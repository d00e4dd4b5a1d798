"""TODO harness/codecs/ticdc."""

"""What authors use: new scenarios and consumers, plain SQL into steps, recording, the doctor."""

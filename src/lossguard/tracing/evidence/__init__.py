"""What is known of values that are gone: recorded while the program ran, or replayed in a twin."""
